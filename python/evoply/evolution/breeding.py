"""The next population: selection and variation, pure functions of the parents and a stream.

Every offspring draws from its own child stream, so no draw of one shifts another's. Elites are
copied first; each place after them goes to one operator drawn by its rate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evoply import gp
from evoply._native import Stream
from evoply.evolution.choosing import select_parents
from evoply.evolution.config import EvolutionConfig, Variation
from evoply.evolution.creation import limits_of, new_tree
from evoply.evolution.generation import Individual, ranking
from evoply.evolution.offspring import Offspring
from evoply.evolution.python_parts import PythonParts, applied
from evoply.gp import Limits, Tree

__all__ = ["Couple", "breed", "draw_operator", "offspring_of"]

_PLAIN = PythonParts()

Couple = tuple[int, int]
"""Positions of two parents; an operator on one tree leaves the second alone."""


def breed(
    config: EvolutionConfig,
    parents: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts = _PLAIN,
) -> tuple[Offspring, ...]:
    """Return the offspring of *parents*: `elitism` unchanged bests, then one operator each."""
    size = config.population_size
    elites = ranking(parents)[: config.elitism]
    couples = _couples(config, parents, stream, parts)
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    while len(offspring) < size:
        place = len(offspring)
        draws = stream.child("offspring", place)
        offspring += offspring_of(config, parents, couples[place], place, draws, parts)
    return tuple(offspring[:size])


def _couples(
    config: EvolutionConfig,
    parents: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts,
) -> list[Couple]:
    """Return two selected parents for every place, from its deme if there are demes."""
    size = config.population_size
    if config.demes is None:
        drawn = select_parents(config, parents, 2 * size, stream.child("parents"), parts)
        return list(zip(drawn[::2], drawn[1::2], strict=True))
    slots = _after_migration(config, parents, stream.child("migration"), parts)
    couples: list[Couple] = []
    for start in range(0, size, config.demes.size):
        deme = slots[start : start + config.demes.size]
        members = [parents[index] for index in deme]
        drawn = select_parents(
            config, members, 2 * len(deme), stream.child("parents", start), parts
        )
        drawn = [deme[place] for place in drawn]
        couples += zip(drawn[::2], drawn[1::2], strict=True)
    return couples


def _after_migration(
    config: EvolutionConfig,
    parents: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts,
) -> list[int]:
    """Return who lives in each slot after every deme had its chance to swap with the next."""
    slots = list(range(len(parents)))
    if config.demes is None:
        return slots
    size = config.demes.size
    starts = range(0, len(slots), size)
    for number, start in enumerate(starts):
        draws = stream.child(number)
        if len(starts) < 2 or draws.random() >= config.demes.migration:
            continue
        chosen = []
        for name, begin in (("here", start), ("next", starts[(number + 1) % len(starts)])):
            members = [parents[index] for index in slots[begin : begin + size]]
            place = select_parents(config, members, 1, draws.child(name), parts)[0]
            chosen.append(begin + place)
        here, there = chosen
        slots[here], slots[there] = slots[there], slots[here]
    return slots


def offspring_of(
    config: EvolutionConfig,
    parents: Sequence[Individual],
    couple: Couple,
    place: int,
    stream: Stream,
    parts: PythonParts = _PLAIN,
) -> list[Offspring]:
    """Return what one event makes of a *couple*: one offspring, or the two of a crossover.

    *place* is the first offspring's place in the population.
    """
    variation, limits = config.variation, limits_of(config)
    operator = draw_operator(variation, stream.random())
    first, second = (parents[index] for index in couple)
    if operator == "crossover":
        children = _crossed(config, couple, first, second, limits, stream)
    elif operator == "creation":
        children = [Offspring(new_tree(config, place, stream), operator)]
    elif operator in variation.custom:
        child = applied(
            operator, parts.operators[operator], first.tree, second.tree, limits, stream
        )
        children = [Offspring(child, operator, couple)]
    else:
        child = _MUTATIONS[operator](first.tree, limits, stream)
        children = [Offspring(child, operator, couple[:1])]
    afterwards = variation.afterwards.probabilities
    if not afterwards:
        return children
    return [
        _mutated(child, afterwards, limits, stream.child("afterwards", number))
        for number, child in enumerate(children)
    ]


def draw_operator(variation: Variation, draw: float) -> str:
    """Return the operator whose share of [0, 1) holds *draw*; the rest is reproduction."""
    for operator, rate in variation.rates.items():
        if operator != "reproduction":
            draw -= rate
            if draw < 0:
                return operator
    return "reproduction"


def _crossed(
    config: EvolutionConfig,
    couple: Couple,
    first: Individual,
    second: Individual,
    limits: Limits,
    stream: Stream,
) -> list[Offspring]:
    settings = config.variation.recombination
    is_fitter = first.fitness > second.fitness or (
        settings.one_way == "fitter_or_equal" and first.fitness == second.fitness
    )
    if settings.one_way != "never" and is_fitter:
        # The fitter one gives and stays as it is; the other is the one that changes.
        child, _ = _swapped(config, second.tree, first.tree, limits, stream)
        changed = Offspring(child, "one_way_crossover", (couple[1], couple[0]))
        kept = Offspring(first.tree, "one_way_crossover", (couple[0],))
        return [changed, kept][: settings.children]
    children = _swapped(config, first.tree, second.tree, limits, stream)
    parents = (couple, (couple[1], couple[0]))
    return [
        Offspring(child, "crossover", pair)
        for child, pair in zip(children[: settings.children], parents, strict=False)
    ]


def _swapped(
    config: EvolutionConfig, first: Tree, second: Tree, limits: Limits, stream: Stream
) -> tuple[Tree, Tree]:
    settings = config.variation.recombination
    if settings.points == "gpjpp":
        return gp.gpjpp_crossover(first, second, limits, stream, tries=settings.tries)
    bias = settings.function_bias if settings.points == "biased" else None
    return gp.subtree_crossover(
        first, second, limits, stream, function_bias=bias, tries=settings.tries
    )


_MUTATIONS: dict[str, Callable[[Tree, Limits, Stream], Tree]] = {
    "reproduction": lambda tree, limits, stream: gp.reproduction(tree),
    "subtree_mutation": gp.subtree_mutation,
    "point_mutation": lambda tree, limits, stream: gp.point_mutation(tree, stream),
    "constant_mutation": lambda tree, limits, stream: gp.constant_mutation(tree, stream),
    "swap_mutation": lambda tree, limits, stream: gp.swap_mutation(tree, stream),
    "shrink_mutation": lambda tree, limits, stream: gp.shrink_mutation(tree, stream),
    "local_mutation": lambda tree, limits, stream: gp.local_mutation(tree, stream),
    "hoist_mutation": lambda tree, limits, stream: gp.hoist_mutation(tree, stream),
}


def _mutated(
    child: Offspring, rates: Sequence[tuple[str, float]], limits: Limits, stream: Stream
) -> Offspring:
    """Return *child* after each mutation that its probability let happen, by name in its origin."""
    tree, names = child.tree, [child.origin]
    for name, rate in rates:
        draws = stream.child(name)
        if draws.random() < rate:
            tree = _MUTATIONS[name](tree, limits, draws)
            names.append(name)
    return Offspring(tree, ", ".join(names), child.parents)
