"""The ladder of opponents: a table, the weakest first. One more level is one more line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evoply.players import parse_player

__all__ = ["ADVISERS", "LEVELS", "Level", "levels_of"]


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent by a name that says something to people."""

    title: str
    player: str
    """Its text, as in `evoply match`; games that it does not play leave the level out."""
    about: str
    family: str = ""
    """How the names of its games begin; "" for all of them."""
    games: tuple[str, ...] = ()
    """Its games by name, if these are not all of its family."""


LEVELS = (
    Level("Just learned the rules", "random", "plays any legal move"),
    Level("Grabs what it can", "greedy", "takes the most pieces at once"),
    Level("Thinks one move ahead", "material:depth=2", "counts pieces after your answer"),
    Level("Knows good squares", "swh", "likes corners, fears the squares next to them"),
    Level("Keeps its options", "mobility", "leaves you few moves", "othello"),
    Level("Learned by playing itself", "edgar-like", "a weight for each square and move"),
    Level("Counts far ahead", "material-kings:depth=6", "six moves ahead", "checkers"),
    Level("Good squares, far ahead", "swh:depth=4", "the same, four moves ahead"),
    Level("Options, far ahead", "mobility:depth=4", "the same, four moves ahead", "othello"),
    Level("Counts very far ahead", "material-kings:depth=10", "ten moves ahead", "checkers"),
    Level(
        "Tries to lose", "material:depth=6", "counts pieces, and has to get rid of them",
        games=("none",),
    ),
    Level("Firebrand", "firebrand", "features whose weights were learned by play, four ahead"),
    Level("Firebrand, in earnest", "firebrand:depth=8", "the same, eight moves ahead"),
)  # fmt: skip

ADVISERS = ("firebrand", "mobility:depth=4", "material-kings:depth=6", "material:depth=6")
"""Who says what moves are worth where the opponent has no opinion: the first that plays the game."""


@cache
def levels_of(game: str) -> tuple[Level, ...]:
    """Return the levels that play *game*, the weakest first."""
    return tuple(level for level in LEVELS if _plays(level, game))


def _plays(level: Level, game: str) -> bool:
    if level.games and game not in level.games or not game.startswith(level.family):
        return False
    try:
        parse_player(level.player, game=game)
    except ValueError:
        return False
    return True
