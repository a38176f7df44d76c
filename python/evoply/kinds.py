"""The kinds of learners that come with evoply, and the runs that know them.

`evoply.runs` knows steps but not learners.
"""

from collections.abc import Mapping

from evoply import runs
from evoply.runs import Kind, run_path
from evoply.when_used import MadeWhenUsed


def _evolution() -> Kind:
    from evoply.evolution.evolution_kind import KIND

    return KIND


def _islands() -> Kind:
    from evoply.evolution.islands.islands import KIND

    return KIND


def _learning() -> Kind:
    from evoply.learning.learning_kind import KIND

    return KIND


def _patterns() -> Kind:
    from evoply.learning.pattern_learner import KIND

    return KIND


def _tuning() -> Kind:
    from evoply.learning.tuning import KIND

    return KIND


def _tuples() -> Kind:
    from evoply.learning.tuples import KIND

    return KIND


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
