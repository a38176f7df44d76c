"""A Dask scheduler and its workers as processes that a test may kill."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from waiting import PATIENCE, until


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


@dataclass(eq=False)
class DaskProcesses:
    """Started by Dask's own commands, as users start theirs."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    """Those that tests share; a test that ends one starts another in its place."""

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def scheduler(self) -> subprocess.Popen[bytes]:
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        process = self._start("scheduler", *options)
        # On a busy machine its start takes longer than anybody waits for an answer.
        until(self._is_heard, "the scheduler")
        return process

    def _is_heard(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def worker(self, preload: str = "") -> subprocess.Popen[bytes]:
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        options += ["--death-timeout", str(PATIENCE), "--local-directory", str(self.folder)]
        if preload:
            file = self.folder / f"preload_{len(self.processes)}.py"
            file.write_text(preload)
            options += ["--preload", str(file)]
        return self._start("worker", self.address, *options)

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        log = (self.folder / "dask.log").open("ab")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},
            )
        self.processes.append(process)
        return process


@contextmanager
def dask_processes(folder: Path) -> Iterator[DaskProcesses]:
    """Give an empty place to start processes from; all are killed in the end."""
    found = DaskProcesses(folder)
    try:
        yield found
    finally:
        for process in found.processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        for process in found.processes:
            process.wait()
