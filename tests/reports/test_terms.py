"""Taking trees apart and leaving parts out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import Limits, Tree, lower, parse_tree, ramped_half_and_half
from evoply.gp.infix import number_value
from evoply.reports.terms import features, formula, terms_of, with_feature, without

PRIMITIVES = PRIMITIVE_SETS["liao+mobility"]


def tree_of(text: str) -> Tree:
    return parse_tree(text, PRIMITIVES)


def value(term_trees: list[Tree], positions: _native.Positions) -> np.ndarray:
    return np.array([program.evaluate(positions)[:, 0] for program in lower(term_trees, "othello")])


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
    assert [term.text for term in terms_of(tree_of(text))] == terms


def test_a_formula_puts_what_is_subtracted_last() -> None:
    terms = terms_of(tree_of("( - ( - 10 black ) ( - white_edges white ) )"))
    assert formula(terms) == "white - black - white_edges + 10"


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
        terms = terms_of(tree)
        whole, *rests = value([tree, *(without(tree, term) for term in terms)], positions)
        parts = sum((whole - rest for rest in rests), np.zeros_like(whole))
        # Terms that cancel are gone from the list and stay in the tree: they add nothing.
        np.testing.assert_allclose(parts, whole, rtol=1e-9, atol=1e-6 * (1 + np.abs(whole).max()))


def test_features_are_what_is_measured_on_the_board() -> None:
    tree = tree_of("( + ( * white 10 ) ( / black_mobility white ) )")
    assert [str(part) for part in features(tree)] == ["( white )", "( black_mobility )"]


def test_a_feature_is_replaced_wherever_it_stands() -> None:
    tree = tree_of("( + ( * white 10 ) ( / black white ) )")
    changed = with_feature(tree, tree_of("( white )"), tree_of("( + white_edges 10 )"))
    assert str(changed) == "( + ( * ( + white_edges 10 ) 10 ) ( / black ( + white_edges 10 ) ) )"
    assert number_value(changed.nodes[4]) == 10
