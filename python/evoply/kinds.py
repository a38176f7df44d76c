"""The kinds of learners that come with evoply, and the runs that know them.

`evoply.runs` knows steps but not learners.
"""

from collections.abc import Mapping
from functools import partial
from importlib import import_module

from evoply import runs
from evoply.runs import Kind, run_path
from evoply.when_used import MadeWhenUsed


def _kind(home: str) -> Kind:
    kind: Kind = import_module(f"evoply.{home}").KIND
    return kind


# Whoever opens a run of one kind imports no other.
KINDS: Mapping[str, Kind] = MadeWhenUsed(
    {
        "evolution": partial(_kind, "evolution.evolution_kind"),
        "islands": partial(_kind, "islands.islands_kind"),
        "learning": partial(_kind, "learning.learning_kind"),
        "patterns": partial(_kind, "learning.pattern_kind"),
        "tuning": partial(_kind, "learning.tuning"),
        "tuples": partial(_kind, "learning.tuples"),
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
