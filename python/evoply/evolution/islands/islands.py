"""Islands: populations that evolve apart, and now and then send their best to one another.

Each island is plain evolution, with a seed of its own. A step of the run is an epoch of all
islands, migration, and games between their best that name the champion of all. Islands know nothing
of one another in between, so they evolve side by side, on threads or on the workers of a cluster.
Sources: Tanese, "Distributed genetic algorithms" (1989); Whitley, Rana & Heckendorn, "The island
model genetic algorithm" (1999).

Reasons: docs/design/evolution.md.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from statistics import fmean
from threading import Lock
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.arena.on_cluster import check_game
from evoply.configs.keys import without_none
from evoply.environment import core_count
from evoply.environment.files import checksum
from evoply.evolution.champion_notes import champion_notes
from evoply.evolution.generation import Generation, fitness_text
from evoply.evolution.islands.migration import (
    MIGRATION,
    IslandEpoch,
    IslandsConfig,
    epoch,
    epoch_of,
    epoch_part,
    epoch_unit,
    load_islands_config,
    migrated,
    senders,
    what_is_equal,
)
from evoply.evolution.loop import Evolution
from evoply.evolution.play.opponents import Batch
from evoply.evolution.play.population import seats_of
from evoply.evolution.toolbox import ProgressCallback
from evoply.evolution.user_code import (
    check_sendable,
    is_reproducible,
    self_contained,
)
from evoply.protocols import MALFORMED, Cluster, Progress, steps
from evoply.protocols.sections import Column, Section, share
from evoply.runs.kept_learners import EndOfRun, KeptLearner, RunEnding, RunGames
from evoply.runs.kept_steps import KeptStep, loaded
from evoply.runs.kind import (
    ChampionFacts,
    Columns,
    Kind,
    LiveFacts,
    Plot,
    PlotLine,
    Row,
    StepTables,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IslandsStep(KeptStep):
    """All islands after a migration, and their champion: all that the next step needs."""

    generations: tuple[Generation, ...]
    """The last generation of each island, with the migrants that came to it."""
    points: tuple[float, ...]
    """Points a game, in [0, 1], of the best of each island against those of the others, on openings
    that nobody trained on; 0.5 where there is no other."""
    games: int
    """Games so far, of all islands and between their best."""

    @property
    def island(self) -> int:
        """The place of the champion's island, from 0; of equals it has the smaller tree."""
        places = range(len(self.generations))
        return min(places, key=lambda i: (-self.points[i], len(best_of(self.generations[i])), i))

    @property
    def champion(self) -> gp.Genotype:
        """The champion of all islands."""
        return best_of(self.generations[self.island])

    @property
    def work(self) -> int:
        """Work of all islands so far."""
        return sum(generation.census.total_work for generation in self.generations)

    @property
    def totals(self) -> dict[str, float]:
        """What the run spent so far."""
        return {"games": self.games, "work": self.work}

    def completed(self, config: IslandsConfig) -> Self:
        """Return the step with its champions, the best of each island, and with its digest.

        The digests of generations cover their configs and seeds.
        """
        table = config.islands
        content = {
            "number": self.number,
            "islands": [generation.digest for generation in self.generations],
            "points": [share.hex() for share in self.points],
            "migration": [table.every, table.migrants, table.topology, table.test_pairs],
            "games": self.games,
        }
        order = sorted(range(len(self.generations)), key=lambda place: place != self.island)
        best = (self.generations[place] for place in order)
        players: Any = (last.config.game_settings.player(best_of(last)) for last in best)
        return replace(
            self,
            statistics=MappingProxyType(dict(self.statistics)),
            champions=tuple(players),
            digest=checksum(content),
        )

    @classmethod
    def load(cls, config: IslandsConfig, data: Any) -> Self:
        """Return the step that was dumped as *data*; `ValueError` if it is damaged."""
        try:
            kept = zip(config.of_islands, data["generations"], strict=True)
            generations = tuple(Evolution().load(*each) for each in kept)
        except MALFORMED as error:
            raise ValueError(f"not a step of islands: {error}") from None
        step: Self = loaded(cls, data, generations=generations)
        if len(step.points) != len(generations):
            raise ValueError("not a step of islands: it has islands without points")
        return step.completed(config)


def best_of(generation: Generation) -> gp.Genotype:
    """Return the best tree of an island: the first of its hall of fame."""
    return generation.hall_of_fame[0].tree


@dataclass(frozen=True)
class IslandEvolution(KeptLearner[IslandsStep]):
    """The learner whose steps are epochs of all islands; *threads* 0: all cores.

    Threads, progress and cluster change no result. With a cluster its workers evolve whole islands.

    >>> config = IslandsConfig(game="othello-4", population_size=10, generations=4,
    ...     islands={"count": 2, "every": 2, "migrants": 1})
    >>> first = IslandEvolution().first(config)
    >>> [generation.number for generation in IslandEvolution().after(config, first).generations]
    [3, 3]
    """

    config_type: ClassVar[type[IslandsConfig]] = IslandsConfig
    step_type: ClassVar[type[IslandsStep]] = IslandsStep
    counted: ClassVar[frozenset[str]] = frozenset({"games", "work"})

    progress: ProgressCallback | None = None
    cluster: Cluster | None = None

    def first(self, config: IslandsConfig, /) -> IslandsStep:
        """Return step 0, which begins with random populations."""
        return self.after(config, None)

    def after(self, config: IslandsConfig, step: IslandsStep | None, /) -> IslandsStep:
        """Return the step after *step*."""
        began, table = perf_counter(), config.islands
        number = 0 if step is None else step.number + 1
        last = [None] * table.count if step is None else step.generations
        epochs = self._epochs(config, last, number)
        reached = [made.generation for made in epochs]
        draws = Stream(config.seed, "migration between islands", number)
        come_from = senders(table.topology, table.count, draws)
        generations = migrated(reached, come_from, table.migrants)
        points, met = points_of_best(config, reached, number, threads=self._threads(config))
        games = (number + 1) * met + sum(each.census.total_games for each in reached)
        return IslandsStep.made(
            config,
            step,
            began,
            generations=generations,
            points=points,
            games=games,
            statistics=_statistics(epochs, generations, points, games),
        )

    def self_contained(self, config: IslandsConfig, /) -> IslandsConfig:
        """Return *config* with players of files written out, and checksums of Python."""
        changes = tuple(
            _picked(without_none(self_contained(island).model_dump(mode="json")), change)
            for island, change in zip(config.of_islands, config.islands.changes, strict=False)
        )
        islands = config.islands.model_copy(update={"changes": changes})
        return self_contained(config).model_copy(update={"islands": islands})

    def check(self, config: IslandsConfig, /) -> None:
        """Raise ValueError unless the Python that the islands name can be had, and fits."""
        for island in config.of_islands:
            Evolution().check(island)

    def check_sendable(self, config: IslandsConfig, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if a worker cannot make all generations of an island."""
        check_game(config.game)
        for island in config.of_islands:
            check_sendable(island, is_whole=True)

    def games(self, config: IslandsConfig, /) -> RunGames:
        """Return the rules about draws of the first island, and whether all repeat their games."""
        islands = config.of_islands
        return RunGames(islands[0].draws.rules(config.game), all(map(is_reproducible, islands)))

    def _threads(self, config: IslandsConfig) -> int:
        return self.threads or config.machine.threads or core_count()

    def _epochs(
        self, config: IslandsConfig, last: Sequence[Generation | None], number: int
    ) -> list[IslandEpoch]:
        """Return the next epoch of all islands, whose last generations are given."""
        count, islands = config.islands.every, config.of_islands
        told = _Told(self.progress, number, count * len(islands))
        if self.cluster is not None:
            units = map(epoch_unit, islands, last, [count] * len(islands))
            final = (number + 1) * count - 1
            done: dict[int, IslandEpoch] = {}
            for answer in self.cluster.results(epoch_part, units, same=what_is_equal):
                done[answer.place] = epoch_of(answer, islands[answer.place], final)
                told.more(count)
            return [done[place] for place in range(len(islands))]
        threads = self._threads(config)
        at_once = min(threads, len(islands))
        evolution = Evolution(threads=-(-threads // at_once), progress=told.check)
        with ThreadPoolExecutor(at_once) as pool:
            epochs = [
                pool.submit(epoch, island, before, count, evolution, lambda _: told.more(1))
                for island, before in zip(islands, last, strict=True)
            ]
            try:
                for made in as_completed(epochs):
                    made.result()
            finally:
                told.is_over = True
                pool.shutdown(cancel_futures=True)
        return [made.result() for made in epochs]


def _picked(whole: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of *whole* at the keys that *keys* has, at any depth."""
    return {
        key: _picked(whole[key], value)
        if isinstance(value, Mapping) and isinstance(whole[key], Mapping)
        else whole[key]
        for key, value in keys.items()
        if key in whole
    }


class _Told:
    """What islands that evolve side by side tell of their progress, and whether they go on."""

    def __init__(self, progress: ProgressCallback | None, number: int, total: int) -> None:
        self.is_over = False
        self._progress = progress
        self._now = Progress(number, "epoch", 0, total)
        self._lock = Lock()

    def more(self, generations: int) -> None:
        """Hear that some island has made so many *generations* more."""
        with self._lock:
            self._now = replace(self._now, done=self._now.done + generations)
            if self._progress is not None:
                self._progress(self._now)

    def check(self, _: Progress) -> None:
        """End the generation of an island whose result nobody waits for; heard as games go on."""
        if self.is_over:
            raise CancelledError


def points_of_best(
    config: IslandsConfig, generations: Sequence[Generation], number: int, *, threads: int = 0
) -> tuple[tuple[float, ...], int]:
    """Return the points a game of the best of each island, in [0, 1], and the games in all.

    Every two of them meet on the same openings, twice with colours swapped. These have a stream of
    their own, and no opponent of training plays. Starts and rules are those of the first island.
    """
    if len(generations) == 1:
        return (0.5,), 0
    pairs, games = config.islands.test_pairs, config.of_islands[0].game_settings
    pairings = np.array(list(combinations(range(len(generations)), 2))).repeat(pairs, axis=0)
    black, white = np.concatenate([pairings, pairings[:, ::-1]]).T
    stream = Stream(config.seed, "best of islands", number)
    schedule = games.schedule(
        black,
        white,
        openings=np.tile(np.arange(pairs), len(black) // pairs),
        game_keys=stream.child("game").keys(len(black)),
        stream=stream,
    )
    seats = [
        seat
        for generation in generations
        for seat in seats_of(generation.config.game_settings, [best_of(generation)])
    ]
    results = games.play(Batch(tuple(seats), schedule), threads=threads)
    of_black = results.winners.astype(np.int64) + 1  # half points
    points = np.zeros(len(generations), dtype=np.int64)
    np.add.at(points, black, of_black)
    np.add.at(points, white, 2 - of_black)
    each = 2 * 2 * pairs * (len(generations) - 1)
    return tuple(int(half_points) / each for half_points in points), len(black)


def _statistics(
    epochs: Sequence[IslandEpoch],
    generations: Sequence[Generation],
    points: Sequence[float],
    games: int,
) -> dict[str, float]:
    """Return the numbers of a step: of those who played, before migrants took any place."""
    played = [made.generation for made in epochs]
    numbers = [generation.statistics for generation in played]
    trees = {individual.tree for generation in played for individual in generation.individuals}
    after = [individual for generation in generations for individual in generation.individuals]
    return {
        "generations": played[0].number + 1,
        "best_fresh": max(each.best_fresh for each in numbers),
        "mean_fresh": fmean(each.mean_fresh for each in numbers),
        **{f"island_{place}": each.best_fresh for place, each in enumerate(numbers, 1)},
        "best": max(each.best for each in numbers),
        "mean": fmean(each.mean for each in numbers),
        "distinct_trees": len(trees),
        "best_points": max(points),
        "migrants": sum(individual.origin == MIGRATION for individual in after),
        "survived": sum(made.survived for made in epochs),
        "games": games,
        "work": sum(generation.census.total_work for generation in played),
    }


def evolve_islands(
    config: IslandsConfig | str | os.PathLike[str],
    *,
    resume_from: IslandsStep | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
    **settings: Any,
) -> Iterator[IslandsStep]:
    """Yield the steps of islands, from random populations or after *resume_from*.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it: `evolve_islands("islands", islands={"topology": "all"})`. A
    mapping leaves the keys of its table that it does not name. The steps do not
    depend on *threads* (0: all cores). On a *cluster* (`evoply.cluster.connect`) each worker
    evolves whole islands, to the same steps.

    >>> *_, last = evolve_islands("islands", game="othello-4", population_size=10, generations=4,
    ...     islands={"count": 3, "every": 2, "migrants": 1}, time_limit=None)
    >>> last.number, len(last.generations), int(last.statistics["migrants"])
    (1, 3, 3)
    """
    if settings or not isinstance(config, IslandsConfig):
        config = load_islands_config(config, settings=settings)
    return steps(IslandEvolution(threads, progress, cluster), config, resume_from)


def _trees(_: Any, last: IslandsStep) -> list[gp.Genotype]:
    """Return the champion's tree, those of halls of fame, of populations and of their archives."""
    halls = [entry.tree for island in last.generations for entry in island.hall_of_fame]
    everybody = [
        each.tree for island in last.generations for each in (*island.individuals, *island.novel)
    ]
    return [last.champion, *halls, *everybody]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _columns(config: IslandsConfig, row: Row) -> Columns:
    """Return the columns of a step; training fitness reads as that of the islands does."""
    fitness = partial(fitness_text, config)
    islands = (
        Column(f"island_{place}", f"island {place}", share, is_fact=False, is_listed=False)
        for place in range(1, config.islands.count + 1)
    )
    return (
        Column("generations", "generations", _whole),
        Column("best_fresh", "best fresh", share, "best of all", fact="best, fresh games"),
        Column("mean_fresh", "mean fresh", share, "mean of all", fact="mean, fresh games"),
        *islands,
        Column("best", "best", fitness, fact="best, training"),
        Column("mean", "mean", fitness, is_fact=False, is_listed=False),
        Column("distinct_trees", "distinct trees", _whole),
        Column("best_points", "champion against the others", share, is_fact=False, is_listed=False),
        Column("migrants", "migrants", _whole, is_fact=False, is_listed=False),
        Column("survived", "survived", _whole, fact="migrants that survived"),
        Column("games", "games", _whole, is_fact=False),
        Column("work", "work", _whole, is_fact=False, is_listed=False),
    )


def _plots(config: IslandsConfig, rows: Sequence[Row]) -> list[Plot]:
    """Return the best of every island, training, the variety of trees, and migrants."""
    places = range(1, config.islands.count + 1)
    islands = [PlotLine(f"island {place}", f"island_{place}") for place in places]
    mean = PlotLine("mean of all", "mean_fresh", is_dashed=True)
    plots = (
        Plot(
            "The best of every island on fresh games",
            "points a game",
            [*islands, mean],
            "Opponents change with the generations: a level curve may still be progress.",
            is_share=True,
        ),
        Plot("Training", "fitness", [PlotLine("best"), PlotLine("mean")]),
        Plot(
            "Distinct trees on all islands",
            "trees",
            [PlotLine("distinct trees", "distinct_trees")],
            from_zero=True,
        ),
        Plot(
            "Migrants that survived until the next migration, themselves or in descendants",
            "migrants",
            [PlotLine("migrants that survived", "survived")],
            from_zero=True,
            after=1,
        ),
    )
    return [replace(plot, x="generations", x_title="generation") for plot in plots]


def _live(usual: LiveFacts, config: IslandsConfig, step: IslandsStep) -> LiveFacts:
    """Return *usual* with how far the limits are, which count generations."""
    every = config.islands.every
    most = None if config.generations is None else -(-config.generations // every) - 1
    left = [] if most is None else [max(most - step.number, 0) * step.seconds]
    if config.time_limit is not None:
        left.append(max(config.time_limit - step.total_seconds, 0.0))
    return replace(
        usual,
        champion=f"{step.champion} (island {step.island + 1})",
        last_number=most,
        seconds_left=min(left, default=None),
    )


def _facts(champion: Any, last: IslandsStep) -> ChampionFacts:
    """Return the nodes and the island of the champion."""
    nodes, island = len(last.champion), last.island + 1
    return ChampionFacts(
        f"{nodes} nodes, from island {island} of {len(last.generations)}",
        {"nodes": nodes, "island": island, "generation": last.number},
        {"tree": str(last.champion), "generation": last.number},
    )


def _listings(config: IslandsConfig, last: IslandsStep) -> list[Section]:
    """Return the best of each island, with its points against the others."""
    best = [best_of(island) for island in last.generations]
    rows = [
        {"island": place, "points": points, "nodes": len(tree), "tree": str(tree)}
        for place, (points, tree) in enumerate(zip(last.points, best, strict=True), 1)
    ]
    columns = (
        Column("island", "island", "{:d}".format),
        Column("points", "against the others", share),
        Column("nodes", "nodes", "{:d}".format),
        Column("tree", "tree", str, look="code", longest=100),
    )
    return [Section("The best of each island", columns, rows, name="islands")]


def _end(learner: IslandEvolution, config: IslandsConfig, last: IslandsStep) -> RunEnding:
    """Prune the champion, and measure it."""
    champion = last.champions[0]
    notes = champion_notes(
        config,
        champion,
        last.number,
        last.games,
        threads=learner.threads,
        progress=learner.progress,
    )
    return RunEnding(config.ended_by(last), champion, notes)


KIND = Kind(
    name="islands",
    learner=IslandEvolution(),
    read=load_islands_config,
    columns=_columns,
    stages={
        "begin": "step {}",
        "epoch": "step {}: {done:,} of {games:,} generations",
        "pruning": "leaving out what the champion can do without",
    },
    tables=StepTables(grows=("generations.*.archive",)),
    facts=_facts,
    live=_live,
    plots=_plots,
    listings=_listings,
    no_arguments=(
        "islands take no Python as an argument - name it in the config, as in python:FILE.py:NAME"
    ),
    ending=EndOfRun(_end, lambda last, _: last.champions[0]),
    uses={"trees": _trees},
)
"""What runs show of islands."""
