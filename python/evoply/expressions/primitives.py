"""Primitives of genetic programming, which are named board expressions, and sets of them.

This module does not know trees: `evoply.gp` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

from evoply import _native
from evoply.expressions import written_form
from evoply.expressions.expression import Expression, build, from_dict
from evoply.expressions.functions import check_closure
from evoply.expressions.operations import (
    NODE_KINDS,
    OPERATIONS,
    TYPES,
    ExpressionError,
    Weighing,
    Weights,
    short,
)
from evoply.expressions.parameters import Parameter, parameter_from_dict
from evoply.games import game_rules
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape
from evoply.protocols.sections import Page, Section, Shown, cells_of
from evoply.wording import did_you_mean, shorten

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
    node below it (see `evoply.expressions.operations`). A primitive with a *link* calls a function
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


# Primitives of genetic programming: named board expressions in immutable sets.
#
# A set fits every board that its expressions fit.

FORMAT = 1
MAX_PRIMITIVES = 256
FACTS = "facts"
"""The name of the set that is made from the rules of the game that is played."""


@dataclass(frozen=True, repr=False)
class PrimitiveSet(Shown):
    """The primitives that trees are made of, in the order of their codes.

    *constants* is the range from which constants may be drawn as leaves, or None; *weights* says
    whether and how the place of a leaf in a tree weighs it. Sets are built with `with_primitive`,
    from `PRIMITIVE_SETS`, or read with `from_dict`.

    >>> from evoply.expressions import PRIMITIVE_SETS, board, count
    >>> PRIMITIVE_SETS["liao"].with_primitive("holes", count(board.empty)).name
    'liao+holes'
    """

    name: str
    primitives: tuple[Primitive, ...] = ()
    constants: tuple[float, float] | None = None
    weights: Weights | None = None
    is_begun_empty: bool = field(default=False, repr=False, compare=False)
    """Whether all primitives were added by `with_primitive`: such a set keeps its name."""
    _by_name: Mapping[str, Primitive] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {primitive.name: primitive for primitive in self.primitives}
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "_hash", hash((self.name, self.primitives, self.constants)))

    def __hash__(self) -> int:
        return self._hash

    def __len__(self) -> int:
        return len(self.primitives)

    def __iter__(self) -> Iterator[Primitive]:
        return iter(self.primitives)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Primitive:
        """Return the primitive called *name*; `KeyError` offers the nearest name."""
        primitive = self._by_name.get(name)
        if primitive is None:
            hint = did_you_mean(name, (primitive.name for primitive in self))
            raise KeyError(f"no primitive {short(name)} in {self.name!r}{hint}")
        return primitive

    @property
    def functions(self) -> tuple[Primitive, ...]:
        """The primitives with arguments, in order."""
        return tuple(primitive for primitive in self.primitives if primitive.arity)

    @property
    def terminals(self) -> tuple[Primitive, ...]:
        """The primitives without arguments, in order."""
        return tuple(primitive for primitive in self.primitives if not primitive.arity)

    @cached_property
    def is_plain(self) -> bool:
        """Whether trees have expressions only: no values, introns, no-ops, links or weights."""
        return self.weights is None and not any(
            primitive.parameter is not None or primitive.introns or primitive.bits or primitive.link
            for primitive in self.primitives
        )

    def holds(self, node: Node) -> bool:
        """Return whether *node* may stand in a tree over this set: a member, not a family."""
        if isinstance(node, Constant):
            return True
        if not node.code < len(self.primitives):
            return False
        primitive = self.primitives[node.code]
        if primitive.parameter is None or node.value is None:
            return primitive == node and primitive.parameter is None
        return primitive.with_value(node.value) == node

    def with_primitive(
        self,
        name: str,
        expression: Expression,
        *,
        parameter: Parameter | None = None,
        introns: Sequence[str] = (),
        bits: str = "",
        allow_infinite: bool = False,
        set_name: str | None = None,
    ) -> PrimitiveSet:
        """Return the set with one more primitive, a function if *expression* has arguments.

        *parameter*, *introns* (the types of operands that are never computed) and *bits* are as in
        `Primitive`.

        A number must be finite (closure) on the start position with arguments 0, -0, 1, -1, 1e30
        and -1e30; else the primitive is refused. *allow_infinite* skips this test, for IEEE
        division. The set is called *set_name*, by default the old name with "+" and *name* added;
        a set that began empty keeps its name.
        """
        primitive = make_primitive(
            name, expression, len(self.primitives), parameter=parameter, introns=introns, bits=bits
        )
        if name in self:
            raise ExpressionError(f"there is already a primitive {name!r} in {self.name!r}")
        if len(self.primitives) >= MAX_PRIMITIVES:
            raise ExpressionError(f"a set holds at most {MAX_PRIMITIVES} primitives")
        if not allow_infinite:
            check_closure(name, expression, argument_types(expression))
        is_begun_empty = self.is_begun_empty or not self.primitives
        if set_name is None:
            set_name = self.name if is_begun_empty else _extended_name(self.name, name)
        return replace(
            self,
            name=_check_set_name(set_name),
            primitives=(*self.primitives, primitive),
            is_begun_empty=is_begun_empty,
        )

    def renamed(self, name: str) -> PrimitiveSet:
        """Return the same primitives under another name."""
        return replace(self, name=_check_set_name(name))

    def with_constants(self, low: float, high: float) -> PrimitiveSet:
        """Return the set with constants drawn from [low, high) as further leaves."""
        return replace(self, constants=_check_range([low, high]))

    def with_division(self, when_zero: str) -> PrimitiveSet:
        """Return the set with another result of `/` or `%` by zero; see `divide`."""
        changed = tuple(
            make_primitive(
                primitive.name,
                build("divide", *primitive.expression.arguments[:2], when_zero),
                primitive.code,
            )
            if primitive.name in ("/", "%") and primitive.expression.op == "divide"
            else primitive
            for primitive in self.primitives
        )
        if changed == self.primitives:
            return self
        return replace(self, name=f"{self.name}(division={when_zero})", primitives=changed)

    def with_weights(self, mode: Weighing | None, *, constants: bool = True) -> PrimitiveSet:
        """Return the set with leaves weighed by place; *mode* None switches weights off.

        Without weights no-ops change nothing. *constants* says whether numbers are weighed too.
        """
        weights = None if mode is None else Weights(mode, constants)
        if weights == self.weights:
            return self
        text = f"{mode or 'off'}{'' if constants else ',constants=off'}"
        return replace(self, name=f"{self.name}(weights={text})", weights=weights)

    def native(self, game: str) -> _native.PrimitiveSet:
        """Return the kernel's form of the set for *game*; the last 64 are cached."""
        rules = game_rules(game)
        return _native_set(self, game, rules.kernel, rules.shape)

    def to_dict(self) -> dict[str, Any]:
        """Return the set as plain data: format, name, range of constants, written expressions.

        Weights, parameters, introns and bits are written only if present.
        """
        data: dict[str, Any] = {
            "format": FORMAT,
            "name": self.name,
            "constants": None if self.constants is None else list(self.constants),
            "primitives": [primitive.to_dict() for primitive in self.primitives],
        }
        if self.weights is not None:
            data["weights"] = self.weights.to_dict()
        return data

    @staticmethod
    def from_dict(data: object) -> PrimitiveSet:
        """Return the set of `to_dict`; `ExpressionError` names the primitive that is wrong."""
        data, entries = _check_set(data)
        primitives: list[Primitive] = []
        for code, entry in enumerate(entries):
            fields = set(entry) - OPTIONAL_FIELDS if isinstance(entry, dict) else set()
            if fields != {"name", "expression"}:
                raise ExpressionError(f"primitive {code} must have a name and an expression")
            try:
                primitives.append(primitive_from_dict(entry, code))
            except ExpressionError as error:
                raise ExpressionError(f"primitive {short(entry['name'])}: {error}") from None
        names = [primitive.name for primitive in primitives]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ExpressionError(f"the name {repeated[0]!r} is used twice")
        constants = None if data["constants"] is None else _check_range(data["constants"])
        weights = Weights.from_dict(data["weights"]) if "weights" in data else None
        return PrimitiveSet(_check_set_name(data["name"]), tuple(primitives), constants, weights)

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(primitive.name for primitive in self.primitives)}"

    def __repr__(self) -> str:
        return f"<PrimitiveSet {self}>"

    def shown(self) -> Page:
        """Return its primitives."""
        rows = [
            (node.name, ", ".join(node.argument_types) or "none", node.type, str(node.expression))
            for node in self
        ]
        title = f"Primitives {self.name}"
        if self.constants is not None:
            title += f", and constants from {self.constants[0]:g} to {self.constants[1]:g}"
        columns = cells_of("name", "arguments", "gives", "expression")
        return Page(title, [Section("", columns, rows)])


@lru_cache(maxsize=64)
def _native_set(
    primitive_set: PrimitiveSet, game: str, kernel: str, shape: BoardShape
) -> _native.PrimitiveSet:
    texts: list[str] = []
    for primitive in primitive_set.primitives:
        try:
            texts.append(primitive.expression.to_json(shape))
        except ExpressionError as error:
            raise ExpressionError(
                f"primitive {primitive.name!r} does not fit {game}: {error}"
            ) from None
    return _native.PrimitiveSet(kernel, texts)


def name_on(name: str, shape: BoardShape) -> str:
    """Return the name of a set on a board of *shape*: *name* alone on the usual board.

    >>> name_on("letters", BoardShape(6, 6)), name_on("letters", BoardShape(6, 9))
    ('letters-6', 'letters-6x9')
    """
    return name if shape == USUAL else f"{name}-{shape.side if shape.is_square else shape}"


def _extended_name(set_name: str, name: str) -> str:
    return f"{shorten(set_name, 2 * MAX_NAME - 1 - len(name))}+{name}"


def _check_set_name(name: object) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= 2 * MAX_NAME or not name.isprintable():
        raise ExpressionError(f"a set of primitives needs a short name, not {short(name)}")
    return name


def _check_range(value: object) -> tuple[float, float]:
    if (
        not isinstance(value, list | tuple)
        or len(value) != 2
        or not all(type(end) in (int, float) and abs(end) <= 1e12 for end in value)
        or not value[0] < value[1]
    ):
        raise ExpressionError(f"constants must be a range [low, high], not {value!r:.60}")
    return float(value[0]), float(value[1])


def _check_set(data: object) -> tuple[dict[str, Any], list[Any]]:
    fields = {"format", "name", "constants", "primitives"}
    if not isinstance(data, dict) or set(data) - {"weights"} != fields:
        raise ExpressionError(f"a set of primitives needs exactly {', '.join(sorted(fields))}")
    if type(data["format"]) is not int or data["format"] != FORMAT:
        raise ExpressionError(
            f"sets of primitives of format {short(data['format'])} are unknown; this version "
            f"reads format {FORMAT}"
        )
    entries = data["primitives"]
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_PRIMITIVES:
        raise ExpressionError(f"primitives must be a list of 1 to {MAX_PRIMITIVES}")
    return data, entries
