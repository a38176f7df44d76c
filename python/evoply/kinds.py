"""The kinds of learners that come with evoply, and the runs that know them.

`evoply.runs` knows steps but not learners.
"""

from collections.abc import Mapping

from evoply import runs
from evoply.runs import Kind, run_path
from evoply.when_used import MadeWhenUsed


def _evolution() -> Kind:
    from evoply.evolution.evolution_kind import evolution_kind
    from evoply.evolution.loop import Evolution

    return evolution_kind(Evolution())


def _islands() -> Kind:
    from evoply.islands.islands import IslandEvolution
    from evoply.islands.islands_kind import islands_kind

    return islands_kind(IslandEvolution())


def _learning() -> Kind:
    from evoply.learning import Learning
    from evoply.learning.learning_kind import learning_kind

    return learning_kind(Learning())


def _patterns() -> Kind:
    from evoply.learning import PatternLearning
    from evoply.learning.pattern_kind import pattern_kind

    return pattern_kind(PatternLearning())


def _tuning() -> Kind:
    from evoply.learning import Tuning
    from evoply.learning.tuning_kind import tuning_kind

    return tuning_kind(Tuning())


def _tuples() -> Kind:
    from evoply.learning import TupleEvolution
    from evoply.learning.tuples_kind import tuples_kind

    return tuples_kind(TupleEvolution())


# Whoever opens a run of one kind imports no other.
KINDS: Mapping[str, Kind] = MadeWhenUsed(
    {
        "evolution": _evolution,
        "islands": _islands,
        "learning": _learning,
        "patterns": _patterns,
        "tuning": _tuning,
        "tuples": _tuples,
    }
)
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
