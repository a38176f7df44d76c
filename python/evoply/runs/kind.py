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

from evoply.protocols import Progress
from evoply.runs.columns import (
    USUAL,
    ChampionFacts,
    Columns,
    LiveFacts,
    Plot,
    PlotLine,
    Row,
    curves,
    facts,
    framed,
)
from evoply.runs.kept_learners import EndOfRun, Learners
from evoply.runs.kind_configs import ModelConfigs, OwnConfigs
from evoply.runs.steps_store import StepsStore, StepTables
from evoply.sections import Column, Section

_MOST_CURVES = 3
_MOST_LISTED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of learner."""

    name: str
    """Its name in `config.toml`; of a user's own learner, the name for people."""
    learner: Any
    """The learner; None if it is the user's own and missing."""
    read: Callable[..., Any] | None = None
    """Returns the config of a preset, a file or another config, with `--set` and keys; None for a
    user's own learner, whose configs are data of its `config_type`."""
    columns: Columns | Callable[[Any, Row], Columns] = ()
    """The columns of a step, or what makes them of a config and a row. Empty: one for each
    statistic."""
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
    live: Callable[[LiveFacts, Any, Any], LiveFacts] | None = None
    """What a live display shows in place of the usual facts, of which and of a config and a step it
    is made."""
    plots: Callable[[Any, Sequence[Row]], Sequence[Plot]] | None = None
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
    """None for evoply's learners; for a user's own the text that names it (`evoply.own_code`)."""
    uses: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions of its steps, by name: trees, patterns, edited, packed; and check_installed, which
    raises `RunError` if a package is missing that a run of its argument, a config, needs."""

    @property
    def configs(self) -> ModelConfigs | OwnConfigs:
        """How its configs are read and written."""
        if self.read is None:
            return OwnConfigs(self.name, self.own or self.name, self.learner)
        return ModelConfigs(self.learner, self.read)

    @property
    def learners(self) -> Learners:
        """How its learner is asked."""
        usual = f"only evolution takes these, not {self.name} - leave them out"
        return Learners(self.name, self.learner, self.own, self.no_arguments or usual, self.ending)

    @property
    def store(self) -> StepsStore:
        """How its steps are kept."""
        return StepsStore(self.name, self.learner, self.tables)

    @property
    def display(self) -> Display:
        """What people see of its runs."""
        return Display(self)


@dataclass(frozen=True, slots=True)
class Display:
    """What people see of a run, which follows from what its *kind* declares."""

    kind: Kind

    def columns(self, config: Any, row: Row, /) -> Columns:
        """Return the columns of steps, of which *row* is one.

        If none are declared, there is one for each statistic, with curves of the first three.
        """
        columns = self.kind.columns
        if callable(columns):
            columns = columns(config, row)
        return framed(self.kind.word, columns or _usual(row), seconds=self.kind.seconds)

    def plots(self, config: Any, rows: Sequence[Row], /) -> Sequence[Plot]:
        """Return the plots of *rows*, one a step, by default of each column."""
        if self.kind.plots is not None:
            return self.kind.plots(config, rows)
        _, *columns, _ = self.columns(config, rows[-1] if rows else {})
        return [
            Plot(column.label, column.label, [PlotLine(column.label, column.value)])
            for column in columns
        ]

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return the facts of *step* for a live display: the newest values of all columns."""
        row = self.kind.store.row_of(config, step)
        columns = self.columns(config, row)
        last = getattr(config, "generations", None)
        values = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        live = LiveFacts(
            line=f"{self.kind.word} {step.number}: {step.seconds:.2f} s{values}",
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=str(step.champions[0].label),
            newest={column.curve: column.text(row) for column in columns if column.curve},
            last_number=last - 1 if isinstance(last, int) else None,
        )
        return live if self.kind.live is None else self.kind.live(live, config, step)

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the current stage of step *number* in words; the first before there is any."""
        if not self.kind.stages:
            return f"{self.kind.word} {number}"
        if progress is None:
            return next(iter(self.kind.stages.values())).format(number)
        words = self.kind.stages[progress.stage]
        return words.format(number, done=progress.done, games=progress.games)

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return the facts about the champion of a run, by default its step."""
        if self.kind.facts is not None:
            return self.kind.facts(champion, last)
        about = {"generation": last.number}
        return ChampionFacts(f"from {self.kind.word} {last.number}", about, about)

    def listings(self, config: Any, last: Any, /) -> list[Section]:
        """Return tables about the last step, for the end of a run."""
        return [] if self.kind.listings is None else self.kind.listings(config, last)


def _usual(row: Row) -> list[Column]:
    names = [name for name in row if name not in USUAL]
    return [
        Column(
            name,
            name,
            curve=name if index < _MOST_CURVES else "",
            is_listed=index < _MOST_LISTED,
        )
        for index, name in enumerate(names)
    ]


def check_installed(kind: Kind, config: Any) -> None:
    """Raise `RunError` if a package is missing that a run of *config* needs at any time."""
    check = kind.uses.get("check_installed")
    if check is not None:
        check(config)
