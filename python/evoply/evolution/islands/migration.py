"""Migration between islands, the config that has them, and an epoch of one island.

The best of an island are copied to others, where they take the places of the worst. They keep the
fitness that they were given at home until all are judged anew in the next generation.

Reasons: docs/design/evolution.md.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from evoply._native import Stream
from evoply.arena.on_cluster import know_game, rules_to_send
from evoply.configs.keys import with_settings, without_none
from evoply.configs.part import Part, Problem
from evoply.evolution.config.evolution_config import (
    MOST_GENERATIONS,
    EvolutionConfig,
    config_from_toml,
    config_to_toml,
)
from evoply.evolution.generation import Generation
from evoply.evolution.individuals import Individual, ranking
from evoply.evolution.loop import Evolution
from evoply.evolution.user_code import self_contained
from evoply.gp import Limits
from evoply.learning.configs import config_of
from evoply.permutations import shuffled
from evoply.protocols import MALFORMED, Answer, ConfigError, packed, unpacked
from evoply.runs.kept_steps import dumped

# The config of islands: that of evolution on each of them, with one more table, `islands`.

Topology = Literal["ring", "all", "random"]
"""From which islands migrants come."""

_OF_ALL = (
    *("game", "rules_digest", "seed", "primitives", "individual", "machine"),
    *EvolutionConfig.ends(),
)
"""Keys that no island has of its own; migrants must be individuals wherever they come to."""
_AT_THE_TOP = "is one for all islands: give it at the top, or leave it out"
_OF_NONE = {
    "tuning": "is for the final test of evolution, which islands lack - leave it out",
    "termination": "ends evolution, and islands end at limits only - leave it out",
}
"""Keys of evolution that islands lack, and why."""


class Islands(Part):
    """How populations evolve apart, and exchange their best."""

    count: int = Field(default=4, ge=1, le=100)
    """How many islands there are. The first has the seed of the config, and those of the others
    follow from it."""
    every: int = Field(default=10, ge=1, le=100_000)
    """Generations of an island between migrations: a step of the run."""
    migrants: int = Field(default=5, ge=0, le=100_000)
    """How many of the best different trees of an island are copied to each island that it sends
    to, in place of the worst there; 0: nobody migrates."""
    topology: Topology = "ring"
    """`ring`: each island sends to the next; `all`: each to all others; `random`: a ring in a new
    random order each time."""
    test_pairs: int = Field(default=100, ge=1, le=100_000)
    """Openings on which the best of every two islands meet, twice with colours swapped, to name the
    champion of all; nobody trains on them."""
    changes: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    """Keys of evolution that differ on the first island, on the second, and so on."""

    @field_validator("changes")
    @classmethod
    def _can_be_written(cls, changes: Any) -> Any:
        with suppress(TypeError, ValueError, RecursionError):
            kept = json.loads(json.dumps(changes, allow_nan=False))
            if without_none(kept) == kept:
                return tuple(kept)
        raise ValueError("must have values as TOML has them: texts, numbers, lists")


class IslandsConfig(EvolutionConfig):
    """Everything that decides a run of islands; the same config and seed give the same steps.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> config = IslandsConfig(population_size=50, generations=20, islands={"count": 2})
    >>> [island.population_size for island in config.of_islands], config.individuals
    ([50, 50], 100)
    """

    about: ClassVar[str] = "islands"
    other_ends: ClassVar[tuple[str, ...]] = ("games", "work_limit", "time_limit")
    learner: Literal["islands"] = "islands"
    """The key that tells this file from those of other learners."""
    generations: int | None = Field(default=None, ge=1, le=MOST_GENERATIONS)
    """Generations of each island in all, the first included, read between steps only; None for no
    limit."""
    games: int | None = Field(default=None, ge=1)
    """Games of all islands in all, read between steps only; None for no limit."""
    work_limit: int | None = Field(default=None, ge=1)
    """Work of all islands, as evolution counts it, read between steps only; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds, read between steps only; None for no limit."""
    islands: Islands = Islands()

    @property
    def of_islands(self) -> tuple[EvolutionConfig, ...]:
        """The config of evolution on each island; `ConfigError` if one is none."""
        return _of_islands(json.dumps(self.decisive(), sort_keys=True))

    @property
    def individuals(self) -> int:
        """The individuals of a generation on all islands."""
        return sum(config.population_size for config in self.of_islands)

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of training on all islands, and those that name the champion."""
        games = [sum(island.games_of_a_step().values()) for island in self.of_islands]
        table = self.islands
        pairings = table.count * (table.count - 1) // 2
        tests = 2 * table.test_pairs * pairings
        return {"islands.every": table.every * sum(games), "islands.test_pairs": tests}

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none."""
        return self.limit_reached(
            {
                "generations": (step.number + 1) * self.islands.every,
                "games": step.games,
                "work_limit": step.work,
                "time_limit": step.total_seconds,
            }
        )

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        changes, count = self.islands.changes, self.islands.count
        problems = [(key, why) for key, why in _OF_NONE.items() if getattr(self, key) is not None]
        problems += super().problems()
        if len(changes) > count:
            more = f"{len(changes)} tables are for {count} islands - leave some out"
            problems.append(("islands.changes", more))
        refused = {**dict.fromkeys(_OF_ALL, _AT_THE_TOP), **_OF_NONE}
        problems += [
            (f"islands.changes.{place}.{key}", refused[key])
            for place, change in enumerate(changes)
            for key in change
            if key in refused
        ]
        if problems:
            return problems
        try:
            return list(self._misfits(self.of_islands))
        except ConfigError as error:
            return list(error.errors)

    def _misfits(self, islands: tuple[EvolutionConfig, ...]) -> Iterator[Problem]:
        """Yield what keeps migrants of one island from living on another."""
        table, first = self.islands, islands[0]
        senders = table.count - 1 if table.topology == "all" else min(1, table.count - 1)
        come = table.migrants * senders
        for place, config in enumerate(islands):
            if come >= config.population_size:
                yield (
                    "islands.migrants",
                    f"{come} come to an island of {config.population_size} - "
                    "give less than its population",
                )
            path = f"islands.changes.{place}.fitness"
            if config.fitness.measure != first.fitness.measure:
                message = "must be alike on all islands, or fitness means another thing there"
                yield f"{path}.measure", f"{message} - change it at the top"
            looks_at_cases = config.cases or first.cases
            if looks_at_cases and (config.cases, config.fitness) != (first.cases, first.fitness):
                message = "must be alike on all islands where single cases count"
                yield path, f"{message} - change it at the top"


@lru_cache(maxsize=32)
def _of_islands(decisive: str) -> tuple[EvolutionConfig, ...]:
    """Return the configs of islands from the JSON text of what decides a run."""
    base = json.loads(decisive)
    del base["learner"]
    table = Islands(**base.pop("islands"))
    changes = [*table.changes, *({} for _ in range(table.count - len(table.changes)))]
    configs: list[EvolutionConfig] = []
    problems: list[Problem] = []
    for place, change in enumerate(changes):
        own = {"seed": island_seed(base["seed"], place), "generations": MOST_GENERATIONS}
        try:
            configs.append(EvolutionConfig(**{**with_settings(base, change), **own}))
        except ConfigError as error:
            problems += [(f"islands.changes.{place}.{key}", why) for key, why in error.errors]
    if problems:
        raise ConfigError(problems)
    return tuple(configs)


def island_seed(seed: int, place: int) -> int:
    """Return the seed of evolution on the island at *place*; the first has that of the run."""
    return seed if place == 0 else int(Stream(seed, "island", place).key % 2**63)


def load_islands_config(
    source: IslandsConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> IslandsConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    >>> load_islands_config("islands", ["islands.count=3"]).islands.count
    3
    """
    return config_of(IslandsConfig, source, overrides, settings)


MIGRATION = "migration"
"""The origin of an individual that came from another island."""


def senders(topology: Topology, islands: int, stream: Stream) -> tuple[tuple[int, ...], ...]:
    """Return for each island those whose migrants come to it, by their places from 0.

    >>> senders("ring", 3, Stream(1))
    ((2,), (0,), (1,))
    >>> senders("all", 3, Stream(1))
    ((1, 2), (0, 2), (0, 1))
    """
    if islands == 1:
        return ((),)
    places = range(islands)
    if topology == "all":
        return tuple(tuple(other for other in places if other != place) for place in places)
    order = shuffled(islands, stream) if topology == "random" else list(places)
    before = dict(zip(order, [order[-1], *order[:-1]], strict=True))
    return tuple((before[place],) for place in places)


def emigrants(generation: Generation, count: int, limits: Limits) -> list[Individual]:
    """Return the best of *generation* with *count* different trees that keep within *limits*.

    There are fewer if it has no more of them.
    """
    best: dict[object, Individual] = {}
    for index in ranking(generation.individuals):
        individual = generation.individuals[index]
        tree = individual.tree
        is_small = tree.depth <= limits.max_depth and len(tree) <= limits.max_nodes
        if is_small and len(tree.trees) <= limits.max_trees:
            best.setdefault(tree, individual)
    return list(best.values())[:count]


def migrated(
    generations: Sequence[Generation], come_from: Sequence[Sequence[int]], migrants: int
) -> tuple[Generation, ...]:
    """Return all *generations* after migration.

    *come_from* is what `senders` returns. The first to come takes the place of the worst, the next
    that of the second worst. All else in a generation stays: its numbers are of those who played.
    """
    return tuple(
        _with_immigrants(
            generation,
            [
                individual
                for place in places
                for individual in emigrants(generations[place], migrants, generation.config.room)
            ],
        )
        for generation, places in zip(generations, come_from, strict=True)
    )


def _with_immigrants(generation: Generation, immigrants: Sequence[Individual]) -> Generation:
    if not immigrants:
        return generation
    individuals = list(generation.individuals)
    worst_first = ranking(generation.individuals)[::-1]
    for place, immigrant in zip(worst_first, immigrants, strict=False):
        individuals[place] = replace(immigrant, origin=MIGRATION, parents=(), place=None)
    return replace(generation, individuals=tuple(individuals))


# An epoch of one island: its generations between two migrations, here or on a worker.
#
# A generation is data on the way to a worker and in a run folder; its digest follows from it.


@dataclass(frozen=True, slots=True)
class IslandEpoch:
    """What an island did between two migrations."""

    generation: Generation
    """The last one."""
    survived: int
    """How many of those who had migrated here before it have descendants in the last; with a steady
    state, how many are still there, because parents are known by their places of the moment."""


def epoch(
    config: EvolutionConfig,
    before: Generation | None,
    count: int,
    evolution: Evolution,
    tell: Callable[[int], object] = lambda done: None,
) -> IslandEpoch:
    """Return the epoch of *count* generations after *before*; *tell* hears how many are done."""
    generation, came = before, () if before is None else before.individuals
    # For each individual the places of the migrants from whom it descends.
    nobody = frozenset[int]()
    ancestors = [
        frozenset([place]) if each.origin == MIGRATION else nobody
        for place, each in enumerate(came)
    ]
    for done in range(1, count + 1):
        if generation is None:
            generation = evolution.first(config)
            ancestors = [nobody for _ in generation.individuals]
        else:
            generation = evolution.after(config, generation)
            ancestors = [
                nobody.union(*(ancestors[parent] for parent in each.parents))
                for each in generation.individuals
            ]
        tell(done)
    assert generation is not None, "an epoch has a generation"
    if config.steady_state is None:
        return IslandEpoch(generation, len(nobody.union(*ancestors)))
    there = {each.tree for each in generation.individuals}
    return IslandEpoch(
        generation, sum(each.origin == MIGRATION and each.tree in there for each in came)
    )


def epoch_unit(config: EvolutionConfig, before: Generation | None, count: int) -> bytes:
    """Return the unit of work of an epoch, which `epoch_part` does."""
    task = {
        **rules_to_send(config.game),
        "config": config_to_toml(self_contained(config)),
        "count": count,
        "before": None if before is None else dumped(before),
    }
    return packed(task)


def epoch_part(data: bytes) -> bytes:
    """Make the generations of one island until the next migration: the unit of work of a cluster.

    A worker has a core of its own, so one thread plays.
    """
    from evoply.cluster.dispatch import report  # only workers do this

    task, _ = unpacked(data)
    know_game(task)
    config = config_from_toml(task["config"])
    before = None if task["before"] is None else Evolution().load(config, task["before"])
    count = int(task["count"])

    def tell(done: int) -> None:
        if not report(done / count):
            raise ValueError("nobody waits for this island any more")

    made = epoch(config, before, count, Evolution(threads=1), tell)
    return packed({"digest": made.generation.digest, **dumped(made)})


def what_is_equal(content: bytes) -> object:
    """Return the part of an answer that is equal on every worker: all but its times."""
    answer, _ = unpacked(content)
    del answer["generation"]["timing"]
    return answer


def epoch_of(answer: Answer, config: EvolutionConfig, number: int) -> IslandEpoch:
    """Return the epoch in an *answer*, whose last generation has this *number*.

    Raises `WrongResultError` if it cannot be that of its unit.
    """
    try:
        header, _ = unpacked(answer.content)
        generation = Evolution().load(config, header["generation"])
        made = IslandEpoch(generation, int(header["survived"]))
        is_right = (generation.digest, generation.number) == (header["digest"], number)
    except MALFORMED as error:
        raise answer.wrong(f"an island that cannot be read ({error})") from None
    if not is_right:
        raise answer.wrong("another generation than it says")
    return made
