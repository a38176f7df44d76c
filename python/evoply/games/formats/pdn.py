"""PDN, the Portable Draughts Notation: reading and writing files of checkers games.

A game has tags in square brackets, then moves and a result. Comments, variations and annotations
are skipped. The first figure of a result belongs to the side that moves first by its `GameType`
(PDN 2.0 and 3.0): in English checkers, type 21, and in all games here `1-0` means that Black won.
The result behind the moves counts before that of the tag, and the first of two equal tags. The tag
`Variant` names evoply's game if `GameType` has no number for it, and `DrawRules` has the rules
about draws; without that tag no draw rules apply, since they are unknown.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import cast

from evoply.games import game_rules
from evoply.games.checkers import CHECKERS, Game, Position
from evoply.games.checkers_text import RESULTS, movetext_words
from evoply.games.formats.sources import (
    UNKNOWN,
    GamePlayed,
    OnRefused,
    RollingText,
    Source,
    as_played,
    meaning_of,
)
from evoply.games.position import NO_DRAWS, DrawRules
from evoply.games.squares import USUAL, Word
from evoply.protocols import Color, GameRecord, InvalidMoveError
from evoply.wording import shorten

MAX_PLIES = 10_000
MAX_TAGS = 100
MAX_VALUE = 1_000

# Tags that repeat facts of the game itself and are not kept.
_DERIVED = ("Result", "GameType", "Variant", "SetUp", "FEN", "DrawRules")
_AMERICAN = "21"
_TYPES = {
    "20": "international draughts",
    "22": "Italian draughts",
    "23": "pool checkers",
    "24": "Spanish draughts",
    "25": "Russian draughts",
    "26": "Brazilian draughts",
    "27": "Canadian draughts",
    "28": "Portuguese draughts",
    "29": "Czech draughts",
    "30": "Turkish draughts",
    "31": "Thai draughts",
    "40": "Frisian draughts",
    "50": "Othello",
}
# What programs call the usual game.
_USUAL = ("american", "checkers", "english", "normal", "standard", "straight checkers", "")
# Tags that every game has, with the text of an unknown value.
_ROSTER = dict.fromkeys(("Event", "Site", "Date", "Round", "Black", "White"), UNKNOWN)
_ROSTER["Date"] = "????.??.??"

_KNOWN = frozenset((*_DERIVED, *_ROSTER))

_SKIPPED = re.compile(r"(?:[\s\ufeff]+|\{[^}]*\}|;[^\n]*|(?:(?<=\n)|\A)%[^\n]*)+")
_TAG = re.compile(r'\[\s*([A-Za-z0-9_]{1,100})\s*"((?:[^"\\\n]|\\.)*)"\s*\]')
_NAME = re.compile(r"[A-Za-z0-9_]{1,100}")
# Where a game can begin after one that cannot be read: tags after an empty line, or a result.
_NEXT = re.compile(
    r"\n[ \t\r]*\n\s*(?=\[)|(?<=\s)(?:1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0|\*)(?=\s)", re.ASCII
)


def read(
    source: Source, game: str = "checkers", on_refused: OnRefused = None
) -> Iterator[GamePlayed]:
    """Yield the games of *source*; *game* is the game of those that do not name one.

    Raises `InvalidMoveError` for text that cannot be read and `IllegalMoveError` for moves against
    the rules, both with line and column; nothing is skipped silently.

    >>> (game,) = read('[Black "Tinsley"] 1. 11-15 22-18 {!} 2. 15x22 (12-16 24-20) *')
    >>> game.black, len(game.record), game.result
    ('Tinsley', 3, '*')
    """
    if game_rules(game).kernel not in Position.SHAPES:
        raise InvalidMoveError(f"PDN holds games of checkers, not of {game}")
    yield from RollingText(source).games(
        partial(_game, default=game), skipped=_SKIPPED, following=_NEXT, on_refused=on_refused
    )


def _game(text: RollingText, default: str) -> tuple[GamePlayed, int]:
    """Return the game at the beginning of *text*, and the index after it."""
    tags, doubts, index = _tags(text)
    where = text.place(text.begin)
    name = _game_of(tags, default, where)
    rules = game_rules(name)
    try:
        start = cast(Position, rules.parse(tags["FEN"]) if "FEN" in tags else rules.start())
        draws = DrawRules.parse(tags["DrawRules"], NO_DRAWS) if "DrawRules" in tags else NO_DRAWS
    except ValueError as error:
        raise InvalidMoveError(f"in the tags at {where}: {error}") from error
    moves: list[Word] = []
    result = ""
    for word in movetext_words(text.text, index, text.place):
        index = word.index
        if word.text == "[":
            break
        index += len(word.text)
        if word.text in RESULTS:
            result = word.text
            break
        moves.append(word)
        if len(moves) > MAX_PLIES:
            raise InvalidMoveError(f"more than {MAX_PLIES:,} plies at {text.place(index)}")
    else:
        index = len(text.text)
    record = Game.from_words(moves, text.place, start, draws)
    stated, doubted = _stated(tags.get("Result", ""), result)
    others = {
        tag: value
        for tag, value in tags.items()
        if tag not in (*_DERIVED, "Black", "White") and value != _ROSTER.get(tag)
    }
    return GamePlayed.of(
        record,
        black=tags.get("Black", UNKNOWN),
        white=tags.get("White", UNKNOWN),
        result=stated,
        doubts=(*doubts, *doubted),
        tags=others,
    ), index


def _stated(in_tag: str, behind_moves: str) -> tuple[str, list[str]]:
    """Return the result of a game and the doubts about it; `*` states nothing."""
    known = meaning_of(behind_moves)
    if known is None:
        is_known = in_tag in RESULTS or in_tag in ("", UNKNOWN)
        doubts = (
            [] if is_known else [f"the tag Result says {shorten(in_tag)!r}, which is no result"]
        )
        return (in_tag if in_tag in RESULTS else "*"), doubts
    if meaning_of(in_tag) in (None, known):
        return behind_moves, []
    what = f"the tag Result says {in_tag}, and the text behind the moves {behind_moves}"
    return behind_moves, [f"{what}: the text decides"]


def _tags(text: RollingText) -> tuple[dict[str, str], list[str], int]:
    """Return the tags at the beginning of *text*, their doubts, and where the moves begin."""
    tags: dict[str, str] = {}
    doubts: list[str] = []
    index = text.begin
    while text.text.startswith("[", index):
        match = _TAG.match(text.text, index)
        if match is None:
            line = text.text[index : index + 40].splitlines()[0]
            raise InvalidMoveError(
                f"cannot read the tag {shorten(line)!r} at {text.place(index)}:"
                ' write [Name "value"]'
            )
        name, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
        if sum(tag not in _KNOWN for tag in (*tags, name)) > MAX_TAGS:
            raise InvalidMoveError(f"more than {MAX_TAGS} tags at {text.place(index)}")
        if len(value) > MAX_VALUE:
            raise InvalidMoveError(
                f"the value of {name} at {text.place(index)} must be one line of at most"
                f" {MAX_VALUE:,} characters"
            )
        value = _printable(value)
        if tags.setdefault(name, value) != value:
            doubts.append(_second(name, text.place(index)))
        skipped = _SKIPPED.match(text.text, match.end())
        index = match.end() if skipped is None else skipped.end()
    return tags, doubts, index


def _second(name: str, where: str) -> str:
    return f"a second {name} at {where} says something else: the first decides"


def _game_of(tags: Mapping[str, str], default: str, where: str) -> str:
    """Return the name of the game in *tags*, or *default*."""
    variant = tags.get("Variant", "")
    if variant in CHECKERS:
        return variant
    number, first = [*map(str.strip, tags.get("GameType", _AMERICAN).split(",")), ""][:2]
    if number != _AMERICAN:
        name = f", {_TYPES[number]}" if number in _TYPES else ""
        raise InvalidMoveError(
            f"the game at {where} is of type {shorten(number)!r}{name}; this reads"
            f" American checkers, type {_AMERICAN}"
        )
    if variant.lower() not in _USUAL:
        raise InvalidMoveError(
            f"the game at {where} is of the variant {shorten(variant)!r}; this reads"
            f" {', '.join(CHECKERS)}"
        )
    if first == "W":
        raise InvalidMoveError(
            f"the game at {where} is of a type in which White moves first; this reads"
            f" American checkers, type {_AMERICAN}, in which Black does"
        )
    return default


def write(games: Iterable[GamePlayed | GameRecord]) -> Iterator[str]:
    """Yield *games* as PDN: tags, an empty line, then moves and result; `read` reads them back.

    Lines have up to 79 characters; an empty line follows every game. Captures are short if only
    one move fits. Raises `ValueError` for a game that is not checkers.

    >>> print("".join(write([Game.from_transcript("11-15 22-18 15x22 25x18")])), end="")
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
    for game in games:
        yield _text_of(as_played(game))


def _text_of(played: GamePlayed) -> str:
    game = played.record
    if not isinstance(game, Game):
        raise ValueError(f"PDN holds games of checkers, not of {game.start.game}")
    tags = _ROSTER | {"Black": played.black, "White": played.white}
    others = [name for name in played.tags if name not in _KNOWN and _NAME.fullmatch(name)]
    for name in ("Event", "Site", "Date", "Round", *others[:MAX_TAGS]):
        tags[name] = played.tags.get(name, _ROSTER.get(name, UNKNOWN))
    tags["Result"] = played.result if played.result in RESULTS else "*"
    if game.start.shape == USUAL:
        tags["GameType"] = _AMERICAN
    if game.start.kernel != "checkers":
        tags["Variant"] = game.start.kernel
    if game.start.row != game.start.at_start().row:
        tags |= {"SetUp": "1", "FEN": _start(game.start)}
    if game.draws != NO_DRAWS:
        tags["DrawRules"] = game.draws.text()
    lines = [f'[{name} "{_value(value)}"]' for name, value in tags.items()]
    moves = textwrap.fill(" ".join(_moves(game, tags["Result"])), 79, break_on_hyphens=False)
    return "\n".join([*lines, "", moves, "", ""])


def _printable(value: str) -> str:
    """Return *value* as one line without unprintable characters."""
    return "".join(filter(str.isprintable, " ".join(value.splitlines())))[:MAX_VALUE]


def _value(value: str) -> str:
    return _printable(value).replace("\\", "\\\\").replace('"', '\\"')


def _moves(game: Game, result: str) -> Iterator[str]:
    """Yield move numbers, moves and the result."""
    offset = 0 if game.start.turn is Color.BLACK else 1
    for index, move in enumerate(game.move_texts(), start=offset):
        if index % 2 == 0 or index == offset:
            yield f"{index // 2 + 1}{'.' if index % 2 == 0 else '...'}"
        yield move
    yield result


def _start(start: Position) -> str:
    """Return the text of a position with the counters for the rules about draws.

    The number of full moves is enough: the side to move says whether an odd ply comes next.
    """
    moves = (start.ply - (start.turn is Color.WHITE)) // 2 + 1
    quiet = f":H{start.quiet_plies}" if start.quiet_plies else ""
    return f"{start.text()}{quiet}{f':F{moves}' if start.ply else ''}"
