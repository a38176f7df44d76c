"""The display of a run whose learner has none: its statistics.

The displays of evoply's own learners are based on this one.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from evoply.protocols import Progress
from evoply.runs.columns import USUAL, Columns, Row, curves, facts, framed
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Note, RunGames
from evoply.runs.plots import Plot, PlotLine
from evoply.sections import Column

_MOST_CURVES = 3
_MOST_LISTED = 6


class PlainDisplay:
    """See `evoply.runs.kind.Display`."""

    word: ClassVar[str] = "step"
    """The name of a step."""
    table: ClassVar[Columns] = ()
    """Its columns; if empty, one for each statistic, with curves of the first three."""

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of a step."""
        names = [name for name in row if name not in USUAL]
        usual = [
            Column(
                name,
                name,
                curve=name if index < _MOST_CURVES else "",
                is_listed=index < _MOST_LISTED,
            )
            for index, name in enumerate(names)
        ]
        return framed(self.word, self.table or usual)

    def plots(self, config: Any, rows: Sequence[Row], /, *, is_own: bool = False) -> Sequence[Plot]:
        """Return a plot of each column."""
        _, *columns, _ = self.columns(config, rows[-1] if rows else {}, is_own=is_own)
        return [
            Plot(column.label, column.label, [PlotLine(column.label, column.value)])
            for column in columns
        ]

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return the newest values of all columns."""
        row = {**step.statistics, "number": step.number, "seconds": step.seconds}
        columns = self.columns(config, row)
        last = getattr(config, "generations", None)
        values = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        return LiveFacts(
            line=f"{self.word} {step.number}: {step.seconds:.2f} s{values}",
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=self.champion_text(step),
            newest={column.curve: column.text(row) for column in columns if column.curve},
            last_number=last - 1 if isinstance(last, int) else None,
            seconds_left=self.seconds_left(config, step),
        )

    def champion_text(self, step: Any) -> str:
        """Return the champion of *step* in a line."""
        return str(step.champions[0].label)

    def seconds_left(self, config: Any, step: Any) -> float | None:
        """Return the seconds that the rest of the run takes; None if unknown."""
        return None

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the name of step *number*."""
        return f"{self.word} {number}"

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the best player of the last step."""
        return last.champions[0]

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return the step of the champion."""
        about = {"generation": last.number}
        return ChampionFacts(f"from {self.word} {last.number}", about, about)

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        """Return nothing."""
        return []

    def games(self, config: Any, /) -> RunGames:
        """Return the game's own rules about draws; the rest is up to the learner."""
        return RunGames()
