"""Who becomes a parent and who is replaced, by the config's selection and parsimony."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.breeding import (
    Covariant,
    GreedySelection,
    LexicaseSelection,
    ParetoSelection,
    RouletteSelection,
    Tarpeian,
    TournamentSelection,
)
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.measuring import standardized
from evoply.evolution.generation import Individual
from evoply.evolution.python_parts import PythonParts

__all__ = ["select_parents", "select_worst", "size_objectives"]

_PLAIN = PythonParts()


def select_parents(
    config: EvolutionConfig,
    parents: Sequence[Individual],
    count: int,
    stream: Stream,
    parts: PythonParts = _PLAIN,
) -> list[int]:
    """Return the positions of *count* selected parents; places 2i and 2i + 1 are a couple."""
    match config.selection:
        case LexicaseSelection(epsilon=epsilon):
            cases = [parent.cases for parent in parents]
            return gp.lexicase_selection(cases, count, stream, epsilon=epsilon)
        case ParetoSelection(objectives="opponents"):
            return gp.pareto_selection([parent.cases for parent in parents], count, stream)
        case ParetoSelection():
            fitness = _seen(config, parents, stream)
            return gp.pareto_selection(size_objectives(parents, fitness), count, stream)
        case TournamentSelection(size=size, two_best=two_best):
            fitness = _seen(config, parents, stream)
            lengths = [len(parent.tree) for parent in parents]
            if two_best:
                pairs = gp.paired_tournament_selection(
                    fitness, size, -(-count // 2), stream, lengths=lengths
                )
                return [index for pair in pairs for index in pair][:count]
            return gp.tournament_selection(fitness, size, count, stream, lengths=lengths)
        case RouletteSelection(scale=scale):
            return gp.roulette_selection(
                _scaled(config, parts, scale, _seen(config, parents, stream)), count, stream
            )
        case GreedySelection(top_share=share, top_probability=probability, scale=scale):
            return gp.greedy_over_selection(
                _scaled(config, parts, scale, _seen(config, parents, stream)),
                count,
                stream,
                top_share=share,
                top_probability=probability,
            )


def select_worst(
    config: EvolutionConfig,
    population: Sequence[Individual],
    stream: Stream,
    parts: PythonParts = _PLAIN,
) -> int:
    """Return the position of one individual drawn for being bad, as a steady state replaces it.

    By a tournament of the same size, of equals the larger loses; else by roulette on how far
    fitness is from perfect (gpjpp).
    """
    fitness = [one.fitness for one in population]
    if isinstance(config.selection, TournamentSelection):
        lengths = [-len(one.tree) for one in population]
        inverted = [-value for value in fitness]
        return gp.tournament_selection(inverted, config.selection.size, 1, stream, lengths=lengths)[
            0
        ]
    distances = [standardized(parts.kind(config), config, value) for value in fitness]
    return gp.worst_roulette_selection(distances, 1, stream)[0]


def size_objectives(
    population: Sequence[Individual], fitness: Sequence[float] | None = None
) -> list[tuple[float, float]]:
    """Return fitness and minus the nodes of each individual: two objectives to maximise."""
    values = [one.fitness for one in population] if fitness is None else fitness
    return [(value, -len(one.tree)) for value, one in zip(values, population, strict=True)]


def _seen(config: EvolutionConfig, parents: Sequence[Individual], stream: Stream) -> list[float]:
    """Return the fitness that selection sees: under parsimony pressure not what was measured."""
    fitness = [parent.fitness for parent in parents]
    match config.parsimony:
        case Tarpeian(probability=probability):
            lengths = [len(parent.tree) for parent in parents]
            draws = stream.child("tarpeian")
            return gp.tarpeian_penalised(fitness, lengths, probability, draws)
        case Covariant():
            return gp.covariant_penalised(fitness, [len(parent.tree) for parent in parents])
        case _:
            return fitness


def _scaled(
    config: EvolutionConfig, parts: PythonParts, scale: str, fitness: Sequence[float]
) -> list[float]:
    if scale == "raw":
        return list(fitness)
    if isinstance(config.parsimony, Covariant):
        # The pressure may lift a short tree above perfect: it counts as perfect then.
        most = standardized(parts.kind(config), config, 0.0)
        distances = [value if math.isnan(value) else max(most - value, 0.0) for value in fitness]
    else:
        distances = [standardized(parts.kind(config), config, value) for value in fitness]
    return [gp.adjusted_fitness(distance) for distance in distances]
