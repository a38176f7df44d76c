"""What the tests of the page share: a server for each file, and its folder of runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from web_server import serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of runs of the server; files that need runs have one of their own."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Give the address of a server."""
    with pytest.MonkeyPatch.context() as patch, serving(folder) as (host, port):
        patch.setenv("EVOPLY_RUNS", str(folder))
        yield f"http://{host}:{port}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty folder of runs."""
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    return tmp_path
