"""The parser of Liao's program against a direct transcription of its token machine."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import ENVIRONMENT, LIAO, trees, value_of

from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import TreeSyntaxError
from evoply.players import TreeEvaluator
from evoply.studies.liao import legacy_tree

QUOTIENT = "( / ( - white_near_corners black_corners ) ( - black_corners white_near_corners ) )"
LATE = (
    "( + ( + white_corners white ) "
    "( * ( * white_edges black_edges ) ( - white_corners black_near_corners ) ) )"
)
# Liao, Tables 1 and 2 and "Bug Report": the value played, whether "Parse Error" was reported, the
# correct value; a / 0 is 1 and a third operand is ignored.
TABLE = [
    ("( white )", 10, False, 10),
    ("( + ( * white white ) ( * black black ))", 100, True, 149),
    ("( + ( + ( * white white ) ( * black black ) ) 10 )", 149, True, 159),
    ("( * ( - white black ) ( - white_corners black_corners ) )", 0, True, 3),
    (QUOTIENT, 1, True, -1),
    (LATE, 12, True, -48),
    ("( + white ( + white_corners black_near_corners ) white )", 16, False, 16),
    ("( - ( + white 10 ) black )", 13, False, 13),
]


@pytest.mark.parametrize(("text", "legacy", "had_error", "correct"), TABLE)
def test_values_of_the_published_texts(text, legacy, had_error, correct):
    reading = legacy_tree(text, LIAO)
    assert value_of(reading.tree, ENVIRONMENT)[0] == legacy
    assert reading.had_error == had_error
    individual = TreeEvaluator(tree=text, primitives="liao", lenient="drop").parsed
    assert value_of(individual, ENVIRONMENT)[0] == correct


def machine(text: str) -> tuple[float, bool]:
    """The machine as the paper prints it, one `if` a line, with values instead of nodes."""
    tokens = iter(text.split())
    had_error = False

    def evaluate() -> float:
        nonlocal had_error
        item = next(tokens, "")
        if item == "(":
            item = next(tokens, "")
        if item == ")":
            item = next(tokens, "")
        if item == "))":
            item = next(tokens, "")
        if item == ")))":
            item = next(tokens, "")
        if item == "))))":
            item = next(tokens, "")
        if item in ("+", "-", "*", "/"):
            first = evaluate()
            second = evaluate()
            if item == "/":
                return first / second if second else 1.0
            return {"+": operator.add, "-": operator.sub, "*": operator.mul}[item](first, second)
        if item == "10" or item in ENVIRONMENT:
            return float(ENVIRONMENT.get(item, 10))
        had_error = True
        return 0.0

    return evaluate(), had_error


words = st.sampled_from(["(", ")", "))", ")))", "))))", "+", "-", "*", "/", "10", "white", "no"])


@given(st.lists(words, max_size=25).map(" ".join) | trees(sets=(LIAO,), max_depth=6).map(str))
def test_any_text_computes_what_the_machine_computes(text):
    value, had_error = machine(text)
    reading = legacy_tree(text, LIAO)
    exact, largest = value_of(reading.tree, ENVIRONMENT)
    assert reading.had_error == had_error
    assert abs(value - float(exact)) <= 1e-9 * (1 + float(largest))


def test_limits():
    with pytest.raises(TreeSyntaxError, match="too long"):
        legacy_tree("white " * 200_000, LIAO)
    with pytest.raises(TreeSyntaxError, match="at most 4096 nodes"):
        legacy_tree("+ " * 5000, LIAO)
    with pytest.raises(ValueError, match="numbers only, not the set benbassat"):
        legacy_tree("( white )", PRIMITIVE_SETS["benbassat"])
    assert legacy_tree("", LIAO).errors == 1
    assert legacy_tree("( white )", LIAO).unread == 1
