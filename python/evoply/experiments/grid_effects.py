"""Main effects and interactions of a grid: what each key does, over all values of the others.

The test is the ANOVA-type statistic of Brunner, Dette and Munk (1997) on the means of the setups.
It needs neither equal spreads nor equal numbers of seeds. Its p are corrected for the number of
effects by Holm's method, apart from those of pairs. This module knows numbers, not configs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, product
from statistics import fmean

import numpy as np
from scipy.special import fdtrc

from evoply.experiments.looks import ONLY, Look
from evoply.experiments.setup_statistics import corrected
from evoply.experiments.shifts import SIGNIFICANCE
from evoply.json_data import JsonData

MOST_JOINT = 3
"""Most keys of an interaction."""
FEWEST_SEEDS = 6
"""Fewest seeds of every setup: with fewer nothing is certain between two setups, either."""


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
