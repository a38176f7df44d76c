"""Sources of games, read piece by piece; games that were played, and reports of those refused."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Any, Literal, TypeAlias, TypeVar, cast

from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord, IllegalMoveError, InvalidMoveError
from evoply.wording import short_name, shorten

FormatName = Literal["transcript", "ggf", "sgf", "wthor", "obf", "pdn", "games"]
"""The names of the formats, the keys of `evoply.games.formats.FORMATS`."""

Source: TypeAlias = "str | bytes | IO[str] | IO[bytes] | TextFile"
"""A text, the bytes of a file, or a file opened for text or bytes."""

LONGEST = 1_000_000
"""The most characters of one game: no game needs more, and longer text is not kept in memory."""
_CHUNK = 1 << 16
_LONGEST_MARK = 1000

_SHOWN = 16
"""How many of the first bytes show UTF-16 without a mark."""
_STRANGE = re.compile("[\udc80-\udcff]")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refused:
    """A game that could not be read or written: its number from 1, its place, and the reason."""

    number: int
    place: str
    """A text such as "line 3", "record 17", "game 2 at line 14"; "game 2" if writing failed."""
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


OnRefused = Callable[[Refused], object] | None
"""A function that is called with each refused game; None to stop at the first."""


def refuse(error: ValueError, number: int, place: str, on_refused: OnRefused) -> None:
    """Call *on_refused* with a game, or raise *error* with its place."""
    refused = Refused(number, place, str(error))
    if on_refused is None:
        kind = type(error) if isinstance(error, IllegalMoveError) else InvalidMoveError
        raise kind(str(refused)) from error
    on_refused(refused)


class TextFile:
    """The text of an open file of bytes: UTF-16 if it looks so, else UTF-8, with or without a mark.

    Bytes that are not UTF-8 are taken for Windows-1252, the Latin text of older programs.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder: codecs.IncrementalDecoder | None = None
        self._strange = 0

    def read(self, size: int = _CHUNK) -> str:
        """Return the next text, of about *size* characters; "" at the end."""
        text = ""
        while size and not text:
            data = self._file.read(size)
            if self._decoder is None:
                encoding = _encoding_of(data)
                errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
                self._decoder = codecs.getincrementaldecoder(encoding)(errors)
            text = self._decoder.decode(data, final=not data)
            if not data:
                break
        strange = len(_STRANGE.findall(text))
        self._strange += strange
        return _STRANGE.sub(_as_windows, text) if strange else text

    @property
    def doubts(self) -> tuple[str, ...]:
        """What to say of the encoding, if it is not certain, after reading."""
        count = self._strange
        many = "1 byte is" if count == 1 else f"{count:,} bytes are"
        return (f"{many} not UTF-8: read as Windows-1252",) if count else ()


def _as_windows(strange: re.Match[str]) -> str:
    """Return a byte that is not UTF-8, as the decoder gives it, as Windows-1252 has it."""
    byte = ord(strange[0]) - 0xDC00
    # A few bytes are no characters there; they are control characters in Latin-1.
    return bytes([byte]).decode("cp1252", "ignore") or chr(byte)


def _encoding_of(head: bytes) -> str:
    """Return the encoding of a text that begins with *head*, mostly of ASCII."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    halves = head[0:_SHOWN:2], head[1:_SHOWN:2]
    for empty, full, encoding in ((1, 0, "utf-16-le"), (0, 1, "utf-16-be")):
        if halves[empty] and not any(halves[empty]) and all(halves[full]):
            return encoding
    return "utf-8-sig"


def decoded(head: bytes) -> str:
    """Return the text of the first bytes of a file, as `TextFile` reads it."""
    return TextFile(io.BytesIO(head)).read()


def pieces_of(source: Source) -> Iterator[str]:
    """Yield the text of *source* in pieces, with uniform line ends; bytes as `TextFile` does."""
    if isinstance(source, str):
        source = io.StringIO(source)
    elif isinstance(source, bytes):
        source = io.BytesIO(source)
    # Nothing is read here: this shows what the file gives.
    file = cast(Any, source) if isinstance(source.read(0), str) else TextFile(cast(Any, source))
    ends = io.IncrementalNewlineDecoder(None, translate=True)
    while piece := file.read(_CHUNK):
        if text := ends.decode(piece):
            yield text
    if text := ends.decode("", final=True):
        yield text


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines of *source* with their numbers from 1; lines that are too long are cut."""
    number, rest = 1, ""
    for piece in pieces_of(source):
        *lines, rest = (rest + piece).split("\n")
        for line in lines:
            yield number, line + "\n"
            number += 1
        if len(rest) > 2 * LONGEST:
            rest = rest[: LONGEST + 1]
    if rest:
        yield number, rest


class RollingText:
    """The part of a text that may still be needed, from `begin` to as far as has been read."""

    def __init__(self, source: Source) -> None:
        self._pieces = pieces_of(source)
        self._line, self._column = 1, 1  # of the first character that is kept
        self.text = ""
        self.begin = 0

    def more(self) -> bool:
        """Read on; return whether there was more text."""
        # The amount doubles, so that parsing is repeated only a few times.
        most = max(_CHUNK, len(self.text))
        added = []
        while most > 0 and (piece := next(self._pieces, "")):
            added.append(piece)
            most -= len(piece)
        self.text += "".join(added)
        return bool(added)

    def go_to(self, index: int) -> None:
        """Let the text begin at *index*: the text before it is no longer needed."""
        self.begin = index
        if index > _CHUNK or index == len(self.text):
            self._line, self._column = self._at(index)
            self.text, self.begin = self.text[index:], 0

    def _at(self, index: int) -> tuple[int, int]:
        lines = self.text.count("\n", 0, index)
        begin = self.text.rfind("\n", 0, index) + 1
        return self._line + lines, (index - begin + 1 if lines else self._column + index)

    def place(self, index: int) -> str:
        """Return the line and column of *index* in the whole text, in words."""
        line, column = self._at(index)
        return f"line {line}, column {column}"

    def parsed(
        self, parse: Callable[[RollingText], tuple[T, int]], is_whole: Callable[[], bool]
    ) -> tuple[T, int]:
        """Return the result of *parse* for the text at `begin`, and the index where it ends.

        A result that reaches the end of the text is parsed again with more text; so is a text that
        cannot be read, unless *is_whole* says that the whole game is present.
        """
        while True:
            try:
                value, end = parse(self)
            except (InvalidMoveError, IllegalMoveError):
                if is_whole() or len(self.text) - self.begin > LONGEST or not self.more():
                    raise
            else:
                if end < len(self.text) or not self.more():
                    return value, end

    def games(
        self,
        parse: Callable[[RollingText], tuple[GamePlayed, int]],
        *,
        skipped: re.Pattern[str],
        following: re.Pattern[str],
        on_refused: OnRefused,
    ) -> Iterator[GamePlayed]:
        """Yield the result of *parse* for one game after the other.

        A match of *skipped* before each is skipped; a match of *following* ends where a game can
        begin after one that cannot be read.
        """

        def is_whole() -> bool:
            return following.search(self.text, self.begin + 1) is not None

        number = 0
        while True:
            _, begin = self.parsed(partial(_skip, skipped), lambda: False)
            self.go_to(begin)
            if self.begin == len(self.text):
                return
            number += 1
            place = f"game {number} at {self.place(self.begin)}"
            try:
                game, end = self.parsed(parse, is_whole)
            except (InvalidMoveError, IllegalMoveError) as error:
                refuse(error, number, place, on_refused)
                while (match := following.search(self.text, self.begin + 1)) is None:
                    if not self.more():
                        return
                    # The end of the text may be the beginning of the mark and is kept.
                    self.go_to(max(self.begin, len(self.text) - _LONGEST_MARK))
                self.go_to(match.end())
            else:
                self.go_to(end)
                yield game.at(place)


def _skip(skipped: re.Pattern[str], text: RollingText) -> tuple[None, int]:
    match = skipped.match(text.text, text.begin)
    return None, text.begin if match is None else match.end()


# A game with the facts that a file or a match has about it: players, ending, date and place.

UNKNOWN = "?"
"""The name of an unknown player."""

_UNFINISHED = "*"
_LOST_BY_BOTH = "0-0"
# The first figure is the points of the side that moves first, which is Black in all games here.
_RESULTS = {Color.BLACK: "1-0", Color.WHITE: "0-1", None: "1/2-1/2"}
_MEANINGS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2"}
_WORDS = {
    "1-0": "that Black won",
    "0-1": "that White won",
    "1/2-1/2": "a draw",
    _LOST_BY_BOTH: "that both sides lost",
}


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A game with its players, moves, ending, and all that else is known about it."""

    record: GameRecord
    black: str = UNKNOWN
    white: str = UNKNOWN
    winner: Color | None = None
    ending: Ending | None = None
    """The reason for the end; None while the game goes on, or if only the winner is known."""
    opening_plies: int = 0
    """The number of random plies at the beginning."""
    key: int = 0
    """The key of the game, the source of all random draws of the players."""
    opening_key: int = 0
    forfeit: str | None = None
    """The reason why the loser could not go on, if that ended the game."""
    doubts: tuple[str, ...] = field(default=(), compare=False)
    """What a file states twice and not alike, and which statement decided, in sentences."""
    place: str = field(default="", compare=False)
    """Where a file has it, such as "line 3"; "" where games are only counted."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further facts from a file: Event, Site, Date, Round and others under PDN's names, two capital
    letters under GGF's. Result is present only if it differs from that of the game itself."""

    @classmethod
    def of(
        cls,
        record: GameRecord,
        *,
        black: str = UNKNOWN,
        white: str = UNKNOWN,
        result: str = "",
        forfeit: str | None = None,
        doubts: Iterable[str] = (),
        tags: Mapping[str, str] | None = None,
    ) -> GamePlayed:
        """Return a game with the ending of its record, or else the ending of *result*.

        *result* has PDN's form, the side that moves first at the left: 1-0 means that Black won,
        0-1 that White won, 0-0 that both lost, * nothing. One that contradicts the record becomes
        a tag and a doubt. *forfeit* is known if the loser could not go on.
        """
        outcome = record.outcome()
        stated = meaning_of(result)
        winner, ending = None, None
        if outcome is not None:
            winner, ending, forfeit = outcome.winner, record.ending(), None
            if stated not in (None, _RESULTS[winner]):
                decided = _WORDS[_RESULTS[winner]]
                what = f"the result {result} says {_WORDS[stated]}, and the board {decided}"
                doubts = (*doubts, f"{what}: the board decides")
        elif stated is not None:
            winner = next((side for side, text in _RESULTS.items() if text == stated), None)
            ending = Ending.STATED if forfeit is None else Ending.FORFEIT
        own = _UNFINISHED if ending is None else _RESULTS[winner]
        others = {tag: value for tag, value in (tags or {}).items() if tag != "Result"}
        if result not in ("", _UNFINISHED, own):
            others["Result"] = result
        return cls(
            record,
            black,
            white,
            winner,
            ending,
            forfeit=forfeit,
            doubts=tuple(doubts),
            tags=others,
        )

    @property
    def result(self) -> str:
        """The result in PDN's form: 1-0 means that Black won, * that nothing is known."""
        if "Result" in self.tags:
            return self.tags["Result"]
        return _UNFINISHED if self.ending is None else _RESULTS[self.winner]

    @property
    def is_lost_by_both(self) -> bool:
        """Whether a file states that neither side has any points."""
        return self.ending is Ending.STATED and self.result == _LOST_BY_BOTH

    def at(self, place: str) -> GamePlayed:
        """Return the game with its *place*, which stands before each doubt, too."""
        return replace(
            self, place=place, doubts=tuple(f"{place}: {doubt}" for doubt in self.doubts)
        )

    def label(self, color: Color) -> str:
        """Return the name of the player of a side."""
        return self.black if color is Color.BLACK else self.white

    def in_words(self) -> str:
        """Return the ending of the game in words, without a full stop."""
        if self.ending is None:
            count = len(self.record)
            return f"not over after {count} {'ply' if count == 1 else 'plies'}"
        stated = ", as the file states" * (self.ending is Ending.STATED)
        if self.is_lost_by_both:
            return f"lost by both sides{stated}"
        if self.winner is None:
            is_by_rule = self.ending not in (Ending.BOARD, Ending.STATED)
            return f"a draw{stated}{f' by {self.ending.value}' if is_by_rule else ''}"
        won = f"{short_name(self.label(self.winner))} wins as {self.winner}{stated}"
        if self.ending is Ending.FORFEIT:
            loser = short_name(self.label(self.winner.opposite))
            return f"{won}: {loser} {f'forfeits, {self.forfeit}' if self.forfeit else 'gives up'}"
        if stated:
            return won
        outcome, position = self.record.outcome(), self.record.position
        if outcome is not None and not outcome.by_count:  # pieces say nothing of such a game
            return won
        counts = [position.pieces(color) for color in (self.winner, self.winner.opposite)]
        return f"{won}, {counts[0]} to {counts[1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-ready data; see `evoply.games.formats.saved`."""
        data = {
            "game": self.record.position.game,
            "players": {"black": self.black, "white": self.white},
            "start": self.record.start.text(),
            "moves": list(self.record.move_texts()),
            "opening_plies": self.opening_plies,
            "key": self.key,
            "opening_key": self.opening_key,
            "result": self._result(),
        }
        return data | ({"tags": dict(self.tags)} if self.tags else {})

    def _result(self) -> dict[str, Any]:
        position = self.record.position
        return {
            "winner": None if self.winner is None else self.winner.value,
            "ending": None if self.ending is None else self.ending.value,
            "points": {color.value: self._points(color) for color in Color},
            "pieces": {color.value: position.pieces(color) for color in Color},
            "plies": len(self.record),
            "forfeit": self.forfeit,
        }

    def _points(self, color: Color) -> float | None:
        """Return the points of a side; None for a game whose result is not known."""
        if self.ending is None:
            return None
        if self.winner is None:
            return 0.0 if self.is_lost_by_both else 0.5
        return float(self.winner is color)

    @classmethod
    def from_dict(cls, data: Any) -> GamePlayed:
        """Return the game that `to_dict` wrote; ValueError says what is wrong with *data*."""
        try:
            rules = game_rules(str(data["game"]))
            result, players = data["result"], data["players"]
            # The data says what ended the game, so no draw rule may end it earlier.
            record = rules.game(rules.parse(str(data["start"])), (), NO_DRAWS)
            for move in data["moves"]:
                record = record.play(str(move))
            winner, ending = result["winner"], result["ending"]
            tags = dict(data.get("tags", {}))
            if not all(isinstance(text, str) for pair in tags.items() for text in pair):
                raise ValueError("tags must be a table of names and texts")
            game = cls(
                black=str(players["black"]),
                white=str(players["white"]),
                record=record,
                winner=None if winner is None else Color(winner),
                ending=None if ending is None else Ending(ending),
                opening_plies=int(data["opening_plies"]),
                key=int(data["key"]),
                opening_key=int(data["opening_key"]),
                forfeit=None if result["forfeit"] is None else str(result["forfeit"]),
                tags=tags,
            )
            return game._as_played(result)
        except KeyError as error:
            raise ValueError(f"{error.args[0]} is missing") from None
        except (TypeError, AttributeError, OverflowError):
            raise ValueError("this is not a saved game") from None

    def _as_played(self, stated: Mapping[str, Any]) -> GamePlayed:
        """Return the game with the ending of its board and doubts, if *stated* has another one."""
        outcome, game = self.record.outcome(), self
        if outcome is not None and self.ending is not Ending.FORFEIT:
            game = replace(self, winner=outcome.winner, ending=Ending.BOARD)
        elif self.ending is Ending.BOARD or (self.ending is None and self.winner is not None):
            game = replace(self, ending=Ending.STATED)
        own = game._result()
        doubts = [
            f"{name} says {shorten(json.dumps(stated[name]))}, and the moves and the ending "
            f"{json.dumps(own[name])}: they decide"
            for name in own
            if name in stated and stated[name] != own[name]
        ]
        return replace(game, doubts=tuple(doubts))


def meaning_of(result: str) -> str | None:
    """Return one of 1-0, 0-1, 1/2-1/2 and 0-0 for a *result* in PDN's form, None for any other.

    >>> meaning_of("2-0"), meaning_of("0-0"), meaning_of("*"), meaning_of("unclear")
    ('1-0', '0-0', None, None)
    """
    meaning = _MEANINGS.get(result, result)
    return meaning if meaning in _WORDS else None


def as_played(game: GamePlayed | GameRecord) -> GamePlayed:
    """Return *game*; a bare record becomes a game of unknown players."""
    return game if isinstance(game, GamePlayed) else GamePlayed.of(game)
