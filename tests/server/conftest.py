"""Tests of the server are coroutines: each runs in an event loop of its own."""

import asyncio
from collections.abc import Callable
from functools import partial
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest
from talker import StillLoop, serving, serving_two


@pytest.fixture(autouse=True)
def own_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the tokens of another, or of whoever runs it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    """Give `serving` with a file of its own."""
    return partial(serving, tmp_path / "t.db")


@pytest.fixture
def serve_two(tmp_path: Path) -> Callable[..., Any]:
    """Give `serving_two` with a file of its own."""
    return partial(serving_two, tmp_path / "t.db")


@pytest.fixture
def still() -> None:
    """Let the clock of the event loop stand still; there nobody may sleep."""


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    loop = StillLoop if "still" in pyfuncitem.fixturenames else None
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(pyfuncitem.obj(**given))
    return True
