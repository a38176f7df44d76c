"""The contract of protocols: lines to a process that introduces itself and chooses moves.

A dialogue trusts nothing: evoply's rules check every answer, and every answer has a deadline, which
is a time of `time.monotonic`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from evoply.processes import BrokenError
from evoply.protocols import (
    Choice,
    Clock,
    ForfeitError,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    choice_of,
)
from evoply.wording import shorten

MOST_TEXT = 1_000_000
"""The most characters of an answer, including meaningless lines."""
LATE_START = "was not ready in time"


class Dialogue(Protocol):
    """A protocol, spoken with one process."""

    def introduce(self, game: str, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself: `name`, `version`.

        *game* is the name of the game that it is to play. Raises `BrokenError`, also if the engine
        says that it cannot play it.
        """

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice at the end of *game*, where its clock shows *clock*.

        *late* is the reason if none comes by *end*. Raises `BrokenError` if the process cannot be
        used further, and `ForfeitError` if only this game is lost.
        """


def legal_move(text: str, game: GameRecord) -> Any:
    """Return the move *text*; `ForfeitError` if it is illegal here, `BrokenError` for nonsense."""
    if text.lower() == "resign":
        raise ForfeitError("resigned")
    try:
        return choice_of(text, game).move
    except IllegalMoveError:
        raise ForfeitError(f"played the illegal move {shorten(text)!r}") from None
    except InvalidMoveError:
        raise no_answer(text) from None


def no_answer(line: str) -> BrokenError:
    """Return the error for a *line* that the protocol does not allow there."""
    return BrokenError(f"wrote something else than its answer: {shorten(line.strip())!r}")


def goes_on(before: GameRecord | None, game: GameRecord) -> bool:
    """Return whether *game* is *before*, perhaps with more moves, by the same rules."""
    return (
        before is not None
        and game.moves[: len(before)] == before.moves
        and game.start.row == before.start.row
        and getattr(game, "draws", None) == getattr(before, "draws", None)
    )
