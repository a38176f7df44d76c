"""Rules for draws beyond the board: by quiet plies, by repetition, by a cap on length.

They belong to a game or a schedule, not to a position, which has counters but no history.
"""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evoply.protocols import Ending
from evoply.wording import did_you_mean, shorten

_LEAST = {"quiet_plies": 1, "repetitions": 2, "max_plies": 1}
_LIMIT = re.compile(r"[0-9]{1,9}|never|none")


@dataclass(frozen=True, slots=True)
class DrawRules:
    """When a game is drawn though the board allows moves; None switches a rule off.

    A game is drawn after *quiet_plies* without a capture or a move of a man, when a board occurs
    with the same side to move *repetitions* times, or after *max_plies*. The defaults are evoply's
    own, because the sources on checkers differ.
    """

    quiet_plies: int | None = 80
    repetitions: int | None = 3
    max_plies: int | None = 300

    def __post_init__(self) -> None:
        for (name, least), limit in zip(_LEAST.items(), self.limits, strict=True):
            if limit is not None and operator.index(limit) < least:
                raise ValueError(f"{name} must be at least {least}, or None, and is {limit}")

    @classmethod
    def parse(cls, text: str, usual: "DrawRules | None" = None) -> "DrawRules":
        """Return *usual* with the limits in *text*, which are separated by commas or blanks.

        `never` and `none` switch a rule off. *usual* is `USUAL_DRAWS` by default. Raises
        ValueError that names what cannot be read.

        >>> DrawRules.parse("repetitions=never,quiet_plies=40")
        DrawRules(quiet_plies=40, repetitions=None, max_plies=300)
        """
        limits: dict[str, int | None] = {}
        for part in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", text.strip())):
            name, _, value = part.partition("=")
            if name not in _LEAST:
                hint = did_you_mean(name, _LEAST)
                names = ", ".join(_LEAST)
                raise ValueError(f"no rule about draws is called {shorten(name)!r}{hint} ({names})")
            if name in limits:
                raise ValueError(f"{name} is given twice")
            if _LIMIT.fullmatch(value) is None:
                raise ValueError(f"{name} must be a whole number or never, not {shorten(value)!r}")
            limits[name] = int(value) if value.isdigit() else None
        return replace(cls() if usual is None else usual, **limits)

    @property
    def limits(self) -> tuple[int | None, int | None, int | None]:
        """The limits as the kernel takes them."""
        return self.quiet_plies, self.repetitions, self.max_plies

    def text(self) -> str:
        """Return all limits as `parse` reads them, with `none` for a rule that is off."""
        return " ".join(
            f"{name}={'none' if limit is None else limit}"
            for name, limit in zip(_LEAST, self.limits, strict=True)
        )

    def ending(self, positions: Sequence[Any]) -> Ending | None:
        """Return the rule by which an undecided game with these *positions* is a draw, or None."""
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
        """Return in words why a game with these *positions* is a draw; see `ending`."""
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
"""No draws but those of the board: for Othello, perft and records with unknown rules."""

USUAL_DRAWS = DrawRules()
"""The default rules of checkers."""
