"""Opens the run that a command names.

The name is looked up before anything is imported that reads runs: the answer to a mistyped name is
quick. Both functions raise `RunError` that names the places searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evoply import kinds, runs


def opened_run(text: str | None = None) -> kinds.Run:
    """Open the run called *text* or at that path; without a text the newest one."""
    from evoply.runs import run_path

    path = run_path(text)
    from evoply.kinds import Run

    return Run.open(path)


def opened_without_learner(text: str | None = None) -> runs.Run:
    """Open the same run for its name, its game and its champion, which need no learner."""
    from evoply.runs import run_path

    path = run_path(text)
    from evoply.runs import Run

    return Run.open(path)
