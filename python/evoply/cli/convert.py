"""`evoply convert`: games from one format into another; rules of games in files."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli.output import EndedError, Output, stderr
from evoply.cli.shared_options import GAME_NAMES, Json
from evoply.games.formats.sources import FormatName
from evoply.protocols.sections import JsonData
from evoply.wording import printable

if TYPE_CHECKING:
    from evoply.games.formats import Converted, Format, GamePlayed, Refused, WthorNames


_STREAM = "-"
_IN_MEMORY = 1 << 20
_MOST_NOTES = 10


def convert(
    source: Annotated[str, Parameter(allow_leading_hyphen=True)],
    target: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    from_: Annotated[FormatName | None, Parameter(name="--from")] = None,
    to: FormatName | None = None,
    game: Annotated[
        str | None, Parameter(help=f"The game of files that do not say it: {GAME_NAMES}.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the games of a file in another format.

    The formats are transcript (.txt, a game a line), ggf (.ggf), sgf (.sgf),
    wthor (.wtb), obf (.obf, positions), pdn (.pdn), and games (.jsonl, what a
    match saves); if the ending of a name is not known, the content decides. An
    .obf file holds positions: a game is written as all of its positions in
    order, and a position is read as a game without moves. Games that cannot be
    read or written are left out and listed with their place. Where a game says
    one thing twice and not alike, such as its result, this is listed, too.

    In JSON: source, target, from, to, games, moves, refused (number, place and
    reason of each game that was left out) and doubts (what games say twice).

    Parameters
    ----------
    source
        A file, or - for standard input. Names beside a .wtb file, in .jou and .trn, are read.
    target
        A file, or - for standard output. Beside a .wtb file its .jou and .trn are written.
    from_
        The format of the source.
    to
        The format of the target; for standard output a transcript unless it is given.
    """
    from evoply.environment.files import write_atomically
    from evoply.games import formats, game_rules

    output = Output(json)
    if json and target == _STREAM:
        raise ValueError("--json and - both need standard output: name a file to write to")
    if game is not None:
        game_rules(game)
    write = _target_format(target, to)
    with games_file(source, from_) as (read, file, names), _open_target(target) as written:
        try:
            converted, beside = formats.convert(
                file, written, read=read, write=write, game=game, names=names
            )
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from None
        notes = Notes([*converted.refused], [*converted.doubts])
        result = _result(source, target, read, write, converted) | notes.to_dict()
        if not converted.games:
            why = converted.refused[0] if converted.refused else f"there is no {read.name} in it"
            raise EndedError(f"{source}: {why}", result)
    if target != _STREAM:
        for ending, content in beside.items():
            write_atomically(Path(target).with_suffix(ending), content)
        output.say(
            f"{converted.games:,} game{'s' * (converted.games != 1)} of {converted.moves:,} plies"
            f" from {read.name} to {write.name}: {target}"
        )
    notes.tell()
    output.result(result)


def _target_format(target: str, name: str | None) -> Format:
    from evoply.games.formats import FORMATS, format_named, format_of_name

    if name is not None:
        return format_named(name)
    by_ending = format_of_name(target)
    if by_ending is None and target != _STREAM:
        raise ValueError(
            f"{target}: its ending says no format: add --to with one of {', '.join(FORMATS)}"
        )
    return by_ending or format_named("transcript")


@contextmanager
def games_file(
    source: str, name: str | None = None
) -> Iterator[tuple[Format, io.BufferedReader, WthorNames]]:
    """Open *source*, `-` for standard input; give its format, *name* if given, and the file.

    The names are those in the files beside it, if it numbers players and events.
    """
    from evoply.games.formats import (
        WthorNames,
        format_named,
        format_of_content,
        format_of_name,
        names_beside,
    )

    chosen = None if name is None else format_named(name)
    with _open_source(source) as file:
        read = chosen or format_of_name(source) or format_of_content(file.peek(1))
        has_names = read.name == "wthor" and source != _STREAM
        yield read, file, names_beside(source) if has_names else WthorNames()


@dataclass(frozen=True, slots=True)
class Notes(JsonData):
    """What is to be said of the games of a file: those left out, and what is doubtful."""

    refused: list[Refused] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def tell(self) -> None:
        """Print the first notes of each kind, and count the others."""
        for what, notes in (("left out", self.refused), ("doubtful", self.doubts)):
            for note in notes[:_MOST_NOTES]:
                stderr().print(f"{what}: {note}", soft_wrap=True)
            if len(notes) > _MOST_NOTES:
                stderr().print(f"{what}: {len(notes) - _MOST_NOTES:,} more")


def games_in(file: str, notes: Notes, *, game: str | None = None) -> Iterator[GamePlayed]:
    """Yield the games of a file, and add what is to be said of them to *notes*.

    Raises `ValueError`, which names the file, if it cannot be read as a whole.
    """
    with games_file(file) as (read, opened, names):
        try:
            yield from read.games(
                opened,
                game=game,
                names=names,
                on_refused=notes.refused.append,
                on_doubt=notes.doubts.append,
            )
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None


@contextmanager
def _open_source(source: str) -> Iterator[io.BufferedReader]:
    if source == _STREAM:
        raw: Any = getattr(sys.stdin, "buffer", None) or io.BytesIO(sys.stdin.read().encode())
        yield raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)
        return
    path = Path(source)
    if path.is_dir() or not path.exists():
        what = "is a folder: name a file" if path.is_dir() else "there is no such file"
        raise ValueError(f"{source}: {what} to read games from")
    with path.open("rb") as file:
        yield file


@contextmanager
def _open_target(target: str) -> Iterator[IO[bytes]]:
    from evoply.environment.files import writing_atomically

    if target != _STREAM:
        with writing_atomically(target) as file:
            yield file.buffer
        return
    # A header is written last, and nothing at all if no game could be read.
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as spool:
        yield spool
        spool.seek(0)
        if sys.stdout.isatty():  # names of players come from outside
            sys.stdout.write(printable(spool.read().decode("utf-8", "replace")))
            return
        sys.stdout.flush()
        shutil.copyfileobj(spool, sys.stdout.buffer)


def _result(
    source: str, target: str, read: Format, write: Format, converted: Converted
) -> dict[str, Any]:
    return {
        "source": source,
        "target": target,
        "from": read.name,
        "to": write.name,
        "games": converted.games,
        "moves": converted.moves,
    }
