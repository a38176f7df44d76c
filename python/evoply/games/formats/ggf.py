"""GGF, the format of Othello servers and of the NBoard protocol: `(;GM[Othello]PB[a]PW[b]...;)`.

Properties are kept as tags, under PDN's names if PDN has them. Values and times of moves
(`B[f5/2.00/1.5]`) are skipped. RE is the final score of Black minus White's, with empty squares for
the winner; `:r` is resigned, `:t` out of time, `:s` agreed. Games whose type in TY has an `a`
(anti: fewer discs win) are refused.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle

from evoply.games import othello_text
from evoply.games.formats.sources import (
    UNKNOWN,
    GamePlayed,
    OnRefused,
    RollingText,
    Source,
    as_played,
    meaning_of,
)
from evoply.games.othello import SIZES, Game, Move, Position
from evoply.games.position import NO_DRAWS
from evoply.games.squares import Word
from evoply.protocols import Color, Ending, GameRecord, IllegalMoveError, InvalidMoveError
from evoply.wording import shorten

_SKIPPED = re.compile(r"[\s\ufeff]*(?:[0-9]{1,3}(?=\s*\(;))?\s*")
_PROPERTY = re.compile(r"\s*([A-Za-z]{1,4})\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_END = re.compile(r"\s*;?\s*\)")
_NEXT = re.compile(r"(?=\(;)")
# Possessive, because otherwise many blanks would be split in two in every possible way.
_HEAD = re.compile(r"[\s\ufeff]*+[0-9]{0,3}+\s*+\(;\s*(?:[A-Za-z]{1,4}\s*\[|$)")
_RESULT = re.compile(r"\s*([+-]?[0-9]{1,3}(?:\.[0-9]*)?)\s*(?::\s*([rtsRTS]))?\s*")
_REASONS = {"r": "resigned", "t": "out of time"}
_ANTI = re.compile(r"s?[0-9]{1,2}[A-Za-z0-9.]*?[aA][A-Za-z0-9.]*")
NAMES = {"PC": "Site", "DT": "Date", "EV": "Event", "RO": "Round"}
"""Properties that PDN has, too, and its names of them."""
_OTHER = re.compile(r"(?!(?:GM|PB|PW|RE|TY|BO|B|W|PC|DT|EV|RO)$)[A-Z]{1,4}")
_MOVES = ("B", "W")


_PERIOD = r"(?:([0-9]{1,4}):)?(?:([0-9]{1,6}):)?([0-9]{1,6}(?:\.[0-9]{1,6})?)"
_TIME = re.compile(rf"\s*{_PERIOD}(?:/(?:{_PERIOD})?(?:/.*)?)?\s*", re.DOTALL)
_USED = re.compile(r"(?<![A-Z])([BW])\s*\[[^\]/]*/[^\]/]*/\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*\]")


def is_ggf(text: str) -> bool:
    """Return whether *text* begins like a game in GGF."""
    return _HEAD.match(text) is not None


def read(source: Source, on_refused: OnRefused = None) -> Iterator[GamePlayed]:
    """Yield the games of *source*.

    Raises `InvalidMoveError` and `IllegalMoveError` with line and column.
    """
    yield from RollingText(source).games(
        _game, skipped=_SKIPPED, following=_NEXT, on_refused=on_refused
    )


def _game(text: RollingText) -> tuple[GamePlayed, int]:
    """Return the game at the beginning of *text*, and the index after it."""
    index = text.begin
    if not text.text.startswith("(;", index):
        raise unreadable(text, index, "a game: it begins with (;")
    index += 2
    tags: dict[str, str] = {}
    moves: list[tuple[str, Word]] = []
    doubts: list[str] = []
    while (end := _END.match(text.text, index)) is None:
        match = _PROPERTY.match(text.text, index)
        if match is None:
            raise unreadable(text, index, "a property: write NAME[value], and ;) at the end")
        name, value = match[1].upper(), re.sub(r"\\(.)", r"\1", match[2], flags=re.DOTALL)
        index = match.end()
        if name in _MOVES:
            move = value.split("/")[0].strip()
            moves.append((name, Word(move, match.start(2))))
        elif tags.setdefault(name, value := " ".join(value.split())) != value:
            where = text.place(match.start(1))
            doubts.append(f"a second {name} at {where} says something else: the first decides")
    return _build(tags, moves, doubts, text), end.end()


def unreadable(text: RollingText, index: int, what: str) -> InvalidMoveError:
    """Return the error that *text* at *index* cannot be read as *what*."""
    while index < len(text.text) and text.text[index].isspace():
        index += 1
    word = shorten(text.text[index : index + 20].split("\n")[0])
    quoted = repr(word) if word else "the end of the text"
    return InvalidMoveError(f"cannot read {quoted} at {text.place(index)} as {what}")


def _build(
    tags: dict[str, str], moves: list[tuple[str, Word]], doubts: list[str], text: RollingText
) -> GamePlayed:
    game = tags.pop("GM", "Othello")
    if game.lower() != "othello":
        raise InvalidMoveError(f"GM: {shorten(game)!r} is another game: only Othello is read")
    record = record_of(moves, _start(tags), text)
    black, white = tags.pop("PB", "") or UNKNOWN, tags.pop("PW", "") or UNKNOWN
    score = tags.get("RE", "?")
    number = _number(score)
    result, reason = _result(score)
    official = record.position.official_difference()
    if score == "?" or (official is not None and number in (None, official)):
        tags.pop("RE", None)
    if tags.get("TY") == str(record.start.shape.side):
        del tags["TY"]
    return GamePlayed.of(
        record,
        black=black,
        white=white,
        result=result,
        forfeit=reason,
        doubts=(*doubts, *score_doubts(record, number)),
        tags={NAMES.get(name, name): value for name, value in tags.items() if value},
    )


def record_of(moves: Sequence[tuple[str, Word]], start: Position, text: RollingText) -> Game:
    """Return the game of *moves*, each with B or W for its side; errors have their place."""
    record = Game.from_words([word for _, word in moves], text.place, start, NO_DRAWS)
    sides = [turn for turn, move in turns(record) if not move.is_pass]
    placed = [(name, word) for name, word in moves if not word.text.lower().startswith("p")]
    for (name, word), turn in zip(placed, sides, strict=True):
        if name != letter(turn):
            where = text.place(word.index)
            raise IllegalMoveError(f"{name}[{word.text}] at {where}: {turn} is to move")
    return record


def _start(tags: dict[str, str]) -> Position:
    """Return the position of BO, or the start position on a board of the size in TY."""
    board, kind = tags.pop("BO", ""), tags.get("TY", "")
    if _ANTI.fullmatch(kind):
        raise InvalidMoveError(
            f"TY: {shorten(kind)!r} is anti Othello, in which fewer discs win: only Othello is read"
            " (write the moves as a transcript for --game reversed-othello)"
        )
    if board:
        number, _, cells = board.partition(" ")
        try:
            position = Position.parse(cells)
        except InvalidMoveError as error:
            raise InvalidMoveError(f"BO: {error}") from error
        if number != str(position.shape.side):
            raise InvalidMoveError(f"BO: {shorten(number)!r} is not the size of its board")
        return position
    size_match = re.match(r"s?([0-9]{1,2})", kind)
    size = int(size_match[1]) if size_match else 8
    if size not in SIZES:
        raise InvalidMoveError(f"TY: Othello {size}x{size} is not supported")
    return Position(size)


def _number(score: str) -> float | None:
    match = _RESULT.fullmatch(score)
    return None if match is None else float(match[1])


def _result(score: str) -> tuple[str, str | None]:
    """Return the result in PDN's form, and the reason if the game did not end by the board."""
    match = _RESULT.fullmatch(score)
    if match is None:
        return "", None
    number = float(match[1])
    result = "1-0" if number > 0 else "0-1" if number < 0 else "1/2-1/2"
    return result, _REASONS.get((match[2] or "").lower())


def score_doubts(record: GameRecord, stated: float | None) -> tuple[str, ...]:
    """Return what to say of Black's score minus White's that a file states for a finished game.

    It may leave the empty squares out. `GamePlayed.of` says it if the winner differs, too.
    """
    outcome, position = record.outcome(), record.position
    if outcome is None or stated is None or not isinstance(position, Position):
        return ()
    official = position.official_difference()
    discs = outcome.disc_difference
    has_same_winner = (stated > 0) - (stated < 0) == (discs > 0) - (discs < 0)
    if stated in (official, discs) or not has_same_winner:
        return ()
    return (f"the score says {stated:+g}, and the board {official:+}: the board decides",)


def difference(game: GamePlayed) -> float | None:
    """Return Black's official score minus White's, from a file or the board; None if unknown.

    If only the winner is known, the loser has 0.
    """
    position = game.record.position
    if (number := _number(game.tags.get("RE", ""))) is not None:
        return number
    if "Result" not in game.tags and isinstance(position, Position):
        score = position.official_difference()
        if score is not None:
            return score
    squares = position.shape.squares
    return {"1-0": squares, "0-1": -squares, "1/2-1/2": 0}.get(meaning_of(game.result) or "")


def read_time(text: str) -> tuple[float, float] | None:
    """Return the seconds per game and the seconds added per move of a TI value; None if invalid.

    A time is [[hours:]minutes:]seconds; a single number is minutes, as on the servers. The part
    after a second slash, extra time after the end, is ignored.

    >>> read_time("15:00"), read_time("05:00/00:02/02:00"), read_time("1"), read_time("0")
    ((900.0, 0.0), (300.0, 2.0), (60.0, 0.0), None)
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    main, added = _seconds(*match.groups()[:3]), _seconds(*match.groups()[3:])
    return (main, added) if main > 0 else None


def _seconds(first: str | None, second: str | None, last: str | None) -> float:
    if last is None:
        return 0.0
    if first is None:
        return 60 * float(last)
    hours, minutes = (0, first) if second is None else (first, second)
    return 3600 * float(hours) + 60 * float(minutes) + float(last)


def write_time(seconds: float, increment: float = 0.0) -> str:
    """Return the TI value for seconds per game and seconds added per move, in whole seconds.

    Times below a second have hundredths.

    >>> write_time(754.9), write_time(60, 2), write_time(0.25)
    ('12:34', '01:00/00:02', '00:00.25')
    """
    return _time(seconds) + (f"/{_time(increment)}" if increment else "")


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"00:00.{math.floor(100 * max(seconds, 0.0)):02}"
    minutes, rest = divmod(math.floor(seconds), 60)
    return f"{minutes:02}:{rest:02}"


def times_used(text: str) -> dict[Color, float]:
    """Return the seconds that each side used in a game, as far as its moves have times.

    >>> times_used("(;GM[Othello]B[F5//2.5]W[D6/0.1/1]B[C3//0.5];)")
    {<Color.BLACK: 'black'>: 3.0, <Color.WHITE: 'white'>: 1.0}
    """
    used = dict.fromkeys(Color, 0.0)
    for name, seconds in _USED.findall(text):
        used[Color.BLACK if name == "B" else Color.WHITE] += float(seconds)
    return used


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield *games* as text, one line each; raise `ValueError` for a game that is not Othello.

    >>> print("".join(write([Game.from_transcript("b1a1", 4)])), end="")
    (;GM[Othello]PB[?]PW[?]RE[?]TY[4]BO[4 -----O*--*O----- *]B[B1]W[A1];)
    """
    for game in games:
        yield _line(as_played(game))


def _line(game: GamePlayed) -> str:
    record = game.record
    start = record.start
    if not isinstance(start, Position):
        raise ValueError(f"GGF holds games of Othello, not of {start.game}")
    cells, side = othello_text.format_board(start.shape, start.row).replace("X", "*").split(" ")
    size = start.shape.side
    parts = ["GM[Othello]"]
    parts += [property_text(name, game.tags.get(tag, "")) for name, tag in NAMES.items()]
    parts += [property_text("PB", game.black), property_text("PW", game.white)]
    parts += [
        property_text("RE", _score(game)),
        property_text("TY", game.tags.get("TY", str(size))),
    ]
    parts += [property_text(*tag) for tag in game.tags.items() if _OTHER.fullmatch(tag[0])]
    parts += [f"BO[{size} {cells} {side}]"]
    for turn, move in turns(record):
        text = "PA" if move.is_pass else str(move).upper()
        parts.append(f"{letter(turn)}[{text}]")
    return f"(;{''.join(parts)};)\n"


def turns(record: GameRecord) -> Iterator[tuple[Color, Move]]:
    """Yield the moves of *record*, passes included, each with its side."""
    turn = record.start.turn
    return zip(cycle((turn, turn.opposite)), record.moves, strict=False)


def letter(color: Color) -> str:
    """Return B or W."""
    return color.value[0].upper()


def property_text(name: str, value: str) -> str:
    """Return a property of GGF or SGF, nothing for one without a value."""
    escaped = re.sub(r"([\]\\])", r"\\\1", " ".join(value.split()))
    return f"{name}[{escaped}]" if escaped else ""


def _score(game: GamePlayed) -> str:
    if "RE" in game.tags:
        return game.tags["RE"]
    score = difference(game)
    if score is None:
        return "?"
    letters = {None: ":r"} | {reason: f":{letter}" for letter, reason in _REASONS.items()}
    # There is no sign for other reasons, such as an illegal move.
    letter = letters.get(game.forfeit, "") if game.ending is Ending.FORFEIT else ""
    return f"{score:+.2f}{letter}"
