"""The next population: selection and variation, pure functions of the parents and a stream.

Every offspring draws from its own child stream, so no draw of one shifts another's. Elites are
copied first; each place after them goes to one operator drawn by its rate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config import (
    EvolutionConfig,
    GreedySelection,
    RouletteSelection,
    Selection,
    TournamentSelection,
    Variation,
)
from evoply.evolution.generation import Individual, ranking
from evoply.expressions import PRIMITIVE_SETS, PrimitiveSet
from evoply.gp import Limits, Tree

__all__ = ["Offspring", "breed", "first_population", "primitive_set_of"]


@dataclass(frozen=True, slots=True)
class Offspring:
    """A tree that has not played yet, its operator, and its parents' positions."""

    tree: Tree
    origin: str
    parents: tuple[int, ...] = ()


def primitive_set_of(config: EvolutionConfig) -> PrimitiveSet:
    """Return the primitive set of a config, the same object for equal settings."""
    if isinstance(config.primitives, str):
        return PRIMITIVE_SETS[config.primitives]
    return _set_from_json(json.dumps(config.primitives, sort_keys=True))


@lru_cache(maxsize=16)
def _set_from_json(text: str) -> PrimitiveSet:
    return PrimitiveSet.from_dict(json.loads(text))


def first_population(config: EvolutionConfig, stream: Stream) -> tuple[Offspring, ...]:
    """Return a random population; its trees obey the config's initialisation and limits."""
    settings = config.initialisation
    limits = Limits(config.limits.max_depth, config.limits.max_nodes)
    primitives = primitive_set_of(config)
    size = config.population_size
    if settings.method == "ramped_half_and_half":
        trees = gp.ramped_half_and_half(
            primitives, size, settings.min_depth, settings.max_depth, limits, stream
        )
    else:
        make = gp.grow if settings.method == "grow" else gp.full
        trees = [
            make(primitives, settings.max_depth, limits, stream.child(index))
            for index in range(size)
        ]
    return tuple(Offspring(tree, settings.method) for tree in trees)


def breed(
    config: EvolutionConfig, parents: tuple[Individual, ...], stream: Stream
) -> tuple[Offspring, ...]:
    """Return the offspring of *parents*: `elitism` unchanged bests, then one operator each."""
    select = selector(config.selection, [parent.fitness for parent in parents])
    limits = Limits(config.limits.max_depth, config.limits.max_nodes)
    elites = ranking(parents)[: config.elitism]
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    for place in range(len(elites), config.population_size):
        draws = stream.child(place)
        operator = draw_operator(config.variation, draws.child("operator").random())
        offspring.append(_offspring(operator, parents, select, limits, draws))
    return tuple(offspring)


def draw_operator(variation: Variation, draw: float) -> str:
    """Return the operator whose share of [0, 1) holds *draw*; the rest is reproduction."""
    for operator in ("crossover", "subtree_mutation", "point_mutation", "constant_mutation"):
        draw -= getattr(variation, operator)
        if draw < 0:
            return operator
    return "reproduction"


def selector(selection: Selection, fitness: Sequence[float]) -> Callable[[Stream], int]:
    """Return the function that draws one parent's position from a stream."""
    match selection:
        case TournamentSelection(size=size):
            return lambda stream: gp.tournament_selection(fitness, size, stream)
        case RouletteSelection():
            return lambda stream: gp.roulette_selection(fitness, stream)
        case GreedySelection():
            return _greedy_selector(selection, fitness)


def _greedy_selector(
    selection: GreedySelection, fitness: Sequence[float]
) -> Callable[[Stream], int]:
    # Koza's greedy over-selection, as SPEC appendix A words it: the top group is the smallest set
    # of the best that holds the stated share of all fitness.
    order = sorted(range(len(fitness)), key=lambda index: (-fitness[index], index))
    wanted = selection.top_share * sum(fitness)
    held, size = 0.0, 0
    while size < len(order) - 1 and (size == 0 or held < wanted):
        held += fitness[order[size]]
        size += 1
    groups = (order[:size], order[size:])
    values = tuple([fitness[index] for index in group] for group in groups)

    def select(stream: Stream) -> int:
        group = 0 if stream.child("group").random() < selection.top_rate else 1
        return groups[group][gp.roulette_selection(values[group], stream.child("member"))]

    return select


def _offspring(
    operator: str,
    parents: tuple[Individual, ...],
    select: Callable[[Stream], int],
    limits: Limits,
    draws: Stream,
) -> Offspring:
    first = select(draws.child("first parent"))
    tree = parents[first].tree
    change = draws.child("change")
    match operator:
        case "crossover":
            second = select(draws.child("second parent"))
            child = gp.subtree_crossover(tree, parents[second].tree, limits, change)[0]
            return Offspring(child, operator, (first, second))
        case "subtree_mutation":
            child = gp.subtree_mutation(tree, limits, change)
        case "point_mutation":
            child = gp.point_mutation(tree, change)
        case "constant_mutation":
            child = gp.constant_mutation(tree, change)
        case _:
            child = tree
    return Offspring(child, operator, (first,))
