"""What the tests of the page share: a browser for each file, a server for each worker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_browser import CHROMIUM
from web_server import command


# Not longer than a file: its loop runs in this thread, where other tests may want one of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tools:
        one = tools.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a server without runs."""
    with command(tmp_path_factory.mktemp("runs")) as (_, told):
        yield told["url"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty folder of runs."""
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    return tmp_path
