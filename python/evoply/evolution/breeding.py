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
from evoply.expressions import PrimitiveSet, find_primitive_set
from evoply.gp import Limits, Tree

__all__ = ["Offspring", "breed", "first_population", "primitive_set_of"]


_CREATION_TRIES = 50


@dataclass(frozen=True, slots=True)
class Offspring:
    """A tree that has not played yet, its operator, and its parents' positions."""

    tree: Tree
    origin: str
    parents: tuple[int, ...] = ()


def primitive_set_of(config: EvolutionConfig) -> PrimitiveSet:
    """Return the primitive set of a config, the same object for equal settings."""
    if isinstance(config.primitives, str):
        return find_primitive_set(config.primitives)
    return _set_from_json(json.dumps(config.primitives, sort_keys=True))


@lru_cache(maxsize=16)
def _set_from_json(text: str) -> PrimitiveSet:
    return PrimitiveSet.from_dict(json.loads(text))


def first_population(config: EvolutionConfig, stream: Stream) -> tuple[Offspring, ...]:
    """Return a random population; its trees obey the config's initialisation and limits."""
    settings = config.initialisation
    limits = _limits(config)
    primitives = primitive_set_of(config)
    size = config.population_size
    if settings.method == "ramped_half_and_half":
        trees = gp.ramped_half_and_half(
            primitives,
            size,
            stream,
            min_depth=settings.min_depth,
            max_depth=settings.max_depth,
            limits=limits,
        )
    else:
        make = gp.grow if settings.method == "grow" else gp.full
        trees = [
            _within(limits, make, primitives, settings.max_depth, stream.child(place))
            for place in range(size)
        ]
    return tuple(Offspring(tree, settings.method) for tree in trees)


def _within(
    limits: Limits,
    make: Callable[[PrimitiveSet, int, Stream], Tree],
    primitives: PrimitiveSet,
    depth: int,
    stream: Stream,
) -> Tree:
    """Return a tree of at most the limit's nodes, less deep after a quarter of the tries."""
    for attempt in range(_CREATION_TRIES):
        try:
            tree = make(primitives, max(depth, 1), stream.child(attempt))
        except gp.GenerationError:
            if depth <= 1:
                raise
        else:
            if len(tree) <= limits.max_nodes:
                return tree
        if attempt >= _CREATION_TRIES // 4:
            depth -= 1
    raise gp.GenerationError(f"no tree of at most {limits.max_nodes} nodes in {attempt + 1} tries")


def breed(
    config: EvolutionConfig, parents: tuple[Individual, ...], stream: Stream
) -> tuple[Offspring, ...]:
    """Return the offspring of *parents*: `elitism` unchanged bests, then one operator each."""
    limits = _limits(config)
    size = config.population_size
    elites = ranking(parents)[: config.elitism]
    # Two parents are drawn for every place; an operator on one tree leaves the second alone.
    drawn = select_parents(config.selection, parents, 2 * size, stream.child("parents"))
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    for place in range(len(elites), size):
        draws = stream.child("offspring", place)
        operator = draw_operator(config.variation, draws.random())
        first, second = drawn[2 * place : 2 * place + 2]
        if operator == "crossover":
            # One child a place, so that rates are shares of the population.
            child, _ = gp.subtree_crossover(
                parents[first].tree, parents[second].tree, limits, draws
            )
            offspring.append(Offspring(child, operator, (first, second)))
        else:
            child = _changed(operator, parents[first].tree, limits, draws)
            offspring.append(Offspring(child, operator, (first,)))
    return tuple(offspring)


def draw_operator(variation: Variation, draw: float) -> str:
    """Return the operator whose share of [0, 1) holds *draw*; the rest is reproduction."""
    for operator in ("crossover", "subtree_mutation", "point_mutation", "constant_mutation"):
        draw -= getattr(variation, operator)
        if draw < 0:
            return operator
    return "reproduction"


def select_parents(
    selection: Selection, parents: Sequence[Individual], count: int, stream: Stream
) -> list[int]:
    """Return the positions of *count* selected parents."""
    fitness = [parent.fitness for parent in parents]
    match selection:
        case TournamentSelection(size=size):
            lengths = [len(parent.tree) for parent in parents]
            return gp.tournament_selection(fitness, size, count, stream, lengths=lengths)
        case RouletteSelection():
            return gp.roulette_selection(fitness, count, stream)
        case GreedySelection(top_share=share, top_probability=probability):
            return gp.greedy_over_selection(
                fitness, count, stream, top_share=share, top_probability=probability
            )


def _changed(operator: str, tree: Tree, limits: Limits, stream: Stream) -> Tree:
    match operator:
        case "subtree_mutation":
            return gp.subtree_mutation(tree, limits, stream)
        case "point_mutation":
            return gp.point_mutation(tree, stream)
        case "constant_mutation":
            return gp.constant_mutation(tree, stream)
        case _:
            return gp.reproduction(tree)


def _limits(config: EvolutionConfig) -> Limits:
    return Limits(config.limits.max_depth, config.limits.max_nodes)
