"""All games of a server: those in memory, and the file where all of them lie."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request

from evoply.games import GAMES, game_rules, game_spoken
from evoply.games.formats import read_pasted
from evoply.players import PlayerKind
from evoply.protocols import Color, GameInProgress, GameRecord, TimeControl
from evoply.web.game_views import line_of, row_of
from evoply.web.limits import LimitError, RateLimiter, ServerLimits
from evoply.web.messages import PERSON, AgainAsked, BeginGame
from evoply.web.open_game import OpenGame, new_id, sides_of
from evoply.web.store import GameStore, Room, Stored
from evoply.web.thinking import ThinkingPool, read_opponent

GameId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
_CODE, _CODE_LENGTH = "abcdefghjkmnpqrstuvwxyz23456789", 6
"""The letters of the code of a room: none that looks like another."""
_NO_GAME = "there is no such game - begin one"


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
                    raise HTTPException(404, _NO_GAME)
                if "@" in stored.game:
                    raise HTTPException(409, of_other_rules(stored.game))
                open_game = await asyncio.to_thread(
                    OpenGame.open, stored, self.read_opponent, self.store, self.pool
                )
                self._keep(open_game)
                open_game.wake()
        self._open.move_to_end(game)
        return open_game

    async def asked(self, game: str) -> OpenGame:
        """Return a game about which a player is asked; `ConflictError` while two people play it."""
        open_game = await self.changing(game)
        open_game.check_coach()
        return open_game

    async def in_room(self, code: str) -> str:
        """Return the id of the game in a room; 404 if there is none."""
        game = await self.store.in_room(code)
        if game is None:
            raise HTTPException(404, f"there is no room {code} - ask for its code again")
        return game

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
        self._check_begun()
        # Reading what was pasted, and players, takes time: others are answered meanwhile.
        stored = await asyncio.to_thread(self._new_game, body)
        await self.store.begin(stored)
        return await self.game(stored.id)

    def _check_begun(self) -> None:
        if self._begun.seconds_to_wait("everybody"):
            raise LimitError(
                f"more than {self.limits.begun.each_second:g} new games a second - slow down"
            )

    def _new_game(self, body: BeginGame) -> Stored:
        if body.clock is not None:
            TimeControl.from_text(body.clock)
        record = _passed(_asked_position(body))
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
            room=None if body.room is None else _new_room(body),
        )

    async def check(self, body: BeginGame) -> None:
        """Raise what `begin` would raise."""
        await asyncio.to_thread(self._new_game, body)

    async def begin_again(self, game: str, asked: AgainAsked) -> OpenGame:
        """Begin a game with the players of another one, from a place in it."""
        self._check_begun()
        source = await self.game(game)
        source.check_coach()  # in another game one could ask
        record = _passed(line_of(source, asked.ply, asked.moves))
        left = None if source.playing.control is None else source.playing.control.seconds
        stored = replace(
            source.stored,
            id=new_id(),
            created=datetime.now(UTC).isoformat(),
            seed=secrets.randbits(48),
            loser=None,
            reason=None,
            room=None,
            moves=tuple((str(move), left, left) for move in record.moves),
        )
        await self.store.begin(stored)
        return await self.game(stored.id)

    async def delete(self, game: str) -> None:
        """Remove a game from memory and disk; 404 if there is none."""
        if self._changes.seconds_to_wait(game):
            raise LimitError("too many changes of this game - slow down")
        # Nobody opens it meanwhile. One of other rules cannot be opened, but thrown away.
        async with self._reading:
            open_game = self._open.get(game)
            if open_game is not None:
                await open_game.delete()
                self._open.pop(game, None)
            elif not await self.store.delete(game):
                raise HTTPException(404, _NO_GAME)

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


def _new_room(body: BeginGame) -> Room:
    """Return a room with one seat taken."""
    assert body.room is not None
    if {body.black, body.white} != {PERSON}:
        raise ValueError(f"room: both sides are people's there - leave both to {PERSON}")
    code = "".join(secrets.choice(_CODE) for _ in range(_CODE_LENGTH))
    return Room(code).with_seat(Color(body.room.color), body.room.seat)


def _passed(record: GameRecord) -> GameRecord:
    """Return *record* with the passes that are forced now: nobody is asked for them."""
    return GameInProgress.begin(record).play_forced(passes_only=True).record


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


def of_other_rules(game: str) -> str:
    """Return why a game of the file cannot be opened, and what to do."""
    try:
        game_spoken(game)
    except ValueError as error:
        return str(error)
    return "the game is known again - reload the page"
