"""The table of operations of board expressions, with their types; sets of squares and tables.

This module also checks literals. It knows the sizes of boards and the written form
`[operation, argument, ...]`, but not expressions.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from string import ascii_lowercase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from evoply.games.squares import SHAPES, is_dark
from evoply.protocols import BoardShape
from evoply.protocols.sections import JsonData
from evoply.when_used import module_when_used
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    import numpy as np
else:
    np = module_when_used("numpy")

Made = TypeVar("Made")

OFFSETS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "n": (-1, 0),
        "ne": (-1, 1),
        "e": (0, 1),
        "se": (1, 1),
        "s": (1, 0),
        "sw": (1, -1),
        "w": (0, -1),
        "nw": (-1, -1),
    }
)
"""The directions, each with its step: rows down and columns to the right."""
DIRECTIONS = tuple(OFFSETS)
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
MIXED = "mixed"
"""The word before the stages of a pattern whose tables are mixed between these numbers."""
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
        return _each_once(
            lambda table: 0 if is_zero(table) else base64.b64encode(table).decode(),
            value,
        )
    return list(value) if isinstance(value, tuple) else value


def is_zero(table: bytes) -> bool:
    """Return whether all entries of *table* are 0, as before anything is learned."""
    return table.count(0) == len(table)


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


def _check_stages(value: object) -> tuple[int | str, ...]:
    """Return where stages begin; after the word "mixed", the number for which each table holds."""
    if isinstance(value, list | tuple) and value and value[0] == MIXED:
        if len(value) < 3:
            raise ExpressionError("tables that are mixed hold for two numbers of pieces or more")
        return (MIXED, *_check_stages(value[1:]))
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
    if type(table) is int and table == 0:
        return b""  # zeros, whose number the squares decide
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
            f"a table of a pattern must be a list of numbers, its doubles in base64, or 0, not "
            f"{short(table)}"
        ) from None
    if values.ndim != 1 or len(values) > MAX_ENTRIES:
        raise ExpressionError(f"a table of a pattern has at most {MAX_ENTRIES:,} numbers in a row")
    if not np.isfinite(values).all():
        raise ExpressionError("an entry of a table is not a finite number")
    if not len(values):
        raise ExpressionError("a table of a pattern has no entry")
    return table if isinstance(table, bytes) else values.tobytes()


def number_of_tables(stages: Sequence[int | str]) -> int:
    """Return how many tables a pattern with these *stages* has.

    >>> number_of_tables((20, 40)), number_of_tables(("mixed", 20, 40))
    (3, 2)
    """
    return len(stages) - 1 if MIXED in stages else len(stages) + 1


def checked_pattern(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return *arguments* of a pattern with whole tables, where 0 stands for one of zeros.

    Raises `ExpressionError` unless sets, copies, stages and tables fit together.
    """
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
    number = number_of_tables(stages)
    if len(tables) != number:
        raise ExpressionError(f"{number} stages need as many tables, not {len(tables)}")
    zeros = bytes(8 * entries)
    tables = tuple(table or zeros for table in tables)
    for table in tables:
        if len(table) != 8 * entries:
            raise ExpressionError(
                f"{len(copies[0])} squares and {sum(sets)} sets need a table of {entries:,} "
                f"entries, not {len(table) // 8:,}"
            )
    return (*arguments[:7], tables)


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


# Named sets of squares, computed from the geometry of a board.
#
# A set is an int: bit row * columns + column stands for a square, bit 0 for a1 at the top left.
# This module knows neither pieces nor rules.


@lru_cache(maxsize=16)
def square_sets(shape: BoardShape) -> Mapping[str, int]:
    """Return every named set of squares of a board of *shape*, by name.

    `corners`; `near_corners`, the 12 squares beside a corner, made of `x_squares` (diagonally) and
    `c_squares` (along the edge); `edges` with and `edges_without_corners` without the corners;
    `ring_1` (the edge) inwards; `class_a`, `class_b`, ... the symmetry classes counted from the
    corner, row by row over the upper triangle of a quadrant; `centre_class_a`, ... the same
    classes counted from the centre; `all`. On a board that is not square a class has four squares
    at most. Raises `ValueError` if there are fewer than 4 rows or columns.

    >>> sets = square_sets(BoardShape(8, 8))
    >>> [sets[name].bit_count() for name in ("corners", "near_corners", "edges")]
    [4, 12, 28]
    >>> [sets[f"class_{letter}"].bit_count() for letter in "abcdefghij"]
    [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]
    """
    classes = _classes(shape)
    rings: dict[int, int] = {}
    for distances, squares in classes.items():
        rings[min(distances)] = rings.get(min(distances), 0) | squares
    sets = {
        "all": (1 << shape.squares) - 1,
        "corners": classes[0, 0],
        "near_corners": classes[0, 1] | classes.get((1, 0), 0) | classes[1, 1],
        "x_squares": classes[1, 1],
        "c_squares": classes[0, 1] | classes.get((1, 0), 0),
        "centre": classes[max(classes)],
        **{f"ring_{ring + 1}": squares for ring, squares in rings.items()},
        "edges": rings[0],
        "edges_without_corners": rings[0] & ~classes[0, 0],
        "dark": bits(square for square in range(shape.squares) if is_dark(square, shape)),
    }
    outwards = reversed(classes.values())
    for letter, squares, other in zip(ascii_lowercase, classes.values(), outwards, strict=False):
        sets[f"class_{letter}"] = squares
        sets[f"centre_class_{letter}"] = other
    return MappingProxyType(sets)


def _classes(shape: BoardShape) -> dict[tuple[int, int], int]:
    """Return the classes by the distances of their squares from the nearest edges.

    On a square board the smaller distance comes first, on others the distance by rows.
    """
    if min(shape.rows, shape.columns) < 4:
        raise ValueError(f"a board must have at least 4 rows and 4 columns, not {shape}")
    classes: dict[tuple[int, int], int] = {}
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        down, right = min(row, shape.rows - 1 - row), min(column, shape.columns - 1 - column)
        key = (right, down) if shape.is_square and right < down else (down, right)
        classes[key] = classes.get(key, 0) | 1 << square
    return classes


def class_letters(shape: BoardShape) -> str:
    """Return the letters of the symmetry classes: "abcdefghij" on 8x8, to "o" on 10x10."""
    return ascii_lowercase[: len(_classes(shape))]


RANKS = ("farthest_rank", "nearest_rank")
"""Sets that each side has for itself: the ranks farthest from and nearest to where it begins.

They are written for Black, who begins at the top, and turned half round for White.
"""


def named_squares(shape: BoardShape, name: str) -> int:
    """Return the set called *name* on a board of *shape*; `ExpressionError` offers near names."""
    if name in RANKS or name == "all":
        rank = (1 << shape.columns) - 1
        last = rank << shape.index(shape.rows - 1, 0)
        return {"all": (1 << shape.squares) - 1, RANKS[0]: last, RANKS[1]: rank}[name]
    sets = square_sets(shape)
    if name not in sets:
        hint = did_you_mean(name, sets) or f"; it has {', '.join(sets)}"
        raise ExpressionError(f"a {shape} board has no squares called {name!r}{hint}")
    return sets[name]


def is_set_name(name: str) -> bool:
    """Return whether some board has a set of squares called *name*."""
    return name in RANKS or any(name in square_sets(shape) for shape in SHAPES.values())


def set_name_hint(name: str) -> str:
    """Return an unknown *name* for a message, with the nearest name or most set names."""
    if re.fullmatch("[a-z][1-9][0-9]?", name):
        return f"{name!r}; a square by name is in a list: squares([{name!r}])"
    names = dict.fromkeys(set_name for shape in SHAPES.values() for set_name in square_sets(shape))
    names.update(dict.fromkeys(RANKS))
    listed = [name for name in names if "class_" not in name]
    hint = did_you_mean(name, names) or "."
    return (
        f"{shorten(name)!r}{hint} There are {', '.join(listed)}, class_a, class_b, ... and "
        "centre_class_a, ..."
    )


def bits(indices: Iterable[int]) -> int:
    """Return the set of the squares with these indices."""
    squares = 0
    for index in indices:
        squares |= 1 << index
    return squares


def square_index(shape: BoardShape, square: int | str) -> int:
    """Return the checked index of a square, from an index or a name ("e4")."""
    if isinstance(square, str):
        column, row = ascii_lowercase.index(square[0]), int(square[1:]) - 1
    else:
        row, column = divmod(square, shape.columns)
    if (row, column) not in shape:
        raise ExpressionError(f"square {square!r} is not on a {shape} board")
    return shape.index(row, column)


# The weights of leaves by their place in a tree, as a property of a set of primitives.
#
# On the way from the root a bit string grows: 0 to the left child, 1 to the right, and the bits of
# no-op nodes such as `B01`. At a leaf the bits are read as a whole number k; the leaf has the
# weight 1/k, or 1 if k is 0. `evoply.gp.place_weights` reads trees; this module says what is
# weighed. Source: Bellin & Gasperin, "Genetic Programming and Othello", sections 2 and 3.3.5.

Weighing = Literal["positional", "noop_only"]


@dataclass(frozen=True, slots=True)
class Weights(JsonData):
    """The bits that weigh a leaf: those of its position and of no-ops, or those of no-ops only.

    *constants* says whether numbers are weighed like features.
    """

    mode: Weighing = "positional"
    constants: bool = True

    def __post_init__(self) -> None:
        if self.mode not in get_args(Weighing):
            raise ExpressionError(
                f"weights are {' or '.join(get_args(Weighing))}, not {short(self.mode)}"
            )
        if not isinstance(self.constants, bool):
            raise ExpressionError(f"constants must be true or false, not {short(self.constants)}")

    @staticmethod
    def from_dict(data: object) -> Weights:
        """Return the weights that plain *data* describes."""
        if not isinstance(data, dict) or set(data) != {"mode", "constants"}:
            raise ExpressionError(f"weights must have a mode and constants, not {data!r:.60}")
        return Weights(**data)
