"""The kinds of learners that come with evoply, by the name that `config.toml` gives them.

The face of evoply hands this table to `evoply.runs`, which knows steps and no learner.
"""

from __future__ import annotations

from collections.abc import Mapping

from evoply.evolution.kind import EVOLUTION, evolution_kind
from evoply.evolution.loop import Evolution
from evoply.learning import (
    LEARNER,
    PATTERN_LEARNER,
    TUPLES_LEARNER,
    Learning,
    PatternLearning,
    Tuning,
    TupleEvolution,
)
from evoply.learning.learning_kind import learning_kind
from evoply.learning.pattern_kind import pattern_kind
from evoply.learning.tuning_config import TUNING_LEARNER
from evoply.learning.tuning_kind import tuning_kind
from evoply.learning.tuples_kind import tuples_kind
from evoply.runs import Kind

KINDS: Mapping[str, Kind] = {
    EVOLUTION: evolution_kind(Evolution()),
    LEARNER: learning_kind(Learning()),
    PATTERN_LEARNER: pattern_kind(PatternLearning()),
    TUNING_LEARNER: tuning_kind(Tuning()),
    TUPLES_LEARNER: tuples_kind(TupleEvolution()),
}
"""A new learner of evoply's own is a row here."""
