"""The lines of the protocol: their forms, and the errors of other lines.

A line is a word and its fields, separated by single blanks, in printable ASCII. This module knows
the form of lines and nothing of games or connections; `docs/server.md` says what each means.

Reasons: docs/design/players.md.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evoply.wording import did_you_mean, shorten

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
