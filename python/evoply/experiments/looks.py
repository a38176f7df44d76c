"""Looks at an experiment that goes on: which were planned, and what a p at one of them means.

Who adds seeds until a p is small finds something where there is nothing. Planned looks share out
the 5 % instead: by O'Brien and Fleming's spending function (Lan and DeMets 1983), which keeps
nearly all of it for the last look. The *overall p* of a look is the least level of the whole plan
at which its p would be enough; it can be compared with 5 % and corrected as any other p.

A look at any other number of seeds is exploratory: nothing there is certain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from evoply.json_data import JsonData

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
