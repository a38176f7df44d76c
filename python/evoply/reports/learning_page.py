"""The parts of a run's page that only learning has: its weights."""

from collections.abc import Mapping
from dataclasses import replace

from evoply.learning import LearningConfig, LearningStep, model_of
from evoply.learning.learning_kind import weight_plots
from evoply.reports.charts import Chart
from evoply.reports.kind_page import KindPage, Rows, drawn_plots
from evoply.runs import Run
from evoply.sections import Section, cells_of

_CLOCKS = 25


class LearningPage(KindPage):
    """See `evoply.reports.kind_page`."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return the facts at the top of the page."""
        games = int(rows[-1]["games"])
        seconds = sum(row["seconds"] for row in rows)
        return {
            "games": f"{games:,}",
            "features": f"{len(run.config.features)}",
            "rule": run.config.rule,
            "games per second": f"{games / max(seconds, 1e-9):,.0f}",
        }

    def champion_note(self, run: Run) -> str:
        """Return a note on the weights."""
        return (
            "The weights after the last game. A feature is what the player has minus what the "
            "opponent has, divided by a scale."
        )

    def sections(self, run: Run) -> list[Section]:
        """Return the weights at the end, and what was changed by hand."""
        last = run.last()
        listing = run.kind.display.listings(run.config, last)[0]
        columns = cells_of(*listing.head, weight="strong")
        charts = [_over_the_game(run.config, last)] if run.config.time_weights.degree else []
        note = _scale_note(run.config)
        sections = [Section(listing.title, columns, listing.rows, note, charts=charts)]
        cells = [
            (
                str(event["generation"]),
                str(event["feature"]),
                f"{event['weight']:+g}",
                f"{event['time_weight']:+g}",
            )
            for event in run.events()
            if event["kind"] == "edited"
        ]
        if cells:
            head = cells_of("step", "feature", "weight", "time weight")
            sections.append(Section("Changed by hand", head, cells, "With evoply edit."))
        return sections


def _over_the_game(config: LearningConfig, last: LearningStep) -> Chart:
    """Return the weight of each feature as a game goes on."""
    model = model_of(config, last)
    rows = [
        {
            "clock": clock,
            **{
                feature.name: model.weights[index] * model.factor(index, clock)
                for index, feature in enumerate(model.features)
            },
        }
        for clock in (index / (_CLOCKS - 1) for index in range(_CLOCKS))
    ]
    plot = replace(
        weight_plots(config)[0],
        title="Weights over the game",
        unit="weight times factor",
        x="clock",
        x_title="clock, 0 at the start and 1 at the end",
    )
    return drawn_plots([plot], rows)[0]


def _scale_note(config: LearningConfig) -> str:
    if config.scaling == "raw":
        return "Features count as they are."
    return "Features are divided by what stands last, and kept within -1 and 1."


def weight_charts(config: LearningConfig, rows: Rows) -> list[Chart]:
    """Return a chart of all weights against games, and one for each power of the time weights."""
    return drawn_plots(weight_plots(config), rows)
