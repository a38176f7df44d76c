"""Shapes of Othello's edges and corners: a board made by hand, and plain loops over squares."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native, othello
from evoply.expressions import PRIMITIVE_SETS, ExpressionError, features
from evoply.expressions.features import FEATURES, SHAPES
from evoply.protocols import Color

# Own is X, to move. Top: five X and the C square g1 empty, both corners open. Left: a gap a3, a4 of
# two squares, and a wedge a6. Bottom: O and X touch at d8 and e8. h7 is an open C disc: O takes h8.
BOARD = othello.Position.parse(
    """
    -XXXXX--
    X---O---
    ---OO---
    ---OX---
    X--XO-O-
    -----X--
    X-----XX
    --XOXXX- X
    """
)


def squares_of(position, color):
    side = position.shape.side
    bits = position.black if color is Color.BLACK else position.white
    return {(x, y) for x, y in product(range(side), repeat=2) if bits >> y * side + x & 1}


def edges_of(side):
    """Return the four edges as lists of squares, corner to corner."""
    last = side - 1
    rows = [[(x, y) for x in range(side)] for y in (0, last)]
    return rows + [[(x, y) for y in range(side)] for x in (0, last)]


def beside(square, side):
    x, y = square
    around = product((x - 1, x, x + 1), (y - 1, y, y + 1))
    return {(a, b) for a, b in around if (a, b) != square and 0 <= a < side and 0 <= b < side}


def moves_of(position, color):
    turned = othello.Position(
        position.shape.side,
        black=position.black,
        white=position.white,
        turn=color,
        ply=position.ply,
    )
    names = {str(move) for move in turned.legal_moves} - {"pass"}
    return {(ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in names}


def shapes_by_loops(position, color):
    """Return the features of SHAPES for *color*, square by square."""
    side = position.shape.side
    last = side - 1
    own, other = squares_of(position, color), squares_of(position, color.opposite)
    board = set(product(range(side), repeat=2))
    empty = board - own - other
    corners = set(product((0, last), repeat=2))
    edges = edges_of(side)
    edge = {square for line in edges for square in line}
    my_moves, their_moves = moves_of(position, color), moves_of(position, color.opposite)
    wedges = gaps = unbalanced = 0
    touching = set()
    open_c = set()
    for line in edges:
        text = "".join("X" if s in own else "O" if s in other else "-" for s in line)
        wedges += sum(text[i : i + 3] == "X-X" for i in range(side))
        gaps += sum(text[i : i + 4] == "X--X" for i in range(side))
        full = "X" * (side - 3)
        unbalanced += text in (f"--{full}-", f"-{full}--")
        touching |= {line[i] for i in range(last) if text[i : i + 2] == "XO"}
        touching |= {line[i + 1] for i in range(last) if text[i : i + 2] == "OX"}
        for corner, c_square in ((line[0], line[1]), (line[last], line[last - 1])):
            if c_square in own and corner in their_moves:
                open_c.add(c_square)
    near = {square for corner in corners & empty for square in beside(corner, side)}
    ring = {(x, y) for x, y in board - edge if {x, y} & {1, last - 1}}
    frontier = {square for square in own if beside(square, side) & empty}
    return {
        "wedges": wedges,
        "gaps": gaps,
        "touch": len(touching),
        "unbalanced": unbalanced,
        "open_c": len(open_c),
        "no_safe_move": int(not my_moves - near),
        "reach": sum(bool(beside(square, side) & own) for square in empty),
        "inner_frontier": len(frontier - edge),
        "second_ring": len(own & ring),
        "exclusive_moves": len(my_moves - their_moves),
        "few_discs": min(len(own), 8),
    }


def evaluated(position, side):
    return {name: FEATURES[f"{side}_{name}"].evaluate(position) for name in SHAPES}


def test_the_board_made_by_hand():
    expected = {
        "wedges": 1,
        "gaps": 1,
        "touch": 2,
        "unbalanced": 1,
    }
    assert evaluated(BOARD, "own").items() >= expected.items()
    assert evaluated(BOARD, "opponent")["touch"] == 1
    assert shapes_by_loops(BOARD, BOARD.turn) == evaluated(BOARD, "own")
    assert shapes_by_loops(BOARD, BOARD.turn.opposite) == evaluated(BOARD, "opponent")


@pytest.mark.parametrize("game", list(othello.OTHELLO))
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_loops_over_squares_say_the_same(game, data):
    # Random games give plausible boards; random discs give edges that games seldom have.
    position = data.draw(played_or_scattered(game))
    assert evaluated(position, "own") == shapes_by_loops(position, position.turn)
    assert evaluated(position, "opponent") == shapes_by_loops(position, position.turn.opposite)


@st.composite
def played_or_scattered(draw, game):
    rules = othello.OTHELLO[game]
    side = rules.shape.side
    seed = draw(st.integers(0, 2**32))
    if draw(st.booleans()):
        return rules.position_from_row(_native.Positions.random(game, 1, seed, 0, side * side)[0])
    every = list(product(range(side), repeat=2))
    drawn = draw(st.lists(st.sampled_from("XXXOO--"), min_size=len(every), max_size=len(every)))
    marks = dict(zip(every, drawn, strict=True))
    full = "X" * (side - 3)
    texts = [f"--{full}-", f"-{full}--", "XX--X" + full, "-X-XO" + full]
    for line in edges_of(side):
        if draw(st.booleans()):
            marks |= dict(zip(line, draw(st.sampled_from(texts)), strict=False))
    black, white = (
        sum(1 << y * side + x for (x, y), mark in marks.items() if mark == wanted)
        for wanted in draw(st.sampled_from(["XO", "OX"]))
    )
    turn = draw(st.sampled_from(list(Color)))
    return othello.Position(side, black=black, white=white, turn=turn, ply=0)


def test_each_shape_is_seen_from_both_sides():
    for name, shape in SHAPES.items():
        assert shape("own") == FEATURES[f"own_{name}"]
        with pytest.raises(ExpressionError, match="a side must be one of own, opponent"):
            shape("white")
    assert features.other_side("own") == "opponent"


def test_the_set_has_the_shapes_of_both_colours():
    names = {primitive.name for primitive in PRIMITIVE_SETS["othello-shapes"]}
    assert names >= {f"{color}_{name}" for color in ("white", "black") for name in SHAPES}
    assert "clock" in names
    wedges = PRIMITIVE_SETS["othello-shapes"]["black_wedges"].expression
    assert wedges == features.wedges("opponent")
