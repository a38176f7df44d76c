"""What came of an experiment: values, curves and differences of its setups."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evoply.experiments.design import (
    LONGEST_NAME,
    Experiment,
    experiment_of,
    named_configs,
    setups_of,
)
from evoply.experiments.folder import (
    ExperimentFolder,
    Measured,
    digest_of,
    find_experiment,
    folder_for,
    plain_name,
    values_by_setup,
)
from evoply.experiments.running import Status, run_experiment
from evoply.experiments.statistics import (
    Difference,
    Spread,
    compared,
    fewest_seeds,
    spread_of,
)
from evoply.files import write_atomically
from evoply.protocols import ConfigError
from evoply.runs import runs_directory
from evoply.wording import named_apart, shorten

__all__ = [
    "Comparison",
    "compare",
    "compare_experiment",
    "comparison_of",
    "load_comparison",
    "usual_name",
]

Table = Literal["values", "curves", "pairs"]
TABLES: tuple[Table, ...] = ("values", "curves", "pairs")
_AXIS = {"generations": "step", "games": "games", "work": "work", "seconds": "seconds"}


@dataclass(frozen=True, slots=True)
class Curve:
    """How strong the champions of a setup were on the way, over its seeds."""

    x: tuple[float, ...]
    """Median over the seeds, point by point."""
    median: tuple[float, ...]
    low: tuple[float, ...]
    """Lower quartile."""
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Setups over seeds, measured by opponents that none of them was trained on."""

    name: str
    path: Path
    game: str
    experiment: Experiment
    setups: tuple[str, ...]
    results: tuple[Measured, ...]
    spreads: Mapping[str, Spread]
    """By setup; without those of which no run is done."""
    differences: tuple[Difference, ...]
    digest: str
    """Of the digests of all runs; never of times."""

    @property
    def runs(self) -> int:
        """Runs that are done."""
        return len(self.results)

    @property
    def best(self) -> list[str]:
        """The setups, the greatest median first."""
        return sorted(self.spreads, key=lambda name: -self.spreads[name].median)

    def curve(self, setup: str, axis: str) -> Curve:
        """Return the learning curve of a setup against generations, games, work or seconds.

        Point k of the curve is made of point k of every seed's, the last one of their ends; a run
        of few steps has fewer points, and then the curve has.
        """
        curves = [one.curve for one in self.results if one.setup == setup]
        points = min(len(curve) for curve in curves)
        field, places = _AXIS[axis], [*range(points - 1), -1]
        x = [[float(getattr(curve[at], field)) for curve in curves] for at in places]
        values = np.array([[curve[at].value for curve in curves] for at in places])
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1).tolist()
        return Curve(
            tuple(float(np.median(one)) for one in x), tuple(middle), tuple(low), tuple(high)
        )

    @property
    def verdict(self) -> str:
        """One or two sentences: which setups differ for certain, or how many seeds would tell."""
        if not self.spreads:
            return "No run is done yet."
        if len(self.spreads) < 2:
            return f"Only {self.best[0]} has results: nothing can be compared."
        pairs = len(self.differences)
        needed = fewest_seeds(pairs)
        seeds = min(len(self.spreads[name].values) for name in self.spreads)
        if seeds < needed:
            return (
                f"{seeds} seed{'s' * (seeds != 1)} a setup cannot show any difference, however "
                f"large: {needed} are the fewest that can, for {pairs} pair{'s' * (pairs != 1)}."
            )
        certain = [one for one in self.differences if one.is_certain]
        sentences = [
            f"{_better(one)} is better than {_worse(one)} (by {abs(one.difference):.3f}, "
            f"p = {one.p:.2g})."
            for one in certain[:5]
        ]
        if len(certain) > 5:
            sentences.append(f"{len(certain) - 5} more pairs differ.")
        if not certain:
            sentences.append("No two setups differ for certain.")
            wanted = [one.seeds_wanted for one in self.differences if one.seeds_wanted]
            if wanted:
                sentences.append(
                    f"If the largest difference seen is real, {max(needed, min(wanted))} seeds a "
                    "setup would show it in 8 of 10 experiments."
                )
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "name": self.name,
            "path": str(self.path),
            "game": self.game,
            "configs": [
                {
                    "name": name,
                    "values": list(self.spreads[name].values),
                    "median": self.spreads[name].median,
                    "quartiles": list(self.spreads[name].quartiles),
                    "mean": self.spreads[name].mean,
                    "interval": _listed(self.spreads[name].interval),
                }
                for name in self.setups
                if name in self.spreads
            ],
            "runs": self.runs,
            "seeds": self.experiment.seeds,
            "measure": self.experiment.measure,
            "pairs": [one.to_dict() for one in self.differences],
            "verdict": self.verdict,
            "digest": self.digest,
            "reproducible": self.experiment.budget.seconds is None,
        }

    def rows(self, table: Table = "values") -> list[dict[str, Any]]:
        """Return every number of the page as rows of plain cells by name.

        *table* is values (one a run), curves (one a point of a run's) or pairs.
        """
        match table:
            case "values":
                return [
                    {"setup": one.setup, "seed": one.seed, "value": one.value, "digest": one.digest}
                    for one in self.results
                ]
            case "curves":
                return [
                    {"setup": one.setup, "seed": one.seed, **point.to_dict()}
                    for one in self.results
                    for point in one.curve
                ]
            case "pairs":
                return [_pair_row(one) for one in self.differences]
        raise ValueError(f"{table!r} is no table of a comparison: it has {', '.join(TABLES)}")

    def to_dataframe(self, table: Table = "values") -> Any:
        """Return `rows` as a `pandas.DataFrame`; without pandas as lists by the column's name."""
        rows = self.rows(table)
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
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
            write_atomically(Path(folder) / f"{table}.csv", _csv(self.rows(table)))
        return Path(folder)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page about it, whole or not at all, and return the path; `OSError` if not."""
        from evoply.experiments.page import comparison_html

        write_atomically(Path(path), comparison_html(self))
        return Path(path)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.runs:,} runs, {self.experiment.measure}"]
        for name in self.best:
            spread = self.spreads[name]
            lines.append(f"{name}: median {spread.median:.3f}, n = {len(spread.values)}")
        return "\n".join([*lines, self.verdict])

    def _repr_html_(self) -> str:
        from evoply.experiments.page import comparison_summary

        return comparison_summary(self)


def _pair_row(one: Difference) -> dict[str, Any]:
    row = one.to_dict()
    low, high = row.pop("interval") or (None, None)
    return {
        "first": one.first,
        "second": one.second,
        "difference": one.difference,
        "low": low,
        "high": high,
        **row,
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _better(one: Difference) -> str:
    return one.first if one.effect > 0.5 else one.second


def _worse(one: Difference) -> str:
    return one.second if one.effect > 0.5 else one.first


def comparison_of(folder: ExperimentFolder) -> Comparison:
    """Return what the runs of *folder* that are done come to."""
    results = folder.measured()
    values = {
        name: found for name, found in values_by_setup(folder.setups, results).items() if found
    }
    return Comparison(
        name=folder.name,
        path=folder.path,
        game=folder.setups[0].config.game,
        experiment=folder.experiment,
        setups=tuple(setup.name for setup in folder.setups),
        results=tuple(results),
        spreads={name: spread_of(found) for name, found in values.items()},
        differences=tuple(compared(values)),
        digest=digest_of(results),
    )


def load_comparison(source: str | os.PathLike[str]) -> Comparison:
    """Return what the runs of an experiment that are done come to.

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
    """Do an experiment, or go on with it: `evoply experiment` in Python.

    *experiment* is one, a TOML file of one, or the folder of one, which is gone on with. Runs that
    are done are not made again. The other arguments are those of `compare`; without a *name* the
    folder is called after the file. Raises `ConfigError` for what is wrong in the experiment.
    """
    folder = folder_for(experiment, name=name, seeds=seeds)
    run_experiment(folder, workers=workers, progress=progress, cluster=cluster)
    return comparison_of(folder)


def compare(
    configs: Mapping[str, Any] | Sequence[Any],
    *,
    name: str | None = None,
    seeds: int = 10,
    first_seed: int = 1,
    measure: str = "",
    games: int = 400,
    points: int = 8,
    budget: Mapping[str, float] | None = None,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> Comparison:
    """Compare configs over seeds; the same call goes on where it was stopped.

    *configs* are two or more, by the names that the result shall have for them or in a list: each
    an `EvolutionConfig`, a `LearningConfig`, a preset, or the path of a config or of a run. Every
    one is run with *seeds* seeds from *first_seed* on, each run on a core of its own, *workers* at
    a time (0: one a core), or on a *cluster*, such as "local:4", "tcp://host:8786" or a Dask
    client, to the same results. Players are measured by *games* games against each opponent of
    *measure*, such as "score:swh,material:depth=3", whom no config trains on, at the end and at
    *points* points of a learning curve. *budget*, such as {"games": 100_000}, takes the place of
    the limits in the configs.

    The runs lie in the folder *name* of the folder of runs. Ctrl-C leaves there what was done, and
    so the same call goes on with it; later it may ask for more seeds. The result depends neither
    on *workers* nor on interruptions, unless the budget is in seconds.

    Raises `ConfigError` for what is wrong, `RunError` if the folder holds another experiment.
    """
    named = _named(configs)
    if len(named) < 2:
        raise ConfigError([("configs", "give two or more")])
    experiment = experiment_of(
        {
            "configs": tuple(named),
            "seeds": seeds,
            "first_seed": first_seed,
            "measure": measure,
            "games": games,
            "points": points,
            "budget": dict(budget or {}),
        }
    )
    folder = ExperimentFolder.create(
        runs_directory() / (name or usual_name(named)), experiment, setups_of(experiment, named)
    )
    run_experiment(folder, workers=workers, progress=progress, cluster=cluster)
    return comparison_of(folder)


def usual_name(setups: Iterable[str]) -> str:
    """Return what the folder of a comparison is called if nobody says it.

    >>> usual_name(["quick", "mine/a b"])
    'compare-quick-against-mine-a-b'
    """
    return f"compare-{'-against-'.join(plain_name(one) for one in [*setups][:3])}"


def _named(configs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if not isinstance(configs, Mapping):
        return named_configs([configs] if isinstance(configs, str) else configs)
    names = named_apart([shorten(str(name), LONGEST_NAME) for name in configs])
    sources = [os.fspath(o) if isinstance(o, os.PathLike) else o for o in configs.values()]
    return dict(zip(names, sources, strict=True))
