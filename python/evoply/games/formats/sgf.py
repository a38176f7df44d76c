"""SGF, the Smart Game Format (FF[4], GM[2]), of games of Othello: the main line, no variations.

A square is written as on the board, d3, or as two letters, dc; a pass is empty, `pass` or `tt`.
Discs may be set up before the first move (AB, AW), and PL says who begins. RE is `B+12`, `W+R`
(resigned), `W+T` (out of time), `W+F` (another forfeit), `B+` (no score known), 0 for a draw, `?`
for unknown. Facts of a game are kept as tags, under PDN's names if PDN has them; the score of RE in
GGF's form.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from evoply.games.formats import ggf
from evoply.games.formats.sources import (
    UNKNOWN,
    GamePlayed,
    OnRefused,
    RollingText,
    Source,
    as_played,
    meaning_of,
)
from evoply.games.othello import SIZES, Position
from evoply.games.squares import Word, square_name
from evoply.protocols import BoardShape, Ending, GameRecord, InvalidMoveError
from evoply.wording import shorten

_BEGIN = re.compile(r"[\s\ufeff]*\(\s*;")
_SIGN = re.compile(r"(?:FF|GM|SZ)\s*\[\s*[0-9]{1,2}\s*\]|\]\s*;\s*[BW]\s*\[")
_SKIPPED = re.compile(r"[\s\ufeff]*")
_NEXT = re.compile(r"(?=\(\s*;\s*(?:AP|CA|FF|GM|SZ)\s*\[)")
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]{1,20})((?:\s*\[(?:\\.|[^\]\\])*\])+))", re.DOTALL)
_VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_RESULT = re.compile(r"([BW])\+\s*(.*)", re.IGNORECASE)
_SCORE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})?")
_OTHELLO = "2"
_REASONS = {"R": "resigned", "T": "out of time", "F": "for a reason that the file does not say"}
_KEPT = ("AN", "BR", "BT", "CP", "GC", "GN", "ON", "OT", "RU", "SO", "TM", "US", "WR", "WT")
"""Further facts of a game that are tags."""


def is_sgf(text: str) -> bool:
    """Return whether *text* begins like a game in SGF, which is no GGF.

    >>> is_sgf("(;GM[2]B[f5];W[d6])"), is_sgf("(;GM[Othello]B[F5]W[D6];)")
    (True, False)
    """
    begin = _BEGIN.match(text)
    return begin is not None and _SIGN.search(text, begin.end()) is not None


def read(source: Source, on_refused: OnRefused = None) -> Iterator[GamePlayed]:
    """Yield the games of *source*.

    Raises `InvalidMoveError` and `IllegalMoveError` with line and column.

    >>> (game,) = read("(;GM[2]PB[ann]RE[W+R];B[f5](;W[df])(;W[f4]))")
    >>> game.black, game.record.transcript(), game.result, game.forfeit
    ('ann', 'f5d6', '0-1', 'resigned')
    """
    yield from RollingText(source).games(
        _game, skipped=_SKIPPED, following=_NEXT, on_refused=on_refused
    )


def _game(text: RollingText) -> tuple[GamePlayed, int]:
    """Return the game at the beginning of *text*, and the index after it."""
    index, depth = text.begin, 0
    is_main = True
    properties: list[tuple[str, list[Word]]] = []
    while depth or index == text.begin:
        match = _TOKEN.match(text.text, index)
        if match is None or (not depth and match[1] != "("):
            raise ggf.unreadable(text, index, "SGF: a game is (;NAME[value]...)")
        index = match.end()
        if match[1]:
            depth += {"(": 1, ")": -1}.get(match[1], 0)
            # The first variation is the main line, and nothing follows where it ends.
            is_main = is_main and match[1] != ")"
        elif is_main:
            values = [
                Word(re.sub(r"\\(.)", r"\1", value[1], flags=re.DOTALL), value.start(1))
                for value in _VALUE.finditer(text.text, match.start(3), index)
            ]
            # Older files write Black[..] for B[..].
            properties.append(("".join(filter(str.isupper, match[2])), values))
    return _build(properties, text), index


def _build(properties: list[tuple[str, list[Word]]], text: RollingText) -> GamePlayed:
    facts = {name: " ".join(values[0].text.split()) for name, values in reversed(properties)}
    game, size = facts.get("GM", _OTHELLO), facts.get("SZ", "8")
    if game != _OTHELLO:
        raise InvalidMoveError(f"GM[{shorten(game)}]: Othello is GM[2]; no other game is read")
    if not re.fullmatch(r"[0-9]{1,2}", size) or int(size) not in SIZES:
        raise InvalidMoveError(f"SZ[{shorten(size)}] is not a size of a board of Othello")
    moves = [
        (name, Word(_point(values[0].text), values[0].index))
        for name, values in properties
        if name in ("B", "W")
    ]
    record = ggf.record_of(moves, _start(properties, facts, int(size)), text)
    result, score, reason = _result(facts.get("RE", ""))
    tags = {tag: facts.get(name, "") for name, tag in ggf.NAMES.items()}
    tags |= {name: facts[name] for name in _KEPT if name in facts}
    if score is not None and score != record.position.official_difference():
        tags["RE"] = f"{score:+g}"
    return GamePlayed.of(
        record,
        black=facts.get("PB", "") or UNKNOWN,
        white=facts.get("PW", "") or UNKNOWN,
        result=result,
        forfeit=reason,
        doubts=ggf.score_doubts(record, score),
        tags={name: value for name, value in tags.items() if value},
    )


def _start(
    properties: list[tuple[str, list[Word]]], facts: Mapping[str, str], size: int
) -> Position:
    start = Position(size)
    cells: dict[str, str] = {}
    for name, values in properties:
        if name in ("AB", "AW"):
            cells |= {_point(value.text): "XO"[name == "AW"] for value in values}
    if not cells:
        return start
    squares = [square_name(square, start.shape) for square in range(start.shape.squares)]
    if strange := sorted(cells.keys() - set(squares)):
        raise InvalidMoveError(f"{shorten(strange[0])} is not a square of a board of {start.shape}")
    side = "O" if facts.get("PL", "").upper().startswith("W") else "X"
    return Position.parse(f"{''.join(cells.get(square, '-') for square in squares)} {side}")


def _point(value: str) -> str:
    """Return a square or a pass as evoply writes it."""
    word = value.strip().lower()
    if word in ("", "tt", "pass"):
        return "pass"
    if re.fullmatch(r"[a-j][a-j]", word):
        return f"{word[0]}{ord(word[1]) - ord('a') + 1}"
    return word


def _result(text: str) -> tuple[str, float | None, str | None]:
    """Return the result in PDN's form, Black's score minus White's, and why the loser stopped."""
    match = _RESULT.fullmatch(text)
    if match is None:
        is_draw = text.lower() in ("0", "draw", "jigo")
        return ("1/2-1/2", 0.0, None) if is_draw else ("", None, None)
    is_black, how = match[1].upper() == "B", match[2].strip()
    score = float(how) if _SCORE.fullmatch(how) else None
    if score is not None and not is_black:
        score = -score
    return "1-0" if is_black else "0-1", score, _REASONS.get(how[:1].upper())


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield *games* as text, one line each; raise `ValueError` for a game that is not Othello.

    >>> from evoply.games.othello import Game
    >>> print("".join(write([Game.from_transcript("b1a1", 4)])), end="")
    (;FF[4]GM[2]CA[UTF-8]SZ[4]PB[?]PW[?]RE[?];B[b1];W[a1])
    """
    for game in games:
        yield _line(as_played(game))


def _line(game: GamePlayed) -> str:
    start = game.record.start
    if not isinstance(start, Position):
        raise ValueError(f"SGF holds games of Othello, not of {start.game}")
    parts = [f"FF[4]GM[2]CA[UTF-8]SZ[{start.shape.side}]"]
    parts += [ggf.property_text(name, game.tags.get(tag, "")) for name, tag in ggf.NAMES.items()]
    parts += [ggf.property_text("PB", game.black), ggf.property_text("PW", game.white)]
    parts += [f"RE[{_result_text(game)}]"]
    parts += [ggf.property_text(name, game.tags.get(name, "")) for name in _KEPT]
    if start != start.at_start():
        parts += [_setup("AB", start.black, start.shape), _setup("AW", start.white, start.shape)]
        parts.append(f"PL[{ggf.letter(start.turn)}]")
    for turn, move in ggf.turns(game.record):
        parts.append(f";{ggf.letter(turn)}[{'' if move.is_pass else move}]")
    return f"(;{''.join(parts)})\n"


def _setup(name: str, discs: int, shape: BoardShape) -> str:
    points = [square_name(square, shape) for square in range(shape.squares) if discs >> square & 1]
    return f"{name}[{']['.join(points)}]" if points else ""


def _result_text(game: GamePlayed) -> str:
    letter = {"1-0": "B", "0-1": "W", "1/2-1/2": ""}.get(meaning_of(game.result) or "")
    if not letter:
        return "?" if letter is None else "0"
    if game.ending is Ending.FORFEIT:
        signs = {None: "R"} | {reason: sign for sign, reason in _REASONS.items()}
        return f"{letter}+{signs.get(game.forfeit, 'F')}"
    is_known = "RE" in game.tags or game.ending is Ending.BOARD
    score = ggf.difference(game) if is_known and "Result" not in game.tags else None
    return f"{letter}+{abs(score):g}" if score else f"{letter}+"
