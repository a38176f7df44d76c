"""Statistics that compare setups by their values, one for each seed.

The values come from independent runs, so seeds are the unit of evidence. Only the interval of a
difference of means assumes a shape of their distribution. This module knows numbers, not runs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median, variance
from typing import Any, Literal

import numpy as np
from scipy import stats
from scipy.special import ndtri, stdtrit

from evoply.arena.statistics import mean_interval

SIGNIFICANCE = 0.05
POWER = 0.8
_FEWEST_GUESSED = 3
_MOST_EXACT = 100
"""Most values of a setup for the exact test, which counts all mixtures of two setups."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of one setup."""

    values: tuple[float, ...]
    median: float
    quartiles: tuple[float, float]
    interval: tuple[float, float] | None
    """Student's 95 % interval of the mean; None with fewer than two seeds."""

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return fmean(self.values)


@dataclass(frozen=True, slots=True)
class SetupDifference:
    """How the values of one setup differ from those of another."""

    first: str
    second: str
    difference: float
    """Mean of the first minus mean of the second."""
    interval: tuple[float, float] | None
    """Welch's 95 % interval of it; None with fewer than two seeds of one of them."""
    effect: float
    """Vargha and Delaney's A: the probability that a run of the first is better than one of the
    second, a tie counting half; 0.5 is no difference."""
    p: float
    """Mann and Whitney's, two-sided, times Holm's correction for all pairs; 1 if there is no
    evidence."""
    is_certain: bool
    """Whether p is below 0.05."""
    seeds_wanted: int | None
    """Seeds a setup at which an effect of this size is found in 8 of 10 experiments; None if there
    is no effect, or too few seeds to guess its size."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready data."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "effect": self.effect,
            "p": self.p,
            "certain": self.is_certain,
            "seeds_wanted": self.seeds_wanted,
        }


def spread_of(values: Sequence[float]) -> Spread:
    """Return median, quartiles and interval of *values*, at least one.

    >>> spread_of([1.0, 2.0, 3.0, 4.0]).quartiles
    (1.75, 3.25)
    """
    low, high = np.quantile(np.asarray(values, dtype=np.float64), [0.25, 0.75])
    return Spread(
        tuple(values), median(values), (float(low), float(high)), mean_interval(list(values))
    )


def compared(values: Mapping[str, Sequence[float]]) -> list[SetupDifference]:
    """Return the difference of every pair of setups, in order; *values* by the setup's name.

    >>> one, = compared({"a": [0.1, 0.2, 0.3, 0.2, 0.1], "b": [0.5, 0.6, 0.7, 0.8, 0.9]})
    >>> round(one.difference, 2), one.effect, round(one.p, 4), one.is_certain
    (-0.52, 0.0, 0.0117, True)
    """
    pairs = list(combinations(values, 2))
    plain = [_p_value(values[first], values[second]) for first, second in pairs]
    differences = []
    for (first, second), p in zip(pairs, _holm(plain), strict=True):
        a, b = list(values[first]), list(values[second])
        effect = _effect(a, b)
        differences.append(
            SetupDifference(
                first,
                second,
                fmean(a) - fmean(b),
                _welch(a, b),
                effect,
                p,
                p < SIGNIFICANCE,
                seeds_for(effect, len(pairs)) if min(len(a), len(b)) >= _FEWEST_GUESSED else None,
            )
        )
    return differences


def fewest_seeds(pairs: int = 1) -> int:
    """Return the fewest seeds a setup with which a difference can be certain.

    With n seeds each the smallest possible p is 2 / C(2n, n), and Holm's correction multiplies the
    smallest of several p by their number.

    >>> fewest_seeds(), fewest_seeds(10)
    (4, 6)
    """
    seeds = 1
    while 2 / math.comb(2 * seeds, seeds) * pairs >= SIGNIFICANCE:
        seeds += 1
    return seeds


def seeds_for(effect: float, pairs: int = 1) -> int | None:
    """Return the seeds a setup that find an *effect* (A) with a power of 80 %; None for no effect.

    Source: Noether 1987, for the test of Mann and Whitney, with the strictest of Holm's levels.

    >>> seeds_for(0.75), seeds_for(0.5)
    (21, None)
    """
    distance = abs(effect - 0.5)
    if distance < 0.005:
        return None
    z = float(ndtri(1 - SIGNIFICANCE / (2 * pairs)) + ndtri(POWER))
    return max(fewest_seeds(pairs), math.ceil(z * z / (6 * distance * distance)))


def _p_value(a: Sequence[float], b: Sequence[float]) -> float:
    both = {*a, *b}
    if not a or not b or len(both) < 2:
        return 1.0
    # The normal approximation is never as small as the exact p, so more seeds could prove less.
    is_exact = len(both) == len(a) + len(b) and max(len(a), len(b)) <= _MOST_EXACT
    method: Literal["exact", "asymptotic"] = "exact" if is_exact else "asymptotic"
    return float(stats.mannwhitneyu(a, b, alternative="two-sided", method=method).pvalue)


def _holm(plain: Sequence[float]) -> list[float]:
    """Return p values corrected for their number (Holm 1979), never less than a smaller one's."""
    corrected = [1.0] * len(plain)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(plain)), key=lambda pair: plain[pair])):
        largest = max(largest, min(1.0, plain[index] * (len(plain) - rank)))
        corrected[index] = largest
    return corrected


def _effect(a: Sequence[float], b: Sequence[float]) -> float:
    wins = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    return wins / (len(a) * len(b))


def _welch(a: Sequence[float], b: Sequence[float]) -> tuple[float, float] | None:
    if min(len(a), len(b)) < 2:
        return None
    difference = fmean(a) - fmean(b)
    parts = [variance(values) / len(values) for values in (a, b)]
    if not sum(parts):
        return difference, difference
    # Welch and Satterthwaite's degrees of freedom.
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (a, b), strict=True)
    )
    half = float(stdtrit(freedom, 0.975)) * math.sqrt(sum(parts))
    return difference - half, difference + half
