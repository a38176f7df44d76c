"""The list of runs: a line about each, read without its learner, its config or its players.

Lines are kept in a file beside the runs, since reading a thousand runs takes seconds. One that is
kept counts only while the files of its run are those from which it was read.

Reasons: docs/design/runs.md.
"""

import json
import os
import time
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evoply import _native
from evoply.environment.checksums import Database
from evoply.environment.files import (
    DATABASE,
    EXPERIMENT_FILE,
    read_kept_text,
    runs_directory,
    with_checksum,
    without_checksum,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.games import GAMES
from evoply.protocols import MALFORMED, RunError
from evoply.runs import schema
from evoply.runs.folder import (
    CONFIG,
    GAME,
    UNITS,
    check_is_run,
    status_in,
    stored_learner,
)
from evoply.wording import shorten

_LONGEST_ERROR = 300

KEPT_LINES = ".runs.json"
"""The file of kept lines, in the folder of runs."""
_WORTH_KEEPING = 20
"""New lines from which on the file is written: a list of few runs is read as quickly."""
_SETTLED = 10 * 10**9
"""Nanoseconds after which a file is taken to have the time of its last change: a further change
within the same tick of a file system's clock would not show."""
_UNSETTLED = ("running", "paused")
"""Statuses that depend on a process, too."""


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
    directory = runs_directory()
    lines = _Lines(directory / KEPT_LINES)
    for folder in _folders(directory):
        if not os.path.exists(folder / EXPERIMENT_FILE):
            summaries.append(lines.summary(folder, folder.name))
        elif with_units:
            try:
                units = _folders(folder / UNITS)
            except OSError as error:
                summaries.append(_unreadable(folder, folder.name, reason(error, folder / UNITS)))
                continue
            summaries += [lines.summary(unit, f"{folder.name}/{unit.name}") for unit in units]
    lines.keep(with_units=with_units)
    return sorted(summaries, key=lambda summary: summary.created)


def _folders(directory: Path) -> list[Path]:
    if not os.path.isdir(directory):
        return []
    return [
        folder
        for folder in sorted(directory.iterdir())
        if os.path.isdir(folder) and not folder.name.startswith(".")
    ]


# Lines that were read before.

_State = list[list[int]]
"""Numbers that whoever changes a run changes, of each of its files."""
_Line = tuple[_State, list[Any]]
"""The state of a run's files, and what was read from them."""
_FACTS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("created", "status", "ended_by", "game", "learner"), (str,)),
    "generations": (int,),
    "best_fresh": (float, int, type(None)),
}
"""What a line keeps of a summary, and its types."""


@dataclass(slots=True)
class _Lines:
    """The lines of one list of runs, of which some are known from the file at *path*."""

    path: Path
    known: Mapping[str, Any] = field(init=False)
    lines: dict[str, _Line] = field(default_factory=dict)
    new: int = 0

    def __post_init__(self) -> None:
        self.known = _known_lines(self.path)

    def summary(self, folder: Path, name: str) -> RunSummary:
        """Return the summary of the run in *folder*, which is read only if its files changed."""
        state = _state_of_files(folder)
        known = None if state is None else _facts_of(self.known.get(name), state)
        if state is not None and known is not None:
            self.lines[name] = state, known
            return RunSummary(folder, name, *known)
        summary = _summary(folder, name)
        if (
            state is not None
            and (summary.error is None and summary.status not in _UNSETTLED)
            and time.time_ns() - max(max(file[-2:]) for file in state) > _SETTLED
            and _state_of_files(folder) == state
        ):
            self.lines[name] = state, [getattr(summary, fact) for fact in _FACTS]
            self.new += 1
        return summary

    def keep(self, *, with_units: bool) -> None:
        """Write the lines if enough are new; those of units stay where these are not listed."""
        if self.new < _WORTH_KEEPING:
            return
        units = {} if with_units else {name: it for name, it in self.known.items() if "/" in name}
        content = with_checksum({**_MADE_BY, "lines": {**units, **self.lines}})
        # What cannot be written is read again the next time; a link may lead anywhere.
        with suppress(OSError):
            if not self.path.is_symlink():
                write_atomically(self.path, json.dumps(content, separators=(",", ":")))


_MADE_BY = {"format": schema.FORMAT, "version": _native.__version__}
"""Another evoply may read a run otherwise."""


def _known_lines(path: Path) -> Mapping[str, Any]:
    """Return the lines that are kept at *path*; none if the file is missing or damaged."""
    try:
        content = without_checksum(json.loads(read_kept_text(path)))
        is_same = all(content[key] == value for key, value in _MADE_BY.items())
        return dict(content["lines"]) if is_same else {}
    except (OSError, RecursionError, *MALFORMED):
        return {}


def _facts_of(line: Any, state: _State) -> list[Any] | None:
    """Return the facts of a kept *line*; None if it was read from files of another *state*."""
    if not isinstance(line, list) or len(line) != 2 or line[0] != state:
        return None
    facts = line[1]
    if not isinstance(facts, list) or len(facts) != len(_FACTS):
        return None
    types = zip(facts, _FACTS.values(), strict=True)
    return facts if all(type(fact) in known for fact, known in types) else None


def _state_of_files(folder: Path) -> _State | None:
    """Return the state of the files of the run in *folder*; None while it is written."""
    try:
        files = [schema.state_at_rest(folder / DATABASE), schema.state_of(folder / CONFIG)]
        if os.path.lexists(folder / GAME):
            files.append(schema.state_of(folder / GAME))
    except OSError:
        return None
    state = [list(file) for file in files if file is not None]
    return state if len(state) == len(files) else None


# A run, read.


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
