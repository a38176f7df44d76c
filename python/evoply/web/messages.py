"""The messages of the API, what is asked, in which bounds, and answered; levels of opponents.

`/api/openapi.json` is made of them.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import attrgetter
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from evoply.players import parse_player
from evoply.protocols import Color

# The ladder of opponents: `ladder.toml`, where one more level is one more table.


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent on the ladder of a game, by a name that says something to people."""

    title: str
    player: str
    """Its text, as in `evoply match`."""
    about: str
    kind: str
    """level, paper or simple: a named level, a player of a paper, or a simple rule."""
    elo: int | None
    """Its measured rating above `random`; None if nobody has measured it."""
    interval: int | None
    """Half the width of its 95 % interval; None if it is not known."""


_TABLE = tomllib.loads((files("evoply.web") / "ladder.toml").read_text(encoding="utf-8"))

LEVELS: Sequence[Mapping[str, Any]] = _TABLE["level"]
"""The tables of the file: each is a level of all games that it has a rating for."""

BESIDE: Mapping[str, str] = _TABLE.get("beside", {})
"""Sentences on players that people may know, which are no opponents here, by game."""

_FOR_OTHERS = ("random", "greedy", "material:depth=4")
"""The ladder of a game from outside, which nobody has measured."""


@cache
def levels_of(game: str) -> tuple[Level, ...]:
    """Return the levels of *game*, the weakest first.

    >>> [level.player for level in levels_of("othello-4")]
    ['random', 'mobility', 'material:depth=2', 'mobility:depth=4']
    """
    levels = [
        Level(
            row["title"],
            row["player"],
            row["about"],
            row.get("kind", "simple"),
            elo=row["ratings"][game],
            interval=row.get("intervals", {}).get(game),
        )
        for row in LEVELS
        if game in row["ratings"]
    ]
    if levels:
        return tuple(sorted(levels, key=attrgetter("elo")))
    players = (text for text in _FOR_OTHERS if _plays(text, game))
    return tuple(Level(text, text, "", "simple", elo=None, interval=None) for text in players)


def title_of(player: str, game: str) -> str:
    """Return what people call *player*: its title on the ladder of *game*, or else its text.

    >>> title_of("greedy", "othello"), title_of("swh:depth=9", "othello")
    ('Grabs what it can', 'swh:depth=9')
    """
    return next((level.title for level in levels_of(game) if level.player == player), player)


def _plays(player: str, game: str) -> bool:
    try:
        parse_player(player, game=game)
    except ValueError:
        return False
    return True


PERSON = "person"
"""The name of a side that no player of evoply plays."""
MOST_CHARACTERS = 100_000
LONGEST_PLAYER = 4000


class Asked(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class ApiAnswer(BaseModel):
    """The body of an answer."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def of(cls, source: object, **others: Any) -> Self:
        """Return the answer with the attributes of *source* that it has, and with *others*."""
        same = (name for name in cls.model_fields if name not in others and hasattr(source, name))
        return cls(**{name: getattr(source, name) for name in same}, **others)


class Health(ApiAnswer):
    """Whether the server is there."""

    status: Literal["ok"] = "ok"
    version: str


class Error(ApiAnswer):
    """What is wrong with a request, and what to do."""

    error: str


def wrong(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the schema of errors of routes."""
    return {status: {"model": Error} for status in statuses}


WRONG = wrong(401, 404, 409, 422, 429)
"""The errors of a request about games and runs."""


def wrong_as_json(*statuses: int | str) -> dict[int | str, dict[str, Any]]:
    """Return the schema of errors of a route whose right answer is not JSON."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        status: {"description": "What is wrong, and what to do", "content": content}
        for status in statuses
    }


class SetUpBoard(Asked):
    """A board that was set up by hand."""

    cells: str = Field(max_length=100)
    """The squares row by row: b and w are pieces, B and W kings, anything else is empty."""
    turn: Literal["black", "white"] = "black"


Seat = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
"""A secret of 128 random bits, which whoever takes a seat of a room chooses and keeps."""


class RoomAsked(Asked):
    """A room: a game of two people on different devices."""

    color: Literal["black", "white"]
    """The seat of whoever begins; the other one is for who comes first."""
    seat: Seat


class SeatTaken(Asked):
    """Who wants to sit in a room, or comes back to a seat."""

    seat: Seat


class BeginGame(Asked):
    """What game to begin, who plays it, and where."""

    game: str = Field(default="othello", max_length=60)
    """A name of `/api/rules`."""
    black: str = Field(default=PERSON, min_length=1, max_length=LONGEST_PLAYER)
    """`person`, or the text of a player as in `evoply match`."""
    white: str = Field(default=PERSON, min_length=1, max_length=LONGEST_PLAYER)
    clock: str | None = Field(default=None, max_length=40)
    """Seconds for each side, and what each move adds: 150 or 60+1."""
    seconds: float = Field(default=2.0, ge=0.01, le=10.0)
    """The most that a player takes for a move."""
    seed: int | None = Field(default=None, ge=0, lt=2**53)
    """Decides what players draw; another one each time if it is left out."""
    position: str | None = Field(default=None, max_length=MOST_CHARACTERS)
    """Where to begin: moves, a board or both, GGF, PDN or OBF. It may be of another
    game than `game` if it cannot be of that."""
    board: SetUpBoard | None = None
    """Where to begin instead."""
    room: RoomAsked | None = None
    """Play with a person on another device; both sides are then `person`."""


class MoveAsked(Asked):
    """A person's move."""

    move: str = Field(max_length=100)
    """A legal move as text."""
    ply: int | None = Field(default=None, ge=0)
    """How many plies the game has, if the move is to count only then."""
    seat: Seat | None = None
    """In a room: the secret of the side to move."""


class SeatsAsked(Asked):
    """Who is to play from now on; a side that is left out stays."""

    black: str | None = Field(default=None, min_length=1, max_length=LONGEST_PLAYER)
    white: str | None = Field(default=None, min_length=1, max_length=LONGEST_PLAYER)


class QuestionAsked(Asked):
    """What moves are worth, and to whom."""

    player: str | None = Field(default=None, min_length=1, max_length=LONGEST_PLAYER)
    """Who says so; by default the game's adviser."""
    ply: int | None = Field(default=None, ge=0)
    """After so many plies; by default at the end."""
    seconds: float = Field(default=0.2, ge=0.01, le=5.0)
    """The time there is for it."""


class ChoiceAsked(Asked):
    """What a player would play."""

    player: str | None = Field(default=None, min_length=1, max_length=LONGEST_PLAYER)
    """Who; by default the opponent."""


class ReviewAsked(Asked):
    """A look back at some plies of a game."""

    since: int = Field(default=0, ge=0)
    """The first ply that is looked at; 0 is the first of the game."""
    count: int = Field(default=1000, ge=1, le=1000)
    """How many plies, as far as they were played."""
    depth: int = Field(default=4, ge=1, le=10)
    """Plies ahead."""
    exact: bool = True
    """Whether moves are solved near the end, where there is a solver."""


class LegalMove(ApiAnswer):
    """A move that can be played now."""

    text: str
    path: list[int]
    """The squares that it touches, from a1 row by row, in its order; none for a pass."""

    @classmethod
    def all_of(cls, moves: Iterable[Any]) -> list[Self]:
        """Return *moves* as messages."""
        return [cls(text=str(move), path=list(move.path)) for move in moves]


class PlayedMove(ApiAnswer):
    """A move of the game, and the board after it."""

    text: str
    color: Color
    path: list[int]
    cells: str
    """The board after it; see `GameState.cells`."""


class SideShown(ApiAnswer):
    """Who plays a side."""

    player: str
    """`person`, or the text of a player."""
    label: str
    """What to call it."""
    pieces: int
    pieces_in_words: str
    seconds_left: float | None = None
    """Seconds on its clock when this was sent."""


class BoardShown(ApiAnswer):
    """A board as it is drawn, and who is to move."""

    rows: int
    columns: int
    labels: list[str]
    """What squares are called on the board itself, "" where the edges say it."""
    squares: list[str]
    """The names of the squares; "" where no piece can stand."""
    drawn: str
    """How the board is drawn: squares, crossings of lines, or hexes with coloured edges."""
    cells: str
    """The board row by row: b and w pieces, B and W kings, a dot empty, a blank no square."""
    turn: Color


class RoomShown(ApiAnswer):
    """A game of two people on different devices."""

    code: str
    """What others open or type to come here."""
    taken: list[Color]
    """The seats that somebody has; nobody moves before there are two."""


class GameState(BoardShown):
    """A game as it stands."""

    id: str
    version: int
    """Grows with every change."""
    game: str
    title: str
    start: str
    """The board before the first move."""
    start_text: str
    """The same as text that `BeginGame.position` reads."""
    status: str
    black: SideShown
    white: SideShown
    legal: list[LegalMove]
    moves: list[PlayedMove]
    is_thinking: bool
    """Whether a player is choosing a move."""
    is_over: bool
    result: str | None = None
    """How the game ended, in words."""
    winner: Color | None = None
    trouble: str | None = None
    """Why a player does not move, if it fails."""
    clock: str | None = None
    running: Color | None = None
    """Whose clock runs."""
    transcript: str
    forms: list[str]
    """In which forms it can be copied."""
    room: RoomShown | None = None
    mine: Color | None = None
    """In the answer to a request with a seat: which side that is; none for who can only watch."""


class GameListed(ApiAnswer):
    """A game in a list."""

    id: str
    created: str
    game: str
    title: str
    black: str
    white: str
    black_label: str
    """What to call who plays Black."""
    white_label: str
    plies: int
    count: int
    """How many moves it has, without passes."""
    is_over: bool
    result: str | None = None
    """How it ended, in words."""


class GameList(ApiAnswer):
    """Games, those begun last first."""

    games: list[GameListed]
    more: bool
    """Whether there are more behind them."""


class Resigned(Asked):
    """Who gives up."""

    color: Literal["black", "white"]
    seat: Seat | None = None
    """In a room: the secret of this side."""


class AgainAsked(Asked):
    """Where another game begins with the same players."""

    ply: int = Field(default=0, ge=0)
    """After so many plies of this one,"""
    moves: list[str] = Field(default=[], max_length=200)
    """and these moves."""


class LineAsked(Asked):
    """Moves that were not played."""

    ply: int = Field(ge=0)
    """After so many plies of the game."""
    moves: list[str] = Field(max_length=200)


class LineShown(ApiAnswer):
    """Moves that were not played, with the board after each."""

    ply: int
    moves: list[PlayedMove]


class Undone(Asked):
    """What is to be taken back."""

    to_ply: int | None = Field(default=None, ge=0)
    """Go back to where so many plies were played; by default to a person's last choice."""


class ValuedMove(ApiAnswer):
    """What a move is worth to the side to move."""

    move: str
    path: list[int]
    value: float
    text: str
    """The value as people read it."""
    loss: float
    """How much less it is worth than the best move."""


Unit = Literal["discs", "points", "none"]
"""What values mean to people: the final difference in discs, the expected points of a game from 0
to 1, or nothing but their order."""


class Values(ApiAnswer):
    """Every legal move with its value, best first."""

    player: str
    """The player that says so."""
    unit: Unit
    best: str
    path: list[int]
    """The squares of the best move."""
    moves: list[ValuedMove]
    """Empty if there is one legal move."""
    depth: int
    """Plies looked ahead."""
    exact: bool
    """Whether the values are those of perfect play."""
    line: list[str]
    """How the game would go on."""
    why: str | None = None
    """Why the best move and not the second, in a sentence; where the player can be explained."""


class ChoiceShown(ApiAnswer):
    """What a player would play, and why: the move and the reason are of one draw."""

    player: str
    move: str
    path: list[int]
    is_next: bool
    """Whether it is the move that it plays in this game."""
    why: str


class ReviewedMove(ApiAnswer):
    """A move of a game, beside the best one."""

    ply: int
    """The number of plies played with it."""
    color: Color
    move: str
    path: list[int]
    value: float
    """What the board before it is worth to Black, with best play."""
    text: str
    """The same as people read it."""
    exact: bool
    depth: int
    """Plies looked ahead."""
    loss: float
    """How much less it is worth than the best move; 0 where there was no choice."""
    loss_text: str
    grade: Literal["", "inaccuracy", "mistake", "blunder"]
    best: str
    best_path: list[int]
    line: list[str]
    """How the game would have gone on, the best move first."""
    played_line: list[str]
    """How it would go on after the move played, if there is a reason."""
    reason: str
    """Why the best move is better, for a move with a grade; "" where nothing says it."""
    had_choice: bool


class Bound(ApiAnswer):
    """How much a move loses at least to be called so."""

    grade: str
    loss: float
    text: str


class LevelBounds(ApiAnswer):
    """What counts as a mistake for people of a level."""

    level: int
    title: str
    bounds: list[Bound]


class Review(ApiAnswer):
    """What some moves of a game lost."""

    player: str
    """Who says so."""
    unit: Unit
    bounds: list[Bound]
    """From the smallest."""
    levels: list[LevelBounds] = []
    """The same for weaker levels of `strong`, the weakest first; empty where none was measured."""
    moves: list[ReviewedMove]
    """Fewer than were asked for if they took too long."""


class XRayAsked(Asked):
    """Whose x-ray, and on which board."""

    player: str | None = Field(default=None, min_length=1, max_length=LONGEST_PLAYER)
    """Whose; by default the opponent's, or that of another one if there is nothing inside."""
    ply: int | None = Field(default=None, ge=0)
    """After so many plies; by default at the end."""


class FeatureShown(ApiAnswer):
    """What a player measures on the board."""

    text: str
    """As a formula."""
    words: str
    value: str
    """What it is on this board."""
    adds: float | None
    """What it adds to the board's value; none where it goes into it together with others."""


class XRayShown(ApiAnswer):
    """What a player sees on a board, and what that is worth to it."""

    player: str
    own: Color
    """The side whose pieces are own; all numbers are for this side."""
    value: float | None
    """None for a player that values moves only, or where it is no number."""
    sentence: str
    squares: list[float | None]
    """A number for each square, row by row, as `squares_are` says."""
    squares_are: str
    features: list[FeatureShown]
    """What adds most first."""
    rest: float | None
    """What everything else adds to the value."""
    tree: str | None
    """Its tree as a picture (SVG), with the value of each node."""
    note: str


class RulesShown(ApiAnswer):
    """A game that can be played, and whom one can play it against, the weakest first."""

    game: str
    title: str
    rows: int
    columns: int
    levels: tuple[Level, ...]
    beside: str
    """A sentence on a rated player that is no opponent here; "" for none."""
    adviser: str
    """Who says what moves are worth."""
