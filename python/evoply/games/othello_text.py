"""Reads and writes Othello as text, boards and transcripts; it knows no rules.

Written boards use X for Black, O for White, - for empty, then a space and the side to move.
Read boards also accept x * B b for Black, o 0 W w for White and . for empty; other characters
are ignored, and so are the column letters and row numbers of a printed board, and text after a
`;` (scores of a problem file) or a `%` (a comment).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evoply.games.squares import SHAPES, Word, check_length, place, square_name
from evoply.protocols import BoardShape, InvalidMoveError, Row
from evoply.wording import shorten

_BLACK, _WHITE, _EMPTY = "Xx*Bb", "Oo0Ww", "-."
_CELLS = re.escape(_BLACK + _WHITE + _EMPTY)
_SIDES = re.escape(_BLACK + _WHITE)
_LEADING_BOARDS = tuple(
    re.compile(rf"\s*[{_CELLS}]{{{shape.squares}}}\s*[{_SIDES}](?![A-Za-z0-9*\-.])[ \t]*;?")
    for shape in reversed(SHAPES.values())
)
_COLUMN_LETTERS = re.compile(r"\s*a\s+b\s+c\s+d[\sa-j]*", re.IGNORECASE)
_ROW_NUMBER = re.compile(r"^\s*(?:10|[1-9])(?=\s)|(?<=\s)(?:10|[1-9])\s*$")
_OTHER = re.compile(rf"[^{_CELLS}\s0-9|]")
_TO_MOVE = re.compile(r"\bto (?:move|play)\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s,;|\-]+|[0-9]+\.+")
# Possessive, so that many blanks do not take quadratic time.
_GGF = re.compile(r"\s*+\d*+\s*+\(;\s*(?:[A-Za-z]{2}\[[^\]\n]{0,20}\]?)?")
_CHECKERS = re.compile(r"\s*[BW]:[BW]", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+[0-9]*|\S")


def parse_board(text: str) -> tuple[BoardShape, Row]:
    """Return the shape of the board that *text* shows, by its number of squares, and its row.

    The ply is the number of discs beyond the first four, as if there had been no passes.

    Raises `InvalidMoveError` that says how many squares there are, or that the side to move is
    missing.
    """
    check_length(text)
    check_is_othello(text)
    cells = board_cells(text)
    shapes = {shape.squares + 1: shape for shape in SHAPES.values()}
    if len(cells) not in shapes:
        is_labelled = any(map(_COLUMN_LETTERS.fullmatch, text.splitlines()))
        other = None if is_labelled else _OTHER.search(text)
        if len(cells) + 1 in shapes and other is None:
            raise InvalidMoveError(
                f"the side to move is missing after the {len(cells)} squares: write X or O"
            )
        first = f"; {other[0]!r} at {place(text, other.start())} is none of them" if other else ""
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: it has {len(cells)} of the"
            " characters X O - (squares and side to move); boards have 16, 36, 64 or 100"
            f" squares, then the side to move{first}"
        )
    if cells[-1] in _EMPTY:
        raise InvalidMoveError(f"the side to move is {cells[-1]!r}: write X or O")
    black, white = _squares_with(cells[:-1], _BLACK), _squares_with(cells[:-1], _WHITE)
    ply = max(0, (black | white).bit_count() - 4)
    return shapes[len(cells)], (black, white, 0, cells[-1] in _BLACK, ply, 0)


def check_is_othello(text: str) -> None:
    """Raise `InvalidMoveError` if *text* is checkers, or GGF, whose letters look like a board."""
    if _CHECKERS.match(text) is not None:
        raise InvalidMoveError(
            "the position is one of checkers: say which game is meant with --game checkers,"
            " lose-checkers or checkers-10"
        )
    match = _GGF.match(text)
    if match is not None:
        raise InvalidMoveError(
            f"the text begins like a GGF game ({match[0].strip()}), which evoply.games.formats.ggf "
            "reads: write the moves alone, such as f5d6c3, or the board and the side to move"
        )


def board_cells(text: str) -> str:
    """Return the characters of *text* that stand for squares and the side to move."""
    return "".join(_cells_of_line(line) for line in text.splitlines())


def _cells_of_line(line: str) -> str:
    """Return the board characters of one line, without labels, scores and comments."""
    line = re.split("[;%]", line, maxsplit=1)[0]
    if _COLUMN_LETTERS.fullmatch(line):
        return ""
    line = _TO_MOVE.sub("", _ROW_NUMBER.sub("", line))
    return "".join(character for character in line if character in _BLACK + _WHITE + _EMPTY)


def _squares_with(cells: str, symbols: str) -> int:
    return sum(1 << square for square, cell in enumerate(cells) if cell in symbols)


def format_board(shape: BoardShape, row: Row) -> str:
    """Return the exact one-line form: every square row by row, a space, the side to move."""
    return f"{_symbols(shape, row)} {'X' if row[3] else 'O'}"


def format_diagram(shape: BoardShape, row: Row) -> str:
    """Return the board on several lines with column letters and row numbers.

    `parse_board` reads it back.
    """
    width, symbols = len(str(shape.rows)), _symbols(shape, row)
    lines = [f"{'':{width}} {' '.join(shape.letters)}"]
    for number in range(shape.rows):
        first = shape.index(number, 0)
        cells = symbols[first : first + shape.columns]
        lines.append(f"{number + 1:>{width}} {' '.join(cells)}")
    return "\n".join([*lines, f"{'X' if row[3] else 'O'} to move"])


def _symbols(shape: BoardShape, row: Row) -> str:
    return "".join(
        "X" if row[0] >> square & 1 else "O" if row[1] >> square & 1 else "-"
        for square in range(shape.squares)
    )


def split_leading_board(text: str) -> tuple[str | None, int]:
    """Return the board that *text* begins with, or None, and the index where moves begin."""
    for pattern in _LEADING_BOARDS:
        match = pattern.match(text)
        if match is not None:
            return match[0], match.end()
    return None, 0


@cache
def _move_pattern(shape: BoardShape) -> re.Pattern[str]:
    """Return the pattern of a move or a pass on a board of *shape*."""
    row = "|".join(map(str, range(shape.rows, 0, -1)))
    return re.compile(rf"[{shape.letters}](?:{row})(?![0-9])|pass|pa|ps", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class TranscriptWords:
    """The moves and passes of a transcript from index *begin* on; may be iterated repeatedly.

    Blanks, commas, hyphens and move numbers such as `12.` separate; on boards up to 8x8 a row
    has one digit, on 10x10 the digits of a row are read greedily. Iteration raises
    `InvalidMoveError` with line and column for anything else.
    """

    text: str
    shape: BoardShape
    begin: int = 0

    def __iter__(self) -> Iterator[Word]:
        text, index, move = self.text, self.begin, _move_pattern(self.shape)
        while index < len(text):
            separator = _SEPARATOR.match(text, index)
            if separator is not None:
                index = separator.end()
                continue
            match = move.match(text, index)
            if match is None:
                unreadable = _WORD.match(text, index)
                word = shorten(unreadable[0] if unreadable is not None else text[index])
                last = square_name(self.shape.squares - 1, self.shape)
                raise InvalidMoveError(
                    f"cannot read {word!r} at {place(text, index)} as a move:"
                    f" moves are a1 to {last}, or pass"
                )
            yield Word(match[0], index)
            index = match.end()
