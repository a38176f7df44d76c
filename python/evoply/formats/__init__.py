"""The formats of the world's games: one module each, read and written game by game.

`read(source)` of a module yields what a text, the bytes of a file or an open file holds,
`write(games)` what a file is to hold; neither keeps more than a game in memory. What cannot be
read raises `InvalidMoveError` or `IllegalMoveError` with its place, or is told to *on_refused*
while the others are read. `FORMATS` is the one table of formats.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO

from evoply.formats import ggf, obf, pdn, saved, transcript, wthor
from evoply.formats.pasted import read_pasted
from evoply.formats.played import GamePlayed
from evoply.formats.sources import OnRefused, Refused
from evoply.protocols import GameRecord
from evoply.wording import did_you_mean

__all__ = [
    "FORMATS",
    "Format",
    "GamePlayed",
    "Refused",
    "format_named",
    "format_of_content",
    "format_of_name",
    "read_pasted",
]

Writer = Callable[[Iterable[GamePlayed | GameRecord]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what files of it are called and hold, and who reads and writes it."""

    name: str
    endings: tuple[str, ...]
    """Ends of the names of its files; the first is written."""
    holds: str
    """What it holds, for people."""
    read: Callable[[IO[bytes], str | None, OnRefused], Iterator[GamePlayed]]
    """The games of an open file; the name is of the game where the file does not say it."""
    write: Writer | None
    """None for WTHOR, which writes bytes and whose files are three."""


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        one.name: one
        for one in (
            Format(
                "transcript",
                (".txt", ".moves"),
                "games of every kind, a line each",
                transcript.read,
                transcript.write,
            ),
            Format(
                "ggf",
                (".ggf",),
                "Othello on every board",
                lambda file, game, on_refused: ggf.read(file, on_refused),
                ggf.write,
            ),
            Format(
                "wthor",
                (".wtb",),
                "finished games of 8x8 Othello",
                lambda file, game, on_refused: wthor.read(file, None, on_refused),
                None,
            ),
            Format(
                "obf",
                (".obf",),
                "positions of Othello",
                lambda file, game, on_refused: (
                    problem.game() for problem in obf.read(file, on_refused)
                ),
                obf.write,
            ),
            Format(
                "pdn",
                (".pdn",),
                "games of checkers",
                lambda file, game, on_refused: pdn.read(file, game or "checkers", on_refused),
                pdn.write,
            ),
            Format(
                "games",
                (".jsonl", ".games"),
                "games of every kind, all that evoply knows of them",
                lambda file, game, on_refused: saved.read(file, on_refused),
                saved.write,
            ),
        )
    }
)
"""The formats by name."""

_HEAD = 4096


def format_named(name: str) -> Format:
    """Return the format called *name*; raise `ValueError` that lists them if there is none.

    >>> format_named("ggf").endings
    ('.ggf',)
    """
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or "."
        raise ValueError(f"unknown format {name!r}{hint} The formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_name(path: str) -> Format | None:
    """Return the format that the ending of *path* says, None if it says none."""
    ending = os.path.splitext(path)[1].lower()
    return next((one for one in FORMATS.values() if ending in one.endings), None)


def format_of_content(head: bytes) -> Format:
    """Return the format that the first bytes of a file look like: transcripts if like no other.

    >>> format_of_content(b'(;GM[Othello]').name, format_of_content(b"f5d6c3").name
    ('ggf', 'transcript')
    """
    if wthor.is_wthor(head):
        return FORMATS["wthor"]
    text = head[:_HEAD].decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip() and line.strip()[0] not in "%#;"]
    first = lines[0].strip() if lines else ""
    if ggf.is_ggf(first):
        return FORMATS["ggf"]
    if first.startswith("{") and '"game"' in first:
        return FORMATS["games"]
    if first.startswith("[") or any(line.startswith("[") for line in lines):
        return FORMATS["pdn"]
    if ";" in first:
        try:
            next(obf.read(io.StringIO(first)))
        except ValueError:
            return FORMATS["transcript"]
        return FORMATS["obf"]
    return FORMATS["transcript"]
