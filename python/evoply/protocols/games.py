"""What every game has: colours, outcomes, positions, records, diagrams, clocks.

This module knows no game and no player.

Reasons: docs/design/kernel.md, docs/design/players.md.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from string import ascii_lowercase
from typing import Any, Protocol, Self


class Color(Enum):
    """One of the two sides; Black moves first in every game."""

    BLACK = "black"
    WHITE = "white"

    @property
    def opposite(self) -> "Color":
        """The other side."""
        return Color.WHITE if self is Color.BLACK else Color.BLACK

    def __str__(self) -> str:
        return self.value.capitalize()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a finished game, as the board alone decides it.

    *winner* is None for a draw. *disc_difference* is Black's pieces minus White's pieces on
    the board, and counts no empty squares (`Position.official_difference` awards them).
    *by_count* says whether the number of pieces decides, so that a win has a margin.
    """

    winner: Color | None
    disc_difference: int
    by_count: bool = field(default=True, compare=False, repr=False)

    def points(self, color: Color) -> float:
        """Return the points of *color*: 1 for a win, 0.5 for a draw, 0 for a loss."""
        if self.winner is None:
            return 0.5
        return 1.0 if self.winner is color else 0.0

    def __str__(self) -> str:
        if self.winner is None:
            return "draw"
        return f"{self.winner} wins{f' by {abs(self.disc_difference)}' if self.by_count else ''}"


class Ending(Enum):
    """What ended a game: the board, a rule about draws, or a forfeit; in the kernel's order.

    Only seats outside the kernel forfeit games. What a file states about a game that goes on on its
    board is `STATED`: nobody knows whether it was given up, lost by time or agreed.
    """

    BOARD = "board"
    QUIET_PLIES = "quiet plies"
    REPETITION = "repetition"
    CAP = "cap"
    FORFEIT = "forfeit"
    STATED = "stated"


Row = tuple[int, int, int, bool, int, int]
"""A position as the kernel knows it: Black's squares, White's, kings of both, whether Black is to
move, plies played, quiet plies. Games without kings and quiet plies have 0 there."""


@dataclass(frozen=True, slots=True)
class BoardShape:
    """The rows and columns of a board, whose squares are counted row by row from the top left.

    >>> shape = BoardShape(6, 9)
    >>> str(shape), shape.squares, shape.index(1, 2), (5, 8) in shape, (8, 5) in shape
    ('6x9', 54, 11, True, False)
    """

    rows: int
    columns: int

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.rows * self.columns

    @property
    def letters(self) -> str:
        """The letters of the columns."""
        return ascii_lowercase[: self.columns]

    @property
    def is_square(self) -> bool:
        """Whether there are as many rows as columns."""
        return self.rows == self.columns

    @property
    def side(self) -> int:
        """The rows and columns of a square board; raises `ValueError` for any other."""
        if not self.is_square:
            raise ValueError(f"a board of {self} is not square")
        return self.rows

    @property
    def symmetries(self) -> range:
        """The kernel's numbers of the symmetries; from 4 on they turn columns into rows."""
        return range(8 if self.is_square else 4)

    def index(self, row: int, column: int) -> int:
        """Return the number of a square."""
        return row * self.columns + column

    def distance(self, square: int, other: int) -> int:
        """Return the steps between two squares, along rows, columns and diagonals."""
        (row, column), (to_row, to_column) = (
            divmod(number, self.columns) for number in (square, other)
        )
        return max(abs(to_row - row), abs(to_column - column))

    def __contains__(self, square: tuple[int, int]) -> bool:
        """Return whether *square*, a row and a column, is on the board."""
        return 0 <= square[0] < self.rows and 0 <= square[1] < self.columns

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One square of a diagram."""

    color: Color | None = None
    """The color of the piece on it; None if it is empty."""
    is_king: bool = False
    """Whether the piece is a king."""
    label: str = ""
    """The name of the square, written on it; "" where the edges of the board name squares."""
    is_playable: bool = True
    """Whether a piece can ever stand there."""
    is_legal: bool = False
    """Whether a legal move ends there; False if legal moves are not marked."""


@dataclass(frozen=True, slots=True)
class DiagramSide:
    """How a diagram shows one colour."""

    letters: str
    """A letter for a piece, and one for a king if the game has kings, for plain consoles."""
    symbols: str
    """The same as Unicode symbols."""
    pieces: int
    """The number of pieces on the board."""
    count: str
    """That number in words."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """What a board shows, ready to be drawn in a terminal (`evoply.cli`), as SVG or on a page."""

    shape: BoardShape
    """The rows and columns."""
    cells: tuple[Cell, ...]
    """The squares, row by row from the top."""
    sides: Mapping[Color, DiagramSide]
    turn: Color
    """The side to move."""
    status: str
    """Who is to move, must pass, or has won, in a few words."""
    last: tuple[int, ...] = ()
    """The squares that the last move touched, in its order; empty at the start or after a pass."""

    @property
    def is_numbered(self) -> bool:
        """Whether squares are named by their labels, not by column letters and row numbers."""
        return any(cell.label for cell in self.cells)


class Move(Protocol):
    """A move of a game: an immutable, hashable value whose str is its text form."""

    def code(self, shape: BoardShape) -> int:
        """Return the kernel's number of this move on a board of *shape*."""


class LegalMoves(Protocol):
    """The legal moves of a position, in order: a sequence whose str lists them."""

    @property
    def must_pass(self) -> bool:
        """Whether the only legal move is a forced pass."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, move: object, /) -> bool: ...


class Position(Protocol):
    """A board, the side to move and counters: all that the rules need, and immutable.

    Equality and hash use the board and the side to move, not the counters.
    `legal_moves` is empty exactly when `outcome()` is not None. A forced pass is a legal move.
    """

    @property
    def game(self) -> str:
        """The name of the game, a key of `evoply.games.GAMES`."""

    @property
    def kernel(self) -> str:
        """The name of the rules in the kernel, usually that of the game."""

    @property
    def shape(self) -> BoardShape:
        """The rows and columns of the board."""

    @property
    def turn(self) -> Color:
        """The side to move."""

    @property
    def ply(self) -> int:
        """The plies played so far, forced passes included."""

    @property
    def clock(self) -> float:
        """The share of the longest possible game that has been played: from 0 at the start to 1."""

    @property
    def legal_moves(self) -> "LegalMoves":
        """The legal moves, in the order to which "first" refers everywhere."""

    def pieces(self, color: Color) -> int:
        """Return the number of pieces of *color*."""

    @property
    def row(self) -> Row:
        """The position as the kernel knows it."""

    def play(self, move: Any, /) -> Self:
        """Return the position after *move*; raise `IllegalMoveError` if it is not legal."""

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the side to move has a legal move."""

    def colors_exchanged(self) -> Self:
        """Return the position with colours exchanged, which is the same for the side to move.

        In games whose colours move in opposite directions, the board is turned by 180 degrees too.
        """

    def text(self) -> str:
        """Return the exact one-line text form, which the game's `parse` reads."""

    def what_must_be(self, text: str, /) -> str:
        """Return what the rules demand and the illegal move *text* does not do, or ""."""

    def diagram(self, *, last_move: Any = None, legal: bool = True) -> Diagram:
        """Return what the board shows after *last_move*, with legal moves marked if *legal*."""


class GameRecord(Protocol):
    """A game as it was played: its start, its moves and its rules about draws; immutable."""

    @property
    def start(self) -> Any:
        """The position before the first move."""

    @property
    def moves(self) -> tuple[Any, ...]:
        """The moves played, forced passes included."""

    @property
    def positions(self) -> tuple[Any, ...]:
        """The positions from the start to the end, one more than there are moves."""

    @property
    def position(self) -> Any:
        """The position after the last move."""

    @property
    def reversible(self) -> tuple[Any, ...]:
        """The positions that a reversible move could bring back, the latest one included."""

    def play(self, move: Any, /) -> Self:
        """Return the record with *move*, a move or its text, added; errors as `Position.play`."""

    def first(self, plies: int, /) -> Self:
        """Return the game as it was after *plies*."""

    def outcome(self) -> Outcome | None:
        """Return the outcome, which may be a draw by this game's rules; None while it goes on."""

    def ending(self) -> Ending | None:
        """Return what ended the game, None while it goes on."""

    def draw_reason(self) -> str | None:
        """Return in words which rule makes the game a draw, or None."""

    def move_texts(self) -> tuple[str, ...]:
        """Return the text of each move, as short as its position allows."""

    def transcript(self) -> str:
        """Return the moves as text."""

    def __len__(self) -> int:
        """Return the number of plies."""


# Clocks: how much time each side has for a whole game.

LONGEST_CLOCK = 86_400.0
"""Seconds: a day."""

_TEXT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:\+(\d{1,9}(?:\.\d{1,6})?))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The seconds each side has for all its moves of a game, and those that each move adds.

    >>> TimeControl.from_text("150+0.5")
    TimeControl(seconds=150.0, increment=0.5)
    """

    seconds: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        """Raise `ValueError` for seconds outside the bounds."""
        if not 0 < self.seconds <= LONGEST_CLOCK:
            raise ValueError(
                f"clock: {self.seconds:g} seconds a game - give more than 0 and at most "
                f"{LONGEST_CLOCK:,.0f}"
            )
        if not 0 <= self.increment <= LONGEST_CLOCK:
            raise ValueError(
                f"clock: {self.increment:g} seconds after each move - give 0 to "
                f"{LONGEST_CLOCK:,.0f}"
            )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read a text such as 150 or 150+2; `ValueError` for any other."""
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise ValueError(
                f"clock: {text[:40]!r} is not a time - give seconds for a game, or seconds and "
                "what each move adds, such as 150 or 150+2"
            )
        return cls(float(match[1]), float(match[2] or 0))

    def __str__(self) -> str:
        return f"{self.seconds:g}+{self.increment:g}" if self.increment else f"{self.seconds:g}"
