"""Foreign processes: what they find around them, and that nothing of them is left."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evoply.environment import (
    BrokenError,
    ForeignProcess,
    KeeperLimits,
    Surroundings,
    keeper,
    sandbox,
)
from programs import needs_bubblewrap
from waiting import PATIENCE, until

PROBLEM = sandbox.sandbox_problem()
NEEDS_SANDBOX = needs_bubblewrap()
FREE = Surroundings("off")
LIMITS = KeeperLimits(cpu=60, memory=1024, processes=16)
KILLER = """
import os, signal, subprocess, sys, time
sleep = sys.argv[1]
for _ in range(3):  # a daemon in a session of its own, whose parent is gone
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.execvp("sleep", ["sleep", sleep])
        os._exit(0)
subprocess.Popen(["sleep", sleep])
parents = [os.getppid()]
for folder in filter(str.isdigit, os.listdir("/proc")):
    try:
        command = open(f"/proc/{folder}/cmdline", "rb").read()
        variables = open(f"/proc/{folder}/environ", errors="replace").read()
    except OSError:
        continue
    if b"/keeper.py\\0" in command and os.environ["EVOPLY_KEEPER"] in variables:
        parents.append(int(folder))
print("started", flush=True)
for parent in parents:
    try:
        os.kill(parent, signal.SIGKILL)
    except OSError:
        pass
print("killed", flush=True)
time.sleep(600)
"""


def lines(process: ForeignProcess, count: int) -> list[str]:
    return [process.line(time.monotonic() + PATIENCE, "late") for _ in range(count)]


def commands_with(text: str) -> list[str]:
    """Return the commands of the machine's processes in which *text* occurs."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(file.read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return [command for command in found if text in command and "-c" not in command]


@pytest.mark.skipif(sys.platform != "linux", reason="promised on Linux")
@pytest.mark.parametrize("helpers", [0, 1], ids=["as usual", "without a namespace"])
def test_who_kills_its_keeper_leaves_nothing_behind(helpers: int) -> None:
    sleep = f"9{secrets.randbelow(10**8)}"
    command = [sys.executable, "-c", KILLER, sleep]
    process = ForeignProcess(command, LIMITS._replace(helpers=helpers), surroundings=FREE)
    assert lines(process, 1) == ["started"]
    until(lambda: len(commands_with(sleep)) >= 4 - helpers, "its daemons")
    process.end()
    until(lambda: not commands_with(sleep), "their ends")


@pytest.mark.skipif(sys.platform != "linux", reason="promised on Linux")
def test_daemons_end_with_a_keeper_that_was_killed_from_outside() -> None:
    sleep = f"9{secrets.randbelow(10**8)}"
    process = ForeignProcess([sys.executable, "-c", KILLER, sleep], LIMITS, surroundings=FREE)
    lines(process, 1)
    until(lambda: len(commands_with(sleep)) == 4, "its daemons")
    process._process.kill()
    process.end()
    until(lambda: not commands_with(sleep), "their ends")


def test_the_environment_has_no_more_than_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_PASSWORD", "secret")
    monkeypatch.setenv("OTHER", "value")
    monkeypatch.setenv("WANTED", "named")
    program = "import os; print(*(f'{key}={value}' for key, value in os.environ.items()), sep='|')"
    process = ForeignProcess(
        [sys.executable, "-I", "-c", program],
        LIMITS,
        surroundings=Surroundings("off", ("WANTED", "MISSING")),
    )
    found = dict(entry.split("=", 1) for entry in lines(process, 1)[0].split("|"))
    process.end()
    expected = {"PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "WANTED", "EVOPLY_KEEPER"}
    # Python itself may add LC_CTYPE where the language is not set.
    assert found.keys() - {"LC_CTYPE"} <= expected
    assert (found["PATH"], found["WANTED"]) == (os.environ["PATH"], "named")


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_no_file_is_open_but_the_three_streams() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    program = "import os; print(sorted(os.listdir('/proc/self/fd'), key=int))"
    process = ForeignProcess([sys.executable, "-I", "-c", program], LIMITS, surroundings=FREE)
    # The fourth is that of the listed folder.
    assert lines(process, 1) == ["['0', '1', '2', '3']"]
    process.end()
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    "surroundings",
    [FREE, pytest.param(Surroundings("required"), marks=NEEDS_SANDBOX)],
    ids=["free", "sandbox"],
)
def test_who_used_up_its_time_or_started_too_many_is_said(
    surroundings: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "sandbox_problem", lambda: PROBLEM)
    loop = [sys.executable, "-I", "-c", "while True: pass"]
    process = ForeignProcess(loop, LIMITS._replace(cpu=1), surroundings=surroundings)
    with pytest.raises(BrokenError, match="used 1 seconds of processor time"):
        lines(process, 1)
    process.end()
    if sys.platform == "linux":
        forks = "import os, time\nfor _ in range(9): os.fork() or time.sleep(60)\ntime.sleep(60)"
        process = ForeignProcess(
            [sys.executable, "-I", "-c", forks],
            LIMITS._replace(processes=8),
            surroundings=surroundings,
        )
        with pytest.raises(BrokenError, match="started more than 8 processes"):
            lines(process, 1)
        process.end()


@pytest.mark.skipif(sys.platform != "linux", reason="the keeper lists processes on Linux")
def test_processes_that_end_while_they_are_listed_do_not_matter() -> None:
    starting = "while :; do (:; :); done"
    with subprocess.Popen(["sh", "-c", starting]) as shell:
        try:
            seen = {process for _ in range(3000) for process in keeper._descendants(shell.pid)}
        finally:
            shell.kill()
    assert len(seen) > 10
    assert list(keeper._descendants(shell.pid)) == []
