"""Doing the units of an experiment on all cores, by processes of one thread, unit after unit.

A unit leaves everything in its run folder, so a process that dies loses nothing: the unit is begun
again where it was, three times at most.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread

from evoply.cluster import opened
from evoply.experiments.design import Budget
from evoply.experiments.folder import ExperimentFolder
from evoply.experiments.on_cluster import check_experiment_sendable, run_on_cluster
from evoply.experiments.units import Unit
from evoply.processes import core_count
from evoply.protocols import RunError
from evoply.wording import shorten

_TICK = 0.1
_MOST_TRIES = 3
_LONGEST_COMPLAINT = 2000
_PROBE_STEPS = 3


@dataclass(frozen=True, slots=True)
class Status:
    """How far an experiment is."""

    done: int
    units: int
    share: float
    """Of all units, those at work in part."""
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What an experiment will take."""

    runs: int
    seconds: float | None
    """On *workers* cores, without the games that measure; None where nothing tells."""
    workers: int


@dataclass(eq=False)
class _Worker:
    """A process that does units, one at a time."""

    process: subprocess.Popen[str]
    woken: SimpleQueue[None]
    """Gets something when a unit is done."""
    unit: Unit | None = None
    """What it is at."""
    share: float = 0.0
    complaint: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    """The last lines of what it says is wrong."""
    done: Event = field(default_factory=Event)
    """Whether its unit is done."""
    readers: list[Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        for stream, take in (
            (self.process.stdout, self._told),
            (self.process.stderr, self.complaint.append),
        ):
            assert stream is not None
            self.readers.append(Thread(target=_read, args=(stream, take), daemon=True))
            self.readers[-1].start()

    def give(self, unit: Unit) -> None:
        """Give it another unit."""
        assert self.process.stdin is not None
        self.unit, self.share = unit, 0.0
        self.done.clear()
        with suppress(BrokenPipeError):  # it has died: the unit is given to another one
            self.process.stdin.write(json.dumps([unit.setup.name, unit.seed]) + "\n")
            self.process.stdin.flush()

    def close(self) -> None:
        """Read what the process, which has ended, still said, and close its pipes."""
        for reader in self.readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()

    def _told(self, line: str) -> None:
        if line == "done":
            self.done.set()
            self.woken.put(None)
        else:
            self.share = float(line)


def _read(stream: Iterator[str], take: Callable[[str], object]) -> None:
    for line in stream:
        take(line.rstrip("\n"))


@dataclass(eq=False)
class _Crew:
    """The processes at an experiment, and what they are to do."""

    folder: ExperimentFolder
    at_once: int
    """The most processes."""
    waiting: deque[Unit] = field(init=False)
    active: list[_Worker] = field(default_factory=list)
    _woken: SimpleQueue[None] = field(default_factory=SimpleQueue)
    _tries: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.waiting = deque(self.folder.waiting())

    def keep_at_work(self) -> None:
        """Give units to those who have none, and start processes while there are more."""
        free = [worker for worker in self.active if worker.unit is None]
        while self.waiting and (free or len(self.active) < self.at_once):
            if not free:
                free.append(_Worker(self._started(), self._woken))
                self.active.append(free[0])
            free.pop().give(self.waiting.popleft())

    def look(self) -> int:
        """Wait for a moment; return how many units were done."""
        with suppress(Empty):
            self._woken.get(timeout=_TICK)
        done = 0
        for worker in list(self.active):
            has_ended = worker.process.poll() is not None
            if has_ended:
                self.active.remove(worker)
                worker.close()
            if worker.unit is not None and worker.done.is_set():
                worker.unit, worker.share = None, 0.0
                done += 1
            elif worker.unit is not None and has_ended:
                self._again(worker, worker.unit)
        return done

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "evoply.experiments.worker", str(self.folder.path)],
            stdin=subprocess.PIPE,  # also a lifeline: it ends when nobody holds the other end
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _again(self, worker: _Worker, unit: Unit) -> None:
        """Give out once more what a process left that has ended, if that may help."""
        key = unit.setup.name, unit.seed
        self._tries[key] = self._tries.get(key, 0) + 1
        # One that was killed says nothing; one that found something wrong would find it again.
        if worker.process.returncode < 0 and self._tries[key] < _MOST_TRIES:
            self.waiting.appendleft(unit)
            return
        said = shorten("; ".join(worker.complaint), _LONGEST_COMPLAINT) or "it said nothing"
        raise RunError(
            f"the run of {unit.setup.name} with seed {unit.seed} failed (exit code "
            f"{worker.process.returncode}): {said}"
        )


def run_experiment(
    folder: ExperimentFolder,
    *,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> None:
    """Do all units of *folder* that are not done, on *workers* processes (0: one a core).

    Or on the workers of a *cluster*: what `evoply.cluster.connect` takes or gives. Results do not
    depend on who does them. Ctrl-C and every error end all processes; what they had finished is
    kept. Raises `RunError` with what a unit said that failed, and `ValueError` before anything
    begins for what cannot be sent to a cluster.
    """
    if cluster is not None:
        _on_cluster(folder, cluster, progress)
        return
    units, crew = len(folder.units()), _Crew(folder, workers or core_count())
    finished = units - len(crew.waiting)
    began, at_first = time.monotonic(), finished / max(1, units)
    with _ended(crew.active):
        while finished < units:
            crew.keep_at_work()
            finished += crew.look()
            if progress is not None:
                share = (finished + sum(worker.share for worker in crew.active)) / units
                gained = share - at_first
                seconds = time.monotonic() - began
                left = seconds * (1 - share) / gained if gained > 0 else None
                progress(Status(finished, units, share, left))


def _on_cluster(
    folder: ExperimentFolder, cluster: object, progress: Callable[[Status], object] | None
) -> None:
    check_experiment_sendable(folder)
    count = len(folder.units())
    finished = first = count - len(folder.waiting())
    began = time.monotonic()

    def on_done() -> None:
        nonlocal finished
        finished += 1
        if progress is not None:
            left = (time.monotonic() - began) * (count - finished) / (finished - first)
            progress(Status(finished, count, finished / count, left))

    with opened(cluster) as workers:
        assert workers is not None
        run_on_cluster(folder, workers, on_done)


@contextmanager
def _ended(active: Sequence[_Worker]) -> Iterator[None]:
    """Leave no process behind."""
    try:
        yield
    finally:
        for worker in active:
            worker.process.kill()
        for worker in active:
            worker.process.wait()
            worker.close()


def estimated_cost(folder: ExperimentFolder, *, workers: int = 0) -> Cost:
    """Return what the units that are not done will take, from a few steps of each setup in memory.

    Budgets and limits in seconds are taken at their word.
    """
    units, count = folder.waiting(), workers or core_count()
    of_setup: dict[str, float | None] = {}
    for unit in units:
        if unit.setup.name not in of_setup:
            of_setup[unit.setup.name] = _seconds_of(unit, folder.experiment.budget)
    seconds = [of_setup[unit.setup.name] for unit in units]
    known = [one for one in seconds if one is not None]
    if len(known) < len(units):
        return Cost(len(units), None, count)
    # The last units of an uneven number leave cores idle.
    rounds = -(-len(units) // count)
    return Cost(len(units), rounds * sum(known) / max(1, len(known)), count)


def _seconds_of(unit: Unit, budget: Budget) -> float | None:
    """Return the seconds that a unit will take, measures left out; None if nothing tells."""
    config = unit.setup.with_seed(unit.seed, budget)
    if budget.seconds is not None:
        return budget.seconds
    learners = unit.setup.kind.learners
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
        return _scaled(seconds, getattr(budget, budget.kind), costs[budget.kind])
    guesses = [
        _scaled(seconds, config.generations, _PROBE_STEPS)
        if getattr(config, "generations", None)
        else None,
        _scaled(seconds, config.games, costs["games"]) if getattr(config, "games", None) else None,
        config.time_limit,
    ]
    known = [guess for guess in guesses if guess is not None]
    return min(known) if known else None


def _scaled(seconds: float, most: float, taken: float) -> float | None:
    return seconds * most / taken if taken else None
