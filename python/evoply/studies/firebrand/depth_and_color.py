"""Figures 6 and 7: the effect of the training depth, or of training one colour, on weights."""

from itertools import combinations
from threading import Event

import numpy as np

from evoply.learning import Learning
from evoply.studies.firebrand.training import (
    ALIKE,
    LearningCurve,
    Size,
    correlation,
    curve_charts,
    distance,
    ratio,
    result,
    runs_of,
    settings,
    trained,
)
from evoply.studies.study import Request, Result, Row, row
from evoply.studies.verdicts import Claim, mean_of, ratio_of


def figure_6(request: Request, size: Size) -> Result:
    """Return the similarity of weights from training at depths 2, 4 and 8."""
    games = size.short_stage

    def job(depth: int, run: int, stop: Event) -> LearningCurve:
        # The deepest search has time for two stages only.
        count = (2 if depth == max(size.depths) else 5) * games
        changes = {**size.of_stages(games), "time_weights.degree": 1, "time_weights.after": games}
        return trained(settings(request, run, **changes, games=count, depth=depth), stop)

    # Long jobs come first, so that no core waits for them at the end.
    curves = runs_of(request, size, reversed(size.depths), job)
    rows: list[Row] = []
    for shallow, deep in combinations(size.depths, 2):
        pairs = list(zip(curves[shallow], curves[deep], strict=True))
        rows += _depth_rows(f"depths {shallow} and {deep}", pairs)
    note = "the paper: weights look alike; time weights have the same form and another size"
    charts = [
        chart
        for depth in size.depths
        for chart in curve_charts(curves[depth][0], f"depth {depth}", note)
    ]
    return result(
        request, "6", "Figure 6: different depths", rows, charts,
        notes=(
            size.note,
            f"Stages of {games} games; time weights begin with the second. Depth 8 has two stages, "
            "and is compared with the others after as many games. Changes of size are "
            "differences of logarithms, each without its sign.",
        ),
    )  # fmt: skip


def _depth_rows(name: str, pairs: list[tuple[LearningCurve, LearningCurve]]) -> list[Row]:
    end = min(pairs[0][0].games[-1], pairs[0][1].games[-1])
    weights = [(first.at(end), second.at(end)) for first, second in pairs]
    times = [(first.times_at(end) - 1, second.times_at(end) - 1) for first, second in pairs]
    sizes = [
        abs(np.log(_size_ratio(*time))) - abs(np.log(_size_ratio(*weight)))
        for time, weight in zip(times, weights, strict=True)
    ]
    return [
        row(
            f"{name}: correlation of the weights",
            mean_of([correlation(*weight) for weight in weights], within=(-1, 1)),
            ALIKE,
        ),
        row(
            f"{name}: correlation of the time weights",
            mean_of([correlation(*time) for time in times], within=(-1, 1)),
            ALIKE,
        ),
        row(
            f"{name}: change of size, time weights - weights",
            mean_of([float(size) for size in sizes]),
            Claim("time weights change size: above 0", low=0.0),
        ),
    ]


def _size_ratio(first: np.ndarray, second: np.ndarray) -> float:
    return ratio(float(np.linalg.norm(second)), float(np.linalg.norm(first)))


def figure_7(request: Request, size: Size) -> Result:
    """Return whether training with one colour only makes other weights."""
    stage = size.stage
    names = ("alternating", "alternating again", "Black only", "White only")
    learns = ("alternate", "alternate", "black", "white")

    def job(number: int, run: int, stop: Event) -> LearningCurve:
        # All four begin with the first weights of the same run and play different games.
        first = Learning().first(settings(request, run))
        games_of = run + (number + 1) * size.runs
        config = settings(
            request, games_of, **size.of_stages(stage), games=10 * stage, learns=learns[number]
        )
        return trained(config, stop, first=first)

    curves = runs_of(request, size, range(len(names)), job)
    ends = {number: [curve.weights[-1] for curve in of_all] for number, of_all in curves.items()}
    apart = {(i, j): list(map(distance, ends[i], ends[j])) for i, j in ((0, 1), (2, 3))}
    rows = [
        row(
            "distance Black to White only / between alternating ones",
            ratio_of(list(map(ratio, apart[2, 3], apart[0, 1]))),
            Claim("colour does not matter: below 2", high=2.0),
        ),
        *(
            row(
                f"correlation: {names[i]}, {names[j]}",
                mean_of(list(map(correlation, ends[i], ends[j])), within=(-1, 1)),
                ALIKE,
            )
            for i, j in ((0, 1), (0, 2), (0, 3), (2, 3))
        ),
    ]
    note = "the paper: all four converge to the same values"
    charts = [
        chart
        for number, name in enumerate(names)
        for chart in curve_charts(curves[number][0], name, note)
    ]
    return result(
        request, "7", "Figure 7: separate training of both colours", rows, charts,
        notes=(
            size.note,
            "Red, which begins, is Black here. The first distance is that of chance alone.",
        ),
    )  # fmt: skip
