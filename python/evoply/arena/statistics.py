"""Statistics of results: score, interval, Elo.

Games come in pairs that share an opening, and the two games of a pair are not independent, so
intervals are computed from pairs. This module knows numbers, not players.

Reasons: docs/design/randomness.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

import numpy as np
from numpy.typing import NDArray

FEWEST_PAIRS = 10
"""The number of distinct pairs below which there is no interval, as it would mean nothing."""


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """A score in [0, 1] and its interval."""

    score: float
    interval: tuple[float, float] | None
    """None if there are too few distinct pairs of games to say anything."""
    distinct_pairs: int


def pair_statistics(
    points: NDArray[np.float64], hashes: NDArray[np.uint64], confidence: float = 0.95
) -> PairStatistics:
    """Return the mean of *points* with an interval from opening pairs.

    *points* (one entry a game: 1, 0.5, 0) and *hashes* hold pairs in consecutive entries. A pair
    that repeats an earlier one does not count as distinct. The interval is Wilson's with an
    effective number of games p(1-p)/variance of the mean, so that it stays inside [0, 1]; where all
    pairs scored alike, every distinct pair counts as one game.

    >>> pair_statistics(np.array([1.0, 1.0, 1.0, 0.0] * 10), np.arange(40, dtype=np.uint64))
    PairStatistics(score=0.75, interval=(0.62..., 0.84...), distinct_pairs=20)
    """
    score = float(points.mean())
    pairs = points.reshape(-1, 2).mean(axis=1)
    distinct = distinct_rows(hashes.reshape(-1, 2))
    if distinct < FEWEST_PAIRS:
        return PairStatistics(score, None, distinct)
    variance = float(pairs.var(ddof=1)) / distinct
    games = score * (1 - score) / variance if variance > 0 else float(distinct)
    return PairStatistics(score, wilson(score, games, confidence), distinct)


def distinct_rows(rows: NDArray[np.uint64]) -> int:
    """Return the number of different rows.

    `numpy.unique` would import masked arrays, which takes longer than a short match.

    >>> distinct_rows(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint64))
    2
    """
    ordered = rows[np.lexsort(rows.T)]
    return int((ordered[1:] != ordered[:-1]).any(axis=1).sum()) + (len(ordered) > 0)


def wilson(share: float, count: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval (Wilson 1927) of a share of *count* trials."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Student's interval of the mean of independent runs; None for fewer than two.

    The values should be roughly normal. Source: Student 1908.

    >>> mean_interval([1.0, 2.0, 3.0])
    (-0.48..., 4.48...)
    """
    count = len(values)
    if count < 2:
        return None
    from scipy.special import stdtrit  # slow to import, and rarely needed

    half = float(stdtrit(count - 1, (1 + confidence) / 2)) * stdev(values) / math.sqrt(count)
    mean = fmean(values)
    return mean - half, mean + half


def elo_difference(score: float) -> float:
    """Return the rating difference at which *score* is expected; infinite at 0 and 1.

    >>> round(elo_difference(0.64))
    100
    """
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))
