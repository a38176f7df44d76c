"""The parts of a run's page that depend on the kind of learner, by default what it declares."""

from collections.abc import Mapping, Sequence
from typing import Any

from evoply.reports.charts import Chart, line_chart
from evoply.reports.series import Series
from evoply.runs import Run
from evoply.runs.plots import Plot
from evoply.sections import Section

Rows = Sequence[Mapping[str, Any]]
"""Rows of the table `generations`, one for each step."""


class KindPage:
    """A page of statistics alone; a kind of learner that has more to say overrides the rest."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return the facts at the top of the page: who learned."""
        return {"learner": run.kind.name}

    def champion_note(self, run: Run) -> str:
        """Return a note on the champion beside its explanation."""
        return ""

    def drawn_rows(self, run: Run, rows: Rows) -> Rows:
        """Return *rows* with the values that only charts show."""
        return rows

    def charts(self, run: Run, rows: Rows) -> list[Chart]:
        """Return the charts of all steps, as the kind of learner declares them."""
        drawn = self.drawn_rows(run, rows)
        is_own = "fitness" in run.python_parts()
        return drawn_plots(run.kind.display.plots(run.config, drawn, is_own=is_own), drawn)

    def sections(self, run: Run) -> list[Section]:
        """Return the sections after the charts."""
        return []


def drawn_plots(plots: Sequence[Plot], rows: Rows) -> list[Chart]:
    """Return *plots* of *rows* as charts."""
    return [_draw(plot, rows[plot.after :] or rows) for plot in plots]


def _draw(plot: Plot, rows: Rows) -> Chart:
    return line_chart(
        plot.title,
        [row[plot.x] for row in rows],
        [
            Series(line.name, [*map(line.value, rows)], color=line.color, is_dashed=line.is_dashed)
            for line in plot.lines
        ],
        plot.unit,
        x_title=plot.x_title or ("generation" if plot.x == "number" else plot.x),
        note=plot.note,
        is_share=plot.is_share,
        from_zero=plot.from_zero,
    )
