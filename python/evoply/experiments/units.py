"""One unit of an experiment: a run of one setup and one seed, driven to its end and measured.

A unit that was stopped or killed resumes where it was, and a finished one is not repeated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evoply.arena import match
from evoply.environment import ProcessorClock
from evoply.environment.files import (
    checksum,
)
from evoply.evolution.play.opponents import read_opponent
from evoply.experiments.design import (
    Budget,
    Experiment,
    Measure,
    Setup,
)
from evoply.experiments.variety import variety_of
from evoply.kinds import Run
from evoply.protocols import MALFORMED, Player, RunError, RunNameError
from evoply.protocols.sections import JsonData
from evoply.runs import advance
from evoply.runs.schema import player_data

MEASURED = "measured"
"""The note of a run that holds its curve and its final value."""
_PROCESSOR = "processor_seconds"
"""The note of a run that holds what making it took."""
_KEPT_EVERY = 1.0
"""Processor seconds after which that is written again: a killed process loses no more of it."""

_CURVE_SHARE = 4
_MEASURE_SEED = 2**62
"""Seed of the openings of measures: no run can have it, so no run trained on them."""


BESIDE = ("scores", "variety")  # the fields of a point that hold several numbers


@dataclass(frozen=True, slots=True)
class Point(JsonData):
    """The strength of the champion after a step."""

    step: int
    games: float
    """Games of training so far."""
    work: float
    seconds: float
    value: float
    scores: tuple[float, ...] = ()
    """The scores against each opponent of the measure, of which `value` is the mean."""
    variety: Mapping[str, float] = field(default_factory=dict)
    """The figures of all trees at the end, if the experiment measures them."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Point:
        """Return the point that `to_dict` wrote as *data*; TypeError if it has no numbers."""
        fields = {name: data[name] for name in cls.__slots__ if name not in BESIDE}
        scores, variety = tuple(data.get("scores", ())), dict(data.get("variety", {}))
        numbers = (*fields.values(), *scores, *variety.values())
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError("a point has numbers")
        return cls(**fields, scores=scores, variety=variety)


@dataclass(frozen=True, slots=True)
class Unit:
    """A setup with one seed, and the folder of its run."""

    setup: Setup
    seed: int
    path: Path


@dataclass(slots=True)
class _Costs:
    """The costs of a run so far."""

    games: float = 0.0
    work: float = 0.0
    seconds: float = 0.0
    previous: Any = None

    def add(self, run: Run, step: Any) -> None:
        taken = run.kind.learners.costs(step, self.previous)
        self.games += taken.get("games", 0.0)
        self.work += taken.get("work", 0.0)
        self.seconds += step.seconds
        self.previous = step

    def used(self, budget: Budget) -> float:
        """Return the share of *budget* that is used, 0 without a budget."""
        if not budget.is_set:
            return 0.0
        used: float = getattr(self, budget.kind) / getattr(budget, budget.kind)
        return used


def run_unit(
    unit: Unit,
    experiment: Experiment,
    *,
    threads: int = 1,
    on_step: Callable[[float], object] | None = None,
    clock: ProcessorClock | None = None,
) -> tuple[Point, ...]:
    """Bring the run of *unit* to its end, measure it, and return its curve, the end last.

    *on_step* gets the share that is done, or 0 if unknown. A *clock* that runs already has what a
    new run took before its first step. A run that is measured already is only read.
    """
    if clock is None:
        with ProcessorClock() as clock:
            return run_unit(unit, experiment, threads=threads, on_step=on_step, clock=clock)
    setup = unit.setup.ready()
    config = setup.with_seed(unit.seed, experiment.budget)
    with _open(unit.path, setup, config) as run:
        done = measured(run)
        if done is not None:
            return done
        costs = _Costs()
        champions: list[tuple[_Mark, Player]] = []
        for step in run.whole_steps():
            costs.add(run, step)
            champions.append((_mark(step, costs), step.champions[0]))
        kept = processor_seconds(run)
        # Reading what was made before is no part of making it.
        earlier = kept - clock.seconds if champions else 0.0

        def other_limit(step: Any) -> str:
            is_used = costs.used(experiment.budget) >= 1
            return f"budget.{experiment.budget.kind}" if is_used else ""

        for step in advance(run, threads=threads, other_limit=other_limit):
            costs.add(run, step)
            champions.append((_mark(step, costs), step.champions[0]))
            if earlier + clock.seconds - kept > _KEPT_EVERY:
                kept = earlier + clock.seconds
                run.set_meta(**{_PROCESSOR: f"{kept:.3f}"})
            if on_step is not None:
                on_step(min(1.0, _progress(run, step, costs, experiment.budget)))
        taken = earlier + clock.seconds
        champions[-1] = champions[-1][0], run.champion_player
        curve = tuple(_curve(champions, experiment, run.game, threads))
        if experiment.variety is not None:
            opponents, seed = experiment.measure.opponents, _MEASURE_SEED
            found = variety_of(run, experiment.variety, opponents, seed=seed, threads=threads)
            curve = (*curve[:-1], replace(curve[-1], variety=found))
        notes = {MEASURED: json.dumps([point.to_dict() for point in curve])}
        run.set_meta(**notes, **{_PROCESSOR: f"{taken:.3f}"})
        return curve


def processor_seconds(run: Run) -> float:
    """Return the processor seconds that making *run* took so far, all parts of it.

    Its measure does not count. `RunError` if that cannot be read.
    """
    try:
        seconds = float(run.meta(_PROCESSOR) or 0)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise RunError(f"run {run.path}: what it took cannot be read - make it again")
    return seconds


def measured(run: Run) -> tuple[Point, ...] | None:
    """Return the curve of a finished unit, None if it is not finished."""
    text = run.meta(MEASURED)
    if not text:
        return None
    try:
        curve = tuple(Point.of(point) for point in json.loads(text))
    except MALFORMED:
        curve = ()
    if not curve or len({len(point.scores) for point in curve}) > 1:
        raise RunError(f"run {run.path}: its measured strength cannot be read - make it again")
    return curve


_Mark = tuple[int, float, float, float]


def _mark(step: Any, costs: _Costs) -> _Mark:
    return step.number, costs.games, costs.work, costs.seconds


def _open(path: Path, setup: Setup, config: Any) -> Run:
    learner = setup.kind.own or None
    try:
        return Run.open(path, learner=learner)
    except RunNameError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Run.create(path, config, learner=learner)


def _progress(run: Run, step: Any, costs: _Costs, budget: Budget) -> float:
    if budget.is_set:
        return costs.used(budget)
    config = run.config
    for limit, done in (
        ("generations", step.number + 1),
        ("games", costs.games),
        ("time_limit", costs.seconds),
    ):
        most = getattr(config, limit, None)
        if most:
            return float(done / most)
    return 0.0


def _curve(
    champions: list[tuple[_Mark, Player]],
    experiment: Experiment,
    game: str,
    threads: int,
) -> Iterator[Point]:
    """Yield points evenly spaced over the steps, and the end on all games.

    Without opponents, as in a league, the value is 0: its own games measure the players.
    """
    last = len(champions) - 1
    places = {round(last * point / experiment.points) for point in range(experiment.points)}
    few = max(2, experiment.games // _CURVE_SHARE // 2 * 2)
    scores: dict[str, tuple[float, ...]] = {}
    for index in [*sorted(places - {last}), last]:
        (step, games, work, seconds), player = champions[index]
        count = experiment.games if index == last else few
        # Not by its label, which shortens long formulas.
        key = f"{checksum(player_data(player))} {count}"
        if key not in scores:
            scores[key] = scores_of(
                player, experiment.measure, game=game, games=count, threads=threads
            )
        of_player = scores[key]
        value = sum(of_player) / max(1, len(of_player))
        yield Point(step, games, work, seconds, value, of_player)


def scores_of(
    player: Player, measure: Measure, *, game: str, games: int, threads: int = 1
) -> tuple[float, ...]:
    """Return the score of *player* against each opponent of *measure*, in *games* games each.

    The openings are always the same, and never those of training.
    """
    return tuple(
        match(player, opponent, game=game, games=games, seed=_MEASURE_SEED, threads=threads).score
        for opponent in (read_opponent(text, game) for text in measure.opponents)
    )


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The result of a unit."""

    setup: str
    seed: int
    digest: str
    """The digest of its last step."""
    curve: tuple[Point, ...]
    is_timed: bool = False
    """Whether a limit in seconds ended its run, which may be longer or shorter elsewhere."""

    @property
    def value(self) -> float:
        """The strength of the player at the end."""
        return self.curve[-1].value
