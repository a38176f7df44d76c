"""The result of an experiment, values, curves and differences of its setups, and its page."""

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from evoply.environment.files import write_atomically
from evoply.experiments.design import (
    LONGEST_NAME,
    Experiment,
    experiment_of,
    named_configs,
    setups_of,
)
from evoply.experiments.experiment_folder import (
    ExperimentFolder,
    digest_of,
    find_experiment,
    folder_for,
    plain_name,
)
from evoply.experiments.findings import AXES, TABLES, Findings, Table
from evoply.experiments.own_parts import GivenParts
from evoply.experiments.running import Status, run_experiment
from evoply.experiments.setup_statistics import (
    TWO_SEEDS,
    SetupDifference,
    compared,
    spread_of,
)
from evoply.games import game_rules
from evoply.protocols import ConfigError
from evoply.protocols.sections import (
    Column,
    Intervals,
    Page,
    Section,
    Shown,
    between,
    chosen,
    counted,
)
from evoply.reports.charts import Chart, Series, charts_of, line_chart
from evoply.runs import runs_directory
from evoply.runs.results import csv_text
from evoply.wording import did_you_mean, named_apart, shorten


class Comparison(Findings, Shown):
    """Setups over seeds, measured by opponents that none of them trained on."""

    __slots__ = ()

    def to_dataframe(self, table: Table = "values") -> Any:
        """Return `rows` as a `pandas.DataFrame`; without pandas as lists by the column's name."""
        rows = self.rows(table)
        columns = {name: [row.get(name) for row in rows] for name in self.columns(table)}
        try:
            import pandas
        except ImportError:
            return columns
        return pandas.DataFrame(columns)

    def save_csv(self, folder: str | os.PathLike[str]) -> Path:
        """Write each table as a CSV file into *folder*, and return the folder.

        Raises `OSError` if nothing can be written.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        for table in TABLES:
            write_atomically(
                Path(folder) / f"{table}.csv", csv_text(self.rows(table), self.columns(table))
            )
        return Path(folder)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page about it, whole or not at all, and return the path; `OSError` if not."""
        from evoply.reports import write_result

        return write_result(self, path)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.runs:,} runs, {self.experiment.measure}"]
        for name in self.best:
            spread = self.spreads[name]
            lines.append(f"{name}: median {spread.median:.3f}, n = {len(spread.values)}")
        return "\n".join([*lines, *self.warnings, self.verdict])

    def shown(self) -> Page:
        """Return all that its page shows."""
        return page_of(self)


def comparison_of(folder: ExperimentFolder) -> Comparison:
    """Return the result of the finished runs of *folder*."""
    results = folder.measured()
    values: dict[str, list[float]] = {setup.name: [] for setup in folder.setups}
    for result in sorted(results, key=lambda each: each.seed):
        values[result.setup].append(result.value)
    values = {name: row for name, row in values.items() if row}
    found = Comparison(
        name=folder.name,
        path=folder.path,
        game=folder.setups[0].config.game,
        experiment=folder.experiment,
        setups=tuple(setup.name for setup in folder.setups),
        results=tuple(results),
        spreads={name: spread_of(row) for name, row in values.items()},
        differences=(),
        digest=digest_of(results),
    )
    differences = compared(values, found.look, folder.experiment.same_within)
    return replace(found, differences=tuple(differences))


def load_comparison(source: str | os.PathLike[str]) -> Comparison:
    """Return the result of the finished runs of an experiment.

    *source* is its name in the folder of runs, or the path of its folder. Raises `RunError` if
    there is none or it is damaged.
    """
    return comparison_of(find_experiment(source))


def compare_experiment(
    experiment: Experiment | str | os.PathLike[str],
    *,
    name: str | None = None,
    seeds: int | None = None,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> Comparison:
    """Run an experiment, or resume it: `evoply experiment` in Python.

    *experiment* is an experiment, its TOML file, or its folder, which is resumed. Finished runs
    are not repeated. The other arguments are those of `compare`; without a *name* the
    folder is named after the file. Raises `ConfigError` for errors in the experiment.
    """
    folder = folder_for(experiment, name=name, seeds=seeds)
    run_experiment(folder, workers=workers, progress=progress, cluster=cluster)
    return comparison_of(folder)


class ExperimentKeys(TypedDict, total=False):
    """The keys of `Experiment` that `compare` takes as keywords; None: as it is usually."""

    game: str
    seeds: int | None
    first_seed: int
    measure: str
    games: int
    points: int
    budget: Mapping[str, float] | None
    looks: Sequence[int]
    same_within: float | None
    variety: Mapping[str, Any] | None


def compare(
    configs: Mapping[str, Any] | Sequence[Any],
    *,
    name: str | None = None,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
    fitness: Any = None,
    operators: Mapping[str, Any] | None = None,
    learner: Any = None,
    selection: Any = None,
    survival: Any = None,
    **keys: Unpack[ExperimentKeys],
) -> Comparison:
    """Compare configs over seeds; the same call resumes where it was stopped.

    *configs* are two or more, by their names in the result or in a list: each
    an `EvolutionConfig`, a `LearningConfig`, a preset, or the path of a config or of a run.
    The other keywords are `ExperimentKeys`, which are explained in `Experiment`. *game* takes the
    place of the games in the configs. Each is run with *seeds* seeds (10, or the first of
    *looks*) from *first_seed* on, every run on its own core, *workers* at a time (0: one a core),
    or on a *cluster*, such as "local:4", "tcp://host:8786" or a Dask client, to the same results.
    Players are measured by *games* games against each opponent of *measure*, such as
    "score:swh,material:depth=3", whom no config trains
    on, at the end and at *points* points of a learning curve. *budget*, such as
    {"games": 100_000}, replaces the limits in the configs.

    *looks* are the numbers of seeds at which you will look, such as [10, 20, 40], named before the
    first run; at other numbers nothing is certain. Empty: at *seeds* alone. With *same_within*
    points per game, setups are also tested for being the same. With *variety*, such as {"axes":
    [{"descriptor": "mobility"}, {"descriptor": "corners"}]}, all trees with which runs end are
    counted on one common map.

    The runs lie in the folder *name* of the folder of runs. Ctrl-C keeps the finished part
    there, and the same call resumes it; at the next look it asks for more seeds. The result
    depends neither on *workers* nor on interruptions, unless the budget is in seconds.

    *fitness*, *operators*, *selection* and *survival* are those of `evolve`, *learner* is your own
    `StorableLearner`; all but operators are for all setups, or a mapping by their names. Every run
    imports them from their file, so they must have a name in one, as `python:FILE.py:NAME` in
    configs.

    Raises `ConfigError` for errors, also for Python that cannot be named, and `RunError` if the
    folder holds another experiment, or if Python cannot be imported or does not fit.
    """
    named = _by_name(configs)
    if len(named) < 2:
        raise ConfigError([("configs", "give two or more")])
    for key in keys.keys() - ExperimentKeys.__annotations__.keys():
        raise TypeError(
            f"no argument is called {key!r}{did_you_mean(key, ExperimentKeys.__annotations__)}"
        )
    given = {key: value for key, value in keys.items() if value is not None}
    experiment = experiment_of({"configs": tuple(named), **given})
    folder = ExperimentFolder.create(
        runs_directory() / (name or usual_name(named)),
        experiment,
        setups_of(experiment, named, GivenParts(fitness, operators, learner, selection, survival)),
    )
    run_experiment(folder, workers=workers, progress=progress, cluster=cluster)
    return comparison_of(folder)


def usual_name(setups: Iterable[str]) -> str:
    """Return the default name of the folder of a comparison.

    >>> usual_name(["quick", "mine/a b"])
    'compare-quick-against-mine-a-b'
    """
    return f"compare-{'-against-'.join(plain_name(setup) for setup in [*setups][:3])}"


def _by_name(configs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if not isinstance(configs, Mapping):
        return named_configs([configs] if isinstance(configs, str) else configs)
    names = named_apart([shorten(str(name), LONGEST_NAME) for name in configs])
    sources = [os.fspath(o) if isinstance(o, os.PathLike) else o for o in configs.values()]
    return dict(zip(names, sources, strict=True))


# What is shown of an experiment: values, curves and differences of its setups.

_MOST_CURVES = 8
"""Most setups with curves: of more, only the best are drawn."""
MOST_PAIRS = 20
"""Pairs in view, those that differ most surely; a folded table has all if there are more."""
_MOST_CONFIGS = 20
_LONG_NAME = 30
_LONGEST = 64


def page_of(comparison: Findings) -> Page:
    """Return what is shown of *comparison*: what is found, and all that it is found from."""
    experiment = comparison.experiment
    kind = experiment.budget.kind
    is_timed = experiment.budget.seconds is not None
    values, said = values_of(comparison), [*comparison.warnings, comparison.verdict]
    axis = "games" if "games" in _axes(comparison) else "generations"
    best = comparison.best[:_MOST_CURVES]
    in_notebook = replace(
        values,
        sentences=said,
        charts=[_curve_chart(comparison, best, axis)] if best else (),
    )
    return Page(
        f"{comparison.name}: {game_rules(comparison.game).title}",
        [
            *(Section("", sentences=[text]) for text in said),
            values,
            variety_section(comparison),
            pairs_of(comparison),
            effects_of(comparison),
            Section("Budgets", _BEYOND, comparison.overshoots, _BEYOND_NOTE, longest=_LONGEST),
            _what_was_run(comparison),
        ],
        {
            "setups": counted(len(comparison.spreads)),
            "runs": f"{comparison.runs:,} of {len(comparison.setups) * experiment.seeds:,}",
            "seeds": _seeds(experiment),
            "games a measure": counted(experiment.games),
            "budget a run": f"{getattr(experiment.budget, kind):,} {kind}" if kind else "",
            "look": str(comparison.look) if comparison.spreads else "",
            "reproducible": "no: the budget is in seconds" if is_timed else "",
        },
        summary=[in_notebook],
    )


def values_of(comparison: Findings) -> Section:
    """Return the values of each setup, the best first, with their charts."""
    names = comparison.best
    rows = [
        {**comparison.spread_data(name), "short": short}
        for name, short in zip(names, _short(names), strict=True)
    ]
    note = (
        f"{comparison.experiment.measure}: mean points per game against these opponents, whom no "
        "setup was trained on; every run of a seed is one value."
    )
    charts = [_STRENGTH, *_curves(comparison)] if rows else []
    few = any(len(comparison.spreads[name].values) == 2 for name in names)
    return Section(
        "Values", _VALUES, rows, note, [TWO_SEEDS] * few, charts=charts, longest=_LONGEST
    )


def variety_section(comparison: Findings) -> Section:
    """Return the figures of the trees with which the runs of each setup end; empty unmeasured."""
    rows = [
        {"name": name, **{figure: (spread.mean, spread.interval) for figure, spread in row.items()}}
        for name, row in comparison.variety.items()
    ]
    return Section("Variety", _VARIETY, rows, _VARIETY_NOTE, longest=_LONGEST)


def pairs_of(comparison: Findings) -> Section:
    """Return the differences of all pairs, the surest first."""
    pairs = sorted(comparison.differences, key=lambda pair: (pair.p, -abs(pair.shift)))
    every = Section("", _PAIRS, pairs, folded=f"All {len(pairs)} pairs", look="numbers")
    return Section(
        "Differences",
        _PAIRS,
        pairs[:MOST_PAIRS],
        _PAIRS_NOTE.format(len(pairs)),
        parts=[every] if len(pairs) > MOST_PAIRS else (),
        longest=_LONGEST,
    )


def effects_of(comparison: Findings) -> Section:
    """Return what the keys of a whole grid do."""
    effects = comparison.effects
    note = _EFFECTS_NOTE.format(len(effects))
    return Section("Keys", _EFFECTS, effects, note, longest=_LONGEST)


def _what_was_run(comparison: Findings) -> Section:
    path = comparison.path
    again = f"evoply experiment {shlex.quote(str(path))} --name again"
    configs = [
        Section(name, text=(path / "setups" / f"{number}.toml").read_text(encoding="utf-8"))
        for number, name in enumerate(comparison.setups[:_MOST_CONFIGS], 1)
    ]
    experiment = (path / "experiment.toml").read_text(encoding="utf-8")
    return Section(
        "What was run",
        note=f"`{again}` makes all of it again; without `--name` it goes on here.",
        parts=[
            Section("", folded="Experiment (experiment.toml)", text=experiment),
            Section("", folded="Configs", parts=configs),
            Section("", _RUNS, comparison.results, folded="Every run", look="numbers"),
            Section("", note=f"Digest of all runs: `{comparison.digest}`"),
        ],
    )


def comparison_charts(comparison: Findings) -> list[Chart]:
    """Return the values and the curves as charts; none without results."""
    return charts_of(values_of(comparison))


def _seeds(experiment: Experiment) -> str:
    first, last = experiment.first_seed, experiment.first_seed + experiment.seeds - 1
    return f"{first} to {last}" if last > first else f"{first}"


def _answer(pair: SetupDifference) -> str:
    differ = "differ" if pair.is_certain else "not certain"
    if pair.same is None:
        return differ
    same = f"the same within {pair.same.margin:g}, p = {pair.same.p:.3g}"
    return f"{differ}; {same if pair.is_same else f'not for certain {same}'}"


def _means(means: Mapping[str, float]) -> str:
    return "; ".join(f"{text}: {mean:.3f}" for text, mean in means.items())


_three = "{:.3f}".format
_p = "{:.3g}".format

_VALUES = (
    Column("name", "setup", str, look="code"),
    Column("values", "seeds", lambda values: str(len(values))),
    Column("median", "median", _three, look="strong"),
    Column("quartiles", "quartiles", between(_three)),
    Column("mean", "mean", _three),
    Column("interval", "95 % interval", between(_three), missing=""),
)
_STRENGTH = Intervals(
    "Strength at the end",
    "points per game",
    "mean",
    "interval",
    "short",
    "mean",
    "mean over seeds, with 95 % intervals",
)
_PAIRS = (
    Column("first", "first", str, look="code"),
    Column("second", "second", str, look="code"),
    Column("effect", "A", "{:.2f}".format),
    Column("shift", "shift", "{:+.3f}".format, look="strong"),
    Column("interval", "95 % interval", between("{:+.3f}".format), missing="too few seeds"),
    Column("permutation_p", "p, permutation", _p),
    Column("brunner_munzel_p", "p, Brunner and Munzel", _p),
    Column("p", "p, all pairs", _p),
    Column("", "", _answer, read=lambda pair: pair),
    Column("seeds_wanted", "seeds wanted", counted),
)
PAIRS_IN_SHORT = (
    *chosen(_PAIRS, "first second effect shift interval"),
    Column("plain_p", "p", _p),
    *chosen(_PAIRS, "p"),
)
"""Where there is little room, the larger p of both tests stands for them."""


def _with_interval(text: Callable[[float], str]) -> Callable[[Any], str]:
    def written(found: tuple[float, tuple[float, float] | None]) -> str:
        mean, interval = found
        return text(mean) + (f" ({between(text)(interval)})" if interval is not None else "")

    return written


_VARIETY = (
    Column("name", "setup", str, look="code"),
    Column("coverage", "coverage", _with_interval(_three)),
    Column("qd_score", "QD score", _with_interval("{:.2f}".format)),
    Column("obj_max", "obj_max", _with_interval(_three)),
    Column("behaviours", "behaviours", _with_interval("{:.0f}".format)),
    Column("trees", "trees", _with_interval("{:.0f}".format)),
)
_VARIETY_NOTE = (
    "All different trees with which a run ends, on one map for all setups: the share of its cells "
    "that are filled, the sum of the points per game of the best of each cell (offset 0) and the "
    "best of them. Behaviours are trees that value 16 random positions differently. Means over "
    "seeds, with 95 % intervals."
)
_PAIRS_NOTE = (
    "A is the probability that a run of the first is better than one of the second (Vargha and "
    "Delaney); the shift says by how much, the median of all differences between their runs "
    "(Hodges and Lehmann), with its 95 % interval for this pair alone. Two tests stand side by "
    "side: the exact permutation test of ranks, and Brunner and Munzel's, which allows unlike "
    "spreads; both p are of this pair alone. The last p is the larger of both, for the plan of "
    "looks and corrected for {} pairs (Holm): below 0.05 the pair differs for certain. The last "
    "column says how many seeds a setup would show an A of this size in 8 of 10 experiments."
)
_EFFECTS = (
    Column("name", "effect", str, look="code"),
    Column("statistic", "statistic", "{:.2f}".format),
    Column(
        "freedom", "degrees of freedom", lambda freedom: "{:.1f}, {:.1f}".format(*freedom),
        is_listed=False,
    ),
    Column("plain_p", "p", _p),
    Column("p", "p, all effects", _p, look="strong"),
    Column(
        "is_certain", "", lambda is_certain: "matters" if is_certain else "not certain",
        is_listed=False,
    ),
    Column("means", "mean of its values", str, read=lambda effect: _means(effect.means)),
)  # fmt: skip
_EFFECTS_NOTE = (
    "What each key does over all values of the others, and keys together beyond what each does "
    "alone: the ANOVA-type statistic of Brunner, Dette and Munk, about 1 without an effect, with "
    "its degrees of freedom. The second p is for the plan of looks and corrected for {} effects "
    "(Holm), apart from the pairs."
)
_BEYOND = (
    Column("setup", "setup", str, look="code"),
    Column("mean", "mean", lambda mean: f"{100 * mean:+.1f} %"),
    Column("most", "most", lambda most: f"{100 * most:+.1f} %"),
)
_BEYOND_NOTE = (
    "How far the runs of each setup went beyond the budget, since they end after the step that "
    "reaches it."
)
_RUNS = (
    Column("setup", "setup", str),
    Column("seed", "seed", str),
    Column("value", "value", "{:.4f}".format),
    Column("digest", "digest", lambda digest: str(digest[:16])),
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
    return [
        axis
        for axis in AXES
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
        x_title=AXES[axis],
        note=f"median over seeds, and quartiles{_of_how_many(comparison, names)}",
        joins_gaps=True,
        has_bands=True,
    )


def _of_how_many(comparison: Findings, names: list[str]) -> str:
    every = len(comparison.best)
    return f"; the best {len(names)} of {every}" if len(names) < every else ""
