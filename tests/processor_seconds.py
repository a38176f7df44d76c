"""What each file of tests costs: processor seconds of its process, its children and its browsers.

`pytest --seconds` writes them to target/test-seconds.json, where `make limits` finds them, and
prints the most expensive files. A process that is killed with its parent, as those of a browser
are, is reaped by nobody who counts: /proc is read now and then, and the last figure of a process
that is gone is kept. So it is for Linux; elsewhere nothing is counted.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

# By their own names: what a test puts in the place of `os.open` is not for this.
from os import close, listdir, read, times
from os import open as open_file
from pathlib import Path
from statistics import fmean
from time import process_time, thread_time
from typing import Any, NamedTuple

import pytest

__all__ = ["Meter", "Spent"]

_NAME = "processor_seconds"
_BETWEEN_LOOKS = 0.2
"""Seconds between two looks at /proc. A look takes a third of a millisecond; what a process did
after the last one is lost where nobody reaps it."""
_COLLECTING, _ELSE = "collecting", "between files"
_SHOWN = 10
_TURNS, _SECONDS_OF_TURNS = 200_000, 0.006
"""Turns of a loop, and what they take on the reference: an AMD EPYC (family 25, model 17) with
Python 3.11. What they take longer here, in the mean of all files, the seconds are divided by: where
others share a core some loops take several times as long, as tests do, and a median would not see
it. A loop is no more than a hint: tests wait for the kernel and for browsers, too."""


class Spent(NamedTuple):
    """What /proc knows of a process: seconds of itself, and of those that it has reaped."""

    parent: int
    own: float
    reaped: float


@dataclass
class Meter:
    """Adds up the processor seconds of a process and of all that it starts.

    Every second is in one place: the process itself, one that lives, or one that was reaped, which
    is in its parent. What is in none of these, *lost*, is kept here.
    """

    living: Callable[[], dict[int, Spent]]
    root: int = field(default_factory=os.getpid)
    seen: dict[int, Spent] = field(default_factory=dict)
    lost: float = 0.0

    def look(self) -> float:
        """Return the seconds until now."""
        now = self.living()
        self.seen = self.seen or now
        for ancestor, seconds in self._gone(now).items():
            reaped = now[ancestor].reaped - self.seen[ancestor].reaped
            self.lost += max(0.0, seconds - reaped)
        self.seen = now
        return self.lost + sum(one.own + one.reaped for one in now.values())

    def _gone(self, now: dict[int, Spent]) -> Counter[int]:
        """Return the seconds of those who are gone, by the nearest ancestor who is still there."""
        found: Counter[int] = Counter()
        still_there = self.seen.keys() & now.keys()
        for pid in self.seen.keys() - still_there:
            ancestor = self.seen[pid].parent
            while ancestor in self.seen and ancestor not in still_there:
                ancestor = self.seen[ancestor].parent
            spent = self.seen[pid].own + self.seen[pid].reaped
            found[ancestor if ancestor in still_there else self.root] += spent
        return found


class _Family:
    """This process and all that come from it, also those who have lost their parent meanwhile."""

    def __init__(self) -> None:
        self._tick = 1 / os.sysconf("SC_CLK_TCK")
        self._ours: dict[int, int] = {}  # and their parents, as they were first seen
        self._others: set[int] = set()

    def __call__(self) -> dict[int, Spent]:
        """Look again where a child was reaped meanwhile: it would be seen twice or not at all."""
        while True:
            before = _reaped()
            found = self._look()
            if _reaped() == before:
                return {os.getpid(): Spent(0, process_time(), before), **found}

    def _look(self) -> dict[int, Spent]:
        # A process that is another's stays another's: it is read once.
        listed = {int(name) for name in listdir("/proc") if name.isdecimal()}
        self._others &= listed
        read = {pid: spent for pid in listed - self._others if (spent := self._read(pid))}
        ours = {os.getpid(), *(pid for pid in self._ours if pid in read)}
        new = read.keys() - ours
        while born := {pid for pid in new if read[pid].parent in ours}:
            ours |= born
            new -= born
        self._others |= new
        self._ours = {
            pid: self._ours.get(pid, read[pid].parent) for pid in ours if pid != os.getpid()
        }
        return {pid: read[pid]._replace(parent=parent) for pid, parent in self._ours.items()}

    def _read(self, pid: int) -> Spent | None:
        with suppress(OSError):
            file = open_file(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                stat = read(file, 4096).rpartition(b")")[2].split()
            finally:
                close(file)
            own, of_own, reaped, of_reaped = (int(ticks) * self._tick for ticks in stat[11:15])
            return Spent(int(stat[1]), own + of_own, reaped + of_reaped)
        return None


def _reaped() -> float:
    used = times()
    return used.children_user + used.children_system


def _slowness() -> float:
    """Return how many times as long as the reference this processor takes now."""
    began, total = thread_time(), 0
    for number in range(_TURNS):
        total += number & 7
    return (thread_time() - began) / _SECONDS_OF_TURNS


class _Files:
    """Counts what each file costs, in the process that runs its tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._meter = Meter(_Family())
        self._root = config.rootpath
        self._seconds: Counter[str] = Counter()
        self._before, self._file = 0.0, _COLLECTING
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._slowness = [_slowness() for _ in range(5)]
        self._thread = threading.Thread(target=self._look_on, name=_NAME, daemon=True)
        self._thread.start()

    def _look_on(self) -> None:
        while not self._ended.wait(_BETWEEN_LOOKS):
            with self._lock, suppress(OSError):  # a test may open all files that it may
                self._meter.look()

    def _go_on_to(self, file: str) -> None:
        """Count what was spent since the last call for the file that ran, and change to *file*."""
        with self._lock:
            now = self._meter.look()
        self._seconds[self._file] += now - self._before
        self._before, self._file = now, file

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: Any) -> Iterator[None]:
        """Count for the file of a test. What waits for all tests of a file is the file's, too."""
        file = Path(os.path.relpath(item.path, self._root)).as_posix()
        if self._file != file:
            self._go_on_to(file)
        result = yield
        if nextitem is None or nextitem.path != item.path:
            self._go_on_to(_ELSE)
            self._slowness.append(_slowness())
        return result

    def end(self) -> dict[str, Any]:
        """Return what the processor was like, and the seconds by file."""
        self._ended.set()
        self._thread.join()
        self._go_on_to(_ELSE)
        return {"slowness": self._slowness, "files": dict(self._seconds)}


class _Report:
    """Adds up what processes counted, keeps it and prints it."""

    def __init__(self, config: pytest.Config, files: _Files | None) -> None:
        self._config, self._files = config, files
        self._parts: list[dict[str, Any]] = []
        self._lines: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker counted."""
        if part := getattr(node, "workeroutput", {}).get(_NAME):
            self._parts.append(part)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        if self._files is not None:
            self._parts.append(self._files.end())
        else:  # what gives out the tests costs something, too
            self._parts.append({"slowness": [], "files": {_ELSE: process_time()}})
        seconds: Counter[str] = Counter()
        for part in self._parts:
            seconds.update(part["files"])
        found = [one for part in self._parts for one in part["slowness"]]
        slowness = round(fmean(found or [1.0]), 3)
        rounded = {file: round(one / slowness, 2) for file, one in seconds.most_common()}
        kept = {"sum": round(seconds.total() / slowness, 1), "slowness": slowness, "files": rounded}
        path = self._config.rootpath / "target" / "test-seconds.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        self._lines = [f"{spent:7.1f} {file}" for file, spent in list(rounded.items())[:_SHOWN]]
        self._lines.append(
            f"{kept['sum']:7.1f} in all; this processor takes {slowness:.2f} times as long as the "
            "reference, and seconds are those of the reference"
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the most expensive files."""
        terminalreporter.section("processor seconds of files of tests")
        for line in self._lines:
            terminalreporter.write_line(line)


class _Sent:
    """Hands over what a worker counted."""

    def __init__(self, config: Any, files: Any) -> None:
        self._config, self._files = config, files

    def pytest_sessionfinish(self) -> None:
        """Give it to the process that gives out the tests."""
        self._config.workeroutput[_NAME] = self._files.end()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that counts."""
    parser.addoption(
        "--seconds", action="store_true",
        help="count the processor seconds of each file, children and browsers as well (Linux)",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Count where that is asked for and can be done."""
    if not config.getoption("--seconds") or sys.platform != "linux":
        return
    is_worker = hasattr(config, "workerinput")
    gives_out = not is_worker and bool(config.getoption("numprocesses", None))
    files = None if gives_out else _Files(config)
    if is_worker:
        config.pluginmanager.register(_Sent(config, files))
    else:
        config.pluginmanager.register(_Report(config, files))
    if files is not None:
        config.pluginmanager.register(files)
