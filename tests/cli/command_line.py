"""Running the command line in tests: in this process, or as its own process."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.cli import main

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
