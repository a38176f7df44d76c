"""The findings of an experiment as numbers: values, curves and differences of its setups.

The verdict in words is computed from the differences. Which setup is better, and by how much, come
from one set of numbers, the differences between runs of both: A counts those above 0, the shift is
their median.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from evoply.experiments.design import Experiment
from evoply.experiments.rank_tests import SIGNIFICANCE, least_p
from evoply.experiments.setup_statistics import (
    GridEffect,
    Look,
    SetupDifference,
    Spread,
    fewest_seeds,
    grid_effects,
    spread_of,
)
from evoply.experiments.units import BESIDE, Point, UnitResult
from evoply.experiments.variety import FIGURES
from evoply.protocols.sections import json_ready

Table = Literal["values", "curves", "pairs", "effects"]
TABLES: tuple[Table, ...] = ("values", "curves", "pairs", "effects")
MOST_OVERSHOOT = 0.05
"""Share of the budget beyond which the mean run of a setup is told as unequal."""
_MOST_SAID = 5
"""Pairs of which the verdict speaks one by one."""
_POINT = [field.name for field in fields(Point) if field.name not in BESIDE]
_PAIR = (
    "first", "second", "effect", "shift", "low", "high", "permutation_p", "permutation_p_holm",
    "brunner_munzel_p", "brunner_munzel_p_holm", "plain_p", "p", "certain", "seeds_wanted",
    "margin", "same_p", "same",
)  # fmt: skip
_EFFECT = (
    "effect", "keys", "statistic", "plain_p", "p", "certain", "freedom", "rest", "means"
)  # fmt: skip
AXES = {"generations": "step", "games": "games", "work": "work", "seconds": "seconds"}
"""What curves are drawn against, and the fields of a `Point`, which are their names for people."""


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
class Overshoot:
    """How far the runs of a setup went beyond their budget, as shares of it."""

    setup: str
    mean: float
    most: float


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
        field, places = AXES[axis], [*range(points - 1), -1]
        x = [[float(getattr(curve[at], field)) for curve in curves] for at in places]
        values = np.array([[curve[at].value for curve in curves] for at in places])
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1).tolist()
        return Curve(
            tuple(float(np.median(point)) for point in x), tuple(middle), tuple(low), tuple(high)
        )

    @property
    def look(self) -> Look:
        """How the seeds that are done stand to the plan of looks."""
        counts = [len(spread.values) for spread in self.spreads.values()]
        # A setup without a run is no part of a planned look.
        counts += [0] * (len(self.setups) - len(counts))
        return Look(tuple(counts), self.experiment.planned_looks)

    @property
    def levels(self) -> dict[str, list[str]]:
        """The varied keys, each with its values as text; empty without any."""
        return {
            key: list(dict.fromkeys(map(cell_text, values)))
            for key, values in self.experiment.vary.items()
        }

    @property
    def factors(self) -> dict[str, dict[str, str]]:
        """The values of the varied keys as text, by setup."""
        keys = list(self.experiment.vary)
        return {
            setup: dict(zip(keys, map(cell_text, values), strict=True))
            for setup, values in zip(self.setups, self.experiment.chosen, strict=False)
        }

    @property
    def effects(self) -> list[GridEffect]:
        """Main effects and interactions of a whole grid; none of a list, or with too few seeds."""
        experiment, levels = self.experiment, self.levels
        is_grid = experiment.order == "grid" and len(self.spreads) == len(self.setups) > 1
        if not is_grid or math.prod(map(len, levels.values())) != len(self.setups):
            return []
        return grid_effects(levels, [self.spreads[name].values for name in self.setups], self.look)

    @property
    def overshoots(self) -> list[Overshoot]:
        """How far the runs of each setup went beyond their budget; none without a budget."""
        kind = self.experiment.budget.kind
        if not kind:
            return []
        budget = getattr(self.experiment.budget, kind)
        used = {
            name: [getattr(run.curve[-1], kind) / budget - 1 for run in self.results_of(name)]
            for name in self.spreads
        }
        return [Overshoot(name, fmean(shares), max(shares)) for name, shares in used.items()]

    def results_of(self, setup: str) -> list[UnitResult]:
        """Return the results of one setup."""
        return [result for result in self.results if result.setup == setup]

    @property
    def variety(self) -> dict[str, dict[str, Spread]]:
        """The figures of the trees of each setup by name, over its seeds; none unmeasured."""
        return {
            name: {
                figure: spread_of([run.curve[-1].variety[figure] for run in self.results_of(name)])
                for figure in FIGURES
            }
            for name in self.best
            if self.experiment.variety is not None
        }

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before the verdict: unplanned looks, time, unequal budgets."""
        found = []
        if self.spreads and self.look.is_exploratory:
            found.append(
                f"Exploratory: {self.look}. Looking at other numbers of seeds finds differences "
                "where there are none, so nothing here is certain."
            )
        timed = sum(result.is_timed for result in self.results)
        if timed:
            found.append(
                f"{timed:,} of {self.runs:,} runs were ended by a limit in seconds: on another "
                "machine, or next time, they may be longer or shorter, and the figures differ."
            )
        far = [setup for setup in self.overshoots if setup.mean > MOST_OVERSHOOT]
        if far:
            most = max(far, key=lambda setup: setup.mean)
            found.append(
                f"Budgets are not equal: runs end after the step that reaches theirs, and "
                f"{len(far):,} of {len(self.overshoots):,} setups went more than 5 % beyond on "
                f"average, {most.setup} the farthest, by {100 * most.mean:.0f} %. Take smaller "
                "steps, or a larger budget."
            )
        return found

    @property
    def verdict(self) -> str:
        """A few sentences: which setups differ for certain, or how many seeds would tell."""
        if not self.spreads:
            return "No run is done yet."
        if len(self.spreads) < 2:
            return f"Only {self.best[0]} has results: nothing can be compared."
        return verdict_on(self.differences, self.effects, self.look)

    def spread_data(self, name: str) -> dict[str, Any]:
        """Return the values of a setup as JSON-ready data."""
        return {"name": name, **self.spreads[name].to_dict()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        data = {
            "name": self.name,
            "path": str(self.path),
            "game": self.game,
            "configs": [self.spread_data(name) for name in self.setups if name in self.spreads],
            "runs": self.runs,
            "seeds": self.experiment.seeds,
            "measure": str(self.experiment.measure),
            "look": self.look,
            "pairs": self.differences,
            "effects": self.effects,
            "variety": self.variety,
            "beyond_budget": self.overshoots,
            "warnings": self.warnings,
            "verdict": self.verdict,
            "digest": self.digest,
            "reproducible": self.experiment.budget.seconds is None
            and not any(result.is_timed for result in self.results),
        }
        return {key: json_ready(value) for key, value in data.items()}

    @property
    def _scores(self) -> list[str]:
        """The names of the columns of scores, one an opponent."""
        return [f"score:{opponent}" for opponent in self.experiment.measure.opponents]

    @property
    def _figures(self) -> list[str]:
        """The names of the columns of variety."""
        is_measured = self.experiment.variety is not None
        return [f"variety:{figure}" for figure in FIGURES] if is_measured else []

    def columns(self, table: Table = "values") -> list[str]:
        """Return the names of the cells of `rows`, which a table without rows has, too."""
        names = {
            "values": (
                "setup",
                *self.experiment.vary,
                "seed",
                "value",
                *self._scores,
                *self._figures,
                "digest",
            ),
            "curves": ("setup", "seed", *_POINT, *self._scores),
            "pairs": _PAIR,
            "effects": _EFFECT,
        }
        if table not in names:
            raise _no_table(table)
        return [*names[table]]

    def rows(self, table: Table = "values") -> list[dict[str, Any]]:
        """Return every number of the page as rows of plain cells by name.

        *table* is values (one row a run, with the keys that vary and the score against each
        opponent), curves (one row a point of a run), pairs or effects (of a grid).
        """
        factors = self.factors if self.experiment.vary else {}
        opponents = self._scores
        match table:
            case "values":
                return [
                    {
                        "setup": result.setup,
                        **factors.get(result.setup, {}),
                        "seed": result.seed,
                        "value": result.value,
                        **dict(zip(opponents, result.curve[-1].scores, strict=False)),
                        **{f"variety:{it}": x for it, x in result.curve[-1].variety.items()},
                        "digest": result.digest,
                    }
                    for result in self.results
                ]
            case "curves":
                return [
                    {"setup": result.setup, "seed": result.seed, **_point_row(point, opponents)}
                    for result in self.results
                    for point in result.curve
                ]
            case "pairs":
                return [_pair_row(difference) for difference in self.differences]
            case "effects":
                return [_effect_row(effect) for effect in self.effects]
        raise _no_table(table)


def cell_text(value: Any) -> str:
    """Return a value of a key as text: itself if it is text, else as JSON.

    >>> cell_text("liao"), cell_text([1, 2])
    ('liao', '[1, 2]')
    """
    return value if isinstance(value, str) else json.dumps(value)


def _no_table(name: str) -> ValueError:
    return ValueError(f"{name!r} is not a table of a comparison: it has {', '.join(TABLES)}")


def _point_row(point: Point, opponents: Sequence[str]) -> dict[str, Any]:
    row = point.to_dict()
    scores, _ = (row.pop(name) for name in BESIDE)
    return row | dict(zip(opponents, scores, strict=False))


def _pair_row(pair: SetupDifference) -> dict[str, Any]:
    row = pair.to_dict()
    low, high = row.pop("interval") or (None, None)
    before = {name: row.pop(name) for name in ("first", "second", "effect", "shift")}
    return {**before, "low": low, "high": high, **row}


def _effect_row(effect: GridEffect) -> dict[str, Any]:
    row = effect.to_dict()
    first, second = row.pop("freedom")
    means = "; ".join(f"{text}: {mean:.6g}" for text, mean in row.pop("means").items())
    cells = {"effect": effect.name, **row, "freedom": first, "rest": second, "means": means}
    return cells | {"keys": " ".join(effect.keys)}


def verdict_on(pairs: Sequence[SetupDifference], effects: Sequence[GridEffect], look: Look) -> str:
    """Return which pairs differ or are the same for certain, or how many seeds would tell."""
    seeds = min(look.seeds)
    if look.is_exploratory:
        sentences = [f"Exploratory ({look}): nothing is certain."]
        seen = [pair for pair in pairs if pair.p < SIGNIFICANCE]
        if seen:
            sentences.append(
                f"As the only look, {len(seen):,} of {len(pairs):,} pairs would differ."
            )
        return " ".join(sentences)
    needed = fewest_seeds(len(pairs))
    if not _can_show(look, len(pairs)):
        if seeds >= needed:
            return (
                f"This {look} cannot show any difference, however large, with {seeds} seeds a "
                "setup: go on to the next."
            )
        return _too_few(seeds, len(pairs))
    return " ".join([*_on_pairs(pairs, needed), *_on_sameness(pairs), *_on_effects(effects)])


def hopeless(planned: Sequence[int], setups: int) -> str:
    """Return why none of the *planned* looks at *setups* can show any difference; "" if one can.

    >>> hopeless((3, 6), 4).partition(":")[0]
    '6 seeds a setup cannot show any difference, however large'
    >>> hopeless((3, 8), 4), hopeless((3, 6), 1)
    ('', '')
    """
    pairs = setups * (setups - 1) // 2
    looks = [Look((seeds,) * setups, tuple(planned)) for seeds in planned]
    if not pairs or any(_can_show(look, pairs) for look in looks):
        return ""
    if planned[-1] < fewest_seeds(pairs):
        return _too_few(planned[-1], pairs)
    return (
        f"{len(planned)} looks at up to {planned[-1]} seeds cannot show any difference, however "
        "large: plan more seeds, or fewer looks."
    )


def _can_show(look: Look, pairs: int) -> bool:
    seeds = min(look.seeds)
    return look.overall_p(least_p(seeds, seeds)) * pairs < SIGNIFICANCE


def _too_few(seeds: int, pairs: int) -> str:
    return (
        f"{seeds} seed{'s' * (seeds != 1)} a setup cannot show any difference, however large: "
        f"{fewest_seeds(pairs)} are the fewest that can, for {pairs} pair{'s' * (pairs != 1)}."
    )


def _on_pairs(pairs: Sequence[SetupDifference], needed: int) -> list[str]:
    certain = sorted((pair for pair in pairs if pair.is_certain), key=lambda pair: pair.p)
    sentences = [_better(pair) for pair in certain[:_MOST_SAID]]
    if len(certain) > _MOST_SAID:
        sentences.append(f"{len(certain) - _MOST_SAID} more pairs differ.")
    if not certain:
        sentences.append("No two setups differ for certain.")
        wanted = [pair.seeds_wanted for pair in pairs if pair.seeds_wanted and not pair.is_same]
        if wanted:
            sentences.append(
                f"If the largest difference seen is real, {max(needed, min(wanted)):,} seeds a "
                "setup would show it in 8 of 10 experiments."
            )
    return sentences


def _better(pair: SetupDifference) -> str:
    """Return which is better and by how much: both from the differences between their runs."""
    chance = max(pair.effect, 1 - pair.effect)
    if pair.shift == 0:
        return (
            f"{pair.better} is more often better than {pair.worse} than worse (A = {chance:.2f}, "
            f"p = {pair.p:.2g}), but the typical difference is 0."
        )
    amount = f"by {abs(pair.shift):.3f}"
    if pair.interval is not None:
        low, high = sorted(abs(end) for end in pair.interval)
        amount += f", {low:.3f} to {high:.3f}"
    return (
        f"{pair.better} is better than {pair.worse} ({amount}; A = {chance:.2f}, p = {pair.p:.2g})."
    )


def _on_sameness(pairs: Sequence[SetupDifference]) -> list[str]:
    asked = [pair for pair in pairs if pair.same is not None]
    if not asked or asked[0].same is None:
        return []
    margin = f"within {asked[0].same.margin:g} points per game"
    same = [pair for pair in asked if pair.is_same]
    sentences = [
        f"{pair.first} and {pair.second} are the same {margin} (p = {pair.same.p:.2g})."
        for pair in same[:_MOST_SAID]
        if pair.same is not None
    ]
    if len(same) > _MOST_SAID:
        sentences.append(f"{len(same) - _MOST_SAID} more pairs are the same {margin}.")
    return sentences or [f"No two setups are the same {margin} for certain."]


def _on_effects(effects: Sequence[GridEffect]) -> list[str]:
    names = [effect.name for effect in effects if effect.is_certain]
    return [f"Of the keys, {', '.join(names)} matter for certain."] if names else []
