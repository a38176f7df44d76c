"""Draws that the board alone does not decide: by quiet plies, by repetition, by a cap on length.

They are rules of a game or a schedule, never of a position, which keeps counters and no history.
"""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evoply.protocols import Ending
from evoply.wording import did_you_mean, shorten

__all__ = ["NO_DRAWS", "USUAL_DRAWS", "DrawRules", "draw_rules_from_text"]

_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class DrawRules:
    """When a game is drawn that the board alone would let go on; None switches a rule off.

    *quiet_plies* without a capture or a move of a man; the same board with the same side to move
    for the time number *repetitions*; *max_plies* played. The defaults are evoply's own: the
    sources of checkers differ.
    """

    quiet_plies: int | None = 80
    repetitions: int | None = 3
    max_plies: int | None = 300

    def __post_init__(self) -> None:
        for name, least in (("quiet_plies", 1), ("repetitions", 2), ("max_plies", 1)):
            limit = getattr(self, name)
            if limit is not None and operator.index(limit) < least:
                raise ValueError(f"{name} must be at least {least}, or None, and is {limit}")

    @property
    def limits(self) -> tuple[int | None, int | None, int | None]:
        """The kernel's form."""
        return self.quiet_plies, self.repetitions, self.max_plies

    def ending(self, positions: Sequence[Any]) -> Ending | None:
        """Return what makes a game with these positions, the last not decided, a draw, or None."""
        last = positions[-1]
        if self.quiet_plies is not None and last.quiet_plies >= self.quiet_plies:
            return Ending.QUIET_PLIES
        if self.repetitions is not None:
            # Only positions since the last capture or move of a man can be the same, and both
            # sides need two plies to come back.
            quiet = min(last.quiet_plies, len(positions) - 1)
            if (
                quiet >= 4 * (self.repetitions - 1)
                and positions[-1 - quiet : -1].count(last) + 1 >= self.repetitions
            ):
                return Ending.REPETITION
        if self.max_plies is not None and last.ply >= self.max_plies:
            return Ending.CAP
        return None

    def reason(self, positions: Sequence[Any]) -> str | None:
        """Return in words why a game with these positions is a draw; see `ending`."""
        match self.ending(positions):
            case Ending.QUIET_PLIES:
                return f"{self.quiet_plies} plies without a capture or a move of a man"
            case Ending.REPETITION:
                return f"the position occurred {self.repetitions} times"
            case Ending.CAP:
                return f"{self.max_plies} plies played"
            case _:
                return None


NO_DRAWS = DrawRules(None, None, None)
"""No draws but those of the board: what Othello, perft and records of unknown rules go by."""

USUAL_DRAWS = DrawRules()
"""The rules of checkers unless others are asked for."""


def draw_rules_from_text(text: str, usual: DrawRules = USUAL_DRAWS) -> DrawRules:
    """Return *usual* with the limits that are written, such as `repetitions=never,max_plies=500`.

    Raises ValueError that names what cannot be read.

    >>> draw_rules_from_text("repetitions=never,quiet_plies=40")
    DrawRules(quiet_plies=40, repetitions=None, max_plies=300)
    """
    limits: dict[str, int | None] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in usual.__slots__:
            hint = did_you_mean(name, usual.__slots__)
            names = ", ".join(usual.__slots__)
            raise ValueError(f"no rule about draws is called {shorten(name)!r}{hint} ({names})")
        if name in limits:
            raise ValueError(f"{name} is given twice")
        if value != "never" and _WHOLE.fullmatch(value) is None:
            raise ValueError(f"{name} must be a whole number or never, not {shorten(value)!r}")
        limits[name] = None if value == "never" else int(value)
    return replace(usual, **limits)
