"""What a protocol is to a seat: lines to a process by which it says who it is and chooses moves.

A dialogue believes nothing: what comes back is checked by the rules of evoply, and everything has
a deadline, which is a time on the clock `time.monotonic`.
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
"""Characters of one answer, lines included that mean nothing."""
LATE_START = "was not ready in time"


class Dialogue(Protocol):
    """One protocol, spoken with one process."""

    def introduce(self, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself: `name`, `version`.

        Raises `BrokenError`.
        """

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice at the end of *game*, where its clock shows *clock*.

        *late* says what it means if none comes by *end*. Raises `BrokenError` where the process is
        of no use any more, and `ForfeitError` where only this game is lost.
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
    """Return the error for a *line* that is not what the protocol has there."""
    return BrokenError(f"wrote something else than its answer: {shorten(line.strip())!r}")


def goes_on(before: GameRecord | None, game: GameRecord) -> bool:
    """Return whether *game* is *before* and perhaps more moves, by the same rules."""
    return (
        before is not None
        and game.moves[: len(before)] == before.moves
        and game.start.row == before.start.row
        and getattr(game, "draws", None) == getattr(before, "draws", None)
    )
