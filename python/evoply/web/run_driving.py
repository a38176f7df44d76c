"""Beginning runs and asking them to pause, go on and stop.

A run that was begun here is driven by a process of its own (`evoply resume`), which lives on when
the server ends. Any run hears requests by the file in its folder, whoever began it.
"""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evoply.kinds import Run
from evoply.protocols import ConfigError, RunError, RunNameError
from evoply.runs import (
    checked_name,
    go_on_in_process,
    leave_request,
    list_runs,
    named_run,
    new_run_path,
    runs_directory,
)
from evoply.runs.folder import OUTPUT, is_locked
from evoply.runs.folder import Request as RunCommand
from evoply.runs.kept_learners import has_programs, resuming
from evoply.web.limits import LimitError, ServerLimits
from evoply.web.run_forms import config_asked
from evoply.web.run_messages import RunRequest, StartRun
from evoply.wording import shorten

_COMMAND = "evoply web"
_ENDED_WELL = (0, 130)
"""Exit codes of a run that has ended or was stopped."""
_LONGEST_TROUBLE = 500
_LOOK_SECONDS = 0.05
"""How soon a run that has begun hears what it was asked while it was starting."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A process that was started here, and its run's creation time and earlier events."""

    process: subprocess.Popen[bytes]
    created: str
    events: int


@dataclass(slots=True)
class RunDriver:
    """Begins runs, and knows those that it has begun."""

    limits: ServerLimits
    start: Callable[..., subprocess.Popen[bytes]] = go_on_in_process
    _begun: dict[str, _Begun] = field(default_factory=dict)
    _wanted: dict[str, RunCommand] = field(default_factory=dict)
    """What runs that are starting are asked to do."""
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, body: StartRun) -> str:
        """Make the run that is asked for, begin it, and return its name.

        Raises `ConfigError` with all that is wrong, the name included.
        """
        wrong = list(_wrong_name(body.name))
        try:
            config = config_asked(body, self.limits)
        except ConfigError as error:
            raise ConfigError([*wrong, *error.errors]) from None
        if wrong:
            raise ConfigError(wrong)
        with self._changing:
            self._check_room()
            path = self._create(body.name, config)
            self._start(path.name, path, tests=body.tests)
        return path.name

    def _create(self, name: str | None, config: Any) -> Path:
        if name is not None:
            with Run.create(runs_directory() / name, config, command=_COMMAND) as run:
                return run.path
        while True:
            path = new_run_path(config.game)
            try:
                with Run.create(path, config, command=_COMMAND) as run:
                    return run.path
            except RunNameError:  # another process took the name meanwhile: look for the next
                continue

    def ask(self, name: str, body: RunRequest) -> None:
        """Leave a request for the run called *name*, or go on with it if nobody drives it.

        A run that is starting clears its folder of requests of earlier days: what is asked of it
        meanwhile is left there as soon as it has noted that it began.
        """
        path = named_run(name)
        with self._changing:
            is_called_off = body.request == "resume" and name in self._wanted
            if self.is_starting(name) and (body.request != "resume" or is_called_off):
                if name not in self._wanted:
                    handing = threading.Thread(
                        target=self._hand_over, args=(name, path), daemon=True
                    )
                    handing.start()
                self._wanted[name] = body.request
                return
            if is_locked(path):
                leave_request(path, body.request)
                return
            if name in self._alive():
                raise RunError(f"run {name} is just beginning or ending - try again in a second")
            if body.request != "resume":
                raise RunError(f"run {name} stands still already - resume goes on with it")
            with Run.open(path) as run:
                _check_going_on(run, body)
            self._check_room()
            self._start(name, path, generations=body.generations)

    def _start(self, name: str, path: Path, **options: Any) -> None:
        created, events = _marks(path)
        process = self.start(path, **options)
        self._begun[name] = _Begun(process, created, events)
        self._wanted.pop(name, None)
        # The system keeps a process that has ended until somebody has asked how.
        threading.Thread(target=process.wait, name=f"run {name}", daemon=True).start()

    def _hand_over(self, name: str, path: Path) -> None:
        """Leave what is wanted of a run that is starting in its folder, once it has begun."""
        begun = self._begun[name]
        while self.is_starting(name):
            time.sleep(_LOOK_SECONDS)
        with self._changing:
            if self._begun.get(name) is begun:  # else it was begun again, and nobody asked that
                request = self._wanted.pop(name, None)
                if request is not None and begun.process.poll() is None:
                    leave_request(path, request)

    def wanted(self, name: str) -> RunCommand | None:
        """Return what the run called *name*, which is starting, is to do as soon as it can."""
        return self._wanted.get(name)

    def is_starting(self, name: str) -> bool:
        """Whether a process has begun with the run called *name* and has not yet noted so."""
        begun = self._begun.get(name)
        if begun is None or begun.process.poll() is not None:
            return False
        # It notes that as soon as nothing can refuse it any more.
        try:
            return _marks(named_run(name)) == (begun.created, begun.events)
        except RunError:  # its folder was deleted, or is damaged: the list of runs says so
            return False

    def trouble(self, name: str) -> str | None:
        """Return the last words of a process that was started here and has failed."""
        begun = self._begun.get(name)
        if begun is None or begun.process.poll() in (None, *_ENDED_WELL):
            return None
        try:
            path = named_run(name)
            if _marks(path)[0] != begun.created:  # another run, which has its name now
                return None
            text = (path / OUTPUT).read_text(encoding="utf-8", errors="replace")
        except (OSError, RunError):
            text = ""
        lines = [line for line in text.splitlines() if line.strip()]
        last = lines[-1] if lines else "it said nothing"
        return shorten(
            f"its process ended with code {begun.process.poll()}: {last}", _LONGEST_TROUBLE
        )

    def _alive(self) -> set[str]:
        """Return the runs whose processes were started here and still run."""
        return {name for name, begun in self._begun.items() if begun.process.poll() is None}

    def _check_room(self) -> None:
        """Raise `LimitError` if the largest number of runs go on already."""
        going_on = {run.name for run in list_runs() if is_locked(run.path)}
        going_on |= self._alive()
        most = self.limits.runs_at_once
        if len(going_on) >= most:
            raise LimitError(
                f"{len(going_on)} runs go on already ({', '.join(sorted(going_on)[:most])}), and "
                f"{most} may at once - stop one, or wait until one ends",
                409,
            )


def _wrong_name(name: str | None) -> Iterator[tuple[str, str]]:
    """Yield why a new run cannot be called *name*."""
    if name is None:
        return
    try:
        checked_name(name)
    except ValueError as error:
        # Not how it ends: where the folder of runs lies was decided before the page was opened.
        yield "name", str(error).removeprefix("name: ").partition(" (set ")[0]
        return
    if (runs_directory() / name).exists():
        yield "name", f"there is a run called {name} already - give another name"


def _marks(path: Path) -> tuple[str, int]:
    """Return when the run was created, and how many events it has noted."""
    with Run.open(path) as run:
        return run.created, len(run.events())


def _check_going_on(run: Run, body: RunRequest) -> None:
    """Raise `RunError` unless a process can go on with *run*."""
    if has_programs(run):
        raise RunError(
            f"run {run.name} needs Python or programs of your own, which the page does not start - "
            f"go on with `evoply {resuming(run)}`"
        )
    count = run.count()
    if body.generations is not None and body.generations <= count:
        raise RunError(f"generations: the run has {run.steps_in_words()} already - give more")
    if body.generations is None and run.status in ("finished", "limit"):
        raise RunError(
            f"run {run.name} has ended - give a number of {run.step_word}s above {count:,}"
        )
