"""The result of an experiment: values, curves and differences of its setups."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

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
    values_by_setup,
)
from evoply.experiments.findings import TABLES, Findings, Table
from evoply.experiments.own_parts import GivenParts
from evoply.experiments.running import Status, run_experiment
from evoply.experiments.setup_statistics import compared, spread_of
from evoply.files import write_atomically
from evoply.protocols import ConfigError
from evoply.runs import runs_directory
from evoply.runs.results import csv_text
from evoply.sections import Page, Shown
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
        from evoply.experiments.experiment_page import page_of

        return page_of(self)


def comparison_of(folder: ExperimentFolder) -> Comparison:
    """Return the result of the finished runs of *folder*."""
    results = folder.measured()
    values = {name: row for name, row in values_by_setup(folder.setups, results).items() if row}
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
    points per game, setups are also tested for being the same.

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
