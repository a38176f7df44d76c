"""Parameters of primitives: values drawn once for a node of a tree; patterns and their tables.

A primitive with a parameter is a family, such as `IsEmptySquare`, whose members are nodes:
`IsEmptySquare[c4]`. Its expression takes the parameter as argument 0. Values are copied with their
node and written in its name. Source: Benbassat & Sipper, "Evolving Board-Game Players with Genetic
Programming" (GECCO 2011), Tables 1 and 2.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, ClassVar, cast

from evoply._native import Stream
from evoply.expressions import written_form
from evoply.expressions.expression import Expression, Number, Squares, build
from evoply.expressions.functions import board, number, squares, squares_turned
from evoply.expressions.operations import (
    MAX_ENTRIES,
    MIXED,
    ExpressionError,
    named_squares,
    number_of_tables,
    short,
    square_index,
)
from evoply.games.squares import SHAPES, USUAL, square_name, squares_in
from evoply.protocols import BoardShape
from evoply.protocols.sections import JsonData

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


# Patterns (n-tuples): table look-ups by the contents of a few squares.
#
# A pattern reads its squares in order. The digit of a square is the number, from 1, of the first of
# its sets that holds the square, or 0; the digits form an index, the first being the most
# significant. Several lists of squares, its copies, share its tables, and their values are added.
# Every stage of the game, by pieces on the board, has a table. Sources: Buro, "Improving heuristic
# mini-max search by supervised learning" (2002); Lucas, "Learning to play Othello with n-tuple
# systems" (2007).

OTHELLO_PATTERNS = {
    "corner_3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "corner_2x4": "a1 b1 c1 d1 a2 b2 c2 d2",
    "edge_with_x": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "row_1": "a1 b1 c1 d1 e1 f1 g1 h1",
    "row_2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "row_3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "row_4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal_4": "d1 c2 b3 a4",
    "diagonal_5": "e1 d2 c3 b4 a5",
    "diagonal_6": "f1 e2 d3 c4 b5 a6",
    "diagonal_7": "g1 f2 e3 d4 c5 b6 a7",
    "diagonal_8": "h1 g2 f3 e4 d5 c6 b7 a8",
}
"""Twelve patterns of 8x8: the classes in use since Logistello."""


def symmetric_copies(
    squares: Iterable[int | str], shape: BoardShape, symmetries: Iterable[int] | None = None
) -> tuple[tuple[str, ...], ...]:
    """Return the images of *squares* under symmetries of the board, each set of squares once.

    *symmetries*, all by default, are numbered as in `Squares.symmetry`; 0 changes nothing.

    >>> symmetric_copies(["a1", "b1"], BoardShape(4, 4), [0, 1, 2, 3])
    (('a1', 'b1'), ('d1', 'c1'), ('a4', 'b4'), ('d4', 'c4'))
    """
    places = [divmod(square_index(shape, square), shape.columns) for square in squares]
    copies: dict[frozenset[str], tuple[str, ...]] = {}
    for index in shape.symmetries if symmetries is None else symmetries:
        if index not in shape.symmetries:
            last = shape.symmetries[-1]
            raise ExpressionError(f"no symmetry {index!r}: symmetries are 0 to {last}")
        image = tuple(_image(row, column, index, shape) for row, column in places)
        copies.setdefault(frozenset(image), image)
    return tuple(copies.values())


def _image(row: int, column: int, index: int, shape: BoardShape) -> str:
    if index & 4:
        row, column = column, row
    if index & 2:
        row = shape.rows - 1 - row
    if index & 1:
        column = shape.columns - 1 - column
    return square_name(shape.index(row, column), shape)


def straight_tuples(length: int, shape: BoardShape = USUAL) -> tuple[str, ...]:
    """Return all straight lines of *length* squares, each once up to symmetry.

    Lines run along rows, columns and diagonals. Source: Jaskowski, "Systematic n-tuple networks
    for Othello position evaluation" (2014), where lines of two and three squares did best.

    >>> straight_tuples(2, BoardShape(4, 4))[:3], len(straight_tuples(3))
    (('a1 b1', 'a1 b2', 'b1 c1'), 24)
    """
    lines: dict[frozenset[str], str] = {}
    for square, (down, right) in product(range(shape.squares), ((0, 1), (1, 0), (1, 1), (1, -1))):
        row, column = divmod(square, shape.columns)
        if (row + (length - 1) * down, column + (length - 1) * right) not in shape:
            continue
        step = shape.index(down, right)
        names = [square_name(square + index * step, shape) for index in range(length)]
        copies = symmetric_copies(names, shape)
        if not any(frozenset(copy) in lines for copy in copies):
            lines[frozenset(names)] = " ".join(names)
    return tuple(lines.values())


def pattern(
    copies: Sequence[Sequence[int | str]],
    tables: Sequence[Any] | None = None,
    *,
    sets: Sequence[Squares] = (board.own, board.opponent),
    turned: bool = False,
    stages: Sequence[int | str] = (),
) -> Number:
    """Return the sum of the table entries of *copies*, lists of equally many squares.

    *sets*: the one to four sets that a square can be in; with kings for example `board.own_men`,
    `board.own_kings`, `board.opponent_men`, `board.opponent_kings`. *turned*: squares turn half
    round with the board when own is White. *stages*: the numbers of pieces on the board at which
    the next table begins. *tables*: one more than *stages*, each of (sets + 1) ** squares numbers,
    at most 65,536; all 0 by default. After the word "mixed" *stages* has a number of pieces
    for each table, for which it holds as it is; between two of them an entry is a linear mix.

    >>> corner = pattern(symmetric_copies(["a1"], BoardShape(8, 8)), [[0, 25, -25]])
    >>> from evoply.games.othello import Position
    >>> corner.evaluate(Position())
    0.0
    """
    if tables is None and copies and 1 <= len(sets) <= 4:
        entries = (len(sets) + 1) ** min(len(copies[0]), 17)
        zeros: bytes | int = bytes(8 * entries) if entries <= MAX_ENTRIES else 0
        tables = [zeros] * number_of_tables(stages)
    if not 1 <= len(sets) <= 4:
        raise ExpressionError(f"a pattern must have 1 to 4 sets, not {len(sets)}")
    four = [*sets, None, None, None][:4]
    return cast(Number, build("pattern", *four, copies, turned, stages, tables))


def sum_of_patterns(
    parts: Iterable[tuple[str, Iterable[int] | None]],
    shape: BoardShape,
    *,
    moves_pieces: bool = False,
    stages: Sequence[int] = (),
    mixed: bool = False,
) -> Number:
    """Return the sum of patterns with all entries 0, for the side to move on a board of *shape*.

    Each part has squares, such as "a1 b1", or the name of one of `OTHELLO_PATTERNS`, and the
    symmetries under which they share a table; None is all of them. With *moves_pieces* men and
    kings differ, the board is read from the own side, and None is the unchanged board only. Tables
    that are *mixed* hold in the middle of their stages, of which the first begins with an empty
    board and the last ends with a full one.

    >>> sum_of_patterns([("a1 b1", None), ("row_2", None)], BoardShape(8, 8)).op
    'add'
    """
    sets: tuple[Squares, ...] = (board.own, board.opponent)
    if moves_pieces:
        sets = (board.own_men, board.own_kings, board.opponent_men, board.opponent_kings)
    borders = (0, *stages, shape.squares)
    middles = [(first + end) // 2 for first, end in pairwise(borders)]
    held: Sequence[int | str] = (MIXED, *middles) if mixed else stages
    total: Number | None = None
    for text, symmetries in parts:
        names = OTHELLO_PATTERNS.get(text, text).split()
        usual = (0,) if moves_pieces else None
        copies = symmetric_copies(names, shape, usual if symmetries is None else symmetries)
        part = pattern(copies, sets=sets, turned=moves_pieces, stages=held)
        # Raises an error that says what is wrong with these squares.
        written_form.to_dict([part], shape, keep_parameters=True)
        total = part if total is None else total + part
    if total is None:
        raise ExpressionError("a sum must have at least one pattern")
    return total


def othello_patterns(shape: BoardShape = USUAL, *, stages: Sequence[int] = ()) -> Number:
    """Return the sum of the patterns of `OTHELLO_PATTERNS`, with all tables 0, for learning."""
    if shape != USUAL:
        raise ExpressionError(f"these patterns are those of the {USUAL} board, not of {shape}")
    return sum_of_patterns([(name, None) for name in OTHELLO_PATTERNS], shape, stages=stages)
