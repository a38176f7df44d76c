"""A primitive of genetic programming: a named board expression, or a drawn constant.

This module does not know sets or trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

from evoply.expressions import written_form
from evoply.expressions.expression import Expression, build, from_dict
from evoply.expressions.operations import NODE_KINDS, OPERATIONS, TYPES, ExpressionError, short
from evoply.expressions.parameters import Parameter, parameter_from_dict
from evoply.protocols import BoardShape

MAX_NAME = 64
OPTIONAL_FIELDS = frozenset({"parameter", "introns", "bits"})
_MOST_INTRONS = 4
_MOST_BITS = 16


@dataclass(frozen=True, slots=True)
class Link:
    """A reference to a definition of the individual, or to an argument of the definition."""

    kind: Literal["definition", "argument"]
    index: int


@dataclass(frozen=True, slots=True)
class Primitive:
    """A named expression: a function if it has operands, else a terminal.

    *code* is its index in its set; *type* and *argument_types* are "squares", "number", "truth".
    With a *parameter* it is a family: a node of a tree is one of its members, has a *value*, and is
    called `family[value]`; the value is argument 0 of the expression, operands are the others. The
    last *introns* operands stand in trees but are not arguments of the expression: they are
    carried, crossed and mutated, and never computed. A no-op appends *bits* to the place of every
    node below it (see `evoply.expressions.weights`). A primitive with a *link* calls a function
    that its individual defines, or is an argument of one: its expression is never computed.
    """

    name: str
    expression: Expression
    code: int
    arity: int
    type: str
    argument_types: tuple[str, ...]
    parameter: Parameter | None = None
    introns: int = 0
    bits: str = ""
    value: float | str | None = None
    link: Link | None = None

    @property
    def live_arity(self) -> int:
        """The number of operands that are computed: the first ones."""
        return self.arity - self.introns

    @property
    def family(self) -> str:
        """The name without the value."""
        return self.name.partition("[")[0]

    def with_value(self, value: float | str) -> Primitive:
        """Return the member of the family with *value*, which is not checked."""
        parameter = self.parameter
        if parameter is None:
            raise ValueError(f"the primitive {self.name} has no parameter")
        return Primitive(
            f"{self.family}[{parameter.write(value)}]",
            self.expression,
            self.code,
            self.arity,
            self.type,
            self.argument_types,
            parameter,
            self.introns,
            self.bits,
            value,
        )

    def check_fits(self, shape: BoardShape) -> None:
        """Raise `ExpressionError` if the primitive does not fit a board of *shape*."""
        _check_fits(self.expression, shape)
        if self.parameter is not None:
            self.parameter.check_fits(shape)

    def to_dict(self) -> dict[str, Any]:
        """Return the primitive as plain data, without fields that have their default.

        Raises `ExpressionError` for a link, which has no meaning outside its individual.
        """
        if self.link is not None:
            raise ExpressionError(f"{self.name} is part of an individual, not of a written set")
        data: dict[str, Any] = {"name": self.name, "expression": self.expression.to_dict()}
        if self.parameter is not None:
            data["parameter"] = self.parameter.to_dict()
        if self.introns:
            data["introns"] = list(self.argument_types[self.live_arity :])
        if self.bits:
            data["bits"] = self.bits
        return data

    @property
    def operator(self) -> tuple[str, ...] | None:
        """The operation and its literals if it is a single one on arguments 0, 1, ... in order.

        For `+` this is ("add",), for protected division ("divide", "one").
        """
        kinds = OPERATIONS[self.expression.op].arguments
        if not self.arity or self.expression.op == "argument" or self.introns:
            return None
        nodes = written_form.children(self.expression)
        direct = [node.op == "argument" and node.arguments[0] for node in nodes]
        if any(index is False for index in direct) or direct != list(range(self.arity)):
            return None
        literals = [
            str(value)
            for kind, value in zip(kinds, self.expression.arguments, strict=True)
            if kind not in NODE_KINDS
        ]
        return (self.expression.op, *literals)

    def __str__(self) -> str:
        return self.name


@lru_cache(maxsize=1024)
def _check_fits(expression: Expression, shape: BoardShape) -> None:
    """Raise `ExpressionError` unless *expression* can be written for *shape*; asked once each."""
    expression.to_dict(shape)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number drawn when a leaf was created; its name is the number as text."""

    value: float
    arity: ClassVar[int] = 0
    introns: ClassVar[int] = 0
    bits: ClassVar[str] = ""
    code: ClassVar[int] = 65535
    type: ClassVar[str] = "number"
    argument_types: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """The value, in the shortest text that reads back as the same number."""
        return repr(float(self.value))

    def __str__(self) -> str:
        return self.name


Node = Primitive | Constant


def primitive_from_dict(entry: dict[str, Any], code: int) -> Primitive:
    """Return the primitive that plain data describes, with all checks but closure."""
    parameter, introns = entry.get("parameter"), entry.get("introns", [])
    if not isinstance(introns, list):
        raise ExpressionError(f"introns must be a list of types, not {short(introns)}")
    bits = entry.get("bits", "")
    if not isinstance(bits, str):
        raise ExpressionError(f"bits must be a text of 0 and 1, not {short(bits)}")
    return make_primitive(
        entry["name"],
        from_dict(entry["expression"]),
        code,
        parameter=None if parameter is None else parameter_from_dict(parameter),
        introns=introns,
        bits=bits,
    )


def make_primitive(
    name: object,
    expression: Expression,
    code: int,
    *,
    parameter: Parameter | None = None,
    introns: Sequence[str] = (),
    bits: str = "",
) -> Primitive:
    """Return the primitive called *name* with *code* as its index, with all checks but closure."""
    if not isinstance(expression, Expression):
        raise ExpressionError(
            f"primitive {short(name)} must be an expression such as count(board.own) or "
            f"number(3), not {short(expression)}"
        )
    operands = argument_types(expression)
    if parameter is not None:
        if operands[:1] != (parameter.type,):
            raise ExpressionError(
                f"primitive {short(name)} must take its parameter as argument 0, "
                f"of type {parameter.type}"
            )
        operands = operands[1:]
    wrong = [kind for kind in introns if kind not in TYPES]
    if len(wrong) + max(len(introns) - _MOST_INTRONS, 0):
        raise ExpressionError(
            f"introns are at most {_MOST_INTRONS} types, each one of {', '.join(TYPES)}, "
            f"not {list(introns)!r:.60}"
        )
    if len(bits) > _MOST_BITS or set(bits) - {"0", "1"}:
        raise ExpressionError(f"bits must be a text of 0 and 1, not {short(bits)}")
    if bits and (len(operands) != 1 or introns):
        raise ExpressionError(f"primitive {short(name)} with bits must have one operand")
    return Primitive(
        name=_check_name(name, expression),
        expression=expression,
        code=code,
        arity=len(operands) + len(introns),
        type=expression.type,
        argument_types=(*operands, *introns),
        parameter=parameter,
        introns=len(introns),
        bits=bits,
    )


def argument_types(expression: Expression) -> tuple[str, ...]:
    """Return the types of the arguments of *expression*, which are numbered without a gap."""
    types: dict[int, str] = {}
    for node in written_form.in_order([expression]):
        if node.op == "argument":
            index, argument_type = node.arguments
            if types.setdefault(index, argument_type) != argument_type:
                raise ExpressionError(f"argument {index} is used with two types")
    if sorted(types) != list(range(len(types))):
        raise ExpressionError(
            f"arguments must be numbered 0, 1, ... without a gap, not {sorted(types)}"
        )
    return tuple(types[index] for index in range(len(types)))


def _check_name(name: object, expression: Expression) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME:
        raise ExpressionError(
            f"a primitive needs a name of 1 to {MAX_NAME} characters, not {short(name)}"
        )
    bad = next((c for c in name if c.isspace() or not c.isprintable() or c in "()[]{}:,="), None)
    if bad is not None:
        raise ExpressionError(
            f"the name {name!r} contains {bad!r}: no spaces, brackets, colons, commas or ="
        )
    try:
        value = float(name)
    except ValueError:
        return name
    # Only a constant may be named by its number, like liao's terminal 10.
    if expression != build("number", value):
        raise ExpressionError(f"the name {name!r} reads as a number")
    return name
