"""What came of an experiment: values, curves and differences of its setups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evoply.experiments.design import Experiment
from evoply.experiments.folder import (
    ExperimentFolder,
    Measured,
    digest_of,
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
from evoply.notebook import table_html
from evoply.runs import runs_directory

__all__ = ["Comparison", "compare", "compare_experiment", "comparison_of"]

AXES = ("generations", "games", "work", "seconds")
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
        """Return the learning curve of a setup against one of `AXES`.

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
        if len(self.spreads) < 2:
            return "There is one setup with results: nothing can be compared."
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

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.runs:,} runs, {self.experiment.measure}"]
        for name in self.best:
            spread = self.spreads[name]
            lines.append(f"{name}: median {spread.median:.3f}, n = {len(spread.values)}")
        return "\n".join([*lines, self.verdict])

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{self.spreads[name].median:.3f}", len(self.spreads[name].values))
            for name in self.best
        ]
        return table_html(
            f"Comparison {self.name}", rows, ("setup", "median", "seeds"), [self.verdict]
        )


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


def compare_experiment(
    experiment: Experiment,
    *,
    name: str,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> Comparison:
    """Do *experiment* in the folder *name* of the folder of runs, or go on with it there.

    The other arguments are those of `run_experiment`.
    """
    folder = ExperimentFolder.create(runs_directory() / name, experiment)
    run_experiment(folder, workers=workers, progress=progress, cluster=cluster)
    return comparison_of(folder)


def compare(
    configs: Sequence[str],
    *,
    name: str,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
    **settings: Any,
) -> Comparison:
    """Compare presets, files of configs or runs over seeds; *settings* are keys of `Experiment`.

    The runs lie in the folder *name*; the same call goes on with it. A run takes one core, and
    *workers* of them (0: one a core) are made at a time; or they are made on a *cluster*, such as
    "local:4", "tcp://host:8786" or a Dask client, to the same results. Raises `ConfigError` for
    what is wrong.
    """
    experiment = Experiment(configs=tuple(configs), **settings)
    return compare_experiment(
        experiment, name=name, workers=workers, progress=progress, cluster=cluster
    )
