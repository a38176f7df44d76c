"""The API of games: begin, read, move, undo, take over, ask, copy, and hear of what happens."""

import asyncio
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, WebSocket
from fastapi.responses import PlainTextResponse

from evoply.formats.sources import FormatName
from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.protocols import Color
from evoply.web.game_hall import GameHall, GameId, Hall
from evoply.web.game_views import exported, line_of, played_moves, state_of
from evoply.web.ladder import BESIDE, levels_of
from evoply.web.limits import LimitError
from evoply.web.list_routes import list_router
from evoply.web.messages import (
    WRONG,
    AgainAsked,
    BeginGame,
    ChoiceAsked,
    ChoiceShown,
    GameState,
    LineAsked,
    LineShown,
    MoveAsked,
    QuestionAsked,
    Resigned,
    Review,
    ReviewAsked,
    RulesShown,
    SeatsAsked,
    Undone,
    Values,
    XRayAsked,
    XRayShown,
    wrong_as_json,
)
from evoply.web.open_game import OpenGame, sides_of
from evoply.web.questions import choice_of, review_of, values_of_moves, xray_of

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
    return state_of(await hall.begin(body))


@game_router.get("/games/{game}")
async def read(game: GameId, hall: Hall) -> GameState:
    """Return a game as it stands."""
    return state_of(await hall.game(game))


@game_router.post("/games/{game}/moves")
async def move(game: GameId, body: MoveAsked, hall: Hall) -> GameState:
    """Play a move; it is on disk when this is answered. A player's answer comes later."""
    open_game = await hall.changing(game)
    await open_game.play(body.move, body.ply)
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
    await open_game.resign(Color(body.color))
    return state_of(open_game)


@game_router.post("/games/{game}/again", status_code=201)
async def again(game: GameId, body: AgainAsked, hall: Hall) -> GameState:
    """Begin another game with the same players and time, from its start or a place in it."""
    return state_of(await hall.begin_again(game, body))


@game_router.post("/games/{game}/line")
async def line(game: GameId, body: LineAsked, hall: Hall) -> LineShown:
    """Return moves that were not played, with the board after each."""
    open_game = await hall.changing(game)
    record = line_of(open_game, body.ply, body.moves)
    return LineShown(ply=body.ply, moves=played_moves(record, body.ply))


@game_router.post("/games/{game}/values")
async def values(game: GameId, body: QuestionAsked, hall: Hall) -> Values:
    """Return what the legal moves are worth, and why the best is better than the second."""
    return await values_of_moves(await hall.changing(game), body, hall.read_opponent)


@game_router.post("/games/{game}/choice")
async def choice(game: GameId, body: ChoiceAsked, hall: Hall) -> ChoiceShown:
    """Return what a player would play, and why: of one draw."""
    return await choice_of(await hall.changing(game), body, hall.read_opponent)


@game_router.post("/games/{game}/review")
async def review(game: GameId, body: ReviewAsked, hall: Hall) -> Review:
    """Return what some plies of the game lost."""
    return await review_of(await hall.changing(game), body, hall.read_opponent)


@game_router.post("/games/{game}/xray")
async def xray(game: GameId, body: XRayAsked, hall: Hall) -> XRayShown:
    """Return what a player sees on the board: features, squares, its tree, with their values."""
    open_game = await hall.changing(game)
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
