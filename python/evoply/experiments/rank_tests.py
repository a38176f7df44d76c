"""Two tests of two samples by ranks: an exact one, and one for unlike spreads. And their shift.

Both look at A, the probability that a value of the first sample is above one of the second, ties
counting half (Vargha and Delaney 2000). A pair of setups differs for certain only if both agree:

* the *permutation test* asks whether the values could have been dealt out to the two samples
  otherwise: exact with any ties, but only if equal setups would have equal spreads, too;
* *Brunner and Munzel's test* (2000) divides A by its own standard error, so spreads may differ. Its
  p is the larger of Student's approximation and of the studentised permutation distribution of
  A's logit (Pauly, Asendorf and Konietschke 2016), which keeps its level with few values;
* samples that are all apart come about in 2^(1 - n) of experiments with A = 1/2, n being the size
  of the smaller sample, if one setup spreads much more than the other: no p is below that.

Distributions of permutations depend on sizes and ties alone, and are kept.

How far apart two samples are is Hodges and Lehmann's shift (1963): the median of all differences
between a value of the first and one of the second. A counts how many of these differences are above
0, so where A is not 1/2 the shift never has the opposite sign; at most it is 0. The interval has
the shifts that the tests do not reject. So it agrees with p: if p is below 0.05, it has none of the
other sign, and 0 at most as its end; else it holds 0.

This module knows numbers, not setups.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.environment.prerequisites import from_an_extra

with from_an_extra():
    from scipy.special import ndtr, stdtr

Floats = NDArray[np.float64]
SIGNIFICANCE = 0.05
_TRIED = 32
"""Shifts that are tried at once while an end of an interval is looked for."""
_DIGITS = 12
"""Digits behind which values that were computed otherwise are still equal."""
_MOST_EXACT = 60
"""Most values of the smaller sample for the exact test; for more the normal approximation is as
good as equal."""
_MOST_LISTED = 50_000
"""Most ways to deal out the values that are gone through one by one."""
_DRAWN = 20_000
"""Ways that are drawn at random if there are more, by a fixed key: the same for all data."""
_FEWEST_BEYOND = 10
"""Drawn ways beyond which a share of them is no guess."""
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class RankTest:
    """What the ranks of two samples say."""

    effect: float
    """A: above 1/2 if the first sample is better."""
    permutation_p: float
    """Two-sided, exact with ties for up to 60 values of a sample."""
    brunner_munzel_p: float
    """Two-sided, of A = 1/2 with any spreads."""
    p: float
    """The larger of both and of `least_p`: what decides."""


def rank_test(a: Sequence[float], b: Sequence[float]) -> RankTest:
    """Return both tests of *a* and *b*, each of at least one value.

    >>> found = rank_test([0.6, 0.7, 0.8, 0.9, 0.95, 0.99], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> round(found.effect, 3), round(found.permutation_p, 4), round(found.p, 4)
    (0.986, 0.0043, 0.0312)
    """
    both = np.concatenate([np.asarray(a, np.float64), np.asarray(b, np.float64)])
    _, group, sizes = np.unique(both, return_inverse=True, return_counts=True)
    counts = np.bincount(group[: len(a)], minlength=len(sizes))[:, None]
    ties = tuple(sizes.tolist())
    permutation, brunner_munzel = p_values(counts, ties)
    effect = float(_studentised(np.cumsum(counts, axis=0, dtype=np.float64), ties).effect[0])
    first, second = float(permutation[0]), float(brunner_munzel[0])
    return RankTest(effect, first, second, max(first, second, least_p(len(a), len(b))))


def least_p(first: int, second: int) -> float:
    """Return the least p that samples of these sizes can have: that of values all apart.

    With A = 1/2 each of n independent pairs has the first value above with probability 1/2.
    """
    return min(1.0, 2.0 ** (1 - min(first, second)))


def p_values(counts: NDArray[np.int64], ties: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the p of the permutation test, and that of Brunner and Munzel, for each column.

    *ties* are the numbers of equal values, in order of the values, and a column of *counts* says
    how many of them are in the first sample, the same number in all in every column.
    """
    size = int(counts[:, 0].sum())
    if len(ties) < 2 or min(size, sum(ties) - size) < 2:
        return np.ones(counts.shape[1]), np.ones(counts.shape[1])
    return _permutation_p(counts, size, ties), _brunner_munzel_p(counts, size, ties)


def _permutation_p(counts: NDArray[np.int64], size: int, ties: tuple[int, ...]) -> Floats:
    ranks, total = _double_ranks(ties), sum(ties)
    # The sum of ranks, from what it is in the middle, times twice the number of values.
    away = np.abs((ranks @ counts) * total - size * int(np.dot(ranks, ties)))
    if min(size, total - size) <= _MOST_EXACT:
        support, tail = _rank_sums(size, ties)
        exact: Floats = tail[np.searchsorted(support, away)]
        return exact
    equal = sum(number**3 - number for number in ties)
    variance = size * (total - size) / 12 * (total + 1 - equal / (total * (total - 1)))
    distance = np.maximum(away / (2 * total) - 0.5, 0)
    normal: Floats = np.minimum(1.0, 2 * ndtr(-distance / math.sqrt(variance)))
    return normal


def _double_ranks(ties: tuple[int, ...]) -> NDArray[np.int64]:
    """Return twice the mid-rank of each group of equal values."""
    sizes = np.array(ties, np.int64)
    return 2 * np.cumsum(sizes) - sizes + 1


@lru_cache(maxsize=512)
def _rank_sums(size: int, ties: tuple[int, ...]) -> tuple[NDArray[np.int64], Floats]:
    """Return the distances of rank sums from the middle, and the probability of each or more."""
    ranks, total = _double_ranks(ties), sum(ties)
    few = min(size, total - size)
    step = math.gcd(*(ranks - ranks[0]).tolist())
    listed = np.repeat((ranks - ranks[0]) // step, ties)
    most = int(listed[-few:].sum())
    ways = np.zeros((few + 1, most + 1))
    ways[0, 0] = 1.0
    so_far = 0
    for number, rank in enumerate(listed.tolist()):
        taken = min(number + 1, few)
        so_far = min(most, so_far + rank)
        ways[1 : taken + 1, rank : so_far + 1] += ways[:taken, : so_far + 1 - rank].copy()
    row = ways[few]
    sums = np.flatnonzero(row)
    away = np.abs((sums * step + few * ranks[0]) * total - few * int(np.dot(ranks, ties)))
    support, place = np.unique(away, return_inverse=True)
    mass = np.bincount(place, weights=row[sums] / row.sum())
    return support, np.minimum(1.0, np.cumsum(mass[::-1])[::-1])


@dataclass(frozen=True, slots=True)
class _Studentised:
    """A of each column, and its distance from 1/2 in standard errors."""

    effect: Floats
    statistic: Floats
    """Brunner and Munzel's; infinite where all values are apart."""
    logit: Floats
    """The same of the logit of A."""
    freedom: Floats


def _studentised(up_to: NDArray[Any], ties: tuple[int, ...]) -> _Studentised:
    """Return it for columns that say how many of the lowest groups are in the first sample."""
    first = np.diff(up_to, axis=0, prepend=up_to.dtype.type(0))
    sizes = np.array(ties, up_to.dtype)[:, None]
    n, total = float(up_to[-1, 0]), float(sum(ties))
    m = total - n
    # Values of the other sample below those of a group, equal ones counting half.
    below_second = up_to - first / 2
    below_first = (np.cumsum(sizes, axis=0) - sizes / 2) - below_second
    second = sizes - first
    effect = _sums(first, below_first) / (n * m)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (
            _variance(first, below_first, n, effect * m) / (n * m * m),
            _variance(second, below_second, m, (1 - effect) * n) / (m * n * n),
        )
        variance = parts[0] + parts[1]
        deviation = np.sqrt(variance)
        freedom = variance**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
        statistic = (effect - 0.5) / deviation
        logit = np.log(effect / (1 - effect)) * effect * (1 - effect) / deviation
    statistic[effect == 0.5] = logit[effect == 0.5] = 0.0
    for end, distance in ((0.0, -np.inf), (1.0, np.inf)):
        statistic[effect == end] = logit[effect == end] = distance
    return _Studentised(effect, statistic, logit, freedom)


def _variance(counts: NDArray[Any], below: NDArray[Any], size: float, mean: Floats) -> Floats:
    rest: Floats = _sums(counts, below, below) - size * mean * mean
    return np.where(rest < _NEAR, 0.0, rest) / (size - 1)


def _sums(*factors: NDArray[Any]) -> Floats:
    """Return the sum of products of each column; of halves and quarters, so exact in 32 bits."""
    names = ",".join(["ij"] * len(factors))
    sums: Floats = np.einsum(f"{names}->j", *factors).astype(np.float64)
    return sums


def _brunner_munzel_p(counts: NDArray[np.int64], size: int, ties: tuple[int, ...]) -> Floats:
    found = _studentised(np.cumsum(counts, axis=0, dtype=np.float64), ties)
    distance = np.abs(found.logit)
    # The sizes of logits are those of the other sample, too, and drawn ways are to be the same.
    known, is_drawn = _logits(min(size, sum(ties) - size), ties)
    beyond = len(known) - np.searchsorted(known, distance * (1 - _NEAR))
    share = (beyond + is_drawn) / (len(known) + is_drawn)
    student = _student(found.statistic, found.freedom)
    if is_drawn:
        # Too few drawn ways are as far: Student's approximation of the same statistic.
        guess = np.maximum(_student(found.logit, found.freedom), student)
        share = np.where(beyond < _FEWEST_BEYOND, np.minimum(share, guess), share)
    return np.maximum(share, student)


def _student(statistic: Floats, freedom: Floats) -> Floats:
    p = np.zeros(len(statistic))
    finite = np.isfinite(statistic) & np.isfinite(freedom)
    p[finite] = 2 * stdtr(freedom[finite], -np.abs(statistic[finite]))
    p[statistic == 0] = 1.0
    return p


@lru_cache(maxsize=512)
def _logits(size: int, ties: tuple[int, ...]) -> tuple[Floats, bool]:
    """Return the sizes of studentised logits when values are dealt out anew, in order.

    And whether the ways to deal them out were drawn.
    """
    total = sum(ties)
    up_to = _ways(size, total)[np.cumsum(ties) - 1]
    is_drawn = math.comb(total, size) > _MOST_LISTED
    return np.sort(np.abs(_studentised(up_to, ties).logit)), is_drawn


@lru_cache(maxsize=4)
def _ways(size: int, total: int) -> NDArray[np.float32]:
    """Return ways to choose *size* of *total* values, all or drawn.

    A column of the result counts the chosen ones up to each value.
    """
    count = math.comb(total, size)
    if count <= _MOST_LISTED:
        chosen = np.array(list(itertools.combinations(range(total), size)))
    else:
        keys = Stream(0, "ways to deal out values", size, total).keys(_DRAWN * total)
        chosen = keys.reshape(_DRAWN, total).argpartition(size - 1, axis=1)[:, :size]
    ways = np.zeros((len(chosen), total), np.float32)
    np.put_along_axis(ways, chosen, 1, axis=1)
    return np.cumsum(ways.T, axis=0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Same:
    """Whether two samples are the same within a margin: two one-sided tests (Schuirmann 1987)."""

    margin: float
    p: float
    """The larger p of "the first is worse by the margin" and "better by the margin"."""
    is_certain: bool
    """Whether p is below 0.05."""


def shift_of(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Hodges and Lehmann's shift of *a* against *b*.

    >>> shift_of([1.0, 2.0, 5.0], [1.0, 1.5])
    0.75
    """
    return float(np.median(_differences(a, b)))


def shift_interval(
    a: Sequence[float], b: Sequence[float], test: RankTest | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the shift; None if there are too few values to reject any.

    *test* is the `rank_test` of both, if it is known already.
    """
    if least_p(len(a), len(b)) >= SIGNIFICANCE:
        return None
    # Between two differences, and beyond them, p does not change.
    places = np.unique(np.round(_differences(a, b), _DIGITS))
    ends = np.concatenate([places[:1] - 1, places, places[-1:] + 1])
    middles = (ends[1:] + ends[:-1]) / 2
    shift = shift_of(a, b)
    centre = int(np.abs(places - shift).argmin())
    low = min(shift, float(ends[centre + 1 - _held(a, b, middles[centre::-1])]))
    high = max(shift, float(ends[centre + 1 + _held(a, b, middles[centre + 1 :])]))
    test = rank_test(a, b) if test is None else test
    if test.p >= SIGNIFICANCE:
        return min(low, 0.0), max(high, 0.0)
    # Shifts on the other side of 0 are farther away than 0, which is rejected.
    return (max(low, 0.0), high) if test.effect > 0.5 else (low, min(high, 0.0))


def same_within(a: Sequence[float], b: Sequence[float], margin: float) -> Same:
    """Return whether *a* and *b* differ by less than *margin*, which is above 0, either way.

    >>> values = [0.50, 0.51, 0.52, 0.53, 0.54, 0.55]
    >>> same_within(values, values, 0.1).p, same_within(values, values, 0.001).p > 0.05
    (0.015625, True)
    """
    other = np.round(np.asarray(b, np.float64), _DIGITS)
    one_sided = []
    for sign in (1, -1):
        moved = np.round(np.asarray(a, np.float64) + sign * margin, _DIGITS)
        test = rank_test(moved.tolist(), other.tolist())
        is_beyond = sign * (test.effect - 0.5) > 0
        one_sided.append(test.p / 2 if is_beyond else 1 - test.p / 2)
    p = max(one_sided)
    return Same(margin, p, p < SIGNIFICANCE)


def _held(a: Sequence[float], b: Sequence[float], shifts: Floats) -> int:
    held, out = 0, len(shifts)
    while held < out:
        tried = np.unique(np.linspace(held, out - 1, _TRIED).astype(int))
        are_held = _p_of_shifts(a, b, shifts[tried]) >= SIGNIFICANCE
        place = int(np.flatnonzero(are_held)[-1]) + 1 if are_held.any() else 0
        held = int(tried[place - 1]) + 1 if place else held
        out = int(tried[place]) if place < len(tried) else out
    return held


def _differences(a: Sequence[float], b: Sequence[float]) -> Floats:
    found: Floats = np.subtract.outer(np.asarray(a, np.float64), np.asarray(b, np.float64))
    return found.ravel()


def _p_of_shifts(a: Sequence[float], b: Sequence[float], shifts: Floats) -> Floats:
    """Return p of *a* minus each of *shifts* against *b*, none of which makes two values equal."""
    first = np.asarray(a, np.float64)[:, None] - shifts
    both = np.concatenate([first, np.broadcast_to(np.asarray(b)[:, None], (len(b), len(shifts)))])
    is_first = np.argsort(both, axis=0) < len(a)
    permutation, brunner_munzel = p_values(is_first.astype(np.int64), (1,) * len(both))
    least: Floats = np.maximum(permutation, brunner_munzel)
    return np.maximum(least, least_p(len(a), len(b)))
