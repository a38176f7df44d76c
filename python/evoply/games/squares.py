"""Squares of a board: their names and numbers, and sets of squares as integers.

A set of squares is an int whose bit `row * columns + column` stands for a square; a1 is bit 0,
top left; columns are letters and rows are numbers from 1 at the top. Games on the dark squares
alone number these row by row: 1 is the second square of the top row.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evoply.protocols import BoardShape, InvalidMoveError, Position
from evoply.wording import shorten

SHAPES = {size: BoardShape(size, size) for size in (4, 6, 8, 10)}
"""The boards of the kernel's games, by the number of squares along a side."""
USUAL = SHAPES[8]
"""The usual board of Othello and checkers."""

_SQUARE = re.compile(r"([A-Za-z])([1-9][0-9]?)")


@cache
def square_name(square: int, shape: BoardShape) -> str:
    """Return the name of *square* on a board of *shape*.

    >>> square_name(0, USUAL), square_name(37, USUAL), square_name(53, BoardShape(6, 9))
    ('a1', 'f5', 'i6')
    """
    if not 0 <= square < shape.squares:
        raise ValueError(f"square {square} is not on a board of {shape}")
    row, column = divmod(square, shape.columns)
    return f"{shape.letters[column]}{row + 1}"


def parse_square(text: str, shape: BoardShape) -> int:
    """Return the square that *text* names on a board of *shape*; case does not matter.

    Raises `InvalidMoveError` if it is not a square of that board.

    >>> parse_square("F5", USUAL)
    37
    """
    match = _SQUARE.fullmatch(text.strip())
    if match is not None:
        row, column = int(match[2]) - 1, shape.letters.find(match[1].lower())
        if (row, column) in shape:
            return shape.index(row, column)
    last = square_name(shape.squares - 1, shape)
    raise InvalidMoveError(f"{shorten(text)!r} is not a square: squares are a1 to {last}")


def is_dark(square: int, shape: BoardShape) -> bool:
    """Return whether *square* is one of the dark squares; a1 is light."""
    return sum(divmod(square, shape.columns)) % 2 == 1


def square_number(square: int, shape: BoardShape) -> int:
    """Return the number of a dark square, from 1.

    >>> square_number(1, USUAL), square_number(8, USUAL), square_number(53, BoardShape(6, 9))
    (1, 5, 27)
    """
    if not (0 <= square < shape.squares and is_dark(square, shape)):
        raise ValueError(f"{square} is not a dark square of a board of {shape}")
    return square // 2 + 1


def numbered_square(number: int, shape: BoardShape) -> int:
    """Return the square with *number*; raise `InvalidMoveError` if it is not on the board.

    >>> numbered_square(1, USUAL), numbered_square(5, USUAL), numbered_square(27, BoardShape(6, 9))
    (1, 8, 53)
    """
    last = shape.squares // 2
    if not 1 <= number <= last:
        raise InvalidMoveError(f"there is no square {number} on {shape}: squares are 1 to {last}")
    pair = 2 * (number - 1)
    return pair if is_dark(pair, shape) else pair + 1


def squares_in(squares: int) -> Iterator[int]:
    """Yield the squares of a set, in ascending order.

    >>> list(squares_in(0b1011))
    [0, 1, 3]
    """
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


# Text of any game: words of transcripts and their locations, and the status line.

MAX_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class Word:
    """A move in a transcript as it is written, and the index of its first character."""

    text: str
    index: int


def check_length(text: str) -> None:
    """Raise `InvalidMoveError` if *text* is no text, or longer than any board or game."""
    if not isinstance(text, str):
        raise InvalidMoveError(f"a board or a game is read from a text, not from {text!r:.40}")
    if len(text) > MAX_CHARACTERS:
        raise InvalidMoveError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )


def place(text: str, index: int) -> str:
    """Return the location of *index* in *text*, from 1: a column, or a line and a column."""
    line_start = text.rfind("\n", 0, index) + 1
    column = f"column {index - line_start + 1}"
    if "\n" not in text.rstrip("\n"):
        return column
    line = text.count("\n", 0, index) + 1
    return f"line {line}, {column}"


def status(position: Position) -> str:
    """Return the state of a game in a few words: who is to move, must pass, or has won."""
    outcome = position.outcome()
    if outcome is not None:
        return str(outcome).capitalize() if outcome.winner is None else str(outcome)
    if position.legal_moves.must_pass:
        return f"{position.turn} must pass"
    return f"{position.turn} to move"
