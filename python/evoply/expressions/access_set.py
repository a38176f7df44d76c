"""A set for Othello whose features show access: who can take corners, and which moves are safe.

No paper has this set. The papers' sets count discs and moves, and their champions lose games by a
corner that the opponent takes with its next move, which a count of discs does not show in time.
"""

from dataclasses import replace

from evoply.expressions import features
from evoply.expressions.arithmetic_sets import set_of
from evoply.expressions.expression import Expression
from evoply.expressions.functions import argument, board
from evoply.expressions.primitive_set import PrimitiveSet

_CONSTANTS = (0.0, 10.0)


def othello_access() -> PrimitiveSet:
    """Return + - *, constants, the clock, and eleven features of each side; White is own.

    Constants are drawn from [0, 10). `clock` is 0 at the start and 1 on a full board. Fits every
    board of Othello.
    """
    x, y = argument(0), argument(1)
    primitives: list[tuple[str, Expression]] = [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("clock", board.t),
    ]
    for color, side in (("white", "own"), ("black", "opponent")):
        primitives += [
            (f"{color}_corners", features.corners(side)),
            (f"{color}_corner_moves", features.corner_moves(side)),
            (f"{color}_mobility", features.mobility(side)),
            (f"{color}_safe_moves", features.safe_moves(side)),
            (f"{color}_edge_moves", features.edge_moves(side)),
            (f"{color}_risky_x", features.risky(side, "x")),
            (f"{color}_risky_c", features.risky(side, "c")),
            (f"{color}_anchored", features.anchored_discs(side)),
            (f"{color}_frontier", features.frontier(side)),
            (f"{color}_edges", features.edges(side)),
            (color, features.discs(side)),
        ]
    return replace(set_of("othello-access", primitives), constants=_CONSTANTS)
