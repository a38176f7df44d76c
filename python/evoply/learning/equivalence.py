"""The rule by which a changed player is as strong as the whole one, but for so many points a game.

That no difference was found is not enough: a difference as large as that must be shown not to be
there, in pairs of games on the same openings. The interval of a mean of pairs is the usual one
(Student 1908, whose distribution is normal here), at the level of all looks together (Bonferroni),
so that looking again and again does not make it easier to pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evoply.arena.statistics import FEWEST_PAIRS, distinct_rows

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
