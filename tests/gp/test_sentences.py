import pytest
from hypothesis import given
from tree_strategies import ENVIRONMENT, LIAO, TYPED, trees, value_of

from evoply.gp import additive_terms, describe, parse_tree, simplify


def sentence(text, primitive_set=LIAO):
    return describe(simplify(parse_tree(text, primitive_set, root_type=None)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("( white )", "It wants many own discs."),
        ("( - 10 black )", "It wants few of the opponent's discs."),
        (
            "( + ( * 10 white_corners ) ( - white ( * 2 white_near_corners ) ) )",
            "It wants many own corners (weight 10), few own discs next to a corner (weight 2) "
            "and many own discs (weight 1).",
        ),
        (
            "( - ( * white_edges black ) white )",
            "It wants few own discs (weight 1) and a large value of own discs on the edge times "
            "the opponent's discs (weight 1).",
        ),
        (
            "( / white black )",
            "It wants a large value of (own discs / the opponent's discs). This holds except where "
            "the opponent's discs = 0, where it is 1.",
        ),
        (
            "( - white white )",
            "It gives every position the same value, 0, so the rule for ties alone chooses.",
        ),
    ],
)
def test_sentences(text, expected):
    assert sentence(text) == expected


def test_other_types_and_names():
    assert sentence("( < 1 white )", TYPED) == "It answers <(1, own discs)."
    assert describe(simplify(parse_tree("( white )", LIAO)), {}) == "It wants many white."


def test_long_wishes_are_cut():
    text = "( + " * 9 + "white"
    for i in range(9):
        text += f" ( * {'white_edges ' if i % 2 else 'black '} ( max{i} )".replace(
            f"( max{i} )", ""
        )
        text += f"( * {'white ' * 1} {i + 2} ) ) )"
    tree = parse_tree(text, LIAO)
    assert describe(simplify(tree)).startswith("It wants ")
    many = (
        "( + " * 14
        + "1"
        + "".join(
            f" ( / {a} ( + 1 {b} ) ) )" for a in ("white", "black") for b in list(ENVIRONMENT)[:7]
        )
    )
    answer = describe(simplify(parse_tree(many, LIAO)))
    assert "further exception" in answer
    assert len(answer) < 2000


@given(trees(sets=(LIAO,), max_depth=6))
def test_terms_add_up_to_the_tree(tree):
    total = 0.0
    largest = 1.0
    for term in additive_terms(tree):
        value = term.weight
        for factor in term.factors:
            value *= float(value_of(factor, ENVIRONMENT)[0])
        largest = max(largest, abs(value))
        total += value
    assert total == pytest.approx(
        float(value_of(tree, ENVIRONMENT)[0]), rel=1e-9, abs=1e-9 * largest
    )
    assert describe(simplify(tree)).endswith(".")
