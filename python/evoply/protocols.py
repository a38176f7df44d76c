"""What every game and player has in common: colors, outcomes, errors, and the contracts.

This module knows no game, no evaluator and no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
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
    the board; empty squares belong to nobody here (`Position.official_difference` awards them).
    """

    winner: Color | None
    disc_difference: int

    def points(self, color: Color) -> float:
        """Return the points of *color*: 1 for a win, 0.5 for a draw, 0 for a loss."""
        if self.winner is None:
            return 0.5
        return 1.0 if self.winner is color else 0.0

    def __str__(self) -> str:
        if self.winner is None:
            return "draw"
        return f"{self.winner} wins by {abs(self.disc_difference)}"


class InvalidMoveError(ValueError):
    """A move, square or transcript that cannot be read at all."""


class IllegalMoveError(ValueError):
    """A move that can be read but that the rules forbid here; the message shows the position."""


class ConfigError(ValueError):
    """Everything that is wrong with a configuration, each with the path to its field.

    *errors* are pairs of path and message.

    >>> print(ConfigError([("population_size", "must be positive"), ("sead", "unknown key")]))
    2 errors in the configuration:
      population_size: must be positive
      sead: unknown key
    """

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        count = len(self.errors)
        head = f"{count} error{'' if count == 1 else 's'} in the configuration:"
        return "\n".join([head, *(f"  {path}: {message}" for path, message in self.errors)])


class RunError(ValueError):
    """A run folder that is missing, damaged, too new, in use or full; says what to do about it."""


class RunNameError(RunError):
    """A name or path at which there is no run, or one already: no folder is at fault."""


class Move(Protocol):
    """One move of some game: an immutable, hashable value whose str is its text form."""

    def code(self, size: int) -> int:
        """Return the number by which the kernel knows this move on a board of *size*."""


class Position(Protocol):
    """A board, the side to move and counters: all that the rules need, and immutable.

    Equality and hash use the board and the side to move; the counters ride along.
    `legal_moves` is empty exactly when `outcome()` is not None. A forced pass is a legal move.
    """

    @property
    def game(self) -> str:
        """The name of the game, a key of `evoply.games.GAMES`."""

    @property
    def size(self) -> int:
        """The squares along one side of the board."""

    @property
    def turn(self) -> Color:
        """The side to move."""

    @property
    def ply(self) -> int:
        """The plies played so far, forced passes included."""

    @property
    def clock(self) -> float:
        """How far the game has gone: 0 at the start, 1 at its farthest end."""

    @property
    def legal_moves(self) -> Sequence[Any]:
        """The legal moves in the one order that "first" means everywhere."""

    @property
    def row(self) -> tuple[int, int, bool, int]:
        """The kernel's form: black set, white set, whether Black is to move, ply."""

    def play(self, move: Any, /) -> Self:
        """Return the position after *move*; raise `IllegalMoveError` if it is not legal."""

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the side to move has a legal move."""

    def colors_exchanged(self) -> Self:
        """Return the position that is the same for the side to move, played by the other color.

        Where the colors go different ways, the board is turned half round as well.
        """

    def text(self) -> str:
        """Return the exact one-line text form, which the game's `parse` reads."""


class Player(Protocol):
    """Whatever chooses moves; it is asked only where there is a choice or a forced pass."""

    def choose(self, position: Any, /) -> Move:
        """Return one of `position.legal_moves`."""
