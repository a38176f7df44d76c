"""Statistics that compare setups by their values, one for each seed; plans of looks.

The values come from independent runs, so seeds are the unit of evidence. Differences are judged by
ranks, so no shape of their distribution is assumed, nor equal spreads. `rank_tests` has the tests
and the amount.

What each key of a grid does, over all values of the others, is tested by the ANOVA-type statistic
of Brunner, Dette and Munk (1997) on the means of the setups. It needs neither equal spreads nor
equal numbers of seeds. Its p are corrected for the number of effects by Holm's method, apart from
those of pairs. This module knows numbers, neither runs nor configs.

Reasons: docs/design/randomness.md.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import combinations, product
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.arena.statistics import mean_interval
from evoply.environment.prerequisites import from_an_extra
from evoply.experiments.rank_tests import (
    SIGNIFICANCE,
    Same,
    least_p,
    rank_test,
    same_within,
    shift_interval,
    shift_of,
)
from evoply.protocols.sections import JsonData

with from_an_extra():
    from scipy.optimize import brentq
    from scipy.special import fdtrc, ndtr, ndtri

TWO_SEEDS = "Two seeds: too few for an interval. Three seeds or more have one."

# Looks at an experiment that goes on: which were planned, and what a p at one of them means.
#
# Who adds seeds until a p is small finds something where there is nothing. Planned looks share out
# the 5 % instead: by O'Brien and Fleming's spending function (Lan and DeMets 1983), which keeps
# nearly all of it for the last look. The *overall p* of a look is the least level of the whole plan
# at which its p would be enough; it can be compared with 5 % and corrected as any other p.
#
# A look at any other number of seeds is exploratory: nothing there is certain.

_Z = np.linspace(0.68, 8.0, 80)
"""Normal quantiles of quarters of the levels for which bounds are computed; others lie between.
Each side of a two-sided test spends half of the level, 2 - 2 Phi(z / sqrt(t)) of it by time t."""
_WIDTHS = 10
"""Nodes of integration for each deviation of a step."""


@dataclass(frozen=True, slots=True)
class Look(JsonData):
    """A look at the values that there are."""

    also = ("is_exploratory as exploratory",)

    seeds: tuple[int, ...]
    """The seeds of each setup that are done."""
    planned: tuple[int, ...]
    """The numbers of seeds at which looks were planned, in order; empty: at this one alone."""

    @property
    def is_exploratory(self) -> bool:
        """Whether it was not planned: setups differ in seeds, or have another number of them."""
        if not self.planned:
            return False
        return len(set(self.seeds)) > 1 or not set(self.seeds) <= set(self.planned)

    @property
    def number(self) -> int:
        """The place among the planned looks, from 1; 0 for an exploratory one."""
        if self.is_exploratory or not self.seeds:
            return 0
        return self.planned.index(self.seeds[0]) + 1 if self.planned else 1

    def overall_p(self, p: float) -> float:
        """Return the overall p of a *p* at this look; *p* itself if there is but one look."""
        return overall_p(self.planned, self.number, p) if self.number else p

    def __str__(self) -> str:
        """Return how it stands to the plan, in a few words."""
        plan = ", ".join(f"{look:,}" for look in self.planned)
        if self.is_exploratory:
            few, most = min(self.seeds), max(self.seeds)
            seeds = f"{few:,}" if few == most else f"{few:,} to {most:,}"
            return f"{seeds} seeds a setup, and planned {_looks(self.planned)} at {plan}"
        if len(self.planned) < 2:
            return "the only look, as planned"
        return f"look {self.number} of {len(self.planned)}, planned at {plan} seeds"


ONLY = Look((), ())
"""The only look, as planned."""


def _looks(planned: Sequence[int]) -> str:
    return "was a look" if len(planned) == 1 else "were looks"


def overall_p(planned: Sequence[int], number: int, p: float) -> float:
    """Return the least level of a plan at which *p* is enough at look *number*, from 1.

    >>> overall_p((20,), 1, 0.03), round(overall_p((10, 20, 40), 2, 0.005), 3)
    (0.03, 0.065)
    """
    if len(planned) < 2 or p >= 1:
        return p
    p = max(p, 1e-300)
    if number == 1:
        reached = -ndtri(p / 4) * np.sqrt(planned[0] / planned[-1])
    else:
        reached = np.interp(-ndtri(p / 2), _bounds(tuple(planned))[number - 1], _Z)
    return float(min(1.0, max(p, 4 * ndtr(-reached))))


def levels(planned: Sequence[int], level: float = 0.05) -> list[float]:
    """Return the p that is enough at each look of a plan.

    >>> [round(p, 4) for p in levels((10, 20, 40))]
    [0.0, 0.003, 0.049]
    """
    reached = -ndtri(level / 4)
    ends = [_first_bound(reached, planned[0] / planned[-1])]
    if len(planned) > 1:
        ends += [np.interp(reached, _Z, bounds) for bounds in _bounds(tuple(planned))[1:]]
    return [float(2 * ndtr(-end)) for end in ends]


def _first_bound(z: Any, time: float) -> Any:
    return -ndtri(2 * ndtr(-z / np.sqrt(time)))


@lru_cache(maxsize=16)
def _bounds(planned: tuple[int, ...]) -> NDArray[np.float64]:
    """Return for each look the z that is enough at the levels of `_Z` (Armitage and others 1969).

    The sum of what is known is a random walk with a step for each look; it goes on between bounds.
    """
    times = np.array(planned) / planned[-1]
    spent = 4 * ndtr(-_Z[None, :] / np.sqrt(times)[:, None])
    bounds = np.empty_like(spent)
    bounds[0] = _first_bound(_Z, times[0])
    for column in range(len(_Z)):
        bounds[1:, column] = _later_bounds(times, spent[:, column], bounds[0, column])
    return np.maximum.accumulate(bounds, axis=1)


def _later_bounds(
    times: NDArray[np.float64], spent: NDArray[np.float64], first: float
) -> list[float]:
    bounds = []
    end = first * np.sqrt(times[0])
    nodes, weights = _nodes(end, np.sqrt(times[0]))
    density = np.exp(-(nodes**2) / (2 * times[0])) / np.sqrt(2 * np.pi * times[0])
    for look in range(1, len(times)):
        step = np.sqrt(times[look] - times[look - 1])
        mass, wanted = weights * density, spent[look] - spent[look - 1]
        known = nodes, mass, step

        def rest(end: float, known: Any = known, wanted: float = wanted) -> float:
            nodes, mass, step = known
            out = mass @ (ndtr((nodes - end) / step) + ndtr((-end - nodes) / step))
            return float(out - wanted)

        end = brentq(rest, 0.0, 40.0, xtol=1e-10)
        bounds.append(float(end / np.sqrt(times[look])))
        ahead, ahead_weights = _nodes(end, step)
        moved = np.exp(-(((ahead[:, None] - nodes) / step) ** 2) / 2) / (step * np.sqrt(2 * np.pi))
        nodes, weights, density = ahead, ahead_weights, moved @ mass
    return bounds


def _nodes(end: float, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return places between -*end* and *end* and their weights (Simpson's rule)."""
    end = min(end, 9.0)
    count = 2 * max(20, int(_WIDTHS * end / step / 2)) + 1
    nodes, width = np.linspace(-end, end, count, retstep=True)
    weights = np.full(count, 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    return nodes, weights * float(width) / 3


POWER = 0.8
_FEWEST_GUESSED = 3
_LEAST_EFFECT = 0.005
"""Distance of A from 1/2 below which there is no effect."""
MOST_JOINT = 3
"""Most keys of an interaction."""
FEWEST_SEEDS = 6
"""Fewest seeds of every setup: with fewer nothing is certain between two setups, either."""


@dataclass(frozen=True, slots=True)
class Spread(JsonData):
    """The values of one setup."""

    also = ("mean",)

    values: tuple[float, ...]
    median: float
    quartiles: tuple[float, float]
    interval: tuple[float, float] | None
    """Student's 95 % interval of the mean; None with fewer than three seeds, or if all agree."""

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return fmean(self.values)


@dataclass(frozen=True, slots=True)
class SetupDifference(JsonData):
    """How the values of one setup differ from those of another."""

    also = ("margin", "same_p", "whether_same as same")

    first: str
    second: str
    effect: float
    """Vargha and Delaney's A: the probability that a run of the first is better than one of the
    second, a tie counting half; 0.5 is no difference. It alone says which is better."""
    shift: float
    """By how much: Hodges and Lehmann's shift, the median of the differences between a run of the
    first and one of the second. It never has another sign than `effect` - 0.5, but may be 0."""
    interval: tuple[float, float] | None
    """The 95 % interval of the shift, of this pair alone; None with too few seeds."""
    permutation_p: float
    """The exact p of the permutation test of ranks, two-sided, of this pair alone."""
    brunner_munzel_p: float
    """The p of Brunner and Munzel's studentised permutation test, of this pair alone."""
    plain_p: float
    """The larger of both, and never below what setups of unlike spread reach by chance."""
    p: float
    """The overall p of the plan of looks for `plain_p`, times Holm's correction for all pairs."""
    permutation_holm: float = field(metadata={"json": "permutation_p_holm"})
    """The same of `permutation_p`."""
    brunner_munzel_holm: float = field(metadata={"json": "brunner_munzel_p_holm"})
    """The same of `brunner_munzel_p`."""
    is_certain: bool = field(metadata={"json": "certain"})
    """Whether p is below 0.05, at a planned look."""
    seeds_wanted: int | None
    """Seeds a setup at which an effect of this size is found in 8 of 10 experiments; None if there
    is no effect, or too few seeds to guess its size."""
    same: Same | None = field(default=None, metadata={"json": ""})
    """Whether both are the same within a margin, if that was asked; its p is as `p` is."""

    @property
    def better(self) -> str:
        """The setup that is better by A; the second if none is."""
        return self.first if self.effect > 0.5 else self.second

    @property
    def worse(self) -> str:
        """The other one."""
        return self.second if self.effect > 0.5 else self.first

    @property
    def is_same(self) -> bool:
        """Whether they are the same within the margin for certain, at a planned look."""
        return self.same is not None and self.same.is_certain

    @property
    def margin(self) -> float | None:
        """The margin within which they may be the same, if that was asked."""
        return None if self.same is None else self.same.margin

    @property
    def same_p(self) -> float | None:
        """The p of their being the same, if that was asked."""
        return None if self.same is None else self.same.p

    @property
    def whether_same(self) -> bool | None:
        """`is_same`, if that was asked."""
        return None if self.same is None else self.is_same


def spread_of(values: Sequence[float]) -> Spread:
    """Return median, quartiles and interval of *values*, at least one.

    >>> spread_of([1.0, 2.0, 3.0, 4.0]).quartiles
    (1.75, 3.25)
    """
    low, high = np.quantile(np.asarray(values, dtype=np.float64), [0.25, 0.75])
    interval = mean_interval(list(values)) if len(values) > 2 else None
    return Spread(tuple(values), median(values), (float(low), float(high)), interval)


def compared(
    values: Mapping[str, Sequence[float]], look: Look = ONLY, margin: float | None = None
) -> list[SetupDifference]:
    """Return the difference of every pair of setups, in order; *values* by the setup's name.

    *look* says which of the planned looks this is; with a *margin* every pair is also tested for
    being the same within it.

    >>> values = {"a": [0.1, 0.2, 0.3, 0.2, 0.1, 0.2], "b": [0.5, 0.6, 0.7, 0.8, 0.9, 0.6]}
    >>> one, = compared(values)
    >>> round(one.shift, 2), one.effect, round(one.p, 4), one.is_certain
    (-0.5, 0.0, 0.0312, True)
    """
    pairs = list(combinations(values, 2))
    samples = [(values[first], values[second]) for first, second in pairs]
    tests = [rank_test(a, b) for a, b in samples]
    p = corrected([test.p for test in tests], look)
    permutation = corrected([test.permutation_p for test in tests], look)
    brunner_munzel = corrected([test.brunner_munzel_p for test in tests], look)
    same: list[Same | None] = [None] * len(pairs)
    if margin is not None:
        plain = [same_within(a, b, margin) for a, b in samples]
        for place, value in enumerate(corrected([found.p for found in plain], look)):
            is_certain = value < SIGNIFICANCE and not look.is_exploratory
            same[place] = Same(margin, value, is_certain)
    return [
        SetupDifference(
            first=first,
            second=second,
            effect=test.effect,
            shift=shift_of(a, b),
            interval=shift_interval(a, b, test),
            permutation_p=test.permutation_p,
            brunner_munzel_p=test.brunner_munzel_p,
            plain_p=test.p,
            p=p[place],
            permutation_holm=permutation[place],
            brunner_munzel_holm=brunner_munzel[place],
            is_certain=p[place] < SIGNIFICANCE and not look.is_exploratory,
            seeds_wanted=seeds_for(test.effect, len(pairs))
            if min(len(a), len(b)) >= _FEWEST_GUESSED
            else None,
            same=same[place],
        )
        for place, ((first, second), (a, b), test) in enumerate(
            zip(pairs, samples, tests, strict=True)
        )
    ]


def corrected(plain: Sequence[float], look: Look = ONLY) -> list[float]:
    """Return p values for the plan of looks, corrected for their number by Holm's method (1979).

    Corrected values are never less than a smaller one's.
    """
    overall = [look.overall_p(p) for p in plain]
    found = [1.0] * len(overall)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(overall)), key=lambda place: overall[place])):
        largest = max(largest, min(1.0, overall[index] * (len(overall) - rank)))
        found[index] = largest
    return found


def fewest_seeds(pairs: int = 1) -> int:
    """Return the fewest seeds a setup with which a difference can be certain.

    With n seeds each the smallest possible p is `least_p`, with or without ties between runs of
    one setup, and Holm's correction multiplies the smallest of several p by their number.

    >>> fewest_seeds(), fewest_seeds(10)
    (6, 9)
    """
    seeds = 1
    while least_p(seeds, seeds) * pairs >= SIGNIFICANCE:
        seeds += 1
    return seeds


def seeds_for(effect: float, pairs: int = 1) -> int | None:
    """Return the seeds a setup that find an *effect* (A) with a power of 80 %; None for no effect.

    Source: Noether 1987, for tests by ranks, with the strictest of Holm's levels.

    >>> seeds_for(0.75), seeds_for(0.5)
    (21, None)
    """
    distance = abs(effect - 0.5)
    if distance < _LEAST_EFFECT:
        return None
    z = float(ndtri(1 - SIGNIFICANCE / (2 * pairs)) + ndtri(POWER))
    return max(fewest_seeds(pairs), math.ceil(z * z / (6 * distance * distance)))


@dataclass(frozen=True, slots=True)
class GridEffect(JsonData):
    """What one key of a grid does, or several together beyond what each does alone."""

    keys: tuple[str, ...]
    statistic: float
    """How large it is: about 1 if there is no effect; 0 if no values differ."""
    freedom: tuple[float, float]
    plain_p: float
    p: float
    """The overall p of the plan of looks, corrected for all effects by Holm's method."""
    is_certain: bool = field(metadata={"json": "certain"})
    means: Mapping[str, float]
    """For a single key: the mean over all setups with each of its values."""

    @property
    def name(self) -> str:
        """The keys, with a times sign between."""
        return " × ".join(self.keys)


def grid_effects(
    levels: Mapping[str, Sequence[str]], values: Sequence[Sequence[float]], look: Look = ONLY
) -> list[GridEffect]:
    """Return the effects of keys and of up to three together; none with fewer than six seeds.

    With fewer the test finds too much where spreads differ.

    *levels* are the values of each key as text, and *values* those of each setup of the grid, the
    last key changing fastest.
    """
    varied = [key for key, texts in levels.items() if len(texts) > 1]
    if not varied or min(map(len, values)) < FEWEST_SEEDS:
        return []
    sets = [keys for count in range(1, MOST_JOINT + 1) for keys in combinations(varied, count)]
    tests = [_tested(levels, keys, values) for keys in sets]
    found = corrected([p for _, _, p in tests], look)
    return [
        GridEffect(
            keys,
            statistic,
            freedom,
            plain,
            p,
            p < SIGNIFICANCE and not look.is_exploratory,
            _means(levels, keys[0], values) if len(keys) == 1 else {},
        )
        for keys, (statistic, freedom, plain), p in zip(sets, tests, found, strict=True)
    ]


def _tested(
    levels: Mapping[str, Sequence[str]], keys: Sequence[str], values: Sequence[Sequence[float]]
) -> tuple[float, tuple[float, float], float]:
    """Return the statistic, its degrees of freedom (Box's approximation) and its p."""
    parts = []
    for key, texts in levels.items():
        even = np.full((len(texts), len(texts)), 1 / len(texts))
        parts.append(np.eye(len(texts)) - even if key in keys else even)
    contrast = reduce(np.kron, parts)
    means = np.array([np.mean(row) for row in values])
    spreads = np.array([np.var(row, ddof=1) / len(row) for row in values])
    diagonal = np.diag(contrast) * spreads
    trace = float(diagonal.sum())
    square = float(means @ contrast @ means)
    if trace <= 0 or square <= 0:
        return 0.0, (1.0, 1.0), 1.0
    weighted = contrast * spreads
    freedom = trace**2 / float(np.trace(weighted @ weighted))
    rest = trace**2 / float(
        sum(d * d / (len(row) - 1) for d, row in zip(diagonal, values, strict=True))
    )
    statistic = square / trace
    return statistic, (freedom, rest), float(fdtrc(freedom, rest, statistic))


def _means(
    levels: Mapping[str, Sequence[str]], key: str, values: Sequence[Sequence[float]]
) -> dict[str, float]:
    place = list(levels).index(key)
    chosen = list(product(*levels.values()))
    means = [float(np.mean(row)) for row in values]
    of_text: dict[str, list[float]] = {text: [] for text in levels[key]}
    for at, mean in zip(chosen, means, strict=True):
        of_text[at[place]].append(mean)
    return {text: fmean(found) for text, found in of_text.items()}
