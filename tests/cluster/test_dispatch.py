"""Units on workers that reorder, lose, repeat and lie: the results are those of one machine."""

import base64
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_pool import FakePool
from hypothesis import example, given
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.arena import (
    Results,
    RoundRobin,
    Schedule,
    Sprt,
    match,
    play,
    round_robin,
    sprt_match,
    throttle,
    tournament,
)
from evoply.arena.on_cluster import check_sendable, packed_columns, unpacked_columns
from evoply.arena.playing import play_batch
from evoply.cluster import Dispatcher
from evoply.evolution import evolve
from evoply.games import GAMES, game_added, game_rules
from evoply.learning import learn
from evoply.players import KernelSeat, parse_player
from evoply.protocols import ClusterError, TimeControl, WrongResultError, packed, unpacked
from evoply.runs.presets import PRESETS

TINY_HALL = {"size": 2, "candidates": 1, "sample": 1, "pairs": 1, "final_pairs": 1}
COLUMNS = ("black_discs", "white_discs", "winners", "endings", "plies", "hashes")
PLAYERS = ("random", "greedy", "mobility", "material:depth=2", "mobility:ties=random")


def random_schedule(draws: Stream) -> tuple[str, list[Any], Schedule]:
    game = ("othello-4", "othello-6", "checkers")[draws.below(3)]
    texts = ["random", "material:depth=1"]
    if game != "checkers":
        texts = [PLAYERS[draws.below(len(PLAYERS))] for _ in range(1 + draws.below(5))]
    pairs = 1 + draws.below(30)
    first, second = ([draws.below(len(texts)) for _ in range(pairs)] for _ in range(2))
    start = game_rules(game).start()
    starts = [start.row, start.play(next(iter(start.legal_moves))).row]
    given: dict[str, Any] = {"start": start.row}
    if draws.below(2):
        given = {"starts": starts, "start_of": [draws.below(2) for _ in range(pairs)]}
    schedule = Schedule.pairs(first, second, stream=draws.child("games"), opening_plies=2, **given)
    return game, [parse_player(text, game=game) for text in texts], schedule


def assert_equal(a: Results, b: Results) -> None:
    for name in COLUMNS:
        one, other = getattr(a, name), getattr(b, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert a.moves == b.moves


@pytest.mark.parametrize("workers", range(1, 9))
def test_a_hundred_schedules_come_to_the_same_on_any_workers(workers: int) -> None:
    lost = checked = 0
    for number in range(13):
        draws = Stream(number, "schedules", workers)
        game, players, schedule = random_schedule(draws)
        moves = draws.below(3) == 0
        expected = play(game, players, schedule, threads=1, record_moves=moves)
        with FakePool(workers, draws.below(2**32), losses=0.3) as pool:
            cluster = Dispatcher(pool, check_share=(1, 0.3, 0)[draws.below(3)])
            told: list[int] = []
            found = play(
                game, players, schedule, record_moves=moves, cluster=cluster, progress=told.append
            )
        assert_equal(found, expected)
        assert told == sorted(told)
        assert told[-1] == len(schedule)
        lost, checked = lost + cluster.lost, checked + cluster.checked
    assert lost > 10
    assert checked > 5


def test_every_unit_is_given_out_once_and_asked_for_when_there_is_room() -> None:
    asked = count()
    parts = (str(next(asked)).encode() for _ in range(50))
    with FakePool(3) as pool:
        results = Dispatcher(pool, check_share=0).results(base64.b64encode, parts)
        first = next(results)
        assert next(asked) <= 2 * 3 + 1
        found = {first.place: first.content} | {one.place: one.content for one in results}
    assert len(found) == 50
    assert len(pool.done) == 50
    assert all(base64.b64decode(content) for content in found.values())


def test_leaving_early_gives_up_the_rest() -> None:
    with FakePool(2) as pool:
        results = Dispatcher(pool).results(base64.b64encode, (b"%d" % n for n in range(1000)))
        next(results)
        results.close()
    assert len(pool.done) < 20


def test_a_lying_worker_is_named_with_what_it_did() -> None:
    with FakePool(3, seed=4, liars=frozenset({"fake-1"})) as pool:
        cluster = Dispatcher(pool, check_share=0.25)
        given_out: list[tuple[int, str]] = []
        results = cluster.results(base64.b64encode, (b"%d" % n for n in range(200)))
        with pytest.raises(WrongResultError, match="worker fake-1 returned a wrong res") as caught:
            given_out.extend((answer.place, answer.worker) for answer in results)
    expected = [place for place, worker in given_out if worker == "fake-1"]
    assert caught.value.worker == "fake-1"
    assert sorted(caught.value.places) == sorted(expected)  # none, if it was found out at once


def test_two_liars_are_both_named_and_bytes_changed_on_the_way_are_noticed() -> None:
    with (
        FakePool(2, liars=frozenset({"fake-0"})) as pool,
        pytest.raises(WrongResultError, match="worker fake-0 returned a wrong"),
    ):
        list(Dispatcher(pool, check_share=1).results(base64.b64encode, [b"a"]))
    with (
        FakePool(1, damages=True) as pool,
        pytest.raises(WrongResultError, match="is not what its digest says"),
    ):
        list(Dispatcher(pool).results(base64.b64encode, [b"a"]))


@pytest.mark.parametrize("lie", ["nothing", "noise"])
@pytest.mark.parametrize("share", [0, 1])
def test_a_worker_whose_answers_cannot_be_read_is_named(lie: str, share: float) -> None:
    with FakePool(3, seed=2, liars=frozenset({"fake-1"}), lie=lie) as pool:
        cluster = Dispatcher(pool, check_share=share)
        with pytest.raises(WrongResultError, match="cluster: worker fake-1 returned") as caught:
            round_robin(["greedy", "random", "mobility"], games=200, cluster=cluster)
        assert caught.value.worker == "fake-1"
        with pytest.raises(WrongResultError, match="cluster: worker fake-1 returned") as caught:
            # One part at a time: some steps are right before the liar is asked.
            list(learn("firebrand-8", games=400, games_per_step=10, cluster=cluster))
        assert caught.value.worker == "fake-1"


def test_a_share_is_from_none_to_all() -> None:
    units = [b"%d" % number for number in range(1000)]
    with FakePool(1) as pool:
        for share, few, many in ((0, 0, 0), (0.01, 3, 20), (0.5, 450, 550), (1, 1000, 1000)):
            assert few <= sum(map(Dispatcher(pool, share).is_checked, units)) <= many
        for wrong in (-0.1, 1.5, float("nan")):
            with pytest.raises(ValueError, match=r"check_share: .* is not a share - give a number"):
                Dispatcher(pool, wrong)


def test_another_version_is_refused_by_name() -> None:
    with (
        FakePool(1, version="0.0.9") as pool,
        pytest.raises(ClusterError, match=r"worker fake-0 has evoply .* install the same"),
    ):
        list(Dispatcher(pool).results(base64.b64encode, [b"a"]))
    assert pool.done == [b"a"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nonsense", "worker fake-0 says: these bytes are not packed data"),
        (packed({"game": "othello"}), "worker fake-0 says: an error of evoply's"),
    ],
)
def test_what_fails_on_a_worker_is_said(data: bytes, message: str) -> None:
    with FakePool(1) as pool, pytest.raises(ClusterError, match=message):
        list(Dispatcher(pool).results(play_batch, [data]))


def test_a_unit_that_nobody_survives_ends_the_work() -> None:
    with (
        FakePool(1, losses=4.0) as pool,
        pytest.raises(ClusterError, match="worker of one unit was lost 21 times"),
    ):
        list(Dispatcher(pool).results(base64.b64encode, [b"a"]))
    assert pool.renewed == 20


def test_a_player_outside_the_kernel_plays_the_same_elsewhere() -> None:
    texts = ["online:games=20", "random"]
    players = [parse_player(text, game="othello-4") for text in texts]
    assert not isinstance(players[0].seat("othello-4"), KernelSeat)
    start = game_rules("othello-4").start().row
    schedule = Schedule.pairs([0, 0, 0], [1, 0, 1], stream=Stream(5), opening_plies=2, start=start)
    expected = play("othello-4", players, schedule, threads=1, record_moves=True)
    with FakePool(2) as pool:
        cluster = Dispatcher(pool)
        found = play("othello-4", players, schedule, record_moves=True, cluster=cluster)
    assert_equal(found, expected)


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from(["u1", "u2", "i4", "u8", "i8"]),
    st.integers(0, 20),
    st.integers(0, 4),
)
@example(1, "u1", 17, 3)
def test_columns_come_back_whatever_repeats_in_them(
    seed: int, kind: str, length: int, times: int
) -> None:
    draws = np.random.default_rng(seed)
    bounds = np.iinfo(kind)
    low, high = (bounds.min, bounds.max) if draws.integers(2) else (0, 3)
    period = draws.integers(low, high, length, dtype=kind, endpoint=True).repeat(
        1 + draws.integers(3)
    )
    column = np.concatenate([np.tile(period, times), period[: draws.integers(len(period) + 1)]])
    data = packed_columns({"a": 1}, {"one": column, "two": column[::-1]})
    header, columns = unpacked_columns(data)
    assert header["a"] == 1
    np.testing.assert_array_equal(columns["one"].astype(kind), column)
    np.testing.assert_array_equal(columns["two"].astype(kind), column[::-1])
    if times > 2 and len(period) > 50:
        assert len(data) < 3 * period.nbytes + 200  # one period, or a little more


def test_evolution_tournaments_and_learning_come_to_the_same() -> None:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "population_size": 30,
        "generations": 3,
        "fitness": {"opponents": [{"player": "random", "pairs": 2}, {"player": "mobility"}]},
    }
    expected = [one.digest for one in evolve("quick", **settings)]
    field = ["greedy", "random", "mobility", "material:depth=2"]
    star = tournament(field, games=8, times=2, game="othello-6")
    table = round_robin(field, games=6, game="othello-6")
    weights = [one.digest for one in learn("firebrand-8", games=60, games_per_step=20)]
    for workers, losses in ((1, 0.0), (5, 0.3)):
        with FakePool(workers, seed=workers, losses=losses) as pool:
            cluster = Dispatcher(pool, check_share=0.2)
            found = [one.digest for one in evolve("quick", cluster=cluster, **settings)]
            assert found == expected
            other = tournament(field, games=8, times=2, game="othello-6", cluster=cluster)
            assert other == star
            assert round_robin(field, games=6, game="othello-6", cluster=cluster) == table
            steps = learn("firebrand-8", games=60, games_per_step=20, cluster=cluster)
            assert [one.digest for one in steps] == weights


def test_matches_come_to_the_same_and_in_order() -> None:
    shown: list[str] = []
    expected: list[str] = []
    one = match("greedy", "random", games=60, on_game=lambda game: expected.append(str(game)))
    test = sprt_match("greedy", "random", Sprt(0, 50))
    with FakePool(3, seed=1, losses=0.2) as pool:
        cluster = Dispatcher(pool, check_share=0.2)
        other = match("greedy", "random", games=60, cluster=cluster,
                      on_game=lambda game: shown.append(str(game)))  # fmt: skip
        assert sprt_match("greedy", "random", Sprt(0, 50), cluster=cluster) == test
    assert other == one
    assert shown == expected


def test_standings_are_told_while_workers_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "SECONDS", 0.0)
    monkeypatch.setattr(throttle, "_REST", 0)
    field, told = ["greedy", "random", "mobility"], list[RoundRobin]()
    with FakePool(3, seed=2, losses=0.1) as pool:
        cluster = Dispatcher(pool, check_share=0.2)
        table = round_robin(field, games=40, game="othello-6", cluster=cluster,
                            on_standings=told.append)  # fmt: skip
    assert table == round_robin(field, games=40, game="othello-6")
    assert told
    whole = {(one.first, one.second): one for one in table.pairings}
    for so_far in told:
        assert 6 <= so_far.games < 120
        for one in so_far.pairings:
            all_of_it = whole[one.first, one.second]
            assert one.wins <= all_of_it.wins
            assert one.losses <= all_of_it.losses
            assert one.draws <= all_of_it.draws


EVOLVED = sorted(
    name for name, one in PRESETS.items() if one.learner == "evolution" and "-10" not in name
)


@pytest.mark.parametrize("preset", EVOLVED)
def test_the_individuals_of_every_preset_are_the_same_players_elsewhere(preset: str) -> None:
    settings: dict[str, Any] = {"population_size": 4, "generations": 2, "hall_of_fame": TINY_HALL}
    if preset == "readable":  # its labels cost more than all other presets together
        settings["refit"] = {"games": 2, "first": 1, "every": 1}
    expected = [one.digest for one in evolve(preset, **settings)]
    with FakePool(3) as pool:
        cluster = Dispatcher(pool, check_share=0)
        assert [one.digest for one in evolve(preset, cluster=cluster, **settings)] == expected
    assert pool.done


def test_what_cannot_be_sent_is_refused_before_work_begins(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Bot:\n    def choose(self, game, stream, clock):\n"
        "        return game.legal_moves[0]\n"
    )
    with FakePool(1) as pool:
        cluster = Dispatcher(pool)
        with pytest.raises(ValueError, match=r"bot\.py is a program on this machine and cannot"):
            round_robin(["greedy", str(bot)], cluster=cluster)
        with pytest.raises(ValueError, match="may play otherwise next time"):
            round_robin(["greedy", "material:time=0.1"], cluster=cluster)
        with pytest.raises(ValueError, match="games with a clock depend on the machine"):
            round_robin(["greedy", "random"], clock="10", cluster=cluster)
        with pytest.raises(ValueError, match=r"fitness\.opponents\.0\.player: .*bot\.py"):
            evolve(
                "quick",
                fitness={"opponents": [{"player": str(bot)}], "allow_irreproducible": True},
                cluster=cluster,
            )
        stones = replace(GAMES["othello-4"], name="stones")
        outside = pytest.raises(ValueError, match="stones is a game from outside evoply")
        with outside, game_added(stones):
            check_sendable("stones", [])
        with pytest.raises(ValueError, match="games with a clock"):
            check_sendable("othello", [], TimeControl.from_text("10"))
    assert pool.done == []


def test_packed_data_comes_back_and_nothing_else_is_taken() -> None:
    blocks = [b"", b"\n\n", bytes(range(256))]
    assert unpacked(packed({"a": [1, None]}, *blocks)) == ({"a": [1, None]}, blocks)
    for wrong in (
        b"",
        b"{}",
        b'{"header": {}, "lengths": [3]}\nab',
        b'{"header": [], "lengths": []}\n',
        b'{"header": {}, "lengths": [-1, 1]}\n',
        b'{"header": {}, "lengths": "1"}\na',
    ):
        with pytest.raises(ValueError, match="these bytes are not packed data"):
            unpacked(wrong)
