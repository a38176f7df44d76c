"""A kind of learner: what a run needs beside the steps of a learner, declared in one value.

A run's folder, resuming, the live display, the commands and pages use it and know nothing about
trees or weights. All but a name, a learner and how its configs are read may be left out. A learner
that a user brings is such a value, too (`evoply.runs.finding_kinds`).

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoply.runs.columns import Columns, Plot, Row
from evoply.runs.display import ChampionFacts, Display, Shown
from evoply.runs.kept_learners import EndOfRun, Learners
from evoply.runs.kind_configs import ModelConfigs, OwnConfigs
from evoply.runs.steps_store import StepsStore, StepTables
from evoply.sections import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of learner."""

    name: str
    """Its name in `config.toml`; of a learner that a text names, the text for people."""
    learner: Any
    """The learner; None if it is the user's own and missing."""
    read: Callable[..., Any] | None = None
    """Returns the config of a preset, a file or another config, with `--set` and keys; None for a
    user's own learner, whose configs are data of its `config_type`."""
    columns: Columns | Callable[[Any, Row, bool], Columns] = ()
    """The columns of a step, or what makes them of a config and a row; the truth says whether
    fitness is the user's own. Empty: one for each statistic."""
    word: str = "step"
    """What people call a step."""
    stages: Mapping[str, str] = field(default_factory=dict)
    """The stages of a step in words, by the names that its progress gives them; the first is shown
    before there is any."""
    tables: StepTables = field(default_factory=StepTables)
    """What the tables of a run have of its steps."""
    seconds: str = "seconds"
    """The key in a row of the seconds that a step took."""
    facts: Callable[[Any, Any], ChampionFacts] | None = None
    """Facts about a champion and the last step."""
    live: Shown | None = None
    """What a live display shows in place of the usual facts of a config's step."""
    plots: Callable[[Any, Sequence[Row], bool], Sequence[Plot]] | None = None
    """The plots of a config's rows; None: one of each column."""
    listings: Callable[[Any, Any], list[Section]] | None = None
    """Tables about a config's last step, for the end of a run."""
    page: Callable[[Any, Sequence[Row]], tuple[Mapping[str, str], list[Section]]] | None = None
    """Facts at the top of a run's page, and sections after its charts."""
    ending: EndOfRun | None = None
    """What a run ends with, such as a final test; None: with the champion of its last step."""
    no_arguments: str = ""
    """Why a user's Python is no argument of the learner; empty: the usual words."""
    own: str | None = None
    """None for evoply's learners; for a user's own the pinned text that names it
    (`evoply.own_code`), "" if none does."""
    uses: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions of its steps, by name: trees, patterns, edited, packed; and check_installed, which
    raises `RunError` if a package is missing that a run of its argument, a config, needs."""

    @property
    def _own_name(self) -> str:
        """The name by which configs know a user's own learner."""
        return self.own or self.name

    @property
    def configs(self) -> ModelConfigs | OwnConfigs:
        """How its configs are read and written."""
        if self.read is None:
            return OwnConfigs(self._own_name, self.learner)
        return ModelConfigs(self.learner, self.read)

    @property
    def learners(self) -> Learners:
        """How its learner is asked."""
        usual = f"only evolution takes these, not {self._own_name} - leave them out"
        return Learners(
            self._own_name, self.learner, self.own, self.no_arguments or usual, self.ending
        )

    @property
    def store(self) -> StepsStore:
        """How its steps are kept."""
        return StepsStore(self._own_name, self.learner, self.tables)

    @property
    def display(self) -> Display:
        """What people see of its runs."""
        return Display(
            self.columns,
            self.word,
            self.seconds,
            self.stages,
            self.plots,
            self.live,
            self.facts,
            self.listings,
            self.store,
        )


def check_installed(kind: Kind, config: Any) -> None:
    """Raise `RunError` if a package is missing that a run of *config* needs at any time."""
    check = kind.uses.get("check_installed")
    if check is not None:
        check(config)
