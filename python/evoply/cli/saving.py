"""What a command writes into files: games while they are played, and pages and charts."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from evoply.cli.output import Output

if TYPE_CHECKING:
    from evoply.games.formats import GamePlayed
    from evoply.protocols.sections import Page, Shown
    from evoply.reports.charts import Drawable


class SavedGames:
    """Writes games into a file, one after another: call it with each."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._ends = array("Q", [0])  # where each game ends, in bytes

    def __call__(self, game: GamePlayed) -> None:
        """Write *game* after the earlier ones."""
        from evoply.games.formats import saved

        line = "".join(saved.write([game])).encode()
        self._file.write(line)
        self._ends.append(self._ends[-1] + len(line))

    def keep(self, games: int) -> None:
        """Keep only the first *games*, if the file can be shortened.

        Ctrl-C may come between the writing of a game and its counting, or in the middle of a pair.
        """
        if self._file.seekable():
            self._file.truncate(self._ends[games])


@contextmanager
def saving(path: Path | None) -> Iterator[SavedGames | None]:
    """Yield a writer of games into the file at *path*, which appears when all is done."""
    from evoply.environment.files import writing_atomically

    if path is None:
        yield None
        return
    with writing_atomically(path) as file:
        yield SavedGames(file.buffer)


def say_saved(output: Output, path: Path | None) -> None:
    """Say where games were saved, if they were."""
    if path is not None:
        output.say(f"Games: {path}")


def say_report(output: Output, path: Path | None, result: Shown | Page, *, state: str = "") -> None:
    """Write the page about *result*, if there is a *path* for it, and say where.

    *state* is that of `write_result`.
    """
    if path is None:
        return
    from evoply.reports import write_result

    write_result(result, path, state=state)
    output.say(f"Report: {path}")


def say_charts(output: Output, folder: Path | None, charts: Iterable[Drawable]) -> list[str]:
    """Write *charts* as files, if there is a *folder* for them, and say where; return the files."""
    if folder is None:
        return []
    from evoply.reports import save_charts

    files = save_charts(charts, folder)
    output.say(f"Charts: {len(files)} files in {folder}")
    return [str(file) for file in files]
