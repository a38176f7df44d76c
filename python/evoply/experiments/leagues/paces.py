"""What a second of one core is worth to each method: measured, or taken from where it was measured.

The pace of a setup is how much of its counted limit one core does in a second of processor time. A
league measures paces before it begins and keeps them, so its budgets are counted from then on: it
goes on, and is repeated with the same paces, to the same players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from evoply.environment import ProcessorClock
from evoply.experiments.design import Setup
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import measured, processor_seconds
from evoply.kinds import Run
from evoply.protocols import RunNameError
from evoply.runs import advance

COUNTED = {"work_limit": "work", "games": "games"}
"""The keys that end a run by a counted limit, and their units, the finer one first."""
_TRIAL = 0.1
"""The share of the seconds for a first, short run, whose pace is the guess for the next one."""
_TOO_LONG = 3.0
"""Measuring ends with the step after so many times its seconds, done or not."""


def pace_of_limits(setup_of: Callable[[float, float], Setup], pace: float, seconds: float) -> float:
    """Return how much of the first of its limits a setup does in a second of one core.

    `setup_of(seconds, pace)` is a run worth so many seconds at a pace, made to its end:
    so learning in several stages counts with all of them. *pace* is a guess, that of the machine of
    reference; a short run makes a better one before the one that counts.
    """
    for part in (_TRIAL * seconds, seconds):
        setup = setup_of(part, pace)
        key = counted_key(setup)
        labels = getattr(setup.config, "labels", None)
        most = getattr(setup.config, key) + (0 if labels is None else labels.games)
        done, taken = _done(setup, COUNTED[key], _TOO_LONG * seconds)
        pace *= done / most * part / taken
        if taken > seconds / 2:
            break  # one step may take longer than all of this
    return pace


def pace_of_own(setup: Setup, seconds: float) -> float:
    """Return how much of its counted limit a config of the user's does in a second of one core."""
    ready = setup.ready()
    done, taken = _done(ready, COUNTED[counted_key(ready)], seconds)
    return max(done, 1.0) / taken


def paces_as_made(folder: ExperimentFolder) -> dict[str, float]:
    """Return how much of its counted limit each setup of a league really did in a second.

    That is its limit over the mean processor seconds of its runs; a setup without one is left out.
    """
    taken: dict[str, list[float]] = {}
    for unit in folder.units():
        with suppress(RunNameError), Run.open(unit.path) as run:
            if measured(run) is not None:
                taken.setdefault(unit.setup.name, []).append(processor_seconds(run))
    return {
        setup.name: getattr(setup.config, key) / fmean(taken[setup.name])
        for setup in folder.setups
        if any(taken.get(setup.name, ())) and (key := counted_key(setup))
    }


def counted_key(setup: Setup) -> str:
    """Return the key of the counted limit of a learner, "" if it counts neither work nor games."""
    kind = setup.ready().kind
    counted = (
        key
        for key, unit in COUNTED.items()
        if key in kind.configs.limits and unit in kind.learners.counted
    )
    return next(counted, "")


def _done(setup: Setup, unit: str, seconds: float) -> tuple[float, float]:
    """Return what is done of *unit*, more than 0, by the step after *seconds*, and the seconds.

    What comes after the last step takes as long in any run, and would tell too much in a short one.
    """
    done = taken = 0.0
    with ProcessorClock() as clock:
        for cost in written_steps(setup):
            done += cost.get(unit, 0.0)
            taken = clock.seconds
            if taken >= seconds and done > 0:  # a first step may have no games
                break
    return done, max(taken, 1e-3)


def written_steps(setup: Setup) -> Iterator[Mapping[str, float]]:
    """Yield what each step cost in a run on one thread, which is thrown away.

    The steps are written as those of the league are: for a learner of many short steps that is a
    good part of what they take.
    """
    before: Any = None
    with TemporaryDirectory(prefix="evoply-pace-") as folder:
        path = Path(folder) / "run"
        with Run.create(path, setup.config, learner=setup.kind.own or None) as run:
            for step in advance(run, threads=1):
                yield run.kind.learners.costs(step, before)
                before = step
