"""Squares of an n x n board: their names and numbers, and sets of them held in one integer.

A set of squares is an int whose bit `row * size + column` stands for a square; a1 is bit 0,
top left; columns are letters and rows are numbers from 1 at the top. Games on the dark squares
alone number these row by row: 1 is the second square of the top row.
"""

import re
from collections.abc import Iterator
from functools import cache

from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

SIZES = (4, 6, 8, 10)
"""Squares along one side of the boards that the kernel knows."""

_SQUARE = re.compile(r"([A-Za-z])([1-9][0-9]?)")


@cache
def square_name(square: int, size: int) -> str:
    """Return the name of *square* on a board of *size*.

    >>> square_name(0, 8), square_name(37, 8), square_name(99, 10)
    ('a1', 'f5', 'j10')
    """
    if not 0 <= square < size * size:
        raise ValueError(f"square {square} is not on a board of {size}x{size}")
    row, column = divmod(square, size)
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_square(text: str, size: int) -> int:
    """Return the square that *text* names on a board of *size*; case does not matter.

    Raises `InvalidMoveError` if it is not a square of that board.

    >>> parse_square("F5", 8)
    37
    """
    match = _SQUARE.fullmatch(text.strip())
    if match is not None:
        column = ord(match[1].lower()) - ord("a")
        row = int(match[2]) - 1
        if column < size and row < size:
            return row * size + column
    last = square_name(size * size - 1, size)
    raise InvalidMoveError(f"{shorten(text)!r} is not a square: squares are a1 to {last}")


def is_dark(square: int, size: int) -> bool:
    """Return whether *square* is one of the dark squares; a1 is light."""
    return (square // size + square % size) % 2 == 1


def square_number(square: int, size: int) -> int:
    """Return the number of a dark square, from 1.

    >>> square_number(1, 8), square_number(8, 8), square_number(98, 10)
    (1, 5, 50)
    """
    row, column = divmod(square, size)
    if not 0 <= row < size or (row + column) % 2 == 0:
        raise ValueError(f"{square} is no dark square of a board of {size}x{size}")
    return row * (size // 2) + column // 2 + 1


def numbered_square(number: int, size: int) -> int:
    """Return the square with *number*; raise `InvalidMoveError` if there is none.

    >>> numbered_square(1, 8), numbered_square(5, 8), numbered_square(50, 10)
    (1, 8, 98)
    """
    last = size * size // 2
    if not 1 <= number <= last:
        raise InvalidMoveError(
            f"there is no square {number} on {size}x{size}: squares are 1 to {last}"
        )
    row, half = divmod(number - 1, size // 2)
    return row * size + 2 * half + (row + 1) % 2


def squares_in(squares: int) -> Iterator[int]:
    """Yield the squares of a set, in ascending order.

    >>> list(squares_in(0b1011))
    [0, 1, 3]
    """
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest
