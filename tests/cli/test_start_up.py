"""What commands import before they do anything, counted: it is most of what they cost."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import call

from evoply import _native

HEAVY = {
    "distributed", "fastapi", "jinja2", "pandas", "pyarrow", "scipy", "uvicorn", "vl_convert",
    "websockets",
}  # fmt: skip
"""What no command imports that does not use it."""
WITHOUT_PLAYERS = {*HEAVY, "numpy", "pydantic"}
"""What is imported only where there is a player."""

WITHOUT: dict[str, set[str]] = {
    "--version": WITHOUT_PLAYERS | {"cyclopts", "rich"},
    "--help": WITHOUT_PLAYERS,
    "play --help": WITHOUT_PLAYERS,
    "evolve --help": WITHOUT_PLAYERS,
    "presets": WITHOUT_PLAYERS,
    "runs": WITHOUT_PLAYERS,
    "doctor": WITHOUT_PLAYERS,
    "perft othello 3": WITHOUT_PLAYERS,
    "play --against greedy": HEAVY | {"numpy"},
    "analyse greedy": HEAVY,
    "show greedy": HEAVY,
    "match greedy random --games 2": HEAVY,
    "tournament greedy random swh --games 2": HEAVY,
    "config selection": HEAVY,
    "show champion@nothing": WITHOUT_PLAYERS,
    "report nothing": WITHOUT_PLAYERS,
    "evolve nothing": HEAVY | {"numpy"},
    "pley": WITHOUT_PLAYERS,
}
"""What each command does without."""
WITH = {"match greedy random --games 2": {"numpy", "pydantic"}}
"""What is there where it is needed: otherwise these tests would say nothing."""
REFUSED = {command for command in WITHOUT if "nothing" in command or command == "pley"}
"""The answer to a mistyped name is quick."""
LIMITS: dict[str, dict[str, int]] = tomllib.loads(
    (Path(__file__).parents[2] / "limits.toml").read_text(encoding="utf-8")
)["modules"]

_COUNTED = """
import json, sys
before = set(sys.modules)
from evoply.cli import main
code = main(sys.argv[1:])
modules = [name for name in sys.modules if name not in before]
print(json.dumps([code, modules]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Started:
    """How a command ended, and what it imported."""

    code: int
    modules: list[str]

    @property
    def packages(self) -> set[str]:
        """The names before the first dot."""
        return {name.partition(".")[0] for name in self.modules}


def check_modules(command: str, done: Started) -> None:
    """Fail if *command* imported more modules than it may, and say which packages they are of."""
    own = [name for name in done.modules if name.partition(".")[0] == "evoply"]
    foreign = [name for name in done.modules if name.partition(".")[0] != "evoply"]
    for kind, names, depth in (("own", own, 2), ("foreign", foreign, 1)):
        most = LIMITS[command][kind]
        packages = Counter(".".join(name.split(".")[:depth]) for name in names).most_common(12)
        counts = ", ".join(f"{name} {count}" for name, count in packages)
        assert len(names) <= most, (
            f"{command}: imports {len(names)} {kind} modules, limits.toml allows {most}: {counts}"
        )


def started(*arguments: str, cwd: Path, written: str = "") -> Started:
    """Run a command in a process of its own and count."""
    environment = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    done = subprocess.run(
        [sys.executable, "-c", _COUNTED, *arguments],
        cwd=cwd, env=environment, input=written, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return Started(*json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(("command", "without"), WITHOUT.items())
def test_a_command_imports_what_it_needs(command: str, without: set[str], workplace: Path) -> None:
    done = started(*command.split(), cwd=workplace, written="quit\n")
    assert done.code == (2 if command in REFUSED else 0)
    assert not done.packages & without
    assert WITH.get(command, set()) <= done.packages
    check_modules(command, done)


def test_a_run_is_listed_without_its_learner_and_reported_with_it(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, "evolve", "small.toml", "--name", "one", "--no-tests").code == 0
    listed = started("runs", cwd=workplace)
    assert listed.code == 0
    assert not {"evoply.evolution", "evoply.players", "numpy", "pydantic"} & set(listed.modules)
    assert "evoply.runs.summaries" in listed.modules
    for command in ("show champion@one", "report one"):
        done = started(*command.split(), cwd=workplace)
        assert done.code == 0
        check_modules(command, done)
        assert not [name for name in done.modules if name.startswith("evoply.evolution.islands")]


def test_every_limit_is_looked_at() -> None:
    assert LIMITS.keys() == {*WITHOUT, "show champion@one", "report one"}


def test_an_answer_above_a_limit_names_the_command_and_packages() -> None:
    done = Started(0, ["evoply.cli.match", "evoply.cli", *(f"numpy.a{n}" for n in range(9999))])
    with pytest.raises(AssertionError, match=r"--help: .* foreign modules.*numpy 9999") as refused:
        check_modules("--help", done)
    assert "own" not in str(refused.value)


def test_a_command_collects_garbage_late_and_only_if_it_is_the_process() -> None:
    """Until then it has what importing makes, which lives to the end; afterwards as usual."""
    code = """
import gc, sys
from evoply.cli import main
usual = gc.get_threshold()
main(["--version"])
assert gc.get_threshold() == usual and not gc.get_freeze_count()
sys.argv = ["evoply", "--version"]
main()
late = gc.get_threshold()
kept = [[] for _ in range(late[0] + 1000)]
print(late[0] > usual[0], gc.get_threshold() == usual, len(gc.callbacks))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True True 0"


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
