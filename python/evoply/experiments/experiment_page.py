"""The HTML page of an experiment, and its summary for a notebook: values, curves, differences."""

import shlex
from collections.abc import Sequence

from evoply.experiments.design import Experiment
from evoply.experiments.findings import Findings
from evoply.experiments.grid_effects import GridEffect
from evoply.experiments.setup_statistics import SetupDifference, Spread
from evoply.games import game_rules
from evoply.look import table_html
from evoply.reports.charts import Chart, interval_chart, line_chart
from evoply.reports.pages import page
from evoply.reports.series import Series

_MOST_CURVES = 8
"""Most setups with curves: of more, only the best are drawn."""
_MOST_PAIRS = 12
"""Pairs in view, those that differ most surely; a folded table has all if there are more."""
_MOST_CONFIGS = 20
_PAIR_COLUMNS = (
    ("first", "code"), ("second", "code"), ("A", ""), ("shift", "strong"), ("95 % interval", ""),
    ("p, permutation", ""), ("p, Brunner and Munzel", ""), ("p, all pairs", ""), ("", ""),
    ("seeds wanted", ""),
)  # fmt: skip
_LONG_NAME = 30
_TITLES = {"generations": "step", "games": "games", "work": "work", "seconds": "seconds"}


def comparison_html(comparison: Findings) -> str:
    """Return the page about *comparison* as text."""
    experiment = comparison.experiment
    spreads = comparison.spreads
    pairs = sorted(comparison.differences, key=lambda pair: (pair.p, -abs(pair.shift)))
    effects = comparison.effects
    overshoots = comparison.overshoots
    facts = {
        "setups": f"{len(spreads):,}",
        "runs": f"{comparison.runs:,} of {len(comparison.setups) * experiment.seeds:,}",
        "seeds": _seeds(experiment),
        "games a measure": f"{experiment.games:,}",
    }
    if experiment.budget.is_set:
        kind = experiment.budget.kind
        facts["budget a run"] = f"{getattr(experiment.budget, kind):,} {kind}"
    if comparison.spreads:
        facts["look"] = str(comparison.look)
    if experiment.budget.seconds is not None:
        facts["reproducible"] = "no: the budget is in seconds"
    return page(
        "comparison.html",
        title=f"{comparison.name}: {game_rules(comparison.game).title}",
        comparison=comparison,
        facts=facts,
        charts=comparison_charts(comparison),
        values=[_value_cells(name, spreads[name]) for name in comparison.best],
        pairs=[_pair_cells(pair) for pair in pairs],
        shown=_MOST_PAIRS,
        pair_columns=_PAIR_COLUMNS,
        effects=[_effect_cells(effect) for effect in effects],
        levels=[_level_cells(effect) for effect in effects if effect.means],
        beyond=[(one.setup, _percent(one.mean), _percent(one.most)) for one in overshoots],
        runs=[
            (result.setup, str(result.seed), f"{result.value:.4f}", result.digest[:16])
            for result in comparison.results
        ],
        again=f"evoply experiment {shlex.quote(str(comparison.path))} --name again",
        experiment_text=(comparison.path / "experiment.toml").read_text(encoding="utf-8"),
        configs=[
            (name, (comparison.path / "setups" / f"{number}.toml").read_text(encoding="utf-8"))
            for number, name in enumerate(comparison.setups[:_MOST_CONFIGS], 1)
        ],
    )


def comparison_charts(comparison: Findings) -> list[Chart]:
    """Return the values and the curves as charts; none without results."""
    return [_values(comparison), *_curves(comparison)] if comparison.spreads else []


def comparison_summary(comparison: Findings) -> str:
    """Return values and the curve against games, or steps, as a notebook shows them."""
    rows = [_value_cells(name, comparison.spreads[name]) for name in comparison.best]
    head = ("setup", "median", "quartiles", "mean, 95 % interval", "seeds")
    table = table_html(
        f"Comparison {comparison.name}", rows, head, [*comparison.warnings, comparison.verdict]
    )
    axis = "games" if "games" in _axes(comparison) else "generations"
    charts = [_curve_chart(comparison, comparison.best[:_MOST_CURVES], axis)] if rows else []
    return table + "".join(chart._repr_html_() for chart in charts)


def _seeds(experiment: Experiment) -> str:
    first, last = experiment.first_seed, experiment.first_seed + experiment.seeds - 1
    return f"{first} to {last}" if last > first else f"{first}"


def _value_cells(name: str, spread: Spread) -> tuple[str, ...]:
    low, high = spread.quartiles
    around = "" if spread.interval is None else f" ({_span(spread.interval)})"
    return (
        name,
        f"{spread.median:.3f}",
        f"{low:.3f} to {high:.3f}",
        f"{spread.mean:.3f}{around}",
        str(len(spread.values)),
    )


def _pair_cells(pair: SetupDifference) -> tuple[str, ...]:
    return (
        pair.first,
        pair.second,
        f"{pair.effect:.2f}",
        f"{pair.shift:+.3f}",
        _span(pair.interval, signed=True),
        f"{pair.permutation_p:.3g}",
        f"{pair.brunner_munzel_p:.3g}",
        f"{pair.p:.3g}",
        _answer(pair),
        "-" if pair.seeds_wanted is None else f"{pair.seeds_wanted:,}",
    )


def _answer(pair: SetupDifference) -> str:
    differ = "differ" if pair.is_certain else "not certain"
    if pair.same is None:
        return differ
    same = f"the same within {pair.same.margin:g}, p = {pair.same.p:.3g}"
    return f"{differ}; {same if pair.is_same else f'not for certain {same}'}"


def _effect_cells(effect: GridEffect) -> tuple[str, ...]:
    first, second = effect.freedom
    return (
        effect.name,
        f"{effect.statistic:.2f}",
        f"{first:.1f}, {second:.1f}",
        f"{effect.plain_p:.3g}",
        f"{effect.p:.3g}",
        "matters" if effect.is_certain else "not certain",
    )


def _level_cells(effect: GridEffect) -> tuple[str, str]:
    return effect.name, "; ".join(f"{text}: {mean:.3f}" for text, mean in effect.means.items())


def _percent(share: float) -> str:
    return f"{100 * share:+.1f} %"


def _span(interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    if interval is None:
        return "too few seeds"
    low, high = interval
    return f"{low:+.3f} to {high:+.3f}" if signed else f"{low:.3f} to {high:.3f}"


def _values(comparison: Findings) -> Chart:
    spreads = [comparison.spreads[name] for name in comparison.best]
    mean = Series(
        "mean", [spread.mean for spread in spreads], [spread.interval for spread in spreads]
    )
    return interval_chart(
        "Strength at the end",
        _short(comparison.best),
        [mean],
        "points per game",
        note="mean over seeds, with 95 % intervals",
    )


def _short(names: Sequence[str]) -> list[str]:
    """Return *names* for a chart: if some are long, without the keys that all share.

    >>> _short(["primitives=liao selection.size=2", "primitives=liao selection.size=3"])
    ['liao, 2', 'liao, 3']
    """
    parts = [[part.partition("=") for part in name.split()] for name in names]
    keys = {tuple(key for key, _, _ in part) for part in parts}
    are_keys = all(equals for part in parts for _, equals, _ in part)
    if len(keys) > 1 or not are_keys or max(map(len, names)) <= _LONG_NAME:
        return [*names]
    return [", ".join(value for _, _, value in part) for part in parts]


def _curves(comparison: Findings) -> list[Chart]:
    if comparison.experiment.points == 0:
        return []
    names = comparison.best[:_MOST_CURVES]
    return [_curve_chart(comparison, names, axis) for axis in _axes(comparison)]


def _axes(comparison: Findings) -> list[str]:
    """Return the axes of curves: games and work only if every run counts them."""
    return [
        axis
        for axis in _TITLES
        if axis not in ("games", "work")
        or all(getattr(result.curve[-1], axis) for result in comparison.results)
    ]


def _curve_chart(comparison: Findings, names: list[str], axis: str) -> Chart:
    curves = {name: comparison.curve(name, axis) for name in names}
    x = sorted({value for curve in curves.values() for value in curve.x})
    series = []
    for name, curve in zip(_short(names), curves.values(), strict=True):
        at = {value: index for index, value in enumerate(curve.x)}
        places = [at.get(value) for value in x]
        series.append(
            Series(
                name,
                [None if index is None else curve.median[index] for index in places],
                [
                    None if index is None else (curve.low[index], curve.high[index])
                    for index in places
                ],
            )
        )
    return line_chart(
        f"Against {axis}",
        x,
        series,
        "points per game",
        x_title=_TITLES[axis],
        note=f"median over seeds, and quartiles{_of_how_many(comparison, names)}",
        joins_gaps=True,
        has_bands=True,
    )


def _of_how_many(comparison: Findings, names: list[str]) -> str:
    every = len(comparison.best)
    return f"; the best {len(names)} of {every}" if len(names) < every else ""
