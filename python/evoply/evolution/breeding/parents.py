"""Selection of parents, and of individuals to replace, by a config's selection and parsimony."""

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
    """Draws good individuals, or bad ones, as a config says."""

    selection: Selection
    parsimony: Parsimony | None
    measure: FitnessKind
    """The kind of fitness, which knows how good a perfect individual is."""
    task: Task

    def parents(self, parents: Sequence[Individual], count: int, stream: Stream) -> list[int]:
        """Return the positions of *count* selected parents; 2i and 2i + 1 are a couple."""
        match self.selection:
            case LexicaseSelection(epsilon=epsilon):
                cases = [parent.cases for parent in parents]
                return gp.lexicase_selection(cases, count, stream, epsilon=epsilon)
            case ParetoSelection(objectives="opponents"):
                return gp.pareto_selection([parent.cases for parent in parents], count, stream)
        fitness = self._selection_fitness(parents, stream)
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
                return gp.roulette_selection(self._scale(scale, fitness), count, stream)
            case GreedySelection(top_share=share, top_probability=probability, scale=scale):
                return gp.greedy_over_selection(
                    self._scale(scale, fitness),
                    count,
                    stream,
                    top_share=share,
                    top_probability=probability,
                )

    def worst(self, population: Sequence[Individual], stream: Stream) -> int:
        """Return the position of a bad individual, drawn for a steady state to replace it.

        A tournament of the same size draws it, in which the larger of equals loses; otherwise a
        roulette on how far fitness is from perfect (gpjpp).
        """
        fitness = [member.fitness for member in population]
        if isinstance(self.selection, TournamentSelection):
            lengths = [-len(member.tree) for member in population]
            inverted = [-value for value in fitness]
            size = self.selection.size
            return gp.tournament_selection(inverted, size, 1, stream, lengths=lengths)[0]
        distances = [self._distance(value) for value in fitness]
        return gp.worst_roulette_selection(distances, 1, stream)[0]

    def _selection_fitness(self, parents: Sequence[Individual], stream: Stream) -> list[float]:
        """Return the fitness to select by, which parsimony pressure changes."""
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

    def _scale(self, scale: str, fitness: list[float]) -> list[float]:
        if scale == "raw":
            return fitness
        if isinstance(self.parsimony, Covariant):
            # The pressure may lift a short tree above perfect: it counts as perfect then.
            most = self._distance(0.0)
            distances = [f if math.isnan(f) else max(most - f, 0.0) for f in fitness]
        else:
            distances = [self._distance(value) for value in fitness]
        return [gp.adjusted_fitness(distance) for distance in distances]

    def _distance(self, fitness: float) -> float:
        """Return Koza's standardized fitness: how far *fitness* is from perfect, at least 0.

        For discs this is the number of discs. For a user's function 0 is perfect; raises
        ValueError if its value is above.
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
    values = [member.fitness for member in population] if fitness is None else fitness
    return [(value, -len(member.tree)) for value, member in zip(values, population, strict=True)]
