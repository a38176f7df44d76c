"""Parameters of primitives: values that are drawn once for a node of a tree and stay with it.

A primitive with a parameter is a family, such as `IsEmptySquare`, whose members are nodes:
`IsEmptySquare[c4]`. Its expression takes the parameter as argument 0. Values are copied with their
node and written in its name. Source: Benbassat & Sipper, "Evolving Board-Game Players with Genetic
Programming" (GECCO 2011), Tables 1 and 2.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import ClassVar

from evoply._native import Stream
from evoply.expressions.expression import Expression
from evoply.expressions.functions import number, squares, squares_turned
from evoply.expressions.operations import ExpressionError, short
from evoply.expressions.square_sets import named_squares, square_index
from evoply.games.squares import SHAPES, square_name, squares_in
from evoply.json_data import JsonData
from evoply.protocols import BoardShape

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class NumberParameter(JsonData):
    """A number, drawn uniformly from [*low*, *high*); a text may write any finite number."""

    kind_in_json: ClassVar = {"kind": "number"}
    low: float
    high: float
    type: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ExpressionError(
                f"a parameter is drawn from a range low < high, not {self.low} to {self.high}"
            )

    def draw(self, stream: Stream) -> float:
        """Draw a value."""
        return self.low + (self.high - self.low) * stream.random()

    def step(self, value: float | str, stream: Stream, noise: Callable[[Stream], float]) -> float:
        """Return *value* plus *noise*, limited to the range."""
        moved = float(value) + noise(stream)
        return min(max(moved, self.low), math.nextafter(self.high, self.low))

    def read(self, text: str) -> float:
        """Return the value that *text* writes; `ExpressionError` if it is not a finite number."""
        value = float(text) if _NUMBER.fullmatch(text) else math.inf
        if math.isinf(value):
            raise ExpressionError(f"{short(text)} is not a finite number")
        return value

    def write(self, value: float | str) -> str:
        """Return the shortest text that `read` reads as the same number."""
        return repr(float(value)).removesuffix(".0")

    def expression(self, value: float | str) -> Expression:
        """Return the constant for argument 0."""
        return number(float(value))

    def check_fits(self, shape: BoardShape) -> None:
        """Do nothing: a number fits every board."""


@dataclass(frozen=True, slots=True)
class SquareParameter(JsonData):
    """A square, drawn uniformly from the named set *among* of a board of *shape*.

    Argument 0 is the set of only this square. A *relative* square turns half round with the board
    when own is White, so that one evaluator serves both colours.
    """

    kind_in_json: ClassVar = {"kind": "square"}
    shape: BoardShape = field(metadata={"json": "*"})
    among: str = "all"
    relative: bool = True
    type: ClassVar[str] = "squares"

    def __post_init__(self) -> None:
        if self.shape not in SHAPES.values():
            raise ExpressionError(f"no board has the shape {self.shape}")
        named_squares(self.shape, self.among)

    def draw(self, stream: Stream) -> str:
        """Draw a square."""
        choices = _names(self.shape, self.among)
        return choices[stream.below(len(choices))]

    def step(self, value: float | str, stream: Stream, noise: Callable[[Stream], float]) -> str:
        """Return a drawable square beside *value* (also diagonally), or *value* if none is."""
        choices = _neighbours(self.shape, self.among, str(value))
        return choices[stream.below(len(choices))] if choices else str(value)

    def images(self, value: float | str) -> tuple[str, ...]:
        """Return where each symmetry of the board takes a square, the identity first.

        There are eight symmetries on a square board and four on others; those are left out that do
        not leave the set *among* as it is.
        """
        return tuple(images[str(value)] for images in _symmetries(self.shape, self.among))

    def read(self, text: str) -> str:
        """Return the square that *text* names; `ExpressionError` if it cannot be drawn."""
        if text not in _names(self.shape, self.among):
            kind = "a" if self.among == "all" else f"one of the {self.among}:"
            raise ExpressionError(f"{short(text)} is not {kind} square of the {self.shape} board")
        return text

    def write(self, value: float | str) -> str:
        """Return the name of the square."""
        return str(value)

    def expression(self, value: float | str) -> Expression:
        """Return the set of one square for argument 0."""
        return squares_turned([str(value)]) if self.relative else squares([str(value)])

    def check_fits(self, shape: BoardShape) -> None:
        """Raise `ExpressionError` unless *shape* is the shape of this parameter's board."""
        if shape != self.shape:
            raise ExpressionError(f"its squares are those of a {self.shape} board")


Parameter = NumberParameter | SquareParameter


def parameter_from_dict(data: object) -> Parameter:
    """Return the parameter that plain *data* describes; `ExpressionError` says what is wrong."""
    fields = dict(data) if isinstance(data, dict) else {}
    kind = fields.pop("kind", None)
    if kind == "number" and set(fields) == {"low", "high"}:
        if all(type(end) in (int, float) and abs(end) <= 1e12 for end in fields.values()):
            return NumberParameter(float(fields["low"]), float(fields["high"]))
    elif kind == "square":
        types = {name: type(value) for name, value in fields.items()}
        if types == {"rows": int, "columns": int, "among": str, "relative": bool}:
            shape = BoardShape(fields.pop("rows"), fields.pop("columns"))
            return SquareParameter(shape, **fields)
    raise ExpressionError(
        "a parameter must be {kind = 'number', low, high} or "
        f"{{kind = 'square', rows, columns, among, relative}}, not {data!r:.60}"
    )


@lru_cache(maxsize=64)
def _symmetries(shape: BoardShape, among: str) -> tuple[dict[str, str], ...]:
    """Return where each symmetry that leaves a set of squares as it is takes each of them."""
    names, found = _names(shape, among), []
    for turned, down, right in product((False, True), repeat=3):
        if turned and not shape.is_square:
            continue
        images = {}
        for name in names:
            row, column = divmod(square_index(shape, name), shape.columns)
            row, column = (column, row) if turned else (row, column)
            row = shape.rows - 1 - row if down else row
            column = shape.columns - 1 - column if right else column
            images[name] = square_name(shape.index(row, column), shape)
        if set(images.values()) == set(names):
            found.append(images)
    return tuple(found)


@lru_cache(maxsize=64)
def _names(shape: BoardShape, among: str) -> tuple[str, ...]:
    return tuple(square_name(square, shape) for square in squares_in(named_squares(shape, among)))


@lru_cache(maxsize=4096)
def _neighbours(shape: BoardShape, among: str, square: str) -> tuple[str, ...]:
    index = square_index(shape, square)
    names = _names(shape, among)
    return tuple(name for name in names if shape.distance(index, square_index(shape, name)) == 1)
