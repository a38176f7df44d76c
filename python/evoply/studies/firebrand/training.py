"""Training again and again: runs of learning as curves, side by side, and what curves have to say.

A curve is the weights of one run, step by step. Distances are Euclidean, of the ordinary weights
unless said otherwise.
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
from evoply.reports.learning_page import weight_charts
from evoply.studies.study import Request, Result, Row
from evoply.studies.verdicts import Claim

BOARDS = ("othello-10", "othello")
PRESETS = {"othello-10": "firebrand", "othello": "firebrand-8"}
ALIKE = Claim("alike: above 0.7", low=0.7)
"""Of a correlation: more than half of what one varies, the other does too (0.7 squared)."""
_SETTLED = 0.2

Array = NDArray[np.float64]
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything a scale does."""

    runs: int
    """Runs with seeds of their own behind every figure."""
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
    """Games, of each of which three positions are taken."""
    ordering_training: int
    """Games that their players learn from."""
    long_training: int
    """Games that the player of the long match learns from."""
    long_games: int
    """Games of the long match; each player of another seed plays a twentieth of it."""
    others: int
    """Players of other seeds."""
    strong_depth: int = 4
    """Plies that the player of the long match looks ahead."""
    depths: tuple[int, ...] = (2, 4, 8)
    """Plies that both sides look ahead in training for Figure 6."""
    stage_steps: int = 10
    """Steps of a run in each stage."""

    def of_stages(self, games: int) -> dict[str, object]:
        """Return the changes of a config for stages of so many games without time weights."""
        return {
            "curriculum.games": games,
            "games_per_step": max(1, games // self.stage_steps),
            "time_weights.degree": 0,
        }

    @property
    def note(self) -> str:
        """What a result says of its runs."""
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
    """Whether a weight left the numbers, which ended it."""

    @cached_property
    def games(self) -> Array:
        """Games played before each step."""
        return np.array([step.games for step in self.steps], dtype=np.float64)

    @cached_property
    def array(self) -> Array:
        """Of shape (steps, features, 1 + degree): weights, then time weights."""
        return np.array([step.weights for step in self.steps])

    @property
    def weights(self) -> Array:
        """Of shape (steps, features)."""
        return np.asarray(self.array[:, :, 0])

    @property
    def time_weights(self) -> Array:
        """Of shape (steps, features): those of the linear clock."""
        return np.asarray(self.array[:, :, 1])

    @property
    def last(self) -> LearningStep:
        """The step after the last game."""
        return self.steps[-1]

    def at(self, games: float) -> Array:
        """Return the weights after so many games: those of the last step that is not later."""
        return np.asarray(self.weights[self._place(games)])

    def times_at(self, games: float) -> Array:
        """Return the time weights after so many games."""
        return np.asarray(self.time_weights[self._place(games)])

    def place_of(self, feature: str) -> int:
        """Return which of the features *feature* is."""
        return [feature.name for feature in self.config.features].index(feature)

    def player(self, depth: int = 1) -> AlphaBeta:
        """Return the player with the last weights."""
        return player_of(self.config, self.last, depth)

    def _place(self, games: float) -> int:
        return int(np.searchsorted(self.games, games, side="right")) - 1


def player_of(config: LearningConfig, step: LearningStep, depth: int) -> AlphaBeta:
    """Return the player with the weights of *step*; an ordering saves time and changes nothing."""
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
    """Return all steps of *config*, from *first* on; a run that leaves the numbers ends there.

    Once *stop* is set it ends after the step at hand.
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
    """Return *step* as the beginning of another training: the weights stay, all else is new."""
    return replace(step, games=0, number=0)


def side_by_side(request: Request, jobs: Sequence[Callable[[Event], T]]) -> list[T]:
    """Return what *jobs* return, in order, several at a time; progress counts them.

    A job is given what tells it to stop, which happens where this call is interrupted.
    """
    stop, results = Event(), []
    with ThreadPoolExecutor(request.threads or core_count()) as pool:
        waiting = [pool.submit(job, stop) for job in jobs]
        try:
            for number, one in enumerate(waiting):
                results.append(one.result())
                request.progress(number + 1, len(waiting))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def runs_of(
    request: Request, size: Size, names: Iterable[K], job: Callable[[K, int, Event], T]
) -> dict[K, list[T]]:
    """Return what *job* returns for each of *names* and the number of each run, side by side."""
    jobs = [partial(job, name, run) for name in names for run in range(size.runs)]
    made = side_by_side(request, jobs)
    by_name: dict[K, list[T]] = {}
    for one, what in zip(jobs, made, strict=True):
        by_name.setdefault(one.args[0], []).append(what)
    return by_name


def distance(one: Array, other: Array) -> float:
    """Return how far two sets of weights are apart."""
    return float(np.linalg.norm(one - other))


def correlation(one: Array, other: Array) -> float:
    """Return Pearson's correlation of two sets of weights over their features.

    It is 0 where all weights of one of them are equal, so that nothing varies.
    """
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def ratio(part: float, whole: float) -> float:
    """Return part / whole, both kept above 0, so that it has a logarithm."""
    least = 1e-12
    return max(part, least) / max(whole, least)


def fluctuation(games: Array, weights: Array) -> float:
    """Return by how much weights swing around straight lines: root mean square over the features.

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
    """Return the share of the games after which four fifths of the way to rest was gone.

    Rest is the mean of the weights over the last quarter.
    """
    rest = quarter(curve, 4)[1].mean(axis=0)
    ways = np.linalg.norm(curve.weights - rest, axis=1)
    return float(curve.games[np.argmax(ways <= _SETTLED * ways[0])] / curve.games[-1])


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
