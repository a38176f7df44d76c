"""Distilling: the columns against exhaustive search, the formula against what the teacher knows."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evoply as ep
from evoply.expressions import PRIMITIVE_SETS, ExpressionError, from_dict, pattern, squares_turned
from evoply.expressions.functions import for_the_other_side
from evoply.learning import Distilled
from evoply.learning.found_features import candidates_of_sets, chosen_columns
from evoply.protocols import Color

# Two features of the set with weights, which a formula of two terms can say exactly.
KNOWN = "( - ( * 3 white_anchored ) ( * 2 black_safe_moves ) ):primitives=othello-access"


def left(matrix: np.ndarray, target: np.ndarray, weight: np.ndarray, columns: list[int]) -> float:
    """Return what is left of the target, by numpy's least squares."""
    root = np.sqrt(weight)[:, None]
    fitted = np.linalg.lstsq(matrix[:, columns] * root, target * root[:, 0], rcond=None)[0]
    return float((weight * (target - matrix[:, columns] @ fitted) ** 2).sum())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_columns_are_nearly_the_best_there_are(seed: int, most: int) -> None:
    draws = np.random.default_rng(seed)
    matrix = draws.normal(size=(30, 6)) * draws.uniform(0.1, 50, size=6)
    weight = draws.uniform(0.1, 1, size=30)
    target = matrix @ draws.normal(size=6) + draws.normal(size=30)
    found = chosen_columns([(matrix, target, weight)], most)
    assert len(set(found.columns)) == most
    ours = left(matrix, target, weight, list(found.columns))
    total = float((weight * target**2).sum())
    assert found.share == pytest.approx(1 - ours / total, abs=1e-5)
    everything = [
        left(matrix, target, weight, list(columns)) for columns in combinations(range(6), most)
    ]
    # No swap of one column helps: so it is the best of one, and at most a little worse of more.
    swaps = [
        left(matrix, target, weight, [*found.columns[:place], other, *found.columns[place + 1 :]])
        for place in range(most)
        for other in set(range(6)) - set(found.columns)
    ]
    assert ours <= min(swaps) + 1e-5 * total
    assert most > 1 or ours == pytest.approx(min(everything), abs=1e-5 * total)
    fitted = matrix[:, list(found.columns)] @ found.weights[0]
    assert float((weight * (target - fitted) ** 2).sum()) == pytest.approx(ours, rel=1e-4)


def test_stages_have_weights_of_their_own() -> None:
    draws = np.random.default_rng(1)
    early, late = draws.normal(size=(2, 50, 4))
    ones = np.ones(50)
    found = chosen_columns([(early, 2 * early[:, 2], ones), (late, -5 * late[:, 2], ones)], 1)
    assert found.columns == (2,)
    assert found.weights[:, 0] == pytest.approx([2, -5], abs=1e-5)
    assert found.share == pytest.approx(1)


def test_a_column_that_says_the_same_again_is_not_chosen() -> None:
    draws = np.random.default_rng(2)
    matrix = draws.normal(size=(50, 1)).repeat(3, axis=1)
    found = chosen_columns([(matrix, matrix[:, 0], np.ones(50))], 3)
    assert len(found.columns) == 1


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("othello-access", "othello"),
        ("letters", "othello"),
        ("benbassat-checkers-extended", "checkers"),
        ("benbassat-checkers-extended-10", "checkers-10"),
    ],
)
def test_the_other_side_sees_the_same(name: str, game: str) -> None:
    draws = np.random.default_rng(3)
    position = ep.GAMES[game].start()
    for _ in range(25):
        moves = position.legal_moves
        if not moves:
            break
        for primitive in PRIMITIVE_SETS[name].terminals:
            if primitive.parameter is None:
                expression = primitive.expression
                other = for_the_other_side(expression)
                for own in Color:
                    ours = other.evaluate(position, own)
                    assert ours == expression.evaluate(position, own.opposite), primitive.name
                assert for_the_other_side(other).evaluate(position) == expression.evaluate(position)
        position = position.play(moves[int(draws.integers(len(moves)))])


def test_squares_of_the_player_are_turned_for_the_other() -> None:
    squares = ep.count(squares_turned(["b1", "d1"]) & ep.board.own)
    position = ep.checkers.Position()
    other = for_the_other_side(squares)
    for own in Color:
        assert other.evaluate(position, own) == squares.evaluate(position, own.opposite)


def test_a_turned_pattern_has_no_other_side() -> None:
    with pytest.raises(ExpressionError, match="turned"):
        for_the_other_side(pattern([["a1"]], [[0, 1, 2]], turned=True))


def test_candidates_are_features_and_their_differences() -> None:
    names = [one.name for one in candidates_of_sets(["othello-access"], "othello")]
    assert "white_corner_moves - black_corner_moves" in names
    assert "black_corner_moves" in names
    assert not {"clock", "+"} & set(names)
    assert len(names) == 33
    # A set that is there twice adds nothing.
    assert len(candidates_of_sets(["othello-access"] * 2, "othello-6")) == 33
    with pytest.raises(ValueError, match="no features"):
        candidates_of_sets(["squares"], "othello")


def test_what_can_be_said_exactly_is() -> None:
    formula = ep.distil(KNOWN, terms=2, games=40, primitives=["othello-access"])
    assert formula.agreement > 0.97
    # An own move turns no anchored disc of the opponent: the difference says the same.
    ours = {term.name.split(" - ")[0]: term.weights[0] for term in formula.terms}
    assert set(ours) == {"white_anchored", "black_safe_moves"}
    assert -2.5 < ours["white_anchored"] / ours["black_safe_moves"] < -0.8
    again = ep.distil(KNOWN, terms=2, games=40, primitives=["othello-access"], threads=1)
    assert again == formula
    assert ep.distil(KNOWN, terms=2, games=40, seed=2).positions != formula.positions


@cache
def of_many_random_moves(search: str) -> Distilled:
    """With so many random moves some boards can be lost to one reply, of thousands."""
    options = {"terms": 2, "games": 80, "random_moves": 0.5, "primitives": ["othello-access"]}
    return ep.distil(f"{KNOWN},depth=1{search}", **options)


@pytest.mark.parametrize("search", ["guard=yes", "endgame=10"])
def test_ends_of_games_are_no_values_to_fit(search: str) -> None:
    formula = of_many_random_moves(f",{search}")
    assert formula.explained > 0.99
    assert formula.agreement > 0.97


def test_a_stage_without_positions_has_the_weights_of_the_nearest() -> None:
    # No position of the last of six stages has a value: its weights are those of the stage before.
    formula = ep.distil("mobility:depth=4", terms=3, stages=6, game="othello-4", games=200)
    assert all(term.weights[5] == term.weights[4] for term in formula.terms)
    assert any(term.weights[4] for term in formula.terms)


def test_more_terms_say_more() -> None:
    teacher = "edgar-like"
    few, many = (ep.distil(teacher, terms=terms, games=20) for terms in (1, 12))
    assert few.explained < many.explained
    assert few.by_chance < few.agreement < many.agreement
    assert len(many.terms) == 12


def test_a_weight_of_nothing_has_no_sign() -> None:
    terms = ep.distil("edgar-like", terms=12, stages=6, games=10).terms
    assert any(0.0 in term.weights for term in terms)
    assert "-0.0" not in str(terms)


def test_stages_follow_the_clock_of_the_position() -> None:
    formula = ep.distil("edgar-like", terms=3, stages=3, games=40)
    assert formula.ends == pytest.approx((1 / 3, 2 / 3))
    assert all(len(term.weights) == 3 for term in formula.terms)
    assert max(abs(one) for term in formula.terms for one in term.weights) == 100


def test_the_formula_is_a_player_of_its_own(tmp_path: Path) -> None:
    formula = ep.distil(KNOWN, terms=2, games=20)
    path = tmp_path / "formula.json"
    ep.save_player(path, formula.player)
    loaded = ep.load_player(path)
    assert loaded == formula.player
    assert ep.match(loaded, "random", games=60).score > 0.7
    assert "anchored" in ep.explain(formula.player).simplified
    assert "white_anchored" in str(formula)
    assert "white_anchored" in formula._repr_html_()
    assert from_dict(loaded.evaluator.expression) == loaded.evaluator.parsed


@pytest.mark.parametrize(
    ("player", "options", "message"),
    [
        ("random", {}, "has no values of boards"),
        ("greedy", {"terms": 0}, "terms"),
        ("greedy", {"stages": 11}, "stages"),
        ("greedy", {"games": 0}, "games"),
        ("greedy", {"primitives": ["no-such"]}, "no set of primitives"),
    ],
)
def test_what_cannot_be_distilled_is_refused(
    player: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ep.distil(player, **options)
