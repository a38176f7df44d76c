"""X6 and X7, a weight changed by hand and other first weights; and features that were given up."""

import json
from threading import Event

import numpy as np

from evoply.learning import edited, load_learning_config
from evoply.studies.firebrand.training import (
    BOARDS,
    DEPTH,
    OTHER,
    PRESETS,
    Array,
    LearningCurve,
    correlation,
    curve_charts,
    distance,
    learned,
    ratio,
    score,
    settings,
    trained,
)
from evoply.studies.study import Reproduction, Result, Row
from evoply.studies.verdicts import Figure, mean_of, ratio_of, share_of_games

FEATURE = "pieces"
CHANGE = 0.4
"""The change of the weight of feature 5 and of its time weight."""
STARTS = {"near": 0.1, "far": 1.0}
"""The bounds of random first weights, which are drawn between minus and plus the bound."""


def manual_change(request: Reproduction) -> Result:
    """Return the later course of a weight changed by hand, and the strength of the player."""
    stage = request.size("stage")
    games = 10 * stage
    usual = {
        "games_per_step": games // 20,
        "time_weights.after": games // 2,
        "curriculum.games": stage,
    }

    def train(_: str, run: int, stop: Event) -> tuple[LearningCurve, LearningCurve]:
        config = settings(request, run, usual | {"games": games})
        base = trained(config, stop).last
        longer = settings(request, run, usual | {"games": 2 * games})
        changed = edited(config, base, FEATURE, weight=CHANGE, time_weight=CHANGE)
        # Both continue with the same games; the unchanged one simply goes on.
        return trained(longer, stop, first=changed), trained(longer, stop, first=base)

    pairs = request.over_seeds_at_once(["both"], request.size("runs"), train)["both"]
    index = pairs[0][0].place_of(FEATURE)
    left = [
        (changed.array[-1, index] - plain.array[-1, index]) / CHANGE for changed, plain in pairs
    ]
    weight, time_weight = (mean_of([float(both[place]) for both in left]) for place in (0, 1))
    direct, gains = [], []
    for run, (changed, plain) in enumerate(pairs):
        met = request.size("games"), run
        direct.append(100 * score(request, changed, plain, *met))
        of_changed = 100 * score(request, changed, OTHER, *met)
        gains.append(of_changed - 100 * score(request, plain, OTHER, *met))
    rows = request.rows(
        {
            "change left in the weight, as a share": weight,
            "change left in the weight, beside the second claim": weight,
            "change left in the time weight, as a share": time_weight,
            "change left in the time weight, beside the second claim": time_weight,
            "points of the changed against the unchanged, in percent": mean_of(
                direct, within=(0, 100)
            ),
            f"points against {OTHER}: changed minus unchanged": mean_of(gains),
        }
    )
    changed, plain = pairs[0]
    note = f"{FEATURE}: both weights {CHANGE:+g}; the paper: the change stays and grows"
    charts = curve_charts(changed, "changed", note) + curve_charts(plain, "unchanged", note)
    return request.result(rows, charts, trained=games, depth=DEPTH)


def convergence(request: Reproduction) -> Result:
    """Return whether training that begins with other weights ends with the same ones."""
    stage = request.size("stage")
    usual = {
        "games": 20 * stage,
        "games_per_step": stage // 2,
        "curriculum.games": stage,
        "time_weights.degree": 0,
    }
    curves = learned(request, {start: usual | {"initial": most} for start, most in STARTS.items()})
    rows = []
    charts = []
    note = "the paper asks whether weights converge to the same values"
    for start, most in STARTS.items():
        name = f"first weights up to {most:g}"
        rows += request.rows(_spread(curves[start]), f"{name}: ")
        for run in (0, 1):
            charts += curve_charts(curves[start][run], f"{name}, run {run + 1}", note)
    rows += request.rows(_sizes(curves["near"]))
    return request.result(rows, charts)


def _spread(curves: list[LearningCurve]) -> dict[str, Figure]:
    """Return the distance of each run from the others, at the end and the beginning."""
    ends, starts = [curve.weights[-1] for curve in curves], [curve.weights[0] for curve in curves]

    def rest(values: list[Array], left_out: int) -> Array:
        kept = [value for number, value in enumerate(values) if number != left_out]
        return np.asarray(np.mean(kept, axis=0))

    def apart(values: list[Array], number: int) -> float:
        return distance(values[number], rest(values, number))

    numbers = range(len(curves))
    return {
        "distance to others, end / begin": ratio_of(
            [ratio(apart(ends, n), apart(starts, n)) for n in numbers]
        ),
        "correlation with others": mean_of(
            [correlation(ends[n], rest(ends, n)) for n in numbers], within=(-1, 1)
        ),
    }


def _sizes(curves: list[LearningCurve]) -> dict[str, Figure]:
    """Return sizes of weights, which depend on the paper's unknown scale of features."""
    index, corners = curves[0].place_of("anchored"), curves[0].place_of("corners")
    ends = [curve.weights[-1] for curve in curves]
    others = [np.abs(np.delete(end, index)) for end in ends]
    above = [
        float(end[index]) - float(sizes.max()) for end, sizes in zip(ends, others, strict=True)
    ]
    return {
        "weight of feature 8": mean_of([float(end[index]) for end in ends]),
        "feature 8 minus the largest of the others": mean_of(above),
        "share of the others within -0.2 and 0.2": mean_of(
            [float(np.mean(sizes <= 0.2)) for sizes in others], within=(0, 1)
        ),
        "feature 1, corners: size / that of feature 8": ratio_of(
            [ratio(float(abs(end[corners])), float(abs(end[index]))) for end in ends]
        ),
    }


# Features 7a and 7b: without 7a's limit all weights grew, with it its own went to 0.

ENDLESS = 100.0
"""The size of a weight from which a run diverges; the paper's are at most 1."""


def diverges(curve: LearningCurve) -> bool:
    """Return whether a run left the numbers, or had any weight beyond `ENDLESS` after a step."""
    return curve.failed or float(np.abs(curve.weights).max()) > ENDLESS


def feature_7(request: Reproduction) -> Result:
    """Return what becomes of features 7a, with and without its limit, and 7b, by learning rate."""
    stage, told = request.size("stage"), request.table.told
    preset = load_learning_config(PRESETS[request.game or BOARDS[0]])
    others = [each.name for each in preset.features if each.name != told["given_up"]]
    usual = {
        "games": 10 * stage,
        "games_per_step": max(1, stage // 2),
        "curriculum.games": stage,
        "time_weights.degree": 0,
    }
    setups = {
        (rate, name): usual
        | told["rates"][rate]
        | {"features": json.dumps([*others, *filter(None, [feature])])}
        for rate in told["rates"]
        for name, feature in told["features"].items()
    }
    curves = learned(request.part(0, 2), setups)
    rows: list[Row] = []
    for rate in request.part(1, 2).each(told["rates"]):
        without = curves[rate, told["without"]]
        for name, feature in told["features"].items():
            runs = curves[rate, name]
            figures = {
                f"{name}: share of runs that diverge": share_of_games(
                    sum(map(diverges, runs)), len(runs), counted="runs"
                )
            }
            if feature:
                figures |= _kept(request, name, feature, runs, without)
            rows += request.rows(figures, f"{rate}, ")
    slowest = next(iter(told["rates"]))
    charts = [
        chart
        for name, feature in told["features"].items()
        if feature
        for chart in curve_charts(curves[slowest, name][0], f"{slowest}, {name}")
    ]
    return request.result(rows, charts, games=10 * stage, endless=ENDLESS, depth=DEPTH)


def _kept(
    request: Reproduction,
    name: str,
    feature: str,
    runs: list[LearningCurve],
    without: list[LearningCurve],
) -> dict[str, Figure]:
    """Return the weight of *feature* in the runs that did not diverge, and what it is worth."""
    place, eighth = runs[0].place_of(feature), runs[0].place_of("anchored")
    pairs = [
        (number, run, other)
        for number, (run, other) in enumerate(zip(runs, without, strict=True))
        if not diverges(run) and not diverges(other)
    ]
    if not pairs:
        return {}
    ends = [run.weights[-1] for _, run, _ in pairs]
    games, points = request.size("games"), f"{name}: points against the same without it"
    figures = {
        f"{name}: weight": mean_of([float(end[place]) for end in ends]),
        f"{name}: size / that of feature 8": ratio_of(
            [ratio(float(abs(end[place])), float(abs(end[eighth]))) for end in ends]
        ),
    }
    if points in request.printed:
        figures[points] = mean_of(
            [100 * score(request, run, other, games, number) for number, run, other in pairs],
            within=(0, 100),
        )
    return figures
