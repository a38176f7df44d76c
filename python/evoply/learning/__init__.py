"""Learning by play: linear evaluators whose weights follow the games (FIREBRAND), and patterns.

It also improves existing players: it tunes their numbers and distils their knowledge.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.expressions.linear import Feature, LinearModel, ValueProgram
    from evoply.learning.curriculum import Curriculum, stages, starts_of
    from evoply.learning.distillation import Distilled, FormulaTerm, distil
    from evoply.learning.found_features import features_of_population, features_of_sets
    from evoply.learning.games_config import MOST_GAMES
    from evoply.learning.learner import Learning, learn
    from evoply.learning.learning_config import LEARNER, LearningConfig, load_learning_config
    from evoply.learning.packing import pack
    from evoply.learning.pattern_config import (
        PATTERN_LEARNER,
        LabelSettings,
        PatternConfig,
        PatternRates,
        PatternSettings,
        load_pattern_config,
    )
    from evoply.learning.pattern_learner import (
        PatternLearning,
        PatternStep,
        learn_patterns,
        pattern_player,
    )
    from evoply.learning.steps import LearningStep, edited, learned_player, model_of, time_name
    from evoply.learning.tuning import Tuning, TuningConfig, TuningStep, tune
    from evoply.learning.tuples import (
        TUPLES_LEARNER,
        TupleEvolution,
        TupleLessons,
        TuplesConfig,
        TuplesStep,
        evolve_tuples,
        load_tuples_config,
    )

__all__ = [
    "LEARNER",
    "MOST_GAMES",
    "PATTERN_LEARNER",
    "TUPLES_LEARNER",
    "Curriculum",
    "Distilled",
    "Feature",
    "FormulaTerm",
    "LabelSettings",
    "Learning",
    "LearningConfig",
    "LearningStep",
    "LinearModel",
    "PatternConfig",
    "PatternLearning",
    "PatternRates",
    "PatternSettings",
    "PatternStep",
    "Tuning",
    "TuningConfig",
    "TuningStep",
    "TupleEvolution",
    "TupleLessons",
    "TuplesConfig",
    "TuplesStep",
    "ValueProgram",
    "distil",
    "edited",
    "evolve_tuples",
    "features_of_population",
    "features_of_sets",
    "learn",
    "learn_patterns",
    "learned_player",
    "load_learning_config",
    "load_pattern_config",
    "load_tuples_config",
    "model_of",
    "pack",
    "pattern_player",
    "stages",
    "starts_of",
    "time_name",
    "tune",
]

give_when_used(
    __name__,
    {
        "evoply.expressions.linear": "Feature LinearModel ValueProgram",
        "learning_config": "LEARNER LearningConfig load_learning_config",
        "games_config": "MOST_GAMES",
        "curriculum": "Curriculum stages starts_of",
        "distillation": "Distilled FormulaTerm distil",
        "found_features": "features_of_population features_of_sets",
        "learner": "Learning learn",
        "packing": "pack",
        "pattern_config": (
            "PATTERN_LEARNER LabelSettings PatternConfig PatternRates PatternSettings "
            "load_pattern_config"
        ),
        "pattern_learner": "PatternLearning PatternStep learn_patterns pattern_player",
        "steps": "LearningStep edited learned_player model_of time_name",
        "tuning": "Tuning TuningConfig TuningStep tune",
        "tuples": (
            "TUPLES_LEARNER TupleEvolution TupleLessons TuplesConfig TuplesStep evolve_tuples "
            "load_tuples_config"
        ),
    },
)
