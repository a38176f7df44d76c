"""The fitness of a population, and its text for people.

Everything that depends on the kind of fitness is in the kind (`evoply.evolution.fitness`).
"""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from evoply.evolution.config.breeding import LengthPenalty, Parsimony
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness import FitnessKind, Measured, Population, Training
from evoply.gp import length_penalised


def measured(
    kind: FitnessKind, population: Population, training: Training, parsimony: Parsimony | None
) -> Measured:
    """Return the fitness of *population*, less the penalty if *parsimony* penalises length."""
    result = kind.measured(population, training)
    if result.state is not None:
        result = replace(result, state=_kept(kind, result.state))
    if not isinstance(parsimony, LengthPenalty):
        return result
    lengths = [len(population.trees[tree]) for tree in population.who]
    penalised = length_penalised(result.fitness.tolist(), lengths, parsimony.coefficient)
    return replace(result, fitness=np.array(penalised))


def _kept(kind: FitnessKind, state: Any) -> Any:
    """Return *state* as it comes back from a run folder, so that resuming changes nothing."""
    try:
        return json.loads(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"Measured.state of {type(kind).__name__} cannot be kept: {error} - give mappings, "
            "lists, texts, finite numbers, truths and None (arrays by tolist())"
        ) from None


def is_share(config: EvolutionConfig) -> bool:
    """Return whether fitness is points per game, in [0, 1] but for a penalty."""
    return config.fitness.measure.is_share


def fitness_text(config: EvolutionConfig, fitness: float) -> str:
    """Return a training fitness on the scale people know: a percentage, discs or points.

    >>> from evoply.evolution import EvolutionConfig
    >>> fitness_text(EvolutionConfig(generations=1), 0.7123)
    '71.2 %'
    """
    return config.fitness.measure.text(fitness)
