"""Primitives of genetic programming: named board expressions, gathered in immutable sets.

A set fits every board size its expressions fit. This module knows no trees: `evoply.gp` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from evoply import _native
from evoply.expressions import written_form
from evoply.expressions.expression import Expression, build, from_dict
from evoply.expressions.operations import NODE_KINDS, OPERATIONS, ExpressionError, short
from evoply.expressions.probe import check_closure
from evoply.games import game_rules
from evoply.notebook import table_html
from evoply.wording import did_you_mean, shorten

FORMAT = 1
MAX_PRIMITIVES = 256
MAX_NAME = 64


@dataclass(frozen=True, slots=True)
class Primitive:
    """A named expression: a function if it has arguments, else a terminal.

    *code* is its place in its set; *type* and *argument_types* are "squares", "number", "truth".
    """

    name: str
    expression: Expression
    code: int
    arity: int
    type: str
    argument_types: tuple[str, ...]

    @property
    def operator(self) -> tuple[str, ...] | None:
        """The operation and its literals if it is just one on arguments 0, 1, ... in order.

        For `+` this is ("add",), for protected division ("divide", "one").
        """
        kinds = OPERATIONS[self.expression.op].arguments
        if not self.arity or self.expression.op == "argument":
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


@dataclass(frozen=True, slots=True)
class Constant:
    """A number drawn when a leaf was created; its name is the number as text."""

    value: float
    arity: ClassVar[int] = 0
    code: ClassVar[int] = 65535
    type: ClassVar[str] = "number"

    @property
    def name(self) -> str:
        """The value, in the shortest text that reads back as the same number."""
        return repr(float(self.value))

    def __str__(self) -> str:
        return self.name


Node = Primitive | Constant


@dataclass(frozen=True, repr=False)
class PrimitiveSet:
    """The primitives that trees are made of, in the order that defines their codes.

    *constants* is the range from which constants may be drawn as leaves, or None. Sets are built
    with `with_primitive`, from `PRIMITIVE_SETS`, or read with `from_dict`.

    >>> from evoply.expressions import PRIMITIVE_SETS, board, count
    >>> PRIMITIVE_SETS["liao"].with_primitive("holes", count(board.empty)).name
    'liao+holes'
    """

    name: str
    primitives: tuple[Primitive, ...] = ()
    constants: tuple[float, float] | None = None
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

    def with_primitive(
        self,
        name: str,
        expression: Expression,
        *,
        allow_infinite: bool = False,
        set_name: str | None = None,
    ) -> PrimitiveSet:
        """Return the set with one primitive more: a function if *expression* has arguments.

        A number must stay finite (closure): it is tried on the start position, with arguments
        0, -0, 1, -1, 1e30 and -1e30, and refused otherwise. *allow_infinite* skips that, for
        IEEE division. The set is called *set_name*, by default as before with "+" and *name*
        added; a set that was begun empty keeps its name.
        """
        primitive = make_primitive(name, expression, len(self.primitives))
        if name in self:
            raise ExpressionError(f"there is already a primitive {name!r} in {self.name!r}")
        if len(self.primitives) >= MAX_PRIMITIVES:
            raise ExpressionError(f"a set holds at most {MAX_PRIMITIVES} primitives")
        if not allow_infinite:
            check_closure(name, expression, primitive.argument_types)
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
        """Return the set with leaves that may also be constants drawn from [low, high)."""
        return replace(self, constants=_check_range([low, high]))

    def with_division(self, when_zero: str) -> PrimitiveSet:
        """Return the set with its primitive `/` dividing by zero as told; see `divide`."""
        changed = tuple(
            make_primitive(
                "/", build("divide", *primitive.expression.arguments[:2], when_zero), primitive.code
            )
            if primitive.name == "/" and primitive.expression.op == "divide"
            else primitive
            for primitive in self.primitives
        )
        if changed == self.primitives:
            return self
        return replace(self, name=f"{self.name}(division={when_zero})", primitives=changed)

    def native(self, game: str) -> _native.PrimitiveSet:
        """Return the set as the kernel uses it for *game*; made once and kept."""
        return _native_set(self, game)

    def to_dict(self) -> dict[str, Any]:
        """Return the set as plain data: format, name, range of constants, written expressions."""
        return {
            "format": FORMAT,
            "name": self.name,
            "constants": None if self.constants is None else list(self.constants),
            "primitives": [
                {"name": primitive.name, "expression": primitive.expression.to_dict()}
                for primitive in self.primitives
            ],
        }

    @staticmethod
    def from_dict(data: object) -> PrimitiveSet:
        """Return the set of `to_dict`; `ExpressionError` names the primitive that is wrong."""
        data, entries = _check_set(data)
        primitives: list[Primitive] = []
        for code, entry in enumerate(entries):
            if not isinstance(entry, dict) or set(entry) != {"name", "expression"}:
                raise ExpressionError(f"primitive {code} must have a name and an expression")
            try:
                primitives.append(
                    make_primitive(entry["name"], from_dict(entry["expression"]), code)
                )
            except ExpressionError as error:
                raise ExpressionError(f"primitive {short(entry['name'])}: {error}") from None
        names = [primitive.name for primitive in primitives]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ExpressionError(f"the name {repeated[0]!r} is used twice")
        constants = None if data["constants"] is None else _check_range(data["constants"])
        return PrimitiveSet(_check_set_name(data["name"]), tuple(primitives), constants)

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(primitive.name for primitive in self.primitives)}"

    def __repr__(self) -> str:
        return f"<PrimitiveSet {self}>"

    def _repr_html_(self) -> str:
        rows = [
            (one.name, ", ".join(one.argument_types) or "none", one.type, one.expression)
            for one in self
        ]
        title = f"Primitives {self.name}"
        if self.constants is not None:
            title += f", and constants from {self.constants[0]:g} to {self.constants[1]:g}"
        return table_html(title, rows, ("name", "arguments", "gives", "expression"))


@lru_cache(maxsize=64)
def _native_set(primitive_set: PrimitiveSet, game: str) -> _native.PrimitiveSet:
    size = game_rules(game).size
    texts: list[str] = []
    for primitive in primitive_set.primitives:
        try:
            texts.append(primitive.expression.to_json(size))
        except ExpressionError as error:
            raise ExpressionError(
                f"primitive {primitive.name!r} does not fit {game}: {error}"
            ) from None
    return _native.PrimitiveSet(game, texts)


def make_primitive(name: object, expression: Expression, code: int) -> Primitive:
    """Return the primitive called *name* with place *code*, checked but for closure."""
    if not isinstance(expression, Expression):
        raise ExpressionError(
            f"primitive {short(name)} must be an expression such as count(board.own) or "
            f"number(3), not {short(expression)}"
        )
    argument_types = _argument_types(expression)
    return Primitive(
        name=_check_name(name, expression),
        expression=expression,
        code=code,
        arity=len(argument_types),
        type=expression.type,
        argument_types=argument_types,
    )


def _argument_types(expression: Expression) -> tuple[str, ...]:
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
    # Only the constant itself may be called by its number, like liao's terminal 10.
    if expression != build("number", value):
        raise ExpressionError(f"the name {name!r} reads as a number")
    return name


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
    if not isinstance(data, dict) or set(data) != fields:
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
