"""PDN, the Portable Draughts Notation: files of checkers games, read and written.

A file holds games: tags in square brackets, then moves and a result. Comments, variations and
annotations are skipped. `1-0` says that White won, as PDN has it, although Black moves first.
The tag `Variant` names evoply's game where `GameType` has no number for it, and `DrawRules` keeps
the rules about draws; a file without it is read without any, since they cannot be known.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from evoply.games.checkers import CHECKERS, Game, Position
from evoply.games.checkers_text import RESULTS, movetext_words
from evoply.games.draws import NO_DRAWS, DrawRules
from evoply.games.text import place
from evoply.protocols import Color, IllegalMoveError, InvalidMoveError
from evoply.wording import shorten

__all__ = ["PdnGame", "format_pdn", "parse_pdn"]

MAX_CHARACTERS = 50_000_000
MAX_GAMES = 100_000
MAX_PLIES = 10_000
MAX_TAGS = 100
MAX_VALUE = 1_000

# Tags that say what the game itself says: kept in no other place.
_DERIVED = frozenset({"Result", "GameType", "Variant", "SetUp", "FEN", "DrawRules"})
_AMERICAN = "21"

_SKIPPED = re.compile(r"(?:\s+|\{[^}]*\}|;[^\n]*|(?:(?<=\n)|\A)%[^\n]*)+")
_TAG = re.compile(r'\[\s*([A-Za-z0-9_]{1,100})\s*"((?:[^"\\\n]|\\.)*)"\s*\]')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
# Tags that every game has, with what stands for an unknown value.
_ROSTER = dict.fromkeys(("Event", "Site", "Date", "Round", "Black", "White"), "?")
_ROSTER["Date"] = "????.??.??"


@dataclass(frozen=True)
class PdnGame:
    """A game with what a file says about it: *tags* such as Event, Black, White, and *result*.

    *tags* has none of those that follow from the game (Result, GameType, Variant, SetUp, FEN,
    DrawRules), nor those whose value is unknown. *result* is what was written, `*` if nothing
    was, and by default what the game says. Raises `ValueError` for a tag or a result that PDN
    cannot hold.
    """

    game: Game
    tags: Mapping[str, str] = field(default_factory=dict)
    result: str = ""

    def __post_init__(self) -> None:
        for name, value in self.tags.items():
            if _NAME.fullmatch(name) is None or name in _DERIVED:
                raise ValueError(f"{shorten(name)!r} cannot be the name of a tag here")
            if len(value) > MAX_VALUE or not value.isprintable():
                raise ValueError(
                    f"the value of {name} must be one line of at most {MAX_VALUE:,} characters"
                )
        result = self.result or _result_of(self.game)
        if result not in RESULTS:
            raise ValueError(f"{shorten(result)!r} is not a result: write 1-0, 0-1, 1/2-1/2 or *")
        vars(self).update(tags=MappingProxyType(dict(self.tags)), result=result)

    def __str__(self) -> str:
        return format_pdn(self)


def _result_of(game: Game) -> str:
    outcome = game.outcome()
    if outcome is None:
        return "*"
    return {Color.WHITE: "1-0", Color.BLACK: "0-1", None: "1/2-1/2"}[outcome.winner]


def format_pdn(records: PdnGame | Game | Iterable[PdnGame | Game]) -> str:
    """Return one game, or several, as PDN: tags, an empty line, then moves and result.

    Lines have up to 79 characters; an empty line stands between games. `parse_pdn` reads them
    back. Captures are short where only one move fits.

    >>> print(format_pdn(Game.from_transcript("11-15 22-18 15x22 25x18")))
    [Event "?"]
    [Site "?"]
    [Date "????.??.??"]
    [Round "?"]
    [Black "?"]
    [White "?"]
    [Result "*"]
    [GameType "21"]
    [DrawRules "quiet_plies=80 repetitions=3 max_plies=300"]
    <BLANKLINE>
    1. 11-15 22-18 2. 15x22 25x18 *
    <BLANKLINE>
    """
    if not isinstance(records, PdnGame | Game):
        return "\n".join(map(format_pdn, records))
    record = records if isinstance(records, PdnGame) else PdnGame(records)
    game = record.game
    tags = _ROSTER | dict(record.tags) | {"Result": record.result}
    if game.start.size == 8:
        tags["GameType"] = _AMERICAN
    if game.start.kernel != "checkers":
        tags["Variant"] = game.start.kernel
    if game.start.row != Position(game.start.kernel).row:
        tags |= {"SetUp": "1", "FEN": _format_start(game.start)}
    if game.draws != NO_DRAWS:
        tags["DrawRules"] = game.draws.text()
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    moves = textwrap.fill(" ".join(_numbered(game, record.result)), 79, break_on_hyphens=False)
    return "\n".join([*lines, "", moves, ""])


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _numbered(game: Game, result: str) -> Iterator[str]:
    """Yield move numbers, moves and the result."""
    offset = 0 if game.start.turn is Color.BLACK else 1
    for index, move in enumerate(game.moves, start=offset):
        if index % 2 == 0 or index == offset:
            yield f"{index // 2 + 1}{'.' if index % 2 == 0 else '...'}"
        yield game.positions[index - offset].short_text(move)
    yield result


def _format_start(start: Position) -> str:
    """Return the text of a position with the counters, which rules about draws look at.

    Full moves leave out whether an odd or an even ply comes next: who is to move says it.
    """
    moves = (start.ply - (start.turn is Color.WHITE)) // 2 + 1
    quiet = f":H{start.quiet_plies}" if start.quiet_plies else ""
    return f"{start.text()}{quiet}{f':F{moves}' if start.ply else ''}"


def parse_pdn(text: str, game: str = "checkers") -> tuple[PdnGame, ...]:
    """Return the games of *text*; *game* is what games are that do not say it themselves.

    Raises `InvalidMoveError` for what cannot be read and `IllegalMoveError` for moves against the
    rules, both with line and column; nothing is left out silently. At most 100,000 games in 50
    million characters are read.

    >>> (record,) = parse_pdn('[Black "Tinsley"] 1. 11-15 22-18 {!} 2. 15x22 (12-16 24-20) *')
    >>> record.tags["Black"], len(record.game), record.result
    ('Tinsley', 3, '*')
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidMoveError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    games: list[PdnGame] = []
    index = _skipped(text, 0)
    while index < len(text):
        if len(games) == MAX_GAMES:
            raise InvalidMoveError(f"at most {MAX_GAMES:,} games are read")
        try:
            record, index = _parse_game(text, index, game)
        except (IllegalMoveError, InvalidMoveError) as error:
            raise type(error)(f"game {len(games) + 1}: {error}") from error
        games.append(record)
        index = _skipped(text, index)
    return tuple(games)


def _skipped(text: str, index: int) -> int:
    found = _SKIPPED.match(text, index)
    return index if found is None else found.end()


def _parse_game(text: str, begin: int, default: str) -> tuple[PdnGame, int]:
    """Return the game that begins at index *begin*, and the index after it."""
    tags, index = _parse_tags(text, begin)
    name = _game_of(tags, default, text, begin)
    try:
        start = Position.parse(tags["FEN"], name) if "FEN" in tags else Position(name)
        draws = DrawRules.parse(tags["DrawRules"], NO_DRAWS) if "DrawRules" in tags else NO_DRAWS
    except (InvalidMoveError, ValueError) as error:
        raise InvalidMoveError(f"in the tags at {place(text, begin)}: {error}") from error
    moves, result = [], ""
    for word in movetext_words(text, index):
        index = word.index
        if word.text == "[":
            break
        index += len(word.text)
        if word.text in RESULTS:
            result = word.text
            break
        moves.append(word)
        if len(moves) > MAX_PLIES:
            raise InvalidMoveError(f"more than {MAX_PLIES:,} plies at {place(text, index)}")
    else:
        index = len(text)
    played = Game.from_words(moves, text, start, draws)
    kept = {
        tag: value
        for tag, value in tags.items()
        if tag not in _DERIVED and value != _ROSTER.get(tag)
    }
    written = result or tags.get("Result", "*")
    try:
        return PdnGame(played, kept, written if written in RESULTS else "*"), index
    except ValueError as error:
        raise InvalidMoveError(f"in the tags at {place(text, begin)}: {error}") from error


def _parse_tags(text: str, index: int) -> tuple[dict[str, str], int]:
    """Return the tags from *index* on and where the moves begin."""
    tags: dict[str, str] = {}
    while text.startswith("[", index):
        found = _TAG.match(text, index)
        if found is None:
            raise InvalidMoveError(
                f"cannot read the tag {shorten(text[index : index + 40].splitlines()[0])!r} at"
                f' {place(text, index)}: write [Name "value"]'
            )
        if found[1] in tags:
            raise InvalidMoveError(f"a second tag {found[1]} at {place(text, index)}")
        if len(tags) == MAX_TAGS:
            raise InvalidMoveError(f"more than {MAX_TAGS} tags at {place(text, index)}")
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        index = _skipped(text, found.end())
    return tags, index


def _game_of(tags: Mapping[str, str], default: str, text: str, begin: int) -> str:
    """Return the name of the game that *tags* say, or *default*."""
    if tags.get("Variant") in CHECKERS:
        return tags["Variant"]
    number = tags.get("GameType", _AMERICAN).split(",")[0].strip()
    if number != _AMERICAN:
        raise InvalidMoveError(
            f"the game at {place(text, begin)} is of type {shorten(number)!r}; this reads"
            f" American checkers, type {_AMERICAN}"
        )
    return default
