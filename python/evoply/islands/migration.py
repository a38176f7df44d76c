"""Migration between islands: pure functions of all generations as they were before it.

The best of an island are copied to others, where they take the places of the worst. They keep the
fitness that they were given at home until all are judged anew in the next generation.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Sequence
from dataclasses import replace

from evoply._native import Stream
from evoply.evolution.generation import Generation
from evoply.evolution.individuals import Individual, ranking
from evoply.gp import Limits
from evoply.islands.islands_config import Topology
from evoply.permutations import shuffled

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
        if tree.depth <= limits.max_depth and len(tree) <= limits.max_nodes:
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
                for individual in emigrants(
                    generations[place], migrants, generation.config.limits.of_trees
                )
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
