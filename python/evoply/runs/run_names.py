"""The folder of runs, and finding runs by name."""

import os
import re
from pathlib import Path

from evoply.environment.files import EXPERIMENT_FILE, runs_directory
from evoply.protocols import RunNameError
from evoply.runs.folder import UNITS
from evoply.runs.summaries import list_runs
from evoply.wording import did_you_mean, shorten

_LONGEST_NAME = 250
_MOST_LISTED = 10


PRUNED = "pruned"
"""What names the pruned champion of a run, as in `champion@RUN@pruned`."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")


def new_run_path(game: str) -> Path:
    """Return the first free path of `GAME-1`, `GAME-2`, ... in the folder of runs."""
    directory = runs_directory()
    number = 1
    while (directory / f"{game}-{number}").exists():
        number += 1
    return directory / f"{game}-{number}"


def checked_name(name: str, *, field: str = "name") -> str:
    """Return *name*, the value of *field*, if it can name a run; else raise `ValueError`."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"{field}: {name!r} cannot be the name of a run - use at most 100 letters, "
            "digits, - _ + and . (set EVOPLY_RUNS for another folder of runs)"
        )
    return name


def named_run(name: str) -> Path:
    """Return the folder of the run that `list_runs` calls *name*, without reading it.

    No text leads out of the folder of runs. Raises `RunNameError` if there is none.
    """
    parts = name.split("/")
    is_plain = all(part and part[0] != "." and not set(part) & set("\\\0") for part in parts)
    if is_plain and len(name) <= _LONGEST_NAME and len(parts) in (1, 2):
        experiment = runs_directory() / parts[0]
        is_unit = len(parts) > 1
        folder = experiment / UNITS / parts[1] if is_unit else experiment
        if os.path.isdir(folder) and (experiment / EXPERIMENT_FILE).exists() == is_unit:
            return folder
    raise RunNameError(
        f"no run is called {shorten(name)!r} in {runs_directory().absolute()} - `evoply runs` lists"
        " them"
    )


def run_path(text: str | None = None) -> Path:
    """Return the folder of the run called *text* or at that path; without a text the newest one.

    Raises `RunError` that names the places searched.
    """
    if text is None:
        readable = [summary for summary in list_runs() if summary.error is None]
        if not readable:
            raise RunNameError(
                f"there is no run in {runs_directory().absolute()} yet: "
                "make one with `evoply evolve demo`"
            )
        return readable[-1].path
    is_name = text not in ("", ".", "..") and "/" not in text and os.sep not in text
    inside = runs_directory() / text
    if is_name and os.path.isdir(inside):
        return inside
    if os.path.isdir(text):
        return Path(text)
    experiment, _, unit = text.partition("/")
    if unit and (runs_directory() / experiment / EXPERIMENT_FILE).exists():
        return runs_directory() / experiment / UNITS / unit
    names = [summary.name for summary in list_runs()]
    hint = did_you_mean(text, names)
    if not hint:
        listed = ", ".join(names[-_MOST_LISTED:]) or "none"
        hint = f"; there are: {listed}"
        if len(names) > _MOST_LISTED:
            hint = f"; the newest are: {listed} (`evoply runs` lists all)"
    raise RunNameError(f"no run is called {shorten(text)!r} in {runs_directory().absolute()}{hint}")


def champion_parts(text: str) -> tuple[str, str, str]:
    """Return the run, the generation and the cell of a map that RUN@GENERATION@CELL names.

    In place of a cell it may say `pruned`.

    What *text* does not name is "". Raises nothing: whether there is such a run is not looked at.
    """
    name, cell = _parted(text, f"[0-9]{{1,4}}(?:-[0-9]{{1,4}})+|v[0-9]{{1,4}}|{PRUNED}")
    name, number = _parted(name, "[0-9]{1,12}")
    return name, number, cell


def _parted(text: str, pattern: str) -> tuple[str, str]:
    """Return *text* without what follows its last @, and that if it is of *pattern*, else ""."""
    name, at, last = text.rpartition("@")
    # A folder with such a name is found first.
    is_name = any(os.path.isdir(path) for path in (text, runs_directory() / text) if text)
    return (name, last) if at and re.fullmatch(pattern, last) and not is_name else (text, "")
