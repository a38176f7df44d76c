"""Lists of openings from files: positions, transcripts or games, in any format of games.

A list is read from a file that somebody names, and is then positions: nothing else knows the file.
"""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from pathlib import Path

from evoply.arena.game_terms import MOST_OPENINGS, Line, OpeningList, OpeningOrder
from evoply.games import game_rules
from evoply.games.formats import GamePlayed, as_game_of, format_of_content, format_of_name
from evoply.games.formats.conversion import HEAD
from evoply.games.position import NO_DRAWS
from evoply.protocols import Row

_MOST_BYTES = 64_000_000


def read_openings(
    path: str | Path, *, game: str = "othello", order: OpeningOrder = "drawn"
) -> OpeningList:
    """Return the openings of *game* in a file: where its games end, in any format of games.

    The file has positions, transcripts or games, as `evoply convert` reads them; of a game with
    random plies at its beginning these are the opening. *order* says how games get them: *drawn*
    by their seed, each once before any comes again, or *in-order*. Raises `ValueError` with line
    or number for what cannot be read, is of another game or is over, and for a file that is empty
    or too large; `OSError` if there is none.
    """
    if order not in ("drawn", "in-order"):
        raise ValueError(f"{path}: there is no order {order!r} of openings: drawn and in-order are")
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no plain file - name one with openings")
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    try:
        if len(content) > _MOST_BYTES:
            raise ValueError(f"has more than {_MOST_BYTES:,} bytes - take a part of it")
        found = _lines(content, path, game)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    rows, lines = zip(*found, strict=True)
    return OpeningList(game, rows, lines, order, hashlib.sha256(content).hexdigest())


def openings_as_text(openings: OpeningList) -> tuple[str, ...]:
    """Return moves or a board for each opening, as `openings_from_text` reads them."""
    rules = game_rules(openings.game)
    records = (
        rules.game(rules.position_from_row(start), codes, NO_DRAWS)
        for start, codes in openings.lines
    )
    return tuple(str(record) or record.start.text() for record in records)


@lru_cache(maxsize=4)
def openings_from_text(
    game: str, texts: tuple[str, ...], order: OpeningOrder, sha256: str
) -> OpeningList:
    """Return openings that are kept as text; `ValueError` names the first that is wrong."""
    rows, lines = [], []
    for number, text in enumerate(texts, start=1):
        try:
            row, line = _line(GamePlayed(game_rules(game).read(text)), game)
        except ValueError as error:
            raise ValueError(f"openings: opening {number}: {error}") from None
        rows.append(row)
        lines.append(line)
    return OpeningList(game, tuple(rows), tuple(lines), order, sha256)


def _lines(content: bytes, path: Path, game: str) -> list[tuple[Row, Line]]:
    read = format_of_name(path) or format_of_content(content[:HEAD])
    if read.name == "transcript":  # a name that ends in .txt says little
        read = format_of_content(content[:HEAD])
    lines: list[tuple[Row, Line]] = []
    for played in read.games(io.BytesIO(content), game=game):
        place = played.place or f"game {len(lines) + 1}"
        if len(lines) == MOST_OPENINGS:
            raise ValueError(f"{place}: there are more than {MOST_OPENINGS:,} - take a part of it")
        try:
            lines.append(_line(played, game))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    if not lines:
        raise ValueError("there is no opening in it - write one on each line, such as f5d6c3")
    return lines


def _line(played: GamePlayed, game: str) -> tuple[Row, Line]:
    """Return where the players of an opening begin, and how it came about."""
    record = as_game_of(game, played.record)
    plies = min(played.opening_plies, len(record)) or len(record)
    position, shape = record.positions[plies], record.position.shape
    if position.outcome() is not None:
        raise ValueError("the game is over there - give only how it begins")
    codes = tuple(move.code(shape) for move in record.moves[:plies])
    return tuple(position.row), (tuple(record.start.row), codes)
