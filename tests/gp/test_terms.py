"""Taking trees apart and leaving parts out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import (
    PRIMITIVE_SETS,
    Expression,
    board,
    count,
    number,
    select,
    squares,
    weighted_sum,
)
from evoply.expressions.written_form import FormulaNames, formula
from evoply.games import SHAPES
from evoply.gp import Limits, expression_of, parse_tree, ramped_half_and_half
from evoply.gp.algebra import names_of
from evoply.gp.algebra.terms import features, sum_text, terms_of, with_feature, without

PRIMITIVES = PRIMITIVE_SETS["liao+mobility"]
LEAD = count(board.own) - count(board.opponent)
NAMED_LEAD = FormulaNames({LEAD: "lead"})
NAMES = names_of(parse_tree("( white )", PRIMITIVES))


def expression(text: str) -> Expression:
    return expression_of(parse_tree(text, PRIMITIVES))


def value(parts: list[Expression], positions: _native.Positions) -> np.ndarray:
    programs = [_native.Program("othello", part.to_json(SHAPES[8])) for part in parts]
    return np.array([program.evaluate(positions)[:, 0] for program in programs])


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("( white )", ["white"]),
        ("( 10 )", ["10"]),
        ("( - white black )", ["white", "-black"]),
        ("( - white ( - black 10 ) )", ["white", "-black", "10"]),
        ("( * ( - white black ) 10 )", ["10 * white", "-10 * black"]),
        ("( / ( - white black ) 10 )", ["0.1 * white", "-0.1 * black"]),
        ("( * white ( + black white_corners ) )", ["black * white", "white_corners * white"]),
        ("( / white ( - black 10 ) )", ["white / (black - 10)"]),
        ("( + white ( + black white ) )", ["2 * white", "black"]),
        ("( - white ( + black white ) )", ["-black"]),
        ("( + ( * white black ) ( * black white ) )", ["2 * white * black"]),
        ("( / 10 white )", ["10 / white"]),
        ("( / ( / white black ) white_edges )", ["white / black / white_edges"]),
    ],
)
def test_terms_of_golden_trees(text: str, terms: list[str]) -> None:
    assert [term.text for term in terms_of(expression(text), NAMES)] == terms


def test_a_formula_puts_what_is_subtracted_last() -> None:
    terms = terms_of(expression("( - ( - 10 black ) ( - white_edges white ) )"), NAMES)
    assert sum_text(terms) == "white - black - white_edges + 10"


@given(st.integers(0, 10_000))
def test_terms_add_up_to_the_tree(seed: int) -> None:
    stream = _native.Stream(seed, "test")
    # No division: by zero it is not additive.
    trees = ramped_half_and_half(
        PRIMITIVES, 3, stream.child("trees"), min_depth=2, max_depth=5, limits=Limits(6, 60)
    )
    positions = _native.Positions.random("othello", 20, stream.key, 10, 50)
    for tree in trees:
        if any(node.name == "/" for node in tree.nodes):
            continue
        original = expression_of(tree)
        terms = terms_of(original, NAMES)
        whole, *rests = value([original, *(without(original, term) for term in terms)], positions)
        parts = sum((whole - rest for rest in rests), np.zeros_like(whole))
        # Terms that cancel are gone from the list and stay in the tree: they add nothing.
        np.testing.assert_allclose(parts, whole, rtol=1e-9, atol=1e-6 * (1 + np.abs(whole).max()))


def test_features_are_what_is_measured_on_the_board() -> None:
    parts = features(expression("( + ( * white 10 ) ( / black_mobility white ) )"), NAMES)
    assert [NAMES.known[part] for part in parts] == ["white", "black_mobility"]
    edges, table = count(board.own & squares("edges")), weighted_sum(board.own, [[0.5] * 64])
    shifted = select(board.ply < 3, 2 * edges + table, edges)
    assert features(shifted) == [board.ply, edges, table]


def test_a_feature_is_replaced_wherever_it_stands() -> None:
    value = expression("( + ( * white 10 ) ( / black white ) )")
    changed = with_feature(value, expression("( white )"), expression("( + white_edges 10 )"))
    assert formula(changed, NAMES) == "(white_edges + 10) * 10 + black / (white_edges + 10)"


def test_what_has_a_name_is_not_taken_apart() -> None:
    value = LEAD
    assert len(terms_of(2 * value)) == 2
    assert [term.text for term in terms_of(2 * value, NAMED_LEAD)] == ["2 * lead"]
    changed = with_feature(value + count(board.own), count(board.own), number(1), NAMED_LEAD)
    assert formula(changed, NAMED_LEAD) == "lead + 1"
