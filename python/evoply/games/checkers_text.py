"""Reads and writes checkers as text: PDN's form of positions, printed boards, words of games.

This module knows no rules. PDN's text of a position is the side to move,
then the squares of either colour, `K` before a king: `B:W18,24,K27:B1,12`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from evoply.games.squares import Word, is_dark, numbered_square, place, square_number, squares_in
from evoply.protocols import BoardShape, InvalidMoveError, Row
from evoply.wording import shorten

MAX_POSITION_CHARACTERS = 2_000

_FEN = re.compile(
    r"\s*([BW]):([BW])([^:]*):([BW])([^:]*?)(?::H([0-9]{1,10}))?(?::F([0-9]{1,10}))?\s*\.?\s*",
    re.IGNORECASE,
)
# A text that begins like a position is read as one, to get its errors. Blanks may follow commas.
_LEADING_FEN = re.compile(r"\s*[BW]:(?:[^\s,]|,\s*)*", re.IGNORECASE)
_PIECES = re.compile(r"(K?)([0-9]{1,3})(?:-([0-9]{1,3}))?", re.IGNORECASE)
_TO_MOVE = re.compile(r"(black|white) to (?:move|play)", re.IGNORECASE)
_ROW = re.compile(r"(?:[0-9]+\s)?\s*((?:[bwBW.\-]\s?)+)\s*[0-9]*")

_BARE = re.compile(r"[0-9]{3,4}")
_MOVE = re.compile(r"[0-9]{1,2}(?:\s*[-xX:×]\s*[0-9]{1,2}){1,16}")
RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*", "2-0", "0-2", "1-1", "0-0"})
"""The ends of a game in PDN: the first number is that of the side that moves first, Black here. The
last four are international; 0-0 is a loss of both sides."""

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+)
    | (?P<comment>\{[^}]*\} | ;[^\n]* | (?:(?<=\n)|\A)%[^\n]*)
    | (?P<open>\() | (?P<close>\))
    | (?P<note>\$[0-9]{1,4} | [!?]+)
    | (?P<result>(?:1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0)(?![0-9xX:/-]) | \*)
    | (?P<number>[0-9]{1,4}\.+)
    | (?P<move>[0-9]{1,2}(?:\s?[-xX:×]\s?[0-9]{1,2})+(?![0-9A-Za-z])
        | [0-9]{3,4}(?![0-9A-Za-z./:×-]))
    | (?P<tag>\[)
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[0-9A-Za-z/-]+|.", re.DOTALL)
_DEEPEST = 100


def parse_board(text: str, shape: BoardShape) -> Row:
    """Return the row of the board of *shape* that *text* shows, in PDN's form or printed.

    Raises `InvalidMoveError` that names the square, the row or the missing part.
    """
    if len(text) > MAX_POSITION_CHARACTERS:
        raise InvalidMoveError(
            f"the text has {len(text):,} characters; at most {MAX_POSITION_CHARACTERS:,} are read"
        )
    return _parse_fen(text, shape) if ":" in text else _parse_diagram(text, shape)


def _parse_fen(text: str, shape: BoardShape) -> Row:
    match = _FEN.fullmatch(text)
    if match is None or match[2].upper() == match[4].upper():
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: write the side to move and the"
            " squares of both colours, such as B:W18,24,K27:B1,12"
        )
    sets = {"B": 0, "W": 0}
    kings = 0
    for color, pieces in ((match[2].upper(), match[3]), (match[4].upper(), match[5])):
        for piece in filter(None, map(str.strip, pieces.split(","))):
            squares, is_king = _squares_of_piece(piece, shape)
            for square in squares_in(squares & (sets["B"] | sets["W"])):
                number = square_number(square, shape)
                raise InvalidMoveError(f"square {number} holds more than one piece")
            sets[color] |= squares
            kings |= squares if is_king else 0
    black_to_move = match[1].upper() == "B"
    # Full moves count from 1, and Black begins.
    ply = 2 * max(int(match[7]) - 1, 0) + (not black_to_move) if match[7] else 0
    return sets["B"], sets["W"], kings, black_to_move, ply, int(match[6] or 0)


def _squares_of_piece(text: str, shape: BoardShape) -> tuple[int, bool]:
    """Return the squares that "12", "K12" or "1-12" names, and whether kings stand there."""
    match = _PIECES.fullmatch(text)
    if match is None:
        raise InvalidMoveError(f"cannot read {shorten(text)!r} as a piece: write 12, or K12")
    first = int(match[2])
    last = int(match[3] or first)
    if last < first:
        raise InvalidMoveError(f"the squares {first}-{last} run backwards")
    numbered_square(first, shape)
    numbered_square(last, shape)
    squares = sum(1 << numbered_square(number, shape) for number in range(first, last + 1))
    return squares, bool(match[1])


def _parse_diagram(text: str, shape: BoardShape) -> Row:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    to_move = _TO_MOVE.fullmatch(lines[-1]) if lines else None
    if to_move is None:
        raise InvalidMoveError(
            f"cannot read the position {shorten(text.strip())!r}: write B:W18,24,K27:B1,12, or a"
            " printed board that ends with a line such as Black to move"
        )
    rows = lines[:-1]
    if len(rows) != shape.rows:
        raise InvalidMoveError(
            f"the board has {len(rows)} row{'' if len(rows) == 1 else 's'}, not {shape.rows}"
        )
    sets = dict.fromkeys("bwBW", 0)
    for number, line in enumerate(rows, start=1):
        match = _ROW.fullmatch(line)
        cells = match[1].replace(" ", "") if match is not None else ""
        if len(cells) != shape.columns:
            raise InvalidMoveError(
                f"cannot read row {number} of the board, {shorten(line)!r}: it must have"
                f" {shape.columns} of"
                " the characters b w (men) B W (kings) - ."
            )
        for column, cell in enumerate(cells):
            square = shape.index(number - 1, column)
            if cell in sets:
                if not is_dark(square, shape):
                    raise InvalidMoveError(
                        f"row {number}, column {column + 1} is a light square and holds {cell!r}"
                    )
                sets[cell] |= 1 << square
    black, white = sets["b"] | sets["B"], sets["w"] | sets["W"]
    return black, white, sets["B"] | sets["W"], to_move[1].lower() == "black", 0, 0


def format_board(shape: BoardShape, row: Row) -> str:
    """Return PDN's text of a position: "B:W21,K22:B1,2"."""

    def pieces(squares: int) -> str:
        return ",".join(
            f"{'K' if row[2] >> square & 1 else ''}{square_number(square, shape)}"
            for square in squares_in(squares)
        )

    return f"{'B' if row[3] else 'W'}:W{pieces(row[1])}:B{pieces(row[0])}"


def format_diagram(shape: BoardShape, row: Row) -> str:
    """Return the board on several lines, between the first and last number of each row.

    Men are b and w, kings B and W, empty dark squares -, light squares. `parse_board` reads it.
    """
    lines = []
    for begin in range(0, shape.squares, shape.columns):
        squares = range(begin, begin + shape.columns)
        cells = " ".join(_symbol(square, shape, row) for square in squares)
        lines.append(f"{begin // 2 + 1:>2} {cells} {(begin + shape.columns) // 2:>2}")
    return "\n".join([*lines, f"{'Black' if row[3] else 'White'} to move"])


def _symbol(square: int, shape: BoardShape, row: Row) -> str:
    if not is_dark(square, shape):
        return "."
    symbol = "b" if row[0] >> square & 1 else "w" if row[1] >> square & 1 else "-"
    return symbol.upper() if row[2] >> square & 1 else symbol


def parse_squares(text: str, shape: BoardShape) -> tuple[int, ...]:
    """Return the squares that *text*, such as "11-15" or "15x31", names.

    Raises `InvalidMoveError` if it is not written like a move.
    """
    if _MOVE.fullmatch(text.strip()) is None:
        raise InvalidMoveError(
            f"cannot read {shorten(text)!r} as a move: write 11-15 for a step and 15x24 for a"
            f" capture, with squares 1 to {shape.squares // 2}"
        )
    numbers = re.findall("[0-9]+", text)
    try:
        return tuple(numbered_square(int(number), shape) for number in numbers)
    except InvalidMoveError as error:
        raise InvalidMoveError(f"cannot read {text.strip()!r} as a move: {error}") from None


def format_squares(squares: Sequence[int], shape: BoardShape, *, is_capture: bool) -> str:
    """Return *squares* as the text of a move: "11-15" or "15x24x31"."""
    numbers = (str(square_number(square, shape)) for square in squares)
    return ("x" if is_capture else "-").join(numbers)


def bare_move(text: str) -> str | None:
    """Return *text* if it is a move written without a sign, such as "1115", else None."""
    match = _BARE.fullmatch(text.strip())
    return None if match is None else match[0]


def with_jumps_joined(words: Iterable[Word]) -> list[Word]:
    """Return *words*, the jumps of a capture that are written one by one as one move.

    They begin where the last one ended, where no piece of the other side can be.

    >>> [word.text for word in with_jumps_joined([Word("7x16", 0), Word("1623", 5)])]
    ['7x16x23']
    """
    joined: list[Word] = []
    squares: list[str] = []
    for word in words:
        before, squares = squares, _numbers(word.text)
        if before and squares and before[-1] == squares[0]:
            squares = [*before, *squares[1:]]
            joined[-1] = Word("x".join(squares), joined[-1].index)
        else:
            joined.append(word)
    return joined


def _numbers(text: str) -> list[str]:
    """Return the squares of a capture, or of a move without a sign that can be cut in two."""
    if bare_move(text) is None:
        return [] if "-" in text else re.findall("[0-9]+", text)
    return [str(int(text[:2])), str(int(text[2:]))] if len(text) == 4 else []


def split_leading_board(text: str) -> tuple[str | None, int]:
    """Return the PDN position at the beginning of *text*, or None, and where moves begin."""
    match = _LEADING_FEN.match(text)
    return (None, 0) if match is None else (match[0], match.end())


def movetext_words(
    text: str, begin: int = 0, where: Callable[[int], str] | None = None
) -> Iterator[Word]:
    """Yield the moves and results of PDN's movetext from index *begin* on; "[" ends it.

    Comments, variations, annotations and move numbers are skipped. Raises `InvalidMoveError`
    with line and column, which *where* gives for an index, for anything else, and for a comment or
    variation that is not closed.
    """
    where = partial(place, text) if where is None else where
    index, opened = begin, list[int]()
    while index < len(text):
        token = _TOKEN.match(text, index)
        if token is None or (token["tag"] and opened):
            raise InvalidMoveError(_why_unreadable(text, index, where))
        if token["tag"]:
            yield Word("[", index)
            return
        if token["open"]:
            opened.append(index)
            if len(opened) > _DEEPEST:
                raise InvalidMoveError(
                    f"variations at {where(index)} are more than {_DEEPEST} deep"
                )
        elif token["close"]:
            if not opened:
                raise InvalidMoveError(f"')' at {where(index)} closes nothing")
            opened.pop()
        elif not opened and (token["move"] or token["result"]):
            yield Word(token[0], index)
        index = token.end()
    if opened:
        raise InvalidMoveError(f"the variation at {where(opened[0])} is not closed")


def _why_unreadable(text: str, index: int, where: Callable[[int], str]) -> str:
    if text[index] == "{":
        return f"the comment at {where(index)} is not closed"
    match = _WORD.match(text, index)
    word = shorten(match[0] if match is not None else text[index])
    others = ", and squares with letters are those of other kinds of draughts"
    is_other = re.match("[a-h][1-8]", word) is not None
    what = f"moves are 11-15 or 15x24{others * is_other}"
    return f"cannot read {word!r} at {where(index)} as a move: {what}"
