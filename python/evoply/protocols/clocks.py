"""Clocks: how much time each side has for a whole game.

Reasons: docs/design/players.md.
"""

import re
from dataclasses import dataclass
from typing import Self

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
