"""The ladder of opponents: a table. One more level is one more line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from evoply.players import parse_player

__all__ = ["ADVISERS", "LEVELS", "Level", "levels_of"]


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent by a name that says something to people."""

    title: str
    player: str
    """Its text, as in `evoply match`."""
    about: str
    ratings: Mapping[str, int]
    """The games in whose ladder it is, and its Elo above `random` there, as measured by round
    robins of these players (docs/web.md says by which commands)."""


LEVELS = (
    Level(
        "Just learned the rules", "random", "any legal move",
        {"othello-4": 0, "othello-6": 0, "othello": 0, "othello-10": 0,
         "checkers": 0, "checkers-10": 0, "lose-checkers": 0},
    ),
    Level(
        "Grabs what it can", "greedy", "the most pieces at once",
        {"othello-6": 33, "othello": 71, "othello-10": 68, "checkers": 174, "checkers-10": 50},
    ),
    Level(
        "Counts a move ahead", "material:depth=2", "pieces after your answer",
        {"othello-4": 56, "othello-6": 137, "othello": 145, "othello-10": 222,
         "checkers": 505, "checkers-10": 517},
    ),
    Level(
        "Keeps its options", "mobility", "leaves you few moves",
        {"othello-4": 31, "othello-6": 193, "othello": 134, "othello-10": 215},
    ),
    Level(
        "Learned by playing itself", "edgar-like", "a weight for each square and move",
        {"othello": 221},
    ),
    Level("Knows good squares", "swh", "corners, not their neighbours", {"othello": 328}),
    Level(
        "Options, far ahead", "mobility:depth=4", "the same, four moves ahead",
        {"othello-4": 67, "othello-6": 426, "othello": 396, "othello-10": 512},
    ),
    Level("Good squares, far ahead", "swh:depth=4", "four moves ahead", {"othello": 537}),
    Level(
        "Counts four moves ahead", "material-kings:depth=4", "kings count more",
        {"checkers": 601, "checkers-10": 595},
    ),
    Level(
        "Counts six moves ahead", "material-kings:depth=6", "kings count more",
        {"checkers": 665, "checkers-10": 654},
    ),
    Level("Counts eight moves ahead", "material-kings:depth=8", "kings count more",
          {"checkers": 688}),
    Level("Sees three moves ahead", "random-leaf:depth=3", "wins and losses only",
          {"lose-checkers": 343}),
    Level("Sees five moves ahead", "random-leaf:depth=5", "wins and losses only",
          {"lose-checkers": 562}),
    Level("Sees seven moves ahead", "random-leaf:depth=7", "wins and losses only",
          {"lose-checkers": 772}),
    Level(
        "Firebrand", "firebrand", "learned features, four moves ahead",
        {"othello": 1063, "othello-10": 988},
    ),
    Level("Firebrand, in earnest", "firebrand:depth=6", "six moves ahead", {"othello": 1315}),
)  # fmt: skip

ADVISERS = ("firebrand", "mobility:depth=4", "material-kings:depth=6")
"""Who says what moves are worth where the opponent has no opinion: the first that can play."""

_FOR_OTHERS = ("random", "greedy", "material:depth=4")
"""The ladder of a game from outside, which nobody has measured."""


@cache
def levels_of(game: str) -> tuple[Level, ...]:
    """Return the levels of *game*, the weakest first.

    >>> [level.player for level in levels_of("othello-4")]
    ['random', 'mobility', 'material:depth=2', 'mobility:depth=4']
    """
    levels = [level for level in LEVELS if game in level.ratings]
    if levels:
        return tuple(sorted(levels, key=lambda level: level.ratings[game]))
    return tuple(Level(text, text, "", {}) for text in _FOR_OTHERS if _plays(text, game))


def _plays(player: str, game: str) -> bool:
    try:
        parse_player(player, game=game)
    except ValueError:
        return False
    return True
