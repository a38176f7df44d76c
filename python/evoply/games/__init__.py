"""The games: their names, and what every part of evoply may ask of a game without knowing it.

`GAMES` is the one table of games. A new game adds a module with a position and a record, and a
line here; the conformance tests then test it by themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evoply.games import othello
from evoply.protocols import InvalidMoveError
from evoply.wording import did_you_mean

__all__ = ["GAMES", "GameRules", "game_rules"]


@dataclass(frozen=True, slots=True)
class GameRules:
    """One game by name: how to begin it and how to read it."""

    name: str
    size: int
    title: str

    def start(self) -> othello.Position:
        """Return the start position."""
        return othello.Position(self.size)

    def parse(self, text: str) -> othello.Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        position = othello.Position.parse(text)
        if position.size != self.size:
            raise InvalidMoveError(
                f"the position is {position.size}x{position.size}, and {self.name} is played on"
                f" {self.size}x{self.size}"
            )
        return position

    def position_from_row(self, row: tuple[int, int, bool, int]) -> othello.Position:
        """Return the position that the kernel holds as *row*."""
        return othello.Position.from_row(self.name, row)

    def record(self, text: str = "") -> othello.Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        return othello.Game.from_transcript(text, self.size)


GAMES: Mapping[str, GameRules] = MappingProxyType(
    {
        "othello": GameRules("othello", 8, "Othello 8x8"),
        "othello-4": GameRules("othello-4", 4, "Othello 4x4"),
        "othello-6": GameRules("othello-6", 6, "Othello 6x6"),
        "othello-10": GameRules("othello-10", 10, "Othello 10x10"),
    }
)


def game_rules(name: str) -> GameRules:
    """Return the game called *name*; raise `ValueError` that lists the names if there is none.

    >>> game_rules("othello-6").title
    'Othello 6x6'
    """
    if name not in GAMES:
        hint = did_you_mean(name, GAMES) or "."
        raise ValueError(f"unknown game {name!r}{hint} The games are {', '.join(GAMES)}")
    return GAMES[name]
