"""Games that go on: whose turn it is, whose clock runs, and what players answer.

One event loop changes them, and one change of a game waits for another. Nobody is told of a change
before it is on disk.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from evoply._native import Stream
from evoply.environment.ledger import Move
from evoply.games import game_rules
from evoply.players import PlayerKind
from evoply.players.searcher import asked
from evoply.protocols import (
    Choice,
    Color,
    ForfeitError,
    GameInProgress,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Seat,
    TimeControl,
)
from evoply.web.limits import LimitError
from evoply.web.messages import PERSON
from evoply.web.store import GameStore, Stored
from evoply.web.thinking import OpponentReader, ThinkingPool
from evoply.wording import short_name, shorten

_PACE = 0.35
"""Seconds between two moves where players play each other, so that people can follow."""


RESIGNED = "resigned"
"""Why somebody has lost who gave up."""


class ConflictError(ValueError):
    """The game is not where the request believes it to be."""


class SeatError(ValueError):
    """A request is not for whoever sent it: another has that seat of the room."""


def new_id() -> str:
    """Return a new name of a game: 128 random bits, so nobody finds it by trying."""
    return secrets.token_hex(16)


@dataclass(slots=True)
class SidePlayer:
    """Who plays a side."""

    text: str
    player: PlayerKind | None
    """None for a person."""
    seat: Seat | None = None
    """What keeps something of the game in mind, from its first move on."""

    @property
    def label(self) -> str:
        """What to call it."""
        return "You" if self.player is None else short_name(self.player.label)

    def close(self) -> None:
        """Release what the seat holds."""
        if self.seat is not None:
            self.seat.close()
            self.seat = None


@dataclass(slots=True)
class OpenGame:
    """One game in memory; it is also in *store*, as it was after the last change."""

    stored: Stored
    playing: GameInProgress
    sides: dict[Color, SidePlayer]
    left: list[Mapping[Color, float | None]]
    """What both clocks showed at first and after each ply."""
    store: GameStore
    pool: ThinkingPool
    version: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    """Larger after every change, and after a restart than before it: a page keeps the latest."""
    trouble: str | None = None
    is_thinking: bool = False
    choices: dict[int, Choice] = field(default_factory=dict)  # those with notes, by their ply
    reviewing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while what a review found is put beside what earlier ones did."""
    now: Callable[[], float] = time.monotonic
    is_deleted: bool = False
    _changed: set[asyncio.Event] = field(default_factory=set)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _thinking: asyncio.Task[None] | None = None
    _flag: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        """Start the clock of the side to move."""
        self._start_clock()

    @classmethod
    def open(
        cls, stored: Stored, read: OpponentReader, store: GameStore, pool: ThinkingPool
    ) -> OpenGame:
        """Return the game as it lies in the file.

        A player that no longer exists, such as the champion of a deleted run, leaves its side to a
        person.
        """
        rules = game_rules(stored.game)
        control = None if stored.clock is None else TimeControl.from_text(stored.clock)
        playing = GameInProgress.begin(rules.game(rules.parse(stored.start)), control)
        left = [_left(playing)]
        for move, black, white in stored.moves:
            left.append({Color.BLACK: black, Color.WHITE: white})
            playing = playing.play(move)
        playing = playing.with_left(left[-1])
        if stored.loser is not None:
            playing = playing.forfeit(Color(stored.loser), stored.reason or "")
        sides, trouble = {}, None
        for color in Color:
            try:
                sides[color] = _side(stored.who(color), stored.game, read)
            except ValueError as error:
                sides[color], trouble = SidePlayer(PERSON, None), shorten(str(error), 300)
        return cls(stored, playing, sides, left, store, pool, trouble=trouble)

    @property
    def record(self) -> GameRecord:
        """The moves so far."""
        return self.playing.record

    @property
    def running(self) -> Color | None:
        """Whose clock runs."""
        is_still = self.playing.control is None or self.playing.is_over or self.is_waiting
        return None if is_still else self.playing.turn

    @property
    def is_waiting(self) -> bool:
        """Whether a seat of the room is free: until then nobody moves, and no clock runs."""
        room = self.stored.room
        return room is not None and len(room.taken) < len(Color)

    def check_coach(self) -> None:
        """Raise `ConflictError` in a room whose game goes on: nobody is helped there."""
        if self.stored.room is not None and not self.playing.is_over:
            raise ConflictError("two people play here - ask when their game is over")

    def seconds_left(self, color: Color) -> float | None:
        """Return what the clock of a side shows now."""
        left = self.playing.left(color, self.now())
        return None if self.playing.control is None else max(0.0, left)

    # Changes, each of them on disk when it returns.

    async def take_seat(self, secret: str) -> Color | None:
        """Return the seat of whoever knows *secret*; who has none takes one that is free.

        None for those who can only watch. Raises `ConflictError` if this is no room.
        """
        async with self._alone():
            room = self.stored.room
            if room is None:
                raise ConflictError("this game is no room - begin one")
            owned = room.owned(secret)
            free = next((color for color in Color if color not in room.taken), None)
            if owned is not None or free is None:
                return owned
            room = room.with_seat(free, secret)
            await self.store.take_seats(self.stored.id, room)
            self.stored = replace(self.stored, room=room)
            self._news()
        self.wake()
        return free

    def _check_seat(self, color: Color, secret: str | None) -> None:
        room = self.stored.room
        if room is None:
            return
        if self.is_waiting:
            raise ConflictError("nobody has taken the other side yet - wait")
        if room.owned(secret or "") is not color:
            raise SeatError(f"seat: {color.value} is another player's - you can watch")

    def _check_no_room(self) -> None:
        if self.stored.room is not None:
            raise ConflictError("two people play here - nothing is taken back, and nobody changes")

    async def play(self, text: str, ply: int | None, seat: str | None = None) -> None:
        """Play a person's move, in a room that of whoever knows the secret *seat*.

        Raises `ConflictError`, `SeatError`, `IllegalMoveError`, `InvalidMoveError`.
        """
        async with self._alone():
            await self._forfeit(self.playing.stop(self.now()))
            if ply is not None and ply != len(self.record):
                raise ConflictError(
                    f"ply: {ply} - the game has {len(self.record)} plies now - read it again"
                )
            if self.playing.is_over:
                raise ConflictError("the game is over - begin another one, or take a move back")
            turn = self.playing.turn
            if self.sides[turn].player is not None:
                raise ConflictError(
                    f"it is the turn of {self.sides[turn].label} - wait, or take over"
                )
            self._check_seat(turn, seat)
            await self._add(_move(self.record, text))
        self.wake()

    async def undo(self, to_ply: int | None) -> None:
        """Take moves back to a person's last choice, or to where *to_ply* plies were played."""
        async with self._alone():
            self._check_no_room()
            people = [color for color, side in self.sides.items() if side.player is None]
            count = self.playing.last_choice(people or list(Color)) if to_ply is None else to_ply
            if count is None or count >= len(self.record) or count < 0:
                raise ConflictError("there is nothing to take back")
            self._stop_thinking()
            await self.store.go_on(self.stored.id, count, ())
            self.left, self.trouble = self.left[: count + 1], None
            self.playing = self.playing.undo(count).with_left(self.left[-1])
            self.choices = {ply: choice for ply, choice in self.choices.items() if ply < count}
            self._news()
        self.wake()

    async def seat(self, sides: dict[Color, SidePlayer]) -> None:
        """Let others play from now on."""
        async with self._alone():
            self._check_no_room()
            self._stop_thinking()
            for color, side in sides.items():
                self.sides[color].close()
                self.sides[color] = side
            names = {color: side.text for color, side in self.sides.items()}
            await self.store.seat(self.stored.id, names[Color.BLACK], names[Color.WHITE])
            self.stored = replace(self.stored, black=names[Color.BLACK], white=names[Color.WHITE])
            self.trouble, self.choices = None, {}
            self._news()
        self.wake()

    async def resign(self, color: Color, seat: str | None = None) -> None:
        """End the game as lost by a person's side; raises `ConflictError`, `SeatError`."""
        async with self._alone():
            await self._forfeit(self.playing.stop(self.now()))
            if self.playing.is_over:
                raise ConflictError("the game is over already - there is nothing to resign")
            if self.sides[color].player is not None:
                raise ConflictError(
                    f"color: {color.value} is {self.sides[color].label} - resign your own side, or "
                    "take over first"
                )
            self._check_seat(color, seat)
            self._stop_thinking()
            await self._forfeit(self.playing.forfeit(color, RESIGNED))
        self._arm_flag()

    async def delete(self) -> None:
        """Remove the game from the disk, and let all that listen know."""
        async with self._alone():
            self._stop_thinking()
            await self.store.delete(self.stored.id)
            self.is_deleted = True
            self.close()
            self._news()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Let one change after another happen; `ConflictError` if the game was deleted."""
        async with self._lock:
            if self.is_deleted:
                raise ConflictError("this game was deleted - begin another one")
            yield

    def wake(self) -> None:
        """Go on: start the clock of the side to move, and let a player think."""
        self._arm_flag()
        if self.playing.is_over or self.is_deleted or self._thinking is not None:
            return
        if self.sides[self.playing.turn].player is not None and self.trouble is None:
            self.is_thinking = True
            self._thinking = asyncio.create_task(self._think())

    def close(self) -> None:
        """Forget the game in memory; nothing is lost."""
        self._stop_thinking()
        if self._flag is not None:
            self._flag.cancel()
        for side in self.sides.values():
            side.close()

    @property
    def is_watched(self) -> bool:
        """Whether somebody waits for news."""
        return bool(self._changed)

    def listen(self) -> asyncio.Event:
        """Return an event that is set at every change, until `leave`."""
        event = asyncio.Event()
        self._changed.add(event)
        return event

    def leave(self, event: asyncio.Event) -> None:
        """End `listen`."""
        self._changed.discard(event)

    # What players do.

    async def _think(self) -> None:
        task = asyncio.current_task()
        try:
            while not self.playing.is_over:
                color = self.playing.turn
                if self.sides[color].player is None:
                    return
                if all(side.player is not None for side in self.sides.values()):
                    await asyncio.sleep(_PACE)
                record, choice = self.record, await self._choice(color)
                async with self._lock:
                    if task is not self._thinking or self.record is not record:
                        return
                    await self._forfeit(self.playing.stop(self.now()))
                    if not self.playing.is_over:
                        self.choices |= {len(record): choice} if choice.notes else {}
                        await self._add(choice.move)
                self._arm_flag()
        except ForfeitError as error:
            async with self._lock:
                if task is self._thinking:
                    await self._forfeit(self.playing.forfeit(self.playing.turn, str(error)))
        except ValueError as error:
            self.trouble = shorten(str(error), 300)
        finally:
            if task is self._thinking:
                self._thinking, self.is_thinking = None, False
                self._news()

    async def _choice(self, color: Color) -> Choice:
        side, record = self.sides[color], self.record
        left = self.seconds_left(color)
        clock = replace(
            self.playing.clocks[color],
            move_seconds=self.stored.seconds,
            seconds_left=None if left is None else max(0.001, left),
        )
        stream = Stream(self.stored.seed, "play", "game")
        game = self.stored.game

        def choose() -> Choice:
            if side.seat is None:
                assert side.player is not None
                side.seat = side.player.seat(game)
            # The tables that a thousand games keep would fill the memory.
            return asked(side.seat.anew(), record, stream, clock=clock)

        return await self.pool.run((self.stored.id, "move"), choose)

    def _stop_thinking(self) -> None:
        task, self._thinking, self.is_thinking = self._thinking, None, False
        if task is not None:
            task.cancel()

    async def _add(self, move: Any) -> None:
        """Take *move* and the forced passes that follow."""
        since = len(self.record)
        playing = self.playing.play(move, self.now()).play_forced(passes_only=True)
        if playing.loser is not None:
            await self._forfeit(playing)
            return
        left = _left(playing)
        clocks = left[Color.BLACK], left[Color.WHITE]
        moves: list[Move] = [(str(move), *clocks) for move in playing.record.moves[since:]]
        await self.store.go_on(self.stored.id, since, moves)
        self.playing = playing
        self.left += [left] * len(moves)
        self._news()

    # Clocks.

    def _arm_flag(self) -> None:
        """End the game when the flag of the side to move falls."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        running = self.running
        if running is None:
            return
        loop = asyncio.get_running_loop()
        left = self.seconds_left(running) or 0.0
        self._flag = loop.call_later(left + 0.01, lambda: asyncio.ensure_future(self._flag_fell()))

    async def _flag_fell(self) -> None:
        async with self._lock:
            await self._forfeit(self.playing.stop(self.now()))

    async def _forfeit(self, lost: GameInProgress) -> None:
        """End the game if somebody has lost it in *lost*; the clocks stay as the file has them."""
        if lost.loser is not None and not self.playing.is_over:
            await self.store.forfeit(self.stored.id, lost.loser, lost.reason)
            self.playing = self.playing.forfeit(lost.loser, lost.reason)
            self._news()

    def _start_clock(self) -> None:
        if not self.is_waiting:
            self.playing = self.playing.ask(self.now())

    def _news(self) -> None:
        self.version += 1
        self._start_clock()
        for event in self._changed:
            event.set()


def _side(text: str, game: str, read: OpponentReader) -> SidePlayer:
    return SidePlayer(text, None if text == PERSON else read(text, game))


def sides_of(
    texts: Iterable[tuple[Color, str | None]], game: str, read: OpponentReader
) -> dict[Color, SidePlayer]:
    """Return who is to play, for each colour with a text; `ValueError` names the colour."""
    sides = {}
    for color, text in texts:
        if text is None:
            continue
        try:
            sides[color] = _side(text, game, read)
        except ValueError as error:
            if isinstance(error, LimitError):
                raise
            raise ValueError(f"{color.value}: {error}") from None
    return sides


def _left(playing: GameInProgress) -> Mapping[Color, float | None]:
    return {color: playing.clocks[color].seconds_left for color in Color}


def _move(record: GameRecord, text: str) -> Any:
    """Return a legal move by its text; errors say only what people need to read."""
    position = record.position
    try:
        return record.play(text).moves[-1]
    except IllegalMoveError:
        must = position.what_must_be(text)
        legal = shorten(str(position.legal_moves), 300)
        raise IllegalMoveError(
            f"move: {shorten(text)} is not legal here{must and ': '}{must} - legal is {legal}"
        ) from None
    except InvalidMoveError as error:
        raise InvalidMoveError(f"move: {error}") from None
