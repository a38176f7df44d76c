"""Where games are read from, piece by piece, and what is said about those that cannot be read."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO, Literal, TypeVar

from evoply.protocols import IllegalMoveError, InvalidMoveError

FormatName = Literal["transcript", "ggf", "wthor", "obf", "pdn", "games"]
"""The formats: what `evoply.formats.FORMATS` has a row for."""

Source = str | bytes | IO[str] | IO[bytes]
"""A text or the content of a file, or a file opened for text or bytes."""

LONGEST = 1_000_000
"""Characters of one game: no game needs more, and what is longer is not kept in memory."""
_CHUNK = 1 << 16
_LONGEST_MARK = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refused:
    """A game that could not be read or written: its number from 1, where it stands, and why."""

    number: int
    place: str
    """Such as "line 3", "record 17" or "game 2 at line 14"; "game 2" if writing is refused."""
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


OnRefused = Callable[[Refused], object] | None
"""Who is told of games that are refused, so that the others are read; None to stop at the first."""


def refuse(error: ValueError, number: int, place: str, on_refused: OnRefused) -> None:
    """Tell *on_refused* of a game, or raise *error* with its place."""
    refused = Refused(number, place, str(error))
    if on_refused is None:
        kind = type(error) if isinstance(error, IllegalMoveError) else InvalidMoveError
        raise kind(str(refused)) from error
    on_refused(refused)


def pieces_of(source: Source) -> Iterator[str]:
    """Yield the text of *source* in pieces, with line ends of one kind.

    Bytes are UTF-8, and what is not becomes a question mark.
    """
    if isinstance(source, str):
        source = io.StringIO(source)
    elif isinstance(source, bytes):
        source = io.BytesIO(source)
    bytes_to_text = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    ends: io.IncrementalNewlineDecoder | None = None
    while piece := source.read(_CHUNK):
        if ends is None:
            decoder = None if isinstance(piece, str) else bytes_to_text
            ends = io.IncrementalNewlineDecoder(decoder, translate=True)
        if text := ends.decode(piece):
            yield text
    if ends is not None and (text := ends.decode(b"" if decoder else "", final=True)):
        yield text


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines of *source* with their numbers from 1; what is too long is cut."""
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
    """The part of a text that may still be needed: from `begin` to as far as has been read."""

    def __init__(self, source: Source) -> None:
        self._pieces = pieces_of(source)
        self._line, self._column = 1, 1  # of the first character that is kept
        self.text = ""
        self.begin = 0

    def more(self) -> bool:
        """Read on; return whether there was anything."""
        # As much as there is already, so that what is tried again is tried seldom.
        most = max(_CHUNK, len(self.text))
        added = []
        while most > 0 and (piece := next(self._pieces, "")):
            added.append(piece)
            most -= len(piece)
        self.text += "".join(added)
        return bool(added)

    def go_to(self, index: int) -> None:
        """Let the text begin at *index*: what stands before is not needed any more."""
        self.begin = index
        if index > _CHUNK or index == len(self.text):
            self._line, self._column = self._at(index)
            self.text, self.begin = self.text[index:], 0

    def _at(self, index: int) -> tuple[int, int]:
        lines = self.text.count("\n", 0, index)
        begin = self.text.rfind("\n", 0, index) + 1
        return self._line + lines, (index - begin + 1 if lines else self._column + index)

    def place(self, index: int) -> str:
        """Return where *index* lies in the whole text."""
        line, column = self._at(index)
        return f"line {line}, column {column}"

    def parsed(
        self, parse: Callable[[RollingText], tuple[T, int]], is_whole: Callable[[], bool]
    ) -> tuple[T, int]:
        """Return what *parse* makes of the text at `begin`, and the index where it ends.

        What runs to the end of the text read so far is tried again with more of it; so is what
        cannot be read, unless *is_whole* says that the whole game is there.
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
        parse: Callable[[RollingText], tuple[T, int]],
        *,
        skipped: re.Pattern[str],
        following: re.Pattern[str],
        on_refused: OnRefused,
    ) -> Iterator[T]:
        """Yield what *parse* makes of one game after the other.

        Before each, *skipped* is passed over; a match of *following* ends where a game may begin
        after one that cannot be read.
        """

        def is_whole() -> bool:
            return following.search(self.text, self.begin + 1) is not None

        number = 0
        while True:
            _, begin = self.parsed(partial(_passed_over, skipped), lambda: False)
            self.go_to(begin)
            if self.begin == len(self.text):
                return
            number += 1
            try:
                game, end = self.parsed(parse, is_whole)
            except (InvalidMoveError, IllegalMoveError) as error:
                refuse(error, number, f"game {number} at {self.place(self.begin)}", on_refused)
                while (found := following.search(self.text, self.begin + 1)) is None:
                    if not self.more():
                        return
                    # Kept is what may be the beginning of the mark.
                    self.go_to(max(self.begin, len(self.text) - _LONGEST_MARK))
                self.go_to(found.end())
            else:
                self.go_to(end)
                yield game


def _passed_over(skipped: re.Pattern[str], text: RollingText) -> tuple[None, int]:
    found = skipped.match(text.text, text.begin)
    return None, text.begin if found is None else found.end()
