"""The findings of an experiment as numbers: values, curves and differences of its setups."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evoply.experiments.design import Experiment
from evoply.experiments.experiment_folder import UnitResult
from evoply.experiments.setup_statistics import SetupDifference, Spread, fewest_seeds

Table = Literal["values", "curves", "pairs"]
TABLES: tuple[Table, ...] = ("values", "curves", "pairs")
_AXIS = {"generations": "step", "games": "games", "work": "work", "seconds": "seconds"}


@dataclass(frozen=True, slots=True)
class Curve:
    """The strength of the champions of a setup during its runs, over its seeds."""

    x: tuple[float, ...]
    """Median over the seeds, point by point."""
    median: tuple[float, ...]
    low: tuple[float, ...]
    """Lower quartile."""
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The numbers of setups over seeds, measured by opponents that none was trained on."""

    name: str
    path: Path
    game: str
    experiment: Experiment
    setups: tuple[str, ...]
    results: tuple[UnitResult, ...]
    spreads: Mapping[str, Spread]
    """By setup; setups without a finished run are left out."""
    differences: tuple[SetupDifference, ...]
    digest: str
    """A checksum of the digests of all runs; never of times."""

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

        Point k of the curve is computed from point k of every seed's, the last from their ends; if
        a run has few steps and so fewer points, the curve has fewer too.
        """
        curves = [result.curve for result in self.results if result.setup == setup]
        points = min(len(curve) for curve in curves)
        field, places = _AXIS[axis], [*range(points - 1), -1]
        x = [[float(getattr(curve[at], field)) for curve in curves] for at in places]
        values = np.array([[curve[at].value for curve in curves] for at in places])
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1).tolist()
        return Curve(
            tuple(float(np.median(point)) for point in x), tuple(middle), tuple(low), tuple(high)
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
        certain = [difference for difference in self.differences if difference.is_certain]
        sentences = [
            f"{_better(pair)} is better than {_worse(pair)} (by {abs(pair.difference):.3f}, "
            f"p = {pair.p:.2g})."
            for pair in certain[:5]
        ]
        if len(certain) > 5:
            sentences.append(f"{len(certain) - 5} more pairs differ.")
        if not certain:
            sentences.append("No two setups differ for certain.")
            wanted = [
                difference.seeds_wanted
                for difference in self.differences
                if difference.seeds_wanted
            ]
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
                    "interval": _to_list(self.spreads[name].interval),
                }
                for name in self.setups
                if name in self.spreads
            ],
            "runs": self.runs,
            "seeds": self.experiment.seeds,
            "measure": self.experiment.measure,
            "pairs": [difference.to_dict() for difference in self.differences],
            "verdict": self.verdict,
            "digest": self.digest,
            "reproducible": self.experiment.budget.seconds is None,
        }

    def rows(self, table: Table = "values") -> list[dict[str, Any]]:
        """Return every number of the page as rows of plain cells by name.

        *table* is values (one row a run), curves (one row a point of a run) or pairs.
        """
        match table:
            case "values":
                return [
                    {
                        "setup": result.setup,
                        "seed": result.seed,
                        "value": result.value,
                        "digest": result.digest,
                    }
                    for result in self.results
                ]
            case "curves":
                return [
                    {"setup": result.setup, "seed": result.seed, **point.to_dict()}
                    for result in self.results
                    for point in result.curve
                ]
            case "pairs":
                return [_pair_row(difference) for difference in self.differences]
        raise ValueError(f"{table!r} is not a table of a comparison: it has {', '.join(TABLES)}")


def _pair_row(pair: SetupDifference) -> dict[str, Any]:
    row = pair.to_dict()
    low, high = row.pop("interval") or (None, None)
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference,
        "low": low,
        "high": high,
        **row,
    }


def _to_list(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _better(pair: SetupDifference) -> str:
    return pair.first if pair.effect > 0.5 else pair.second


def _worse(pair: SetupDifference) -> str:
    return pair.second if pair.effect > 0.5 else pair.first
