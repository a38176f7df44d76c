"""Games from one file into another, game by game; those that do not go are told of."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Protocol

from evoply.formats import ggf, obf, pdn, saved, transcript, wthor
from evoply.formats.played import GamePlayed
from evoply.formats.sources import OnRefused, Refused
from evoply.protocols import GameRecord
from evoply.wording import did_you_mean

HEAD = 4096
"""Bytes of a file by which its format is known."""


class Writer(Protocol):
    """A file that grows game by game."""

    def add(self, game: GamePlayed, /) -> None:
        """Write *game*; raise `ValueError` and write nothing if the format cannot hold it."""

    def close(self) -> Mapping[str, bytes]:
        """Finish the file, which stays open; return the files beside it by their endings."""


@dataclass(frozen=True, slots=True)
class _TextWriter:
    file: IO[bytes]
    write: Callable[[Iterable[GamePlayed | GameRecord]], Iterator[str]]

    def add(self, game: GamePlayed, /) -> None:
        self.file.write("".join(self.write([game])).encode("utf-8", "replace"))

    def close(self) -> Mapping[str, bytes]:
        return {}


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what files of it are called and hold, and who reads and writes it."""

    name: str
    endings: tuple[str, ...]
    """Ends of the names of its files."""
    holds: str
    """What it holds, for people."""
    read: Callable[[IO[bytes], str | None, wthor.WthorNames, OnRefused], Iterator[GamePlayed]]
    """The games of an open file; a name of a game is for files that do not say it themselves, and
    names of players and events for those that number them."""
    writer: Callable[[IO[bytes]], Writer]
    """What writes games into an open file, which can seek."""


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        one.name: one
        for one in (
            Format(
                "transcript",
                (".txt",),
                "moves of every game, a line each",
                lambda file, game, names, refused: transcript.read(file, game, refused),
                lambda file: _TextWriter(file, transcript.write),
            ),
            Format(
                "ggf",
                (".ggf",),
                "Othello",
                lambda file, game, names, refused: ggf.read(file, refused),
                lambda file: _TextWriter(file, ggf.write),
            ),
            Format(
                "wthor",
                (".wtb",),
                "finished games of Othello 8x8",
                lambda file, game, names, refused: wthor.read(file, names, refused),
                wthor.WthorWriter,
            ),
            Format(
                "obf",
                (".obf",),
                "positions of Othello",
                lambda file, game, names, refused: (one.game() for one in obf.read(file, refused)),
                lambda file: _TextWriter(file, obf.write),
            ),
            Format(
                "pdn",
                (".pdn",),
                "checkers",
                lambda file, game, names, refused: pdn.read(file, game or "checkers", refused),
                lambda file: _TextWriter(file, pdn.write),
            ),
            Format(
                "games",
                (".jsonl",),
                "every game, with all that evoply knows of it",
                lambda file, game, names, refused: saved.read(file, refused),
                lambda file: _TextWriter(file, saved.write),
            ),
        )
    }
)
"""The formats by name."""


def format_named(name: str) -> Format:
    """Return the format called *name*; raise `ValueError` that lists them if there is none.

    >>> format_named("ggf").endings
    ('.ggf',)
    """
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or "."
        raise ValueError(f"unknown format {name!r}{hint} The formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_name(path: str | Path) -> Format | None:
    """Return the format that the ending of *path* says, None if it says none."""
    ending = os.path.splitext(path)[1].lower()
    return next((one for one in FORMATS.values() if ending in one.endings), None)


def format_of_content(head: bytes) -> Format:
    """Return the format that the first bytes of a file look like: transcripts if like no other.

    >>> format_of_content(b"(;GM[Othello]").name, format_of_content(b"f5d6c3").name
    ('ggf', 'transcript')
    """
    if wthor.is_wthor(head):
        return FORMATS["wthor"]
    text = head[:HEAD].decode("utf-8-sig", "replace")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "%#;"]
    first = lines[0] if lines else ""
    if ggf.is_ggf(first):
        return FORMATS["ggf"]
    if first.startswith("{") and '"game"' in first:
        return FORMATS["games"]
    if any(line.startswith("[") for line in lines):
        return FORMATS["pdn"]
    is_board = False
    if ";" in first:
        read = list(obf.read(first, on_refused=lambda refused: None))
        is_board = bool(read)
    return FORMATS["obf" if is_board else "transcript"]


@dataclass(frozen=True, slots=True)
class Converted:
    """How many games went from one file to the other, and which did not."""

    games: int
    moves: int
    """Plies of all these games."""
    refused: tuple[Refused, ...]


def convert(
    source: IO[bytes],
    target: IO[bytes],
    *,
    read: Format,
    write: Format,
    game: str | None = None,
    names: wthor.WthorNames | None = None,
) -> tuple[Converted, Mapping[str, bytes]]:
    """Write the games of *source* to *target*; return what became of them, and the files beside.

    *game* is what games are where the file does not say it; *target* can seek. Games that cannot be
    read or written are left out. Raises `ValueError` if *source* as a whole is not what *read*
    reads.
    """
    refused: list[Refused] = []
    writer = write.writer(target)
    games = moves = 0
    names = wthor.WthorNames() if names is None else names
    for one in read.read(source, game, names, refused.append):
        number = games + len(refused) + 1
        try:
            writer.add(one)
        except ValueError as error:
            refused.append(Refused(number, f"game {number}", str(error)))
        else:
            games += 1
            moves += len(one.record)
    return Converted(games, moves, tuple(refused)), writer.close()


def names_beside(path: str | Path) -> wthor.WthorNames:
    """Return the names in the files .jou and .trn beside the WTHOR file at *path*, as far as any.

    They are called as it is, or are the only ones of their kind there. Raises `ValueError` that
    names a file that cannot be read.
    """
    path = Path(path)
    found: list[tuple[str, ...]] = []
    for ending in (".jou", ".trn"):
        files = sorted(one for one in path.parent.iterdir() if one.suffix.lower() == ending)
        same = [file for file in files if file.stem.lower() == path.stem.lower()]
        chosen = same[:1] or (files if len(files) == 1 else [])
        try:
            found.append(wthor.read_names(chosen[0].read_bytes()) if chosen else ())
        except ValueError as error:
            raise ValueError(f"{chosen[0]}: {error}") from None
    return wthor.WthorNames(*found)
