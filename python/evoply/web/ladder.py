"""The ladder of opponents: `ladder.toml`, where one more level is one more table."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from evoply.players import parse_player


@dataclass(frozen=True, slots=True)
class LadderOpponent:
    """An opponent by a name that says something to people."""

    title: str
    player: str
    """Its text, as in `evoply match`."""
    about: str
    ratings: Mapping[str, int]
    """The games in whose ladder it is, and its Elo above `random` there, as measured."""
    intervals: Mapping[str, int] = field(default_factory=dict)
    """Half the width of the 95 % interval of each rating, where a tournament told it."""
    kind: str = "simple"
    """level: one of the named levels; paper: a player of a paper; simple: a simple rule."""


_TABLE = tomllib.loads((files("evoply.web") / "ladder.toml").read_text(encoding="utf-8"))

LEVELS = tuple(LadderOpponent(**level) for level in _TABLE["level"])
"""All levels of all games."""

BESIDE: Mapping[str, str] = _TABLE.get("beside", {})
"""Sentences on players that people may know, which are no opponents here, by game."""

_FOR_OTHERS = ("random", "greedy", "material:depth=4")
"""The ladder of a game from outside, which nobody has measured."""


@cache
def levels_of(game: str) -> tuple[LadderOpponent, ...]:
    """Return the levels of *game*, the weakest first.

    >>> [level.player for level in levels_of("othello-4")]
    ['random', 'mobility', 'material:depth=2', 'mobility:depth=4']
    """
    levels = [level for level in LEVELS if game in level.ratings]
    if levels:
        return tuple(sorted(levels, key=lambda level: level.ratings[game]))
    return tuple(LadderOpponent(text, text, "", {}) for text in _FOR_OTHERS if _plays(text, game))


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
