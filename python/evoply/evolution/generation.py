"""What a generation is: values only, everything the next generation is computed from.

This module does not know how individuals are bred, judged or stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from evoply import gp
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.play.population import individual_player
from evoply.notebook import table_html

__all__ = [
    "ArchiveEntry",
    "Census",
    "FreshResult",
    "Generation",
    "HallOfFameEntry",
    "Individual",
    "Progress",
    "Seconds",
    "Statistics",
    "front_of",
    "ranking",
]


@dataclass(frozen=True, slots=True)
class Individual:
    """A tree, or several, with fitness on this generation's games, and where it comes from.

    Fitness is maximised; what a config minimises is stored with its sign changed. *origin* names
    the operator that made it, and mutations afterwards behind it; *parents* are positions in the
    generation before.
    """

    tree: gp.Genotype
    fitness: float
    origin: str
    parents: tuple[int, ...] = ()
    cases: tuple[float, ...] = ()
    """Results on single cases, maximised, if the config selects by them."""


@dataclass(frozen=True, slots=True)
class HallOfFameEntry:
    """A tree and its points over fresh games; games of long ago weigh less.

    *points* and *games* are sums in which every generation counts `MEMORY` times as much as the
    next: opponents grow stronger, so old points were easier.
    """

    tree: gp.Genotype
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
        """Return the fitness less one standard error of an even match: what entries are ranked by.

        So a lucky newcomer does not displace what has proved itself over many games.
        """
        return self.fitness - 0.5 / math.sqrt(self.games)


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """The champion of an earlier generation, an opponent of later ones."""

    tree: gp.Genotype
    generation: int


@dataclass(frozen=True, slots=True)
class FreshResult:
    """Points per fresh game against one opponent, in [0, 1]."""

    opponent: str
    best: float
    """Of the individual with the highest training fitness."""
    mean: float
    """Of a random sample of the population."""
    games: int
    """Games each of them played against this opponent."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Where the time of a generation went; never part of a digest."""

    breeding: float
    lowering: float
    playing: float
    total: float
    """Of this generation."""
    elapsed: float
    """Of all generations so far, this one included."""
    left: float | None
    """Estimate until the run's limit; None if it has none."""


@dataclass(frozen=True, slots=True)
class Statistics(Mapping[str, float]):
    """Numbers that describe a generation, by name too; sizes in nodes, depths in levels.

    *best*, *mean* and *median* are training fitness; fresh fitness is points per game in [0, 1].
    """

    best: float
    mean: float
    median: float
    best_fresh: float
    """Fitness on fresh games of the individual that was best in training."""
    mean_fresh: float
    """Mean fitness on fresh games of a random sample of the population."""
    best_size: int
    mean_size: float
    best_depth: int
    mean_depth: float
    distinct_trees: int
    """Different trees in the population."""
    diversity: float
    """Share of different trees, in (0, 1]."""
    games: int
    """Games played for this generation, fresh ones included."""

    def __getitem__(self, name: str) -> float:
        if name not in _STATISTICS:
            raise KeyError(name)
        value: float = getattr(self, name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(_STATISTICS)

    def __len__(self) -> int:
        return len(_STATISTICS)


_STATISTICS = tuple(field.name for field in fields(Statistics))


@dataclass(frozen=True, slots=True)
class Census:
    """What else a generation is made of; never part of a digest."""

    operators: Mapping[str, int] = field(default_factory=dict)
    """How often each operator took part in an individual of this generation."""
    distinct_behaviours: int = 0
    """Different trees by their values on random positions."""
    one_way_share: float | None = None
    """Share of one-way crossovers among the crossover's offspring; None if there were none."""
    sizes: tuple[float, ...] = ()
    """Minimum, lower quartile, median, upper quartile and maximum of the nodes."""
    work: int = 0
    """Work of this generation: plies of its individuals' games times operations."""
    total_work: int = 0
    """Work of all generations so far, this one included."""
    dead_introns: float = 0.0
    """Share of nodes that are never computed."""
    live_introns: float = 0.0
    """Share of nodes that are computed without effect, of 16 individuals, as far as is found."""
    no_op_chains: tuple[int, ...] = ()
    """How many chains of 1, 2, ... no-ops there are in the population."""
    chains_above_terminals: int = 0
    """How many of these chains stand directly above a terminal."""
    mean_weight: float | None = None
    """Mean weight of the leaves of 16 individuals; None where places do not weigh."""
    median_fresh: float = 0.0
    """Median fitness on fresh games of the sample that `Statistics.mean_fresh` is the mean of."""


@dataclass(frozen=True, repr=False)
class Generation:
    """One finished step of evolution: `evolve(config, resume_from=generation)` goes on from it."""

    number: int
    """0 is the random first generation."""
    individuals: tuple[Individual, ...]
    hall_of_fame: tuple[HallOfFameEntry, ...]
    """Best first."""
    archive: tuple[ArchiveEntry, ...]
    """Champions of this and earlier generations, each tree once, oldest first."""
    champion: gp.Genotype
    """Best of this generation's best on fresh games."""
    fresh: tuple[FreshResult, ...]
    statistics: Statistics
    timing: Seconds
    digest: str
    """SHA-256 of what was computed: see `evoply.evolution.digest`."""
    config: EvolutionConfig = field(compare=False)
    """What the run was asked for."""
    census: Census = Census()

    @cached_property
    def champions(self) -> tuple[Any, ...]:
        """Return the hall of fame as players that can be saved, best first."""
        return tuple(individual_player(self.config, entry.tree) for entry in self.hall_of_fame)

    @property
    def seconds(self) -> float:
        """Return what this generation took; `timing` says for what."""
        return self.timing.total

    @cached_property
    def best(self) -> Individual:
        """Return the individual with the highest training fitness, the smallest among equals."""
        return self.individuals[ranking(self.individuals)[0]]

    @property
    def games_per_second(self) -> float:
        """Return the games of this generation by the seconds spent playing."""
        return self.statistics.games / max(self.timing.playing, 1e-9)

    def __str__(self) -> str:
        """Return one line for a log."""
        numbers = self.statistics
        return (
            f"generation {self.number}: best {numbers.best:.3f}, mean {numbers.mean:.3f}, "
            f"fresh best {numbers.best_fresh:.3f}, "
            f"fresh median {self.census.median_fresh:.3f}, "
            f"size {numbers.best_size}, mean size {numbers.mean_size:.1f}, "
            f"{self.games_per_second:,.0f} games/s"
        )

    def __repr__(self) -> str:
        return f"<Generation {self.number} of {len(self.individuals)} individuals>"

    def _repr_html_(self) -> str:
        numbers = self.statistics
        middle = f"median {self.census.median_fresh:.1%}, mean {numbers.mean_fresh:.1%}"
        rows = (
            ("champion", self.champion),
            ("training", f"best {numbers.best:.1%}, mean {numbers.mean:.1%}"),
            ("fresh games", f"best {numbers.best_fresh:.1%}, {middle}"),
            ("nodes", f"best {numbers.best_size}, mean {numbers.mean_size:.1f}"),
            ("different trees", f"{numbers.distinct_trees:,} of {len(self.individuals):,}"),
            ("games", f"{numbers.games:,}, {self.games_per_second:,.0f} a second"),
            ("digest", self.digest[:16]),
        )
        return table_html(f"Generation {self.number}", rows)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the generation in the making has come, told about ten times a second."""

    generation: int
    stage: str
    """"training", "fresh", "tuning" or "final"."""
    done: int
    games: int


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
    objectives = [(one.fitness, -len(one.tree)) for one in individuals]
    return tuple(individuals[index] for index in gp.pareto_front(objectives))
