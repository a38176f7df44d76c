"""Distilling: the formula against what the teacher knows, and what it may be made of."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import evoply as ep
from evoply.expressions import PRIMITIVE_SETS, ExpressionError, from_dict, pattern, squares_turned
from evoply.expressions.functions import for_the_other_side
from evoply.learning import Distilled
from evoply.learning.found_features import candidates_of_sets
from evoply.protocols import Color

# Two features of the set with weights, which a formula of two terms can say exactly.
KNOWN = "( - ( * 3 white_anchored ) ( * 2 black_safe_moves ) ):primitives=othello-access"


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


def test_a_term_may_be_a_product() -> None:
    teacher = "( - 0 ( * white_frontier black_safe_moves ) ):primitives=othello-access"
    options = {"terms": 1, "games": 10, "primitives": ["othello-access"]}
    alone, product = (ep.distil(teacher, products=is_on, **options) for is_on in (False, True))
    assert [term.name for term in product.terms] == ["white_frontier * black_safe_moves"]
    assert product.lost == 0 < alone.lost < alone.lost_by_chance
    assert product.agreement == 1
    assert "white_frontier * black_safe_moves" in ep.explain(product.player).simplified


def test_in_othello_a_formula_sees_replies_that_take_everything() -> None:
    assert ep.distil("edgar-like", terms=1, games=2).player.guard
    assert not ep.distil("greedy", terms=1, games=2, game="checkers").player.guard


@cache
def of_many_random_moves(search: str) -> Distilled:
    """With so many random moves some boards can be lost to one reply, of thousands."""
    options = {"terms": 2, "games": 80, "random_moves": 0.5, "primitives": ["othello-access"]}
    return ep.distil(f"{KNOWN},depth=1{search}", **options)


@pytest.mark.parametrize("search", ["guard=yes", "endgame=10"])
def test_ends_of_games_are_no_values_to_fit(search: str) -> None:
    formula = of_many_random_moves(f",{search}")
    assert formula.lost < 0.1 < formula.lost_by_chance
    assert formula.agreement > 0.97


def test_a_stage_without_positions_has_the_weights_of_the_nearest() -> None:
    # No position of the last of six stages has a value: its weights are those of the stage before.
    formula = ep.distil("mobility:depth=4", terms=3, stages=6, game="othello-4", games=200)
    assert all(term.weights[5] == term.weights[4] for term in formula.terms)
    assert any(term.weights[4] for term in formula.terms)


def test_more_terms_say_more() -> None:
    teacher = "edgar-like"
    few, many = (ep.distil(teacher, terms=terms, games=10) for terms in (1, 12))
    assert many.lost < few.lost < few.lost_by_chance
    assert few.by_chance < few.agreement < many.agreement
    assert len(many.terms) == 12


def test_a_weight_of_nothing_has_no_sign() -> None:
    terms = ep.distil("edgar-like", terms=12, stages=6, games=5).terms
    nothing = [weight for term in terms for weight in term.weights if not weight]
    assert nothing
    assert "-0.0" not in map(str, nothing)


def test_stages_follow_the_clock_of_the_position() -> None:
    formula = ep.distil("edgar-like", terms=3, stages=3, games=10)
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
