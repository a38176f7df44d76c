"""Where runs live and how they are found by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from evoply.protocols import RunError, RunNameError
from evoply.runs.run import Run
from evoply.wording import shorten

__all__ = [
    "EXPERIMENT_FILE",
    "RunSummary",
    "find_run",
    "list_runs",
    "new_run_path",
    "runs_directory",
]


EXPERIMENT_FILE = "experiment.toml"
"""What tells a folder of runs from a run."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of a list of runs; *error* says why a folder cannot be read."""

    path: Path
    name: str
    created: str = ""
    status: str = ""
    game: str = ""
    learner: str = ""
    generations: int = 0
    best_fresh: float | None = None
    error: str | None = None


def runs_directory() -> Path:
    """Return the folder of runs: the variable EVOPLY_RUNS, or `runs` in the current directory."""
    return Path(os.environ.get("EVOPLY_RUNS") or "runs")


def new_run_path(game: str) -> Path:
    """Return the first free path of `GAME-1`, `GAME-2`, ... in the folder of runs."""
    directory = runs_directory()
    number = 1
    while (directory / f"{game}-{number}").exists():
        number += 1
    return directory / f"{game}-{number}"


def list_runs() -> list[RunSummary]:
    """Return a summary of every run, oldest first; folders that cannot be read come first.

    An experiment's folder is none: its runs are called by it, as in `sizes/1-size=2-seed-1`.
    """
    directory = runs_directory()
    if not directory.is_dir():
        return []
    summaries = [
        _summary(folder)
        for folder in sorted(directory.iterdir())
        if folder.is_dir()
        and not folder.name.startswith(".")
        and not (folder / EXPERIMENT_FILE).exists()
    ]
    return sorted(summaries, key=lambda summary: summary.created)


def find_run(text: str | None = None) -> Run:
    """Open the run called *text* or at that path; without a text the newest one.

    Raises `RunError` that says where was looked.
    """
    if text is None:
        readable = [summary for summary in list_runs() if summary.error is None]
        if not readable:
            raise RunNameError(
                f"there is no run in {runs_directory().absolute()} yet: "
                "make one with `evoply evolve demo`"
            )
        return Run.open(readable[-1].path)
    is_name = text not in ("", ".", "..") and "/" not in text and os.sep not in text
    inside = runs_directory() / text
    if is_name and os.path.isdir(inside):
        return Run.open(inside)
    if os.path.isdir(text):
        return Run.open(text)
    experiment, _, unit = text.partition("/")
    if unit and (runs_directory() / experiment / EXPERIMENT_FILE).exists():
        return Run.open(runs_directory() / experiment / "runs" / unit)
    names = ", ".join(summary.name for summary in list_runs()) or "none"
    raise RunNameError(
        f"no run is called {shorten(text)!r} in {runs_directory().absolute()}; there are: {names}"
    )


def _summary(folder: Path) -> RunSummary:
    try:
        with Run.open(folder) as run:
            count = run.count()
            last = run.steps(count - 1)
            return RunSummary(
                path=folder,
                name=folder.name,
                created=run.created,
                status=run.status,
                game=run.config.game,
                learner=run.kind.name,
                generations=count,
                best_fresh=last[-1].statistics.get("best_fresh") if last else None,
            )
    except RunError as error:
        return RunSummary(path=folder, name=folder.name, error=str(error))
