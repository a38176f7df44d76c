"""The rule by which a changed player is as strong as the whole one, but for so many points a game.

That no difference was found is not enough: a difference as large as that must be shown not to be
there, in pairs of games on the same openings. The interval of a mean of pairs is the usual one
(Student 1908, whose distribution is normal here), at the level of all looks together (Bonferroni),
so that looking again and again does not make it easier to pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena import play_against
from evoply.arena.conditions import even_games
from evoply.arena.statistics import FEWEST_PAIRS, distinct_rows, pair_statistics
from evoply.expressions import Expression
from evoply.games import game_rules
from evoply.players import KernelSeat, ValuingPlayer
from evoply.protocols.sections import JsonData

Array = NDArray[np.float64]
LOOKS = 4
"""A test looks at its results after an eighth, a quarter, a half and all of its games."""
_CONFIDENCE = 0.95
_ADDED_SPREAD = 1 / 8
"""That of `design_effect`: pairs that happen to go alike do not show that all will."""
_Z = {looks: NormalDist().inv_cdf(1 - (1 - _CONFIDENCE) / looks) for looks in (1, LOOKS)}
"""How many standard errors below the mean the interval ends, by the number of looks."""
_Z_BOTH = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)


@dataclass(frozen=True, slots=True)
class Differences:
    """What each pair of games brought a changed player more than the whole one, in points a game.

    Against the whole player the other pair is not played: between equals it brings a half.
    """

    values: Array
    usual: Array
    """The points of the whole player in each pair."""
    hashes: NDArray[np.uint64]
    """A row for each pair: hashes of the games from which it comes."""

    def __add__(self, other: Differences) -> Differences:
        return Differences(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.usual, other.usual]),
            np.concatenate([self.hashes, other.hashes]),
        )

    @property
    def mean(self) -> float:
        """The mean of all pairs."""
        return float(self.values.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95 % of the mean."""
        half = _Z_BOTH * self.error()
        return self.mean - half, self.mean + half

    def error(self, pairs: int | None = None) -> float:
        """Return the standard error of the mean, or of the mean of so many *pairs* like these.

        Infinite if too few pairs are distinct to say anything.
        """
        count = distinct_rows(self.hashes)
        if count < FEWEST_PAIRS:
            return math.inf
        variance = (float(self.values.var()) * count + _ADDED_SPREAD) / count
        return math.sqrt(variance / (count if pairs is None else max(pairs, count)))


def is_shown(found: Differences, within: float, looks: int = LOOKS) -> bool:
    """Return whether *found* shows at one of *looks* that a change costs less than *within*."""
    return found.mean - _Z[looks] * found.error() > -within


def is_hopeless(found: Differences, within: float, pairs: int) -> bool:
    """Return whether the change would probably not be shown to after all *pairs* either."""
    if found.error() == math.inf:
        return False
    return found.mean + _Z[1] * found.error() - _Z[LOOKS] * found.error(pairs) < -within


# Games of changed players against the whole one.


@dataclass(frozen=True, slots=True)
class AgainstWhole(JsonData):
    """The points a game of a changed player against the whole one, with their interval."""

    points: float
    """In [0, 1]: 0.5 if the change does nothing."""
    low: float
    """The interval of 95 %; it is 0 to 1 where too few games differ to say anything."""
    high: float
    games: int


def played_against_whole(
    player: ValuingPlayer,
    variants: Sequence[Expression],
    *,
    game: str,
    games: int,
    seed: int,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> tuple[AgainstWhole, ...]:
    """Return how each of *variants*, other values for *player*, plays against the player itself.

    All play *games* games, an even number, in one call of the kernel: on the same random openings,
    each with both colours. Intervals are from these pairs. *progress* gets the games done of all.
    The result does not depend on *threads* (0: all cores).

    >>> from evoply.expressions import number
    >>> from evoply.players import parse_player
    >>> (nothing,) = played_against_whole(
    ...     parse_player("mobility").valuing(), [number(0.0)], game="othello", games=400, seed=1)
    >>> nothing.high < 0.5
    True
    """
    if not variants:
        return ()
    seats = [seat_with(player, variant, game) for variant in variants]
    pairs = even_games(games) // 2
    played = play_against(
        game,
        seats,
        [player],
        stream=Stream(seed, "against the whole"),
        pairs=pairs,
        threads=threads,
        progress=progress,
    )
    hashes = played.results.hashes.reshape(len(seats), -1)
    return tuple(_played(points[0], row) for points, row in zip(played.points, hashes, strict=True))


def seat_with(player: ValuingPlayer, value: Expression, game: str) -> KernelSeat:
    """Return the seat that plays as *player*, with another *value* of boards."""
    rules = game_rules(game)
    program = _native.Program(rules.kernel, value.to_json(rules.shape))
    return KernelSeat(player.by_value().with_program(game, program))


def _played(points: Array, hashes: NDArray[np.uint64]) -> AgainstWhole:
    found = pair_statistics(points, hashes)
    low, high = found.interval or (0.0, 1.0)
    return AgainstWhole(found.score, low, high, len(points))
