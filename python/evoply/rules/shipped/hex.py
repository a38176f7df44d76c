"""Hex without swap: Black joins the top and the bottom, White the left and the right."""

from evoply.expressions import Truth, board, is_empty, select, squares
from evoply.rules import Rules, place

NEIGHBOURS = ["n", "ne", "e", "s", "sw", "w"]


def joins(first: range, last: range) -> Truth:
    """Return whether own stones join the squares of *first* and of *last*."""
    return ~is_empty(squares([*first]).fill(board.own, NEIGHBOURS) & squares([*last]))


def hexes(size: int) -> Rules:
    """Return Hex on a board of *size* rows and columns."""
    count = size**2
    return Rules(
        name=f"hex-{size}",
        title=f"Hex {size}x{size}",
        rows=size,
        columns=size,
        piece="stone",
        moves=(place(board.empty),),
        wins=select(
            board.is_black,
            joins(range(size), range(count - size, count)),
            joins(range(0, count, size), range(size - 1, count, size)),
        ),
        symmetries="turn",
        colors="transposed",
        drawn="hexes",
    )


hex_9 = hexes(9)
