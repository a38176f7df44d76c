"""Games of lines: tic-tac-toe, connect four and gomoku."""

from functools import reduce
from operator import or_

from evoply.expressions import Squares, board
from evoply.rules import Rules, place


def in_a_row(count: int) -> Squares:
    """Return the own pieces at the ends of lines of *count* own pieces."""

    def line(direction: str) -> Squares:
        # Lines of twice as many, or of fewer that overlap.
        ends, length = board.own, 1
        while length < count:
            by = min(length, count - length)
            moved = ends
            for _ in range(by):
                moved = moved.shift(direction)
            ends, length = ends & moved, length + by
        return ends

    return reduce(or_, map(line, ("e", "s", "se", "sw")))


tic_tac_toe = Rules(
    name="tic-tac-toe", title="Tic-tac-toe", rows=3, columns=3, piece="mark", symmetries="all",
    moves=(place(board.empty),), wins=in_a_row(3), no_move="draws", opening_plies=1,
)  # fmt: skip
# A piece falls down its column: the square below is filled, or there is none.
connect_four = Rules(
    name="connect-four", title="Connect Four", rows=6, columns=7, symmetries="mirror",
    moves=(place(board.empty - board.empty.shift("n")),), wins=in_a_row(4), no_move="draws",
)  # fmt: skip


def gomoku(size: int) -> Rules:
    """Return gomoku on a board of *size* rows and columns; five or more in a row win."""
    return Rules(
        name=f"gomoku-{size}", title=f"Gomoku {size}x{size}", rows=size, columns=size,
        piece="stone", symmetries="all", drawn="crossings",
        moves=(place(board.empty),), wins=in_a_row(5), no_move="draws",
    )  # fmt: skip


gomoku_9, gomoku_10 = gomoku(9), gomoku(10)
