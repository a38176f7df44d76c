"""`for generation in evolve(config)`: breed, lower, play, test again, yield.

Each step is a function of the config and the generation before; nothing else is remembered, so
a run can be resumed from any generation. What is interrupted (Ctrl-C raises KeyboardInterrupt)
was never yielded. This module stores nothing and prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from time import perf_counter

from evoply.evolution.breeding import Offspring, breed, first_population
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.digest import digest_of, stream_for
from evoply.evolution.generation import (
    ArchiveEntry,
    Generation,
    Individual,
    Progress,
    Seconds,
    Statistics,
    ranking,
)
from evoply.evolution.hall_of_fame import FreshTest, draw_earlier, fresh_test, updated_hall
from evoply.evolution.panel import native_players, panel_of, trial
from evoply.gp import Tree

__all__ = ["evolve", "is_finished", "step"]

ProgressCallback = Callable[[Progress], object]


def evolve(
    config: EvolutionConfig,
    *,
    resume_from: Generation | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Iterator[Generation]:
    """Yield the generations of a run, starting after *resume_from* or with a random population.

    The generations do not depend on *threads* (0: the config's setting, by default all cores),
    nor on where the run was interrupted and resumed. The config's limits are read between
    generations only; a first generation is always made. *progress* is told about ten times a
    second how far the current generation has come.

    >>> from evoply.evolution import EvolutionConfig, evolve
    >>> config = EvolutionConfig(game="othello-4", population_size=10, generations=3)
    >>> [generation.number for generation in evolve(config)]
    [0, 1, 2]
    """
    generation = resume_from
    while not is_finished(config, generation):
        generation = step(config, generation, threads=threads, progress=progress)
        yield generation


def is_finished(config: EvolutionConfig, generation: Generation | None) -> bool:
    """Return whether the config's limits allow no generation after *generation*."""
    if generation is None:
        return False
    if config.generations is not None and generation.number + 1 >= config.generations:
        return True
    return config.time_limit is not None and generation.seconds.elapsed >= config.time_limit


def step(
    config: EvolutionConfig,
    previous: Generation | None,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Generation:
    """Return the generation after *previous*, or generation 0."""
    number = 0 if previous is None else previous.number + 1
    threads = threads or config.machine.threads
    times = [perf_counter()]

    # Step 1. Breed.
    offspring = _offspring(config, previous, number)
    times.append(perf_counter())

    # Step 2. Lower each different tree once: equal trees meet the same games anyway.
    distinct = list(dict.fromkeys(one.tree for one in offspring))
    players = native_players(config, distinct)
    archive = () if previous is None else previous.archive
    panel = panel_of(config, draw_earlier(config, archive, stream_for(config, "opponents", number)))
    times.append(perf_counter())

    # Step 3. Play.
    stream = stream_for(config, "training", number)
    told = _told(progress, number, "training")
    result = trial(config, players, panel, stream, threads=threads, progress=told)
    individuals = _individuals(offspring, dict(zip(distinct, result.fitness, strict=True)))

    # Step 4. Test the best again on fresh games.
    hall = () if previous is None else previous.hall_of_fame
    told = _told(progress, number, "fresh")
    test = fresh_test(config, number, individuals, hall, panel, threads=threads, progress=told)
    times.append(perf_counter())

    # Step 5. Describe what came out.
    games = len(distinct) * int(result.games.sum()) + test.games
    hall = updated_hall(hall, test, number, config.hall_of_fame.size)
    digest = digest_of(config, number, individuals, test.results, hall, test.champion)
    return Generation(
        number=number,
        individuals=individuals,
        hall_of_fame=hall,
        archive=_archive_with(archive, test.champion, number),
        champion=test.champion,
        fresh=test.results,
        statistics=_statistics(individuals, test, len(distinct), games),
        seconds=_seconds(config, previous, number, [*times, perf_counter()]),
        digest=digest,
    )


def _offspring(
    config: EvolutionConfig, previous: Generation | None, number: int
) -> tuple[Offspring, ...]:
    stream = stream_for(config, "breeding", number)
    if previous is None:
        return first_population(config, stream)
    return breed(config, previous.individuals, stream)


def _told(
    progress: ProgressCallback | None, number: int, stage: str
) -> Callable[[int, int], object] | None:
    if progress is None:
        return None
    return lambda done, games: progress(Progress(number, stage, done, games))


def _individuals(
    offspring: Sequence[Offspring], fitness: dict[Tree, float]
) -> tuple[Individual, ...]:
    return tuple(
        Individual(one.tree, fitness[one.tree], one.origin, one.parents) for one in offspring
    )


def _archive_with(
    archive: tuple[ArchiveEntry, ...], champion: Tree, number: int
) -> tuple[ArchiveEntry, ...]:
    if any(entry.tree == champion for entry in archive):
        return archive
    return (*archive, ArchiveEntry(champion, number))


def _statistics(
    individuals: tuple[Individual, ...], test: FreshTest, distinct: int, games: int
) -> Statistics:
    fitness = [one.fitness for one in individuals]
    best = individuals[ranking(individuals)[0]]
    return Statistics(
        best=best.fitness,
        mean=fmean(fitness),
        median=median(fitness),
        best_fresh=test.best_fresh,
        mean_fresh=test.mean_fresh,
        best_size=len(best.tree),
        mean_size=fmean(len(one.tree) for one in individuals),
        best_depth=best.tree.depth,
        mean_depth=fmean(one.tree.depth for one in individuals),
        distinct_trees=distinct,
        diversity=distinct / len(individuals),
        games=games,
    )


def _seconds(
    config: EvolutionConfig, previous: Generation | None, number: int, times: list[float]
) -> Seconds:
    began, bred, lowered, played, ended = times
    total = ended - began
    elapsed = total + (0.0 if previous is None else previous.seconds.elapsed)
    left = []
    if config.generations is not None:
        left.append(max(config.generations - number - 1, 0) * total)
    if config.time_limit is not None:
        left.append(max(config.time_limit - elapsed, 0.0))
    return Seconds(
        breeding=bred - began,
        lowering=lowered - bred,
        playing=played - lowered,
        total=total,
        elapsed=elapsed,
        left=min(left, default=None),
    )
