"""Ctrl-C in a match: what was played by then is its result."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from arena_games import First, pairs_of_two

from evoply import Stream
from evoply.arena import (
    FinishedGames,
    Forfeit,
    GamesRunner,
    Sprt,
    StoppedWithResultError,
    conditions_of,
    gathered,
    in_order,
    match,
    play,
    round_robin,
    sprt_match,
    tournament,
    whole_pairs,
)
from evoply.games.formats import GamePlayed
from evoply.players import parse_player
from evoply.protocols import Color


@pytest.mark.parametrize("save", [False, True])
def test_ctrl_c_keeps_the_whole_pairs_of_games(save: bool) -> None:
    seen: list[GamePlayed] = []
    with pytest.raises(StoppedWithResultError) as stopped:
        match(
            First(150), "random", game="othello-6", games=1000, seed=3,
            on_game=seen.append if save else None,
        )  # fmt: skip
    result = stopped.value.result
    assert 2 <= result.games < 1000
    assert result.games % 2 == 0
    assert len(seen) == (result.games if save else 0)
    whole = match(
        First(), "random", game="othello-6", games=result.games, seed=3
    )  # fmt: skip
    assert result.to_dict() | {"first": ""} == whole.to_dict() | {"first": ""}


def test_ctrl_c_before_the_first_pair_is_only_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        match(First(1), "random", game="othello-6", games=10, seed=3)
    assert not isinstance(stopped.value, StoppedWithResultError)
    with pytest.raises(StoppedWithResultError) as test:
        sprt_match(First(300), "random", Sprt(0, 1), game="othello-6", seed=3)
    assert test.value.result.verdict == "undecided"
    assert test.value.result.games >= 2


def test_ctrl_c_while_a_game_is_shown_counts_the_pairs_shown() -> None:
    shown: list[GamePlayed] = []

    def show(game: GamePlayed) -> None:
        if len(shown) == 5:
            raise KeyboardInterrupt
        shown.append(game)

    with pytest.raises(StoppedWithResultError) as stopped:
        match("greedy", "random", games=20, seed=1, on_game=show)
    expected = match("greedy", "random", games=4, seed=1)
    assert stopped.value.result == expected


@pytest.mark.parametrize("at", [0, 1, 2, 5])
def test_ctrl_c_while_a_game_of_a_sequential_test_is_shown(at: int) -> None:
    shown: list[GamePlayed] = []

    def show(game: GamePlayed) -> None:
        if len(shown) == at:
            raise KeyboardInterrupt
        shown.append(game)

    with pytest.raises(KeyboardInterrupt) as stopped:
        sprt_match("greedy", "random", Sprt(0, 1), seed=1, on_game=show)
    if at < 2:
        assert not isinstance(stopped.value, StoppedWithResultError)
    else:
        assert isinstance(stopped.value, StoppedWithResultError)
        assert stopped.value.result.games == at - at % 2


def test_parts_of_finished_games_have_places_of_their_own() -> None:
    players = [First(), First()]
    schedule = pairs_of_two("othello-4", 4, stream=Stream(1))
    whole = play("othello-4", players, schedule, record_moves=True)
    whole = replace(whole, forfeits=(Forfeit(2, Color.BLACK, "x"), Forfeit(7, Color.WHITE, "y")))
    places = np.array([2, 3, 5, 6, 7])
    batch = FinishedGames(places, whole.batch(places))
    assert [(one.game, one.reason) for one in batch.results.forfeits] == [(0, "x"), (4, "y")]
    pairs = whole_pairs([batch.batch(np.array([3, 1])), batch.batch(np.array([4, 0, 2]))])
    results, kept = pairs.results, pairs.places
    assert kept.tolist() == [2, 3, 6, 7]
    assert [(one.game, one.reason) for one in results.forfeits] == [(0, "x"), (3, "y")]
    assert results.moves == [whole.moves[place] for place in kept]
    assert results.hashes.tolist() == whole.hashes[kept].tolist()


def test_ctrl_c_in_a_round_robin_keeps_the_pairs_played() -> None:
    players = [First(600), "random", "greedy"]
    with pytest.raises(StoppedWithResultError) as stopped:
        round_robin(players, game="othello-6", games=100, seed=3)
    result = stopped.value.result
    assert {(one.first, one.second) for one in result.pairings} == {(0, 1), (0, 2), (1, 2)}
    counts = [one.wins + one.draws + one.losses for one in result.pairings]
    assert 6 <= result.games == sum(counts) < 300
    assert all(count % 2 == 0 for count in counts)
    with pytest.raises(KeyboardInterrupt) as early:
        round_robin([First(1), "random", "greedy"], game="othello-6", games=10, seed=3)
    assert not isinstance(early.value, StoppedWithResultError)


def test_a_round_robin_is_the_same_however_it_is_cut() -> None:
    """What is played first changes nothing: games draw from keys of their own."""
    players = [parse_player(one, game="othello-6") for one in ("mobility", "greedy", "random")]
    conditions = conditions_of(game="othello-6", openings=4)
    schedule = conditions.pairs([0, 0, 1] * 20, [1, 2, 2] * 20, Stream(4, "round robin"))
    order = np.random.default_rng(1).permutation(60)
    order = np.column_stack([2 * order, 2 * order + 1]).ravel()
    with GamesRunner("othello-6", players, threads=1) as runner:
        whole = runner.play(schedule)
        batches = [*runner.batches(schedule, order=order, sizes=count(1))]
    assert len(batches) == 15
    all_games = gathered(batches)
    assert all_games.places.tolist() == list(range(120))
    assert all_games.results.hashes.tolist() == whole.hashes.tolist()


def test_ctrl_c_in_an_elimination_tournament_keeps_the_runs_that_ended() -> None:
    ended: list[int] = []

    def progress(done: int) -> None:
        ended.append(done)
        if done == 3:
            raise KeyboardInterrupt

    players = ["swh", "greedy", "random"]
    with pytest.raises(StoppedWithResultError) as stopped:
        tournament(players, times=10, games=6, seed=5, progress=progress)
    assert ended == [1, 2, 3]
    whole = tournament(players, times=3, games=6, seed=5)
    assert stopped.value.result == replace(whole, planned=10)


def test_pairs_come_in_order_and_at_ctrl_c_those_that_are_whole() -> None:
    schedule = pairs_of_two("othello-4", 5, stream=Stream(1))
    whole = play("othello-4", [First(), First()], schedule)

    def stopped(*places: int) -> Iterator[FinishedGames]:
        for place in places:
            yield FinishedGames(np.array([place]), whole.batch(np.array([place])))
        raise KeyboardInterrupt

    came: list[list[int]] = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        for batch in in_order(stopped(1, 2, 0, 5, 8, 9, 4)):
            came.append(batch.places.tolist())
            assert batch.results.hashes.tolist() == whole.hashes[batch.places].tolist()
    assert [places for places in came if places] == [[0, 1], [4, 5, 8, 9]]
