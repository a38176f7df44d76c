"""The API of games: begin, read, move, ask, hear; lists of games; rules in words and puzzles."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, HTTPException, Path, Query, WebSocket
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.games.formats import FORMATS
from evoply.games.formats.sources import FormatName
from evoply.games.position import NO_DRAWS
from evoply.games.rules import rules_in_words
from evoply.players.strong import LEVEL_NAMES, USUAL_LEVEL
from evoply.protocols import Color
from evoply.web.game_hall import GameHall, GameId, Hall
from evoply.web.game_views import (
    board_of,
    exported,
    line_of,
    listed,
    played_as_stored,
    played_moves,
    state_of,
)
from evoply.web.limits import LimitError
from evoply.web.messages import (
    BESIDE,
    LEVELS,
    WRONG,
    AgainAsked,
    ApiAnswer,
    BeginGame,
    BoardShown,
    ChoiceAsked,
    ChoiceShown,
    GameList,
    GameState,
    LegalMove,
    LineAsked,
    LineShown,
    MoveAsked,
    PlayedMove,
    QuestionAsked,
    Resigned,
    Review,
    ReviewAsked,
    RulesShown,
    SeatsAsked,
    SeatTaken,
    Undone,
    Values,
    XRayAsked,
    XRayShown,
    levels_of,
    wrong,
    wrong_as_json,
)
from evoply.web.open_game import OpenGame, sides_of
from evoply.web.protection import AT_MACHINE
from evoply.web.questions import choice_of, kept_review, review_of, values_of_moves, xray_of
from evoply.web.store import GameStore, SearchWord, Stored
from evoply.when_used import module_when_used

# The API of the list of games: find, delete, download all.

_MOST_LISTED = 30
_MOST_SEARCHED = 8
_AT_ONCE = 50
"""Games in memory while all are downloaded."""

list_router = APIRouter()


@list_router.get("/games", dependencies=AT_MACHINE)
async def find(
    hall: Hall,
    search: Annotated[str, Query(max_length=200)] = "",
    game: Annotated[str | None, Query(max_length=80)] = None,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    played: bool = False,
) -> GameList:
    """Return games, those begun last first.

    Each word of `search` is in a player, the game or the day they began; `played` leaves out games
    without a move.
    """
    words = [_words(text) for text in search.split()[:_MOST_SEARCHED]]
    found = await hall.store.newest(
        _MOST_LISTED + 1, since=offset, words=words, game=game, played=played
    )
    # The end of each is found by playing it again.
    rows = await asyncio.to_thread(lambda: [listed(stored) for stored in found[:_MOST_LISTED]])
    return GameList(games=rows, more=len(found) > _MOST_LISTED)


def _words(text: str) -> SearchWord:
    """Return what a word may mean: it is looked for in what people read, and in the file."""
    wanted = text.casefold()
    return SearchWord(
        text,
        games=tuple(
            name for name in (*GAMES, *DATA_GAMES) if wanted in game_rules(name).title.casefold()
        ),
        players=tuple(row["player"] for row in LEVELS if wanted in row["title"].casefold()),
    )


@list_router.delete("/games/{game}", status_code=204, dependencies=AT_MACHINE)
async def delete(game: GameId, hall: Hall) -> Response:
    """Delete a game for good; pages that show it hear of it."""
    await hall.delete(game)
    return Response(status_code=204)


@list_router.get(
    "/games/download",
    dependencies=AT_MACHINE,
    response_class=StreamingResponse,
    responses={200: {"content": {"application/jsonl": {}}}},
)
async def download(hall: Hall) -> StreamingResponse:
    """Return all games that have a move as a file that `evoply convert` reads."""
    return StreamingResponse(
        _lines(hall),
        media_type="application/jsonl",
        headers={"content-disposition": 'attachment; filename="evoply-games.jsonl"'},
    )


async def _lines(hall: GameHall) -> AsyncIterator[bytes]:
    store: GameStore = hall.store
    number = 0
    while games := await store.after(number, _AT_ONCE):
        number = games[-1][0]
        yield await asyncio.to_thread(_written, [game for _, game in games])


def _written(games: list[Stored]) -> bytes:
    file = io.BytesIO()
    writer = FORMATS["games"].writer(file)
    for game in games:
        # A game of rules that are not known here cannot be written.
        if game.moves and "@" not in game.game:
            writer.add(played_as_stored(game))
    writer.close()
    return file.getvalue()


_MOST_WORDS = 100
"""The most messages that an open page may send; it needs none."""

Form = FormatName | Literal["svg"]


game_router = APIRouter(prefix="/api", tags=["games"], responses=WRONG)
# First: what it has under /games is no id of a game.
game_router.include_router(list_router)


@game_router.get("/rules")
async def rules() -> list[RulesShown]:
    """Return every game that can be played, and opponents, the weakest first."""
    return [
        RulesShown.of(
            game,
            game=game.name,
            rows=game.shape.rows,
            columns=game.shape.columns,
            beside=BESIDE.get(game.name, ""),
            levels=levels_of(game.name),
        )
        for game in map(game_rules, (*GAMES, *DATA_GAMES))
    ]


@game_router.post("/games", status_code=201)
async def begin(body: BeginGame, hall: Hall) -> GameState:
    """Begin a game, at the start or at a position."""
    return state_of(await hall.begin(body), None if body.room is None else Color(body.room.color))


@game_router.post("/games/check", status_code=204)
async def check(body: BeginGame, hall: Hall) -> Response:
    """Say whether a game can be begun so; none is."""
    await hall.check(body)
    return Response(status_code=204)


@game_router.get("/rooms/{code}")
async def room(code: Annotated[str, Path(pattern="^[a-z0-9]{6}$")], hall: Hall) -> GameState:
    """Return the game in a room."""
    return state_of(await hall.game(await hall.in_room(code)))


@game_router.post("/games/{game}/seat")
async def take_seat(game: GameId, body: SeatTaken, hall: Hall) -> GameState:
    """Take a free seat of a room, or come back to one's own; `mine` says which that is."""
    open_game = await hall.changing(game)
    mine = await open_game.take_seat(body.seat)
    return state_of(open_game, mine)


@game_router.get("/games/{game}")
async def read(game: GameId, hall: Hall) -> GameState:
    """Return a game as it stands."""
    return state_of(await hall.game(game))


@game_router.post("/games/{game}/moves")
async def move(game: GameId, body: MoveAsked, hall: Hall) -> GameState:
    """Play a move; it is on disk when this is answered. A player's answer comes later."""
    open_game = await hall.changing(game)
    await open_game.play(body.move, body.ply, body.seat)
    return state_of(open_game)


@game_router.post("/games/{game}/undo")
async def undo(game: GameId, body: Undone, hall: Hall) -> GameState:
    """Take moves back."""
    open_game = await hall.changing(game)
    await open_game.undo(body.to_ply)
    return state_of(open_game)


@game_router.post("/games/{game}/seats")
async def seats(game: GameId, body: SeatsAsked, hall: Hall) -> GameState:
    """Let others play from now on: take over a side, or leave it to a player."""
    open_game = await hall.changing(game)
    texts = ((Color.BLACK, body.black), (Color.WHITE, body.white))
    read = partial(sides_of, texts, open_game.stored.game, hall.read_opponent)
    await open_game.seat(await asyncio.to_thread(read))
    return state_of(open_game)


@game_router.post("/games/{game}/resign")
async def resign(game: GameId, body: Resigned, hall: Hall) -> GameState:
    """Give up a person's side."""
    open_game = await hall.changing(game)
    await open_game.resign(Color(body.color), body.seat)
    return state_of(open_game)


@game_router.post("/games/{game}/again", status_code=201)
async def again(game: GameId, body: AgainAsked, hall: Hall) -> GameState:
    """Begin another game with the same players and time, from its start or a place in it."""
    return state_of(await hall.begin_again(game, body))


@game_router.post("/games/{game}/line")
async def line(game: GameId, body: LineAsked, hall: Hall) -> LineShown:
    """Return moves that were not played, with the board after each."""
    open_game = await hall.asked(game)
    record = line_of(open_game, body.ply, body.moves)
    return LineShown(ply=body.ply, moves=played_moves(record, body.ply))


@game_router.post("/games/{game}/values")
async def values(game: GameId, body: QuestionAsked, hall: Hall) -> Values:
    """Return what the legal moves are worth, and why the best is better than the second."""
    return await values_of_moves(await hall.asked(game), body, hall.read_opponent)


@game_router.post("/games/{game}/choice")
async def choice(game: GameId, body: ChoiceAsked, hall: Hall) -> ChoiceShown:
    """Return what a player would play, and why: of one draw."""
    return await choice_of(await hall.asked(game), body, hall.read_opponent)


@game_router.post("/games/{game}/review")
async def review(game: GameId, body: ReviewAsked, hall: Hall) -> Review:
    """Return what some plies of the game lost."""
    return await review_of(await hall.asked(game), body, hall.read_opponent)


@game_router.get("/games/{game}/review")
async def reviewed(game: GameId, hall: Hall) -> Review | None:
    """Return what earlier reviews of the game found; null if there was none."""
    return await kept_review(await hall.game(game))


@game_router.post("/games/{game}/xray")
async def xray(game: GameId, body: XRayAsked, hall: Hall) -> XRayShown:
    """Return what a player sees on the board: features, squares, its tree, with their values."""
    open_game = await hall.asked(game)
    return await xray_of(open_game, body, hall.read_opponent)


@game_router.get(
    "/games/{game}/copy",
    response_class=PlainTextResponse,
    responses={200: {"content": {"image/svg+xml": {}}}, **wrong_as_json(*WRONG)},
)
async def copy(game: GameId, form: Annotated[Form, Query()], hall: Hall) -> PlainTextResponse:
    """Return the game as text: moves, GGF, PDN, JSON, or a picture with numbered moves."""
    open_game = await hall.game(game)
    kind = "image/svg+xml" if form == "svg" else "text/plain"
    return PlainTextResponse(exported(open_game, form), media_type=kind)


@game_router.websocket("/games/{game}/live")
async def live(socket: WebSocket, game: GameId) -> None:
    """Send the game whenever it has changed."""
    hall: GameHall = socket.app.state.hall
    try:
        open_game = await hall.game(game)
        async with hall.listening(open_game) as changed:
            await socket.accept()
            await _tell(socket, open_game, changed, hall.is_closing)
    except (HTTPException, LimitError) as error:
        reason = error.detail if isinstance(error, HTTPException) else str(error)
        await socket.close(1008, reason[:100])


async def _tell(
    socket: WebSocket, game: OpenGame, changed: asyncio.Event, closing: asyncio.Event
) -> None:
    """Send *game* now and after every change, until the page or the server leaves."""
    hearing = asyncio.create_task(_wait_until_gone(socket))
    ending = asyncio.create_task(closing.wait())
    try:
        while not (hearing.done() or ending.done()):
            changed.clear()
            if game.is_deleted:
                await socket.close(1008, "this game was deleted")
                return
            await socket.send_text(state_of(game).model_dump_json())
            news = asyncio.create_task(changed.wait())
            await asyncio.wait({news, hearing, ending}, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
        if not hearing.done():
            await socket.close(1001)
    except (RuntimeError, OSError):
        pass  # the page has gone while it was sent something
    finally:
        hearing.cancel()
        ending.cancel()


async def _wait_until_gone(socket: WebSocket) -> None:
    """Return when the page has gone, or talks too much."""
    for _ in range(_MOST_WORDS):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return


# The API of what there is to read and to solve: the rules of each game in words, and puzzles.

if TYPE_CHECKING:
    from evoply.reports import puzzle_book
else:
    puzzle_book = module_when_used("evoply.reports.puzzle_book")


class RulesText(ApiAnswer):
    """How a game is played, in words."""

    game: str
    title: str
    aim: str
    moves: str
    end: str
    tips: list[str]
    """Three; the first sentence of each says it in short."""
    board: BoardShown
    """The start."""


class PuzzlesListed(ApiAnswer):
    """A game that has puzzles."""

    game: str
    title: str
    count: int
    opponent: str
    """Whom to play on against, as text."""


class PuzzleShown(ApiAnswer):
    """A position with one move that is clearly best, and its solution."""

    number: int
    """From 1, the easiest first."""
    theme: str
    """What it is about, such as "corner"."""
    stars: int
    """How hard it is, from 1 to 5."""
    position: str
    """As text that `BeginGame.position` reads."""
    board: BoardShown
    legal: list[LegalMove]
    task: str
    best: LegalMove
    line: list[PlayedMove]
    """How the game goes on, the best move first, with the board after each."""
    second: LegalMove
    second_line: list[PlayedMove]
    """How it goes on after the second best move."""
    explanation: str
    difficulty: str
    """How often a weak level finds it, and which level finds it mostly."""


book_router = APIRouter(prefix="/api", tags=["book"], responses=wrong(404, 422))
GameName = Annotated[str, Path(max_length=60, description="A name of `/api/rules`.")]

# Functions without `async` run in a thread: they play lines and read files.


@book_router.get("/rules/{name}")
def rules_text(name: GameName) -> RulesText:
    """Return how a game is played, with three tips."""
    try:
        rules, text = game_rules(name), rules_in_words(name)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return RulesText.of(
        text,
        game=name,
        title=rules.title,
        tips=list(text.tips),
        board=BoardShown(**board_of(rules.start())),
    )


@book_router.get("/puzzles")
def puzzle_list() -> list[PuzzlesListed]:
    """Return the games that have puzzles."""
    return [
        PuzzlesListed(
            game=game,
            title=game_rules(game).title,
            count=len(puzzle_book.puzzles(game)),
            opponent=game_rules(game).adviser,
        )
        for game in puzzle_book.puzzle_games()
    ]


@book_router.get("/puzzles/{name}")
def puzzles_of(name: GameName) -> list[PuzzleShown]:
    """Return the puzzles of a game with their solutions, the easiest first."""
    try:
        found = puzzle_book.puzzles(name)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return [_shown(puzzle) for puzzle in found]


def _shown(puzzle: puzzle_book.Puzzle) -> PuzzleShown:
    start = puzzle.start
    record = game_rules(puzzle.game).game(start, (), NO_DRAWS)
    lines = []
    for texts in (puzzle.line, puzzle.second_line):
        line = record
        for text in texts:
            line = line.play(text)
        lines.append(line)
    best, second = LegalMove.all_of(line.moves[0] for line in lines)
    return PuzzleShown.of(
        puzzle,
        board=BoardShown(**board_of(start)),
        legal=LegalMove.all_of(start.legal_moves),
        task=f"{start.turn} to move: find the {_wanted(puzzle)}.",
        best=best,
        line=played_moves(lines[0]),
        second=second,
        second_line=played_moves(lines[1]),
        difficulty=_difficulty(puzzle),
    )


def _wanted(puzzle: puzzle_book.Puzzle) -> str:
    if puzzle.unit != "results":
        return "best move"
    return f"only move that {'wins' if puzzle.value > 0 else 'does not lose'}"


def _difficulty(puzzle: puzzle_book.Puzzle) -> str:
    is_proved = puzzle.unit == "results"
    level = "A search" + _ahead(puzzle.level) if is_proved else f"L{_level(puzzle.level)[1:]}"
    share = f"{level} finds it {puzzle.found} times in {puzzle.draws}"
    if puzzle.solved_by is None:
        deeper = (
            "." if is_proved else f", and no level below {_level(USUAL_LEVEL)} in more than half."
        )
        return share + deeper
    solver = f"one{_ahead(puzzle.solved_by)}" if is_proved else _level(puzzle.solved_by)
    return f"{share}, {solver} in more than half."


def _ahead(plies: int) -> str:
    return f" of {plies} {'ply' if plies == 1 else 'plies'}"


def _level(number: int) -> str:
    return f"level {number} ({LEVEL_NAMES[number - 1]})"
