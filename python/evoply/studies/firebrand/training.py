"""Parallel runs of learning, their curves of weights, and measures of these curves.

A curve has the weights of one run, step by step. Distances are Euclidean, by default between
ordinary weights.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena import match
from evoply.learning import (
    Learning,
    LearningConfig,
    LearningStep,
    learned_player,
    load_learning_config,
    model_of,
)
from evoply.players import AlphaBeta
from evoply.protocols import RunError
from evoply.reports.charts import Chart
from evoply.reports.run_page import weight_charts
from evoply.studies.study import Reproduction, Request

BOARDS = ("othello-10", "othello")
PRESETS = {"othello-10": "firebrand", "othello": "firebrand-8"}
DEPTH = 2
"""Plies that players look ahead in matches between them."""
OTHER = "material:depth=3"
"""The player that learned ones are also measured against."""
_SETTLED = 0.2

Array = NDArray[np.float64]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class LearningCurve:
    """The steps of one run of learning."""

    config: LearningConfig
    steps: tuple[LearningStep, ...]
    failed: bool = False
    """Whether a weight was no longer finite, which ended the run."""

    @cached_property
    def games(self) -> Array:
        """Games played before each step."""
        return np.array([step.games for step in self.steps], dtype=np.float64)

    @cached_property
    def array(self) -> Array:
        """All weights, of shape (steps, features, 1 + degree): weights, then time weights."""
        return np.array([step.weights for step in self.steps])

    @property
    def weights(self) -> Array:
        """The ordinary weights, of shape (steps, features)."""
        return np.asarray(self.array[:, :, 0])

    @property
    def time_weights(self) -> Array:
        """The time weights of the linear clock, of shape (steps, features)."""
        return np.asarray(self.array[:, :, 1])

    @property
    def last(self) -> LearningStep:
        """The step after the last game."""
        return self.steps[-1]

    def at(self, games: float) -> Array:
        """Return the weights after *games* games: those of the last step that is not later."""
        return np.asarray(self.weights[self._place(games)])

    def times_at(self, games: float) -> Array:
        """Return the time weights after *games* games."""
        return np.asarray(self.time_weights[self._place(games)])

    def place_of(self, feature: str) -> int:
        """Return the index of *feature*."""
        return [feature.name for feature in self.config.features].index(feature)

    def player(self, depth: int = 1) -> AlphaBeta:
        """Return the player with the last weights."""
        return player_of(self.config, self.last, depth)

    def _place(self, games: float) -> int:
        return int(np.searchsorted(self.games, games, side="right")) - 1


def player_of(config: LearningConfig, step: LearningStep, depth: int) -> AlphaBeta:
    """Return the player with the weights of *step*; its ordering only saves time."""
    player = learned_player(model_of(config, step), depth=depth)
    return player if depth < 3 else player.model_copy(update={"ordering": "killer"})


def settings(request: Request, run: int, changes: Mapping[str, object]) -> LearningConfig:
    """Return the preset's config for one of the runs of *request*, with *changes* by path."""
    preset = PRESETS[request.game or BOARDS[0]]
    seed = Stream(request.seed, "firebrand", run).key >> 1
    return load_learning_config(
        preset, [f"{key}={to}" for key, to in changes.items()], {"seed": seed}
    )


def of_stages(request: Reproduction, stages: int, **others: object) -> dict[str, object]:
    """Return changes for *stages* stages without time weights, and for *others* at the end."""
    games = request.size("stage")
    return {
        "curriculum.games": games,
        "games_per_step": max(1, games // request.size("stage_steps")),
        "time_weights.degree": 0,
        "games": stages * games,
        **others,
    }


def trained(
    config: LearningConfig, stop: Event, *, first: LearningStep | None = None
) -> LearningCurve:
    """Return all steps of *config*, from *first* on; a weight that is not finite ends the run.

    Once *stop* is set, the run ends after the present step.
    """
    learner = Learning(threads=1)
    steps = [learner.first(config) if first is None else first]
    while not stop.is_set() and not learner.is_finished(config, steps[-1]):
        try:
            steps.append(learner.after(config, steps[-1]))
        except RunError:
            return LearningCurve(config, tuple(steps), failed=True)
    return LearningCurve(config, tuple(steps))


def begun_anew(step: LearningStep) -> LearningStep:
    """Return *step* as the beginning of another training that keeps only the weights."""
    return replace(step, games=0, number=0)


def learned(
    request: Reproduction, setups: Mapping[K, Mapping[str, object]]
) -> dict[K, list[LearningCurve]]:
    """Return the runs of each setup, which is changes of the preset."""

    def run_of(setup: K, run: int, stop: Event) -> LearningCurve:
        return trained(settings(request, run, setups[setup]), stop)

    return request.over_seeds_at_once(list(setups), request.size("runs"), run_of)


def score(
    request: Request, first: LearningCurve, second: LearningCurve | str, games: int, run: int
) -> float:
    """Return the score of the last player of a run in a match."""
    other = second if isinstance(second, str) else second.player(DEPTH)
    return match(
        first.player(DEPTH), other, game=request.game or BOARDS[0], games=games,
        seed=request.seed + run, threads=request.threads,
    ).score  # fmt: skip


def distance(first: Array, second: Array) -> float:
    """Return the distance between two sets of weights."""
    return float(np.linalg.norm(first - second))


def correlation(first: Array, second: Array) -> float:
    """Return Pearson's correlation of two sets of weights over their features.

    It is 0 if all weights of one set are equal.
    """
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def ratio(part: float, whole: float) -> float:
    """Return part / whole, with both raised above 0, so that it has a logarithm."""
    least = 1e-12
    return max(part, least) / max(whole, least)


def fluctuation(games: Array, weights: Array) -> float:
    """Return the deviation of weights from straight lines: root mean square over the features.

    A weight that drifts evenly does not fluctuate.
    """
    x = np.column_stack([np.ones_like(games), games])
    lines = x @ np.linalg.lstsq(x, weights, rcond=None)[0]
    return float(np.sqrt(np.mean((weights - lines) ** 2)))


def quarter(curve: LearningCurve, number: int) -> tuple[Array, Array]:
    """Return games and weights of the first (1) to last (4) quarter of a run."""
    end = curve.games[-1]
    inside = (curve.games >= end * (number - 1) / 4) & (curve.games <= end * number / 4)
    return curve.games[inside], curve.weights[inside]


def settling(curve: LearningCurve) -> float:
    """Return the share of the games after which four fifths of the way to rest was covered.

    Rest is the mean of the weights over the last quarter.
    """
    rest = quarter(curve, 4)[1].mean(axis=0)
    ways = np.linalg.norm(curve.weights - rest, axis=1)
    return float(curve.games[np.argmax(ways <= _SETTLED * ways[0])] / curve.games[-1])


def common_end(curves: Iterable[LearningCurve]) -> Array:
    """Return where runs end up together: the mean of all their weights over the last quarters."""
    ends = [quarter(curve, 4)[1].mean(axis=0) for curve in curves]
    return np.asarray(np.mean(ends, axis=0))


def way_left(curve: LearningCurve, end: Array, share: float) -> float:
    """Return the distance to *end* after a *share* of the games, divided by that at the beginning.

    It is 0 for a run that is there, 1 for one that has not moved, and more for one that went away.
    """
    index = int(np.argmax(curve.games >= share * curve.games[-1]))
    return ratio(distance(curve.weights[index], end), distance(curve.weights[0], end))


def curve_charts(curve: LearningCurve, name: str, note: str = "") -> list[Chart]:
    """Return the curves of all weights of a run, as the paper draws them."""
    charts = weight_charts(curve.config, [step.statistics for step in curve.steps])
    return [replace(chart, title=f"{chart.title}, {name}", note=note) for chart in charts]
