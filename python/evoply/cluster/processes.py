"""Processes of this machine as a pool: each computes on its own, one unit after another.

To start Python for every short unit would take longer than the unit, so a process stays. What is
asked goes to its standard input, and the answer, with how far it is before, comes from its standard
output: blocks of bytes behind their length. A process that nobody holds the other end of is gone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from typing import IO, Any, Self

from evoply.cluster.worker import LISTENER, perform
from evoply.protocols import packed, unpacked
from evoply.wording import shorten

_LONGEST_COMPLAINT = 2000


class DiedError(Exception):
    """A process ended in the middle of a unit."""

    def __init__(self, code: int, complaint: str) -> None:
        super().__init__(f"exit code {code}: {complaint or 'it said nothing'}")
        self.was_killed = code < 0
        """One that was killed did no wrong; one that found something wrong would find it again."""


class ProcessPool:
    """The contract `Pool` over at most *slots* processes, started as there is work for them.

    *tended* is told, a few times a second, how much of the units at work is done, all together.
    The end of the `with` leaves no process behind.
    """

    def __init__(self, slots: int, tended: Callable[[float], object] = lambda share: None) -> None:
        self.slots = slots
        self._tended = tended
        self._threads = ThreadPoolExecutor(slots)
        self._of_thread = threading.local()
        self._processes: list[_Process] = []
        self._lock = threading.Lock()
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_open = False
            for process in self._processes:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.ended()

    def submit(self, function: Any, /, *arguments: Any, without: str = "") -> Future[bytes]:
        """Give out `perform` of a unit; every process may do it."""
        assert function is perform, "nothing else has a name here"
        return self._threads.submit(self._done, *arguments)

    def tend(self) -> None:
        """Tell how far the units at work are."""
        self._tended(sum(process.share for process in list(self._processes)))

    def renew(self) -> None:
        """Do nothing: the next unit starts another process."""

    def is_lost(self, error: BaseException) -> bool:
        """Return whether a process was killed."""
        return isinstance(error, DiedError) and error.was_killed

    def explain(self, error: BaseException) -> str:
        """Return what the process said that ended by itself."""
        return str(error)

    def _done(self, function: Any, data: bytes, version: str, expected: str) -> bytes:
        """Return what the process of this thread makes of a unit."""
        names = [function.__module__, function.__qualname__, version, expected]
        process = getattr(self._of_thread, "process", None) or self._started()
        try:
            return process.answer(packed({"asked": names}, data))
        except (OSError, EOFError):
            self._of_thread.process = None
            with self._lock:
                self._processes.remove(process)
            raise process.ended() from None

    def _started(self) -> _Process:
        with self._lock:
            if not self._is_open:
                raise RuntimeError("this pool was closed")
            process = self._of_thread.process = _Process()
            self._processes.append(process)
        return process


class _Process:
    """One process, which one thread asks."""

    def __init__(self) -> None:
        self.share = 0.0
        """How much of its unit is done."""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `ended`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evoply.cluster.processes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            start_new_session=True,
        )

    def answer(self, question: bytes) -> bytes:
        """Return what comes of *question*; `OSError` or `EOFError` if the process is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.share = 0.0
        _send(self._process.stdin, question)
        while True:
            told, blocks = unpacked(_received(self._process.stdout))
            if blocks:
                self.share = 0.0
                return blocks[0]
            self.share = told["share"]

    def kill(self) -> None:
        """End the process; whoever waits for its answer is told."""
        self._process.kill()

    def ended(self) -> DiedError:
        """Close everything of a process that is gone, and return how it ended."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]  # both are pipes
        code = self._process.wait()
        with self._complaints as file:
            file.seek(0)
            lines = file.read().decode(errors="replace").strip().splitlines()
        return DiedError(code, shorten("; ".join(lines[-20:]), _LONGEST_COMPLAINT))


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def _received(stream: IO[bytes]) -> bytes:
    """Return the next block; `EOFError` if there is none."""
    head = stream.read(8)
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    if not head or len(data) < size:
        raise EOFError
    return data


def _work() -> None:
    """Do units for the process that holds the other end of standard input, until it is gone."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    LISTENER.set(lambda share: _send(answers, packed({"share": share})))
    questions = SimpleQueue[bytes]()
    threading.Thread(target=_read, args=(questions,), daemon=True).start()
    while True:
        told, (data,) = unpacked(questions.get())
        module, name, *versions = told["asked"]
        function = getattr(import_module(module), name)
        _send(answers, packed({}, perform(function, data, *versions)))


def _read(questions: SimpleQueue[bytes]) -> None:
    """Take what is asked, and end this process in the middle of anything when nobody is there."""
    with suppress(EOFError):
        while True:
            questions.put(_received(sys.stdin.buffer))
    os._exit(1)


if __name__ == "__main__":
    _work()
