"""Figure 2: learning rates, and shrinking rates, which the paper only proposes."""

import math
from collections.abc import Sequence
from threading import Event

from evoply.arena import rank_correlation
from evoply.reports.charts import Chart, interval_chart
from evoply.studies.firebrand.training import (
    LearningCurve,
    Size,
    common_end,
    curve_charts,
    fluctuation,
    quarter,
    ratio,
    result,
    runs_of,
    settings,
    settling,
    trained,
    way_left,
)
from evoply.studies.study import Request, Result, Row, row, series
from evoply.studies.verdicts import Claim, Figure, mean_of, ratio_of, share_of_games

RATES = (0.001, 0.01, 0.05, 0.08, 0.1, 0.5, 1.0)
"""The paper's learning rates, which it calls six."""
BEYOND = {"0.1, decaying": "decay", "0.1, adaptive": "adaptive"}
"""Large rates that shrink: with the number of games, or for each weight with its own steps."""
_HALVED = 10
"""A decaying rate is half as large after a tenth of the games."""
_FEWEST_STEPS = 3
"""The fewest steps of a run that failed, for a picture."""
_LARGE = 0.1
_SETTLING = RATES[: RATES.index(_LARGE) + 1]
"""The largest rate that the paper does not call too large to settle."""
_EARLY = 0.1
"""The share of the games after which runs are compared: 300 games at the largest scale."""


def figure_2(request: Request, size: Size) -> Result:
    """Return the way to rest and the fluctuation at rest by learning rate."""
    games = size.rate_games
    variants: dict[str, dict[str, object]] = {
        **{f"{rate:g}": {"rates.weights": rate} for rate in RATES},
        **{
            name: {
                "rates.weights": _LARGE, "rates.schedule": schedule,
                "rates.half": max(1, games // _HALVED),
            }
            for name, schedule in BEYOND.items()
        },
    }  # fmt: skip

    def job(name: str, run: int, stop: Event) -> LearningCurve:
        config = settings(
            request, run, games=games, games_per_step=max(1, games // 60),
            **{"curriculum.order": "none", "time_weights.degree": 0, **variants[name]},
        )  # fmt: skip
        return trained(config, stop)

    by_name = runs_of(request, size, variants, job)
    rows = [entry for name, runs in by_name.items() for entry in _rate_rows(name, runs)]
    charts = _summary(by_name)
    for name, runs in by_name.items():
        if len(runs[0].steps) >= _FEWEST_STEPS:
            charts += curve_charts(runs[0], f"rate {name}", _paper_note(name))
    return result(
        request, "2", "Figure 2: different learning rates",
        [*_claim_rows(by_name), *rows], charts,
        notes=(
            f"Means over {size.runs} runs of {games:,} whole games with the same first "
            "weights for all rates. The curves are those of the first run.",
            "Fluctuation: root mean square around straight lines through the last quarter. "
            "Way to rest: share of the games after which four fifths of the way from the first "
            "weights to the mean of the run's own last quarter was gone.",
            f"Way left: the distance, after {_EARLY:.0%} of the games, to the mean of the last "
            f"quarters of all rates up to {_LARGE:g}, divided by that of the first weights. This "
            "measure was added when the way to rest, which asks each run about its own end, could "
            "not tell a run that is slow from one that goes further.",
        ),
    )  # fmt: skip


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


def _claim_rows(by_name: dict[str, list[LearningCurve]]) -> list[Row]:
    constant = [by_name[f"{rate:g}"] for rate in RATES]
    runs = list(zip(*constant, strict=True))
    # A failed run counts as fluctuating more than all others and never coming to rest.
    swings = [[_swing(c) if not c.failed else float("inf") for c in run] for run in runs]
    settled = [run[: len(_SETTLING)] for run in runs]
    left = [_ways_left(run) for run in settled]
    largest = by_name[f"{RATES[-1]:g}"]
    rows = [
        row(
            "rank correlation of rate and fluctuation",
            _rank_figure(RATES, swings),
            Claim("larger ones fluctuate more: above 0", low=0.0),
        ),
        row(
            f"rank correlation of rate, up to {_LARGE:g}, and way left",
            _rank_figure(_SETTLING, left),
            Claim("larger ones converge faster: below 0", high=0.0),
        ),
        row(
            f"rank correlation of rate, up to {_LARGE:g}, and way to rest",
            _rank_figure(_SETTLING, [list(map(_way_to_rest, run)) for run in settled]),
        ),
        *(
            row(f"rate {rate:g}: way left", mean_of([ways[number] for ways in left]))
            for number, rate in enumerate(_SETTLING)
        ),
        row(
            "rate 1: share of runs that do not settle",
            share_of_games(sum(map(_is_restless, largest)), len(largest)),
            Claim("too large to settle: above 0.5", low=0.5),
        ),
    ]
    large, small = by_name[f"{_LARGE:g}"], by_name["0.01"]
    for name in BEYOND:
        tried = by_name[name]
        pairs = zip(tried, large, strict=True)
        rows.append(
            row(
                f"rate {name}: fluctuation / that of rate {_LARGE:g}",
                _safe_ratio([(c, _swing(c), _swing(other)) for c, other in pairs]),
                Claim("proposed: below 1", high=1.0),
            )
        )
        pairs = zip(tried, small, strict=True)
        rows.append(
            row(
                f"rate {name}: way to rest minus that of rate 0.01",
                mean_of([settling(c) - settling(other) for c, other in pairs]),
                Claim("proposed: faster, below 0", high=0.0),
            )
        )
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
        interval_chart(
            title, names,
            [series(title, figures)],
            across, note=note,
        )
        for title, figures, across, note in (
            ("Fluctuation", swings, "weight", "the paper: grows with the rate"),
            ("Way to rest", ways, "share of the games", "the paper: shrinks with the rate"),
        )
    ]  # fmt: skip
