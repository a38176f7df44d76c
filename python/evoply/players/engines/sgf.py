"""Reads games of Othello in SGF (`GM[2]`) for GTP's `loadsgf`, without variations.

A square is written as on the board, d3, or as two letters, dc; a pass is empty, `pass` or `tt`.
Discs may be set up before the first move (AB, AW), and PL says who begins.
"""

import re
from collections.abc import Callable

from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.protocols import BoardShape, GameRecord, InvalidMoveError
from evoply.wording import shorten

_TAG = re.compile(r"([A-Z]{1,2})((?:\s*\[(?:\\.|[^\]\\])*\])+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_OTHELLO = "2"
_USUAL_SIZE = 8


def read_sgf(text: str) -> tuple[int, Callable[[str], GameRecord]]:
    """Return the size of the board, and a function that reads the moves by the rules of a game.

    The function takes the name of a game for this size. Both raise `InvalidMoveError`; the function
    also raises `IllegalMoveError`.
    """
    if "(;" not in text.replace(" ", ""):
        raise InvalidMoveError("this is not SGF: a file of SGF begins with (;")
    # A variation ends with a bracket; the text before the first bracket is the main line.
    tags = [(match[1], _VALUE.findall(match[2])) for match in _TAG.finditer(_until_first_end(text))]
    first = {name: values[0].strip() for name, values in reversed(tags)}
    if first.get("GM", _OTHELLO) != _OTHELLO:
        raise InvalidMoveError(f"GM[{shorten(first['GM'])}]: Othello is GM[2]")
    size = first.get("SZ", str(_USUAL_SIZE))
    if not re.fullmatch(r"[0-9]{1,2}", size):
        raise InvalidMoveError(f"SZ[{shorten(size)}] is not a size of a board")
    return int(size), lambda game: _record(tags, first, game)


def _until_first_end(text: str) -> str:
    end = re.search(r"(?:[^)\[]|\[(?:\\.|[^\]\\])*\])*", text, re.DOTALL)
    return end[0] if end else text


def _record(tags: list[tuple[str, list[str]]], first: dict[str, str], game: str) -> GameRecord:
    rules = game_rules(game)
    record = rules.record()
    setup = {
        letter: [_point(value) for name, values in tags if name == f"A{side}" for value in values]
        for letter, side in (("X", "B"), ("O", "W"))
    }
    if setup["X"] or setup["O"]:
        record = rules.game(rules.parse(_board(setup, first.get("PL", "B"), rules.shape)))
    for name, values in tags:
        if name in ("B", "W"):
            position = record.position
            if position.turn.value[0].upper() != name and position.legal_moves.must_pass:
                record = record.play(position.legal_moves[0])
            if record.position.turn.value[0].upper() != name:
                raise InvalidMoveError(f"{name}[{shorten(values[0])}]: it is the other side's turn")
            record = record.play(_point(values[0]))
    return record


def _point(value: str) -> str:
    """Return a square or a pass as evoply writes it."""
    word = value.strip().lower()
    if word in ("", "tt", "pass"):
        return "pass"
    if re.fullmatch(r"[a-z][a-j]", word) and word not in ("pa", "ps"):
        return f"{word[0]}{ord(word[1]) - ord('a') + 1}"
    return word


def _board(setup: dict[str, list[str]], turn: str, shape: BoardShape) -> str:
    cells = {point: letter for letter, points in setup.items() for point in points}
    squares = [square_name(square, shape) for square in range(shape.squares)]
    if strange := sorted(cells.keys() - set(squares)):
        raise InvalidMoveError(f"{shorten(strange[0])} is not a square of a board of {shape}")
    side = "O" if turn.strip().upper().startswith("W") else "X"
    return f"{''.join(cells.get(square, '-') for square in squares)} {side}"
