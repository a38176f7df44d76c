"""X6 and X7: a weight changed by hand, and training from other first weights."""

from functools import partial
from threading import Event

import numpy as np

from evoply.arena import match
from evoply.learning import edited
from evoply.studies.firebrand.training import (
    ALIKE,
    BOARDS,
    LearningCurve,
    Size,
    correlation,
    curve_charts,
    distance,
    ratio,
    result,
    runs_of,
    settings,
    side_by_side,
    trained,
)
from evoply.studies.study import Request, Result, Row, row
from evoply.studies.verdicts import Claim, Figure, mean_of, ratio_of

FEATURE = "pieces"
CHANGE = 0.4
"""The change of the weight of feature 5 and of its time weight."""
_DEPTH = 2
_OTHER = "material:depth=3"
STARTS = {"near": 0.1, "far": 1.0}
"""The bounds of random first weights, which are drawn between minus and plus the bound."""


def manual_change(request: Request, size: Size) -> Result:
    """Return the later course of a weight changed by hand, and the strength of the player."""
    games = 10 * size.stage

    def job(run: int, stop: Event) -> tuple[LearningCurve, LearningCurve, LearningCurve]:
        usual = {"games_per_step": games // 20, "time_weights.after": games // 2}
        usual["curriculum.games"] = size.stage
        config = settings(request, run, **usual, games=games)
        base = trained(config, stop)
        longer = settings(request, run, **usual, games=2 * games)
        changed = edited(config, base.last, FEATURE, weight=CHANGE, time_weight=CHANGE)
        # Both continue with the same games; the unchanged one simply goes on.
        return base, trained(longer, stop, first=changed), trained(longer, stop, first=base.last)

    runs = range(size.runs)
    trained_runs = side_by_side(request, [partial(job, run) for run in runs])
    index = trained_runs[0][0].place_of(FEATURE)
    left = [
        float(changed.weights[-1, index] - plain.weights[-1, index]) / CHANGE
        for _, changed, plain in trained_runs
    ]
    times_left = [
        float(changed.time_weights[-1, index] - plain.time_weights[-1, index]) / CHANGE
        for _, changed, plain in trained_runs
    ]
    adopted = Claim("adopted: above 0.5", low=0.5)
    radical = Claim("made more radical: above 1", low=1.0)
    rows = [
        row("change left in the weight, as a share", mean_of(left), adopted),
        row("change left in the weight, beside the second claim", mean_of(left), radical),
        row("change left in the time weight, as a share", mean_of(times_left), adopted),
        row(
            "change left in the time weight, beside the second claim", mean_of(times_left), radical
        ),
        *_match_rows(request, size, [(changed, plain) for _, changed, plain in trained_runs]),
    ]
    _, changed, plain = trained_runs[0]
    note = f"{FEATURE}: both weights {CHANGE:+g}; the paper: the change stays and grows"
    return result(
        request, "X6", "A weight changed by hand", rows,
        [*curve_charts(changed, "changed", note), *curve_charts(plain, "unchanged", note)],
        notes=(
            f"Means over {len(runs)} runs of {games:,} games, the change, and {games:,} more; "
            "beside it the same training without the change. The curves are those of the first "
            "run, from the change on.",
            f"Matches {_DEPTH} plies ahead, {size.changed_games} games for each run.",
        ),
    )  # fmt: skip


def _match_rows(
    request: Request, size: Size, pairs: list[tuple[LearningCurve, LearningCurve]]
) -> list[Row]:
    def points(curve: LearningCurve, other: object, number: int) -> float:
        """Return the score of the player of *curve* against *other*, in percent."""
        played = match(
            curve.player(_DEPTH), other, game=request.game or BOARDS[0], games=size.changed_games,
            seed=request.seed + number, threads=request.threads,
        )  # fmt: skip
        return 100 * played.score

    direct, gains = [], []
    for number, (changed, plain) in enumerate(pairs):
        direct.append(points(changed, plain.player(_DEPTH), number))
        gains.append(points(changed, _OTHER, number) - points(plain, _OTHER, number))
    return [
        row(
            "points of the changed against the unchanged, in percent",
            mean_of(direct, within=(0, 100)),
            Figure(50.0, None),
            reference=None,
        ),
        row(f"points against {_OTHER}: changed minus unchanged", mean_of(gains),
            Claim("equally strong: -5 to 5", low=-5.0, high=5.0)),
    ]  # fmt: skip


def convergence(request: Request, size: Size) -> Result:
    """Return whether training that begins with other weights ends with the same ones."""
    stage = size.stage

    def job(start: str, run: int, stop: Event) -> LearningCurve:
        config = settings(
            request, run, games=20 * stage, games_per_step=stage // 2, initial=STARTS[start],
            **{"curriculum.games": stage, "time_weights.degree": 0},
        )  # fmt: skip
        return trained(config, stop)

    curves = runs_of(request, size, STARTS, job)
    rows: list[Row] = []
    for start, most in STARTS.items():
        rows += _spread_rows(f"first weights up to {most:g}", curves[start])
    rows += _size_rows(curves["near"])
    charts = [
        chart
        for start, most in STARTS.items()
        for run in (0, 1)
        for chart in curve_charts(
            curves[start][run],
            f"first weights up to {most:g}, run {run + 1}",
            "the paper asks whether weights converge to the same values",
        )
    ]
    return result(
        request, "X7", "Convergence from different starts", rows, charts,
        notes=(
            f"Each of {size.runs} runs has first weights and games of its own, and is compared "
            "with the mean of the others. Means over them; they are not quite independent.",
        ),
    )  # fmt: skip


def _spread_rows(name: str, curves: list[LearningCurve]) -> list[Row]:
    """Return rows on the distance of each run from the others, at the end and the beginning."""
    ends, starts = [curve.weights[-1] for curve in curves], [curve.weights[0] for curve in curves]

    def rest(values: list[np.ndarray], left_out: int) -> np.ndarray:
        kept = [value for number, value in enumerate(values) if number != left_out]
        return np.asarray(np.mean(kept, axis=0))

    numbers = range(len(curves))
    return [
        row(
            f"{name}: distance to others, end / begin",
            ratio_of(
                [
                    ratio(distance(ends[n], rest(ends, n)), distance(starts[n], rest(starts, n)))
                    for n in numbers
                ]
            ),
            Claim("converges: below 1", high=1.0),
        ),
        row(
            f"{name}: correlation with others",
            mean_of([correlation(ends[n], rest(ends, n)) for n in numbers], within=(-1, 1)),
            ALIKE,
        ),
    ]


def _size_rows(curves: list[LearningCurve]) -> list[Row]:
    """Return rows on sizes of weights, which depend on the paper's unknown scale of features."""
    index, corners = curves[0].place_of("anchored"), curves[0].place_of("corners")
    others = [n for n in range(curves[0].weights.shape[1]) if n != index]
    ends = [curve.weights[-1] for curve in curves]
    inside = [float(np.mean(np.abs(end[others]) <= 0.2)) for end in ends]
    above = [float(end[index]) - float(np.abs(end[others]).max()) for end in ends]
    scale = "the paper does not say what its features are divided by"
    return [
        row("weight of feature 8", mean_of([float(end[index]) for end in ends]), (0.7, 1.0),
            otherwise=scale),
        row("feature 8 minus the largest of the others", mean_of(above),
            Claim("dominates: above 0", low=0.0)),
        row("share of the others within -0.2 and 0.2", mean_of(inside, within=(0, 1)),
            Claim("almost all: above 0.8", low=0.8), otherwise=scale),
        row("feature 1, corners: size / that of feature 8",
            ratio_of([ratio(float(abs(end[corners])), float(abs(end[index]))) for end in ends]),
            Claim("erased: below 0.2", high=0.2), otherwise=scale),
    ]  # fmt: skip
