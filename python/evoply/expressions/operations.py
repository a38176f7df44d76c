"""The table of operations of board expressions, with the types of arguments and results.

This module also checks literals. It knows the sizes of boards and the written form
`[operation, argument, ...]`, but not expressions.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from evoply.games.squares import SHAPES
from evoply.when_used import module_when_used
from evoply.wording import shorten

if TYPE_CHECKING:
    import numpy as np
else:
    np = module_when_used("numpy")

Made = TypeVar("Made")

DIRECTIONS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
SIDES = ("own", "opponent")
CONVENTIONS = ("one", "zero", "numerator", "ieee")
TYPES = ("squares", "number", "truth")
OPTIONAL_KINDS: Mapping[str, str] = MappingProxyType(
    {"selector": "number", "optional squares": "squares"}
)
"""The kinds of arguments that may be left out, and their types if they are present."""
NODE_KINDS = frozenset({*TYPES, "any", *OPTIONAL_KINDS})
MAX_SQUARES = max(shape.squares for shape in SHAPES.values())
MAX_COPIES = 128
MAX_STAGES = 64
MAX_ENTRIES = 65_536


class ExpressionError(ValueError):
    """A board expression that cannot be built or read; the message names the operation or node."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The result type of an operation and the kinds of its arguments, in order.

    A kind of `NODE_KINDS` is another expression ("any": both of one type; kinds of
    `OPTIONAL_KINDS` may be None); every other kind is a literal, checked by `check_literal`.
    """

    result: str
    arguments: tuple[str, ...] = ()


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "own": Operation("squares"),
        "opponent": Operation("squares"),
        "own_men": Operation("squares"),
        "own_kings": Operation("squares"),
        "opponent_men": Operation("squares"),
        "opponent_kings": Operation("squares"),
        "empty": Operation("squares"),
        "moved_to": Operation("squares"),
        "moved_from": Operation("squares"),
        "squares": Operation("squares", ("square list",)),
        "squares_turned": Operation("squares", ("square list",)),
        "named_squares": Operation("squares", ("set name",)),
        "and": Operation("squares", ("squares", "squares")),
        "or": Operation("squares", ("squares", "squares")),
        "minus": Operation("squares", ("squares", "squares")),
        "not": Operation("squares", ("squares",)),
        "first": Operation("squares", ("squares",)),
        "shift": Operation("squares", ("squares", "direction")),
        "fill": Operation("squares", ("squares", "squares", "directions")),
        "symmetry": Operation("squares", ("squares", "symmetry")),
        "destinations": Operation("squares", ("side",)),
        "number": Operation("number", ("value",)),
        "pieces": Operation("number"),
        "ply": Operation("number"),
        "quiet_plies": Operation("number"),
        "t": Operation("number"),
        "root_t": Operation("number"),
        "root_ply": Operation("number"),
        "count": Operation("number", ("squares",)),
        "number_of_moves": Operation("number", ("side",)),
        "weighted_sum": Operation("number", ("squares", "tables", "selector")),
        "pattern": Operation(
            "number",
            (
                "squares",
                "optional squares",
                "optional squares",
                "optional squares",
                "copies",
                "boolean",
                "stages",
                "pattern tables",
            ),
        ),
        "add": Operation("number", ("number", "number")),
        "subtract": Operation("number", ("number", "number")),
        "multiply": Operation("number", ("number", "number")),
        "divide": Operation("number", ("number", "number", "convention")),
        "minimum": Operation("number", ("number", "number")),
        "maximum": Operation("number", ("number", "number")),
        "is_black": Operation("truth"),
        "truth": Operation("truth", ("boolean",)),
        "is_odd": Operation("truth", ("squares",)),
        "is_empty": Operation("truth", ("squares",)),
        "contains": Operation("truth", ("squares", "square")),
        "less": Operation("truth", ("number", "number")),
        "less_equal": Operation("truth", ("number", "number")),
        "equal": Operation("truth", ("number", "number")),
        "both": Operation("truth", ("truth", "truth")),
        "either": Operation("truth", ("truth", "truth")),
        "negation": Operation("truth", ("truth",)),
        "select": Operation("any", ("truth", "any", "any")),
        "argument": Operation("any", ("position", "type")),
    }
)


def check_literal(kind: str, value: object) -> Any:
    """Return *value* in its immutable form; `ExpressionError` says what is allowed."""
    return _LITERALS[kind](value)


def written_literal(kind: str, value: Any) -> Any:
    """Return *value* for JSON: lists for tuples, words for numbers that JSON cannot hold."""
    if kind == "value":
        if math.isfinite(value):
            return value
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if kind in ("tables", "copies"):
        return [list(row) for row in value]
    if kind == "pattern tables":
        return _each_once(lambda table: base64.b64encode(table).decode(), value)
    return list(value) if isinstance(value, tuple) else value


def _each_once(function: Callable[[Any], Made], values: Iterable[Any]) -> list[Made]:
    """Return what *function* gives for each value, called once for one that comes again.

    Before anything is learned the tables of all stages are one, and they hold millions of numbers.
    """
    values = list(values)
    found = {key: function(value) for key, value in {id(value): value for value in values}.items()}
    return [found[id(value)] for value in values]


def _one_of(what: str, choices: tuple[str, ...]) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ExpressionError(f"{what} must be one of {', '.join(choices)}, not {short(value)}")
        return value

    return check


def _whole_number(what: str, bound: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if type(value) is not int or not 0 <= value < bound:
            raise ExpressionError(
                f"{what} must be a whole number from 0 to {bound - 1}, not {short(value)}"
            )
        return value

    return check


def _check_square(value: object) -> int | str:
    """Return the index or name of a square; whether it is on the board is checked with a shape."""
    if isinstance(value, str):
        name = value.lower()
        if not (2 <= len(name) <= 3 and "a" <= name[0] <= "j" and name[1:].isdecimal()):
            raise ExpressionError(f"{short(value)} is not a square such as 'e4'")
        return name
    return _whole_number("a square", MAX_SQUARES)(value)


def _check_squares(value: object) -> tuple[int | str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MAX_SQUARES:
        raise ExpressionError(
            f"squares must be a list of at most {MAX_SQUARES}, not {short(value)}"
        )
    return tuple(dict.fromkeys(_check_square(square) for square in value))


def _check_directions(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise ExpressionError(f"directions must be a list such as ['n', 'e'], not {short(value)}")
    chosen = {_one_of("a direction", DIRECTIONS)(direction) for direction in value}
    return tuple(direction for direction in DIRECTIONS if direction in chosen)


def _check_value(value: object) -> float:
    words = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    if isinstance(value, str) and value in words:
        return words[value]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ExpressionError(f"expected a number such as 2.5, not {short(value)}")
    try:
        number = float(value)
        return number if number == number else math.nan  # one object: equal hashes
    except OverflowError:
        raise ExpressionError("a number is too large for a 64-bit float") from None


def _listed(value: Any) -> Any:
    """Return an array of NumPy as lists, anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _check_tables(value: object) -> tuple[tuple[float, ...], ...]:
    value = _listed(value)
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 256:
        raise ExpressionError("tables must be a list of 1 to 256 tables of weights")
    tables = tuple(_check_table(_listed(table)) for table in value)
    if len({len(table) for table in tables}) != 1:
        raise ExpressionError("all tables must have the same number of weights")
    return tables


def _check_table(value: object) -> tuple[float, ...]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_SQUARES:
        raise ExpressionError(
            "a table must list one weight per square, row by row from a1 "
            f"(1 to {MAX_SQUARES}), not {short(value)}"
            f"{'; one table alone is [table]' if isinstance(value, Real) else ''}"
        )
    weights = tuple(_check_value(weight) for weight in value)
    for index, weight in enumerate(weights):
        if not math.isfinite(weight):
            raise ExpressionError(f"weight {index} of a table is {weight}, which is not finite")
    return weights


def _check_copies(value: object) -> tuple[tuple[int | str, ...], ...]:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_COPIES:
        raise ExpressionError(f"the copies of a pattern must be 1 to {MAX_COPIES} lists of squares")
    copies = tuple(_check_squares(copy) for copy in value)
    for copy, squares in zip(copies, value, strict=True):
        if not copy or len(copy) != len(squares) or len(copy) != len(copies[0]):
            raise ExpressionError(
                "the copies of a pattern must have equally many squares, each square once"
            )
    return copies


def _check_stages(value: object) -> tuple[int, ...]:
    check = _whole_number("where a stage begins, in pieces,", MAX_SQUARES + 1)
    if not isinstance(value, list | tuple) or len(value) >= MAX_STAGES:
        raise ExpressionError(f"stages must be a list of at most {MAX_STAGES - 1} numbers")
    stages = tuple(check(pieces) for pieces in value)
    if any(before >= stage for before, stage in pairwise((0, *stages))):
        raise ExpressionError("stages must begin at growing numbers of pieces, from 1 on")
    return stages


def _check_pattern_tables(value: object) -> tuple[bytes, ...]:
    """Return each table of a pattern as the bytes of its doubles, little-endian."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_STAGES:
        raise ExpressionError(f"a pattern must have 1 to {MAX_STAGES} tables, one for each stage")
    return tuple(_each_once(_check_entries, value))


def _check_entries(table: object) -> bytes:
    try:
        if isinstance(table, str):
            table = base64.b64decode(table, validate=True)
        if isinstance(table, bytes):
            values = np.frombuffer(table, dtype="<f8")
        elif isinstance(table, list | tuple | np.ndarray):
            values = np.array(table, dtype="<f8")
        else:
            raise TypeError
    except (TypeError, ValueError, OverflowError, binascii.Error):
        raise ExpressionError(
            f"a table of a pattern must be a list of numbers, or its doubles in base64, not "
            f"{short(table)}"
        ) from None
    if values.ndim != 1 or len(values) > MAX_ENTRIES:
        raise ExpressionError(f"a table of a pattern has at most {MAX_ENTRIES:,} numbers in a row")
    if not np.isfinite(values).all():
        raise ExpressionError("an entry of a table is not a finite number")
    return table if isinstance(table, bytes) else values.tobytes()


def check_pattern(arguments: tuple[Any, ...]) -> None:
    """Raise `ExpressionError` unless sets, copies, stages and tables of a pattern fit together."""
    sets = [argument is not None for argument in arguments[:4]]
    if sets != sorted(sets, reverse=True):
        raise ExpressionError("a pattern's sets must come first: leave out only the last ones")
    copies, _, stages, tables = arguments[4:]
    entries = (sum(sets) + 1) ** len(copies[0])
    if entries > MAX_ENTRIES:
        raise ExpressionError(
            f"{len(copies[0])} squares and {sum(sets)} sets give {entries:,} entries: a table has "
            f"at most {MAX_ENTRIES:,}"
        )
    if len(tables) != len(stages) + 1:
        raise ExpressionError(f"{len(stages) + 1} stages need as many tables, not {len(tables)}")
    for table in tables:
        if len(table) != 8 * entries:
            raise ExpressionError(
                f"{len(copies[0])} squares and {sum(sets)} sets need a table of {entries:,} "
                f"entries, not {len(table) // 8:,}"
            )


def _check_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError(f"a truth must be true or false, not {short(value)}")
    return value


def _check_name(value: object) -> str:
    if not isinstance(value, str) or not value.isidentifier() or len(value) > 64:
        raise ExpressionError(f"a set of squares must have a name, not {short(value)}")
    return value


def short(value: object) -> str:
    """Return *value* for a message, cut to 40 characters."""
    text = repr(value) if not isinstance(value, list | tuple | dict) else type(value).__name__
    return shorten(text)


_LITERALS: Mapping[str, Callable[[object], Any]] = MappingProxyType(
    {
        "square": _check_square,
        "square list": _check_squares,
        "set name": _check_name,
        "direction": _one_of("a direction", DIRECTIONS),
        "directions": _check_directions,
        "symmetry": _whole_number("a symmetry", 8),
        "side": _one_of("a side", SIDES),
        "value": _check_value,
        "tables": _check_tables,
        "copies": _check_copies,
        "stages": _check_stages,
        "pattern tables": _check_pattern_tables,
        "convention": _one_of("what division by zero gives", CONVENTIONS),
        "boolean": _check_boolean,
        "position": _whole_number("the place of an argument", 8),
        "type": _one_of("a type", TYPES),
    }
)
