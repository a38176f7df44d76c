"""The numbers that describe a generation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class FreshResult:
    """Points per fresh game against one opponent, in [0, 1]."""

    opponent: str
    best: float
    """Points of the individual with the highest training fitness."""
    mean: float
    """Mean points of a random sample of the population."""
    games: int
    """Games each of them played against this opponent."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """The time of a generation by purpose; never part of a digest."""

    breeding: float
    lowering: float
    playing: float
    total: float
    """Seconds of this generation."""
    elapsed: float
    """Seconds of all generations so far, this one included."""
    left: float | None
    """Estimate until the run's limit; None without a limit."""


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
    cells: int | None = None
    """Filled cells of the map; None without one, as for all that follows."""
    coverage: float | None = None
    """Share of filled cells, in (0, 1]."""
    filled: int | None = None
    """Cells that were filled for the first time."""
    improved: int | None = None
    """Cells whose elite gave way to a better individual."""

    def __getitem__(self, name: str) -> float:
        value: float | None = getattr(self, name) if name in _STATISTICS else None
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name in _STATISTICS if getattr(self, name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


_STATISTICS = tuple(field.name for field in fields(Statistics))


@dataclass(frozen=True, slots=True)
class Census:
    """Further numbers of a generation; never part of a digest."""

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
    total_games: int = 0
    """Games of all generations so far, this one included."""
    dead_introns: float = 0.0
    """Share of nodes that are never computed."""
    live_introns: float = 0.0
    """Share of nodes that are computed without effect, of 16 individuals, as far as known."""
    no_op_chains: tuple[int, ...] = ()
    """Number of chains of 1, 2, ... no-ops in the population."""
    chains_above_terminals: int = 0
    """Number of these chains that stand directly above a terminal."""
    mean_weight: float | None = None
    """Mean weight of the leaves of 16 individuals; None if positions have no weights."""
    median_fresh: float = 0.0
    """Median fitness on fresh games of the sample whose mean is `Statistics.mean_fresh`."""
