"""What all tests share: hypothesis profiles and the switch for full counts."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hypothesis import settings

from programs import skips_in_words
from web_browser import shared_browser

pytest_plugins = ["processor_seconds"]  # what `--seconds` counts

# Asserts in there say as much as those of tests.
pytest.register_assert_rewrite("game_conformance")

LONG = "EVOPLY_LONG" in os.environ

# A shell starts what runs behind it deaf to Ctrl-C, and `nohup` to the end of the terminal: tests
# of these signals would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

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
    "test_leagues",
    "test_experiments",
    "test_stopping",
    "test_web_page",
    "test_web_games_page",
    "test_web_runs_page",
    "test_web_compare",
    "test_web_run_first_step",
    "test_checkers_against_others",
    "test_bots",
    "test_notebooks",
    "test_server_processes",
)


@pytest.fixture(autouse=True)
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots and engines run in the same way on every machine; `test_sandbox` uses it."""
    monkeypatch.setattr("evoply.environment.sandbox.sandbox_problem", lambda: "not in this test")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes this process one that was given nothing of a user's as an argument."""
    return lambda: monkeypatch.setattr("evoply.configs.own_code._GIVEN", {})


@pytest.fixture
def units_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process do the units of experiments, for which it would start others."""
    from pool_here import PoolHere

    monkeypatch.setattr("evoply.experiments.running.ProcessPool", PoolHere)


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


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say last what was skipped, and what installs what is missing."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if skipped:
        reporter.write_line(skips_in_words(report.longrepr[2] for report in skipped))
