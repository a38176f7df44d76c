"""The fitness of a population, and on which scale it is told to people.

Which kind it is, and all that depends on it, is the kind's own affair (`evoply.evolution.fitness`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evoply._native import Stream
from evoply.evolution.config.breeding import LengthPenalty
from evoply.evolution.fitness import FitnessKind, Measured, Play, Training
from evoply.evolution.play.panel import Panel
from evoply.evolution.play.population import Population
from evoply.gp import length_penalised

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = ["fitness_text", "is_good", "is_share", "measured", "standardized", "training_of"]


def training_of(
    config: EvolutionConfig, kind: FitnessKind, panel: Panel, stream: Stream, play: Play
) -> Training:
    """Return what *kind* measures a population with, the guests that it invites included."""
    return Training(config, panel, kind.guests(config), stream, play)


def measured(kind: FitnessKind, population: Population, training: Training) -> Measured:
    """Return the fitness of *population*, less the penalty for length if the config has one."""
    result = kind.measured(population, training)
    parsimony = training.config.parsimony
    if not isinstance(parsimony, LengthPenalty):
        return result
    lengths = [len(population.trees[tree]) for tree in population.who]
    penalised = length_penalised(result.fitness.tolist(), lengths, parsimony.coefficient)
    return replace(result, fitness=np.array(penalised))


def is_share(config: EvolutionConfig) -> bool:
    """Return whether fitness is points per game, in [0, 1] but for a penalty."""
    return config.fitness.measure.is_share


def fitness_text(config: EvolutionConfig, fitness: float, *, is_own: bool = False) -> str:
    """Return a training fitness on the scale people know: a percentage, discs or points.

    *is_own*: it comes from a fitness of the user, and is shown as it is.

    >>> from evoply.evolution import EvolutionConfig
    >>> fitness_text(EvolutionConfig(generations=1), 0.7123)
    '71.2 %'
    """
    return f"{fitness:,.4g}" if is_own else config.fitness.measure.text(fitness)


def is_good(config: EvolutionConfig, best: float) -> bool:
    """Return whether *best*, a training fitness, is good enough for the run to end."""
    if config.termination is None:
        return False
    wanted = config.termination.fitness
    return -best < wanted if config.fitness.measure.minimised else best > wanted


def standardized(kind: FitnessKind, config: EvolutionConfig, fitness: float) -> float:
    """Return Koza's standardized fitness: how far *fitness* is from perfect, at least 0.

    For discs this is the discs themselves. A function of the user has 0 as perfect; raises
    ValueError if it is above.
    """
    best = kind.best(config)
    if best is None:
        raise ValueError(
            f"selection in proportion to adjusted fitness needs to know what is perfect: give "
            f"{type(kind).__name__} a method best(config), or select by tournament"
        )
    value = best - fitness
    if value < 0:
        raise ValueError(
            f"selection in proportion to adjusted fitness takes {best:g} as perfect, and an "
            f"individual has {fitness:g}: return nothing above {best:g}, or select by tournament"
        )
    return value
