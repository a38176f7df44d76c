"""What people see of a run, which follows from the columns that its kind of learner declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoply.protocols import Progress
from evoply.runs.columns import USUAL, Columns, Plot, PlotLine, Row, curves, facts, framed
from evoply.runs.steps_store import StepsStore
from evoply.sections import Column, Section

_MOST_CURVES = 3
_MOST_LISTED = 6


@dataclass(frozen=True, slots=True)
class ChampionFacts:
    """Facts about a champion beside its explanation."""

    title: str
    """Such as "19 nodes, from step 2"."""
    data: Mapping[str, Any]
    """The same facts as keys of the summary."""
    identity: Mapping[str, Any]
    """Keys that distinguish matches of this champion from those of another."""
    note: str = ""
    """What a page says beside the explanation."""


@dataclass(frozen=True, slots=True)
class LiveFacts:
    """What a live display shows of one finished step."""

    line: str
    """The step in one line of a log."""
    facts: tuple[tuple[str, str], ...]
    """Labels and values, the most important first."""
    points: Mapping[str, float]
    """The newest point of each curve, by the curve's label."""
    champion: str
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest points in words, for the curves that show them."""
    last_number: int | None = None
    """The last step the limits allow, if they count steps."""
    seconds_left: float | None = None
    note: str = ""
    """A sentence about the curves."""


Shown = Callable[[LiveFacts, Any, Any], LiveFacts]


@dataclass(frozen=True, slots=True)
class Display:
    """What people see of a run; its fields are those of its `Kind`."""

    columns_of: Columns | Callable[[Any, Row, bool], Columns]
    word: str
    seconds: str
    stages: Mapping[str, str]
    plots_of: Callable[[Any, Sequence[Row], bool], Sequence[Plot]] | None
    shown: Shown | None
    facts_of: Callable[[Any, Any], ChampionFacts] | None
    listings_of: Callable[[Any, Any], list[Section]] | None
    store: StepsStore

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of steps, of which *row* is one; *is_own*: with a fitness of yours.

        If none are declared, there is one for each statistic, with curves of the first three.
        """
        columns = self.columns_of
        if callable(columns):
            columns = columns(config, row, is_own)
        return framed(self.word, columns or _usual(row), seconds=self.seconds)

    def plots(self, config: Any, rows: Sequence[Row], /, *, is_own: bool = False) -> Sequence[Plot]:
        """Return the plots of *rows*, one a step, by default of each column."""
        if self.plots_of is not None:
            return self.plots_of(config, rows, is_own)
        _, *columns, _ = self.columns(config, rows[-1] if rows else {}, is_own=is_own)
        return [
            Plot(column.label, column.label, [PlotLine(column.label, column.value)])
            for column in columns
        ]

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return the facts of *step* for a live display: the newest values of all columns."""
        row = self.store.row_of(config, step)
        columns = self.columns(config, row)
        last = getattr(config, "generations", None)
        values = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        live = LiveFacts(
            line=f"{self.word} {step.number}: {step.seconds:.2f} s{values}",
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=str(step.champions[0].label),
            newest={column.curve: column.text(row) for column in columns if column.curve},
            last_number=last - 1 if isinstance(last, int) else None,
        )
        return live if self.shown is None else self.shown(live, config, step)

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the current stage of step *number* in words; the first before there is any."""
        if not self.stages:
            return f"{self.word} {number}"
        if progress is None:
            return next(iter(self.stages.values())).format(number)
        words = self.stages[progress.stage]
        return words.format(number, done=progress.done, games=progress.games)

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return the facts about the champion of a run, by default its step."""
        if self.facts_of is not None:
            return self.facts_of(champion, last)
        about = {"generation": last.number}
        return ChampionFacts(f"from {self.word} {last.number}", about, about)

    def listings(self, config: Any, last: Any, /) -> list[Section]:
        """Return tables about the last step, for the end of a run."""
        return [] if self.listings_of is None else self.listings_of(config, last)


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
