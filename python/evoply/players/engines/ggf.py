"""Games as GGF, as the NBoard protocol hands them over: the start, then every move by color.

`(;GM[Othello]PC[evoply]PB[..]PW[..]RE[?]TI[0]TY[8]BO[8 <board> *]B[F5]W[D6/1.00/2.4]B[PA];)`: a
board has `*` for Black, `O` for White, `-` for empty, and ends with the side to move.
"""

from __future__ import annotations

import re

from evoply.games import game_rules
from evoply.protocols import Color, GameRecord, InvalidMoveError
from evoply.wording import shorten

__all__ = ["ggf_of", "read_ggf", "size_of_ggf"]

LONGEST = 100_000
_TAG = re.compile(r"([A-Za-z]{1,4})\[([^\]]*)\]")
_SIDES = {"B": Color.BLACK, "W": Color.WHITE}
_USUAL_SIZE = 8


def ggf_of(game: GameRecord) -> str:
    """Return *game* as one line of GGF."""
    start = game.start
    moves = "".join(
        f"{'B' if position.turn is Color.BLACK else 'W'}"
        f"[{'PA' if position.legal_moves.must_pass else str(move).upper()}]"
        for position, move in zip(game.positions, game.moves, strict=False)
    )
    board = start.text().replace("X", "*")
    return (
        f"(;GM[Othello]PC[evoply]PB[Black]PW[White]RE[?]TI[0]TY[{start.size}]"
        f"BO[{start.size} {board}]{moves};)"
    )


def size_of_ggf(text: str) -> int:
    """Return the size of the board that *text* says: that of its board or its type, usually 8."""
    tags = _tags(text)
    for tag in ("BO", "TY"):
        number = re.match(r"\s*(\d{1,2})\b", dict(tags).get(tag, ""))
        if number is not None:
            return int(number[1])
    return _USUAL_SIZE


def read_ggf(text: str, game: str) -> GameRecord:
    """Return the game that *text* holds, a game of *game*.

    Passes may be left out. Raises `InvalidMoveError` or `IllegalMoveError`.
    """
    rules = game_rules(game)
    record = rules.record()
    for tag, value in _tags(text):
        if tag == "BO":
            board = re.sub(r"^\s*\d{1,2}\s", "", value)
            record = rules.game(rules.parse(board))
        elif tag in _SIDES:
            move = value.partition("/")[0].strip()
            if record.position.turn is not _SIDES[tag] and record.position.legal_moves.must_pass:
                record = record.play(record.position.legal_moves[0])
            if record.position.turn is not _SIDES[tag]:
                raise InvalidMoveError(f"{tag}[{shorten(value)}]: it is the other side's turn")
            record = record.play(move)
    return record


def _tags(text: str) -> list[tuple[str, str]]:
    if len(text) > LONGEST or "(;" not in text:
        raise InvalidMoveError(f"{shorten(text)!r} is no game in GGF: (;GM[Othello]...;)")
    return [(tag.upper(), value) for tag, value in _TAG.findall(text)]
