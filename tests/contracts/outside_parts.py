"""Parts of evolution as a researcher writes them outside evoply, by documented names alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoply import Stream, Tree
from evoply.evolution import (
    Candidates,
    FitnessKind,
    Measured,
    Operator,
    Parents,
    Population,
    Training,
)
from evoply.gp import Limits


def size_fair_crossover(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
    """Replace a subtree by one of the other parent that is at most twice as large and one node.

    Source: Langdon, "Size fair and homologous tree crossovers" (2000), with the sizes of his bound.
    """
    place = stream.below(len(first))
    size = first.ends[place] - place
    fair = [
        other
        for other in range(len(second))
        if second.nodes[other].type == first.nodes[place].type
        and second.ends[other] - other <= 1 + 2 * size
    ]
    if not fair:
        return first
    child = first.replace(place, second.subtree(fair[stream.below(len(fair))]))
    return child if len(child) <= limits.max_nodes and child.depth <= limits.max_depth else first


def semantic_crossover(
    first: Tree, second: Tree, limits: Limits, stream: Stream, *, parents: Parents
) -> Tree:
    """Exchange a subtree for the one that values boards most alike, but not the same.

    The fitter parent takes. Source: the idea of Nguyen et al., "Semantically-based crossover in
    genetic programming" (2011).
    """
    taker, giver = (first, second) if parents.fitness[0] >= parents.fitness[1] else (second, first)
    here, there = parents.values(taker, giver)
    places = [place for place in range(len(taker)) if np.isfinite(here[place]).all()]
    place = places[stream.below(len(places))]
    gaps = np.abs(there - here[place]).mean(axis=1)
    alike = [node.type == taker.nodes[place].type for node in giver]
    gaps[~(np.array(alike) & np.isfinite(gaps) & (gaps > 0))] = np.inf
    if not np.isfinite(gaps).any():
        return first
    child = taker.replace(place, giver.subtree(int(gaps.argmin())))
    return child if len(child) <= limits.max_nodes and child.depth <= limits.max_depth else first


FAIR = Operator("fair", size_fair_crossover, "A subtree of fair size is exchanged.", rate=0.3)
SEMANTIC = Operator("semantic", semantic_crossover, "Values of boards change a little.", rate=0.3)


class Novelty(FitnessKind):
    """How far a tree's results lie from those of its nearest neighbours, known and new.

    The archive of earlier results is its state: in every generation the most novel tree enters.
    Source: Lehman & Stanley, "Abandoning objectives" (2011).
    """

    kind: str = "novelty"
    neighbours: int = 3
    most_kept: int = 30

    def measured(self, population: Population, training: Training) -> Measured:
        state = training.state or {"archive": [], "generations": []}
        batch = training.opponents_batch(population)
        results = training.play(batch)
        points = results.black_points
        by_game = training.opponents.by_tree(points, 1 - points)
        known = np.array([*state["archive"], *by_game.tolist()])
        gaps = np.abs(by_game[:, None, :] - known[None, :, :]).mean(axis=2)
        nearest = np.sort(gaps, axis=1)[:, 1 : self.neighbours + 1]  # the first is itself
        novelty = nearest.mean(axis=1)
        newest = by_game[int(novelty.argmax())].tolist()
        return Measured(
            fitness=novelty[population.who],
            games=len(batch.schedule),
            work=population.work_of(results.plies.reshape(len(population.trees), -1).sum(axis=1)),
            state={
                "archive": [*state["archive"], newest][-self.most_kept :],
                "generations": [*state["generations"], training.generation],
            },
        )

    @property
    def is_relative(self) -> bool:
        return True


def double_tournament(candidates: Candidates, count: int, stream: Stream) -> Sequence[int]:
    """Winners of tournaments of three on fitness meet in pairs on size (Luke & Panait 2002)."""

    def fittest() -> int:
        picks = [stream.below(len(candidates)) for _ in range(3)]
        return max(picks, key=lambda pick: candidates.fitness[pick])

    chosen = []
    for _ in range(count):
        small, large = sorted((fittest(), fittest()), key=lambda one: candidates.lengths[one])
        chosen.append(small if stream.random() < 0.7 else large)
    return chosen
