"""Five minutes of chaos, the worst beginning of a cluster, and that what is broken is seen."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")

CHAOS = Path(__file__).with_name("chaos.py")
LEFT = """
import subprocess, sys
from pathlib import Path
import chaos, disorder
disorder._LAST_SECONDS = 0.2
seen = disorder.Disorder(1, Path(sys.argv[1]))
with disorder.nothing_left(seen):
    process = subprocess.Popen(["sleep", "30"])
    file = (seen.home / "left.txt").open("w")
process.kill()
code = chaos._report(seen, 1.0)
sys.exit(10 + code)
"""
WRONG = """
import sys
from pathlib import Path
import chaos, disorder, disturbed_runs
seen = disorder.Disorder(1, Path(sys.argv[1]))
short = disturbed_runs.CONFIGS["learning"].replace("games = 24_000", "games = 2400")
disturbed_runs.CONFIGS = {"learning": short}
disturbed_runs.TUNING = ("--version",)  # this is about other runs
runs = disturbed_runs.DisturbedRuns(seen)
runs.prepare()
name = "learning-undisturbed"
expected = runs._expected["learning"]
runs._look("as it was", name, expected, 1)
assert not seen.broken, seen.broken
runs._look("a step is lost", name, expected, len(expected) + 1)
assert len(seen.broken) == 1
runs._look("another digest", name, ["0" * 64, *expected[1:]], 0)
assert len(seen.broken) == 2
path = seen.home / "runs" / name / "run.db"
data = bytearray(path.read_bytes())
data[len(data) // 2 : len(data) // 2 + 4000] = bytes(4000)
path.write_bytes(data)
runs._look("damaged", name, expected, 0)
assert len(seen.broken) > 2
sys.exit(10 + chaos._report(seen, 1.0))
"""


def chaos(*options: str) -> str:
    """Return what chaos says, where it keeps every promise."""
    done = subprocess.run(
        [sys.executable, str(CHAOS), *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("program", "says"),
    [(LEFT, ["processes are left", "sleep 30", "left.txt"]), (WRONG, ["steps are left", "differ"])],
    ids=["left", "wrong"],
)
def test_what_is_broken_is_named(program: str, says: list[str], tmp_path: Path) -> None:
    if program is LEFT and sys.platform != "linux":
        pytest.skip("only Linux shows what is left")
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=CHAOS.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 11, done.stdout + done.stderr
    for what in says:
        assert what in done.stdout


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_five_minutes_of_chaos_break_no_promise() -> None:
    said = chaos("--minutes", "5")
    for what in ("runs", "Dask workers", "servers of tournaments", "servers of the page"):
        assert f"kills of {what}" in said, said


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_workers_killed_from_the_first_second_on() -> None:
    pytest.importorskip("distributed")
    said = chaos("--only", "cluster", "--worker-kills", "10", "--minutes", "0.1")
    assert "kills of Dask workers" in said
