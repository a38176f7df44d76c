"""The other end: a connection to a server, its lines, and the password.

Reasons: docs/design/players.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evoply.environment.addresses import shown_address
from evoply.games import game_spoken
from evoply.protocols import TimeControl
from evoply.wording import did_you_mean, shorten

# The lines of the protocol: their forms, and the errors of other lines.
#
# A line is a word and its fields, separated by single blanks, in printable ASCII. This module knows
# the form of lines and nothing of games or connections; `docs/server.md` says what each means.

VERSION = 1
"""The version of the protocol, in HELLO of both sides."""
LONGEST_REQUEST = 500
"""Bytes of a line from a client, its end included."""
LONGEST_NOTICE = 8000
"""Bytes of a line from the server, its end included."""
LONGEST_NAME = 40

_SHOWN = 300
"""The most characters of a text from elsewhere."""
_GAME = r"(?P<game>[0-9]{1,9})"
_PLIES = r"(?P<plies>[0-9]{1,4})"
_TEXT = r"(?P<text>[ -~]*)"
_SECONDS = r"-?[0-9]{1,8}(?:\.[0-9]{1,3})?"
_NAME_FORM = rf"[A-Za-z0-9._@+-]{{1,{LONGEST_NAME}}}"
_BOTH = rf"(?P<black>{_NAME_FORM}) (?P<white>{_NAME_FORM})"


class LineError(ValueError):
    """A line is not one of the protocol; the message says what would be."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that was read: its word in capitals and its fields by name."""

    word: str
    fields: Mapping[str, str]

    @property
    def game(self) -> int:
        """The number of the game that it is about."""
        return int(self.fields["game"])

    def __getitem__(self, name: str) -> str:
        return self.fields[name]


@dataclass(frozen=True, slots=True)
class LineForm:
    """How the fields of one kind of line are written."""

    shown: str
    """The form for people, with the word."""
    pattern: re.Pattern[str]


def _forms(**forms: tuple[str, str]) -> Mapping[str, LineForm]:
    return MappingProxyType(
        {
            word: LineForm(f"{word} {fields}".rstrip(), re.compile(pattern, re.ASCII))
            for word, (fields, pattern) in forms.items()
        }
    )


REQUESTS = _forms(
    HELLO=(
        "evoply VERSION NAME [GAMES]",
        rf"evoply (?P<version>[0-9]{{1,4}}) (?P<name>{_NAME_FORM})(?: (?P<games>[0-9]{{1,2}}))?",
    ),
    PROOF=("CODE", r"(?P<code>[0-9A-Fa-f]{64})"),
    BACK=("TOKEN", r"(?P<token>[A-Za-z0-9_-]{10,80})"),
    WATCH=("", ""),
    MOVE=("GAME MOVE", rf"{_GAME} (?P<move>[!-~]{{1,300}})"),
    PASS=("GAME", _GAME),
    RESIGN=("GAME [REASON]", rf"{_GAME}(?: (?P<text>[ -~]+))?"),
    HELP=("", ""),
    PONG=("", ""),
    QUIT=("", ""),
)
"""The lines of clients, by the first word."""

NOTICES = _forms(
    HELLO=(
        "evoply VERSION GAME CLOCK [CHALLENGE]",
        r"evoply (?P<version>[0-9]{1,4}) (?P<name>[!-~]{1,80}) (?P<clock>[0-9.+]{1,40})"
        r"(?: (?P<challenge>[0-9a-f]{32,128}))?",
    ),
    WELCOME=("NAME TOKEN", rf"(?P<name>{_NAME_FORM}) (?P<token>[A-Za-z0-9_-]{{10,80}})"),
    INFO=("TEXT", _TEXT),
    COLOR=(
        "GAME black|white OPPONENT PLIES",
        rf"{_GAME} (?P<color>black|white) (?P<opponent>{_NAME_FORM}) {_PLIES}",
    ),
    GAME=("GAME BLACK WHITE PLIES", rf"{_GAME} {_BOTH} {_PLIES}"),
    MOVE=("GAME MOVE", rf"{_GAME} (?P<move>[!-~]{{1,300}})"),
    PASS=("GAME", _GAME),
    TIME=("GAME BLACK WHITE", rf"{_GAME} (?P<black>{_SECONDS}) (?P<white>{_SECONDS})"),
    TURN=("GAME MOVE...", rf"{_GAME} (?P<moves>[ -~]+)"),
    END=(
        "GAME black|white|draw ENDING TEXT",
        rf"{_GAME} (?P<winner>black|white|draw) (?P<ending>[a-z-]{{1,20}}) {_TEXT}",
    ),
    SCORE=(
        "NAME POINTS GAMES",
        rf"(?P<name>{_NAME_FORM}) (?P<points>[0-9]{{1,9}}(?:\.5)?) (?P<games>[0-9]{{1,9}})",
    ),
    ERROR=("CODE TEXT", rf"(?P<code>[a-z]{{1,20}}) {_TEXT}"),
    PING=("", ""),
    BYE=("TEXT", _TEXT),
)
"""The lines of the server, by the first word."""


def read_request(line: bytes) -> Line:
    r"""Read a line of a client; raises `LineError`.

    >>> read_request(b"move 3 f5\r\n")["move"]
    'f5'
    """
    return _read(line, REQUESTS, LONGEST_REQUEST)


def read_notice(line: bytes) -> Line:
    """Read a line of the server; raises `LineError`."""
    return _read(line, NOTICES, LONGEST_NOTICE)


def _read(line: bytes, forms: Mapping[str, LineForm], longest: int) -> Line:
    if len(line) > longest:
        raise LineError(f"a line has at most {longest} bytes, its end included")
    try:
        text = line.rstrip(b"\r\n").decode("ascii")
    except UnicodeDecodeError as error:
        raise LineError(f"byte {error.start} is not ASCII: write plain ASCII text") from None
    if not text.isprintable():
        raise LineError("there is a character that cannot be printed: write plain ASCII text")
    word, _, rest = text.strip(" ").partition(" ")
    word = word.upper()
    if word not in forms:
        hint = did_you_mean(word, forms) or f"; write one of {', '.join(forms)}"
        raise LineError(f"no line begins with {shorten(word)!r}{hint}")
    match = forms[word].pattern.fullmatch(rest.lstrip(" "))
    if match is None:
        raise LineError(f"{shorten(text, 60)!r} cannot be read: write {forms[word].shown}")
    return Line(word, {key: value for key, value in match.groupdict().items() if value is not None})


def plain(text: str) -> str:
    r"""Return *text* as a field of a line: its first line, in printable ASCII, not too long.

    >>> plain("no, legal is e6\n  a b c")
    'no, legal is e6'
    """
    first = text.partition("\n")[0]
    return shorten("".join(char if " " <= char <= "~" else "?" for char in first), _SHOWN)


def plain_name(text: str) -> str:
    """Return a name for players that is like *text*.

    >>> plain_name("( + white 10 ):depth=2")
    'white-10-depth-2'
    """
    words = re.sub(r"[^A-Za-z0-9._@]+", "-", text)[:LONGEST_NAME]
    return words.strip("-") or "player"


def is_name(text: str) -> bool:
    """Return whether a player may be called *text*."""
    return re.fullmatch(_NAME_FORM, text, re.ASCII) is not None


def proof_of(password: str, challenge: str) -> str:
    """Return a proof that one knows *password*, without revealing it: an HMAC with SHA-256.

    >>> proof_of("secret", "00")[:16]
    '3a17d38f56ca57a0'
    """
    return hmac.new(password.encode(), challenge.encode(), hashlib.sha256).hexdigest()


SILENCE_SECONDS = 40.0
"""The silence that means a lost connection: a server sends a line every ten seconds."""
_OPENING_SECONDS = 20.0


class CallError(ValueError):
    """A server refuses, or sends a line that cannot be read; *code* is the server's, if any."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class LostError(OSError):
    """The connection was lost; another one may succeed."""


class Connection:
    """An open connection to a server that has said HELLO."""

    def __init__(
        self, address: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hello: Line
    ) -> None:
        self._address = address
        self._reader = reader
        self._writer = writer
        try:
            self.game = game_spoken(hello["name"])
        except ValueError as error:
            raise CallError(f"{address}: {error}") from None
        """The name of the game that is played."""
        self.control = TimeControl.from_text(hello["clock"])
        self._challenge = hello.fields.get("challenge")

    @classmethod
    async def open(cls, host: str, port: int) -> Connection:
        """Return a connection; `LostError` where there is no server, `CallError` for another."""
        address = shown_address(host, port)
        try:
            async with asyncio.timeout(_OPENING_SECONDS):
                reader, writer = await asyncio.open_connection(host, port, limit=LONGEST_NOTICE)
        except TimeoutError:
            raise LostError(None, "nobody answers", address) from None
        except OSError as error:
            number = error.errno or 0
            reason = os.strerror(number) if number > 0 else error.strerror
            raise LostError(number, reason, address) from None
        try:
            hello = await _line(reader, address)
            if hello.word != "HELLO":
                raise CallError(f"{address}: this is not a server of evoply: it says {hello.word}")
            if int(hello["version"]) != VERSION:
                raise CallError(
                    f"{address}: the server speaks version {hello['version']} of the protocol, "
                    f"and this evoply {VERSION}: take the evoply of the server"
                )
            return cls(address, reader, writer, hello)
        except BaseException:
            await _close(writer)
            raise

    def prove(self, password: str | None) -> None:
        """Prove the password, if the server has one; `CallError` if it is missing."""
        if self._challenge is None:
            return
        if password is None:
            raise CallError(f"{self._address}: a password is needed - give it with --password")
        self.say(f"PROOF {proof_of(password, self._challenge)}")

    async def line(self) -> Line:
        """Return the next line of the server; `LostError` when it is gone."""
        return await _line(self._reader, self._address)

    def say(self, line: str) -> None:
        """Send a line; nothing happens if the connection is lost."""
        if not self._writer.is_closing():
            self._writer.write(line.encode("ascii") + b"\n")

    def cut(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """End the connection."""
        await _close(self._writer)


async def game_at(host: str, port: int) -> str:
    """Return the name of the game that a server plays; errors as `Connection.open`."""
    connection = await Connection.open(host, port)
    await connection.close()
    return connection.game


async def _line(reader: asyncio.StreamReader, address: str) -> Line:
    try:
        async with asyncio.timeout(SILENCE_SECONDS):
            return read_notice(await reader.readuntil(b"\n"))
    except (asyncio.IncompleteReadError, OSError):  # a timeout is an OSError, too
        raise LostError(None, "the connection was lost", address) from None
    except (asyncio.LimitOverrunError, LineError) as error:
        raise CallError(f"{address}: what the server says cannot be read: {error}") from None


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


# A connection and its limits on long lines, waiting bytes and idle lines.
#
# It knows bytes and lines, but no players and no games.

MOST_WAITING = 256 * 1024
"""The most bytes that wait for a client that does not read."""
IDLE_WORDS = 30
"""Lines of a client that nobody asked for, such as mistakes, in one go."""
IDLE_WORDS_A_SECOND = 1.0
_FAREWELL = 2.0
"""Seconds for sending the last lines."""


class FloodError(Exception):
    """A client sends too much."""


class Wire:
    """One client's connection, from the side of the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        name = writer.get_extra_info("peername")
        self.address = str(name[0]) if name else ""
        """The address of the client, without its port."""
        self._is_ending = False
        self._idle = float(IDLE_WORDS)
        self._since = asyncio.get_running_loop().time()

    @property
    def is_open(self) -> bool:
        """Whether anything can still be said."""
        return not self._writer.is_closing()

    async def line(self) -> Line | None:
        """Return the next line, None at the end; unreadable lines are answered and counted.

        Raises `FloodError` after a line that is too long, because the start of the next one is not
        known, and for too many lines that cannot be read.
        """
        while True:
            try:
                return read_request(await self._reader.readuntil(b"\n"))
            except (asyncio.IncompleteReadError, OSError):
                return None
            except asyncio.LimitOverrunError:
                raise FloodError(f"a line has at most {LONGEST_REQUEST} bytes") from None
            except LineError as error:
                self.error("line", str(error))
                self.count_idle()

    def count_idle(self) -> None:
        """Count a line that nobody asked for; `FloodError` for one too many."""
        now = asyncio.get_running_loop().time()
        self._idle = min(IDLE_WORDS, self._idle + (now - self._since) * IDLE_WORDS_A_SECOND)
        self._since = now
        self._idle -= 1
        if self._idle < 0:
            raise FloodError("too many lines that nobody asked for - say less, and come back")

    def say(self, line: str) -> None:
        """Send a line, without waiting; a client that does not read is cut off."""
        if not self.is_open or self._is_ending:
            return
        self._writer.write(line.encode("ascii") + b"\n")
        if self._writer.transport.get_write_buffer_size() > MOST_WAITING:
            self.cut()

    def error(self, code: str, text: str) -> None:
        """Say what was wrong and how to mend it."""
        self.say(f"ERROR {code} {plain(text)}")

    def cut(self) -> None:
        """End the connection at once; what waits is lost."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """End the connection when the last words have left, or a moment later.

        What still comes is read and forgotten: the system would take back words that have not
        arrived yet if anything were left unread.
        """
        if self._is_ending:
            return
        self._is_ending = True
        try:
            async with asyncio.timeout(_FAREWELL):
                if self.is_open and self._writer.can_write_eof():
                    self._writer.write_eof()
                    while await self._reader.read(MOST_WAITING):
                        pass
                self._writer.close()
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self.cut()
        except asyncio.CancelledError:
            self.cut()
            raise
