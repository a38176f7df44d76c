"""Islands: populations that evolve apart, and now and then send their best to one another.

Each island is plain evolution, with a seed of its own. A step of the run is an epoch of all
islands, migration, and games between their best that name the champion of all. Islands know nothing
of one another in between, so they evolve side by side, on threads or on the workers of a cluster.
Sources: Tanese, "Distributed genetic algorithms" (1989); Whitley, Rana & Heckendorn, "The island
model genetic algorithm" (1999).

Reasons: docs/design/evolution.md.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from threading import Event, Lock
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.evolution.generation import Generation
from evoply.evolution.loop import Evolution, ProgressCallback
from evoply.evolution.play.panel import Batch, IndividualPlayer
from evoply.evolution.play.population import seats_of
from evoply.files import checksum
from evoply.islands.island_epoch import (
    IslandEpoch,
    epoch,
    epoch_of,
    epoch_part,
    epoch_unit,
    what_is_equal,
)
from evoply.islands.islands_config import IslandsConfig, load_islands_config
from evoply.islands.migration import MIGRATION, migrated, senders
from evoply.processes import core_count
from evoply.protocols import MALFORMED, Cluster, Progress, steps
from evoply.runs.steps import dumped


@dataclass(frozen=True, slots=True)
class IslandsStep:
    """All islands after a migration, and their champion: all that the next step needs."""

    number: int
    """0 is the first step."""
    generations: tuple[Generation, ...]
    """The last generation of each island, with the migrants that came to it."""
    points: tuple[float, ...]
    """Points a game, in [0, 1], of the best of each island against those of the others, on openings
    that nobody trained on; 0.5 where there is no other."""
    games: int
    """Games so far, of all islands and between their best."""
    statistics: Mapping[str, float]
    seconds: float
    total_seconds: float
    """Seconds of all steps so far."""
    digest: str
    """SHA-256 of what was computed, without times."""

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
    def champions(self) -> tuple[IndividualPlayer, ...]:
        """The best of each island as players, the champion of all first."""
        order = sorted(range(len(self.generations)), key=lambda place: place != self.island)
        best = (self.generations[place] for place in order)
        return tuple(last.config.game_settings.player(best_of(last)) for last in best)

    @property
    def work(self) -> int:
        """Work of all islands so far."""
        return sum(generation.census.total_work for generation in self.generations)


def best_of(generation: Generation) -> gp.Genotype:
    """Return the best tree of an island: the first of its hall of fame."""
    return generation.hall_of_fame[0].tree


@dataclass(frozen=True)
class IslandEvolution:
    """The learner whose steps are epochs of all islands; *threads* 0: all cores.

    Threads, progress and cluster change no result. With a cluster its workers evolve whole islands.

    >>> config = IslandsConfig(base="quick", islands=2, every=2, migrants=1, generations=4,
    ...     game="othello-4")
    >>> first = IslandEvolution().first(config)
    >>> [generation.number for generation in IslandEvolution().after(config, first).generations]
    [3, 3]
    """

    config_type: ClassVar[type[IslandsConfig]] = IslandsConfig

    threads: int = 0
    progress: ProgressCallback | None = None
    cluster: Cluster | None = None

    def first(self, config: IslandsConfig, /) -> IslandsStep:
        """Return step 0, which begins with random populations."""
        return self._step(config, None)

    def after(self, config: IslandsConfig, step: IslandsStep, /) -> IslandsStep:
        """Return the step after *step*."""
        return self._step(config, step)

    def is_finished(self, config: IslandsConfig, step: IslandsStep, /) -> bool:
        """Return whether the limits in *config* allow no step after *step*."""
        return bool(config.ended_by(step))

    def dump(self, step: IslandsStep, /) -> dict[str, Any]:
        """Return *step* as JSON-ready data, without what follows from it."""
        return {
            "number": step.number,
            "generations": [dumped(generation) for generation in step.generations],
            "points": list(step.points),
            "games": step.games,
            "statistics": dict(step.statistics),
            "seconds": step.seconds,
            "total_seconds": step.total_seconds,
        }

    def load(self, config: IslandsConfig, data: Any, /) -> IslandsStep:
        """Return the step that `dump` wrote as *data*; `ValueError` if it is none."""
        try:
            kept = [
                Generation.load(*each)
                for each in zip(config.of_islands, data["generations"], strict=True)
            ]
            points = tuple(map(float, data["points"]))
            if len(points) != len(kept):
                raise ValueError("this step has islands without points")
            return _completed(
                config,
                kept,
                points,
                number=int(data["number"]),
                games=int(data["games"]),
                statistics={name: float(value) for name, value in data["statistics"].items()},
                seconds=float(data["seconds"]),
                total_seconds=float(data["total_seconds"]),
            )
        except MALFORMED as error:
            raise ValueError(f"this is no step of islands: {error}") from None

    def _step(self, config: IslandsConfig, before: IslandsStep | None) -> IslandsStep:
        began = perf_counter()
        number = 0 if before is None else before.number + 1
        last = [None] * config.islands if before is None else before.generations
        epochs = self._epochs(config, last, number)
        reached = [made.generation for made in epochs]
        draws = Stream(config.seed, "migration between islands", number)
        come_from = senders(config.topology, config.islands, draws)
        generations = migrated(reached, come_from, config.migrants)
        points, met = points_of_best(config, reached, number, threads=self._threads(config))
        games = met + sum(made.games for made in epochs) + (0 if before is None else before.games)
        seconds = perf_counter() - began
        return _completed(
            config,
            generations,
            points,
            number=number,
            games=games,
            statistics=_statistics(config, epochs, generations, points, games),
            seconds=seconds,
            total_seconds=seconds + (0.0 if before is None else before.total_seconds),
        )

    def _threads(self, config: IslandsConfig) -> int:
        return self.threads or config.machine.threads or core_count()

    def _epochs(
        self, config: IslandsConfig, last: Sequence[Generation | None], number: int
    ) -> list[IslandEpoch]:
        """Return the next epoch of all islands, whose last generations are given."""
        count, islands = config.every, config.of_islands
        heard = _Heard(self.progress, number, config.islands, count)
        if self.cluster is not None:
            units = map(epoch_unit, islands, last, [count] * config.islands)
            final = (number + 1) * count - 1
            done: dict[int, IslandEpoch] = {}
            for answer in self.cluster.results(epoch_part, units, same=what_is_equal):
                done[answer.place] = epoch_of(answer, islands[answer.place], final)
                heard.of(answer.place)(count)
            return [done[place] for place in range(config.islands)]

        def evolve_one(place: int) -> IslandEpoch:
            evolution = Evolution(threads=each, progress=heard.check)
            return epoch(islands[place], last[place], count, evolution, heard.of(place))

        threads = self._threads(config)
        at_once = min(threads, config.islands)
        each = -(-threads // at_once)
        if at_once == 1:
            return [evolve_one(place) for place in range(config.islands)]
        pool = ThreadPoolExecutor(at_once)
        try:
            return list(pool.map(evolve_one, range(config.islands)))
        finally:
            heard.stop()
            pool.shutdown(cancel_futures=True)


class _StoppedError(Exception):
    """Another island failed, or Ctrl-C came: this one ends without a result."""


class _Heard:
    """What islands that evolve side by side tell of their progress, and whether they go on."""

    def __init__(
        self, progress: ProgressCallback | None, number: int, islands: int, count: int
    ) -> None:
        self._progress = progress
        self._number = number
        self._done = [0] * islands
        self._total = islands * count
        self._is_over = Event()
        self._lock = Lock()

    def of(self, place: int) -> Callable[[int], None]:
        """Return what hears how many generations the island at *place* has done."""

        def tell(done: int) -> None:
            self._done[place] = done
            with self._lock:
                if self._progress is not None:
                    made = sum(self._done)
                    self._progress(Progress(self._number, "epoch", made, self._total))

        return tell

    def check(self, _: Progress) -> None:
        """End the generation of an island whose result nobody waits for; heard as games go on."""
        if self._is_over.is_set():
            raise _StoppedError

    def stop(self) -> None:
        """End all islands that still evolve."""
        self._is_over.set()


def points_of_best(
    config: IslandsConfig, generations: Sequence[Generation], number: int, *, threads: int = 0
) -> tuple[tuple[float, ...], int]:
    """Return the points a game of the best of each island, in [0, 1], and the games in all.

    Every two of them meet on the same openings, twice with colours swapped. These have a stream of
    their own, and no opponent of training plays. Starts and rules are those of the first island.
    """
    if len(generations) == 1:
        return (0.5,), 0
    pairings = np.array(list(combinations(range(len(generations)), 2)))
    first, second = np.repeat(pairings, config.test_pairs, axis=0).T
    openings = np.tile(np.arange(config.test_pairs), len(pairings))
    stream = Stream(config.seed, "best of islands", number)
    keys = stream.child("game").keys(2 * len(first))
    games = config.of_islands[0].game_settings
    schedule = games.schedule(
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        openings=np.concatenate([openings, openings]),
        game_keys=keys,
        stream=stream,
    )
    seats = [
        seat
        for generation in generations
        for seat in seats_of(generation.config.game_settings, [best_of(generation)])
    ]
    results = games.play(Batch(tuple(seats), schedule), threads=threads)
    black = results.winners.astype(np.int64) + 1  # half points
    points = np.zeros(len(generations), dtype=np.int64)
    np.add.at(points, schedule.black, black)
    np.add.at(points, schedule.white, 2 - black)
    each = 2 * 2 * config.test_pairs * (len(generations) - 1)
    return tuple(int(half_points) / each for half_points in points), len(black)


def _statistics(
    config: IslandsConfig,
    epochs: Sequence[IslandEpoch],
    generations: Sequence[Generation],
    points: Sequence[float],
    games: int,
) -> dict[str, float]:
    """Return the numbers of a step: of those who played, before migrants took any place."""
    played = [made.generation for made in epochs]
    numbers = [generation.statistics for generation in played]
    trees = {individual.tree for generation in played for individual in generation.individuals}
    came = [
        individual.origin == MIGRATION
        for generation in generations
        for individual in generation.individuals
    ]
    return {
        "generations": played[0].number + 1,
        "best_fresh": max(each.best_fresh for each in numbers),
        "mean_fresh": fmean(each.mean_fresh for each in numbers),
        **{f"island_{place}": each.best_fresh for place, each in enumerate(numbers, 1)},
        "best": max(each.best for each in numbers),
        "mean": fmean(each.mean for each in numbers),
        "distinct_trees": len(trees),
        "best_points": max(points),
        "migrants": sum(came),
        "survived": sum(made.survived for made in epochs),
        "games": games,
        "work": sum(made.work for made in epochs),
    }


def _completed(
    config: IslandsConfig,
    generations: Sequence[Generation],
    points: tuple[float, ...],
    *,
    number: int,
    **numbers: Any,
) -> IslandsStep:
    """Return the step of these values with its digest.

    The digests of generations cover their configs and seeds.
    """
    content = {
        "number": number,
        "islands": [generation.digest for generation in generations],
        "points": [share.hex() for share in points],
        "migration": [config.every, config.migrants, config.topology, config.test_pairs],
        "games": numbers["games"],
    }
    numbers["statistics"] = MappingProxyType(numbers["statistics"])
    return IslandsStep(
        number=number,
        generations=tuple(generations),
        points=points,
        digest=checksum(content),
        **numbers,
    )


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
    of the config, which change it: `evolve_islands("islands", topology="all")`. The steps do not
    depend on *threads* (0: all cores). On a *cluster* (`evoply.cluster.connect`) each worker
    evolves whole islands, to the same steps.

    >>> *_, last = evolve_islands("islands", base="quick", game="othello-4", islands=3, every=2,
    ...     migrants=1, generations=4, time_limit=None)
    >>> last.number, len(last.generations), int(last.statistics["migrants"])
    (1, 3, 3)
    """
    if settings or not isinstance(config, IslandsConfig):
        config = load_islands_config(config, settings=settings)
    return steps(IslandEvolution(threads, progress, cluster), config, resume_from)
