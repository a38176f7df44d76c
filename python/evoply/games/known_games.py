"""The table of games, and the facts about a game that all of evoply may use.

`GAMES` is the one table of games. A new game adds a module with a position, a record and its
rules, and a line here; the conformance tests then cover it. Facts about a game that other code
needs are fields of its `GameRules`: no other code asks which game it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from evoply.when_used import MadeWhenUsed
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    from evoply.games.rules import GameRules

_FAMILIES = {
    "othello.OTHELLO": "othello othello-4 othello-6 othello-10",
    "checkers.CHECKERS": "checkers lose-checkers checkers-10",
}
"""The names of the compiled games, by the table of the module that has their rules."""


def _compiled(home: str, name: str) -> GameRules:
    module, _, table = home.partition(".")
    rules: GameRules = getattr(import_module(f"evoply.games.{module}"), table)[name]
    return rules


_COMPILED = MadeWhenUsed(
    {
        name: partial(_compiled, home, name)
        for home, names in _FAMILIES.items()
        for name in names.split()
    }
)
_TABLE: dict[str, GameRules] = {}
"""The games that were added."""
_WRITTEN = {path.stem: path for path in sorted((Path(__file__).parent / "shipped").glob("*.json"))}
"""Games that come with evoply as rules in JSON; `evoply.rules.shipped` has them in Python."""


DATA_GAMES = tuple(_WRITTEN)
"""Their names. `GAMES` knows them; it lists the compiled games and those that were added."""
_LOADED: dict[str, GameRules] = {}


class _Games(Mapping[str, "GameRules"]):
    """The table; rules are imported, and those in JSON read, when their game is first used."""

    def __getitem__(self, name: str) -> GameRules:
        if name not in self:
            raise KeyError(_unknown(name))
        if name in _TABLE:
            return _TABLE[name]
        if name in _COMPILED:
            return _COMPILED[name]
        if name not in _LOADED:
            from evoply.games.data import DataGameRules

            data = json.loads(_WRITTEN[name].read_text(encoding="utf-8"))
            _LOADED[name] = DataGameRules.from_written(data)
        return _LOADED[name]

    def __contains__(self, name: object) -> bool:
        # What a damaged file calls its game may be a list, which no table can look up.
        return isinstance(name, str) and (is_shipped(name) or name in _TABLE)

    def __iter__(self) -> Iterator[str]:
        yield from _COMPILED
        yield from _TABLE

    def __len__(self) -> int:
        return len(_COMPILED) + len(_TABLE)

    def __repr__(self) -> str:
        return f"GAMES({', '.join(self)})"


GAMES: Mapping[str, GameRules] = _Games()
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""What the name of a game is."""


class MakesGame(Protocol):
    """Rules of which a game is made, such as `evoply.rules.Rules`."""

    def game(self) -> GameRules:
        """Return the game."""


def _unknown(name: object) -> str:
    text = name if isinstance(name, str) else type(name).__name__
    sized = {f"{rules.family.lower()}-{rules.shape.rows}": known for known, rules in GAMES.items()}
    names = (*GAMES, *DATA_GAMES)
    hint = did_you_mean(sized.get(text, text), names) or "."
    return f"unknown game {shorten(text)!r}{hint} The games are {', '.join(names)}"


def game_rules(name: str) -> GameRules:
    """Return the game called *name*; raise `ValueError` that lists the names if it is unknown.

    >>> game_rules("othello-6").title
    'Othello 6x6'
    """
    if name not in GAMES:
        raise ValueError(_unknown(name))
    return GAMES[name]


def spoken_name(name: str) -> str:
    """Return how other processes are told of the game: where its rules are data, with their digest.

    >>> spoken_name("othello"), spoken_name("tic-tac-toe")
    ('othello', 'tic-tac-toe@8d298fe8d441ae7b')
    """
    from evoply.games.data import DataGameRules

    rules = game_rules(name)
    return rules.spoken if isinstance(rules, DataGameRules) else name


def game_spoken(text: str) -> str:
    """Return the name of the game that another process told of; `ValueError` if it has other rules.

    >>> game_spoken(spoken_name("hex-9"))
    'hex-9'
    """
    name, _, digest = text.partition("@")
    if digest and name not in GAMES:
        raise ValueError(
            f"the game {name} has rules of its own, which are not known here: give the file of its "
            f"rules (digest {digest}) with --game"
        )
    if spoken_name(name) != text:
        raise ValueError(f"the game {name} has other rules there than here: take the same version")
    return name


def is_shipped(name: str) -> bool:
    """Return whether the game comes with evoply, so that every process knows it."""
    return name in _COMPILED or name in _WRITTEN


def add_game(rules: GameRules | MakesGame) -> None:
    """Add a game from outside the package to `GAMES`, for as long as this process lives.

    *rules* are `evoply.rules.Rules`, or facts about rules that the kernel has (`rules.kernel`); its
    positions must then say what these say: legal moves, clock and outcomes are compared on random
    games. The same rules may be added again. Call it in every process that names the game, before
    it does. Raises `ValueError` that says what is wrong with the name, or names a position and both
    answers.

    >>> from dataclasses import replace
    >>> stones = replace(GAMES["othello"], name="stones", title="Stones", piece="stone")
    >>> with game_added(stones):
    ...     game_rules("stones").start().play("f5").game
    'stones'
    """
    from evoply.games.data import DataGameRules
    from evoply.games.rules import check_agrees

    rules = _made(rules)
    name = rules.name
    if NAME.fullmatch(name) is None:
        raise ValueError(
            f"name: {name[:60]!r} cannot be the name of a game: write up to 40 lowercase letters,"
            " digits and hyphens, a letter first"
        )
    if name in GAMES and isinstance(rules, DataGameRules):
        known: Any = GAMES[name]
        if getattr(known, "rules_digest", "") == rules.rules_digest:
            return
        raise ValueError(f"name: there is a game called {name} with other rules: take another name")
    if name in GAMES:
        raise ValueError(f"name: there is a game called {name} already: take another name")
    start = rules.start()
    if start.game != name:
        raise ValueError(f"{name}: its start is a position of {start.game}: give it this name")
    if not isinstance(rules, DataGameRules):  # positions of those ask the kernel
        check_agrees(rules)
    _TABLE[name] = rules


def _made(rules: GameRules | MakesGame) -> GameRules:
    from evoply.games.rules import GameRules

    if isinstance(rules, type) or not (isinstance(rules, GameRules) or hasattr(rules, "game")):
        raise TypeError(f"{rules!r:.60} is not the rules of a game: give GameRules or Rules")
    return rules if isinstance(rules, GameRules) else rules.game()


@contextmanager
def game_added(rules: GameRules | MakesGame) -> Iterator[None]:
    """Add a game as `add_game` does, and remove it at the end of the block."""
    game = _made(rules)
    add_game(game)
    try:
        yield
    finally:
        _TABLE.pop(game.name, None)
