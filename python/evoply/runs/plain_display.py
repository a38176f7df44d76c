"""What people see of a run whose learner says nothing of its own: its statistics.

A display of a learner of evoply's own begins with this one.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from evoply.protocols import Progress
from evoply.runs.columns import Column, Columns, Row, curves, facts, framed
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Note, RunGames
from evoply.runs.plots import Plot, PlotLine

USUAL = ("number", "digest", "seconds")
"""What a row has beside its statistics."""
_MOST_CURVES = 3
_MOST_LISTED = 6


class PlainDisplay:
    """See `evoply.runs.kind.Display`."""

    word: ClassVar[str] = "step"
    """What a step is called."""
    table: ClassVar[Columns] = ()
    """Its columns; none: one for each statistic, of which the first three have curves."""

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of a step."""
        names = [name for name in row if name not in USUAL]
        usual = [
            Column(
                name,
                name,
                curve=name if place < _MOST_CURVES else "",
                is_listed=place < _MOST_LISTED,
            )
            for place, name in enumerate(names)
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
        shown = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        return LiveFacts(
            line=f"{self.word} {step.number}: {step.seconds:.2f} s{shown}",
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
        """Return how long the rest of the run takes; None if nobody knows."""
        return None

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return that step *number* is being made."""
        return f"{self.word} {number}"

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the best player of the last step."""
        return last.champions[0]

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return where the champion is from."""
        about = {"generation": last.number}
        return ChampionFacts(
            f"from {self.word} {last.number}", about, {"player": champion.label, **about}
        )

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        """Return nothing."""
        return []

    def games(self, config: Any, /) -> RunGames:
        """Return the game's own rules about draws; who wrote the learner answers for the rest."""
        return RunGames()
