"""The curriculum: where the games of training begin, such as with few empty squares first.

FIREBRAND began with fifty positions, ten for each of 10, 20, 40, 60 and 80 empty squares of its
10x10 board, and trained from the last of them to the first (Almgren, Berglund & Milstein).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import Field

from evoply import _native
from evoply._native import Stream
from evoply.configs.part import Part
from evoply.games import game_rules
from evoply.protocols import Color, Position, Row

Order = Literal["none", "end-first", "begin-first", "mixed", "random"]

_FIREBRAND_BLANKS = (10, 20, 40, 60, 80)
_FIREBRAND_EMPTY = 96
_AT_A_TIME = 200
_MOST_TRIES = 50
_MORE_PLIES = 8
"""Forced passes that a random game may have had before a position."""


class Curriculum(Part):
    """Stages of positions from which the games begin, before whole games."""

    order: Order = "none"
    """`end-first`: the fewest empty squares first; `begin-first`; `mixed`: begin, middle, end, and
    so on again; `random`: any of them for each game; `none`: whole games only."""
    blanks: tuple[int, ...] = Field(default=(), max_length=50, strict=False)
    """Empty squares of the positions of each stage; if empty, 10, 20, 40, 60, 80 on 10x10, and as
    large a part of any other board."""
    positions: int = Field(default=10, ge=1, le=10_000)
    """Positions for each of these numbers, reached by random play."""
    games: int = Field(default=250, ge=1, le=10_000_000)
    """Games of each stage."""
    rounds: int = Field(default=1, ge=1, le=1000)
    """How often all stages are repeated."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Some games that begin at positions of the same kind."""

    blanks: tuple[int, ...]
    """Empty squares of the positions, all equally likely; if empty, the start of the game."""
    games: int


def usual_blanks(game: str) -> tuple[int, ...]:
    """Return the empty squares of FIREBRAND's positions, or as large a part of another board."""
    rules = game_rules(game)
    share = _empty(rules.start()) / _FIREBRAND_EMPTY
    return tuple(round(blanks * share) for blanks in _FIREBRAND_BLANKS)


def stages(curriculum: Curriculum, game: str) -> list[Stage]:
    """Return the stages in order; whole games come after the last of them."""
    if curriculum.order == "none":
        return []
    blanks = sorted(curriculum.blanks or usual_blanks(game))
    games, rounds = curriculum.games, curriculum.rounds
    if curriculum.order == "random":
        return [Stage(tuple(blanks), games * len(blanks) * rounds)]
    if curriculum.order == "end-first":
        return [Stage((blank,), games) for blank in blanks] * rounds
    first = [Stage((blank,), games) for blank in reversed(blanks)]
    if curriculum.order == "begin-first":
        return first * rounds
    # As many games of each kind as in the other orders, in shorter turns.
    turns = len(blanks)
    short = [Stage(stage.blanks, max(1, games // turns)) for stage in first]
    return short * turns * rounds


@lru_cache(maxsize=64)
def starts_of(game: str, blanks: tuple[int, ...], positions: int, seed: int) -> tuple[Row, ...]:
    """Return *positions* positions for each number of empty squares, or else the game's start.

    Random legal play from the start reaches them, they are not over, and *seed* decides them.
    Raises `ValueError` if there are too few.
    """
    if not blanks:
        return (game_rules(game).start().row,)
    return tuple(row for blank in blanks for row in _positions(game, blank, positions, seed))


def _positions(game: str, blanks: int, count: int, seed: int) -> list[Row]:
    rules = game_rules(game)
    plies = _empty(rules.start()) - blanks
    if plies < 0:
        raise ValueError(f"{game} has no position with {blanks} empty squares")
    stream = Stream(seed, "positions", blanks)
    rows: list[Row] = []
    for attempt in range(_MOST_TRIES):
        key = stream.child("batch", attempt).key
        batch = _native.Positions.random(rules.kernel, _AT_A_TIME, key, plies, plies + _MORE_PLIES)
        for index in range(_AT_A_TIME):
            position = rules.position_from_row(batch[index])
            is_meant = _empty(position) == blanks and position.outcome() is None
            if is_meant and position.row not in rows:
                rows.append(position.row)
                if len(rows) == count:
                    return rows
    raise ValueError(
        f"{count} positions of {game} with {blanks} empty squares: random play reached only "
        f"{len(rows)} - ask for fewer"
    )


def _empty(position: Position) -> int:
    squares: int = (
        position.shape.squares - position.pieces(Color.BLACK) - position.pieces(Color.WHITE)
    )
    return squares


def blanks_problem(game: str, blanks: Sequence[int]) -> str | None:
    """Return what is wrong with numbers of empty squares of *game*, or None."""
    most = game_rules(game).length
    if most is None:
        return f"{game} does not fill the board, so it has no such stages: use order none"
    wrong = [blank for blank in blanks if not 1 <= blank <= most]
    return f"{wrong[0]} empty squares: 1 to {most} are possible" if wrong else None
