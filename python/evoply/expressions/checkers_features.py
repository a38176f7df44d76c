"""Features of checkers that count where the pieces of a side stand and what they are forced to do.

The papers' sets lack them. Each is a number for one side, "own" or "opponent"; the men of a side
become kings on its far row. *shape* is the shape of the board.
"""

from dataclasses import replace

from evoply.expressions.arithmetic_sets import set_of
from evoply.expressions.expression import Expression, Number, Squares, Truth
from evoply.expressions.features import mobility, pieces_of
from evoply.expressions.functions import (
    argument,
    board,
    count,
    is_odd,
    number,
    select,
    squares,
    squares_turned,
    weighted_sum,
)
from evoply.expressions.primitive_set import PrimitiveSet, name_on
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

_CONSTANTS = (0.0, 10.0)
_DIAGONALS = (("ne", "sw"), ("nw", "se"), ("se", "nw"), ("sw", "ne"))
"""Each direction with its opposite."""
_HALF_TURN = 3
"""The symmetry of the board that exchanges the sides."""
_DOWN, _UP = ("se", "sw"), ("ne", "nw")
"""The directions in which the men of Black and of White go."""


def men(side: str = "own") -> Number:
    """Return the number of men of *side*."""
    return count(_men(side))


def kings(side: str = "own") -> Number:
    """Return the number of kings of *side*."""
    return count(_kings(side))


def advancement(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the tempo of *side*: the sum of the rows by which its men have advanced."""
    rows = [float(row) for row in range(shape.rows) for _ in range(shape.columns)]
    moving_down = select(_is_black(side), number(0), number(1))
    return weighted_sum(_men(side), [rows, rows[::-1]], moving_down)


def back_row(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the number of men of *side* on its back row, which keep the opponent from kings."""
    return count(_men(side) & _back_row(side, shape))


def centre(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return the number of pieces of *side* on the middle half of the rows and of the columns."""
    rows, columns = (range(side // 4, side - side // 4) for side in (shape.rows, shape.columns))
    inside = [shape.index(row, column) for row in rows for column in columns]
    return count(pieces_of(side) & squares(inside))


def runaway_men(side: str = "own") -> Number:
    """Return the number of men of *side* that no piece of the other side can meet on their way."""
    other = pieces_of("opponent" if side == "own" else "own")
    below = count(_men(side) - other.fill(squares("all"), _UP))
    above = count(_men(side) - other.fill(squares("all"), _DOWN))
    return select(_is_black(side), below, above)


def trapped_kings(side: str = "own") -> Number:
    """Return the number of kings of *side* that can neither step nor capture."""
    other = pieces_of("opponent" if side == "own" else "own")
    mobile: Squares | None = None
    for _, back in _DIAGONALS:
        steps = board.empty.shift(back)
        jumps = other.shift(back) & board.empty.shift(back).shift(back)
        ways = steps | jumps
        mobile = ways if mobile is None else mobile | ways
    assert mobile is not None  # there are four diagonals
    return count(_kings(side) - mobile)


def has_the_move(side: str = "own", shape: BoardShape = USUAL) -> Number:
    """Return 1 if the columns of the playable squares of *side*'s back row hold an odd piece count.

    With equal pieces and *side* to move it then has the opposition of books on checkers: it makes
    the last free move.
    """
    columns = [square for square in range(shape.squares) if square % shape.columns % 2]
    turned = squares_turned(columns)
    system = turned if side == "own" else turned.symmetry(_HALF_TURN)
    return select(is_odd(~board.empty & system), number(1), number(0))


def must_be_taken(side: str = "own") -> Number:
    """Return the number of pieces of *side* that the other could capture first in its next move."""
    other = "opponent" if side == "own" else "own"
    other_men, other_kings = _men(other), _kings(other)

    def count_caught(forward: tuple[str, ...]) -> Number:
        caught: Squares | None = None
        for towards, back in _DIAGONALS:
            capturing = other_kings | other_men if towards in forward else other_kings
            here = capturing.shift(towards) & board.empty.shift(back)
            caught = here if caught is None else caught | here
        assert caught is not None  # there are four diagonals
        return count(pieces_of(side) & caught)

    return select(_is_black(other), count_caught(_DOWN), count_caught(_UP))


def checkers_positional(shape: BoardShape = USUAL) -> PrimitiveSet:
    """Return + - *, constants, the clock, and positional features of checkers for each side.

    The features are men, kings, advancement, back row, centre, runaway men, trapped kings, the move
    and mobility. No paper has this set. Constants are drawn from [0, 10).
    """
    primitives = _operations()
    for side in ("own", "opponent"):
        primitives += [
            (f"{side}_men", men(side)),
            (f"{side}_kings", kings(side)),
            (f"{side}_advancement", advancement(side, shape)),
            (f"{side}_back_row", back_row(side, shape)),
            (f"{side}_centre", centre(side, shape)),
            (f"{side}_runaway_men", runaway_men(side)),
            (f"{side}_trapped_kings", trapped_kings(side)),
            (f"{side}_has_the_move", has_the_move(side, shape)),
            (f"{side}_mobility", mobility(side)),
        ]
    name = name_on("checkers-positional", shape)
    return replace(set_of(name, primitives), constants=_CONSTANTS)


def lose_checkers_forcing(shape: BoardShape = USUAL) -> PrimitiveSet:
    """Return + - *, constants, the clock, and features for a game that a side without moves wins.

    For each side they are men, kings, advancement, pieces that the other could take, whether the
    side must take, its forced replies, and its mobility. No paper has this set. Constants are drawn
    from [0, 10).
    """
    primitives = _operations()
    for side in ("own", "opponent"):
        other = "opponent" if side == "own" else "own"
        is_forced = must_be_taken(other) > number(0)
        primitives += [
            (f"{side}_men", men(side)),
            (f"{side}_kings", kings(side)),
            (f"{side}_advancement", advancement(side, shape)),
            (f"{side}_must_be_taken", must_be_taken(side)),
            (f"{side}_must_take", select(is_forced, number(1), number(0))),
            (f"{side}_forced_replies", select(is_forced, mobility(side), number(0))),
            (f"{side}_mobility", mobility(side)),
        ]
    name = name_on("lose-checkers-forcing", shape)
    return replace(set_of(name, primitives), constants=_CONSTANTS)


def _operations() -> list[tuple[str, Expression]]:
    x, y = argument(0), argument(1)
    return [("+", x + y), ("-", x - y), ("*", x * y), ("clock", board.t)]


def _men(side: str) -> Squares:
    return board.own_men if side == "own" else board.opponent_men


def _kings(side: str) -> Squares:
    return board.own_kings if side == "own" else board.opponent_kings


def _is_black(side: str) -> Truth:
    return board.is_black if side == "own" else ~board.is_black


def _back_row(side: str, shape: BoardShape) -> Squares:
    first = squares_turned(range(shape.columns))
    return first if side == "own" else first.symmetry(_HALF_TURN)
