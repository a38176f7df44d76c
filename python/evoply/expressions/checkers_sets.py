"""Benbassat & Sipper's primitives for checkers, where there are kings beside men.

The basic set of the paper counts men only and cannot tell a king from an enemy: it is blind to
kings but for `IsFriendlyPiece`. The extended one counts kings and all pieces, too.
"""

from evoply.expressions.functions import board
from evoply.expressions.primitive_set import PrimitiveSet, name_on
from evoply.expressions.typed_sets import Pieces, benbassat
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

CHECKERS = Pieces(board.own_men, board.opponent_men, board.own_kings, board.opponent_kings)
"""What checkers show to Benbassat's sets."""


def benbassat_checkers(shape: BoardShape = USUAL, *, extended: bool = False) -> PrimitiveSet:
    """Return Benbassat & Sipper's set for checkers on a board of *shape*; squares are dark ones."""
    primitives = benbassat(shape, extended=extended, playable="dark", pieces=CHECKERS)
    name = "benbassat-checkers" + ("-extended" if extended else "")
    return primitives.renamed(name_on(name, shape))
