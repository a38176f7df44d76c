"""A generation in which offspring replace bad individuals at once, instead of all at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evoply._native import Stream
from evoply.evolution.breeding.offspring import Offspring, after_migration, offspring_of
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
    With demes, those of neighbours are exchanged first; then each deme makes as many offspring as
    it has individuals, from parents of its own, in its own places. Parents are given as their
    places at that time. Source: gpjpp, SteadyState.
    """
    batch = 1 if config.steady_state is None else config.steady_state.batch
    deme = len(before) if config.demes is None else config.demes.size
    population = [
        Individual(before[slot].tree, before[slot].fitness, "survivor", (slot,))
        for slot in after_migration(config, before, stream.child("migration"), parts)
    ]
    made = number = 0
    while made < len(population):
        # Step 1. Breed.
        draws = stream.child("batch", number)
        start = made // deme * deme
        end = start + deme
        size = min(batch, end - made)
        members = population[start:end]
        drawn = select_parents(config, members, 2 * size, draws.child("parents"), parts)
        drawn = [start + place for place in drawn]
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
            others = [index for index in range(start, end) if index not in best]
            if others:
                rest = [population[index] for index in others]
                worst = select_worst(config, rest, draws.child("worst", place), parts)
                population[others[worst]] = Individual(one.tree, fitness, one.origin, one.parents)
        made += size
        number += 1
    return tuple(population)
