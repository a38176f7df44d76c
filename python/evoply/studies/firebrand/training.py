"""Parallel runs of learning, their curves of weights, and measures of these curves.

A curve has the weights of one run, step by step. Distances are Euclidean, by default between
ordinary weights.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Event
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.learning import (
    Learning,
    LearningConfig,
    LearningStep,
    learned_player,
    load_learning_config,
    model_of,
)
from evoply.players import AlphaBeta
from evoply.processes import core_count
from evoply.protocols import RunError
from evoply.reports.charts import Chart
from evoply.reports.run_page import weight_charts
from evoply.studies.study import Request, Result, Row
from evoply.studies.verdicts import Claim

BOARDS = ("othello-10", "othello")
PRESETS = {"othello-10": "firebrand", "othello": "firebrand-8"}
ALIKE = Claim("alike: above 0.7", low=0.7)
"""The claim that each explains about half of the variance of the other (0.7 squared)."""
_SETTLED = 0.2

Array = NDArray[np.float64]
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Size:
    """The amount of work at a scale."""

    runs: int
    """Runs with different seeds behind every figure."""
    stage: int
    """Games at each number of empty squares; the paper has 250."""
    rate_games: int
    """Whole games for each of the learning rates."""
    short_stage: int
    """Games of a stage where depths are compared."""
    changed_games: int
    """Games of each match after a weight was changed by hand."""
    match_games: int
    """Games of each match between two players that were trained alike but for one thing."""
    ordering_depths: tuple[int, ...]
    """Plies that the orderings are compared at."""
    ordering_games: int
    """Games from which positions are taken, three from each."""
    ordering_training: int
    """Games that the players of these positions learn from."""
    long_training: int
    """Games that the player of the long match learns from."""
    long_games: int
    """Games of the long match; each player with another seed plays a twentieth of them."""
    others: int
    """Players with other seeds."""
    strong_depth: int = 4
    """Plies that the player of the long match looks ahead."""
    depths: tuple[int, ...] = (2, 4, 8)
    """Plies that both sides look ahead in training for Figure 6."""
    stage_steps: int = 10
    """Steps of a run in each stage."""

    def of_stages(self, games: int) -> dict[str, object]:
        """Return the changes of a config for stages of *games* games without time weights."""
        return {
            "curriculum.games": games,
            "games_per_step": max(1, games // self.stage_steps),
            "time_weights.degree": 0,
        }

    @property
    def note(self) -> str:
        """The note of a result about its runs."""
        return (
            f"Means over {self.runs} runs with seeds of their own. The curves are those of the "
            "first run."
        )


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


def settings(request: Request, run: int, **changes: object) -> LearningConfig:
    """Return the preset's config for one of the runs of *request*, with *changes* by path."""
    preset = PRESETS[request.game or BOARDS[0]]
    seed = Stream(request.seed, "firebrand", run).key >> 1
    return load_learning_config(
        preset, [f"{key}={to}" for key, to in changes.items()], {"seed": seed}
    )


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


def side_by_side(request: Request, jobs: Sequence[Callable[[Event], T]]) -> list[T]:
    """Return the results of *jobs*, in order, run several at a time; progress counts them.

    Each job gets an event, which is set if this call is interrupted.
    """
    stop, results = Event(), []
    with ThreadPoolExecutor(request.threads or core_count()) as pool:
        waiting = [pool.submit(job, stop) for job in jobs]
        try:
            for number, future in enumerate(waiting):
                results.append(future.result())
                request.progress(number + 1, len(waiting))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def runs_of(
    request: Request, size: Size, names: Iterable[K], job: Callable[[K, int, Event], T]
) -> dict[K, list[T]]:
    """Return the results of *job* for each of *names* and each run, run side by side."""
    jobs = [partial(job, name, run) for name in names for run in range(size.runs)]
    values = side_by_side(request, jobs)
    by_name: dict[K, list[T]] = {}
    for job_of_run, value in zip(jobs, values, strict=True):
        by_name.setdefault(job_of_run.args[0], []).append(value)
    return by_name


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


def result(
    request: Request,
    table: str,
    title: str,
    rows: list[Row],
    charts: list[Chart],
    *,
    notes: tuple[str, ...] = (),
    unit: str = "as named in each row",
) -> Result:
    """Return the result of an experiment of this study."""
    return request.result("firebrand", table, title, rows, unit=unit, notes=notes, charts=charts)
