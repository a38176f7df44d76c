"""The table of games, and the facts about a game that all of evoply may use.

`GAMES` is the one table of games. A new game adds a module with a position, a record and its
rules, and a line here; the conformance tests then cover it. Facts about a game that other code
needs are fields of its `GameRules`: no other code asks which game it is.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from evoply.games.agreement import check_agrees
from evoply.games.checkers import CHECKERS
from evoply.games.draws import NO_DRAWS, DrawRules
from evoply.games.othello import OTHELLO
from evoply.games.rules import GameRules
from evoply.games.squares import (
    SHAPES,
    numbered_square,
    parse_square,
    square_name,
    square_number,
    squares_in,
)
from evoply.wording import did_you_mean

__all__ = [
    "GAMES",
    "NO_DRAWS",
    "SHAPES",
    "DrawRules",
    "GameRules",
    "add_game",
    "game_added",
    "game_rules",
    "is_shipped",
    "numbered_square",
    "parse_square",
    "square_name",
    "square_number",
    "squares_in",
]


class _Table(dict[str, GameRules]):
    def __missing__(self, name: str) -> GameRules:
        raise KeyError(_unknown(name))


def _unknown(name: str) -> str:
    sized = {f"{rules.family.lower()}-{rules.shape.rows}": known for known, rules in GAMES.items()}
    hint = did_you_mean(sized.get(str(name), str(name)), GAMES) or "."
    return f"unknown game {name!r}{hint} The games are {', '.join(GAMES)}"


_TABLE = _Table({**OTHELLO, **CHECKERS})
GAMES: Mapping[str, GameRules] = MappingProxyType(_TABLE)

_SHIPPED = frozenset(_TABLE)

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


def game_rules(name: str) -> GameRules:
    """Return the game called *name*; raise `ValueError` that lists the names if it is unknown.

    >>> game_rules("othello-6").title
    'Othello 6x6'
    """
    if name not in GAMES:
        raise ValueError(_unknown(name))
    return GAMES[name]


def is_shipped(name: str) -> bool:
    """Return whether the game comes with evoply, so that every process knows it."""
    return name in _SHIPPED


def add_game(rules: GameRules) -> None:
    """Add a game from outside the package to `GAMES`, for as long as this process lives.

    Call it in every process that names the game, before it does. Its rules must be rules of the
    kernel (`rules.kernel`), and its positions must say what these say: legal moves, clock and
    outcomes are compared on random games. Raises `ValueError` that says what is wrong with the
    name, or names a position and both answers.

    >>> from dataclasses import replace
    >>> stones = replace(GAMES["othello"], name="stones", title="Stones", piece="stone")
    >>> with game_added(stones):
    ...     game_rules("stones").start().play("f5").game
    'stones'
    """
    if not isinstance(rules, GameRules):
        raise TypeError(f"{rules!r:.60} is not the rules of a game: give a GameRules")
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
    check_agrees(rules)
    _TABLE[name] = rules


@contextmanager
def game_added(rules: GameRules) -> Iterator[None]:
    """Add a game as `add_game` does, and remove it at the end of the block."""
    add_game(rules)
    try:
        yield
    finally:
        del _TABLE[rules.name]
