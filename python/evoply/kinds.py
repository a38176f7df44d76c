"""The kinds of learners that come with evoply, and the runs that know them.

`evoply.runs` knows steps but not learners.
"""

from collections.abc import Mapping

from evoply import runs
from evoply.evolution.evolution_kind import EVOLUTION, evolution_kind
from evoply.evolution.loop import Evolution
from evoply.evolution.map_elites.map_config import MAP_ELITES_LEARNER
from evoply.evolution.map_elites.map_kind import map_elites_kind
from evoply.evolution.map_elites.map_learner import MapElites
from evoply.islands.islands import IslandEvolution
from evoply.islands.islands_config import ISLANDS_LEARNER
from evoply.islands.islands_kind import islands_kind
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
    ISLANDS_LEARNER: islands_kind(IslandEvolution()),
    LEARNER: learning_kind(Learning()),
    PATTERN_LEARNER: pattern_kind(PatternLearning()),
    TUNING_LEARNER: tuning_kind(Tuning()),
    TUPLES_LEARNER: tuples_kind(TupleEvolution()),
    MAP_ELITES_LEARNER: map_elites_kind(MapElites()),
}
"""Kinds by their names in `config.toml`; a new learner of evoply's own is a row here."""


class Run(runs.Run):
    """A run folder of one of evoply's own learners, or of your own.

    Make one with `Run.create` or `Run.open`. Use it as a context manager or call `close`.
    Everything read is compared with its checksum first: `RunError` names the damage.
    """

    kinds = KINDS


def find_run(text: str | None = None) -> Run:
    """Open the run called *text* or at that path; without a text the newest one.

    Raises `RunError` that names the places searched.
    """
    return Run.open(run_path(text))
