"""What a machine lacks is counted, with the command that installs it; CI installs it first."""

import os
import subprocess
import sys
from pathlib import Path

from programs import PACKAGES, needs_bubblewrap, reason, skips_in_words

TESTS = Path(__file__).parent


def test_skips_are_counted_with_what_installs_what_is_missing() -> None:
    reasons = [
        *["Skipped: needs bubblewrap"] * 4,
        *["needs a browser"] * 106,
        *[f"Skipped: {reason('other CPU paths')}"] * 2,
        "could not import 'cmaes': No module named 'cmaes'",
        "Windows has no SIGKILL",
    ]
    assert skips_in_words(reasons) == (
        "skipped: 4 need bubblewrap, 106 a browser, 2 other CPU paths, 1 packages of Python, "
        "1 for reasons above: apt-get install bubblewrap chromium-headless-shell; "
        "EVOPLY_PATHS=all make setup; make setup"
    )
    assert skips_in_words(reasons[-1:]) == "skipped: 1 for reasons above"


def test_a_sandbox_that_is_not_allowed_is_not_installed(monkeypatch) -> None:
    problem = "bubblewrap is not allowed here (no namespaces)"
    monkeypatch.setattr("evoply.environment.sandbox.sandbox_problem", lambda: problem)
    why = needs_bubblewrap().kwargs["reason"]
    assert skips_in_words([why]) == (
        "skipped: 1 needs bubblewrap, which is not allowed here (no namespaces)"
    )


def test_skips_are_the_last_that_pytest_says(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_some.py").write_text(
        "import pytest\nfrom programs import needs\n\n\n"
        "@needs('gtp-rhino', is_there=False)\n@pytest.mark.parametrize('number', range(3))\n"
        "def test_it(number): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "conftest"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    *_, before, last = done.stdout.splitlines()
    assert "3 skipped" in before
    assert last == "skipped: 3 need gtp-rhino: apt-get install grhino"


def test_ci_installs_all_of_them() -> None:
    ci = (TESTS.parent / ".ci" / "run").read_text()
    for package in PACKAGES.values():
        assert f"missing+=({package})" in ci
