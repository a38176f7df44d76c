"""Processes of this machine as a pool: each computes on its own, one unit after another.

Starting Python for every short unit would take longer than the unit, so a process stays. Questions
go to its standard input, and reports of progress and the answer come from its standard output, as
blocks of bytes behind their length. A process ends when the other end of its input is closed.

Reasons: docs/design/cluster.md.
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

from evoply.cluster.dispatch import LISTENER, perform
from evoply.environment import own_python
from evoply.protocols import packed, unpacked
from evoply.wording import shorten

_LONGEST_COMPLAINT = 2000


class DiedError(Exception):
    """A process ended in the middle of a unit."""

    def __init__(self, code: int, complaint: str) -> None:
        super().__init__(f"exit code {code}: {complaint or 'it said nothing'}")
        self.was_killed = code < 0
        """Whether it was killed: a process that failed by itself would fail again."""


class ProcessPool:
    """The contract `Pool` over at most *slots* processes, started as there is work for them.

    *tended* is called a few times a second with the total share done of the running units. The end
    of the `with` ends all processes.
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
        """Submit `perform` of a unit; any process may do it."""
        assert function is perform, "nothing else has a name here"
        return self._threads.submit(self._run_unit, *arguments)

    def cancel_lost(self) -> None:
        """Report the progress of the running units."""
        self._tended(sum(process.share for process in list(self._processes)))

    def reconnect(self) -> None:
        """Do nothing: the next unit starts another process."""

    def is_lost(self, error: BaseException) -> bool:
        """Return whether a process was killed."""
        return isinstance(error, DiedError) and error.was_killed

    def explain(self, error: BaseException) -> str:
        """Return the message of the process that ended by itself."""
        return str(error)

    def worker_of(self, future: Future[bytes]) -> str:
        """Return "": processes of this machine are all alike."""
        return ""

    def _run_unit(self, function: Any, data: bytes, version: str, expected: str) -> bytes:
        """Return the answer of this thread's process to a unit."""
        names = [function.__module__, function.__qualname__, version, expected]
        process = getattr(self._of_thread, "process", None) or self._start()
        try:
            return process.answer(packed({"asked": names}, data))
        except (OSError, EOFError):
            self._of_thread.process = None
            with self._lock:
                self._processes.remove(process)
            raise process.ended() from None

    def _start(self) -> _Process:
        with self._lock:
            if not self._is_open:
                raise RuntimeError("this pool was closed")
            process = self._of_thread.process = _Process()
            self._processes.append(process)
        return process


class _Process:
    """A process that serves one thread."""

    def __init__(self) -> None:
        self.share = 0.0
        """Share of its unit that is done."""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `ended`
        self._process = subprocess.Popen(
            [*own_python(), "-m", "evoply.cluster.processes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            start_new_session=True,
        )

    def answer(self, question: bytes) -> bytes:
        """Return the answer to *question*; `OSError` or `EOFError` if the process is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.share = 0.0
        _send(self._process.stdin, question)
        while True:
            header, blocks = unpacked(_receive(self._process.stdout))
            if blocks:
                self.share = 0.0
                return blocks[0]
            self.share = header["share"]

    def kill(self) -> None:
        """End the process; a caller that waits for its answer gets an error."""
        self._process.kill()

    def ended(self) -> DiedError:
        """Close the streams of a process that is gone, and return how it ended."""
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


def _receive(stream: IO[bytes]) -> bytes:
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
        header, (data,) = unpacked(questions.get())
        module, name, *versions = header["asked"]
        function = getattr(import_module(module), name)
        _send(answers, packed({}, perform(function, data, *versions)))


def _read(questions: SimpleQueue[bytes]) -> None:
    """Read questions, and end this process at once when the other end is closed."""
    with suppress(EOFError):
        while True:
            questions.put(_receive(sys.stdin.buffer))
    os._exit(1)


if __name__ == "__main__":
    _work()
