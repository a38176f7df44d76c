"""Learning by play as a kind of learner: how its runs are shown."""

from collections.abc import Sequence
from typing import Any

from evoply.learning.learned_kind import GamesDisplay, learned_kind
from evoply.learning.learner import Learning
from evoply.learning.learning_config import LEARNER, LearningConfig
from evoply.learning.replay import replayed
from evoply.learning.steps import LearningStep, edited, model_of, time_name
from evoply.runs.columns import Columns, Row, framed
from evoply.runs.kind import ChampionFacts, Kind, Listing
from evoply.runs.plots import Plot, PlotLine
from evoply.sections import Column, share

_MOST_LISTED = 6


def _made_by(row: Row) -> str:
    """Return what made the weights of a step."""
    if row.get("by_hand"):
        return "hand"
    return "games" if row["games"] else "chance"


_COLUMNS = (
    Column("games", "games", "{:,.0f}".format),
    Column("stage", "stage", lambda stage: f"{stage + 1:.0f}"),
    Column("error", "error", "{:.4f}".format),
    Column("clipped", "clipped features", "{:.2%}".format),
    Column("black_points", "Black's points", share),
    Column("made_by", "made by", str, is_fact=False, read=_made_by),
)


_ERROR = Plot(
    "Error",
    "root mean square",
    [PlotLine("error")],
    "of the value of a board, compared with the value at its own next turn",
    x="games",
    from_zero=True,
    after=1,
)
_CLIPPED = Plot(
    "Clipped features",
    "share",
    [PlotLine("clipped")],
    "how often a feature was beyond its scale",
    x="games",
    from_zero=True,
)
_SOLID = 8
"""Number of lines of a plot that colours alone distinguish."""
_MOST_LINES = 16


def learning_kind(learner: Learning) -> Kind:
    """Return the kind of *learner*."""
    return learned_kind(LEARNER, learner, _Display(), uses={"edited": edited, "replayed": replayed})


def weight_plots(config: LearningConfig) -> list[Plot]:
    """Return a plot of all weights over games, and one for each power of the time weights."""
    names = [feature.name for feature in config.features][:_MOST_LINES]
    statistics = {"Weights": names}
    for power in range(1, config.time_weights.degree + 1):
        title = "Time weights" if power == 1 else f"Time weights of u^{power}"
        statistics[title] = [time_name(name, power) for name in names]
    return [
        Plot(
            title,
            "weight",
            [
                PlotLine(name, key, is_dashed=index >= _SOLID)
                for index, (name, key) in enumerate(zip(names, keys, strict=True))
            ],
            x="games",
        )
        for title, keys in statistics.items()
    ]


class _Display(GamesDisplay):
    """The display of weights."""

    def columns(self, config: LearningConfig, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of games, then those of all weights and time weights."""
        names = [feature.name for feature in config.features]
        powers = range(1, config.time_weights.degree + 1)
        weights = [*names, *(time_name(name, power) for power in powers for name in names)]
        return framed(
            self.word,
            [
                *_COLUMNS,
                *(
                    Column(name, name, "{:+.3f}".format, name, is_listed=index < _MOST_LISTED)
                    for index, name in enumerate(weights)
                ),
            ],
        )

    def plots(
        self, config: LearningConfig, rows: Sequence[Row], /, *, is_own: bool = False
    ) -> list[Plot]:
        """Return the curves of all weights, of their error and of clipped features."""
        return [*weight_plots(config), _ERROR, _CLIPPED]

    def champion_facts(self, champion: Any, last: LearningStep, /) -> ChampionFacts:
        """Return the number of weights."""
        about = {"generation": last.number, "games": last.games}
        title = f"{len(last.weights)} weights, after {last.games:,} games"
        return ChampionFacts(title, about, {"generation": last.number})

    def listings(self, config: LearningConfig, last: LearningStep, /) -> list[Listing]:
        """Return the weights, the largest first."""
        model = model_of(config, last)
        degree = config.time_weights.degree
        table = []
        for index, feature in enumerate(model.features):
            times = model.time_weights[index][:degree]
            factors = [model.factor(index, clock) for clock in (0.0, 0.5, 1.0)]
            table.append((feature, model.weights[index], times, factors))
        table.sort(key=lambda row: -abs(row[1]))
        rows = [
            (
                feature.name,
                f"{weight:+.4f}",
                *(f"{time:+.4f}" for time in times),
                *([f"{weight * factor:+.3f}" for factor in factors] if degree else []),
                f"{feature.scale:g}",
            )
            for feature, weight, times, factors in table
        ]
        data = [
            {
                "feature": feature.name,
                "weight": weight,
                "time_weights": list(times),
                "scale": feature.scale,
            }
            for feature, weight, times, _ in table
        ]
        powers = ["time weight", *(f"of u^{power}" for power in range(2, degree + 1))][:degree]
        parts = ["at the start", "in the middle", "at the end"] if degree else []
        head = ("feature", "weight", *powers, *parts, "divided by")
        return [Listing("weights", "Weights, the largest first", head, ("feature",), rows, data)]
