"""Hex without swap: Black joins the top and the bottom, White the left and the right."""

from evoply.expressions import Truth, board, is_empty, select, squares
from evoply.expressions.operations import bits
from evoply.rules import Rules, place

SIZE = 9
NEIGHBOURS = ["n", "ne", "e", "s", "sw", "w"]


def joins(first: int, last: int) -> Truth:
    """Return whether own stones join the squares of *first* and of *last*."""
    begin, end = (squares([i for i in range(SIZE**2) if s >> i & 1]) for s in (first, last))
    return ~is_empty(begin.fill(board.own, NEIGHBOURS) & end)


top, left = bits(range(SIZE)), bits(range(0, SIZE**2, SIZE))
hex_9 = Rules(
    name="hex-9",
    title="Hex 9x9",
    rows=SIZE,
    columns=SIZE,
    piece="stone",
    moves=(place(board.empty),),
    wins=select(
        board.is_black,
        joins(top, top << SIZE * (SIZE - 1)),
        joins(left, left << SIZE - 1),
    ),
    symmetries="turn",
    colors="transposed",
    drawn="hexes",
)
