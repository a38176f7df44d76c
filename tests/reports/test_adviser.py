"""Advisers: what moves are worth in discs or points, and why, so that a coach never errs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import record_after

import evoply as ep
from evoply import _native
from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.players import parse_player, solve, strong_tables
from evoply.reports import Adviser, Scale
from evoply.reports.reasons import reasons_of
from evoply.reports.scale import CERTAIN, scale_of
from evoply.reports.value_parts import regions_of_strong

CHOICES = st.lists(st.integers(0, 30), max_size=55)


@pytest.mark.parametrize("game", [*GAMES, *DATA_GAMES])
def test_every_game_has_an_adviser_that_values_moves(game: str) -> None:
    rules = game_rules(game)
    assert not rules.adviser.startswith("random")
    record = rules.game(rules.start()).play(rules.start().legal_moves[0])
    with Adviser(game) as adviser:
        advice = adviser.values(record, depth=2, exact=None)
        assert advice.scale.unit != "none" or game in DATA_GAMES
        assert advice.scale.unit in ("discs" if rules.solver else "points", "none")
        assert [move for move, _ in advice.moves] != []
        assert {move for move, _ in advice.moves} == set(record.position.legal_moves)


def test_shipped_games_have_the_advisers_that_were_chosen() -> None:
    assert {game: game_rules(game).adviser for game in GAMES} == {
        "othello": "strong", "othello-4": "mobility:depth=4", "othello-6": "mobility:depth=4",
        "othello-10": "firebrand", "checkers": "strong", "checkers-10": "strong",
        "lose-checkers": "few-pieces:depth=6",
    }  # fmt: skip


@pytest.mark.parametrize("game", ["othello", "othello-6", "checkers", "lose-checkers"])
@settings(max_examples=8)
@given(choices=CHOICES)
def test_worths_have_the_order_of_the_values_and_their_unit(game: str, choices: list[int]) -> None:
    record = record_after(game, choices)
    if record.outcome() is not None or len(record.position.legal_moves) < 2 or len(record) < 3:
        return  # boards with symmetries have values of their own
    with Adviser(game) as adviser:
        advice = adviser.values(record, depth=2, exact=None)
        plain = ep.analyse(adviser.player.with_options({"depth": 2}), record, every_move=True)  # type: ignore[attr-defined]
    assert dict(advice.raw) == dict(plain.moves)
    worths = [worth for _, worth in advice.moves]
    assert worths == sorted(worths, reverse=True)
    low, high = (0.0, 1.0) if advice.scale.unit == "points" else (-64.0, 64.0)
    assert all(low <= worth <= high for worth in worths)
    assert advice.best == advice.moves[0][0] == advice.line[0]


@pytest.mark.parametrize(("moves", "kinds"), [("", 1), ("f5", 3), ("f5d6", 5), ("f5f4", 5)])
def test_moves_that_a_symmetry_exchanges_are_worth_the_same(moves: str, kinds: int) -> None:
    record = ep.othello.Game.from_transcript(moves)
    with Adviser("othello") as adviser:
        advice = adviser.values(record, depth=2, exact=None)
    assert len({worth for _, worth in advice.moves}) == kinds


def test_from_sixteen_empty_squares_worths_are_those_of_the_solver() -> None:
    record = record_after("othello", [7 * number % 5 for number in range(44)])
    while record.position.empty.bit_count() > 12:  # type: ignore[attr-defined]
        record = record.play(record.position.legal_moves[0])
    with Adviser("othello", "greedy") as adviser:
        advice = adviser.values(record)
        assert advice.is_exact
        for move, worth in advice.moves:
            assert worth == -solve(record.play(move).position).score
        assert adviser.values(record, exact=None).is_exact is False


def test_a_forced_move_is_worth_what_comes_of_it() -> None:
    record = record_after("othello-6", [1] * 8)
    while record.outcome() is None and len(record.position.legal_moves) != 1:
        record = record.play(record.position.legal_moves[0])
    with Adviser("othello-6") as adviser:
        assert adviser.values(record).moves == ()
        (pair,) = adviser.values(record, depth=2, exact=None, forced=True).moves
        after = record.play(pair[0])
        if after.outcome() is None:
            further = adviser.values(after, depth=2, exact=None, forced=True)
            same = further.color is record.position.turn
            assert pair[1] == further.moves[0][1] * (1 if same else -1)


@pytest.mark.parametrize(
    ("game", "player", "unit"),
    [
        ("othello", "firebrand", "discs"),
        ("othello", "swh", "discs"),
        ("othello-6", "mobility:depth=4", "discs"),
        ("checkers", "material:depth=4", "points"),
        ("lose-checkers", "few-pieces", "points"),
        ("breakthrough-6", "material:depth=3", "points"),
        ("othello", "random-leaf", "none"),
        ("lose-checkers", "material", "none"),
        ("connect-four", "material", "none"),
    ],
)
def test_a_scale_is_what_games_tell(game: str, player: str, unit: str) -> None:
    read = parse_player(player, game=game)
    scale = scale_of(read, game)
    assert scale.unit == unit
    assert scale_of(parse_player(player, game=game), game) == scale
    assert all(factor > 0 for factor in scale.factors)
    assert list(scale.pieces) == sorted(scale.pieces)


def test_the_scale_of_a_value_that_is_the_difference_at_the_end_is_one() -> None:
    scale = scale_of(parse_player("material"), "othello")
    # With one empty square left the difference in discs is nearly the end.
    assert np.interp(63, scale.pieces, scale.factors) == pytest.approx(1.0, abs=0.1)


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_points_are_between_loss_and_win_and_keep_order(one: float, other: float) -> None:
    position = ep.checkers.Position()
    scale = Scale("points", 64, factors=(0.7,))
    worths = [scale.worth(value, position) for value in (one, other)]
    assert (one < other) <= (worths[0] <= worths[1])
    assert worths[0] == pytest.approx((1 + math.tanh(0.7 * one)) / 2)
    assert scale.opposite(worths[0]) == pytest.approx(scale.worth(-one, position))
    assert (scale.worth(CERTAIN * 10, position), scale.worth(-CERTAIN * 10, position)) == (1, 0)
    assert Scale("discs", 64).worth(-CERTAIN * 10, position) == -64


@pytest.mark.parametrize("game", ["othello", "checkers", "checkers-10"])
def test_regions_add_up_to_the_tables(game: str) -> None:
    tables, packed = regions_of_strong(game), strong_tables(game)
    drawn = _native.Positions.random(game_rules(game).kernel, 60, 11, 4, 70)
    values = packed.program.evaluate(drawn)[:, 0]
    for index, value in enumerate(values.tolist()):
        found = sum(tables.sums(drawn[index]).values())
        # The kernel adds mixed entries in single precision.
        assert found == pytest.approx(value, abs=1e-4 if packed.mixed else 1e-9)


@pytest.mark.parametrize("game", ["othello", "othello-10", "checkers", "checkers-10"])
@settings(max_examples=6)
@given(choices=CHOICES)
def test_reasons_of_a_hint_add_up_and_are_few(game: str, choices: list[int]) -> None:
    record = record_after(game, choices)
    if record.outcome() is not None or len(record.position.legal_moves) < 2 or len(record) < 3:
        return
    with Adviser(game) as adviser:
        advice = adviser.values(record, depth=3, exact=None)
        why = reasons_of(adviser, record, advice)
    assert why.value is not None
    assert why.second_value is not None
    assert why.best == record.position.short_text(advice.moves[0][0])
    assert why.value >= why.second_value
    if max(abs(why.value), abs(why.second_value)) >= CERTAIN or advice.is_exact:
        assert why.reasons == ()
        return
    assert sum(one.best for one in why.reasons) == pytest.approx(why.value, abs=1e-6)
    assert sum(one.second for one in why.reasons) == pytest.approx(why.second_value, abs=1e-6)
    said = [one for one in why.reasons if f"{one.words} (" in why.sentence]
    assert len(said) <= 2 or why.value == why.second_value


def test_a_weak_level_errs_and_its_reason_does_not_contradict_it() -> None:
    position = ep.othello.Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    best = ep.why("strong:level=2", position)
    values = {position.position.short_text(move): move for move in position.position.legal_moves}
    worst = values[min(values, key=lambda text: text)]
    slip = ep.why("strong:level=2", position, chosen=worst)
    assert slip.value is not None
    assert best.value is not None
    if slip.value < best.value:
        assert "errs on purpose" in slip.sentence
        assert slip.second == best.best
    assert "rather than" in best.sentence
    assert "it scores worse on" not in best.sentence.split(": ", 1)[-1][:20]


@pytest.mark.parametrize("game", ["othello", "checkers"])
def test_the_hint_is_never_worse_than_the_move_played_by_the_advisers_own_values(
    game: str,
) -> None:
    _hints_are_best(game, 40)


@pytest.mark.long
@pytest.mark.parametrize("game", ["othello", "checkers"])
def test_five_hundred_hints_are_never_worse_than_the_move_played(game: str) -> None:
    _hints_are_best(game, 500)


def _hints_are_best(game: str, count: int) -> None:
    seen = 0
    for seed in range(1000):
        saved: list[Any] = []
        ep.match("strong:level=3", "greedy", game=game, games=2, seed=seed, on_game=saved.append)
        with Adviser(game) as adviser:
            for played in saved:
                record = played.record
                for ply in range(3, len(record), 7):
                    advice = adviser.values(record.first(ply), depth=4)
                    if len(advice.moves) < 2:
                        continue
                    worths = dict(advice.moves)
                    assert worths[advice.best] >= worths[record.moves[ply]]
                    why = reasons_of(adviser, record.first(ply), advice)
                    assert why.best == record.positions[ply].short_text(advice.best)
                    if why.reasons:
                        total = sum(one.best for one in why.reasons)
                        assert total == pytest.approx(why.value, abs=1e-4)
                    seen += 1
                    if seen == count:
                        return
