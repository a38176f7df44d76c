"""Checkers as text: positions as PDN writes them, printed boards, and the words of a game.

It reads and writes characters and knows no rules. PDN's text of a position is the side to move,
then the squares of either color, `K` before a king: `B:W18,24,K27:B1,12`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evoply.games.checkers_move import numbered_square, square_number
from evoply.games.squares import squares_in
from evoply.games.text import Word, place
from evoply.protocols import InvalidMoveError
from evoply.wording import shorten

MAX_POSITION_CHARACTERS = 2_000

_FEN = re.compile(
    r"\s*([BW]):([BW])([^:]*):([BW])([^:]*?)(?::H([0-9]{1,10}))?(?::F([0-9]{1,10}))?\s*\.?\s*",
    re.IGNORECASE,
)
# Whatever begins like a position is one, so that an error is about it. Blanks may follow commas.
_LEADING_FEN = re.compile(r"\s*[BW]:(?:[^\s,]|,\s*)*", re.IGNORECASE)
_PIECES = re.compile(r"(K?)([0-9]{1,3})(?:-([0-9]{1,3}))?", re.IGNORECASE)
_TO_MOVE = re.compile(r"(black|white) to (?:move|play)", re.IGNORECASE)
_ROW = re.compile(r"(?:[0-9]+\s)?\s*((?:[bwBW.\-]\s?)+)\s*[0-9]*")

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+)
    | (?P<comment>\{[^}]*\} | ;[^\n]* | (?:(?<=\n)|\A)%[^\n]*)
    | (?P<open>\() | (?P<close>\))
    | (?P<note>\$[0-9]{1,4} | [!?]+)
    | (?P<result>(?:1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0)(?![0-9xX:/-]) | \*)
    | (?P<number>[0-9]{1,4}\.+)
    | (?P<move>[0-9]{1,2}(?:\s?[-xX:×]\s?[0-9]{1,2})+(?![0-9A-Za-z]))
    | (?P<tag>\[)
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[0-9A-Za-z/-]+|.", re.DOTALL)
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Board:
    """What the text of a position says: sets of squares, who moves, and counters if given."""

    size: int
    black: int
    white: int
    kings: int
    black_to_move: bool
    quiet_plies: int = 0
    ply: int = 0


def parse_board(text: str, size: int) -> Board:
    """Return the board of *size* that *text* shows, in PDN's form or printed.

    Raises `InvalidMoveError` that names the square, the row or the missing part.
    """
    if len(text) > MAX_POSITION_CHARACTERS:
        raise InvalidMoveError(
            f"the text has {len(text):,} characters; at most {MAX_POSITION_CHARACTERS:,} are read"
        )
    return _parse_fen(text, size) if ":" in text else _parse_diagram(text, size)


def _parse_fen(text: str, size: int) -> Board:
    found = _FEN.fullmatch(text)
    if found is None or found[2].upper() == found[4].upper():
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: write the side to move and the"
            " squares of both colors, such as B:W18,24,K27:B1,12"
        )
    sets = {"B": 0, "W": 0}
    kings = 0
    for color, pieces in ((found[2].upper(), found[3]), (found[4].upper(), found[5])):
        for piece in filter(None, map(str.strip, pieces.split(","))):
            squares, is_king = _squares_of_piece(piece, size)
            for square in squares_in(squares & (sets["B"] | sets["W"])):
                number = square_number(square, size)
                raise InvalidMoveError(f"square {number} holds more than one piece")
            sets[color] |= squares
            kings |= squares if is_king else 0
    black_to_move = found[1].upper() == "B"
    # Full moves count from 1, and Black begins.
    ply = 2 * max(int(found[7]) - 1, 0) + (not black_to_move) if found[7] else 0
    return Board(size, sets["B"], sets["W"], kings, black_to_move, int(found[6] or 0), ply)


def _squares_of_piece(text: str, size: int) -> tuple[int, bool]:
    """Return the squares that "12", "K12" or "1-12" names, and whether kings stand there."""
    found = _PIECES.fullmatch(text)
    if found is None:
        raise InvalidMoveError(f"cannot read {shorten(text)!r} as a piece: write 12, or K12")
    first = int(found[2])
    last = int(found[3] or first)
    if last < first:
        raise InvalidMoveError(f"the squares {first}-{last} run backwards")
    numbered_square(first, size)
    numbered_square(last, size)
    squares = sum(1 << numbered_square(number, size) for number in range(first, last + 1))
    return squares, bool(found[1])


def _parse_diagram(text: str, size: int) -> Board:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    to_move = _TO_MOVE.fullmatch(lines[-1]) if lines else None
    if to_move is None:
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: write B:W18,24,K27:B1,12, or a"
            " printed board that ends with a line such as Black to move"
        )
    rows = lines[:-1]
    if len(rows) != size:
        raise InvalidMoveError(
            f"the board has {len(rows)} row{'' if len(rows) == 1 else 's'}, not {size}"
        )
    sets = dict.fromkeys("bwBW", 0)
    for number, line in enumerate(rows, start=1):
        found = _ROW.fullmatch(line)
        cells = found[1].replace(" ", "") if found is not None else ""
        if len(cells) != size:
            raise InvalidMoveError(
                f"cannot read row {number} of the board, {shorten(line)!r}: it must have {size} of"
                " the characters b w (men) B W (kings) - ."
            )
        for column, cell in enumerate(cells):
            square = (number - 1) * size + column
            if cell in sets:
                if (number - 1 + column) % 2 == 0:
                    raise InvalidMoveError(
                        f"row {number}, column {column + 1} is a light square and holds {cell!r}"
                    )
                sets[cell] |= 1 << square
    black, white = sets["b"] | sets["B"], sets["w"] | sets["W"]
    return Board(size, black, white, sets["B"] | sets["W"], to_move[1].lower() == "black")


def format_board(board: Board) -> str:
    """Return PDN's text of a position: "B:W21,K22:B1,2"."""

    def pieces(squares: int) -> str:
        return ",".join(
            f"{'K' if board.kings >> square & 1 else ''}{square_number(square, board.size)}"
            for square in squares_in(squares)
        )

    side = "B" if board.black_to_move else "W"
    return f"{side}:W{pieces(board.white)}:B{pieces(board.black)}"


def format_diagram(board: Board) -> str:
    """Return the board on several lines, between the first and last number of each row.

    Men are b and w, kings B and W, empty dark squares -, light squares. `parse_board` reads it.
    """
    size = board.size
    lines = []
    for row in range(size):
        cells = " ".join(_symbol(board, row, column) for column in range(size))
        last = (row + 1) * size // 2
        lines.append(f"{last - size // 2 + 1:>2} {cells} {last:>2}")
    lines.append(f"{'Black' if board.black_to_move else 'White'} to move")
    return "\n".join(lines)


def _symbol(board: Board, row: int, column: int) -> str:
    if (row + column) % 2 == 0:
        return "."
    square = row * board.size + column
    if not (board.black | board.white) >> square & 1:
        return "-"
    symbol = "b" if board.black >> square & 1 else "w"
    return symbol.upper() if board.kings >> square & 1 else symbol


def split_leading_board(text: str) -> tuple[str | None, int]:
    """Return PDN's text of a position that *text* begins with, or None, and where moves begin."""
    found = _LEADING_FEN.match(text)
    return (None, 0) if found is None else (found[0], found.end())


def movetext_words(text: str, begin: int = 0) -> Iterator[Word]:
    """Yield the moves and results of PDN's movetext from index *begin* on; "[" ends it.

    Comments, variations, annotations and move numbers are skipped. Raises `InvalidMoveError`
    with line and column for anything else, and for what is opened and not closed.
    """
    index, opened = begin, list[int]()
    while index < len(text):
        token = _TOKEN.match(text, index)
        if token is None or (token["tag"] and opened):
            raise InvalidMoveError(_why_unreadable(text, index))
        if token["tag"]:
            yield Word("[", index)
            return
        if token["open"]:
            opened.append(index)
            if len(opened) > _DEEPEST:
                raise InvalidMoveError(
                    f"variations at {place(text, index)} are more than {_DEEPEST} deep"
                )
        elif token["close"]:
            if not opened:
                raise InvalidMoveError(f"')' at {place(text, index)} closes nothing")
            opened.pop()
        elif not opened and (token["move"] or token["result"]):
            yield Word(token[0], index)
        index = token.end()
    if opened:
        raise InvalidMoveError(f"the variation at {place(text, opened[0])} is not closed")


def _why_unreadable(text: str, index: int) -> str:
    if text[index] == "{":
        return f"the comment at {place(text, index)} is not closed"
    found = _WORD.match(text, index)
    word = shorten(found[0] if found is not None else text[index])
    return f"cannot read {word!r} at {place(text, index)} as a move: moves are 11-15 or 15x24"
