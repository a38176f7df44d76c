"""Patterns (n-tuples): table look-ups by the contents of a few squares.

A pattern reads its squares in order. The digit of a square is the number, from 1, of the first of
its sets that holds the square, or 0; the digits form an index, the first being the most
significant. Several lists of squares, its copies, share its tables, and their values are added.
Every stage of the game, by pieces on the board, has a table. Sources: Buro, "Improving heuristic
mini-max search by supervised learning" (2002); Lucas, "Learning to play Othello with n-tuple
systems" (2007).
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, cast

from evoply.expressions import written_form
from evoply.expressions.expression import Number, Squares, build
from evoply.expressions.functions import board
from evoply.expressions.operations import MAX_ENTRIES, ExpressionError
from evoply.expressions.square_sets import square_index
from evoply.games.squares import USUAL, square_name
from evoply.protocols import BoardShape

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
    stages: Sequence[int] = (),
) -> Number:
    """Return the sum of the table entries of *copies*, lists of equally many squares.

    *sets*: the one to four sets that a square can be in; with kings for example `board.own_men`,
    `board.own_kings`, `board.opponent_men`, `board.opponent_kings`. *turned*: squares turn half
    round with the board when own is White. *stages*: the numbers of pieces on the board at which
    the next table begins. *tables*: one more than *stages*, each of (sets + 1) ** squares numbers,
    at most 65,536; all 0 by default.

    >>> corner = pattern(symmetric_copies(["a1"], BoardShape(8, 8)), [[0, 25, -25]])
    >>> from evoply.games.othello import Position
    >>> corner.evaluate(Position())
    0.0
    """
    if tables is None and copies and 1 <= len(sets) <= 4:
        entries = (len(sets) + 1) ** min(len(copies[0]), 17)
        zeros = bytes(8 * entries) if entries <= MAX_ENTRIES else b""
        tables = [zeros] * (len(stages) + 1)
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
) -> Number:
    """Return the sum of patterns with all entries 0, for the side to move on a board of *shape*.

    Each part has squares, such as "a1 b1", or the name of one of `OTHELLO_PATTERNS`, and the
    symmetries under which they share a table; None is all of them. With *moves_pieces* men and
    kings differ, the board is read from the own side, and None is the unchanged board only.

    >>> sum_of_patterns([("a1 b1", None), ("row_2", None)], BoardShape(8, 8)).op
    'add'
    """
    sets: tuple[Squares, ...] = (board.own, board.opponent)
    if moves_pieces:
        sets = (board.own_men, board.own_kings, board.opponent_men, board.opponent_kings)
    total: Number | None = None
    for squares, symmetries in parts:
        names = OTHELLO_PATTERNS.get(squares, squares).split()
        usual = (0,) if moves_pieces else None
        copies = symmetric_copies(names, shape, usual if symmetries is None else symmetries)
        part = pattern(copies, sets=sets, turned=moves_pieces, stages=stages)
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
