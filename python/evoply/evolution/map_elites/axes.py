"""The axes of a map of individuals: what each describes, in which range and in how many bins."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from evoply.configs.part import Part, Problem
from evoply.games import game_rules

Descriptor = Literal["mobility", "size", "length", "corners"]
MOST_CELLS = 1024
"""Cells of the largest map: all its elites play in every generation."""


@dataclass(frozen=True, slots=True)
class Bins:
    """An axis with its range."""

    descriptor: Descriptor
    count: int
    low: float
    high: float

    def index(self, value: float) -> int:
        """Return the bin that holds *value*, from 0; the outer ones hold what lies outside."""
        place = math.floor((value - self.low) * self.count / (self.high - self.low))
        return min(max(place, 0), self.count - 1)


class Axis(Part):
    """An axis of the map: what it describes, in which range, and in how many bins.

    A value outside the range counts as one of the first or of the last bin.
    """

    descriptor: Descriptor
    """`mobility`: the mean share of all legal moves that are its own where it is its turn, 0.5 for
    as many as the opponent's. `size`: nodes. `length`: mean plies of its games. `corners`: mean
    corners that it holds at the end."""
    bins: int = Field(default=10, ge=2, le=64)
    """How many cells the map has along this axis."""
    low: float | None = None
    """Where the first bin begins; None: what is usual for the descriptor."""
    high: float | None = None
    """Where the last bin ends; None: what is usual for the descriptor."""

    def in_range(self, game: str, max_nodes: int) -> Bins:
        """Return the axis with its range; `ValueError` if nothing is usual in *game*."""
        low, high = self._usual_range(game, max_nodes)
        return Bins(
            self.descriptor,
            self.bins,
            low if self.low is None else self.low,
            high if self.high is None else self.high,
        )

    def _usual_range(self, game: str, max_nodes: int) -> tuple[float, float]:
        """Return where most individuals lie."""
        match self.descriptor:
            case "mobility":
                return 0.4, 0.8
            case "size":
                return 1.0, max_nodes + 1.0
            case "corners":
                return 0.0, 4.0
            case "length":
                length = game_rules(game).length
                if length is not None:
                    return 0.75 * length, length + 1.0
                if self.low is None or self.high is None:
                    raise ValueError(f"games of {game} have no usual length - give low and high")
                return self.low, self.high


def axis_problems(axes: Sequence[Axis], game: str, max_nodes: int) -> Iterator[Problem]:
    """Yield what makes no map, with paths that begin at the axes."""
    known: set[str] = set()
    for number, axis in enumerate(axes):
        if axis.descriptor in known:
            again = f"{axis.descriptor} is an axis already - give another one"
            yield f"axes.{number}.descriptor", again
        known.add(axis.descriptor)
        try:
            bins = axis.in_range(game, max_nodes)
        except ValueError as error:
            yield f"axes.{number}.low", str(error)
            continue
        if bins.low >= bins.high:
            order = f"{bins.low:g} is not below high, {bins.high:g} - give less"
            yield f"axes.{number}.low", order
    cells = math.prod(axis.bins for axis in axes)
    if cells > MOST_CELLS:
        fewer = f"{cells:,} cells are more than {MOST_CELLS:,} - give fewer bins or axes"
        yield "axes", fewer
