"""A generation in which offspring replace bad individuals at once, instead of all at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evoply._native import Stream
from evoply.evolution.breeding.offspring import Offspring, offspring_of
from evoply.evolution.breeding.selection import select_parents, select_worst
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.generation import Individual, ranking
from evoply.evolution.python_parts import PythonParts

__all__ = ["steady_state_generation"]

Judge = Callable[[Sequence[Offspring]], list[float]]
"""Returns the fitness of offspring; the games of a whole generation are on the same openings."""


def steady_state_generation(
    config: EvolutionConfig,
    before: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts,
    judge: Judge,
) -> tuple[Individual, ...]:
    """Return the population after as many offspring as it has individuals, a batch at a time.

    Each replaces one individual that is drawn for being bad and is not among the `elitism` best.
    Parents are given as their places at that time. Source: gpjpp, SteadyState.
    """
    batch = 1 if config.steady_state is None else config.steady_state.batch
    population = [
        Individual(one.tree, one.fitness, "survivor", (place,)) for place, one in enumerate(before)
    ]
    made = number = 0
    while made < len(population):
        # Step 1. Breed.
        draws = stream.child("batch", number)
        size = min(batch, len(population) - made)
        drawn = select_parents(config, population, 2 * size, draws.child("parents"), parts)
        offspring: list[Offspring] = []
        while len(offspring) < size:
            place = len(offspring)
            couple = (drawn[2 * place], drawn[2 * place + 1])
            child = draws.child("offspring", place)
            offspring += offspring_of(config, population, couple, made + place, child, parts)
        offspring = offspring[:size]

        # Step 2. Judge, and put each in the place of somebody bad.
        for place, (one, fitness) in enumerate(zip(offspring, judge(offspring), strict=True)):
            best = set(ranking(tuple(population))[: config.elitism])
            others = [index for index in range(len(population)) if index not in best]
            if others:
                rest = [population[index] for index in others]
                worst = select_worst(config, rest, draws.child("worst", place), parts)
                population[others[worst]] = Individual(one.tree, fitness, one.origin, one.parents)
        made += size
        number += 1
    return tuple(population)
