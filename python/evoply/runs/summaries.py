"""The list of runs: a line about each, read without its learner, its config or its players."""

import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.environment.checksums import Database
from evoply.environment.files import DATABASE, EXPERIMENT_FILE, read_kept_text, runs_directory
from evoply.environment.refusals import reason
from evoply.games import GAMES
from evoply.protocols import RunError
from evoply.runs import schema
from evoply.runs.folder import (
    CONFIG,
    UNITS,
    check_is_run,
    status_in,
    stored_learner,
)
from evoply.wording import shorten

_LONGEST_ERROR = 300


UNFORESEEN = "put a copy of the folder back, and report this to evoply"
"""Said of damage for which no reader has words."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of a list of runs; *error* says why a folder cannot be read."""

    path: Path
    name: str
    created: str = ""
    status: str = ""
    ended_by: str = ""
    game: str = ""
    learner: str = ""
    generations: int = 0
    best_fresh: float | None = None
    error: str | None = None


def list_runs(*, with_units: bool = False) -> list[RunSummary]:
    """Return a summary of every run, oldest first; folders that cannot be read come first.

    An experiment's folder is not a run: its runs have its name, as in `sizes/1-size=2-seed-1`,
    and are listed only *with_units*.
    """
    summaries: list[RunSummary] = []
    for folder in _folders(runs_directory()):
        if not os.path.exists(folder / EXPERIMENT_FILE):
            summaries.append(_summary(folder, folder.name))
        elif with_units:
            try:
                units = _folders(folder / UNITS)
            except OSError as error:
                summaries.append(_unreadable(folder, folder.name, reason(error, folder / UNITS)))
                continue
            summaries += [_summary(unit, f"{folder.name}/{unit.name}") for unit in units]
    return sorted(summaries, key=lambda summary: summary.created)


def _folders(directory: Path) -> list[Path]:
    if not os.path.isdir(directory):
        return []
    return [
        folder
        for folder in sorted(directory.iterdir())
        if os.path.isdir(folder) and not folder.name.startswith(".")
    ]


def _summary(folder: Path, name: str) -> RunSummary:
    """Return the line about a folder, whatever it holds: no folder may end the list of others."""
    try:
        check_is_run(folder)
        config = _as_written(folder)
        return schema.look(folder / DATABASE, lambda opened: _read(opened, folder, name, config))
    except RunError as error:
        return _unreadable(folder, name, str(error))
    except Exception as error:  # a mistake of a reader, which the tests of mutants look for
        return _unreadable(folder, name, f"{type(error).__name__}: {error} - {UNFORESEEN}")


def _unreadable(folder: Path, name: str, why: str) -> RunSummary:
    """Return the line about a folder that cannot be read; a config may have many mistakes."""
    return RunSummary(path=folder, name=name, error=shorten(" ".join(why.split()), _LONGEST_ERROR))


def _read(opened: Database, folder: Path, name: str, config: dict[str, Any]) -> RunSummary:
    schema.check_files(opened, folder)
    meta, count = schema.read_meta(opened), schema.count_steps(opened)
    last = schema.read_steps(opened, count - 1)
    return RunSummary(
        path=folder,
        name=name,
        created=str(meta.get("created", "")),
        status=status_in(folder, str(meta.get("status", ""))),
        ended_by=str(meta.get("ended_by", "")),
        game=config["game"],
        learner=stored_learner(config),
        generations=count,
        best_fresh=last[-1].statistics.get("best_fresh") if last else None,
    )


def _as_written(folder: Path) -> dict[str, Any]:
    """Return the unchecked config; `RunError` if it cannot be read or has no known game.

    Opening the run checks its other keys, because that needs its learner.
    """
    try:
        config = _top_level(read_kept_text(folder / CONFIG))
    except (OSError, ValueError, RecursionError):
        config = {}
    if config.get("game") not in GAMES:
        from evoply.runs.run import Run  # which says what is wrong, or knows the game

        with Run.open(folder) as run:
            config["game"] = run.game
    return config


def _top_level(text: str) -> dict[str, Any]:
    """Return the keys of a TOML file that stand before its tables, at least those listed here."""
    head, header, _ = text.partition("\n[")
    # What evoply writes has the two keys first; lists of features may follow, many lines long.
    first, long_list, _ = head.partition(" = [\n")
    with suppress(tomllib.TOMLDecodeError):
        keys = tomllib.loads(first.rpartition("\n")[0]) if long_list else {}
        if keys.keys() >= {"learner", "game"}:
            return keys
    try:
        return tomllib.loads(head)
    except tomllib.TOMLDecodeError:
        if not header:
            raise
        return tomllib.loads(text)  # the bracket stands within a value
