"""Conversion of games from one file to another, game by game, with a report of those that fail."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Protocol

from evoply.games import game_rules, othello_text
from evoply.games.formats import ggf, obf, pdn, saved, sgf, transcript, wthor
from evoply.games.formats.sources import GamePlayed, OnRefused, Refused, TextFile, decoded
from evoply.games.squares import SHAPES
from evoply.protocols import GameRecord, InvalidMoveError
from evoply.wording import did_you_mean

HEAD = 4096
"""The number of bytes of a file that show its format."""


class Writer(Protocol):
    """A file that grows game by game."""

    def add(self, game: GamePlayed, /) -> None:
        """Write *game*; raise `ValueError` and write nothing if the format cannot hold it."""

    def close(self) -> Mapping[str, bytes]:
        """Finish the file, which stays open; return the files that belong beside it, by ending."""


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
    """One format: the endings and contents of its files, and its reader and writer."""

    name: str
    endings: tuple[str, ...]
    """The endings of the names of its files."""
    holds: str
    """Its contents, in words for people."""
    read: Callable[[Any, str | None, wthor.WthorNames, OnRefused], Iterator[GamePlayed]]
    """Reads the games of an open file; a name of a game is for files that do not give it, and names
    of players and events are for files that number them."""
    writer: Callable[[IO[bytes]], Writer]
    """Makes a writer of games to an open file, which can seek."""
    is_text: bool = True

    def games(
        self,
        source: IO[bytes],
        *,
        game: str | None = None,
        names: wthor.WthorNames | None = None,
        on_refused: OnRefused = None,
        on_doubt: Callable[[str], object] = str,
    ) -> Iterator[GamePlayed]:
        """Yield the games of an open file; *game* and *names* as for `read`.

        *on_doubt* is called with what a game or the file states twice and not alike, and with what
        is uncertain about its encoding.
        """
        file = TextFile(source) if self.is_text else source
        for played in self.read(file, game, names or wthor.WthorNames(), on_refused):
            for doubt in played.doubts:
                on_doubt(doubt)
            yield played
        if isinstance(file, TextFile):
            for doubt in file.doubts:
                on_doubt(doubt)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
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
                "sgf",
                (".sgf",),
                "Othello",
                lambda file, game, names, refused: sgf.read(file, refused),
                lambda file: _TextWriter(file, sgf.write),
            ),
            Format(
                "wthor",
                (".wtb",),
                "finished games of Othello 8x8",
                lambda file, game, names, refused: wthor.read(file, names, refused),
                wthor.WthorWriter,
                is_text=False,
            ),
            Format(
                "obf",
                (".obf",),
                "positions of Othello",
                lambda file, game, names, refused: map(obf.Problem.game, obf.read(file, refused)),
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
    """Return the format called *name*; `ValueError` lists the formats if it is unknown.

    >>> format_named("ggf").endings
    ('.ggf',)
    """
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or "."
        raise ValueError(f"unknown format {name!r}{hint} The formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of_name(path: str | Path) -> Format | None:
    """Return the format for the ending of *path*, or None if it is unknown."""
    ending = os.path.splitext(path)[1].lower()
    return next((entry for entry in FORMATS.values() if ending in entry.endings), None)


def format_of_content(head: bytes) -> Format:
    """Return the format that the first bytes of a file look like, transcript if no other.

    >>> format_of_content(b"(;GM[Othello]").name, format_of_content(b"f5d6c3").name
    ('ggf', 'transcript')
    """
    if wthor.is_wthor(head):
        return FORMATS["wthor"]
    text = decoded(head[:HEAD])
    if sgf.is_sgf(text):
        return FORMATS["sgf"]
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
    """The number of converted games, and the games that were refused."""

    games: int
    moves: int
    """The plies of all converted games."""
    refused: tuple[Refused, ...]
    doubts: tuple[str, ...] = ()
    """What a game states twice and not alike, and which statement decided; see `Format.games`."""


def convert(
    source: IO[bytes],
    target: IO[bytes],
    *,
    read: Format,
    write: Format,
    game: str | None = None,
    names: wthor.WthorNames | None = None,
) -> tuple[Converted, Mapping[str, bytes]]:
    """Write the games of *source* to *target*; return the counts, and the files beside *target*.

    *game* is the game of files that do not name one; *target* can seek. Games that cannot be read
    or written are left out. Raises `ValueError` if *source* as a whole does not have the format
    *read*.
    """
    refused: list[Refused] = []
    doubts: list[str] = []
    writer = write.writer(target)
    games = moves = 0
    for played in read.games(
        source, game=game, names=names, on_refused=refused.append, on_doubt=doubts.append
    ):
        number = games + len(refused) + 1
        try:
            writer.add(played)
        except ValueError as error:
            refused.append(Refused(number, f"game {number}", str(error)))
        else:
            games += 1
            moves += len(played.record)
    return Converted(games, moves, tuple(refused), tuple(doubts)), writer.close()


def names_beside(path: str | Path) -> wthor.WthorNames:
    """Return the names in the files .jou and .trn beside the WTHOR file at *path*, if they exist.

    These files have the same stem, or are the only ones of their kind there. Raises `ValueError`
    with the name of a file that cannot be read.
    """
    path = Path(path)
    names: list[tuple[str, ...]] = []
    for ending in (".jou", ".trn"):
        files = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == ending)
        same = [file for file in files if file.stem.lower() == path.stem.lower()]
        chosen = same[:1] or (files if len(files) == 1 else [])
        try:
            names.append(wthor.read_names(chosen[0].read_bytes()) if chosen else ())
        except ValueError as error:
            raise ValueError(f"{chosen[0]}: {error}") from None
    return wthor.WthorNames(*names)


# One game or position that a person pasted, in any text format.

_TAG = re.compile(r'\s*\[\s*[A-Za-z0-9_]+\s*"')
_SCORES = re.compile(r";\s*[A-Ja-j][0-9]{1,2}\s*:\s*[+-]?[0-9]")
# File letters above or below, row numbers at either end; a 0 is a white disc and not a number.
_LABELS = re.compile(
    r"^[ \t]*a[ \t]*b[ \t]*c[ \t]*d[ \ta-j]*$|^[ \t]*[1-9]0?[ \t]|[ \t][1-9]0?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SYMBOLS = str.maketrans("●⚫○⚪·_", "XXOO--", "\ufe0f")
_BOARD = re.compile(r"[xXoObBwW0*.\-\s|]+")
_SQUARES = {shape.squares for shape in SHAPES.values()}


def read_pasted(game: str, text: str) -> GameRecord:
    """Return the record of *game* in *text*: a board, moves or both, GGF, SGF, PDN or OBF.

    A board without a side to move gets the side whose turn it is if nobody has passed. The first of
    several games is read. Raises `InvalidMoveError` or `IllegalMoveError` with the place of the
    first wrong character or move.
    """
    rules = game_rules(game)
    if sgf.is_sgf(text):
        return as_game_of(game, next(sgf.read(text)).record)
    if ggf.is_ggf(text):
        return as_game_of(game, next(ggf.read(text)).record)
    if _TAG.match(text) is not None:
        return as_game_of(game, next(pdn.read(text, game)).record)
    if _SCORES.search(text) is not None:
        return rules.game(rules.parse(text.partition(";")[0]))
    if rules.pieces_added == 1 and len(cells := _cells(text)) in _SQUARES:
        discs = sum(cell not in "-." for cell in cells)
        return rules.read(f"{cells} {'XO'[discs % 2]}")
    return rules.read(text)


def _cells(text: str) -> str:
    """Return the squares of a board without a side to move, or "" if *text* is something else."""
    board = _LABELS.sub("", text.translate(_SYMBOLS))
    words = board.split()
    has_side = bool(words) and len(words[-1]) == 1 and any(len(word) > 1 for word in words)
    if has_side or _BOARD.fullmatch(board) is None:
        return ""
    return othello_text.board_cells(board)


def as_game_of(game: str, record: GameRecord) -> GameRecord:
    """Return *record* as a record of *game*, if the rules are the same.

    Raises `InvalidMoveError` with the name of the record's game if its rules differ.
    """
    rules, start = game_rules(game), record.start
    if start.kernel != rules.kernel:
        raise InvalidMoveError(f"this is a game of {start.game}: write --game {start.game}")
    codes = [move.code(rules.shape) for move in record.moves]
    return rules.game(rules.position_from_row(start.row), codes)
