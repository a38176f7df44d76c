"""Results of runs: champions by name, matches, tables for other programs, and the list of runs.

Tables are rows of named cells; spreadsheets and statistics programs read them as CSV or Parquet.

Reasons: docs/design/players.md.
"""

import csv
import io
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.environment.checksums import Database
from evoply.environment.files import (
    DATABASE,
    EXPERIMENT_FILE,
    checksum,
    read_kept_text,
    runs_directory,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.games import GAMES
from evoply.protocols import Player, RunError, RunNameError
from evoply.runs import database as schema
from evoply.runs.database import player_data, read_champions
from evoply.runs.folder import CONFIG, UNITS, check_is_run, status_in, stored_learner
from evoply.runs.run import Run
from evoply.wording import shorten

# The list of runs: a line about each, read without its learner, its config or its players.

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


# The folder of runs, and finding runs by name.

_LONGEST_NAME = 250
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
    names = ", ".join(summary.name for summary in list_runs()) or "none"
    raise RunNameError(
        f"no run is called {shorten(text)!r} in {runs_directory().absolute()}; there are: {names}"
    )


def champion_parts(text: str) -> tuple[str, str, str]:
    """Return the run, the generation and the cell of a map that RUN@GENERATION@CELL names.

    What *text* does not name is "". Raises nothing: whether there is such a run is not looked at.
    """
    name, cell = _parted(text, "[0-9]{1,4}(?:-[0-9]{1,4})+")
    name, number = _parted(name, "[0-9]{1,12}")
    return name, number, cell


def _parted(text: str, pattern: str) -> tuple[str, str]:
    """Return *text* without what follows its last @, and that if it is of *pattern*, else ""."""
    name, at, last = text.rpartition("@")
    # A folder with such a name is found first.
    is_name = any(os.path.isdir(path) for path in (text, runs_directory() / text) if text)
    return (name, last) if at and re.fullmatch(pattern, last) and not is_name else (text, "")


_DIGEST = "player_digest"


@dataclass(frozen=True, slots=True)
class PlayedMatches:
    """The stored matches of a run, oldest first."""

    champion: tuple[Mapping[str, Any], ...] = ()
    """Matches of the current champion."""
    earlier: tuple[Mapping[str, Any], ...] = ()
    """Matches of earlier champions; `generation` is the step of the run at each match."""
    others: tuple[Mapping[str, Any], ...] = ()
    """Matches that do not name their player."""


def match_of(
    player: Player, result: Mapping[str, Any], identity: Mapping[str, Any]
) -> dict[str, Any]:
    """Return *result* as a match of *player*; *identity* has further facts, such as its step.

    The player's content identifies it, not its name, since a run that goes on may get another.
    """
    return {**result, **identity, _DIGEST: _digest(player)}


def played_matches(run: Run) -> PlayedMatches:
    """Return the stored matches of *run*, grouped by player."""
    matches = run.matches()
    if not matches or not run.count():
        return PlayedMatches(others=tuple(matches))
    digest = _digest(run.champion_player)

    def is_champion(match: Mapping[str, Any]) -> bool:
        return bool(match.get(_DIGEST) == digest)

    def is_known(match: Mapping[str, Any]) -> bool:
        return "generation" in match

    return PlayedMatches(
        champion=tuple(match_ for match_ in matches if is_known(match_) and is_champion(match_)),
        earlier=tuple(match_ for match_ in matches if is_known(match_) and not is_champion(match_)),
        others=tuple(match_ for match_ in matches if not is_known(match_)),
    )


def champion_of(run: Run, number: int) -> Any:
    """Return the champion as a player, as it was after step *number*; `RunError` if there is none.

    For evolution it is the first of the hall of fame, before any final test.
    """
    if not 0 <= number < run.count():
        raise RunError(f"run {run.path} has no step {number}: it has {run.count()}")
    return run.reading(lambda opened: read_champions(opened, number)[0])


def resolve_champion(text: str) -> Player:
    """Return the champion of a run as a player; *text* is the run's name, path, or empty.

    An empty text means the newest run; a leading `champion@` is allowed. A final `@N`
    means the champion after step N. A final `@3-5` means the player of that cell, in a run that
    has a map of players; both may stand there, as in `@N@3-5`. Raises `RunError`.
    """
    return _champion(text.removeprefix("champion@"), lambda name: run_path(name or None))


def named_champion(text: str) -> Player:
    """Return the same of a run in the folder of runs, which *text* names as lists do.

    No text leads out of that folder.
    """
    return _champion(text, named_run)


def _champion(text: str, find: Callable[[str], Path]) -> Player:
    name, number, cell = champion_parts(text)
    player: Player
    with Run.open(find(name)) as run:
        if cell:
            player = _player_of_cell(run, int(number) if number else run.count() - 1, cell)
        elif number:
            player = champion_of(run, int(number))
        else:
            player = run.champion_player
        return player


def _player_of_cell(run: Run, number: int, cell: str) -> Player:
    """Return the player called `cell 3-5`, for the *cell* 3-5, after step *number*."""
    if not 0 <= number < run.count():
        raise RunError(f"run {run.path} has no step {number}: it has {run.count()}")
    players: tuple[Player, ...] = run.reading(lambda opened: read_champions(opened, number))
    names = [str(getattr(player, "name", None)) for player in players]
    if f"cell {cell}" in names:
        return players[names.index(f"cell {cell}")]
    cells = [name.removeprefix("cell ") for name in names if name.startswith("cell ")]
    if not cells:
        raise RunError(f"run {run.path} has no map of players, and so no cell {cell}")
    raise RunError(
        f"the map of run {run.path} has nobody in cell {cell} after step {number}: filled are "
        f"{shorten(', '.join(cells), 300)}"
    )


def champion_changes(run: Run) -> list[int]:
    """Return the numbers of steps with another champion than the one before, and the first."""
    rows = run.table(
        "SELECT number, json_extract(champions, '$[0]') AS first FROM steps ORDER BY number"
    )
    before = [None, *(row["first"] for row in rows)]
    return [row["number"] for row, last in zip(rows, before, strict=False) if row["first"] != last]


def export_csv(run: Run, directory: str | Path) -> list[Path]:
    """Write each table of *run* as a CSV file into *directory*; return the paths.

    Numbers are written so that they read back exactly; missing values are empty cells.
    Raises `RunError` if nothing can be written.
    """
    return _export(run, directory, ".csv", lambda rows: csv_text(rows, [*rows[0]]))


def export_parquet(run: Run, directory: str | Path) -> list[Path]:
    """Write each table of *run* as a Parquet file into *directory*; return the paths.

    Raises `RunError` if nothing can be written, or if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        from evoply.environment.prerequisites import missing_package

        why = missing_package("pyarrow")
        raise RunError(f"Parquet files: {why}, or write CSV files instead") from None

    def content(rows: Sequence[Mapping[str, Any]]) -> bytes:
        file = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
        return file.getvalue()

    return _export(run, directory, ".parquet", content)


def _export(
    run: Run,
    directory: str | Path,
    ending: str,
    content: Callable[[Sequence[Mapping[str, Any]]], str | bytes],
) -> list[Path]:
    if not run.count():
        raise RunError(f"run {run.path} has no {run.step_word} yet: there is nothing to write")
    paths = []
    for name in run.table_names():
        path = Path(directory) / f"{name}{ending}"
        rows = run.rows(name)
        if name == "matches" and not rows:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content(rows))
        except OSError as error:
            raise RunError(f"{path} cannot be written: {reason(error, path)}") from None
        paths.append(path)
    return paths


def csv_text(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Return *rows* as CSV with a line of the *names* of all columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _digest(player: Player) -> str:
    return checksum({key: value for key, value in player_data(player).items() if key != "name"})
