"""Individuals, members of the hall of fame and the archive, their ranking, and their statistics."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from statistics import fmean
from typing import Any, Literal, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from evoply import _native, gp
from evoply.environment.files import canonical
from evoply.games import game_rules
from evoply.runs.kept_steps import Tree

Case = Literal["opponents", "games", "stages"]
"""What a single case is, by whose results an individual may be selected."""


@dataclass(frozen=True, slots=True)
class MapPlace:
    """Where an individual stands on the map of its run."""

    cell: tuple[int, ...]
    """The bin along each axis, from 0; or the number of a Voronoi cell."""
    description: tuple[float, ...]
    """The value along each axis."""
    born: int
    """The generation in which the individual was made."""

    @property
    def name(self) -> str:
        """The cell as texts of players name it, such as "3-5", or "v17" of Voronoi cells."""
        return cell_name(self.cell)


def cell_name(cell: Sequence[int]) -> str:
    """Return the name of a cell: a number alone would be that of a step."""
    return "-".join(map(str, cell)) if len(cell) > 1 else f"v{cell[0]}"


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
    """Its place, if survival describes it; it then keeps the origin of its first generation."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a user's program was asked for in a generation, and what it answered.

    Whoever asks the same again may take the answer from here instead.
    """

    operator: str
    """Its name in `variation.operators`."""
    request: str
    """The SHA-256 of what it was asked."""
    wanted: int
    """How many individuals."""
    texts: tuple[str, ...] = ()
    """The individuals that it answered; the first that are right were taken, until enough were."""
    refused: tuple[tuple[str, str], ...] = ()
    """Texts that were not taken, each with what is wrong with it."""
    cost: float = 0.0
    """What the program says that this cost, in its own unit."""
    failures: int = 0
    """How many requests in a row, this one included, had no answer; 0 if it has one."""
    reason: str = ""
    """Why it has no answer."""

    @property
    def taken(self) -> int:
        """How many individuals it made."""
        return min(self.wanted, len(self.texts) - len(self.refused))

    def __str__(self) -> str:
        """Return a few words for a log."""
        if self.failures:
            return f"{self.operator} gave nothing ({self.reason})"
        cost = f" for {self.cost:g}" if self.cost else ""
        return f"{self.operator} {self.taken} of {self.wanted}{cost}"


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


class Archive(tuple[ArchiveEntry, ...]):
    """The champions of a run so far, each tree once, oldest first.

    One with a champion more costs that champion alone, not all of them again: what was found of
    the others goes on to it.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        plain = handler(tuple[ArchiveEntry, ...])
        return core_schema.no_info_after_validator_function(cls, plain)

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[ArchiveEntry, ...]]]:
        return type(self), (tuple(self),)

    @cached_property
    def _trees(self) -> set[gp.Genotype]:
        return {entry.tree for entry in self}

    @cached_property
    def _hashed(self) -> "hashlib._Hash":
        return _more(hashlib.sha256(b'{"archive":['), self)

    def has(self, tree: gp.Genotype) -> bool:
        """Return whether *tree* is one of the champions."""
        return tree in self._trees

    def followed_by(self, entry: ArchiveEntry) -> Self:
        """Return the archive with one champion more, which it does not have."""
        longer = type(self)((*self, entry))
        # The set is handed over, since a copy would cost all of it: this archive is seldom asked
        # again, and then makes another.
        trees = self._trees
        del self._trees
        trees.add(entry.tree)
        comma = b"," if self else b""
        longer.__dict__ |= {"_trees": trees, "_hashed": _more(self._hashed, [entry], comma)}
        return longer

    def checksum_with(self, content: Mapping[str, Any]) -> str:
        """Return the `checksum` of *content* and, under the key archive, of all champions.

        That key must be the first of all in order, and *content* have another.
        """
        whole = self._hashed.copy()
        whole.update(b"]," + canonical(content)[1:])
        return whole.hexdigest()


def _more(
    begun: "hashlib._Hash", entries: Iterable[ArchiveEntry], comma: bytes = b""
) -> "hashlib._Hash":
    """Return the hash of what was *begun*, a list in canonical JSON, and of *entries*."""
    hashed = begun.copy()
    texts = (canonical([str(entry.tree), entry.generation]) for entry in entries)
    hashed.update(comma + b",".join(texts))
    return hashed


@dataclass(frozen=True, slots=True)
class Remembered:
    """A champion of an earlier generation in an archive that chooses whom it keeps."""

    tree: Tree
    generation: int
    half_points: tuple[int, ...]
    """Its half points against each member, in their order; half of all against itself."""
    share: float
    """How often it is drawn as an opponent, as a share."""
    rank: int
    """What its archive knows of it (`evoply.evolution.play.archives`)."""


def ranking(individuals: tuple[Individual, ...]) -> list[int]:
    """Return positions from best to worst: fitness, then fewer nodes, then the earlier one."""
    return sorted(
        range(len(individuals)),
        key=lambda index: (-individuals[index].fitness, len(individuals[index].tree), index),
    )


def best_of_each_cell(individuals: Sequence[Individual]) -> list[tuple[MapPlace, Individual]]:
    """Return the best of each cell in which one of *individuals* stands, the best of all first.

    On a map that is everybody.
    """
    best: dict[tuple[int, ...], tuple[MapPlace, Individual]] = {}
    for index in ranking(tuple(individuals)):
        place = individuals[index].place
        if place is not None:
            best.setdefault(place.cell, (place, individuals[index]))
    return [*best.values()]


def front_of(individuals: Sequence[Individual]) -> tuple[Individual, ...]:
    """Return the individuals that no other beats in fitness and in size, the fittest first.

    Each is the fittest of its size and of all smaller ones: the front of strength against size.
    """
    objectives = [(individual.fitness, -len(individual.tree)) for individual in individuals]
    return tuple(individuals[index] for index in gp.pareto_front(objectives))


# The numbers that describe a generation.


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
    qd_score: float | None = None
    """The sum of the fitness of the best of all cells, each less `survival.qd_score_offset`."""
    norm_qd_score: float | None = None
    """The QD score by the number of all cells."""
    obj_max: float | None = None
    """The best fitness of all cells, which has this name in pyribs."""
    archived: int | None = None
    """Individuals in the archive of novelty, 0 of a map."""

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
    asked: int = 0
    """Individuals that the user's programs were asked for."""
    taken: int = 0
    """Individuals that they made."""
    cost: float = 0.0
    """What they say that this cost, in their own unit."""
    total_cost: float = 0.0
    """The same of all generations so far, this one included."""


# The census of a generation: counts of operators, sizes, behaviours and work.

_POSITIONS = 16
_LOOKED_AT = 16
"""Individuals whose live introns and weights are counted: folding takes longer than breeding."""


def census_of(
    individuals: Sequence[Individual],
    programs: Sequence[_native.Program],
    *,
    game: str,
    seed: int,
    median_fresh: float,
    work: int,
    games: int,
    before: Census,
    proposed: Sequence[Proposed] = (),
) -> Census:
    """Return the census of *individuals*; *programs* are the programs of their different trees.

    *before* is the census of the generation before.
    """
    operators = Counter(
        name for individual in individuals for name in individual.origin.split(", ")
    )
    crossed = operators["crossover"] + operators["one_way_crossover"]
    cost = sum(answer.cost for answer in proposed)
    return Census(
        operators=dict(sorted(operators.items())),
        distinct_behaviours=len(set(behaviours(game, seed, programs))),
        one_way_share=operators["one_way_crossover"] / crossed if crossed else None,
        sizes=_quartiles([len(individual.tree) for individual in individuals]),
        work=work,
        total_work=before.total_work + work,
        total_games=before.total_games + games,
        median_fresh=median_fresh,
        asked=sum(answer.wanted for answer in proposed),
        taken=sum(answer.taken for answer in proposed),
        cost=cost,
        total_cost=before.total_cost + cost,
        **_structure([individual.tree for individual in individuals]),
    )


def _structure(individuals: Sequence[gp.Genotype]) -> dict[str, Any]:
    """Return the part of a census about introns, no-ops and weights."""
    trees = [tree for individual in individuals for tree in gp.branches(individual)]
    sets = {id(tree.primitive_set): tree.primitive_set for tree in trees}.values()
    structure: dict[str, Any] = {}
    if any(primitive.introns for primitives in sets for primitive in primitives):
        structure["dead_introns"] = sum(map(gp.dead_size, trees)) / sum(map(len, trees))
    if any(primitive.bits for primitives in sets for primitive in primitives):
        chains = gp.chain_statistics(trees)
        longest = max(chains.lengths, default=0)
        structure["no_op_chains"] = tuple(chains.lengths.get(n, 0) for n in range(1, longest + 1))
        structure["chains_above_terminals"] = chains.above_terminals
    sample = individuals[:: max(len(individuals) // _LOOKED_AT, 1)][:_LOOKED_AT]
    sizes = [gp.sizes(individual) for individual in sample]
    structure["live_introns"] = sum(size.live_introns for size in sizes) / sum(
        size.nodes for size in sizes
    )
    weights = [
        weight
        for individual in sample
        for tree in gp.branches(individual)
        for weight in gp.leaf_weights(tree)
        if weight is not None
    ]
    if weights:
        structure["mean_weight"] = fmean(weights)
    return structure


def behaviours(game: str, seed: int, programs: Sequence[_native.Program]) -> list[bytes]:
    """Return the values that each program gives to the same 16 random positions of *game*.

    They are equal for programs that value these positions alike, however they are written.
    """
    rules = game_rules(game)
    positions = _positions(rules.kernel, seed, rules.late_ply)
    # -0.0 and 0.0 are the same value.
    return [(program.evaluate(positions) + 0.0).tobytes() for program in programs]


@lru_cache(maxsize=16)
def _positions(kernel: str, seed: int, late_ply: int) -> _native.Positions:
    """Return the positions of `behaviours`: the same for all generations of a run."""
    key = _native.Stream(seed, "behaviour").key
    return _native.Positions.random(kernel, _POSITIONS, key, 0, late_ply)


def _quartiles(sizes: Sequence[int]) -> tuple[float, ...]:
    """Return the minimum, the quartiles and the maximum, those between two sizes by their distance.

    They are exact, and so the same as `numpy.quantile` gives, which takes longer than breeding.
    """
    ordered, last = sorted(sizes), len(sizes) - 1
    found = []
    for quarter in range(5):
        below, rest = divmod(quarter * last, 4)
        step = ordered[min(below + 1, last)] - ordered[below]
        found.append(ordered[below] + step * rest / 4)
    return tuple(found)
