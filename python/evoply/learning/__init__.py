"""Learning by play: linear evaluators whose weights follow the games (FIREBRAND)."""

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
from evoply.learning.steps import LearningStep, edited, learned_player, model_of, time_name

__all__ = [
    "LEARNER",
    "MOST_GAMES",
    "Curriculum",
    "Feature",
    "Learning",
    "LearningConfig",
    "LearningStep",
    "LinearModel",
    "ValueProgram",
    "edited",
    "learn",
    "learned_player",
    "learning_config_to_toml",
    "load_learning_config",
    "model_of",
    "stages",
    "starts_of",
    "time_name",
]
