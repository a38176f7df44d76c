"""Small configs for tests of run folders."""

from typing import Any

from evoply.evolution import EarlierGenerations, EvolutionConfig, Fitness, HallOfFame, Opponent


def small_config(**changes: Any) -> EvolutionConfig:
    """Return a config whose generations take a few hundredths of a second."""
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 5,
        "population_size": 20,
        "generations": 4,
        "fitness": Fitness(
            opponents=(Opponent(player="random", pairs=2), Opponent(player="greedy", pairs=1)),
            earlier_generations=EarlierGenerations(champions=2, pairs=1),
        ),
        "hall_of_fame": HallOfFame(size=3, candidates=2, sample=3, pairs=2, final_pairs=3),
    }
    return EvolutionConfig(**{**settings, **changes})
