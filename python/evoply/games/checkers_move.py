"""Checkers moves: one move as a value, its text, and the legal moves of a position as a sequence.

Squares are those of the whole board (see `evoply.games.squares`); texts use the usual numbers,
which count the dark squares row by row: 1 is the second square of the top row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

# How the kernel packs a move: square, up to 16 diagonals of two bits from the first, jumps.
_JUMPS_BITS, _PATH_BITS = 5, 32
_MOST_JUMPS = 16
_DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))

_MOVE = re.compile(r"[0-9]{1,2}(?:\s*[-xX:×]\s*[0-9]{1,2}){1,16}")


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


def parse_squares(text: str, size: int) -> tuple[int, ...]:
    """Return the squares that *text*, such as "11-15" or "15x31", names.

    Raises `InvalidMoveError` if it is not written like a move.
    """
    if _MOVE.fullmatch(text.strip()) is None:
        raise InvalidMoveError(
            f"cannot read {shorten(text)!r} as a move: write 11-15 for a step and 15x24 for a"
            f" capture, with squares 1 to {size * size // 2}"
        )
    numbers = re.findall("[0-9]+", text)
    try:
        return tuple(numbered_square(int(number), size) for number in numbers)
    except InvalidMoveError as error:
        raise InvalidMoveError(f"cannot read {text.strip()!r} as a move: {error}") from None


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A step or a capture: the squares that one piece comes to, the one it leaves first.

    A capture with several jumps is one move. Raises `InvalidMoveError` if no piece could ever
    move so.

    >>> move = Move.parse("15x24x31")
    >>> move, move.is_capture, [square_number(square, 8) for square in move.captured]
    (Move.parse('15x24x31'), True, [19, 27])
    """

    path: tuple[int, ...]
    size: int = 8
    _code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_code", _code_of_path(self.path, self.size))

    @classmethod
    def parse(cls, text: str, size: int = 8) -> "Move":
        """Return the move that *text* writes in full: "11-15", or every square of a capture.

        Raises `InvalidMoveError` if it cannot be read. Texts that leave out squares between the
        first and the last need a position: see `Position.parse_move`.
        """
        return cls(parse_squares(text, size), size)

    @classmethod
    def from_code(cls, code: int, size: int = 8) -> "Move":
        """Return the move that the kernel knows as *code* on a board of *size*."""
        jumps = code & ((1 << _JUMPS_BITS) - 1)
        path = [code >> (_PATH_BITS + _JUMPS_BITS)]
        for index in range(min(max(jumps, 1), _MOST_JUMPS)):
            diagonal = code >> (_PATH_BITS + _JUMPS_BITS - 2 - 2 * index) & 3
            down, right = _DIAGONALS[diagonal]
            path.append(path[-1] + (down * size + right) * (2 if jumps else 1))
        message = f"{code} is not a move code of a board of {size}x{size}"
        try:
            move = cls(tuple(path), size)
        except InvalidMoveError as error:
            raise InvalidMoveError(message) from error
        if move._code != code:
            raise InvalidMoveError(message)
        return move

    def code(self, size: int) -> int:
        """Return the kernel's number of this move; codes sort as legal moves do."""
        return self._code

    @property
    def is_capture(self) -> bool:
        """Whether the move jumps."""
        return bool(self._code & ((1 << _JUMPS_BITS) - 1))

    @property
    def captured(self) -> tuple[int, ...]:
        """The squares jumped over, in order."""
        return tuple((a + b) // 2 for a, b in pairwise(self.path)) if self.is_capture else ()

    def turned(self) -> "Move":
        """Return the move on the board turned half round."""
        last = self.size * self.size - 1
        return Move(tuple(last - square for square in self.path), self.size)

    def __str__(self) -> str:
        return text_of(self.path, self.size, is_capture=self.is_capture)

    def __repr__(self) -> str:
        return f"Move.parse('{self}'{'' if self.size == 8 else f', {self.size}'})"


def text_of(squares: Sequence[int], size: int, *, is_capture: bool) -> str:
    """Return *squares* as the text of a move: "11-15" or "15x24x31"."""
    numbers = (str(square_number(square, size)) for square in squares)
    return ("x" if is_capture else "-").join(numbers)


def _code_of_path(path: Sequence[int], size: int) -> int:
    """Return the kernel's number of the move along *path*, checking that there is such a move."""
    code = path[0] << (_PATH_BITS + _JUMPS_BITS) if path else 0
    jumps = 0
    try:
        numbers = [square_number(square, size) for square in path]
    except ValueError as error:
        raise InvalidMoveError(str(error)) from None
    for index, (before, after) in enumerate(pairwise(path)):
        down, right = after // size - before // size, after % size - before % size
        reach = abs(down)
        if reach != abs(right) or reach not in (1, 2) or (reach == 1 and len(path) > 2):
            break
        jumps += reach == 2
        diagonal = _DIAGONALS.index((down // reach, right // reach))
        code |= diagonal << (_PATH_BITS + _JUMPS_BITS - 2 - 2 * index)
    else:
        if 2 <= len(path) <= _MOST_JUMPS + 1:
            return code + jumps
    squares = ", ".join(map(str, numbers[: _MOST_JUMPS + 2]))
    raise InvalidMoveError(
        f"no piece moves along the squares {squares}: a step goes to the next dark square, and"
        " each jump of a capture two squares along a diagonal, all of them written"
    )


@dataclass(frozen=True, slots=True, repr=False)
class LegalMoves(Sequence[Move]):
    """The legal moves of a position in order: by the square they leave, then by path."""

    moves: tuple[Move, ...]

    @property
    def must_pass(self) -> bool:
        """Never: who cannot move has lost or won."""
        return False

    def __len__(self) -> int:
        return len(self.moves)

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        return self.moves[index]

    def __str__(self) -> str:
        return " ".join(map(str, self.moves))

    def __repr__(self) -> str:
        return f"LegalMoves({', '.join(map(str, self.moves))})"
