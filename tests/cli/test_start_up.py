"""What commands import before they do anything, counted: it is most of what they cost."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from evoply import _native

HEAVY = {
    "distributed", "fastapi", "jinja2", "pandas", "pyarrow", "scipy", "uvicorn", "vl_convert",
    "websockets",
}  # fmt: skip
"""What no command imports that does not use it."""
WITHOUT_PLAYERS = {*HEAVY, "numpy", "pydantic"}
"""What is imported only where there is a player."""

# Processor time of a machine that is busy with other work is a multiple of that of a quiet one.
MOST_SECONDS = 10.0

_COUNTED = """
import json, resource, sys
before = set(sys.modules)
from evoply.cli import main
code = main(sys.argv[1:])
modules = [name for name in sys.modules if name not in before]
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([code, modules, used.ru_utime + used.ru_stime]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Started:
    """What a command imported, and the processor time of its process."""

    code: int
    modules: list[str]
    seconds: float

    @property
    def packages(self) -> set[str]:
        """The names before the first dot."""
        return {name.partition(".")[0] for name in self.modules}


def started(*arguments: str, cwd: Path, written: str = "") -> Started:
    """Run a command in a process of its own and count."""
    environment = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    done = subprocess.run(
        [sys.executable, "-c", _COUNTED, *arguments],
        cwd=cwd, env=environment, input=written, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, modules, seconds = json.loads(done.stderr.splitlines()[-1])
    return Started(code, modules, seconds)


@pytest.mark.parametrize(
    ("command", "most", "without"),
    [
        ("--version", 60, WITHOUT_PLAYERS | {"cyclopts", "rich"}),
        ("runs", 250, WITHOUT_PLAYERS),
        ("presets", 230, WITHOUT_PLAYERS),
        ("doctor", 280, WITHOUT_PLAYERS),
        ("perft othello 3", 215, WITHOUT_PLAYERS),
        ("--help", 300, WITHOUT_PLAYERS),
        ("play --against greedy", 405, HEAVY | {"numpy"}),
        ("analyse greedy", 405, HEAVY),
        ("show greedy", 515, HEAVY),
        ("match random greedy --games 2", 525, HEAVY),
        ("config selection", 645, HEAVY),
    ],
)
def test_a_command_imports_what_it_needs(
    command: str, most: int, without: set[str], workplace: Path
) -> None:
    """*most* is a tenth more modules than there are: other versions of packages have others."""
    done = started(*command.split(), cwd=workplace, written="quit\n")
    assert done.code == 0
    assert not done.packages & without
    assert len(done.modules) <= most, sorted(done.modules)
    assert done.seconds < MOST_SECONDS


def test_a_run_is_listed_without_its_learner(workplace: Path) -> None:
    assert started("evolve", "small.toml", "--name", "one", cwd=workplace).code == 0
    listed = started("runs", cwd=workplace)
    assert listed.code == 0
    assert not {"evoply.evolution", "evoply.players", "numpy", "pydantic"} & set(listed.modules)
    assert "evoply.runs.summaries" in listed.modules


def test_what_is_heavy_is_there_where_it_is_needed(workplace: Path) -> None:
    """Otherwise these tests would say nothing."""
    done = started("match", "random", "greedy", "--games", "40", cwd=workplace)
    assert {"numpy", "pydantic"} <= done.packages


@pytest.mark.parametrize(
    ("path", "what_to_do"),
    [("nonsense", "give one of")]
    + [("avx512", "make setup|give one of")] * ("avx512" not in _native.paths),
)
def test_a_cpu_path_that_is_not_there_is_a_sentence(path: str, what_to_do: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evoply", "--version"],
        env={**os.environ, "EVOPLY_CPU": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "EVOPLY_CPU" in done.stderr
    assert path in done.stderr
    assert re.search(what_to_do, done.stderr)
    assert len(done.stderr.splitlines()) == 1
