"""Where individuals are told apart: axes with ranges, and the cells that they make.

Cells are those of a grid, or those of a Voronoi tessellation whose centroids lie evenly (CVT).
A cell is a tuple of numbers: the bin along each axis, or the number of one centroid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evoply import gp
from evoply._native import Stream
from evoply.configs.own_code import OwnCode, is_own_code
from evoply.environment.prerequisites import from_an_extra

Array = NDArray[np.float64]
At = Literal["turns", "end"]
"""Where a count is taken: the mean of the individual's own turns, or the end of its games."""

_SAMPLES = 50
"""Samples for each centroid."""
_ROUNDS = 30
"""Rounds of k-means at most, after which centroids hardly move any more."""
_AT_ONCE = 4096
"""Individuals whose distances from all centroids are in memory at a time."""


@dataclass(frozen=True, slots=True)
class Bins:
    """An axis with its range."""

    descriptor: str
    count: int
    low: float
    high: float
    at: At = "turns"

    @property
    def name(self) -> str:
        """The descriptor for people: of one's own code without its file."""
        is_own = is_own_code(self.descriptor)
        return OwnCode.from_text(self.descriptor).name if is_own else self.descriptor

    def index(self, value: float) -> int:
        """Return the bin that holds *value*, from 0; the outer ones hold what lies outside."""
        place = math.floor((value - self.low) * self.count / (self.high - self.low))
        return min(max(place, 0), self.count - 1)


@dataclass(frozen=True, slots=True)
class Space:
    """The axes by which individuals are described, and the cells there."""

    axes: tuple[Bins, ...]
    voronoi_cells: int | None = None
    """How many Voronoi cells there are; None: the cells are those of the grid of bins."""

    def __len__(self) -> int:
        return self.voronoi_cells or math.prod(axis.count for axis in self.axes)

    @property
    def names(self) -> list[str]:
        """The names of the axes."""
        return [axis.name for axis in self.axes]

    def scaled(self, values: Array) -> Array:
        """Return *values* of shape (individuals, axes) with the range of each axis as 0 to 1."""
        low = np.array([axis.low for axis in self.axes])
        scaled: Array = (values - low) / (np.array([axis.high for axis in self.axes]) - low)
        return scaled

    @property
    def centroids(self) -> Array:
        """The centroids of the Voronoi cells, `scaled`; each cell is what is nearest to one."""
        assert self.voronoi_cells is not None, "the cells are those of a grid"
        return even_centroids(self.voronoi_cells, len(self.axes))

    def cells_of(self, values: Array) -> list[tuple[int, ...]]:
        """Return the cell of each row of *values*; of equally near centroids the first counts."""
        if self.voronoi_cells is None:
            return [
                tuple(axis.index(value) for axis, value in zip(self.axes, row, strict=True))
                for row in values.tolist()
            ]
        scaled, centroids = self.scaled(values), self.centroids
        parts = (scaled[first : first + _AT_ONCE] for first in range(0, len(scaled), _AT_ONCE))
        nearest = [gp.distances(part, centroids).argmin(axis=1).tolist() for part in parts]
        return [(cell,) for part in nearest for cell in part]

    def index(self, cell: Sequence[int]) -> int:
        """Return the number of *cell*, from 0: of a grid in the order of C, as in pyribs."""
        if self.voronoi_cells is not None:
            return cell[0]
        number = 0
        for axis, place in zip(self.axes, cell, strict=True):
            number = number * axis.count + place
        return number

    def has(self, cell: Sequence[int], description: Sequence[float]) -> bool:
        """Return whether there is such a cell, and *description* has a value for each axis."""
        counts = [len(self)] if self.voronoi_cells else [axis.count for axis in self.axes]
        return (len(description), len(cell)) == (len(self.axes), len(counts)) and all(
            0 <= index < count for index, count in zip(cell, counts, strict=True)
        )


@lru_cache(maxsize=16)
def even_centroids(cells: int, axes: int) -> Array:
    """Return centroids that lie evenly in the cube from 0 to 1, shape (*cells*, *axes*).

    They are found from samples by k-means (Lloyd's), which begins with the first samples. Only
    both numbers decide, so that runs of any seed have the same cells. Source: Vassiliades,
    Chatzilygeroudis & Mouret, "Using centroidal Voronoi tessellations to scale up the
    multidimensional archive of phenotypic elites algorithm" (2018).
    """
    with from_an_extra():  # slow to import, and rarely needed
        from scipy.spatial import KDTree

    keys = Stream(0, "centroids", cells, axes).keys(_SAMPLES * cells * axes)
    samples = (keys >> np.uint64(11)).astype(np.float64).reshape(-1, axes) / 2**53
    centroids: Array = samples[:cells].copy()
    for _ in range(_ROUNDS):
        _, nearest = KDTree(centroids).query(samples)
        sizes = np.bincount(nearest, minlength=cells)
        sums = [np.bincount(nearest, samples[:, axis], cells) for axis in range(axes)]
        moved = np.where(  # nobody's centroid stays where it is
            sizes[:, np.newaxis] > 0,
            np.column_stack(sums) / np.maximum(sizes, 1)[:, np.newaxis],
            centroids,
        )
        if np.array_equal(moved, centroids):
            break
        centroids = moved
    centroids.flags.writeable = False
    return centroids


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """The figures of elites, one a cell, by the names that pyribs has for them."""

    num_elites: int
    coverage: float
    """The share of cells that are filled."""
    qd_score: float
    """The sum of what the fitness of each elite exceeds the offset by."""
    norm_qd_score: float
    """That, divided by the number of cells."""
    obj_max: float | None
    """The best fitness; None without elites."""
    obj_mean: float | None

    @classmethod
    def of(cls, fitness: Sequence[float], cells: int, offset: float = 0.0) -> ArchiveFigures:
        """Return the figures of elites with *fitness* in so many *cells*.

        *offset* is the least fitness that counts: a filled cell should not lower the score.
        """
        score = math.fsum(fitness) - len(fitness) * offset
        return cls(
            num_elites=len(fitness),
            coverage=len(fitness) / cells,
            qd_score=score,
            norm_qd_score=score / cells,
            obj_max=max(fitness, default=None),
            obj_mean=math.fsum(fitness) / len(fitness) if fitness else None,
        )
