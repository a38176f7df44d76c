"""Evolution: `for generation in evolve(config)` and what it is made of.

>>> from evoply.evolution import EvolutionConfig, evolve
>>> config = EvolutionConfig(game="othello-4", population_size=8, generations=2, seed=3)
>>> for generation in evolve(config):
...     print(generation.number, len(generation.individuals))
0 8
1 8
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.arena.behaviour import signature
    from evoply.evolution.breeding.sample_boards import Parents
    from evoply.evolution.choosing import Candidates, OwnChoice
    from evoply.evolution.config.breeding import (
        Afterwards,
        Covariant,
        Demes,
        Initialisation,
        LengthPenalty,
        Recombination,
        SizeLimits,
        SteadyState,
        Tarpeian,
        Termination,
        Variation,
    )
    from evoply.evolution.config.config_text import (
        config_from_keys,
        config_from_toml,
        config_to_toml,
        load_config,
    )
    from evoply.evolution.config.evolution_config import (
        EvolutionConfig,
        HallOfFame,
        Machine,
    )
    from evoply.evolution.config.game_settings import (
        Draws,
        EarlierGenerations,
        Opponent,
        PlayerSettings,
        Start,
    )
    from evoply.evolution.config.individual import (
        Definitions,
        OneTree,
        Ordered,
        Phases,
        Stages,
        TreeSum,
    )
    from evoply.evolution.config.player_settings import is_reproducible, self_contained
    from evoply.evolution.evolution_kind import (
        censuses,
        check_evolved,
        has_front,
        stored_final_test,
    )
    from evoply.evolution.final_test import FinalTest, final_test
    from evoply.evolution.fitness import (
        FITNESS,
        Batch,
        DiscFitness,
        EpochFitness,
        Fitness,
        FitnessKind,
        Guide,
        GuideFitness,
        Measured,
        PointFitness,
        Population,
        StageFitness,
        Task,
        TournamentFitness,
        Training,
        matches,
    )
    from evoply.evolution.fitness.measuring import fitness_text, is_share
    from evoply.evolution.fitness.training_games import first_half_points
    from evoply.evolution.generation import Generation, individual_player
    from evoply.evolution.generation_statistics import Census, FreshResult, Seconds, Statistics
    from evoply.evolution.individuals import (
        ArchiveEntry,
        HallOfFameEntry,
        Individual,
        MapPlace,
        front_of,
    )
    from evoply.evolution.loop import Evolution, evolve, step
    from evoply.evolution.map_elites.axes import Axis, Bins
    from evoply.evolution.operators import OPERATORS, Operator
    from evoply.evolution.play.panel import stream_for
    from evoply.evolution.replay import Replay, replay
    from evoply.evolution.selections import (
        SELECTIONS,
        SURVIVALS,
        BestSurvival,
        DoubleTournamentSelection,
        GreedySelection,
        LexicaseSelection,
        MapSurvival,
        OffspringSurvival,
        ParetoSelection,
        ParetoSurvival,
        RouletteSelection,
        Selection,
        SelectionMethod,
        Survival,
        SurvivalMethod,
        TournamentSelection,
        UniformSelection,
    )
    from evoply.protocols import Progress

__all__ = [
    "FITNESS",
    "OPERATORS",
    "SELECTIONS",
    "SURVIVALS",
    "Afterwards",
    "ArchiveEntry",
    "Axis",
    "Batch",
    "BestSurvival",
    "Bins",
    "Candidates",
    "Census",
    "Covariant",
    "Definitions",
    "Demes",
    "DiscFitness",
    "DoubleTournamentSelection",
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
    "MapPlace",
    "MapSurvival",
    "Measured",
    "OffspringSurvival",
    "OneTree",
    "Operator",
    "Opponent",
    "Ordered",
    "OwnChoice",
    "Parents",
    "ParetoSelection",
    "ParetoSurvival",
    "Phases",
    "PlayerSettings",
    "PointFitness",
    "Population",
    "Progress",
    "Recombination",
    "Replay",
    "RouletteSelection",
    "Seconds",
    "Selection",
    "SelectionMethod",
    "SizeLimits",
    "StageFitness",
    "Stages",
    "Start",
    "Statistics",
    "SteadyState",
    "Survival",
    "SurvivalMethod",
    "Tarpeian",
    "Task",
    "Termination",
    "TournamentFitness",
    "TournamentSelection",
    "Training",
    "TreeSum",
    "UniformSelection",
    "Variation",
    "censuses",
    "check_evolved",
    "config_from_keys",
    "config_from_toml",
    "config_to_toml",
    "evolve",
    "final_test",
    "first_half_points",
    "fitness_text",
    "front_of",
    "has_front",
    "individual_player",
    "is_reproducible",
    "is_share",
    "load_config",
    "matches",
    "replay",
    "self_contained",
    "signature",
    "step",
    "stored_final_test",
    "stream_for",
]

give_when_used(
    __name__,
    {
        "breeding.sample_boards": "Parents",
        "choosing": "Candidates OwnChoice",
        "config.breeding": (
            "Afterwards Covariant Demes Initialisation LengthPenalty Recombination SizeLimits "
            "SteadyState Tarpeian Termination Variation"
        ),
        "config.evolution_config": "EvolutionConfig HallOfFame Machine",
        "config.game_settings": "Draws EarlierGenerations Opponent PlayerSettings Start",
        "config.individual": "Definitions OneTree Ordered Phases Stages TreeSum",
        "config.player_settings": "is_reproducible self_contained",
        "config.config_text": "config_from_keys config_from_toml config_to_toml load_config",
        "fitness": (
            "FITNESS Batch DiscFitness EpochFitness Fitness FitnessKind Guide GuideFitness "
            "Measured PointFitness Population StageFitness Task TournamentFitness Training matches"
        ),
        "fitness.measuring": "fitness_text is_share",
        "fitness.training_games": "first_half_points",
        "final_test": "FinalTest final_test",
        "generation": "Generation individual_player",
        "individuals": "ArchiveEntry HallOfFameEntry Individual MapPlace front_of",
        "loop": "Evolution evolve step",
        "map_elites.axes": "Axis Bins",
        "play.panel": "stream_for",
        "operators": "OPERATORS Operator",
        "evoply.arena.behaviour": "signature",
        "evolution_kind": "censuses check_evolved has_front stored_final_test",
        "replay": "Replay replay",
        "selections": (
            "SELECTIONS SURVIVALS BestSurvival DoubleTournamentSelection "
            "GreedySelection LexicaseSelection MapSurvival OffspringSurvival ParetoSelection "
            "ParetoSurvival RouletteSelection Selection SelectionMethod Survival SurvivalMethod "
            "TournamentSelection UniformSelection"
        ),
        "generation_statistics": "Census FreshResult Seconds Statistics",
        "evoply.protocols": "Progress",
    },
)
