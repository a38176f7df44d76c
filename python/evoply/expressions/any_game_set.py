"""A set that any game has: pieces, moves, captures, rows to go, lines and neighbours.

No paper has this set. It asks nothing of the rules but where moves end, so it fits games whose
rules are data.
"""

from dataclasses import replace

from evoply.expressions.arithmetic_sets import set_of
from evoply.expressions.expression import Expression, Number, Squares
from evoply.expressions.functions import (
    argument,
    board,
    count,
    destinations,
    number_of_moves,
    select,
)
from evoply.expressions.primitive_set import PrimitiveSet
from evoply.expressions.sides import for_the_other_side

_CONSTANTS = (0.0, 10.0)
_LINES = ("e", "s", "se", "sw")
_MOST_ROWS = 9


def any_game() -> PrimitiveSet:
    """Return + - *, constants, the clock, and eight features of each side.

    Constants are drawn from [0, 10). `own_moves` counts moves, `own_targets` the opponent's pieces
    where one of them ends, `own_rows_to_go` the rows from each piece to the farthest one,
    `own_twos`, `own_threes` and `own_fours` lines of so many pieces, and `own_linked` the pieces
    beside another one.
    """
    x, y = argument(0), argument(1)
    own: list[tuple[str, Expression]] = [
        ("pieces", count(board.own)),
        ("moves", number_of_moves("own")),
        ("targets", count(destinations("own") & board.opponent)),
        ("rows_to_go", _rows_to_go()),
        ("twos", _lines(2)),
        ("threes", _lines(3)),
        ("fours", _lines(4)),
        ("linked", count(board.own & board.own.neighbours())),
    ]
    primitives: list[tuple[str, Expression]] = [
        ("+", x + y),
        ("-", x - y),
        ("*", x * y),
        ("clock", board.t),
        *((f"own_{name}", feature) for name, feature in own),
        *((f"opponent_{name}", for_the_other_side(feature)) for name, feature in own),
    ]
    return replace(set_of("any-game", primitives), constants=_CONSTANTS)


def _rows_to_go() -> Number:
    # As Black goes, who begins at the top: a piece stays on the board for each row it has to go.
    ahead: Squares = select(board.is_black, board.own, board.own.symmetry(3))
    ahead = ahead.shift("s")
    rows = count(ahead)
    for _ in range(_MOST_ROWS - 1):
        ahead = ahead.shift("s")
        rows = rows + count(ahead)
    return rows


def _lines(length: int) -> Number:
    lines: Number | None = None
    for direction in _LINES:
        ends = moved = board.own
        for _ in range(length - 1):
            moved = moved.shift(direction)
            ends = ends & moved
        lines = count(ends) if lines is None else lines + count(ends)
    assert lines is not None
    return lines
