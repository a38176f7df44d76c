"""The map: axes in bins, and cells, each with the best individual that was found there."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Descriptor = Literal["mobility", "size", "length", "corners"]
Cell = tuple[int, ...]
"""The bin along each axis, from 0."""


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

    def bounds(self, index: int) -> tuple[float, float]:
        """Return where the bin *index* begins and ends."""
        width = (self.high - self.low) / self.count
        return self.low + index * width, self.low + (index + 1) * width


@dataclass(frozen=True, slots=True)
class Elite:
    """The best individual of a cell so far."""

    cell: Cell
    tree: str
    nodes: int
    fitness: float
    """In the games of this generation, which all elites play; maximised."""
    description: tuple[float, ...]
    """Its place along each axis."""
    origin: str
    """The operator that made it."""
    born: int
    """The generation in which it was made."""

    @property
    def rank(self) -> tuple[float, int]:
        """What elites of a cell are compared by: fitness, then fewer nodes."""
        return self.fitness, -self.nodes


def cell_text(cell: Cell) -> str:
    """Return *cell* as texts of players name it, such as "3-5"."""
    return "-".join(map(str, cell))


def with_newcomers(elites: Iterable[Elite], newcomers: Iterable[Elite]) -> tuple[Elite, ...]:
    """Return the map after *newcomers* asked for their cells one by one, in the order of cells.

    A newcomer gets its cell if it is empty or if it ranks above the elite there. Source: Mouret &
    Clune, "Illuminating search spaces by mapping elites" (2015).
    """
    held = {elite.cell: elite for elite in elites}
    for newcomer in newcomers:
        elite = held.get(newcomer.cell)
        if elite is None or newcomer.rank > elite.rank:
            held[newcomer.cell] = newcomer
    return tuple(held[cell] for cell in sorted(held))


def best_seen_from_above(elites: Sequence[Elite]) -> dict[tuple[int, int], Elite]:
    """Return the best elite for each pair of bins along the first two axes: the map as drawn."""
    seen: dict[tuple[int, int], Elite] = {}
    for elite in elites:
        place = (elite.cell[0], elite.cell[1])
        if place not in seen or elite.rank > seen[place].rank:
            seen[place] = elite
    return seen
