"""Individuals, the members of the hall of fame and the archive, and their ranking."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evoply import gp
from evoply.runs.kept_steps import Tree

Case = Literal["opponents", "games", "stages"]
"""What a single case is, by whose results an individual may be selected."""


@dataclass(frozen=True, slots=True)
class MapPlace:
    """Where an individual stands on the map of its run."""

    cell: tuple[int, ...]
    """The bin along each axis, from 0."""
    description: tuple[float, ...]
    """The value along each axis."""
    born: int
    """The generation in which the individual was made."""

    def is_on(self, counts: Sequence[int]) -> bool:
        """Return whether the place is on a map with so many bins along each axis."""
        sizes = {len(counts), len(self.cell), len(self.description)}
        bins = zip(self.cell, counts, strict=False)
        return len(sizes) == 1 and all(0 <= index < count for index, count in bins)

    @property
    def name(self) -> str:
        """The cell as texts of players name it, such as "3-5"."""
        return "-".join(map(str, self.cell))


@dataclass(frozen=True, slots=True)
class Individual:
    """A tree, or several, with fitness on this generation's games, and its origin.

    Fitness is maximised; a minimised fitness is stored with its sign changed. *origin* names the
    operator that made it, then the mutations afterwards; *parents* are positions in the
    generation before.
    """

    tree: Tree
    fitness: float
    origin: str
    parents: tuple[int, ...] = ()
    cases: tuple[float, ...] = ()
    """Results on single cases, maximised, if the config selects by them."""
    place: MapPlace | None = None
    """Its place, if survival is a map; it then keeps the origin of its first generation."""


@dataclass(frozen=True, slots=True)
class HallOfFameEntry:
    """A tree and its points over fresh games; older games weigh less.

    *points* and *games* are sums in which every generation counts `MEMORY` times as much as the
    next: opponents grow stronger, so old points were easier.
    """

    tree: Tree
    generation: int
    """Generation in which the tree entered."""
    points: float
    games: float

    @property
    def fitness(self) -> float:
        """Return the points per fresh game, in [0, 1]."""
        return self.points / self.games

    @property
    def rank_value(self) -> float:
        """Return the fitness less one standard error of an even match, which ranks entries.

        So a lucky newcomer does not displace a tree that has proved itself over many games.
        """
        return self.fitness - 0.5 / math.sqrt(self.games)


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """The champion of an earlier generation, an opponent of later ones."""

    tree: Tree
    generation: int


def ranking(individuals: tuple[Individual, ...]) -> list[int]:
    """Return positions from best to worst: fitness, then fewer nodes, then the earlier one."""
    return sorted(
        range(len(individuals)),
        key=lambda index: (-individuals[index].fitness, len(individuals[index].tree), index),
    )


def front_of(individuals: Sequence[Individual]) -> tuple[Individual, ...]:
    """Return the individuals that no other beats in fitness and in size, the fittest first.

    Each is the fittest of its size and of all smaller ones: the front of strength against size.
    """
    objectives = [(individual.fitness, -len(individual.tree)) for individual in individuals]
    return tuple(individuals[index] for index in gp.pareto_front(objectives))
