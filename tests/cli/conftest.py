import os
import sys
from pathlib import Path

import pytest
from command_line import SMALL_CONFIG


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has an empty folder as its current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOPLY_RUNS", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    folder = Path(sys.executable).parent  # as if the environment were activated
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "small.toml").write_text(SMALL_CONFIG)
    return tmp_path
