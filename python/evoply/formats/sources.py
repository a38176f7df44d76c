"""Sources of games, read piece by piece, and reports of games that cannot be read."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from evoply.protocols import IllegalMoveError, InvalidMoveError

if TYPE_CHECKING:
    from evoply.formats.played import GamePlayed

FormatName = Literal["transcript", "ggf", "sgf", "wthor", "obf", "pdn", "games"]
"""The names of the formats, the keys of `evoply.formats.FORMATS`."""

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
