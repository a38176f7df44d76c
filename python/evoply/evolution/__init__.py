"""Evolution: `for generation in evolve(config)` and what it is made of.

>>> from evoply.evolution import EvolutionConfig, evolve
>>> config = EvolutionConfig(game="othello-4", population_size=8, generations=2, seed=3)
>>> for generation in evolve(config):
...     print(generation.number, len(generation.individuals))
0 8
1 8
"""

from evoply.evolution.config import (
    Afterwards,
    Covariant,
    Definitions,
    Demes,
    Draws,
    EarlierGenerations,
    EvolutionConfig,
    Fitness,
    GreedySelection,
    HallOfFame,
    Initialisation,
    LengthPenalty,
    LexicaseSelection,
    Machine,
    OneTree,
    Opponent,
    Ordered,
    ParetoSelection,
    Phases,
    PlayerSettings,
    Recombination,
    RouletteSelection,
    SizeLimits,
    Stages,
    Start,
    SteadyState,
    Tarpeian,
    Termination,
    TournamentSelection,
    TreeSum,
    Variation,
)
from evoply.evolution.config_files import load_config
from evoply.evolution.config_text import config_from_toml, config_to_toml, self_contained
from evoply.evolution.creation import primitive_set_of
from evoply.evolution.fitness import (
    FITNESS,
    DiscFitness,
    EpochFitness,
    FitnessKind,
    Guide,
    GuideFitness,
    Measured,
    PointFitness,
    StageFitness,
    TournamentFitness,
    Training,
)
from evoply.evolution.generation import (
    ArchiveEntry,
    Census,
    FreshResult,
    Generation,
    HallOfFameEntry,
    Individual,
    Progress,
    Seconds,
    Statistics,
    front_of,
)
from evoply.evolution.gpjpp_ini import config_from_ini
from evoply.evolution.hall_of_fame import FinalTest, final_test
from evoply.evolution.loop import Evolution, evolve, is_finished, step
from evoply.evolution.measures import fitness_text, is_good, is_share
from evoply.evolution.operators import OPERATORS, Operator
from evoply.evolution.opponents import is_reproducible
from evoply.evolution.panel import individual_player
from evoply.evolution.signature import signature

__all__ = [
    "FITNESS",
    "OPERATORS",
    "Afterwards",
    "ArchiveEntry",
    "Census",
    "Covariant",
    "Definitions",
    "Demes",
    "DiscFitness",
    "Draws",
    "EarlierGenerations",
    "EpochFitness",
    "Evolution",
    "EvolutionConfig",
    "FinalTest",
    "Fitness",
    "FitnessKind",
    "FreshResult",
    "Generation",
    "GreedySelection",
    "Guide",
    "GuideFitness",
    "HallOfFame",
    "HallOfFameEntry",
    "Individual",
    "Initialisation",
    "LengthPenalty",
    "LexicaseSelection",
    "Machine",
    "Measured",
    "OneTree",
    "Operator",
    "Opponent",
    "Ordered",
    "ParetoSelection",
    "Phases",
    "PlayerSettings",
    "PointFitness",
    "Progress",
    "Recombination",
    "RouletteSelection",
    "Seconds",
    "SizeLimits",
    "StageFitness",
    "Stages",
    "Start",
    "Statistics",
    "SteadyState",
    "Tarpeian",
    "Termination",
    "TournamentFitness",
    "TournamentSelection",
    "Training",
    "TreeSum",
    "Variation",
    "config_from_ini",
    "config_from_toml",
    "config_to_toml",
    "evolve",
    "final_test",
    "fitness_text",
    "front_of",
    "individual_player",
    "is_finished",
    "is_good",
    "is_reproducible",
    "is_share",
    "load_config",
    "primitive_set_of",
    "self_contained",
    "signature",
    "step",
]
