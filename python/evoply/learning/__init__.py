"""Learning by play: linear evaluators whose weights follow the games (FIREBRAND), and patterns."""

from evoply.expressions.linear import Feature, LinearModel, ValueProgram
from evoply.learning.config import (
    LEARNER,
    MOST_GAMES,
    LearningConfig,
    learning_config_to_toml,
    load_learning_config,
)
from evoply.learning.curriculum import Curriculum, stages, starts_of
from evoply.learning.learner import Learning, learn
from evoply.learning.packing import pack
from evoply.learning.pattern_config import (
    PATTERN_LEARNER,
    PatternConfig,
    PatternRates,
    PatternSettings,
    load_pattern_config,
    pattern_config_to_toml,
)
from evoply.learning.pattern_learner import (
    PatternLearning,
    PatternStep,
    learn_patterns,
    pattern_player,
)
from evoply.learning.steps import LearningStep, edited, learned_player, model_of, time_name

__all__ = [
    "LEARNER",
    "MOST_GAMES",
    "PATTERN_LEARNER",
    "Curriculum",
    "Feature",
    "Learning",
    "LearningConfig",
    "LearningStep",
    "LinearModel",
    "PatternConfig",
    "PatternLearning",
    "PatternRates",
    "PatternSettings",
    "PatternStep",
    "ValueProgram",
    "edited",
    "learn",
    "learn_patterns",
    "learned_player",
    "learning_config_to_toml",
    "load_learning_config",
    "load_pattern_config",
    "model_of",
    "pack",
    "pattern_config_to_toml",
    "pattern_player",
    "stages",
    "starts_of",
    "time_name",
]
