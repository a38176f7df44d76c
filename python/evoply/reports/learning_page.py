"""What the page of a run says of learning alone: how its weights moved, and what they are.

Rows are those of the table `generations`, one for each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoply.learning import LearningConfig, model_of, time_name
from evoply.reports.charts import Chart, line_chart
from evoply.reports.pages import Section
from evoply.reports.series import Series
from evoply.runs import Run

Rows = Sequence[Mapping[str, Any]]

_SOLID = 8
"""Lines of one chart that are told apart by colour alone."""
_MOST_LINES = 16
_CLOCKS = 25


class LearningPage:
    """See `evoply.reports.run_page.KindPage`."""

    def facts(self, run: Run, rows: Rows) -> Mapping[str, str]:
        """Return what stands at the top of the page."""
        games = int(rows[-1]["games"])
        seconds = sum(row["seconds"] for row in rows)
        return {
            "games": f"{games:,}",
            "features": f"{len(run.config.features)}",
            "rule": run.config.rule,
            "games per second": f"{games / max(seconds, 1e-9):,.0f}",
        }

    def champion_note(self, run: Run) -> str:
        """Return what is to be known of the player."""
        return (
            "The weights after the last game. A feature is what the player has minus what the "
            "opponent has, divided by a scale."
        )

    def charts(self, run: Run, rows: Rows) -> list[Chart]:
        """Return the curves of all weights, and how well they foretell the game."""
        games = [row["games"] for row in rows]
        played = rows[1:] or rows
        return [
            *weight_charts(run.config, rows),
            line_chart(
                "Error",
                [row["games"] for row in played],
                [Series("error", [row["error"] for row in played])],
                "root mean square",
                x_title="games",
                note="of what the weights say of a board, compared with the own next turn's",
                from_zero=True,
            ),
            line_chart(
                "Clipped features",
                games,
                [Series("clipped", [row["clipped"] for row in rows])],
                "share",
                x_title="games",
                note="how often a feature was beyond its scale",
                from_zero=True,
            ),
        ]

    def sections(self, run: Run) -> list[Section]:
        """Return the weights at the end, and what was changed by hand."""
        last = run.last()
        listing = run.kind.display.listings(run.config, last)[0]
        columns = [(name, "strong" if name == "weight" else "") for name in listing.head]
        chart = None
        if run.config.time_weights.degree:
            model = model_of(run.config, last)
            clocks = [place / (_CLOCKS - 1) for place in range(_CLOCKS)]
            chart = line_chart(
                "Weights over the game",
                clocks,
                [
                    Series(
                        feature.name,
                        [model.weights[index] * model.factor(index, clock) for clock in clocks],
                        is_dashed=index >= _SOLID,
                    )
                    for index, feature in enumerate(model.features)
                ][:_MOST_LINES],
                "weight times factor",
                x_title="clock, 0 at the start and 1 at the end",
            )
        sections = [Section(listing.title, _scale_note(run.config), columns, listing.rows, chart)]
        edits = [event for event in run.events() if event["kind"] == "edited"]
        if edits:
            cells = [
                (
                    str(one["generation"]),
                    str(one["feature"]),
                    f"{one['weight']:+g}",
                    f"{one['time_weight']:+g}",
                )
                for one in edits
            ]
            head = [(name, "") for name in ("step", "feature", "weight", "time weight")]
            sections.append(Section("Changed by hand", "With evoply edit.", head, cells))
        return sections


def _scale_note(config: LearningConfig) -> str:
    if config.scaling == "raw":
        return "Features count as they are."
    return "Features are divided by what stands last, and kept within -1 and 1."


def weight_charts(config: LearningConfig, rows: Rows) -> list[Chart]:
    """Return a chart of all weights against games, and one for each power of the time weights."""
    games = [row["games"] for row in rows]
    names = [one.name for one in config.features][:_MOST_LINES]
    charts = [_lines("Weights", games, rows, {name: name for name in names})]
    for power in range(1, config.time_weights.degree + 1):
        title = "Time weights" if power == 1 else f"Time weights of u^{power}"
        charts.append(_lines(title, games, rows, {name: time_name(name, power) for name in names}))
    return charts


def _lines(title: str, games: Sequence[float], rows: Rows, names: Mapping[str, str]) -> Chart:
    """Return a chart of statistics, whose names stand behind those of the lines."""
    series = [
        Series(name, [row[statistic] for row in rows], is_dashed=place >= _SOLID)
        for place, (name, statistic) in enumerate(names.items())
    ]
    return line_chart(title, games, series, "weight", x_title="games")
