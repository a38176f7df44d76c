"""Transcripts: one game per line, an optional start position and moves in the game's notation.

Examples are `f5d6c3`, `F5 D6`, `1. F5 d6 2. C3`, `11-15 23-19`; a line that begins with a later
move number continues the line before it. `#` or `%` begins a comment. A transcript does not name
its game: the first game that can read it is taken, unless one is named. A result behind the moves
has PDN's form: 1-0 is a win of the side that moves first. Only start and moves are written; there
are no rules about draws.
"""

import re
from collections.abc import Iterable, Iterator

from evoply.games import GAMES, GameRules, game_rules
from evoply.games.formats.sources import (
    LONGEST,
    GamePlayed,
    OnRefused,
    Source,
    as_played,
    lines_of,
    refuse,
)
from evoply.games.position import NO_DRAWS
from evoply.protocols import GameRecord, IllegalMoveError, InvalidMoveError
from evoply.wording import shorten

_COMMENT = re.compile(r"[#%][^\n]*")
_PLACE = re.compile(r"(?:line ([0-9]+), )?column ([0-9]+)")
_RESULT = re.compile(r"\s(1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0)\s*\Z", re.ASCII)
_GOES_ON = re.compile(r"\s*(?!1\.)[0-9]+\.")


def read(
    source: Source, game: str | None = None, on_refused: OnRefused = None
) -> Iterator[GamePlayed]:
    """Yield the games of *source*, all of them games of *game* if it is given.

    Raises `InvalidMoveError` and `IllegalMoveError` with line and column.
    """
    usual = list(GAMES.values()) if game is None else [game_rules(game)]
    for count, (number, text) in enumerate(_texts(source), start=1):
        try:
            if len(text) > LONGEST:
                raise InvalidMoveError(f"a game has at most {LONGEST:,} characters")
            result = _RESULT.search(text)
            moves = text if result is None else text[: result.start()]
            record, rules = _record(moves, usual)
        except (InvalidMoveError, IllegalMoveError) as error:
            refuse(error, count, f"line {number}", on_refused)
        else:
            # The next line is most often of the same game.
            usual.remove(rules)
            usual.insert(0, rules)
            stated = "" if result is None else result[1]
            yield GamePlayed.of(record, result=stated).at(f"line {number}")


def _texts(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the texts of games, each with the line where it begins."""
    begin, game = 0, ""
    for number, line in lines_of(source):
        text = _COMMENT.sub("", line)
        if game and text.strip() and _GOES_ON.match(text) and len(game) <= LONGEST:
            game += text
            continue
        if game:
            yield begin, game
        begin, game = number, text if text.strip() else ""
    if game:
        yield begin, game


def _record(text: str, usual: list[GameRules]) -> tuple[GameRecord, GameRules]:
    errors: list[ValueError] = []
    for rules in usual:
        try:
            record = rules.record(text, NO_DRAWS)
        except (InvalidMoveError, IllegalMoveError) as error:
            errors.append(error)
        else:
            if not record.moves and not any(character.isalpha() for character in text):
                raise InvalidMoveError(f"there are no moves in {shorten(text.strip())!r}")
            return record, rules
    raise max(errors, key=_progress)


def _progress(error: ValueError) -> tuple[int, int, bool]:
    """Return how far a game could be read; the error that comes farthest says most."""
    match = _PLACE.search(str(error))
    line, column = (int(group or 0) for group in match.groups()) if match is not None else (0, 0)
    # At the same place an illegal move says more than an unreadable one.
    return line, column, isinstance(error, IllegalMoveError)


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield the lines of *games*."""
    for game in games:
        record = as_played(game).record
        yield (str(record) or record.start.text()) + "\n"
