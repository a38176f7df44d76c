"""The behaviour signature: equal for two builds that compute the same, different otherwise.

A run stores it; resuming under another signature is refused unless asked for.
"""

from __future__ import annotations

import hashlib
from functools import cache

from evoply.evolution.config.breeding import Variation
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.games import EarlierGenerations, Opponent
from evoply.evolution.fitness import Fitness
from evoply.evolution.loop import evolve


@cache
def signature() -> str:
    """Return the digest of five small generations with every operator and several players.

    16 hexadecimal digits; a few hundredths of a second.
    """
    config = EvolutionConfig(
        game="othello-6",
        seed=20_260_101,
        population_size=16,
        generations=5,
        variation=Variation(
            crossover=0.5, subtree_mutation=0.2, point_mutation=0.2, constant_mutation=0.05
        ),
        fitness=Fitness(
            opponents=(
                Opponent(player="random", pairs=2),
                Opponent(player="greedy", pairs=2),
                Opponent(player="material:depth=2", pairs=1),
            ),
            earlier_generations=EarlierGenerations(champions=2, recent=1, pairs=1),
        ),
    )
    digests = "".join(generation.digest for generation in evolve(config))
    return hashlib.sha256(digests.encode("ascii")).hexdigest()[:16]
