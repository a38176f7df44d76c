"""A finished run, a copy of it, and an empty folder of runs."""

import shutil
from pathlib import Path

import pytest
from run_settings import small_config

from whole_runs import whole_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("finished") / "run"
    with whole_run(path, small_config(), command="evoply evolve x.toml"):
        return path


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, which a test may change."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"
