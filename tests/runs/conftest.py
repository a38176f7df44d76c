"""A finished run, and an empty folder of runs."""

from pathlib import Path

import pytest
from run_settings import small_config

from evoply import Run
from evoply.runs import advance


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("finished") / "run"
    with Run.create(path, small_config(), command="evoply evolve x.toml") as run:
        for _ in advance(run):
            pass
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"
