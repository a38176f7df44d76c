"""Breakthrough: the first pawn on the farthest rank wins.

Source: Dan Troyka, 2000; Lorentz and Horey, "Programming Breakthrough" (2013).
"""

from evoply.expressions import board, squares
from evoply.rules import Rules, step


def breakthrough(size: int, name: str, title: str) -> Rules:
    """Return the rules on a board of *size* rows and columns."""
    return Rules(
        name=name,
        title=title,
        rows=size,
        columns=size,
        piece="pawn",
        black="1-2",
        white=f"{size - 1}-{size}",
        moves=(
            step(board.own, "forward", onto=board.empty),
            step(board.own, ["forward_left", "forward_right"], onto=~board.own),
        ),
        wins=board.own & squares("farthest_rank"),
        symmetries="mirror",
    )


breakthrough_8 = breakthrough(8, "breakthrough", "Breakthrough")
breakthrough_6 = breakthrough(6, "breakthrough-6", "Breakthrough 6x6")
