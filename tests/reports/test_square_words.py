"""Trees that compose sets of squares, said in words that name the squares."""

import pytest

from evoply.expressions import board, count, is_empty, number, select, squares, squares_turned
from evoply.games import SHAPES
from evoply.gp import expression_of, parse_tree
from evoply.reports.square_words import squares_phrase

SAID = {
    "( and own ( beside empty ) )": "own discs beside empty squares",
    "( reach ( reach own corners ) ( and own edges ) )": (
        "own discs on the edge joined to own discs in the corners"
    ),
    "( or opponent ( beside empty ) )": "discs of the opponent or squares beside empty squares",
    "( and own ( beside ( and corners empty ) ) )": (
        "own discs beside empty squares in the corners"
    ),
    "( minus own ( shift_e ( shift_s corners ) ) )": "own discs on any square but b2",
    "( and empty ( beside corners ) )": "empty squares next to a corner",
    "( not own )": "squares without own discs",
    "( and own ( shift_n opponent ) )": "own discs above discs of the opponent",
    "( minus opponent ( beside own ) )": "discs of the opponent not beside own discs",
    "( and own ( shift_e corners ) )": "own discs on b1 and b6",
    "( minus edges ( or empty corners ) )": (
        "squares on the edge outside the corners that are not empty"
    ),
    "( reach opponent ( or ( or empty corners ) corners ) )": (
        "empty squares or the corners joined to discs of the opponent"
    ),
    "corners": "the 4 squares in the corners",
    "( and own empty )": "squares that there never are",
    "( and own ( beside ( or corners ( shift_w corners ) ) ) )": (
        "own discs on b1, d1, e1, f1, a2, b2, d2, e2 and 10 more"
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_what_a_tree_counts(text):
    tree = parse_tree(f"( count {text} )", "squares")
    assert squares_phrase(expression_of(tree), "disc", SHAPES[6]) == SAID[text]


def test_squares_that_turn_are_those_of_black():
    pawns = count(board.own & squares_turned(["a1", "b1"]))
    assert squares_phrase(pawns, "pawn", SHAPES[8]) == "own pawns on a1 and b1"
    assert squares_phrase(count(board.own & squares([])), "pawn", SHAPES[8]) == (
        "squares that there never are"
    )


def test_what_is_no_count_or_too_long_has_no_phrase():
    assert squares_phrase(number(1), "disc", SHAPES[8]) is None
    assert squares_phrase(select(is_empty(board.own), number(1), 2), "disc", SHAPES[8]) is None
    far = board.own
    for direction in ("ne", "e", "ne", "e", "ne", "e", "ne", "e"):
        far = far.shift(direction) & board.empty
    assert squares_phrase(count(far), "disc", SHAPES[8]) is None
