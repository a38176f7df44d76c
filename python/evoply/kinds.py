"""The kinds of learners that come with evoply, and the runs that know them.

`evoply.runs` knows about steps, but not about learners.
"""

from collections.abc import Mapping

from evoply import runs
from evoply.evolution.evolution_kind import EVOLUTION, evolution_kind
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
from evoply.runs import Kind, run_path

KINDS: Mapping[str, Kind] = {
    EVOLUTION: evolution_kind(Evolution()),
    LEARNER: learning_kind(Learning()),
    PATTERN_LEARNER: pattern_kind(PatternLearning()),
    TUNING_LEARNER: tuning_kind(Tuning()),
    TUPLES_LEARNER: tuples_kind(TupleEvolution()),
}
"""By the name that `config.toml` gives them; a new learner of evoply's own is a row here."""


class Run(runs.Run):
    """A run folder of one of evoply's learners, or of a learner that you give.

    Make one with `Run.create` or `Run.open`. Use it as a context manager or call `close`. All
    that is read is first compared with its checksum; `RunError` says what is damaged.
    """

    kinds = KINDS


def find_run(text: str | None = None) -> Run:
    """Open the run called *text* or at that path; without a text the newest one.

    Raises `RunError`, which says where it looked.
    """
    return Run.open(run_path(text))
