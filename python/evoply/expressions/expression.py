"""Board expressions: typed, immutable graphs that map a position to a set, a number or a truth.

Expressions are written with Python's operators and compiled by the kernel. *own* is the side that
the evaluator speaks for; a player says whether that is the side to move or the side that chooses.
This module does not know any rules; only `evaluate` asks the kernel.

>>> from evoply.expressions import board, count, squares
>>> print(count(board.own & squares("corners")) - count(board.opponent & squares("corners")))
count(own & corners) - count(opponent & corners)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeVar, cast

from evoply import _native
from evoply.expressions import written_form
from evoply.expressions.operations import (
    DIRECTIONS,
    NODE_KINDS,
    OPERATIONS,
    OPTIONAL_KINDS,
    ExpressionError,
    bits,
    check_literal,
    checked_pattern,
    is_set_name,
    set_name_hint,
    short,
)
from evoply.expressions.written_form import formula
from evoply.games import game_rules
from evoply.protocols import BoardShape, Color, Row
from evoply.when_used import module_when_used
from evoply.wording import unknown_attribute

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = module_when_used("numpy")


class KernelPosition(Protocol):
    """A position that the kernel can evaluate, such as `othello.Position`."""

    @property
    def game(self) -> str:
        """The name of the game, such as "othello"."""

    @property
    def row(self) -> Row:
        """The kernel's form."""


class Expression:
    """An immutable node of an expression: an operation and its arguments.

    `==` compares expressions by their written forms, so they can be kept in sets. The function
    `equal` says whether the values of two numbers are equal at a position.
    """

    __slots__ = ("_hash", "arguments", "op")
    __array_ufunc__ = None  # a NumPy number on the left leaves the operator to us

    type: ClassVar[str]
    op: str
    arguments: tuple[Any, ...]
    _hash: int

    def __init__(self, op: str, arguments: tuple[Any, ...]) -> None:
        """Make the node without checking *arguments*; callers use `build` or the functions."""
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "_hash", hash((op, *arguments)))

    if not TYPE_CHECKING:  # or the type checker would take any attribute for one of these

        def __getattr__(self, name: str) -> NoReturn:
            owner = "a set of squares" if self.type == "squares" else f"a {self.type}"
            if name in OPERATIONS and name in sys.modules[__package__].__all__:
                raise AttributeError(
                    f"{owner} has no attribute {name!r}: it is a function, {name}(...) of "
                    "evoply.expressions",
                    name=name,
                )
            raise unknown_attribute(owner, name, dir(type(self)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"expressions are immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"expressions are immutable: {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[[str], Expression], tuple[str]]:
        return from_json, (self.to_json(),)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expression):
            return NotImplemented
        # Texts are compared: in them 0.0 and -0.0 differ and NaN equals itself.
        return self._hash == other._hash and self.to_json() == other.to_json()

    def __str__(self) -> str:
        return formula(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {formula(self)}>"

    def to_dict(self, shape: BoardShape | None = None) -> dict[str, Any]:
        """Return the written form as plain lists, with squares resolved if *shape* is a board's."""
        return written_form.to_dict([self], shape)

    def to_json(self, shape: BoardShape | None = None) -> str:
        """Return the written form as JSON; with a board's *shape*, in the form the kernel reads."""
        return json.dumps(self.to_dict(shape))

    def evaluate(self, position: KernelPosition, own: Color | None = None) -> Any:
        """Return the value at *position*: a float, a bool, or an int whose bits are squares.

        *own* is the side the expression speaks for, by default the side to move. A record of a game
        stands for its last position.
        """
        position = _position_of(position)
        rules = game_rules(position.game)
        program = _program(rules.kernel, rules.shape, self)
        values = program.evaluate(_batch(rules.kernel, [position], own))
        if isinstance(self, Squares):
            return bits(int(square) for square in np.flatnonzero(values[0]))
        value: float = values.item(0)
        return bool(value) if isinstance(self, Truth) else value

    def evaluate_all(
        self, positions: Sequence[KernelPosition], own: Color | None = None
    ) -> NDArray[np.float64]:
        """Return the value at each of *positions*, all of one game; truths are 0 and 1.

        *own* is the side the expression speaks for, by default the side to move in each.
        """
        if isinstance(self, Squares):
            raise ExpressionError("a set of squares is not a number: use count(...) of it")
        if not isinstance(positions, Iterable):
            raise TypeError(f"evaluate_all takes a list of positions, not {short(positions)}")
        positions = [_position_of(position) for position in positions]
        if not positions:
            return np.empty(0)
        games = sorted({position.game for position in positions})
        if len(games) > 1:
            raise ExpressionError(f"positions must be of one game, not of {', '.join(games)}")
        rules = game_rules(games[0])
        batch = _batch(rules.kernel, positions, own)
        return _program(rules.kernel, rules.shape, self).evaluate(batch)[:, 0]


class Squares(Expression):
    """A set of squares of the board: combine with `&`, `|`, `-`, `~`."""

    __slots__ = ()
    type = "squares"

    def __bool__(self) -> bool:
        raise TypeError(
            "a set of squares is known only at a position: combine sets with &, |, - and ~ instead "
            "of and, or, not, and ask with is_empty(...)"
        )

    def __and__(self, other: Squares) -> Squares:
        return _binary("and", self, other)

    def __or__(self, other: Squares) -> Squares:
        return _binary("or", self, other)

    def __sub__(self, other: Squares) -> Squares:
        return _binary("minus", self, other)

    def __invert__(self) -> Squares:
        return build_squares("not", self)

    def _no_number(self, *_: object) -> NoReturn:
        raise TypeError(
            "a set of squares is no number: combine sets with |, &, - and ~, and calculate with "
            "count(...) of them, as in count(board.own) + count(board.empty)"
        )

    __add__ = __radd__ = __mul__ = __rmul__ = __truediv__ = __pow__ = __xor__ = _no_number
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = __len__ = _no_number

    def __contains__(self, square: object) -> NoReturn:
        raise TypeError(
            f"a set of squares is known only at a position: contains(squares, {short(square)}) "
            "asks there"
        )

    def shift(self, direction: str) -> Squares:
        """Return the set moved one square; n is towards row 1; squares never wrap."""
        return build_squares("shift", self, direction)

    def neighbours(self) -> Squares:
        """Return the squares beside, also diagonally, at least one square of the set."""
        return reduce(lambda left, right: left | right, (self.shift(d) for d in DIRECTIONS))

    def fill(self, through: Squares, directions: Sequence[str] = DIRECTIONS) -> Squares:
        """Return the squares reached from those in *through* in *directions* without leaving it."""
        return build_squares("fill", self, through, directions)

    def symmetry(self, index: int) -> Squares:
        """Return the set turned or mirrored; *index* is 0 (as it is) to 7, 3 half a turn."""
        return build_squares("symmetry", self, index)


class Number(Expression):
    """A 64-bit float; operators are those of IEEE arithmetic. Division is the function `divide`.

    `<`, `<=`, `>`, `>=` give a `Truth`; `equal` is a function, since `==` compares expressions.
    """

    __slots__ = ()
    type = "number"

    def __bool__(self) -> bool:
        raise TypeError(
            "a number is known only at a position: compare with <, <=, >, >= or equal(a, b), and "
            "choose with select, maximum and minimum instead of if, and, or, not, max, min"
        )

    def __lt__(self, other: Number | float) -> Truth:
        return build_comparison("less", self, other)

    def __le__(self, other: Number | float) -> Truth:
        return build_comparison("less_equal", self, other)

    def __gt__(self, other: Number | float) -> Truth:
        return build_comparison("less", other, self)

    def __ge__(self, other: Number | float) -> Truth:
        return build_comparison("less_equal", other, self)

    def __add__(self, other: Number | float) -> Number:
        return build_number("add", self, other)

    def __radd__(self, other: float) -> Number:
        return build_number("add", other, self)

    def __sub__(self, other: Number | float) -> Number:
        return build_number("subtract", self, other)

    def __rsub__(self, other: float) -> Number:
        return build_number("subtract", other, self)

    def __mul__(self, other: Number | float) -> Number:
        return build_number("multiply", self, other)

    def __rmul__(self, other: float) -> Number:
        return build_number("multiply", other, self)

    def __neg__(self) -> Number:
        return self * -1.0  # exact, also for zeros, unlike 0 - x

    def __truediv__(self, other: object) -> Number:
        raise TypeError("use divide(a, b, when_zero='one'), which says what division by zero gives")

    __rtruediv__ = __truediv__

    def _no_such(self, *_: object) -> NoReturn:
        raise TypeError(
            "a number knows +, -, *, <, <=, >, >= and the functions of evoply.expressions: write "
            "x * x for x ** 2, maximum(x, -x) for abs(x), and compare numbers before & and |"
        )

    __pow__ = __abs__ = __mod__ = __floordiv__ = __and__ = __rand__ = __or__ = __ror__ = _no_such
    __invert__ = _no_such


class Truth(Expression):
    """True or false, per position: combine with `&`, `|`, `~` and choose with `select`."""

    __slots__ = ()
    type = "truth"

    def __and__(self, other: Truth) -> Truth:
        return _binary("both", self, other)

    def __or__(self, other: Truth) -> Truth:
        return _binary("either", self, other)

    def __invert__(self) -> Truth:
        return cast(Truth, build("negation", self))

    def __bool__(self) -> bool:
        raise TypeError(
            "a Truth is known only at a position: combine with &, | and ~ instead of and, or, not, "
            "choose with select, maximum and minimum instead of if, max, min, and write "
            "(low < x) & (x < high) for a range"
        )


_CLASSES: dict[str, type[Expression]] = {"squares": Squares, "number": Number, "truth": Truth}
Typed = TypeVar("Typed", Squares, Number, Truth)


def build(op: str, *arguments: Any) -> Expression:
    """Return the checked expression `op(arguments...)`; `ExpressionError` says what is wrong."""
    operation = OPERATIONS.get(op)
    if operation is None:
        raise ExpressionError(f"there is no operation {short(op)}")
    if len(arguments) != len(operation.arguments):
        raise ExpressionError(
            f"{op} takes {len(operation.arguments)} arguments, not {len(arguments)}"
        )
    checked: tuple[Any, ...] = tuple(
        _check_node(kind, argument, f"argument {index} of {op}")
        if kind in NODE_KINDS
        else check_literal(kind, argument)
        for index, (kind, argument) in enumerate(
            zip(operation.arguments, arguments, strict=True), start=1
        )
    )
    if op == "named_squares" and not is_set_name(checked[0]):
        raise ExpressionError(f"no board has squares called {set_name_hint(checked[0])}")
    if op == "pattern":
        checked = checked_pattern(checked)
    return _CLASSES[_result(operation.result, checked)](op, checked)


def _check_node(kind: str, argument: Any, what: str) -> Any:
    if kind in OPTIONAL_KINDS and argument is None:
        return None
    wanted = OPTIONAL_KINDS.get(kind, kind)
    if not isinstance(argument, Expression) or (kind != "any" and argument.type != wanted):
        actual = argument.type if isinstance(argument, Expression) else short(argument)
        hint = "; compare numbers with equal(a, b), not ==" if isinstance(argument, bool) else ""
        if wanted == "squares" and isinstance(argument, str):
            hint = f"; a set by its name is squares({short(argument)})"
        raise ExpressionError(f"{what} must be of type {wanted}, not {actual}{hint}")
    return argument


def _result(result: str, arguments: tuple[Any, ...]) -> str:
    if result != "any":
        return result
    if isinstance(arguments[-1], str):  # argument: the type is written
        return arguments[-1]
    first, second = arguments[1].type, arguments[2].type
    if first != second:
        raise ExpressionError(f"select must choose between equal types, not {first} and {second}")
    return str(first)


def from_dict(data: object) -> Expression:
    """Return the one expression of a written form; see `written_form` for its limits."""
    outputs = written_form.from_dict(data, lambda op, arguments: build(op, *arguments))
    if len(outputs) != 1:
        raise ExpressionError(f"one output is expected, not {len(outputs)}")
    return outputs[0]


def from_json(text: str) -> Expression:
    """Return the expression of a JSON text made by `Expression.to_json`."""
    return from_dict(written_form.parse_json(text))


def outputs_to_json(outputs: Sequence[Expression], shape: BoardShape | None = None) -> str:
    """Return several expressions as one written form with shared common parts."""
    return json.dumps(written_form.to_dict(outputs, shape))


def substitute(expression: Expression, arguments: Sequence[Expression]) -> Expression:
    """Return *expression* with `argument(i, ...)` replaced by `arguments[i]`."""
    replaced: dict[int, Expression] = {}
    for node in written_form.in_order([expression]):
        if node.op == "argument":
            replaced[id(node)] = arguments[node.arguments[0]]
            continue
        new = [replaced[id(a)] if isinstance(a, Expression) else a for a in node.arguments]
        replaced[id(node)] = build(node.op, *new)
    return replaced[id(expression)]


def _single_outputs(expression: Expression, shape: BoardShape) -> tuple[Expression, ...]:
    if isinstance(expression, Squares):
        return tuple(build("contains", expression, square) for square in range(shape.squares))
    return (expression,)


def _position_of(source: Any) -> KernelPosition:
    """Return a position itself, and the last one of a record."""
    position = getattr(source, "position", source)
    if not hasattr(position, "row"):
        raise TypeError(
            f"an expression is evaluated at a position or a record of a game, not at "
            f"{short(source)}: see evoply.othello.Position.parse and .Game.from_transcript"
        )
    return cast(KernelPosition, position)


def _batch(
    kernel: str, positions: Sequence[KernelPosition], own: Color | None
) -> _native.Positions:
    rows = [position.row for position in positions]
    if own is not None:
        # The kernel takes own for the side to move; nothing here depends on who really moves.
        is_black = Color(own) is Color.BLACK
        rows = [(*row[:3], is_black, *row[4:]) for row in rows]
    return _native.Positions(kernel, rows)


@lru_cache(maxsize=256)
def _program(kernel: str, shape: BoardShape, expression: Expression) -> _native.Program:
    """Return the program of *expression*; for a set it has an output for each square."""
    outputs = _single_outputs(expression, shape)
    return _native.Program(kernel, outputs_to_json(outputs, shape))


def build_squares(op: str, *arguments: Any) -> Squares:
    """Return `build(op, *arguments)`, which is a set."""
    return cast(Squares, build(op, *arguments))


def _binary(op: str, left: Typed, right: Typed) -> Typed:
    return cast(Typed, build(op, left, right))


def build_number(op: str, *arguments: Any) -> Number:
    """Return `build(op, *arguments)`, a number; plain floats for numbers become constants."""
    return cast(Number, build(op, *with_constants(arguments)))


def build_comparison(op: str, *arguments: Any) -> Truth:
    """Return `build(op, *arguments)` of numbers, a truth; plain floats become constants."""
    return cast(Truth, build(op, *with_constants(arguments)))


def with_constants(arguments: Sequence[Any]) -> list[Any]:
    """Return *arguments* with plain numbers, also those of NumPy, replaced by constants."""
    return [build("number", a) if isinstance(a, Real) else a for a in arguments]
