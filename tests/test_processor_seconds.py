"""What is counted for a file of tests: nothing is left out, and nothing counts twice."""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from processor_seconds import Meter, Spent

TESTS = Path(__file__).parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc as Linux has it")
ROOT = 1

FILES = {
    "test_by_itself.py": """
def test_it(): burn(0.2)
""",
    "test_children.py": """
def test_it(): subprocess.run([sys.executable, "burning.py", "0.2"], check=True)
""",
    # As those of a browser: whoever started it is killed with it and asks for nothing.
    "test_killed.py": """
def test_it():
    starts = "import subprocess, sys; subprocess.run([sys.executable, 'burning.py', '60', '0.4'])"
    process = subprocess.Popen(
        [sys.executable, "-c", starts], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout.readline() == b"burnt\\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
""",
    # It is started before, for two files, and costs the one that uses it.
    "test_shared_before.py": """
def test_it(shared): pass
""",
    "test_shared_used.py": """
def test_it(shared):
    shared.stdin.write(b"0.2\\n")
    shared.stdin.flush()
    assert shared.stdout.readline() == b"burnt\\n"
""",
    "test_waiting.py": """
def test_it(): time.sleep(0.4)
""",
}
HEAD = "import os, signal, subprocess, sys, time\nfrom burning import burn\n"
BURNING = """
import sys, time

def burn(seconds, said=None):
    end = time.process_time() + seconds
    say = time.process_time() + (said or seconds)
    while time.process_time() < end:
        if said is not None and time.process_time() > say:
            print("burnt", flush=True)
            said = None

if __name__ == "__main__":
    if sys.argv[1:]:
        burn(*map(float, sys.argv[1:]))
    for line in sys.stdin if not sys.argv[1:] else ():
        burn(float(line))
        print("burnt", flush=True)
"""
CONFTEST = """
import subprocess, sys, pytest

@pytest.fixture(scope="session")
def shared():
    command = [sys.executable, "burning.py"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.stdin.close()
"""


def spent_in(
    tmp_path: Path, files: Collection[str], *workers: str
) -> tuple[dict[str, float], dict[str, Any], str]:
    """Run some of `FILES`; return the seconds of each, what was kept, and what was printed."""
    for name in files:
        (tmp_path / name).write_text(HEAD + FILES[name])
    (tmp_path / "burning.py").write_text(BURNING)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {key: one for key, one in os.environ.items() if not key.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # which takes most of the time
    command = [
        sys.executable, "-m", "pytest", "-p", "processor_seconds", "--seconds", "-q", *workers,
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, env={**environment, "PYTHONPATH": f"{TESTS}:{tmp_path}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((tmp_path / "target" / "test-seconds.json").read_text())
    assert kept["sum"] == pytest.approx(sum(kept["files"].values()), abs=0.2)
    assert f"{kept['sum']:.1f} in all" in done.stdout
    spent = {name: seconds * kept["slowness"] for name, seconds in kept["files"].items()}
    return spent, kept, done.stdout


@linux
def test_children_and_killed_processes_count_where_they_were_used(tmp_path: Path) -> None:
    spent, kept, said = spent_in(tmp_path, FILES)
    idle = ("test_waiting.py", "test_shared_before.py")
    assert {name for name in FILES if spent[name] > 0.15} == FILES.keys() - set(idle)
    assert spent["test_by_itself.py"] < 0.35
    assert spent["test_shared_used.py"] < 0.35
    assert f"{kept['files']['test_killed.py']:.1f} test_killed.py" in said


@linux
def test_workers_hand_over_what_they_counted(tmp_path: Path) -> None:
    files = ("test_by_itself.py", "test_children.py", "test_waiting.py")
    spent, _, _ = spent_in(tmp_path, files, "-p", "xdist", "-n", "1", "--dist", "loadfile")
    assert {name for name in files if spent[name] > 0.15} == {*files[:2]}
    assert spent["test_by_itself.py"] < 0.35


def total(*looks: dict[int, Spent]) -> float:
    """Return what is counted after some looks at processes; the first of them is that of ours."""
    left = list(looks)
    meter = Meter(lambda: left.pop(0), ROOT)
    return [meter.look() for _ in looks][-1]


def test_what_was_reaped_counts_once() -> None:
    before = {ROOT: Spent(0, 1, 0), 2: Spent(ROOT, 3, 0), 3: Spent(2, 5, 0)}
    assert total(before) == 9
    # 2 reaps 3, and is reaped.
    assert total(before, {ROOT: Spent(0, 1, 0), 2: Spent(ROOT, 3, 6)}) == 10
    assert total(before, {ROOT: Spent(0, 1, 9)}) == 10


def test_what_nobody_reaped_is_kept() -> None:
    before = {ROOT: Spent(0, 1, 0), 2: Spent(ROOT, 3, 0), 3: Spent(2, 5, 0), 4: Spent(3, 7, 0)}
    gone = {ROOT: Spent(0, 1, 3)}
    assert total(before, gone) == 16
    assert total(before, gone, gone) == 16
    # An orphan lives on, and what it does counts.
    assert total(before, {**gone, 4: Spent(3, 9, 0)}, gone) == 18
    # What another child has spent says nothing about this one.
    other = {5: Spent(ROOT, 1, 2)}
    assert total({**before, **other}, {**gone, 5: Spent(ROOT, 1, 20)}) == 16 + 21
