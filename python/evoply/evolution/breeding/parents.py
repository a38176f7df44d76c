"""Who becomes a parent and who is replaced, by a config's selection and parsimony."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.breeding import (
    Covariant,
    GreedySelection,
    LexicaseSelection,
    ParetoSelection,
    Parsimony,
    RouletteSelection,
    Selection,
    Tarpeian,
    TournamentSelection,
)
from evoply.evolution.fitness.contract import FitnessKind, Task
from evoply.evolution.individuals import Individual


@dataclass(frozen=True, slots=True)
class Selector:
    """Draws individuals for being good, or bad, as a config says."""

    selection: Selection
    parsimony: Parsimony | None
    measure: FitnessKind
    """What says how good a perfect individual is."""
    task: Task

    def parents(self, parents: Sequence[Individual], count: int, stream: Stream) -> list[int]:
        """Return the positions of *count* selected parents; places 2i and 2i + 1 are a couple."""
        match self.selection:
            case LexicaseSelection(epsilon=epsilon):
                cases = [parent.cases for parent in parents]
                return gp.lexicase_selection(cases, count, stream, epsilon=epsilon)
            case ParetoSelection(objectives="opponents"):
                return gp.pareto_selection([parent.cases for parent in parents], count, stream)
        fitness = self._seen(parents, stream)
        match self.selection:
            case ParetoSelection():
                return gp.pareto_selection(size_objectives(parents, fitness), count, stream)
            case TournamentSelection(size=size, two_best=two_best):
                lengths = [len(parent.tree) for parent in parents]
                if two_best:
                    pairs = gp.paired_tournament_selection(
                        fitness, size, -(-count // 2), stream, lengths=lengths
                    )
                    return [index for pair in pairs for index in pair][:count]
                return gp.tournament_selection(fitness, size, count, stream, lengths=lengths)
            case RouletteSelection(scale=scale):
                return gp.roulette_selection(self._scaled(scale, fitness), count, stream)
            case GreedySelection(top_share=share, top_probability=probability, scale=scale):
                return gp.greedy_over_selection(
                    self._scaled(scale, fitness),
                    count,
                    stream,
                    top_share=share,
                    top_probability=probability,
                )

    def worst(self, population: Sequence[Individual], stream: Stream) -> int:
        """Return the position of one individual drawn for being bad, as a steady state replaces it.

        By a tournament of the same size, of equals the larger loses; else by roulette on how far
        fitness is from perfect (gpjpp).
        """
        fitness = [one.fitness for one in population]
        if isinstance(self.selection, TournamentSelection):
            lengths = [-len(one.tree) for one in population]
            inverted = [-value for value in fitness]
            size = self.selection.size
            return gp.tournament_selection(inverted, size, 1, stream, lengths=lengths)[0]
        return gp.worst_roulette_selection([self._distance(one) for one in fitness], 1, stream)[0]

    def _seen(self, parents: Sequence[Individual], stream: Stream) -> list[float]:
        """Return the fitness to select by: under parsimony pressure not what was measured."""
        fitness = [parent.fitness for parent in parents]
        match self.parsimony:
            case Tarpeian(probability=probability):
                lengths = [len(parent.tree) for parent in parents]
                draws = stream.child("tarpeian")
                return gp.tarpeian_penalised(fitness, lengths, probability, draws)
            case Covariant():
                return gp.covariant_penalised(fitness, [len(parent.tree) for parent in parents])
            case _:
                return fitness

    def _scaled(self, scale: str, fitness: list[float]) -> list[float]:
        if scale == "raw":
            return fitness
        if isinstance(self.parsimony, Covariant):
            # The pressure may lift a short tree above perfect: it counts as perfect then.
            most = self._distance(0.0)
            distances = [one if math.isnan(one) else max(most - one, 0.0) for one in fitness]
        else:
            distances = [self._distance(one) for one in fitness]
        return [gp.adjusted_fitness(distance) for distance in distances]

    def _distance(self, fitness: float) -> float:
        """Return Koza's standardized fitness: how far *fitness* is from perfect, at least 0.

        For discs this is the discs themselves. A function of the user has 0 as perfect; raises
        ValueError if it is above.
        """
        best = self.measure.best(self.task)
        if best is None:
            raise ValueError(
                f"selection in proportion to adjusted fitness needs to know what is perfect: give "
                f"{type(self.measure).__name__} a method best(task), or select by tournament"
            )
        value = best - fitness
        if value < 0:
            raise ValueError(
                f"selection in proportion to adjusted fitness takes {best:g} as perfect, and an "
                f"individual has {fitness:g}: return nothing above {best:g}, or select by "
                "tournament"
            )
        return value


def size_objectives(
    population: Sequence[Individual], fitness: Sequence[float] | None = None
) -> list[tuple[float, float]]:
    """Return fitness and minus the nodes of each individual: two objectives to maximise."""
    values = [one.fitness for one in population] if fitness is None else fitness
    return [(value, -len(one.tree)) for value, one in zip(values, population, strict=True)]
