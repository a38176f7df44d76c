"""Figures 1 and 3 to 5: the course of weights by stages of the game, and with time weights."""

from functools import partial
from threading import Event

import numpy as np

from evoply.learning import stages
from evoply.reports.charts import line_chart
from evoply.reports.series import Series
from evoply.studies.firebrand.training import (
    LearningCurve,
    Size,
    begun_anew,
    correlation,
    curve_charts,
    distance,
    fluctuation,
    quarter,
    ratio,
    result,
    settings,
    side_by_side,
    trained,
)
from evoply.studies.study import Request, Result, row
from evoply.studies.verdicts import Claim, mean_of, ratio_of

_FEATURE_8 = "anchored"
_PIECES = "pieces"


def _train_both(
    request: Request, size: Size, run: int, stop: Event
) -> tuple[LearningCurve, LearningCurve]:
    """Return training with time weights from the middle on, and the same training without.

    Both have the same first half: all stages, then as many whole games.
    """
    half = 10 * size.stage
    usual = {
        "games": 2 * half,
        "games_per_step": max(1, half // 50),
        "curriculum.games": size.stage,
    }
    timed = settings(request, run, **usual, **{"time_weights.after": half})
    untimed = settings(request, run, **usual, **{"time_weights.degree": 0})
    return trained(timed, stop), trained(untimed, stop)


def _contrast(request: Request, size: Size) -> list[tuple[LearningCurve, LearningCurve]]:
    jobs = [partial(_train_both, request, size, run) for run in range(size.runs)]
    return side_by_side(request, jobs)


def figure_1(request: Request, size: Size) -> Result:
    """Return the growth of time weights, and their effect on the ordinary weights."""
    pairs = _contrast(request, size)
    timed = [curve for curve, _ in pairs]
    feature_8, pieces = timed[0].place_of(_FEATURE_8), timed[0].place_of(_PIECES)
    others = [index for index in range(timed[0].weights.shape[1]) if index != feature_8]
    ends = [curve.time_weights[-1] for curve in timed]
    rows = [
        row(
            "time weight of feature 8 at the end, minus 1",
            mean_of([end[feature_8] - 1 for end in ends]),
            Claim("grows: above 0", low=0.0),
        ),
        row(
            "its place among the time weights, 1 being the largest",
            mean_of([float(np.sum(end >= end[feature_8])) for end in ends]),
        ),
        row(
            "size of the other weights, with time weights / without",
            ratio_of(
                [
                    ratio(
                        float(np.abs(curve.weights[-1][others]).mean()),
                        float(np.abs(other.weights[-1][others]).mean()),
                    )
                    for curve, other in pairs
                ]
            ),
            Claim("further from zero: above 1", low=1.0),
        ),
        row(
            "fluctuation in the last quarter, with / without",
            ratio_of(
                [
                    ratio(fluctuation(*quarter(curve, 4)), fluctuation(*quarter(other, 4)))
                    for curve, other in pairs
                ]
            ),
            Claim("more stable: below 1", high=1.0),
        ),
        row(
            "weight of feature 5, pieces",
            mean_of([float(curve.weights[-1][pieces]) for curve in timed]),
            Claim("in one of the best: below 0", high=0.0),
        ),
        row(
            "time weight of feature 5, minus 1",
            mean_of([float(end[pieces]) - 1 for end in ends]),
            Claim("large: above 0", low=0.0),
        ),
    ]
    note = "the paper: the growing time weight is that of feature 8, here anchored"
    return result(
        request, "1", "Figure 1: training with time weights", rows,
        curve_charts(timed[0], "with time weights", note),
        notes=(
            size.note,
            "Time weights begin in the middle of the training, all at 1.",
        ),
    )  # fmt: skip


def figure_5(request: Request, size: Size) -> Result:
    """Return the way of the weights after the middle, with and without time weights."""
    pairs = _contrast(request, size)
    half = pairs[0][0].games[-1] / 2
    before = [distance(curve.at(half), curve.at(0)) for curve, _ in pairs]
    with_times = [distance(curve.weights[-1], curve.at(half)) for curve, _ in pairs]
    times = [distance(curve.time_weights[-1], curve.times_at(half)) for curve, _ in pairs]
    without = [distance(other.weights[-1], other.at(half)) for _, other in pairs]
    hardly = Claim("hardly changes: below 0.5", high=0.5)
    rows = [
        row(
            "without time weights: way of second half / of first",
            ratio_of([ratio(*ways) for ways in zip(without, before, strict=True)]),
            hardly,
        ),
        row(
            "with time weights: way of second half / of first",
            ratio_of([ratio(*ways) for ways in zip(with_times, before, strict=True)]),
            hardly,
        ),
        row(
            "second half: way of time weights / of weights",
            ratio_of([ratio(*ways) for ways in zip(times, with_times, strict=True)]),
            Claim("time weights move more: above 1", low=1.0),
        ),
    ]
    first, plain = pairs[0]
    note = "the paper: after the middle only the time weights move"
    return result(
        request, "5", "Figure 5: training time weights", rows,
        [
            *curve_charts(plain, "no time weights", note),
            *curve_charts(first, "with time weights", note),
        ],
        notes=(size.note, "A way is the distance between two sets of weights."),
    )  # fmt: skip


def figure_3(request: Request, size: Size) -> Result:
    """Return the movement of weights after changes of the number of empty squares."""
    games = size.stage

    def job(run: int, stop: Event) -> LearningCurve:
        config = settings(request, run, **size.of_stages(games), games=5 * games)
        return trained(config, stop)

    curves = side_by_side(request, [partial(job, run) for run in range(size.runs)])
    half = games / 2
    moves = []
    for curve in curves:
        ways = [
            (
                distance(curve.at(number * games + half), curve.at(number * games)),
                distance(curve.at(number * games), curve.at(number * games - half)),
            )
            for number in range(1, 5)
        ]
        moves.append(float(np.exp(np.mean([np.log(ratio(*way)) for way in ways]))))
    settled = [
        ratio(distance(curve.at(games), curve.at(half)), distance(curve.at(half), curve.at(0)))
        for curve in curves
    ]
    between = [
        correlation(before, after)
        for curve in curves
        for before, after in [(curve.at(games), curve.at(5 * games))]
    ]
    rows = [
        row(
            "way in the half stage after a change / before it",
            ratio_of(moves),
            Claim("moves to another value: above 1", low=1.0),
        ),
        row(
            "first stage: way of its second half / of its first",
            ratio_of(settled),
            Claim("starts to converge: below 1", high=1.0),
        ),
        row(
            "correlation of weights, after first and last stage",
            mean_of(between, within=(-1, 1)),
        ),
    ]
    return result(
        request, "3", "Figure 3: stages of the game", rows,
        curve_charts(
            curves[0], "stages",
            f"{_stage_text(curves[0])}, {games} games each; the paper: weights turn at each change",
        ),
        notes=(
            size.note,
            "Stages change four times; of the ratios of a run the geometric mean is taken.",
        ),
    )  # fmt: skip


def _stage_text(curve: LearningCurve) -> str:
    blanks = [str(stage.blanks[0]) for stage in stages(curve.config.curriculum, curve.config.game)]
    return f"{', '.join(blanks)} empty squares"


def figure_4(request: Request, size: Size) -> Result:
    """Return feature 8's weight stage by stage, in the order after the paper's crash."""
    games = size.stage

    def job(run: int, stop: Event) -> tuple[LearningCurve, LearningCurve]:
        before = trained(settings(request, run, **size.of_stages(games), games=2 * games), stop)
        config = settings(request, run, **size.of_stages(games), games=5 * games)
        return before, trained(config, stop, first=begun_anew(before.last))

    runs = side_by_side(request, [partial(job, run) for run in range(size.runs)])
    index = runs[0][0].place_of(_FEATURE_8)
    early = [before.at(games) for before, _ in runs]
    late = [after.weights[-1] for _, after in runs]

    def share(weights: np.ndarray) -> float:
        return float(abs(weights[index]) / np.abs(weights).sum())

    more = Claim("more important early: above 0", low=0.0)
    rows = [
        row("weight after the fewest empty squares", mean_of([float(w[index]) for w in early])),
        row("weight after the most empty squares", mean_of([float(w[index]) for w in late])),
        row(
            "the second minus the first",
            mean_of([float(b[index] - a[index]) for a, b in zip(early, late, strict=True)]),
            more,
        ),
        row(
            "share of all weights: the second minus the first",
            mean_of([share(b) - share(a) for a, b in zip(early, late, strict=True)]),
            more,
        ),
    ]
    # Without this row, a weight that grows with the games would seem to matter early.
    again = [float(after.at(games)[index] - before.weights[-1, index]) for before, after in runs]
    rows.append(row("change when the fewest empty squares come again", mean_of(again)))
    before, after = runs[0]
    x = [*before.games, *(after.games[1:] + 2 * games)]
    y = [*before.weights[:, index], *after.weights[1:, index]]
    chart = line_chart(
        "Feature 8 by stage", x, [Series(_FEATURE_8, y)], "weight", x_title="games",
        note=f"the first two stages, then all of {_stage_text(after)}; "
        "the paper: little at first, much at the end",
    )  # fmt: skip
    return result(
        request, "4", "Figure 4: feature 8 in the stages of the game", rows, [chart],
        notes=(
            size.note,
            "Two stages, then, as after the paper's crash, all stages from the first on. The last "
            "row is a control: a weight of the stage would fall there, one that only grows "
            "would not.",
        ),
    )  # fmt: skip
