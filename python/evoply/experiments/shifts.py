"""How far apart two samples are, and whether that is less than matters.

The shift is Hodges and Lehmann's (1963): the median of all differences between a value of the
first sample and one of the second. A counts how many of these differences are above 0, so where A
is not 1/2 the shift never has the opposite sign; at most it is 0. The interval has the shifts that
`rank_tests` does not reject. So it agrees with p: if p is below 0.05, it has none of the other
sign, and 0 at most as its end; else it holds 0.

This module knows numbers, not setups.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evoply.experiments.rank_tests import Floats, RankTest, least_p, p_values, rank_test

SIGNIFICANCE = 0.05
_TRIED = 32
"""Shifts that are tried at once while an end of an interval is looked for."""
_DIGITS = 12
"""Digits behind which values that were computed otherwise are still equal."""


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
    """Return how many of *shifts* are not rejected, the farther ones being the last."""
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
