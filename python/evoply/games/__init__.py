"""The games: their names, and what every part of evoply may ask of a game without knowing it.

`GAMES` is the one table of games. A new game adds a module with a position, a record and its
rules, and a line here; the conformance tests then test it by themselves. What others want to know
about a game is a fact on its `GameRules`: nothing else asks which game it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Protocol

from evoply import _native
from evoply.games.checkers import CHECKERS
from evoply.games.draws import DrawRules
from evoply.games.othello import OTHELLO
from evoply.protocols import GameRecord, Position, Row
from evoply.wording import did_you_mean

__all__ = ["GAMES", "GameRules", "add_game", "game_added", "game_rules"]


class GameRules(Protocol):
    """One game by name: what it is, how to begin it and how to read it."""

    @property
    def name(self) -> str:
        """The name, a key of `GAMES`."""

    @property
    def kernel(self) -> str:
        """The kernel's name for the rules: what every call into the kernel is given."""

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

    @property
    def piece(self) -> str:
        """What people call a piece; its plural ends in s."""

    @property
    def has_captures(self) -> bool:
        """Whether a move can take pieces off the board, so that searches may be quiescent."""

    @property
    def fills_board(self) -> bool:
        """Whether each move adds a piece until the board is full, as in Othello."""

    @property
    def late_ply(self) -> int:
        """A ply that most random games reach; samples over a whole game end there."""

    @property
    def guide(self) -> str:
        """The player after whom "10ab2" is fitness, with {} for the depth in plies.

        As in Benbassat and Sipper's papers, where the guide depends on the game.
        """

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

    def read(self, text: str) -> GameRecord:
        """Return what *text* shows: a board, moves, or a board and moves.

        Raises `InvalidMoveError` or `IllegalMoveError`.
        """

    def game(
        self, start: Any, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> GameRecord:
        """Return the game from *start* whose moves the kernel knows as *codes*.

        *draws* are its rules about draws, by default those of this game.
        """

    def heat_map(self, values: Sequence[float], caption: str = "") -> str:
        """Return *values*, one for each square, row by row, as a picture of the board (SVG).

        *caption* is a line below the board.
        """


_TABLE: dict[str, GameRules] = {**OTHELLO, **CHECKERS}
GAMES: Mapping[str, GameRules] = MappingProxyType(_TABLE)

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


def game_rules(name: str) -> GameRules:
    """Return the game called *name*; raise `ValueError` that lists the names if there is none.

    >>> game_rules("othello-6").title
    'Othello 6x6'
    """
    if name not in GAMES:
        hint = did_you_mean(name, GAMES) or "."
        raise ValueError(f"unknown game {name!r}{hint} The games are {', '.join(GAMES)}")
    return GAMES[name]


def add_game(rules: GameRules) -> None:
    """Add a game from outside the package to `GAMES`, for as long as this process lives.

    Call it before anything names the game, in every process that does. Its rules must be those of
    the kernel (`rules.kernel`). Raises `ValueError` that says what is wrong with name or kernel.

    >>> from dataclasses import replace
    >>> stones = replace(GAMES["othello"], name="stones", title="Stones", piece="stone")
    >>> with game_added(stones):
    ...     game_rules("stones").start().play("f5").game
    'stones'
    """
    name = rules.name
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"name: {name[:60]!r} cannot be the name of a game: write up to 40 lowercase letters,"
            " digits and hyphens, a letter first"
        )
    if name in _TABLE:
        raise ValueError(f"name: there is a game called {name} already: take another name")
    start = rules.start()
    if start.game != name:
        raise ValueError(f"{name}: its start is a position of {start.game}: give it this name")
    _native.legal_moves(rules.kernel, start.row)  # raises ValueError that lists the kernel's names
    _TABLE[name] = rules


@contextmanager
def game_added(rules: GameRules) -> Iterator[None]:
    """Add a game as `add_game` does, and take it out of the table at the end of the block."""
    add_game(rules)
    try:
        yield
    finally:
        del _TABLE[rules.name]
