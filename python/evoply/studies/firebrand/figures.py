"""FIREBRAND's figures: the course of weights in training of different kinds.

1 and 3 to 5 are about stages of the game and time weights, 2 about learning rates, with shrinking
ones, which the paper only proposes, 6 and 7 about the depth of training, and about one colour.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from threading import Event

import numpy as np

from evoply.arena import rank_correlation
from evoply.learning import Learning, stages
from evoply.reports.charts import Chart, Series, interval_chart, line_chart
from evoply.studies.firebrand.training import (
    Array,
    LearningCurve,
    begun_anew,
    common_end,
    correlation,
    curve_charts,
    distance,
    fluctuation,
    learned,
    of_stages,
    quarter,
    ratio,
    settings,
    settling,
    trained,
    way_left,
)
from evoply.studies.study import Reproduction, Result, Row, paper, row, series
from evoply.studies.verdicts import Figure, mean_of, ratio_of, share_of_games

_FEATURE_8 = "anchored"
_PIECES = "pieces"


def _contrast(request: Reproduction) -> list[tuple[LearningCurve, LearningCurve]]:
    """Return training with time weights from the middle on, and the same training without.

    Both have the same first half: all stages, then as many whole games.
    """
    half = 10 * request.size("stage")
    usual = {
        "games": 2 * half,
        "games_per_step": max(1, half // 50),
        "curriculum.games": request.size("stage"),
    }
    setups = {
        "timed": usual | {"time_weights.after": half},
        "untimed": usual | {"time_weights.degree": 0},
    }
    return list(zip(*learned(request, setups).values(), strict=True))


def figure_1(request: Reproduction) -> Result:
    """Return the growth of time weights, and their effect on the ordinary weights."""
    pairs = _contrast(request)
    timed = [curve for curve, _ in pairs]
    feature_8, pieces = timed[0].place_of(_FEATURE_8), timed[0].place_of(_PIECES)
    ends = [curve.time_weights[-1] for curve in timed]

    def size(curve: LearningCurve) -> float:
        return float(np.abs(np.delete(curve.weights[-1], feature_8)).mean())

    rows = request.rows(
        {
            "time weight of feature 8 at the end, minus 1": mean_of(
                [end[feature_8] - 1 for end in ends]
            ),
            "its place among the time weights, 1 being the largest": mean_of(
                [float(np.sum(end >= end[feature_8])) for end in ends]
            ),
            "size of the other weights, with time weights / without": ratio_of(
                [ratio(size(curve), size(other)) for curve, other in pairs]
            ),
            "fluctuation in the last quarter, with / without": ratio_of(
                [ratio(_swing(curve), _swing(other)) for curve, other in pairs]
            ),
            "weight of feature 5, pieces": mean_of(
                [float(curve.weights[-1][pieces]) for curve in timed]
            ),
            "time weight of feature 5, minus 1": mean_of([float(end[pieces]) - 1 for end in ends]),
        }
    )
    note = "the paper: the growing time weight is that of feature 8, here anchored"
    return request.result(rows, curve_charts(timed[0], "with time weights", note))


def figure_5(request: Reproduction) -> Result:
    """Return the way of the weights after the middle, with and without time weights."""
    pairs = _contrast(request)
    half = pairs[0][0].games[-1] / 2
    before = [distance(curve.at(half), curve.at(0)) for curve, _ in pairs]
    with_times = [distance(curve.weights[-1], curve.at(half)) for curve, _ in pairs]
    times = [distance(curve.time_weights[-1], curve.times_at(half)) for curve, _ in pairs]
    without = [distance(other.weights[-1], other.at(half)) for _, other in pairs]
    ways = {
        "without time weights: way of second half / of first": (without, before),
        "with time weights: way of second half / of first": (with_times, before),
        "second half: way of time weights / of weights": (times, with_times),
    }
    rows = request.rows({name: ratio_of(list(map(ratio, *both))) for name, both in ways.items()})
    first, plain = pairs[0]
    note = "the paper: after the middle only the time weights move"
    charts = curve_charts(plain, "no time weights", note)
    return request.result(rows, charts + curve_charts(first, "with time weights", note))


def figure_3(request: Reproduction) -> Result:
    """Return the movement of weights after changes of the number of empty squares."""
    games = request.size("stage")
    curves = learned(request, {"stages": of_stages(request, 5)})["stages"]
    half = games / 2

    def move(curve: LearningCurve, number: int) -> float:
        """Return the way after the change that ends stage *number*, as a part of that before."""
        change = number * games
        return ratio(
            distance(curve.at(change + half), curve.at(change)),
            distance(curve.at(change), curve.at(change - half)),
        )

    moves = [
        float(np.exp(np.mean([np.log(move(curve, number)) for number in range(1, 5)])))
        for curve in curves
    ]
    settled = [
        ratio(distance(curve.at(games), curve.at(half)), distance(curve.at(half), curve.at(0)))
        for curve in curves
    ]
    between = [correlation(curve.at(games), curve.at(5 * games)) for curve in curves]
    rows = request.rows(
        {
            "way in the half stage after a change / before it": ratio_of(moves),
            "first stage: way of its second half / of its first": ratio_of(settled),
            "correlation of weights, after first and last stage": mean_of(between, within=(-1, 1)),
        }
    )
    note = f"{_stage_text(curves[0])}, {games} games each; the paper: weights turn at each change"
    return request.result(rows, curve_charts(curves[0], "stages", note))


def _stage_text(curve: LearningCurve) -> str:
    blanks = [str(stage.blanks[0]) for stage in stages(curve.config.curriculum, curve.config.game)]
    return f"{', '.join(blanks)} empty squares"


def figure_4(request: Reproduction) -> Result:
    """Return feature 8's weight stage by stage, in the order after the paper's crash."""
    games = request.size("stage")

    def train(_: str, run: int, stop: Event) -> tuple[LearningCurve, LearningCurve]:
        before = trained(settings(request, run, of_stages(request, 2)), stop)
        config = settings(request, run, of_stages(request, 5))
        return before, trained(config, stop, first=begun_anew(before.last))

    runs = request.over_seeds_at_once(["crash"], request.size("runs"), train)["crash"]
    index = runs[0][0].place_of(_FEATURE_8)
    early = [before.at(games) for before, _ in runs]
    late = [after.weights[-1] for _, after in runs]

    def share(weights: Array) -> float:
        return float(abs(weights[index]) / np.abs(weights).sum())

    pairs = list(zip(early, late, strict=True))
    again = [float(after.at(games)[index] - before.weights[-1, index]) for before, after in runs]
    rows = request.rows(
        {
            "weight after the fewest empty squares": mean_of([float(w[index]) for w in early]),
            "weight after the most empty squares": mean_of([float(w[index]) for w in late]),
            "the second minus the first": mean_of([float(b[index] - a[index]) for a, b in pairs]),
            "share of all weights: the second minus the first": mean_of(
                [share(b) - share(a) for a, b in pairs]
            ),
            # Without this row, a weight that grows with the games would seem to matter early.
            "change when the fewest empty squares come again": mean_of(again),
        }
    )
    before, after = runs[0]
    x = [*before.games, *(after.games[1:] + 2 * games)]
    y = [*before.weights[:, index], *after.weights[1:, index]]
    chart = line_chart(
        "Feature 8 by stage", x, [Series(_FEATURE_8, y)], "weight", x_title="games",
        note=f"the first two stages, then all of {_stage_text(after)}; "
        "the paper: little at first, much at the end",
    )  # fmt: skip
    return request.result(rows, [chart])


RATES = tuple(paper("firebrand")["tables"]["2"]["rates"])
BEYOND = {"0.1, decaying": "decay", "0.1, adaptive": "adaptive"}
"""Large rates that shrink: with the number of games, or for each weight with its own steps."""
_HALVED = 10
"""A decaying rate is half as large after a tenth of the games."""
_FEWEST_STEPS = 3
"""The fewest steps of a run that failed, for a picture."""
_LARGE = 0.1
_SETTLING = RATES[: RATES.index(_LARGE) + 1]
"""Up to the largest rate that the paper does not call too large to settle."""
_EARLY = 0.1
"""The share of the games after which runs are compared: 300 games at the largest scale."""


def figure_2(request: Reproduction) -> Result:
    """Return the way to rest and the fluctuation at rest by learning rate."""
    games = request.size("games")
    usual = {
        "games": games,
        "games_per_step": max(1, games // 60),
        "curriculum.order": "none",
        "time_weights.degree": 0,
    }
    shrinks = {"rates.weights": _LARGE, "rates.half": max(1, games // _HALVED)}
    setups = {
        **{f"{rate:g}": usual | {"rates.weights": rate} for rate in RATES},
        **{name: usual | shrinks | {"rates.schedule": how} for name, how in BEYOND.items()},
    }
    by_name = learned(request, setups)
    rows = _claim_rows(request, by_name)
    rows += [entry for name, runs in by_name.items() for entry in _rate_rows(name, runs)]
    charts = _summary(by_name)
    for name, runs in by_name.items():
        if len(runs[0].steps) >= _FEWEST_STEPS:
            charts += curve_charts(runs[0], f"rate {name}", _paper_note(name))
    return request.result(rows, charts, early=_EARLY, large=_LARGE)


def _paper_note(name: str) -> str:
    if name in BEYOND:
        return "the paper proposes a rate that decreases, and did not try it"
    if float(name) <= RATES[0]:
        return "the paper: a small rate never fluctuates and needs many games"
    if float(name) >= RATES[-2]:
        return "the paper: too large a rate fluctuates all the time"
    return "the paper: larger rates converge faster and fluctuate in the end"


def _swing(curve: LearningCurve, number: int = 4) -> float:
    return fluctuation(*quarter(curve, number))


def _is_restless(curve: LearningCurve) -> bool:
    """Return whether a run failed, or fluctuates at the end at least half as much as before."""
    return curve.failed or _swing(curve) >= _swing(curve, 2) / 2


def _rate_rows(name: str, runs: list[LearningCurve]) -> list[Row]:
    sound = [run for run in runs if not run.failed]
    lost = len(runs) - len(sound)
    reason = f"a weight left the numbers in {lost} of {len(runs)} runs" if lost else ""
    swings, ways = None, None
    if sound:
        swings = ratio_of([_swing(run) for run in sound])
        ways = mean_of([settling(run) for run in sound], within=(0, 1))
    return [
        row(f"rate {name}: fluctuation", swings, reason=reason),
        row(f"rate {name}: way to rest", ways, reason=reason),
    ]


def _claim_rows(request: Reproduction, by_name: dict[str, list[LearningCurve]]) -> list[Row]:
    runs = list(zip(*(by_name[f"{rate:g}"] for rate in RATES), strict=True))
    # A failed run counts as fluctuating more than all others and never coming to rest.
    swings = [[_swing(c) if not c.failed else float("inf") for c in run] for run in runs]
    settled = [run[: len(_SETTLING)] for run in runs]
    left = [_ways_left(run) for run in settled]
    rests = [list(map(_way_to_rest, run)) for run in settled]
    largest = by_name[f"{RATES[-1]:g}"]
    of_rates = f"rank correlation of rate, up to {_LARGE:g}, and"
    rows = request.rows(
        {
            "rank correlation of rate and fluctuation": _rank_figure(RATES, swings),
            f"{of_rates} way left": _rank_figure(_SETTLING, left),
            f"{of_rates} way to rest": _rank_figure(_SETTLING, rests),
            **{
                f"rate {rate:g}: way left": mean_of([ways[number] for ways in left])
                for number, rate in enumerate(_SETTLING)
            },
            "rate 1: share of runs that do not settle": share_of_games(
                sum(map(_is_restless, largest)), len(largest), counted="runs"
            ),
        }
    )
    for name in BEYOND:
        large = zip(by_name[name], by_name[f"{_LARGE:g}"], strict=True)
        small = zip(by_name[name], by_name["0.01"], strict=True)
        figures = {
            f"fluctuation / that of rate {_LARGE:g}": _safe_ratio(
                [(c, _swing(c), _swing(other)) for c, other in large]
            ),
            "way to rest minus that of rate 0.01": mean_of(
                [settling(c) - settling(other) for c, other in small]
            ),
        }
        rows += request.rows(figures, f"rate {name}: ")
    return rows


def _way_to_rest(curve: LearningCurve) -> float:
    return 1.0 if curve.failed else settling(curve)


def _ways_left(curves: Sequence[LearningCurve]) -> list[float]:
    """Return the way left early in each of the runs with one seed; 1 for one that failed."""
    sound = [curve for curve in curves if not curve.failed]
    if not sound:
        return [1.0] * len(curves)
    end = common_end(sound)
    return [1.0 if curve.failed else way_left(curve, end, _EARLY) for curve in curves]


def _rank_figure(x: Sequence[float], runs: Sequence[Sequence[float]]) -> Figure | None:
    """Return the mean rank correlation over the runs with any variation."""
    values = [rank_correlation(x, run).rho for run in runs]
    varied = [value for value in values if math.isfinite(value)]
    return mean_of(varied, within=(-1, 1)) if varied else None


def _safe_ratio(values: list[tuple[LearningCurve, float, float]]) -> Figure | None:
    """Return the mean ratio over the runs that did not fail, if at least two did not."""
    sound = [ratio(part, whole) for curve, part, whole in values if not curve.failed]
    return ratio_of(sound) if len(sound) > 1 else None


def _summary(by_name: dict[str, list[LearningCurve]]) -> list[Chart]:
    """Return fluctuation and way to rest of all rates that settle in some run."""
    sound = {
        name: [run for run in runs if not run.failed]
        for name, runs in by_name.items()
        if name in BEYOND or float(name) in _SETTLING
    }
    settled = {name: runs for name, runs in sound.items() if runs}
    swings = [ratio_of([_swing(run) for run in runs]) for runs in settled.values()]
    ways = [mean_of([settling(run) for run in runs], within=(0, 1)) for runs in settled.values()]
    names = [f"rate {name}" for name in settled]
    return [
        interval_chart(title, names, [series(title, figures)], across, note=note)
        for title, figures, across, note in (
            ("Fluctuation", swings, "weight", "the paper: grows with the rate"),
            ("Way to rest", ways, "share of the games", "the paper: shrinks with the rate"),
        )
    ]


def figure_6(request: Reproduction) -> Result:
    """Return the similarity of weights from training at depths 2, 4 and 8."""
    depths = request.sizes("depths")
    # The deepest search has time for two stages only. Long jobs come first, so that no core waits
    # for them at the end.
    setups = {
        depth: of_stages(request, 2 if depth == max(depths) else 5, depth=depth)
        | {"time_weights.degree": 1, "time_weights.after": request.size("stage")}
        for depth in reversed(depths)
    }
    curves = learned(request, setups)
    rows: list[Row] = []
    for shallow, deep in combinations(depths, 2):
        pairs = list(zip(curves[shallow], curves[deep], strict=True))
        rows += request.rows(_alike(pairs), f"depths {shallow} and {deep}: ")
    note = "the paper: weights look alike; time weights have the same form and another size"
    charts = [
        chart
        for depth in depths
        for chart in curve_charts(curves[depth][0], f"depth {depth}", note)
    ]
    return request.result(rows, charts)


def _alike(pairs: list[tuple[LearningCurve, LearningCurve]]) -> Mapping[str, Figure]:
    """Return how alike the weights of pairs of runs are after as many games."""
    end = min(pairs[0][0].games[-1], pairs[0][1].games[-1])
    weights = [(first.at(end), second.at(end)) for first, second in pairs]
    times = [(first.times_at(end) - 1, second.times_at(end) - 1) for first, second in pairs]
    sizes = [
        abs(np.log(_size_ratio(*time))) - abs(np.log(_size_ratio(*weight)))
        for time, weight in zip(times, weights, strict=True)
    ]
    return {
        "correlation of the weights": mean_of(
            [correlation(*weight) for weight in weights], within=(-1, 1)
        ),
        "correlation of the time weights": mean_of(
            [correlation(*time) for time in times], within=(-1, 1)
        ),
        "change of size, time weights - weights": mean_of([float(size) for size in sizes]),
    }


def _size_ratio(first: Array, second: Array) -> float:
    return ratio(float(np.linalg.norm(second)), float(np.linalg.norm(first)))


def figure_7(request: Reproduction) -> Result:
    """Return whether training with one colour only makes other weights."""
    learns = {
        "alternating": "alternate",
        "alternating again": "alternate",
        "Black only": "black",
        "White only": "white",
    }
    names, count = list(learns), request.size("runs")

    def train(name: str, run: int, stop: Event) -> LearningCurve:
        # All four begin with the first weights of the same run and play different games.
        first = Learning().first(settings(request, run, {}))
        games_of = run + (names.index(name) + 1) * count
        changes = of_stages(request, 10, learns=learns[name])
        return trained(settings(request, games_of, changes), stop, first=first)

    curves = request.over_seeds_at_once(names, count, train)
    ends = [[curve.weights[-1] for curve in curves[name]] for name in names]
    black_to_white = map(distance, ends[2], ends[3])
    by_chance = map(distance, ends[0], ends[1])
    rows = request.rows(
        {
            "distance Black to White only / between alternating ones": ratio_of(
                list(map(ratio, black_to_white, by_chance))
            )
        }
    )
    for i, j in ((0, 1), (0, 2), (0, 3), (2, 3)):
        alike = mean_of(list(map(correlation, ends[i], ends[j])), within=(-1, 1))
        rows.append(request.row(f"correlation: {names[i]}, {names[j]}", alike, "correlation"))
    note = "the paper: all four converge to the same values"
    charts = [chart for name in names for chart in curve_charts(curves[name][0], name, note)]
    return request.result(rows, charts)
