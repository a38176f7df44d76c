"""The ladder of opponents: `ladder.toml`, where one more level is one more table."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import attrgetter
from typing import Any

from evoply.players import parse_player


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent on the ladder of a game, by a name that says something to people."""

    title: str
    player: str
    """Its text, as in `evoply match`."""
    about: str
    kind: str
    """level, paper or simple: a named level, a player of a paper, or a simple rule."""
    elo: int | None
    """Its measured rating above `random`; None if nobody has measured it."""
    interval: int | None
    """Half the width of its 95 % interval; None if it is not known."""


_TABLE = tomllib.loads((files("evoply.web") / "ladder.toml").read_text(encoding="utf-8"))

LEVELS: Sequence[Mapping[str, Any]] = _TABLE["level"]
"""The tables of the file: each is a level of all games that it has a rating for."""

BESIDE: Mapping[str, str] = _TABLE.get("beside", {})
"""Sentences on players that people may know, which are no opponents here, by game."""

_FOR_OTHERS = ("random", "greedy", "material:depth=4")
"""The ladder of a game from outside, which nobody has measured."""


@cache
def levels_of(game: str) -> tuple[Level, ...]:
    """Return the levels of *game*, the weakest first.

    >>> [level.player for level in levels_of("othello-4")]
    ['random', 'mobility', 'material:depth=2', 'mobility:depth=4']
    """
    levels = [
        Level(
            row["title"],
            row["player"],
            row["about"],
            row.get("kind", "simple"),
            elo=row["ratings"][game],
            interval=row.get("intervals", {}).get(game),
        )
        for row in LEVELS
        if game in row["ratings"]
    ]
    if levels:
        return tuple(sorted(levels, key=attrgetter("elo")))
    players = (text for text in _FOR_OTHERS if _plays(text, game))
    return tuple(Level(text, text, "", "simple", elo=None, interval=None) for text in players)


def title_of(player: str, game: str) -> str:
    """Return what people call *player*: its title on the ladder of *game* with the text behind it.

    >>> title_of("greedy", "othello"), title_of("swh:depth=9", "othello")
    ('Grabs what it can (greedy)', 'swh:depth=9')
    """
    for level in levels_of(game):
        if level.player == player and level.title != player:
            return f"{level.title} ({player})"
    return player


def _plays(player: str, game: str) -> bool:
    try:
        parse_player(player, game=game)
    except ValueError:
        return False
    return True
