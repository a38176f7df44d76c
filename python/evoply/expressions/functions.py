"""The vocabulary for writing board expressions: inputs, constants and functions.

The functions are named like the operations of the written form. Set operators and arithmetic are
Python's.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, NoReturn, cast

from evoply.expressions.expression import (
    Number,
    Squares,
    Truth,
    Typed,
    build,
    build_comparison,
    build_number,
    build_squares,
    with_constants,
)
from evoply.expressions.operations import ExpressionError
from evoply.wording import unknown_attribute


def number(value: float) -> Number:
    """Return the constant *value*, which may be an infinity or NaN."""
    return cast(Number, build("number", value))


def truth(value: bool) -> Truth:
    """Return the constant true or false."""
    return cast(Truth, build("truth", value))


def squares(chosen: str | Iterable[int | str]) -> Squares:
    """Return a constant set, from a name ("corners", see `square_sets`) or a list of squares.

    Named sets, and squares by name ("e4"), are resolved for the board when it is known.
    """
    if not isinstance(chosen, Iterable):
        raise ExpressionError(
            f"squares must be a name such as 'corners' or a list such as ['e4'], not {chosen!r:.40}"
        )
    if isinstance(chosen, str):
        return build_squares("named_squares", chosen)
    return build_squares("squares", list(chosen))


def squares_turned(chosen: Iterable[int | str]) -> Squares:
    """Return a set of squares that is turned half round with the board when own is White."""
    return build_squares("squares_turned", list(chosen))


def destinations(side: str = "own") -> Squares:
    """Return the squares where *side* ("own" or "opponent") can place a piece, whoever moves."""
    return build_squares("destinations", side)


def first(of: Squares) -> Squares:
    """Return the first square of a set, row by row from a1; no square if there is none."""
    return build_squares("first", of)


def count(of: Squares) -> Number:
    """Return the number of squares in a set."""
    return build_number("count", of)


def number_of_moves(side: str = "own") -> Number:
    """Return the number of legal moves of *side*, whoever is to move; a forced pass counts 0."""
    return build_number("number_of_moves", side)


def weighted_sum(
    of: Squares, tables: Sequence[Sequence[float]], selector: Number | None = None
) -> Number:
    """Return the sum of the weights of a set's squares.

    Each of *tables* has a weight per square, row by row from a1. *selector*, rounded down and
    clamped, is the index of the table; the first is the default.
    """
    return cast(Number, build("weighted_sum", of, tables, selector))


def divide(a: Number | float, b: Number | float, when_zero: str = "one") -> Number:
    """Return a / b; if b is zero, 1 ("one"), 0 ("zero"), a ("numerator") or IEEE's ("ieee")."""
    return cast(Number, build("divide", *with_constants((a, b)), when_zero))


def minimum(a: Number | float, b: Number | float) -> Number:
    """Return a if a < b, else b (so b if either is NaN)."""
    return build_number("minimum", a, b)


def maximum(a: Number | float, b: Number | float) -> Number:
    """Return a if a > b, else b (so b if either is NaN)."""
    return build_number("maximum", a, b)


def clamp(x: Number, low: Number | float, high: Number | float) -> Number:
    """Return *x* limited to [low, high]; NaN becomes *low*, or *high* if that is less."""
    return minimum(maximum(x, low), high)


def negate(x: Number) -> Number:
    """Return -x, exactly, also for zeros."""
    return -x


def less(a: Number | float, b: Number | float) -> Truth:
    """Return whether a < b; false with a NaN."""
    return build_comparison("less", a, b)


def less_equal(a: Number | float, b: Number | float) -> Truth:
    """Return whether a <= b; false with a NaN."""
    return build_comparison("less_equal", a, b)


def equal(a: Number | float, b: Number | float) -> Truth:
    """Return whether a == b; false with a NaN. The operator `==` compares expressions instead."""
    return build_comparison("equal", a, b)


def is_odd(of: Squares) -> Truth:
    """Return whether a set has an odd number of squares."""
    return cast(Truth, build("is_odd", of))


def is_empty(of: Squares) -> Truth:
    """Return whether a set is empty."""
    return cast(Truth, build("is_empty", of))


def contains(of: Squares, square: int | str) -> Truth:
    """Return whether a set contains *square*, an index or a name such as "e4"."""
    return cast(Truth, build("contains", of, square))


def select(condition: Truth, x: Typed | float, y: Typed | float) -> Typed:
    """Return *x* where *condition* holds and *y* elsewhere; both are of one type."""
    return cast(Typed, build("select", condition, *with_constants((x, y))))


def argument(index: int, type: str = "number") -> Any:
    """Return the *index*-th argument of a function primitive; only primitives may contain it."""
    return build("argument", index, type)


class EvaluatedBoard(NamedTuple):
    """The facts of the evaluated position that an expression can read.

    Own is the player who chooses or the side to move, as the view of a player says, of either
    colour. Men are pieces other than kings; in Othello all pieces are men. `t` is the clock from 0
    to 1: in Othello (discs - 4) / (squares - 4), in checkers the share of the pieces that are gone.
    Only what moves do in `evoply.rules` can read `moved_from`.
    `root_t` and `root_ply` belong to the position where the player chose.
    """

    own: Squares = build_squares("own")
    opponent: Squares = build_squares("opponent")
    own_men: Squares = build_squares("own_men")
    own_kings: Squares = build_squares("own_kings")
    opponent_men: Squares = build_squares("opponent_men")
    opponent_kings: Squares = build_squares("opponent_kings")
    empty: Squares = build_squares("empty")
    moved_to: Squares = build_squares("moved_to")
    moved_from: Squares = build_squares("moved_from")
    pieces: Number = build_number("pieces")
    ply: Number = build_number("ply")
    quiet_plies: Number = build_number("quiet_plies")
    t: Number = build_number("t")
    root_t: Number = build_number("root_t")
    root_ply: Number = build_number("root_ply")
    is_black: Truth = cast(Truth, build("is_black"))

    def __getattr__(self, name: str) -> NoReturn:
        raise unknown_attribute("the board", name, self._fields)


board = EvaluatedBoard()
