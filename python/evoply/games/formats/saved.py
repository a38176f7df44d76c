"""The games that `evoply match --save-games` writes: JSON, one line per game.

`{"game", "players": {"black", "white"}, "start", "moves", "opening_plies", "key", "opening_key",
"result": {"winner", "ending", "points": {"black", "white"}, "pieces": {"black", "white"}, "plies",
"forfeit"}}`, "tags" for further facts from a file of another format, and "checksum". *start* is
the text of the start position and *moves* are the moves as text, openings and passes included;
*winner* is black, white or null; *ending* and both *points* are null while the game goes on or if
nobody knows its result, and *ending* is "stated" if only a file says it; *key* and *opening_key*
are the sources of all randomness in the game; *forfeit* says why the loser could not go on, or is
null. *checksum* is the SHA-256 of the other keys as JSON with sorted keys and no spaces; a line
without one is read, too.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from evoply.environment.files import with_checksum, without_checksum
from evoply.games.formats.sources import (
    LONGEST,
    GamePlayed,
    OnRefused,
    Source,
    as_played,
    lines_of,
    refuse,
)
from evoply.protocols import GameRecord


def read(source: Source, on_refused: OnRefused = None) -> Iterator[GamePlayed]:
    """Yield the games of saved lines; InvalidMoveError names a line that cannot be read."""
    count = 0
    for number, line in lines_of(source):
        if not line.strip():
            continue
        count += 1
        try:
            if len(line) > LONGEST:
                raise ValueError("is too long for a game")
            data = json.loads(line)
            if isinstance(data, dict) and "checksum" in data:
                data = _checked(data)
            game = GamePlayed.from_dict(data)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                error = ValueError(f"this is not a saved game: no JSON at column {error.colno}")
            refuse(ValueError(str(error)), count, f"line {number}", on_refused)
        else:
            yield game.at(f"line {number}")


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield the lines of *games*."""
    for game in games:
        yield json.dumps(with_checksum(as_played(game).to_dict()), ensure_ascii=False) + "\n"


def _checked(data: dict[str, Any]) -> dict[str, Any]:
    try:
        return without_checksum(data)
    except ValueError:
        raise ValueError(
            "the checksum is wrong: the line is damaged or was edited - put a copy back, or remove "
            "its checksum"
        ) from None
