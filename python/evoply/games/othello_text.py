"""Othello as text: boards and transcripts. It reads and writes characters and knows no rules.

Written boards use X for Black, O for White, - for empty, then a space and the side to move.
Read boards also accept x * B b for Black, o 0 W w for White and . for empty; other characters
are ignored, and so are the column letters and row numbers of a printed board, and whatever
follows a `;` (scores of a problem file) or a `%` (a comment).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evoply.games.squares import SIZES
from evoply.games.text import Word, check_length, place
from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

_BLACK, _WHITE, _EMPTY = "Xx*Bb", "Oo0Ww", "-."
_CELLS = re.escape(_BLACK + _WHITE + _EMPTY)
_SIDES = re.escape(_BLACK + _WHITE)
_LEADING_BOARDS = tuple(
    re.compile(rf"\s*[{_CELLS}]{{{size * size}}}\s*[{_SIDES}](?![A-Za-z0-9*\-.])[ \t]*;?")
    for size in reversed(SIZES)
)
_COLUMN_LETTERS = re.compile(r"\s*a\s+b\s+c\s+d[\sa-j]*", re.IGNORECASE)
_ROW_NUMBER = re.compile(r"^\s*(?:10|[1-9])(?=\s)|(?<=\s)(?:10|[1-9])\s*$")
_TO_MOVE = re.compile(r"\bto (?:move|play)\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s,;|\-]+|[0-9]+\.+")
_GGF = re.compile(r"\s*\d*\s*\(;\s*(?:[A-Za-z]{2}\[[^\]\n]{0,20}\]?)?")
_WORD = re.compile(r"[A-Za-z]+[0-9]*|\S")


@dataclass(frozen=True, slots=True)
class Board:
    """What a board text says: size, sets of squares, and whether Black is to move."""

    size: int
    black: int
    white: int
    black_to_move: bool


def parse_board(text: str) -> Board:
    """Return the board that *text* shows; its number of squares decides the size.

    Raises `InvalidMoveError` that says how many squares were found, or that the side to move
    is missing.
    """
    check_length(text)
    check_is_no_ggf(text)
    cells = "".join(_cells_of_line(line) for line in text.splitlines())
    sizes = {size * size + 1: size for size in SIZES}
    if len(cells) not in sizes:
        if len(cells) + 1 in sizes:
            raise InvalidMoveError(
                f"the side to move is missing after the {len(cells)} squares: write X or O"
            )
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: it has {len(cells)} of the"
            " characters X O - (squares and side to move); boards have 16, 36, 64 or 100"
            " squares, then the side to move"
        )
    size = sizes[len(cells)]
    if cells[-1] in _EMPTY:
        raise InvalidMoveError(f"the side to move is {cells[-1]!r}: write X or O")
    return Board(
        size=size,
        black=_squares_with(cells[:-1], _BLACK),
        white=_squares_with(cells[:-1], _WHITE),
        black_to_move=cells[-1] in _BLACK,
    )


def check_is_no_ggf(text: str) -> None:
    """Raise `InvalidMoveError` if *text* is a game in GGF, whose letters may look like a board."""
    found = _GGF.match(text)
    if found is not None:
        raise InvalidMoveError(
            f"the text begins like a GGF game ({found[0].strip()}), a format that is not read:"
            " write the moves alone, such as f5d6c3, or the board and the side to move"
        )


def _cells_of_line(line: str) -> str:
    """Return the board characters of one line, without labels, scores and comments."""
    line = re.split("[;%]", line, maxsplit=1)[0]
    if _COLUMN_LETTERS.fullmatch(line):
        return ""
    line = _TO_MOVE.sub("", _ROW_NUMBER.sub("", line))
    return "".join(character for character in line if character in _BLACK + _WHITE + _EMPTY)


def _squares_with(cells: str, symbols: str) -> int:
    return sum(1 << square for square, cell in enumerate(cells) if cell in symbols)


def format_board(board: Board) -> str:
    """Return the exact one-line form: every square row by row, a space, the side to move."""
    return f"{_symbols(board)} {'X' if board.black_to_move else 'O'}"


def format_diagram(board: Board) -> str:
    """Return the board on several lines with column letters and row numbers.

    `parse_board` reads it back.
    """
    width = len(str(board.size))
    symbols = _symbols(board)
    letters = " ".join(chr(ord("a") + column) for column in range(board.size))
    lines = [f"{'':{width}} {letters}"]
    for row in range(board.size):
        cells = " ".join(symbols[row * board.size : (row + 1) * board.size])
        lines.append(f"{row + 1:>{width}} {cells}")
    lines.append(f"{'X' if board.black_to_move else 'O'} to move")
    return "\n".join(lines)


def _symbols(board: Board) -> str:
    return "".join(
        "X" if board.black >> square & 1 else "O" if board.white >> square & 1 else "-"
        for square in range(board.size * board.size)
    )


def split_leading_board(text: str) -> tuple[str | None, int]:
    """Return the board that *text* begins with, or None, and the index where moves begin."""
    for pattern in _LEADING_BOARDS:
        match = pattern.match(text)
        if match is not None:
            return match[0], match.end()
    return None, 0


def transcript_words(text: str, size: int, begin: int = 0) -> Iterator[Word]:
    """Yield the words of a transcript from index *begin* on, moves and passes alike.

    Blanks, commas, hyphens and move numbers such as `12.` separate; on boards up to 8x8 a row
    has one digit, on 10x10 the digits of a row are read greedily. Raises `InvalidMoveError`
    with line and column for anything else.
    """
    last_letter = chr(ord("a") + size - 1)
    row = r"(?:10|[1-9])" if size == 10 else rf"[1-{size}]"
    move = re.compile(rf"[a-{last_letter}]{row}(?![0-9])|pass|pa|ps", re.IGNORECASE | re.ASCII)
    index = begin
    while index < len(text):
        separator = _SEPARATOR.match(text, index)
        if separator is not None:
            index = separator.end()
            continue
        match = move.match(text, index)
        if match is None:
            found = _WORD.match(text, index)
            word = shorten(found[0] if found is not None else text[index])
            raise InvalidMoveError(
                f"cannot read {word!r} at {place(text, index)} as a move:"
                f" moves are a1 to {last_letter}{size}, or pass"
            )
        yield Word(match[0], index)
        index = match.end()
