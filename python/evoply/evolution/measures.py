"""The fitness of a population: which kind it is, and on which scale it is told to people.

Fitness is maximised inside; discs, which are minimised, are stored with their sign changed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evoply._native import Stream
from evoply.evolution.config import (
    DiscFitness,
    EpochFitness,
    EvolutionConfig,
    GuideFitness,
    LengthPenalty,
    PointFitness,
    StageFitness,
    TournamentFitness,
)
from evoply.evolution.entrants import Entrants, Measured, Play
from evoply.evolution.panel import Panel
from evoply.evolution.panel_fitness import panel_measured
from evoply.evolution.population_fitness import guides_measured, tournament_measured
from evoply.evolution.python_parts import PythonParts, python_measured
from evoply.gp import length_penalised

__all__ = ["fitness_text", "is_good", "is_share", "measured", "standardized"]


def measured(
    config: EvolutionConfig,
    parts: PythonParts,
    entrants: Entrants,
    panel: Panel,
    stream: Stream,
    play: Play,
) -> Measured:
    """Return the fitness of *entrants*, less the penalty for length if the config has one."""
    result = _measured(config, parts, entrants, panel, stream, play)
    if not isinstance(config.parsimony, LengthPenalty):
        return result
    lengths = [len(entrants.trees[tree]) for tree in entrants.who]
    penalised = length_penalised(result.fitness.tolist(), lengths, config.parsimony.coefficient)
    return replace(result, fitness=np.array(penalised))


def _measured(
    config: EvolutionConfig,
    parts: PythonParts,
    entrants: Entrants,
    panel: Panel,
    stream: Stream,
    play: Play,
) -> Measured:
    if parts.fitness is not None:
        return python_measured(parts.fitness, entrants, stream)
    match config.fitness.measure:
        case PointFitness() | DiscFitness() | EpochFitness() | StageFitness() as measure:
            return panel_measured(config, measure, entrants, panel, stream, play)
        case GuideFitness() as measure:
            champions = panel.after(len(config.fitness.opponents))
            return guides_measured(config, measure, entrants, champions, stream, play)
        case TournamentFitness() as measure:
            return tournament_measured(config, measure, entrants, stream, play)


def _is_minimised(config: EvolutionConfig) -> bool:
    return isinstance(config.fitness.measure, DiscFitness | EpochFitness | StageFitness)


def is_share(config: EvolutionConfig) -> bool:
    """Return whether fitness is points per game, in [0, 1] but for a penalty."""
    measure = config.fitness.measure
    return (isinstance(measure, PointFitness) and not measure.sharing) or (
        isinstance(measure, TournamentFitness)
        and measure.format == "round_robin"
        and not measure.sharing
    )


def fitness_text(config: EvolutionConfig, fitness: float, *, is_own: bool = False) -> str:
    """Return a training fitness on the scale people know: a percentage, discs or points.

    *is_own*: it comes from a function of the user, and is shown as it is.

    >>> fitness_text(EvolutionConfig(generations=1), 0.7123)
    '71.2 %'
    """
    if is_own:
        return f"{fitness:,.4g}"
    if is_share(config):
        return f"{100 * fitness:.1f} %"
    if _is_minimised(config):
        return f"{-fitness:,.4g} discs"
    return f"{fitness:,.4g}"


def is_good(config: EvolutionConfig, best: float) -> bool:
    """Return whether *best*, a training fitness, is good enough for the run to end."""
    if config.termination is None:
        return False
    wanted = config.termination.fitness
    return -best < wanted if _is_minimised(config) else best > wanted


def standardized(config: EvolutionConfig, parts: PythonParts, fitness: float) -> float:
    """Return Koza's standardized fitness: how far *fitness* is from perfect, at least 0.

    For discs this is the discs themselves. A fitness written in Python has 0 as perfect; raises
    ValueError if it is above.
    """
    value = (0.0 if parts.fitness is not None else _most(config)) - fitness
    if value < 0:
        raise ValueError(
            "selection in proportion to adjusted fitness takes 0 as perfect, and an individual "
            f"has {fitness:g}: return nothing above 0, or select by tournament"
        )
    return value


def _most(config: EvolutionConfig) -> float:
    """Return the fitness of an individual that cannot be better."""
    measure = config.fitness.measure
    match measure:
        case GuideFitness():
            earlier = config.fitness.earlier_generations
            return (
                sum(guide.rounds * guide.games for guide in measure.guides)
                + 2 * earlier.pairs * earlier.champions
                + 2 * measure.co_play
            )
        case TournamentFitness(format="elimination"):
            return (config.population_size - 1).bit_length()
        case DiscFitness() | EpochFitness() | StageFitness():
            return 0
        case _:
            return 1
