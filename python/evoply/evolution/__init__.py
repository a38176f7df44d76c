"""Evolution: `for generation in evolve(config)` and what it is made of.

>>> from evoply.evolution import EvolutionConfig, evolve
>>> config = EvolutionConfig(game="othello-4", population_size=8, generations=2, seed=3)
>>> for generation in evolve(config):
...     print(generation.number, len(generation.individuals))
0 8
1 8
"""

from evoply.evolution.breeding import primitive_set_of
from evoply.evolution.config import (
    EarlierGenerations,
    EvolutionConfig,
    Fitness,
    GreedySelection,
    HallOfFame,
    Initialisation,
    Machine,
    Opponent,
    PlayerSettings,
    RouletteSelection,
    SizeLimits,
    TournamentSelection,
    Variation,
)
from evoply.evolution.config_text import (
    config_from_toml,
    config_to_toml,
    load_config,
    self_contained,
)
from evoply.evolution.generation import (
    ArchiveEntry,
    FreshResult,
    Generation,
    HallOfFameEntry,
    Individual,
    Progress,
    Seconds,
    Statistics,
)
from evoply.evolution.hall_of_fame import FinalTest, final_test
from evoply.evolution.loop import evolve, is_finished, step
from evoply.evolution.panel import individual_player
from evoply.evolution.signature import signature

__all__ = [
    "ArchiveEntry",
    "EarlierGenerations",
    "EvolutionConfig",
    "FinalTest",
    "Fitness",
    "FreshResult",
    "Generation",
    "GreedySelection",
    "HallOfFame",
    "HallOfFameEntry",
    "Individual",
    "Initialisation",
    "Machine",
    "Opponent",
    "PlayerSettings",
    "Progress",
    "RouletteSelection",
    "Seconds",
    "SizeLimits",
    "Statistics",
    "TournamentSelection",
    "Variation",
    "config_from_toml",
    "config_to_toml",
    "evolve",
    "final_test",
    "individual_player",
    "is_finished",
    "load_config",
    "primitive_set_of",
    "self_contained",
    "signature",
    "step",
]
