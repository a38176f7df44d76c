"""Evolution as a learner: breed, lower, play, test again; `for generation in evolve(config)`.

Each step is a function of the config and the generation before; nothing else is remembered, so
a run can be resumed from any generation. An interrupted step (Ctrl-C raises KeyboardInterrupt)
yields nothing. This module stores nothing and prints nothing.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from statistics import fmean, median
from time import perf_counter
from typing import Any, ClassVar, Unpack

import numpy as np

from evoply.evolution.breeding.offspring import (
    Offspring,
    contestants,
    first_population,
    steady_state_generation,
)
from evoply.evolution.breeding.own_operators import OwnOperator
from evoply.evolution.config.evolution_config import EvolutionConfig, load_config
from evoply.evolution.fitness import Fitness, Measured, Population, Training
from evoply.evolution.fitness.own import OwnFitness
from evoply.evolution.generation import Generation, measured
from evoply.evolution.hall_of_fame import FreshTest, draw_earlier, fresh_test, updated_hall
from evoply.evolution.individuals import (
    Archive,
    ArchiveEntry,
    Census,
    Individual,
    Proposed,
    Seconds,
    Statistics,
    best_of_each_cell,
    census_of,
    ranking,
)
from evoply.evolution.map_elites.descriptors import placed
from evoply.evolution.map_elites.space import ArchiveFigures
from evoply.evolution.play.archives import with_champion
from evoply.evolution.play.opponents import Play
from evoply.evolution.play.population import opponents_of, population_of
from evoply.evolution.selections import ChoiceKeys, Choose, archive_after
from evoply.evolution.toolbox import ProgressCallback, Toolbox, reporter, toolbox_of
from evoply.evolution.user_code import (
    check_given_once,
    check_own_players,
    check_parts,
    check_sendable,
    is_reproducible,
    self_contained,
    with_parts,
)
from evoply.protocols import Cluster, steps
from evoply.runs.kept_learners import KeptLearner, PythonArguments, RunGames
from evoply.runs.kept_steps import loaded

_NO_OPERATORS: Mapping[str, OwnOperator] = {}


def evolve(
    config: EvolutionConfig | str | os.PathLike[str],
    *,
    resume_from: Generation | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    fitness: OwnFitness | Fitness | Mapping[str, Any] | str | None = None,
    operators: Mapping[str, OwnOperator] = _NO_OPERATORS,
    selection: Choose | ChoiceKeys | Mapping[str, Any] | str | None = None,
    survival: Choose | ChoiceKeys | Mapping[str, Any] | str | None = None,
    cluster: Cluster | None = None,
    **settings: Any,
) -> Iterator[Generation]:
    """Yield the generations of a run, starting after *resume_from* or with a random population.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it: `evolve("quick", population_size=100, fitness={"sides":
    "black"})`. A table's mapping leaves the keys that it does not name; a wrong key is a
    `ConfigError`, as in a file.

    The generations do not depend on *threads* (0: the config's setting, by default all cores),
    nor on where the run was interrupted and resumed. The config's limits are read between
    generations only; a first generation is always made. *progress* is called about ten
    times a second with the progress of the current generation.

    *fitness* may also be code that replaces the config's and is maximised: a function
    *fitness(tree, stream)*, one of all different trees *fitness(trees, streams)*, or a
    `FitnessKind`. *operators* have their rates in the config's `variation.custom`:
    mutations *(tree, limits, stream)*, recombinations
    *(first, second, limits, stream)*, or rows of `OPERATORS` with their own usual rate.
    *selection* and *survival* may be functions *(candidates, count, stream)* that return positions
    of `Candidates` and replace the config's.
    A config may name all of them, too: `measure = "python:FILE.py:NAME"`.

    On a *cluster* (`evoply.cluster.connect`) its workers play all games, to the same generations;
    breeding and fitness in Python stay here. An opponent that cannot be sent is a `ValueError`.

    >>> from evoply.evolution import EvolutionConfig, evolve
    >>> config = EvolutionConfig(game="othello-4", population_size=10, generations=3)
    >>> [generation.number for generation in evolve(config)]
    [0, 1, 2]
    >>> next(evolve("quick", game="othello-4", population_size=10)).config.population_size
    10
    """
    if isinstance(fitness, Fitness | Mapping | str):
        settings["fitness"], fitness = fitness, None
    if isinstance(selection, ChoiceKeys | Mapping | str):
        settings["selection"], selection = selection, None
    if isinstance(survival, ChoiceKeys | Mapping | str):
        settings["survival"], survival = survival, None
    if settings or type(config) is not EvolutionConfig:
        config = load_config(config, settings=settings)
    named = with_parts(
        config, fitness=fitness, operators=operators, selection=selection, survival=survival
    )
    check_given_once(config, named)
    config, evolution = named, Evolution(threads, progress, cluster)
    evolution.check(config)
    if cluster is not None:
        check_sendable(config)
    return steps(evolution, config, resume_from)


@dataclass(frozen=True)
class Evolution(KeptLearner[Generation]):
    """The learner whose steps are generations; threads, progress and cluster change no result.

    The arguments are those of `evolve`; the user's own Python is named in the config.

    >>> from evoply.evolution import EvolutionConfig
    >>> config = EvolutionConfig(game="othello-4", population_size=10, generations=3)
    >>> first = Evolution().first(config)
    >>> Evolution(threads=2).after(config, first).number
    1
    """

    config_type: ClassVar[type[EvolutionConfig]] = EvolutionConfig
    step_type: ClassVar[type[Generation]] = Generation
    counted: ClassVar[frozenset[str]] = frozenset({"games", "work"})

    takes_python: ClassVar[bool] = True

    progress: ProgressCallback | None = None
    cluster: Cluster | None = None

    def with_parts(
        self, config: EvolutionConfig, /, **parts: Unpack[PythonArguments]
    ) -> EvolutionConfig:
        """Return *config* with the user's objects named in it: those that `evolve` takes."""
        return with_parts(config, **parts)

    def check(self, config: EvolutionConfig, /) -> None:
        """Raise ValueError unless the parts in Python of *config* can be had and fit.

        Their files are imported.
        """
        check_parts(config)
        check_own_players(config)

    def first(self, config: EvolutionConfig, /) -> Generation:
        """Return generation 0, the random one."""
        return self.after(config, None)

    def after(self, config: EvolutionConfig, generation: Generation | None, /) -> Generation:
        """Return the generation after *generation* in a run of *config*."""
        return step(
            config,
            generation,
            threads=self.threads,
            progress=self.progress,
            cluster=self.cluster,
        )

    def self_contained(self, config: EvolutionConfig, /) -> EvolutionConfig:
        """Return *config* with the contents of the files that it names."""
        return self_contained(config)

    def check_sendable(self, config: EvolutionConfig, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot play the games of *config*.

        If it *is_whole*, one worker makes all of it.
        """
        check_sendable(config, is_whole=is_whole)

    def games(self, config: EvolutionConfig, /) -> RunGames:
        """Return the run's own rules about draws, and whether no opponent varies its play."""
        return RunGames(config.draws.rules(config.game), is_reproducible(config))

    def load(self, config: EvolutionConfig, data: Any, /) -> Generation:
        """Return the generation that `dump` wrote as *data*; `ValueError` if it is damaged."""
        generation: Generation = loaded(Generation, data, config.primitive_set, config=config)
        generation.check()
        return generation


def step(
    config: EvolutionConfig,
    previous: Generation | None,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
) -> Generation:
    """Return the generation after *previous*, or generation 0."""
    toolbox = toolbox_of(config, threads=threads, progress=progress, cluster=cluster)
    times = [perf_counter()]

    # Step 1. Draw the opponents of the population.
    training = training_of(toolbox, previous)
    number, opponents = training.generation, training.opponents
    proposed: tuple[Proposed, ...] = ()
    novel: tuple[Individual, ...] = ()

    if previous is not None and toolbox.breeder.batch is not None:
        # Step 2 and 3 at once: breeding and judging take turns.
        individuals, population, result = _steady(toolbox, training, previous)
        times += [times[0], times[0]]
    else:
        # Step 2. Breed, and lower each different tree once.
        offspring, proposed = players_of(toolbox, previous)
        times.append(perf_counter())
        population = population_of(toolbox.games, [child.tree for child in offspring])
        times.append(perf_counter())

        # Step 3. Play, and choose who lives on if parents compete with their offspring.
        result = measured(toolbox.kind, population, training, toolbox.parsimony)
        found, tell = individuals_of(offspring, result), toolbox.play("descriptions", number)
        found, more_games, more_work = placed(toolbox.map, found, population, number, tell)
        result = replace(result, games=result.games + more_games, work=result.work + more_work)
        chosen, novel = survivors_of(toolbox, previous, found)
        individuals = tuple(found[position] for position in chosen)
        population = population.part(chosen)

    # Step 4. Test the best again on fresh games.
    hall = () if previous is None else previous.hall_of_fame
    stream, play = toolbox.stream("fresh", number), toolbox.play("fresh", number)
    test = fresh_test(toolbox.tests, toolbox.games, stream, individuals, hall, opponents, play)
    archive = Archive() if previous is None else previous.archive
    memory, archive_games, archive_work = () if previous is None else previous.memory, 0, 0
    if not archive.has(test.champion):
        archive = archive.followed_by(ArchiveEntry(test.champion, number))
        if toolbox.remembers:
            memory, archive_games, archive_work = with_champion(
                toolbox.task.earlier_generations, toolbox.games, memory, (test.champion, number),
                toolbox.stream("opponents", 0).child("archive"), toolbox.play("archive", number),
            )  # fmt: skip
    times.append(perf_counter())

    # Step 5. Describe the generation.
    hall = updated_hall(hall, test, number, toolbox.tests.size)
    played = result.games + test.games + archive_games
    return Generation(
        number=number,
        individuals=individuals,
        hall_of_fame=hall,
        archive=archive,
        champion=test.champion,
        fresh=test.results,
        statistics=_statistics(
            toolbox, previous, individuals, novel, test, len(population.trees), played
        ),
        census=census_of(
            individuals,
            population.programs,
            game=toolbox.games.game,
            seed=toolbox.seed,
            median_fresh=test.median_fresh,
            work=result.work + test.work + archive_work,
            games=played,
            before=Census() if previous is None else previous.census,
            proposed=proposed,
        ),
        timing=_timing(config, previous, number, [*times, perf_counter()]),
        config=config,
        memory=memory,
        state=result.state,
        proposed=proposed,
        novel=novel,
    )


def training_of(
    toolbox: Toolbox, previous: Generation | None, play: Play | None = None
) -> Training:
    """Return what the generation after *previous* is measured with; *play* plays its games."""
    number = 0 if previous is None else previous.number + 1
    games, task, own_opponents = (
        toolbox.games,
        toolbox.task,
        toolbox.kind.own_opponents(toolbox.task),
    )
    if toolbox.map is not None and previous is not None:
        # Parents are not as many as offspring: there is one for each cell that is filled.
        task = replace(task, population_size=task.population_size + len(previous.individuals))
    archive, memory = (Archive(), ()) if previous is None else (previous.archive, previous.memory)
    stream = toolbox.stream("opponents", number)
    earlier = draw_earlier(task.earlier_generations, archive, stream, memory)
    return Training(
        task,
        games,
        opponents_of(games, task, earlier),
        own_opponents,
        toolbox.stream("training", number),
        play or toolbox.play("training", number),
        number,
        None if previous is None else deepcopy(previous.state),
    )


def players_of(
    toolbox: Toolbox, previous: Generation | None
) -> tuple[tuple[Offspring, ...], tuple[Proposed, ...]]:
    """Return who plays in the generation after *previous*, and what programs proposed for it.

    These are offspring, after parents that compete with them.
    """
    if previous is None:
        breeding = toolbox.stream("breeding", 0)
        chosen = [] if toolbox.refit is None else toolbox.refit.first(breeding.child("refit"))
        return first_population(toolbox.breeder, breeding, chosen), ()
    number = previous.number + 1
    breeding = toolbox.stream("breeding", number)
    made: Sequence[Offspring] = ()
    if toolbox.refit is not None and number % toolbox.refit.settings.every == 0:
        made = toolbox.refit.offspring(previous.individuals, breeding.child("refit"))
    offspring = contestants(toolbox.breeder, previous.individuals, breeding, made)
    if not toolbox.proposers.commands:
        return offspring, ()
    return toolbox.proposers.filled(
        offspring,
        previous.individuals,
        previous.proposed,
        number,
        breeding.child("proposals"),
        reporter(toolbox.progress, number, "proposals"),
    )


def survivors_of(
    toolbox: Toolbox, previous: Generation | None, individuals: tuple[Individual, ...]
) -> tuple[list[int], tuple[Individual, ...]]:
    """Return the positions of those who live on of all who played, and the archive of novelty."""
    number = 0 if previous is None else previous.number + 1
    breeder, selector = toolbox.breeder, toolbox.breeder.selector
    parents = 0 if previous is None else len(previous.individuals)
    archive = () if previous is None else previous.novel
    draws = toolbox.stream("breeding", number).child("survival")
    chosen = list(range(len(individuals)))
    if selector.chooses_survivors(number):
        chosen = selector.survivors(
            individuals, parents, breeder.size, breeder.elitism, draws, archive
        )
    if toolbox.novelty is not None:
        candidates = selector.candidates(individuals, None, parents, archive)
        archive = archive_after(candidates, toolbox.novelty)
    return chosen, archive


def _steady(
    toolbox: Toolbox, training: Training, previous: Generation
) -> tuple[tuple[Individual, ...], Population, Measured]:
    """Return the next individuals of a steady state, their population, and the results."""
    results: list[Measured] = []

    def judge(offspring: Sequence[Offspring]) -> list[float]:
        population = population_of(toolbox.games, [child.tree for child in offspring])
        known = replace(training, state=results[-1].state) if results else training
        results.append(measured(toolbox.kind, population, known, toolbox.parsimony))
        fitness: list[float] = results[-1].fitness.tolist()
        return fitness

    stream = toolbox.stream("breeding", training.generation)
    individuals = steady_state_generation(toolbox.breeder, previous.individuals, stream, judge)
    total = Measured(
        fitness=np.array([individual.fitness for individual in individuals]),
        games=sum(result.games for result in results),
        work=sum(result.work for result in results),
        state=results[-1].state,
    )
    trees = [individual.tree for individual in individuals]
    return individuals, population_of(toolbox.games, trees), total


def individuals_of(offspring: Sequence[Offspring], result: Measured) -> tuple[Individual, ...]:
    """Return *offspring* with the fitness that was measured."""
    fitness: list[float] = result.fitness.tolist()
    cases = [()] * len(offspring) if result.cases is None else result.cases.tolist()
    return tuple(
        Individual(child.tree, value, child.origin, child.parents, tuple(row), child.place)
        for child, value, row in zip(offspring, fitness, cases, strict=True)
    )


def _statistics(
    toolbox: Toolbox,
    previous: Generation | None,
    individuals: tuple[Individual, ...],
    novel: tuple[Individual, ...],
    test: FreshTest,
    distinct: int,
    games: int,
) -> Statistics:
    fitness = [individual.fitness for individual in individuals]
    best = individuals[ranking(individuals)[0]]
    return Statistics(
        best=best.fitness,
        mean=fmean(fitness),
        median=median(fitness),
        best_fresh=test.best_fresh,
        mean_fresh=test.mean_fresh,
        best_size=len(best.tree),
        mean_size=fmean(len(individual.tree) for individual in individuals),
        best_depth=best.tree.depth,
        mean_depth=fmean(individual.tree.depth for individual in individuals),
        distinct_trees=distinct,
        diversity=distinct / len(individuals),
        games=games,
        **_map_numbers(toolbox, previous, individuals, novel),
    )


def _map_numbers(
    toolbox: Toolbox,
    previous: Generation | None,
    individuals: Sequence[Individual],
    novel: Sequence[Individual],
) -> dict[str, Any]:
    """Return the statistics of the best of each cell; none if nobody is described."""
    if toolbox.map is None:
        return {}
    number = 0 if previous is None else previous.number + 1
    known = set() if previous is None else {place.cell for place, _ in previous.elites}
    best = best_of_each_cell(individuals)
    new = [place.cell in known for place, _ in best if place.born == number]
    fitness = [elite.fitness for _, elite in best]
    figures = ArchiveFigures.of(fitness, len(toolbox.map.space), toolbox.map.qd_score_offset)
    return {
        "cells": figures.num_elites,
        "coverage": figures.coverage,
        "filled": new.count(False),
        "improved": new.count(True),
        "qd_score": figures.qd_score,
        "norm_qd_score": figures.norm_qd_score,
        "obj_max": figures.obj_max,
        "archived": len(novel),
    }


def _timing(
    config: EvolutionConfig, previous: Generation | None, number: int, times: list[float]
) -> Seconds:
    began, bred, lowered, played, ended = times
    total = ended - began
    elapsed = total + (0.0 if previous is None else previous.timing.elapsed)
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
