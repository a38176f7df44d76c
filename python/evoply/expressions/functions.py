"""The vocabulary for writing board expressions: inputs, constants, functions, and a probe of them.

The functions are named like the operations of the written form. Set operators and arithmetic are
Python's.

Reasons: docs/design/kernel.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from evoply import _native
from evoply.expressions import written_form
from evoply.expressions.expression import (
    Expression,
    Number,
    Squares,
    Truth,
    Typed,
    build,
    build_comparison,
    build_number,
    build_squares,
    substitute,
    with_constants,
)
from evoply.expressions.operations import RANKS, ExpressionError
from evoply.expressions.written_form import in_order
from evoply.games import GAMES, game_rules
from evoply.games.squares import USUAL
from evoply.when_used import module_when_used
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


# The numbers of an expression as a vector, so that a learner can change them and nothing else.
#
# The parameters are every constant, every weight of a weighted sum and every entry of a pattern,
# node by node, operands first; tables follow one another, from square a1 in a weighted sum and from
# index 0 in a pattern. A node that is used twice counts once; equal numbers that were written twice
# are two parameters. `program_with_parameters` compiles once; its `with_parameters` is cheap, and
# `with_parameters` here writes the learned numbers back.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = module_when_used("numpy")


def parameters_of(expression: Expression) -> NDArray[np.float64]:
    """Return the parameters of *expression*, in the order of this module.

    >>> from evoply.expressions import board, count
    >>> parameters_of(2.5 * count(board.own) + 1)
    array([2.5, 1. ])
    """
    values: list[float] = []
    for node in written_form.in_order([expression]):
        if node.op == "number":
            values.append(node.arguments[0])
        elif node.op == "weighted_sum":
            values.extend(weight for table in node.arguments[1] for weight in table)
        elif node.op == "pattern":
            for table in node.arguments[7]:
                values.extend(np.frombuffer(table, dtype="<f8").tolist())
    return np.array(values, dtype=np.float64)


def parameter_count(node: Expression) -> int:
    """Return the number of parameters that *node* itself has, its operands aside."""
    if node.op == "number":
        return 1
    if node.op == "weighted_sum":
        return sum(map(len, node.arguments[1]))
    return sum(map(len, node.arguments[7])) // 8 if node.op == "pattern" else 0


def with_parameters(
    expression: Expression, values: Sequence[float] | NDArray[np.float64]
) -> Expression:
    """Return *expression* with other parameters, equally many and in the same order.

    Raises `ExpressionError` for another count and for a parameter that is not finite.
    """
    count = len(parameters_of(expression))
    if len(values) != count:
        raise ExpressionError(f"{len(values)} values for {count} parameters")
    if not np.isfinite(values).all():
        raise ExpressionError("a parameter is not a finite number")
    rest = iter(np.asarray(values, dtype=np.float64).tolist())
    changed: dict[int, Expression] = {}
    for node in written_form.in_order([expression]):
        new: list[Any] = [
            changed[id(a)] if isinstance(a, Expression) else a for a in node.arguments
        ]
        if node.op == "number":
            new = [next(rest)]
        elif node.op == "weighted_sum":
            new[1] = tuple(_take(rest, len(table)) for table in new[1])
        elif node.op == "pattern":
            new[7] = tuple(_take(rest, len(table) // 8) for table in new[7])
        changed[id(node)] = build(node.op, *new)
    return changed[id(expression)]


def program_with_parameters(expression: Expression, game: str) -> _native.Program:
    """Return the kernel's form of *expression* for *game*, with replaceable parameters.

    Its `parameters` are those of `parameters_of`; `with_parameters(values)` gives the same program
    as lowering the expression with these values, value for value.
    """
    rules = game_rules(game)
    written = written_form.to_dict([expression], rules.shape, keep_parameters=True)
    return _native.Program(rules.kernel, json.dumps(written), keep_parameters=True)


def _take(values: Iterator[float], count: int) -> tuple[float, ...]:
    return tuple(next(values) for _ in range(count))


# An expression seen from the other side, with own and opponent exchanged.

_SWAPPED: Mapping[str, str] = MappingProxyType(
    {
        "own": "opponent",
        "own_men": "opponent_men",
        "own_kings": "opponent_kings",
        "opponent": "own",
        "opponent_men": "own_men",
        "opponent_kings": "own_kings",
    }
)
_HALF_TURN = 3
"""The symmetry of the board that exchanges the sides of the players."""


def for_the_other_side(expression: Expression) -> Expression:
    """Return *expression* with own and opponent exchanged.

    Raises `ExpressionError` for patterns on a turned board, which depend on the colour of own.

    >>> from evoply.expressions.features import corner_moves
    >>> for_the_other_side(corner_moves("own")) == corner_moves("opponent")
    True
    """
    other: dict[int, Expression] = {}
    for node in in_order([expression]):
        arguments: list[Any] = [
            other[id(argument)] if isinstance(argument, Expression) else argument
            for argument in node.arguments
        ]
        if node.op in _SWAPPED:
            swapped = build(_SWAPPED[node.op])
        elif node.op in ("destinations", "number_of_moves"):
            swapped = build(node.op, _SWAPPED[arguments[0]])
        elif node.op == "is_black":
            swapped = build("negation", build("is_black"))
        elif node.op == "named_squares" and arguments[0] in RANKS:
            swapped = build(node.op, RANKS[1 - RANKS.index(arguments[0])])
        elif node.op == "squares_turned":
            swapped = build("symmetry", build(node.op, *arguments), _HALF_TURN)
        elif node.op == "pattern" and arguments[5]:
            raise ExpressionError("a pattern on a turned board cannot be seen from the other side")
        else:
            swapped = build(node.op, *arguments)
        other[id(node)] = swapped
    return other[id(expression)]


# The closure probe, which tries a primitive on hard arguments before trees use it.

MAX_ARITY = 4

PROBES: Mapping[str, tuple[Expression, ...]] = MappingProxyType(
    {
        "number": tuple(number(x) for x in (0.0, -0.0, 1.0, -1.0, 1e30, -1e30)),
        "squares": (board.own, squares([]), squares("all")),
        "truth": (truth(True), truth(False)),
    }
)


def check_closure(name: str, expression: Expression, argument_types: Sequence[str]) -> None:
    """Raise `ExpressionError` if *expression* is not finite on the probes, or fits no board."""
    if len(argument_types) > MAX_ARITY:
        raise ExpressionError(
            f"primitive {name!r} takes {len(argument_types)} arguments; at most {MAX_ARITY} can "
            "be tried"
        )
    errors: list[ExpressionError] = []
    for rules in sorted(GAMES.values(), key=lambda rules: rules.shape != USUAL):
        try:
            expression.to_dict(rules.shape)
        except ExpressionError as error:
            errors.append(error)
            continue
        for arguments in product(*(PROBES[of_type] for of_type in argument_types)):
            value = substitute(expression, arguments)
            result = value.evaluate(rules.start())
            if isinstance(value, Number) and not math.isfinite(result):
                tried = ", ".join(str(argument) for argument in arguments)
                raise ExpressionError(
                    f"primitive {name!r} gives {result} for ({tried}): trees need finite values; "
                    "protect it, for example by divide(..., when_zero='one'), or pass "
                    "allow_infinite=True"
                )
        return
    raise ExpressionError(f"primitive {name!r} fits no board: {errors[0]}")
