"""Benbassat & Sipper's primitives for checkers, a game with kings and men.

The basic set of the paper counts men only and cannot tell a king from an enemy: only
`IsFriendlyPiece` sees kings. The extended set also counts kings and all pieces.
"""

from evoply.expressions.functions import board
from evoply.expressions.primitive_set import PrimitiveSet, name_on
from evoply.expressions.typed_sets import Pieces, benbassat
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

CHECKERS = Pieces(board.own_men, board.opponent_men, board.own_kings, board.opponent_kings)
"""The men and kings of checkers, for Benbassat's sets."""


def benbassat_checkers(shape: BoardShape = USUAL, *, extended: bool = False) -> PrimitiveSet:
    """Return Benbassat & Sipper's set for checkers on a board of *shape*, over dark squares."""
    primitives = benbassat(shape, extended=extended, playable="dark", pieces=CHECKERS)
    name = "benbassat-checkers" + ("-extended" if extended else "")
    return primitives.renamed(name_on(name, shape))
