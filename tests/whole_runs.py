"""Runs made to their end, at once or broken off and gone on with."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evoply import Run
from evoply.runs import advance


@contextmanager
def whole_run(path: Path, config: Any, *, command: str = "", **given: Any) -> Iterator[Run]:
    """Give a run that has ended."""
    with Run.create(path, config, command=command) as run:
        list(advance(run, **given))
        yield run


@contextmanager
def broken_run(
    path: Path, config: Any, *, at: int = 1, learner: Any = None, **given: Any
) -> Iterator[Run]:
    """Give a run that was left after step *at*, and then gone on with to its end.

    Nothing but its folder is left in between, as after a kill.
    """
    with Run.create(path, config, learner=learner) as run:
        next(step for step in advance(run, **given) if step.number == at)
    with Run.open(path, learner=learner) as run:
        list(advance(run, **given))
        yield run
