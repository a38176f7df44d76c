"""Learning by play as a kind of learner: how its runs are shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evoply.learning.configs import LEARNER, LearningConfig, load_learning_config
from evoply.learning.learner import Learning, LearningStep, edited, model_of, replayed, time_name
from evoply.protocols.sections import Column, Section, item_of, share
from evoply.runs.kind import (
    ChampionFacts,
    Columns,
    Kind,
    LiveFacts,
    Plot,
    PlotLine,
    PlotOfRows,
    Row,
)
from evoply.runs.run import Run

_CLOCKS = 25
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
    Column("clipped", "clipped features", lambda share: f"{100 * share:.2f} %"),
    Column("black_points", "Black's points", share),
    Column("made_by", "made by", "{}".format, is_fact=False, read=_made_by),
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


def _columns(config: LearningConfig, row: Row) -> Columns:
    """Return the columns of games, then those of all weights and time weights."""
    names = [feature.name for feature in config.features]
    powers = range(1, config.time_weights.degree + 1)
    weights = [*names, *(time_name(name, power) for power in powers for name in names)]
    return [
        *_COLUMNS,
        *(
            Column(name, name, "{:+.3f}".format, name, is_listed=index < _MOST_LISTED)
            for index, name in enumerate(weights)
        ),
    ]


def _plots(config: LearningConfig, rows: Sequence[Row]) -> list[Plot]:
    """Return the curves of all weights, of their error and of clipped features."""
    return [*weight_plots(config), _ERROR, _CLIPPED]


def seconds_of_games(config: Any, step: Any) -> float | None:
    """Return the seconds for the rest of the games at the pace so far; None if unknown."""
    if config.games is None or not step.games or not step.total_seconds:
        return None
    left: float = (config.games - step.games) * step.total_seconds / step.games
    return left


def _live(usual: LiveFacts, config: LearningConfig, step: LearningStep) -> LiveFacts:
    return replace(usual, seconds_left=seconds_of_games(config, step))


def _facts(champion: Any, last: LearningStep) -> ChampionFacts:
    """Return the number of weights."""
    note = (
        "The weights after the last game. A feature is what the player has minus what the "
        "opponent has, divided by a scale."
    )
    about = {"generation": last.number, "games": last.games}
    title = f"{len(last.weights)} weights, after {last.games:,} games"
    return ChampionFacts(title, about, {"generation": last.number}, note)


def _listings(config: LearningConfig, last: LearningStep) -> list[Section]:
    """Return the weights, the largest first."""
    model = model_of(config, last)
    degree = config.time_weights.degree
    places = sorted(range(len(model.features)), key=lambda place: -abs(model.weights[place]))
    rows = [
        {
            "feature": model.features[place].name,
            "weight": model.weights[place],
            "time_weights": list(model.time_weights[place][:degree]),
            "scale": model.features[place].scale,
        }
        for place in places
    ]
    names = [feature.name for feature in model.features]

    def at(clock: float) -> Callable[[Row], float]:
        return lambda row: row["weight"] * model.factor(names.index(row["feature"]), clock)

    powers = ["time weight", *(f"of u^{power}" for power in range(2, degree + 1))][:degree]
    clocks = {"at the start": 0.0, "in the middle": 0.5, "at the end": 1.0} if degree else {}
    columns = (
        Column("feature", "feature", str),
        Column("weight", "weight", "{:+.4f}".format, look="strong"),
        *(
            Column("", label, "{:+.4f}".format, read=item_of("time_weights", power))
            for power, label in enumerate(powers)
        ),
        *(Column("", label, "{:+.3f}".format, read=at(clock)) for label, clock in clocks.items()),
        Column("scale", "divided by", "{:g}".format),
    )
    return [Section("Weights, the largest first", columns, rows, name="weights")]


def _page(run: Run, rows: Sequence[Row]) -> tuple[dict[str, str], list[Section]]:
    """Return the facts of the games, the weights at the end, and what was changed by hand."""
    config, last = run.config, run.last()
    games, seconds = int(rows[-1]["games"]), sum(row["seconds"] for row in rows)
    facts = {
        "games": f"{games:,}",
        "features": f"{len(config.features)}",
        "rule": config.rule,
        "games per second": f"{games / max(seconds, 1e-9):,.0f}",
    }
    (listing,) = _listings(config, last)
    charts = [_over_the_game(config, last)] if config.time_weights.degree else []
    note = (
        "Features count as they are."
        if config.scaling == "raw"
        else "Features are divided by what stands last, and kept within -1 and 1."
    )
    sections = [replace(listing, note=note, charts=charts)]
    changes = [event for event in run.events() if event["kind"] == "edited"]
    if changes:
        head = (
            Column("generation", "step", str),
            Column("feature", "feature", str),
            Column("weight", "weight", "{:+g}".format),
            Column("time_weight", "time weight", "{:+g}".format),
        )
        sections.append(Section("Changed by hand", head, changes, "With evoply edit."))
    return facts, sections


def _over_the_game(config: LearningConfig, last: LearningStep) -> PlotOfRows:
    """Return the weight of each feature as a game goes on."""
    model = model_of(config, last)
    clocks = [index / (_CLOCKS - 1) for index in range(_CLOCKS)]
    names = [feature.name for feature in model.features]
    plot = replace(
        weight_plots(config)[0],
        title="Weights over the game",
        unit="weight times factor",
        x="clock",
        x_title="clock, 0 at the start and 1 at the end",
    )
    rows = [
        {"clock": clock}
        | {name: model.weights[i] * model.factor(i, clock) for i, name in enumerate(names)}
        for clock in clocks
    ]
    return PlotOfRows(plot, rows)


KIND = Kind(
    name=LEARNER,
    learner=Learning(),
    read=load_learning_config,
    columns=_columns,
    facts=_facts,
    live=_live,
    plots=_plots,
    listings=_listings,
    page=_page,
    uses={"edited": edited, "replayed": replayed},
)
