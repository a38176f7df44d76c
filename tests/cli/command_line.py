"""Running the command line in tests: in this process, or as its own process."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evoply.cli import main
from waiting import PATIENCE

SMALL_CONFIG = """
game = "othello-4"
seed = 3
population_size = 12
generations = 3

[initialisation]
max_depth = 4

[fitness]
opening_plies = 2
opponents = [{ player = "random", pairs = 2 }]

[hall_of_fame]
size = 3
candidates = 2
sample = 3
pairs = 2
final_pairs = 4
"""


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        data: dict[str, Any] = json.loads(lines[0])
        return data


def call(capsys: Any, *arguments: str) -> Answer:
    """Run a command in this process."""
    code = main(list(arguments))
    captured = capsys.readouterr()
    return Answer(code, captured.out, captured.err)


def start(*arguments: str, cwd: Path, **options: Any) -> "subprocess.Popen[str]":
    """Start `python -m evoply` with pipes."""
    settings: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **options,
    }
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    # Tests wait for what a command does and stop it then: measured, it would still be importing.
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    return subprocess.Popen(
        [sys.executable, "-m", "evoply", *arguments],
        cwd=cwd,
        text=True,
        env=environment,
        **settings,
    )


def ended(
    process: "subprocess.Popen[str]",
    when: Callable[[], object],
    number: signal.Signals = signal.SIGINT,
) -> tuple[str, str]:
    """Send a signal, by default Ctrl-C, as soon as *when* returns; return what was printed."""
    try:
        when()
        process.send_signal(number)
        return process.communicate(timeout=PATIENCE)
    finally:
        process.kill()


@contextmanager
def terminal(
    *arguments: str, cwd: Path, columns: int = 80, **options: Any
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Start a command in a terminal; yield what a person reads and writes there, and the process.

    A test that has read enough waits for the end of the process.
    """
    pty = pytest.importorskip("pty", reason="needs terminals of Unix")
    leader, follower = pty.openpty()
    environment = {
        **os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40",
    }  # fmt: skip
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "evoply", *arguments],
        cwd=cwd,
        env=environment,
        **{"stdin": follower, "stdout": follower, "stderr": follower, **options},
    )
    os.close(follower)
    try:
        yield leader, process
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
        os.close(leader)


def shown_in_terminal(*arguments: str, cwd: Path, **options: Any) -> tuple[int, str]:
    """Return the exit code of a command, and all that it shows in a terminal."""
    shown = b""
    with terminal(*arguments, cwd=cwd, **options) as (leader, process):
        try:
            while part := os.read(leader, 1 << 16):
                shown += part
        except OSError:  # Linux, when the other end is closed
            pass
    return process.returncode, shown.decode(errors="replace")
