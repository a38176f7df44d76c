"""The games: their names, and what every part of evoply may ask of a game without knowing it.

`GAMES` is the one table of games. A new game adds a module with a position and a record, and a
line here; the conformance tests then test it by themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from evoply.games.checkers import CHECKERS
from evoply.games.draws import DrawRules
from evoply.games.othello import OTHELLO
from evoply.protocols import GameRecord, Position, Row
from evoply.wording import did_you_mean

__all__ = ["GAMES", "GameRules", "game_rules"]


class GameRules(Protocol):
    """One game by name: how to begin it and how to read it."""

    @property
    def name(self) -> str:
        """The name, a key of `GAMES`."""

    @property
    def size(self) -> int:
        """The squares along one side of the board."""

    @property
    def title(self) -> str:
        """The name for people."""

    @property
    def opening_plies(self) -> int:
        """Random plies of a usual opening."""

    @property
    def draws(self) -> DrawRules:
        """When a game is usually drawn that the board would let go on."""

    def start(self) -> Position:
        """Return the start position."""

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""

    def position_from_row(self, row: Row) -> Position:
        """Return the position that the kernel holds as *row*."""

    def move_from_code(self, code: int) -> Any:
        """Return the move that the kernel knows as *code*."""

    def record(self, text: str = "") -> GameRecord:
        """Return the game that the transcript *text* records, by default one not yet begun."""

    def game(
        self, start: Any, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> GameRecord:
        """Return the game from *start* whose moves the kernel knows as *codes*.

        *draws* are its rules about draws, by default those of this game.
        """

    def heat_map(self, values: Sequence[float]) -> str:
        """Return *values*, one a square, row by row, as a picture of the board (SVG)."""


GAMES: Mapping[str, GameRules] = MappingProxyType({**OTHELLO, **CHECKERS})


def game_rules(name: str) -> GameRules:
    """Return the game called *name*; raise `ValueError` that lists the names if there is none.

    >>> game_rules("othello-6").title
    'Othello 6x6'
    """
    if name not in GAMES:
        hint = did_you_mean(name, GAMES) or "."
        raise ValueError(f"unknown game {name!r}{hint} The games are {', '.join(GAMES)}")
    return GAMES[name]
