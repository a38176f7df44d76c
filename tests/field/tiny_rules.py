"""Rules that are data, of a game so small that all of it can be looked at."""

from evoply.expressions import board, squares
from evoply.rules import Rules, step

TINY = Rules(
    name="tiny-breakthrough",
    rows=3,
    columns=3,
    black="1",
    white="3",
    moves=[
        step(board.own, "forward", onto=board.empty),
        step(board.own, ["forward_left", "forward_right"], onto=~board.own),
    ],
    wins=board.own & squares("farthest_rank"),
    no_move="loses",
)
