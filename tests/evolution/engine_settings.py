"""A small config and its population, with fitness made up: what tests of breeding begin with."""

from typing import Any

from evoply._native import Stream
from evoply.evolution import EvolutionConfig, Individual
from evoply.evolution.breeding import first_population
from evoply.evolution.toolbox import toolbox_of


def config_with(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 3,
        "population_size": 24,
        "generations": 4,
        "fitness": {"opponents": [{"player": "random", "pairs": 2}]},
        "hall_of_fame": {"size": 3, "candidates": 2, "sample": 3, "pairs": 1, "final_pairs": 2},
    }
    return EvolutionConfig(**{**settings, **changes})


def population(
    config: EvolutionConfig, fitness: Any = None, seed: int = 1
) -> tuple[Individual, ...]:
    first = first_population(toolbox_of(config).breeder, Stream(seed))
    values = [place / len(first) for place in range(len(first))] if fitness is None else fitness
    return tuple(
        Individual(one.tree, value, one.origin) for one, value in zip(first, values, strict=True)
    )
