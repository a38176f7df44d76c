"""An experiment as one HTML page: values, curves, and which setups differ."""

from __future__ import annotations

import os
from pathlib import Path

from evoply.experiments import Comparison
from evoply.experiments.comparison import AXES
from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports.charts import Chart, Series, interval_chart, line_chart
from evoply.reports.pages import page

__all__ = ["comparison_html", "write_comparison"]

_MOST_CURVES = 8
"""Setups whose curves can be told apart; of more the best are drawn."""
_MOST_PAIRS = 100
_TITLES = {"generations": "step", "games": "games", "work": "work", "seconds": "seconds"}


def write_comparison(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the page about *comparison* to *path*, whole or not at all, and return the path."""
    write_atomically(Path(path), comparison_html(comparison))
    return Path(path)


def comparison_html(comparison: Comparison) -> str:
    """Return the page about *comparison* as text."""
    experiment = comparison.experiment
    spreads = comparison.spreads
    pairs = sorted(comparison.differences, key=lambda one: one.p)
    facts = {
        "setups": f"{len(spreads):,}",
        "runs": f"{comparison.runs:,} of {len(comparison.setups) * experiment.seeds:,}",
        "seeds": f"{experiment.first_seed} to {experiment.first_seed + experiment.seeds - 1}",
        "games a measure": f"{experiment.games:,}",
    }
    if experiment.budget.is_set:
        kind = experiment.budget.kind
        facts["budget a run"] = f"{getattr(experiment.budget, kind):,} {kind}"
    if experiment.budget.seconds is not None:
        facts["reproducible"] = "no: the budget is in seconds"
    return page(
        "comparison.html",
        title=f"{comparison.name}: {game_rules(comparison.game).title}",
        comparison=comparison,
        facts=facts,
        charts=[_values(comparison), *_curves(comparison)],
        values=[
            (
                name,
                f"{spreads[name].median:.3f}",
                f"{spreads[name].quartiles[0]:.3f} to {spreads[name].quartiles[1]:.3f}",
                f"{spreads[name].mean:.3f}",
                _span(spreads[name].interval),
                str(len(spreads[name].values)),
            )
            for name in comparison.best
        ],
        pairs=[
            (
                one.first,
                one.second,
                f"{one.difference:+.3f}",
                _span(one.interval, signed=True),
                f"{one.effect:.2f}",
                f"{one.p:.3g}",
                "differ" if one.is_certain else "not certain",
                "-" if one.seeds_wanted is None else f"{one.seeds_wanted:,}",
            )
            for one in pairs[:_MOST_PAIRS]
        ],
        left_out=max(0, len(pairs) - _MOST_PAIRS),
        runs=[
            (one.setup, str(one.seed), f"{one.value:.4f}", one.digest[:16])
            for one in comparison.results
        ],
        experiment_text=(comparison.path / "experiment.toml").read_text(encoding="utf-8"),
    )


def _span(interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    if interval is None:
        return "too few seeds"
    low, high = interval
    return f"{low:+.3f} to {high:+.3f}" if signed else f"{low:.3f} to {high:.3f}"


def _values(comparison: Comparison) -> Chart:
    names = comparison.best
    spreads = [comparison.spreads[name] for name in names]
    mean = Series("mean", [one.mean for one in spreads], [one.interval for one in spreads])
    return interval_chart(
        "Strength at the end",
        names,
        [mean],
        "points per game",
        note="mean over seeds, with 95 % intervals",
    )


def _curves(comparison: Comparison) -> list[Chart]:
    names = comparison.best[:_MOST_CURVES]
    axes = [axis for axis in AXES if _has(comparison, axis)]
    if comparison.experiment.points == 0:
        return []
    return [_curve_chart(comparison, names, axis) for axis in axes]


def _has(comparison: Comparison, axis: str) -> bool:
    return axis != "work" or all(one.curve[-1].work for one in comparison.results)


def _curve_chart(comparison: Comparison, names: list[str], axis: str) -> Chart:
    curves = {name: comparison.curve(name, axis) for name in names}
    x = sorted({value for curve in curves.values() for value in curve.x})
    series = []
    for name, curve in curves.items():
        at = {value: place for place, value in enumerate(curve.x)}
        places = [at.get(value) for value in x]
        series.append(
            Series(
                name,
                [None if place is None else curve.median[place] for place in places],
                [
                    None if place is None else (curve.low[place], curve.high[place])
                    for place in places
                ],
            )
        )
    return line_chart(
        f"Against {axis}",
        x,
        series,
        "points per game",
        x_title=_TITLES[axis],
        note="median over seeds, bars from quartile to quartile",
        joins_gaps=True,
    )
