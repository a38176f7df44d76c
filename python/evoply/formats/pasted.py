"""One game or position that a person pasted, in any text format."""

import re

from evoply.formats import ggf, pdn, sgf
from evoply.games import game_rules, othello_text
from evoply.games.squares import SHAPES
from evoply.protocols import GameRecord, InvalidMoveError

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
