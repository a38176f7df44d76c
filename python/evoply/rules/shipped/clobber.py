"""Clobber: each move takes a piece beside; who cannot move loses.

Source: Albert, Grossman, Nowakowski and Wolfe, 2001.
"""

from evoply.expressions import board
from evoply.rules import Rules, step

ROWS, COLUMNS = 6, 5
dark = [square for square in range(ROWS * COLUMNS) if sum(divmod(square, COLUMNS)) % 2]

clobber = Rules(
    name="clobber",
    title="Clobber 6x5",
    rows=ROWS,
    columns=COLUMNS,
    black=[square for square in range(ROWS * COLUMNS) if square not in dark],
    white=dark,
    moves=(step(board.own, "orthogonal", onto=board.opponent),),
    no_move="loses",
    symmetries="turn",
)
