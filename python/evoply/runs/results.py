"""Results of runs: champions by name, matches, and tables for other programs.

Tables are rows of named cells; spreadsheets and statistics programs read them as CSV or Parquet.

Reasons: docs/design/players.md.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.environment.files import (
    checksum,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.protocols import Player, RunError
from evoply.runs.run import Run
from evoply.runs.run_names import PRUNED, champion_parts, named_run, run_path
from evoply.runs.schema import player_data, read_champions
from evoply.wording import shorten

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
    has a map of players; both may stand there, as in `@N@3-5`. A final `@pruned` means the champion
    without what it can do without, as the end of the run found it. Raises `RunError`.
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
        if cell == PRUNED:
            if number and int(number) != run.count() - 1:
                raise RunError(f"run {run.path} has a pruned champion only after its last step")
            player = run.pruned_player
        elif cell:
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
