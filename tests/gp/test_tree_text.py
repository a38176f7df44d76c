import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import ENVIRONMENT, LIAO, TYPED, trees, value_of

from evoply.gp import TreeSyntaxError, parse_tree

# Trees of Liao's Tables 1 and 2 and others that his bug report is about, with their values at
# ENVIRONMENT worked out by hand.
GOLDEN = {
    "( white )": 10,
    "( + ( * white white ) ( * black black ))": 149,
    "( + ( + ( * white white ) ( * black black ) ) 10 )": 159,
    "( * ( - white black ) ( - white_corners black_corners ) )": 3,
    "( / ( - white_near_corners black_corners ) ( - black_corners white_near_corners ) )": -1,
    "( + ( + white_corners white ) ( * ( * white_edges black_edges ) "
    "( - white_corners black_near_corners ) ) )": -48,
    "( - ( + white 10 ) black )": 13,
}
THREE_OPERANDS = "( + white ( + white_corners black_near_corners ) white )"


@given(trees())
def test_text_reads_back(tree):
    again = parse_tree(str(tree), tree.primitive_set)
    assert again == tree
    assert again.constants() == tree.constants()
    assert repr(tree) == f"<Tree {tree}>"


@pytest.mark.parametrize(("text", "value"), GOLDEN.items())
def test_golden_values(text, value):
    tree = parse_tree(text, LIAO)
    assert value_of(tree, ENVIRONMENT)[0] == value
    assert str(tree) == text.replace("))", ") )")


def test_an_operand_too_many_is_refused():
    with pytest.raises(TreeSyntaxError) as caught:
        parse_tree(THREE_OPERANDS, LIAO)
    assert caught.value.column == THREE_OPERANDS.rindex("white") + 1


@pytest.mark.parametrize("number", ["2.5", "-3", "0", "-0.0", "1e-07", "12345678901234567890"])
def test_numbers_are_constants(number):
    tree = parse_tree(f"( + {number} 10 )", LIAO)
    assert tree.constants() == [float(number)]
    assert parse_tree(str(tree), LIAO) == tree
    assert str(parse_tree("( 10.0 )", LIAO)) == "( 10.0 )"  # not the primitive 10


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "starts with an opening bracket"),
        ("white", 1, r"write \( white \)"),
        ("(", 2, "a name must follow"),
        ("( )", 3, "a name must follow"),
        ("( ( white ) )", 3, "a name must follow"),
        ("( + white", 10, "ends before the bracket of '\\+' is closed"),
        ("( + white )", 11, "takes 2 operands but has 1"),
        ("( + white black ) )", 19, "follows the end"),
        ("( + whit black )", 5, "unknown name 'whit'; did you mean 'white'?"),
        ("( + - black )", 5, "needs its own brackets"),
        ("( white black )", 9, "takes no operands"),
        ("( + 1e999 black )", 5, "too large"),
        ("( + nan black )", 5, "unknown name 'nan'"),
        ("( + ١ black )", 5, "unknown name"),
        ("( + white\x00 black )", 5, "unknown name"),
    ],
)
def test_errors_point_at_the_column(text, column, message):
    with pytest.raises(TreeSyntaxError, match=message) as caught:
        parse_tree(text, LIAO)
    assert caught.value.column == column
    _, window, caret = str(caught.value).split("\n")
    assert caret == " " * (len(caret) - 1) + "^"
    if column <= len(text):
        shown = window[len(caret) - 1]
        assert shown == text[column - 1]


@pytest.mark.parametrize(
    ("text", "column"),
    [("( + own white )", 5), ("( if white 1 2 )", 6), ("( full )", 3), ("( count 1 )", 9)],
)
def test_types_are_checked_with_the_column(text, column):
    with pytest.raises(TreeSyntaxError, match="is of type") as caught:
        parse_tree(text, TYPED)
    assert caught.value.column == column
    assert parse_tree("( full )", TYPED, root_type=None).type == "truth"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(" * 10**6, 2),
        ("( + " * 250_000, 4 * 4096 + 3),
        ("(" * 10**7, 1_000_001),
        ("( " + "x" * 999_000, 3),
        ("( " + "9" * 999_000 + " )", 3),
        ("\x00" * 10**6, 1),
        ("( + white black " + "white " * 10**5, 17),
        (" " * 10**6, 1),
    ],
)
def test_huge_texts_are_refused_quickly(text, column):
    start = time.process_time()
    with pytest.raises(TreeSyntaxError) as caught:
        parse_tree(text, LIAO)
    assert time.process_time() - start < 2
    assert len(str(caught.value)) < 400
    assert caught.value.column == column


def test_limits_are_named():
    with pytest.raises(TreeSyntaxError, match="at most 1000000 characters, not 1000002"):
        parse_tree(" " * 10**6 + "()", LIAO)
    chain = "( + white " * 3000 + "white" + " )" * 3000
    with pytest.raises(TreeSyntaxError, match="at most 4096 nodes"):
        parse_tree(chain, LIAO)
    deep = "( + white " * 2047 + "white" + " )" * 2047
    assert len(parse_tree(deep, LIAO)) == 4095
    assert str(parse_tree(deep, LIAO)) == deep
    assert parse_tree(deep, LIAO).depth == 2048


@given(st.text("( )+-*/10whitebkᵃ\x00\n.", max_size=60))
def test_any_text_is_a_tree_or_an_error(text):
    try:
        tree = parse_tree(text, LIAO)
    except TreeSyntaxError as caught:
        column = caught.column
    else:
        column = 1
        assert parse_tree(str(tree), LIAO) == tree
    assert 1 <= column <= len(text) + 1
