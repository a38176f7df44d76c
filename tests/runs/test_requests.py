"""Requests left in a run folder, which the loop reads between generations."""

import subprocess
import sys
from pathlib import Path

import pytest
from run_settings import small_config

from evoply import Run
from evoply.evolution import evolve
from evoply.runs import RunError, advance, leave_request, read_request
from waiting import PATIENCE


def test_a_stop_request_ends_between_generations(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config(generations=6)) as run:
        for generation in advance(run):
            if generation.number == 1:
                assert run.status == "running"
                leave_request(run.path, "stop")
        assert run.count() == 2
        assert run.status == "stopped"
        assert read_request(run.path) is None
        list(advance(run))
        assert run.status == "finished"
        expected = [generation.digest for generation in evolve(small_config(generations=6))]
        assert run.digests() == expected


def test_a_paused_run_waits(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config(generations=3)) as run:
        for generation in advance(run):
            if generation.number == 0:
                leave_request(run.path, "pause")
                code = (
                    "import sys, time; from pathlib import Path; from evoply.runs import *\n"
                    "folder = Path(sys.argv[1])\n"
                    "while Run.open(folder).status != 'paused':\n"
                    "    time.sleep(0.05)\n"
                    "print(Run.open(folder).status); leave_request(folder, 'resume')\n"
                )
                watcher = subprocess.Popen(
                    [sys.executable, "-c", code, str(run.path)], stdout=subprocess.PIPE, text=True
                )
        assert run.count() == 3
        assert watcher.communicate(timeout=PATIENCE)[0] == "paused\n"


def test_requests_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="pause, resume or stop"):
        leave_request(tmp_path, "explode")  # type: ignore[arg-type]
    for text in ("", "[]", "{", '{"request": 3}', '{"request": "explode"}', "[" * 100_000):
        (tmp_path / "request.json").write_text(text)
        assert read_request(tmp_path) is None
