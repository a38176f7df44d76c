"""The API of games: begin, read, move, undo, take over, ask, copy, and hear of what happens."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, WebSocket
from fastapi.responses import PlainTextResponse

from evoply.formats import read_pasted
from evoply.formats.sources import FormatName
from evoply.games import DATA_GAMES, GAMES, game_rules, game_spoken
from evoply.players import PlayerKind
from evoply.protocols import Color, GameRecord, TimeControl
from evoply.web.game_views import exported, row_of, state_of
from evoply.web.ladder import adviser_of, levels_of
from evoply.web.limits import LimitError, RateLimiter, ServerLimits
from evoply.web.messages import (
    BeginGame,
    Error,
    GameList,
    GameListed,
    GameState,
    LevelShown,
    MoveAsked,
    QuestionAsked,
    RulesShown,
    SeatsAsked,
    Undone,
    Values,
    XRayAsked,
    XRayShown,
    wrong_as_json,
)
from evoply.web.open_game import OpenGame, new_id, sides_of
from evoply.web.outside_players import read_opponent
from evoply.web.questions import values_of_moves, xray_of
from evoply.web.store import GameStore, Stored
from evoply.web.thinking import ThinkingPool

_MOST_LISTED = 50
_MOST_LISTENERS_OF_A_GAME = 16
_MOST_WORDS = 100
"""The most messages that an open page may send; it needs none."""

GameId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Form = FormatName | Literal["svg"]


@dataclass(slots=True)
class GameHall:
    """All games of a server: those in memory, and the file where all of them lie."""

    store: GameStore
    pool: ThinkingPool
    limits: ServerLimits
    is_closing: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0
    _open: OrderedDict[str, OpenGame] = field(default_factory=OrderedDict)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _begun: RateLimiter = field(init=False)
    _changes: RateLimiter = field(init=False)

    def __post_init__(self) -> None:
        """Start the counters of requests."""
        self._begun = RateLimiter(self.limits.begun)
        self._changes = RateLimiter(self.limits.changes)

    async def game(self, game: str) -> OpenGame:
        """Return a game by its id; 404 if there is none."""
        async with self._reading:
            open_game = self._open.get(game)
            if open_game is None:
                stored = await self.store.read(game)
                if stored is None:
                    raise HTTPException(404, "there is no such game - begin one")
                if "@" in stored.game:
                    raise HTTPException(409, _of_other_rules(stored.game))
                open_game = await asyncio.to_thread(
                    OpenGame.open, stored, self.read_opponent, self.store, self.pool
                )
                self._keep(open_game)
                open_game.wake()
        self._open.move_to_end(game)
        return open_game

    async def changing(self, game: str) -> OpenGame:
        """Return a game that a request changes; `LimitError` beyond the limits."""
        if self._changes.seconds_to_wait(game):
            raise LimitError(
                f"more than {self.limits.changes.each_second:g} changes of a game a second - "
                "slow down"
            )
        return await self.game(game)

    async def begin(self, body: BeginGame) -> OpenGame:
        """Begin a game."""
        if self._begun.seconds_to_wait("everybody"):
            raise LimitError(
                f"more than {self.limits.begun.each_second:g} new games a second - slow down"
            )
        # Reading what was pasted, and players, takes time: others are answered meanwhile.
        stored = await asyncio.to_thread(self._new_game, body)
        await self.store.begin(stored)
        return await self.game(stored.id)

    def _new_game(self, body: BeginGame) -> Stored:
        if body.clock is not None:
            TimeControl.from_text(body.clock)
        record = _asked_position(body)
        game = record.position.game
        texts = {Color.BLACK: body.black, Color.WHITE: body.white}
        sides_of(texts.items(), game, self.read_opponent)
        rules = game_rules(game)
        start = record.start.text()
        # Read again as it will be, so that the game is the same after a restart.
        record = rules.game(rules.parse(start), (move.code(rules.shape) for move in record.moves))
        left = None if body.clock is None else TimeControl.from_text(body.clock).seconds
        return Stored(
            id=new_id(),
            created=datetime.now(UTC).isoformat(),
            game=game,
            start=start,
            black=body.black,
            white=body.white,
            clock=body.clock,
            seconds=body.seconds,
            seed=secrets.randbits(48) if body.seed is None else body.seed,
            moves=tuple((str(move), left, left) for move in record.moves),
        )

    def read_opponent(self, text: str, game: str) -> PlayerKind:
        """Return the player that *text* names."""
        return read_opponent(text, game, self.limits)

    def _keep(self, game: OpenGame) -> None:
        """Keep *game* in memory, and forget the one that nobody has looked at for longest."""
        self._open[game.stored.id] = game
        if len(self._open) <= self.limits.games_open:
            return
        for name, open_game in self._open.items():
            if not open_game.is_watched and not open_game.is_thinking and open_game is not game:
                open_game.close()
                del self._open[name]
                return

    @asynccontextmanager
    async def listening(self, game: OpenGame) -> AsyncIterator[asyncio.Event]:
        """Give an event that is set at every change of *game*; `LimitError` if too many listen."""
        if self.listeners >= self.limits.listeners:
            raise LimitError("too many pages are open - close some")
        self.listeners += 1
        event = game.listen()
        try:
            yield event
        finally:
            game.leave(event)
            self.listeners -= 1

    def close(self) -> None:
        """End all that goes on; everything acknowledged is on disk."""
        self.is_closing.set()
        for game in self._open.values():
            game.close()
        self.pool.close()
        self.store.close()


def _asked_position(body: BeginGame) -> GameRecord:
    """Return the game so far that a request shows."""
    rules = game_rules(body.game)
    if body.board is not None:
        row = row_of(body.game, body.board)
        return rules.game(rules.position_from_row(row))
    if body.position is None or not body.position.strip():
        return rules.record()
    try:
        return read_pasted(body.game, body.position)
    except ValueError as error:
        # The text may show a position of another game.
        for other in GAMES:
            try:
                return read_pasted(other, body.position)
            except ValueError:
                continue
        # The page shows a line, and no board could be read in one.
        raise ValueError(f"position: {str(error).partition(chr(10))[0]}") from None


def _hall(request: Request) -> GameHall:
    hall: GameHall = request.app.state.hall
    return hall


Hall = Annotated[GameHall, Depends(_hall)]
_WRONG = {code: {"model": Error} for code in (401, 404, 409, 422, 429)}


game_router = APIRouter(prefix="/api", tags=["games"], responses=_WRONG)  # type: ignore[arg-type]


@game_router.get("/rules")
async def rules() -> list[RulesShown]:
    """Return every game that can be played, and opponents, the weakest first."""
    return [
        RulesShown.of(
            game,
            game=game.name,
            rows=game.shape.rows,
            columns=game.shape.columns,
            adviser=adviser_of(game.name),
            levels=[
                LevelShown.of(level, elo=level.ratings.get(game.name))
                for level in levels_of(game.name)
            ],
        )
        for game in map(game_rules, (*GAMES, *DATA_GAMES))
    ]


def _of_other_rules(game: str) -> str:
    """Return why a game of the file cannot be opened, and what to do."""
    try:
        game_spoken(game)
    except ValueError as error:
        return str(error)
    return "the game is known again - reload the page"


@game_router.get("/games")
async def listed(hall: Hall) -> GameList:
    """Return the games begun last."""
    games = await hall.store.newest(_MOST_LISTED)
    return GameList(games=[GameListed.of(game, plies=plies) for game, plies in games])


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


@game_router.post("/games/{game}/values")
async def values(game: GameId, body: QuestionAsked, hall: Hall) -> Values:
    """Return what the legal moves are worth, and why the best is better than the second."""
    return await values_of_moves(await hall.changing(game), body, hall.read_opponent)


@game_router.post("/games/{game}/xray")
async def xray(game: GameId, body: XRayAsked, hall: Hall) -> XRayShown:
    """Return what a player sees on the board: features, squares, its tree, with their values."""
    open_game = await hall.changing(game)
    return await xray_of(open_game, body, hall.read_opponent)


@game_router.get(
    "/games/{game}/copy",
    response_class=PlainTextResponse,
    responses={200: {"content": {"image/svg+xml": {}}}, **wrong_as_json(*_WRONG)},
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
