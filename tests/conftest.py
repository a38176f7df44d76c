"""What all tests share: hypothesis profiles and the switch for full counts."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import settings

from web_browser import shared_browser

# Asserts in there say as much as those of tests.
pytest.register_assert_rewrite("game_conformance")

LONG = "EVOPLY_LONG" in os.environ

# A shell starts what runs behind it deaf to Ctrl-C, and tests of Ctrl-C would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Coverage measures the processes of `pytest -n` and not the commands that tests start: these are
# called within tests, too, and a command that is measured takes half as long again.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)

# Deadlines would be timed tests; these machines are noisy.
settings.register_profile("ordinary", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("long" if LONG else "ordinary")

# Workers take whole files in the order of collection. These are the longest: begun last, one of
# them would go on alone.
LONGEST = (
    "test_dask",
    "test_web_coach_page",
    "test_benbassat",
    "test_web_page",
    "test_web_looks",
    "test_web_runs_page",
    "test_web_book",
    "test_web_compare",
    "test_web_run_first_step",
    "test_checkers_against_others",
    "test_bots",
    "test_notebooks",
    "test_firebrand",
    "test_liao",
)


@pytest.fixture(autouse=True)
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots and engines run in the same way on every machine; `test_sandbox` uses it."""
    monkeypatch.setattr("evoply.processes.sandbox.sandbox_problem", lambda: "not in this test")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """Give what gives the browser of this worker."""
    pytest.importorskip("playwright.sync_api")
    with shared_browser() as used:
        yield used


@pytest.fixture
def browser(chromium: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    with chromium() as one:
        yield one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first, the others behind them as they are."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))
