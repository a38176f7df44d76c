"""The behaviour signature is the one that was committed: a change of behaviour is a decision."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_behaviour_is_the_committed_one() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "signature.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == (ROOT / "testdata" / "signature.txt").read_text()
