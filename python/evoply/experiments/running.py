"""Execution of the units of an experiment: by processes of one thread, or on a cluster.

A unit on this machine keeps everything in its run folder, so a killed process loses nothing: the
unit resumes where it was, three times at most.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoply.cluster import Dispatcher, opened
from evoply.cluster.processes import ProcessPool
from evoply.cluster.worker import report
from evoply.experiments.design import Budget
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import Unit, run_unit
from evoply.experiments.units_on_cluster import check_experiment_sendable, run_on_cluster
from evoply.own_code import check_nothing_imports, permissions, with_permissions
from evoply.processes import core_count
from evoply.protocols import RunError, UnitError, packed, unpacked

_MOST_TRIES = 3
_PROBE_STEPS = 3


@dataclass(frozen=True, slots=True)
class Status:
    """The progress of an experiment."""

    done: int
    units: int
    share: float
    """Share of all units that is done, running ones counted in part."""
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of an experiment."""

    runs: int
    seconds: float | None
    """On *workers* cores, without the games that measure; None if unknown."""
    workers: int


def run_experiment(
    folder: ExperimentFolder | Sequence[ExperimentFolder],
    *,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> None:
    """Run all unfinished units of *folder*, or of several, on *workers* processes (0: one a core).

    Or on the workers of a *cluster*: an argument or a result of `evoply.cluster.connect`. Results
    do not depend on the workers. Ctrl-C and every error end all processes; finished steps are
    kept. Raises `RunError` with the message of a unit that failed, and `ValueError` before
    anything starts for units that cannot be sent to a cluster.
    """
    check_nothing_imports("an experiment")
    folders = [folder] if isinstance(folder, ExperimentFolder) else [*folder]
    for part in folders:
        part.check_measure()
        if cluster is not None:
            check_experiment_sendable(part)
    waiting = [(part, unit) for part in folders for unit in part.waiting()]
    units = sum(len(part.units()) for part in folders)
    done = first = units - len(waiting)
    began = time.monotonic()

    def tell(at_work: float = 0.0) -> None:
        if progress is not None:
            gained, left = done + at_work - first, units - done - at_work
            seconds = (time.monotonic() - began) * left / gained if gained > 0 else None
            progress(Status(done, units, 1 - left / units, seconds))

    def on_done() -> None:
        nonlocal done
        done += 1
        tell()

    if cluster is not None:
        with opened(cluster) as others:
            assert others is not None
            for part in folders:
                run_on_cluster(part, others, on_done)
        return
    permitted = permissions()
    parts = [
        packed({"of": [str(part.path), unit.setup.name, unit.seed], "may_run": permitted})
        for part, unit in waiting
    ]
    with ProcessPool(workers or core_count(), tell) as pool:
        here = Dispatcher(pool, most_losses=_MOST_TRIES - 1)
        try:
            for _ in here.results(unit_here, parts, same=None):
                done += 1
                pool.tend()
        except UnitError as error:
            _, unit = waiting[error.place]
            raise RunError(
                f"the run of {unit.setup.name} with seed {unit.seed} failed: {error.reason}"
            ) from None


def unit_here(data: bytes) -> bytes:
    """Make and measure one run in its folder: what a process of this machine does."""
    task = unpacked(data)[0]
    path, setup, seed = task["of"]
    with with_permissions(task["may_run"]):
        folder = _folder_at(path)
        run_unit(folder.unit(setup, seed), folder.experiment, on_step=report)
    return b""


@lru_cache(maxsize=16)
def _folder_at(path: str) -> ExperimentFolder:
    return ExperimentFolder.open(path)


def estimated_cost(folder: ExperimentFolder, *, workers: int = 0) -> Cost:
    """Return the cost of the unfinished units, estimated from a few steps of each setup in memory.

    Budgets and limits in seconds count in full.
    """
    units, count = folder.waiting(), workers or core_count()
    of_setup: dict[str, float | None] = {}
    for unit in units:
        if unit.setup.name not in of_setup:
            of_setup[unit.setup.name] = _seconds_of(unit, folder.experiment.budget)
    seconds = [of_setup[unit.setup.name] for unit in units]
    known = [second for second in seconds if second is not None]
    if len(known) < len(units):
        return Cost(len(units), None, count)
    # The last units of an uneven number leave cores idle.
    rounds = -(-len(units) // count)
    return Cost(len(units), rounds * sum(known) / max(1, len(known)), count)


def _seconds_of(unit: Unit, budget: Budget) -> float | None:
    """Return the seconds that a unit will take, without measures; None if unknown."""
    setup = unit.setup.ready()
    config = setup.with_seed(unit.seed, budget)
    if budget.seconds is not None:
        return budget.seconds
    learners = setup.kind.learners
    learner = learners.made(threads=1)
    step, previous, costs, seconds = None, None, {"games": 0.0, "work": 0.0}, 0.0
    for _ in range(_PROBE_STEPS):
        step = learner.first(config) if step is None else learner.after(config, step)
        for name, taken in learners.costs(step, previous).items():
            costs[name] += taken
        seconds, previous = seconds + step.seconds, step
        if learner.is_finished(config, step):
            return seconds
    if budget.is_set:
        return _scale(seconds, getattr(budget, budget.kind), costs[budget.kind])
    guesses = [
        _scale(seconds, config.generations, _PROBE_STEPS)
        if getattr(config, "generations", None)
        else None,
        _scale(seconds, config.games, costs["games"]) if getattr(config, "games", None) else None,
        getattr(config, "time_limit", None),
    ]
    known = [guess for guess in guesses if guess is not None]
    return min(known) if known else None


def _scale(seconds: float, most: float, taken: float) -> float | None:
    return seconds * most / taken if taken else None
