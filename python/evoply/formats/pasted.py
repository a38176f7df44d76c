"""One game or position that a person pasted: in any format that is text."""

from __future__ import annotations

import re

from evoply.formats import ggf, pdn
from evoply.games import game_rules, othello_text
from evoply.games.squares import SIZES
from evoply.protocols import GameRecord, InvalidMoveError

__all__ = ["read_pasted"]

_TAG = re.compile(r'\s*\[\s*[A-Za-z0-9_]+\s*"')
_SQUARES = {size * size for size in SIZES}


def read_pasted(game: str, text: str) -> GameRecord:
    """Return the record of *game* that *text* shows: a board, moves or both, GGF, or PDN.

    A board without a side to move is that of the side whose turn it is if nobody has passed. Of
    several games the first is read. Raises `InvalidMoveError` or `IllegalMoveError` with the place
    of the first character or move that is wrong.
    """
    rules = game_rules(game)
    if ggf.is_ggf(text):
        return _of(game, next(ggf.read(text)).record)
    if _TAG.match(text) is not None:
        return _of(game, next(pdn.read(text, game)).record)
    if rules.fills_board and len(cells := _cells(text)) in _SQUARES:
        discs = sum(cell not in "-." for cell in cells)
        return rules.read(f"{cells} {'XO'[discs % 2]}")
    return rules.read(text)


def _cells(text: str) -> str:
    """Return the squares of a board without a side to move, "" if *text* is something else."""
    if ":" in text or any(one.isalpha() and one not in "xXoObBwW" for one in _labels.sub("", text)):
        return ""
    return othello_text.board_cells(text)


_labels = re.compile(r"^\s*a\s+b\s+c\s+d[\sa-j]*$", re.IGNORECASE | re.MULTILINE)


def _of(game: str, record: GameRecord) -> GameRecord:
    """Return *record* as one of *game*, which has its rules; say which game it is if not."""
    rules, start = game_rules(game), record.start
    if start.kernel != rules.kernel:
        raise InvalidMoveError(f"this is a game of {start.game}: write --game {start.game}")
    codes = [move.code(rules.size) for move in record.moves]
    return rules.game(rules.position_from_row(start.row), codes)
