"""Dodgem on 4x4: cars drive off the board, Black's to the right, White's down; a blocked side wins.

The colours exchange along the diagonal. Source: Colin Vout's game, in Berlekamp, Conway and Guy,
"Winning Ways for your Mathematical Plays" (1982).
"""

from evoply.expressions import board, is_empty, select, squares
from evoply.rules import Rules, place, step

SIZE = 4
nothing = board.own & ~board.own
exits = select(board.is_black, squares([3, 7, 11, 15]), squares([12, 13, 14, 15]))

dodgem = Rules(
    name="dodgem",
    title="Dodgem 4x4",
    rows=SIZE,
    columns=SIZE,
    piece="car",
    black=[4, 8, 12],
    white=[1, 2, 3],
    moves=(
        place(board.own & exits, own=board.own & ~board.moved_to, opponent=board.opponent),
        step(board.own, ["e", "s"], onto=board.empty),
        step(select(board.is_black, board.own, nothing), "n", onto=board.empty),
        step(select(board.is_black, nothing, board.own), "w", onto=board.empty),
    ),
    wins=is_empty(board.own),
    no_move="wins",
    colors="transposed",
    max_plies=100,
    clock=(2 * (SIZE - 1) - board.pieces) * 0.2,
)
