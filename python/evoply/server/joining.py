"""The other side of a tournament over the network: a player that joins, and who only watches.

Moves are chosen in threads, so that the connection is always read. A lost connection is restored,
and the server sends the games again.
"""

import asyncio
import contextlib
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from evoply._native import Stream
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.players.searcher import move_stream
from evoply.protocols import (
    Choice,
    Clock,
    Color,
    Ending,
    ForfeitError,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Player,
    Seat,
    TimeControl,
    choice_of,
)
from evoply.server.connection import (
    LONGEST_NAME,
    VERSION,
    CallError,
    Connection,
    Line,
    LostError,
    is_name,
    plain,
    plain_name,
)

_MOST_KEPT = 16
"""Names under which a token is looked for."""
PATIENCE = 300.0
"""Seconds for which a lost connection is retried."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0
_MOST_NAMES = 100

T = TypeVar("T")


def usual_tokens() -> Path | None:
    """Return the folder of this user where tokens are kept; None on Windows."""
    if sys.platform == "win32":
        return None
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state, "evoply", "tokens").expanduser()


class KeptToken:
    """The token of a player in a file that only its user can read.

    One process uses it at a time: two players of one name on a machine do not take each other's
    place.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        text = os.pread(descriptor, 200, 0).decode("ascii", errors="replace").strip()
        self.token = text if re.fullmatch("[A-Za-z0-9_-]{10,80}", text) else ""

    @classmethod
    def of(cls, folder: Path, player: str, *, is_new: bool = False) -> "KeptToken | None":
        """Return that of *player*, its server's address and name.

        None if there is none, and it is not made as a new one, or if somebody uses it.
        """
        import fcntl  # missing on Windows, which has no folder of tokens

        path = folder / hashlib.sha256(player.encode()).hexdigest()[:32]
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = -1
        try:
            if is_new:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                flags |= os.O_CREAT
            descriptor = os.open(path, flags, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_uid == os.getuid():
                return cls(path, descriptor)
        except OSError:
            pass
        if descriptor >= 0:
            os.close(descriptor)
        return None

    def write(self, token: str) -> bool:
        """Keep *token*; return whether that is done. A part of one is none when it is read."""
        try:
            os.fchmod(self._descriptor, 0o600)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, token.encode("ascii"), 0)
        except OSError:
            return False
        self.token = token
        return True

    def close(self, *, is_over: bool) -> None:
        """Let others use it; if the tournament *is_over*, remove it."""
        if is_over:
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


@dataclass(eq=False)
class GameHere:
    """A game as one of its players knows it."""

    number: int
    color: Color
    opponent: str
    opening_plies: int
    record: GameRecord
    left: dict[Color, float]
    winner: Color | None = None
    said: str | None = None
    """How it ended; None while it goes on."""
    seat: Seat | None = None
    asked: int = -1
    """The ply of the last question to the player."""
    answer: str | None = None
    """Its answer to that question."""

    @property
    def is_thinking(self) -> bool:
        """Whether the player has been asked and has not answered."""
        return self.asked >= 0 and self.answer is None

    @property
    def points(self) -> float:
        """The points of the player in a game that is over."""
        return 0.5 if self.winner is None else float(self.winner is self.color)

    def to_dict(self) -> dict[str, Any]:
        """Return the game as JSON-ready data."""
        return {
            "number": self.number,
            "color": self.color.value,
            "opponent": self.opponent,
            "moves": list(self.record.move_texts()),
            "winner": None if self.winner is None else self.winner.value,
            "ending": self.said,
            "points": None if self.said is None else self.points,
            "seconds_left": round(self.left[self.color], 3),
        }


@dataclass(eq=False)
class Joining:
    """A player and its place in a tournament; `run` returns when the tournament is over.

    Without a *name* it is called after its label. *token* is that of an earlier connection, which
    goes on; with a folder of *tokens* it is kept there, and found again (`KeptToken`). *at_once*
    games are played at a time; draws come from *seed*. A server that is lost is called again for
    *patience* seconds. *on_news* is told what happens, in words.
    """

    player: Player
    host: str
    port: int
    name: str | None = None
    password: str | None = None
    token: str | None = None
    tokens: Path | None = None
    at_once: int = 1
    seed: int = 1
    patience: float = PATIENCE
    on_news: Callable[[str], object] = field(default=lambda _: None)
    games: dict[int, GameHere] = field(init=False, default_factory=dict)
    """All games so far, by their numbers."""
    game: str | None = field(init=False, default=None)
    """The name of the game; None until the server has sent it."""
    control: TimeControl | None = field(init=False, default=None)
    scores: dict[str, tuple[float, int]] = field(init=False, default_factory=dict)
    """Points and games of everybody, when the tournament is over."""
    farewell: str | None = field(init=False, default=None)
    """What the server said at the end."""
    _connection: Connection | None = field(init=False, default=None)
    _is_known: bool = field(init=False, default=False)
    """Whether the server has said welcome, this one or the one before it."""
    _kept: KeptToken | None = field(init=False, default=None)
    _spare: list[Seat] = field(init=False, default_factory=list)
    _thinking: set[asyncio.Task[None]] = field(init=False, default_factory=set)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    """Held while a seat chooses that is for all games: it may still think about the last one."""
    _failure: BaseException | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Raise `ValueError` for a name that no player may have."""
        if self.name is not None and not is_name(self.name):
            raise ValueError(
                f"name: {self.name[:60]!r} cannot be a name - write at most {LONGEST_NAME} "
                "letters, digits and . _ - @ +, without blanks"
            )
        if not 1 <= self.at_once <= 16:
            raise ValueError(f"at_once: {self.at_once} is not from 1 to 16 games at a time")

    async def run(self) -> None:
        """Play until the tournament is over.

        Raises `CallError` if the server refuses, `OSError` if it is lost for good, and what a
        player raises that is no forfeit.
        """
        lost_at, wait = None, _FIRST_WAIT
        self._find_token()
        try:
            while self.farewell is None:
                try:
                    self._connection = await Connection.open(self.host, self.port)
                    await self._introduce(self._connection)
                    lost_at, wait = None, _FIRST_WAIT
                    await self._listen(self._connection)
                except LostError as error:
                    if self._failure is not None:
                        raise self._failure from None
                    if self.token is None:
                        raise
                    if lost_at is None:
                        lost_at = time.monotonic()
                        self.on_news(
                            f"{error.strerror}: calling again for {self.patience:g} seconds"
                        )
                    if time.monotonic() - lost_at > self.patience:
                        raise
                    await asyncio.sleep(wait)
                    wait = min(2 * wait, _LONGEST_WAIT)
                finally:
                    await self._hang_up()
        finally:
            self._close_kept(is_over=self.farewell is not None)
            for task in self._thinking:
                task.cancel()
            for seat in (*self._spare, *(game.seat for game in self.games.values() if game.seat)):
                seat.close()

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _introduce(self, connection: Connection) -> None:
        """Identify the player; `CallError` if the server refuses."""
        if self.game not in (None, connection.game):
            raise CallError(
                f"the server plays {connection.game} now, and this began with {self.game}"
            )
        is_first, self.game, self.control = self.game is None, connection.game, connection.control
        if is_first:
            self.player.check_fits(connection.game)
            await _in_thread(self._get_ready)
        names = iter(self._names())
        if self.token is None:
            connection.prove(self.password)
            self._say_hello(connection, next(names))
        else:
            connection.say(f"BACK {self.token}")
        while True:
            line = await connection.line()
            if line.word == "WELCOME":
                is_new = self.token != line["token"]
                self.name, self.token, self._is_known = line["name"], line["token"], True
                is_kept = self._keep_token()
                later = "join again as the same user" if is_kept else f"--token {self.token}"
                joined = f"joined as {self.name}; to come back later: {later}"
                self.on_news(joined if is_new else f"back as {self.name}")
                return
            if line.word == "ERROR":
                self._again(connection, line, next(names, None))

    def _again(self, connection: Connection, error: Line, name: str | None) -> None:
        """Say something else after an error, if there is anything."""
        if error["code"] == "name" and self.name is None and name is not None:
            self._say_hello(connection, name)
        elif error["code"] == "token" and self._is_known and not self.games:
            # The tournament had not begun, so the server that was started anew does not know us.
            self.token = None
            self._close_kept(is_over=True)
            connection.prove(self.password)
            self._say_hello(connection, self.name or name or "")
        else:
            raise CallError(f"the server refuses: {error['text']}", error["code"])

    def _find_token(self) -> None:
        """Take the token that an earlier process of this player has kept, if there is one."""
        if self.tokens is None or self.token is not None:
            return
        for name in self._names()[:_MOST_KEPT]:
            self._kept = KeptToken.of(self.tokens, f"{self.host}:{self.port} {name}")
            if self._kept is not None and self._kept.token:
                self.token, self._is_known = self._kept.token, True
                return
            self._close_kept()

    def _keep_token(self) -> bool:
        """Keep the token for a later process of this player; return whether that is done."""
        assert self.token is not None
        if self.tokens is None:
            return False
        if self._kept is not None and self._kept.token == self.token:
            return True
        self._close_kept()
        at = f"{self.host}:{self.port} {self.name}"
        self._kept = KeptToken.of(self.tokens, at, is_new=True)
        return self._kept is not None and self._kept.write(self.token)

    def _close_kept(self, *, is_over: bool = False) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close(is_over=is_over)

    def _say_hello(self, connection: Connection, name: str) -> None:
        connection.say(f"HELLO evoply {VERSION} {name} {self.at_once}")

    def _names(self) -> list[str]:
        if self.name is not None:
            return [self.name]
        name = plain_name(self.player.label)
        others = [f"{name[: LONGEST_NAME - 3]}-{number}" for number in range(2, _MOST_NAMES)]
        return [name, *others]

    def _get_ready(self) -> None:
        """Sit down, before any clock runs; one game at a time where a seat is for all games."""
        assert self.game is not None
        seats = [self.player.seat(self.game)]
        seats[0].check()
        if seats[0].is_shared:
            self.at_once = 1
        seats += [self.player.seat(self.game) for _ in range(1, self.at_once)]
        self._spare += seats
        if self.at_once == 1:
            seats[0].use_all_cores()
        for seat in seats:
            seat.get_ready()

    async def _listen(self, connection: Connection) -> None:
        """Process all lines of the server, to the end of the tournament."""
        while self.farewell is None:
            line = await connection.line()
            match line.word:
                case "COLOR" | "MOVE" | "PASS" | "TIME" | "TURN" | "END":
                    self._take(line)
                case "SCORE":
                    self.scores[line["name"]] = float(line["points"]), int(line["games"])
                case "ERROR" | "INFO":
                    self.on_news(f"the server: {line['text']}")
                case "BYE":
                    self.farewell = line["text"]

    def _take(self, line: Line) -> None:
        """Process a line about a game."""
        if line.word == "COLOR":
            self._begin(line)
            return
        game = self.games.get(line.game)
        if game is None:
            raise CallError(f"the server speaks of game {line.game}, which it never began")
        match line.word:
            case "MOVE" | "PASS":
                moves = game.record.position.legal_moves
                move = line.fields.get("move") or (moves[0] if moves else "pass")
                try:
                    game.record = game.record.play(move)
                except (IllegalMoveError, InvalidMoveError) as error:
                    raise CallError(f"the server lets {plain(str(error))} be played") from None
            case "TIME":
                game.left = {color: float(line[color.value]) for color in Color}
            case "TURN":
                self._ask(game)
            case "END":
                self._end(game, line)

    def _begin(self, line: Line) -> None:
        """Begin a game, or hear it again after a lost connection."""
        assert self.game is not None
        assert self.control is not None
        record = game_rules(self.game).record()
        known = self.games.get(line.game)
        if known is not None:
            known.record = record  # all moves are said again
            return
        self.games[line.game] = GameHere(
            number=line.game,
            color=Color(line["color"]),
            opponent=line["opponent"],
            opening_plies=int(line["plies"]),
            record=record,
            left=dict.fromkeys(Color, self.control.seconds),
        )
        self.on_news(f"game {line.game}: {line['color']} against {line['opponent']}")

    def _end(self, game: GameHere, line: Line) -> None:
        if game.said is not None:
            return  # said again, because we were away
        game.winner = None if line["winner"] == "draw" else Color(line["winner"])
        words = line["text"]
        if line["ending"] == "forfeit":
            words = f"{'won' if game.points else 'lost'}, because the loser {words}"
        game.said = words
        self.on_news(f"game {game.number}: {words}")
        seat, game.seat = game.seat, None
        if seat is not None and game.is_thinking and not seat.is_shared:
            seat.close()  # it is still thinking, and of no use for the next game
        elif seat is not None:
            self._spare.append(seat)

    def _ask(self, game: GameHere) -> None:
        """Let the player choose, unless it was asked before the connection was lost."""
        assert self.control is not None
        ply = len(game.record)
        if game.asked == ply:
            if game.answer is not None:
                self._say(game.answer)
            return
        game.asked, game.answer = ply, None
        played = game.record.positions[game.opening_plies : ply]
        clock = Clock(
            seconds_left=max(game.left[game.color], 0.0),
            increment=self.control.increment,
            moves=sum(position.turn is game.color for position in played),
        )
        task = asyncio.get_running_loop().create_task(self._chosen(game, ply, clock))
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    async def _chosen(self, game: GameHere, ply: int, clock: Clock) -> None:
        record = game.record
        try:
            answer = await _in_thread(lambda: self._choose(game, record, clock))
        except Exception as error:
            # What a player may not raise ends everything, through whoever listens.
            self._failure = error
            if self._connection is not None:
                self._connection.cut()
            return
        if game.asked == ply and game.said is None:
            game.answer = answer
            self._say(answer)

    def _choose(self, game: GameHere, record: GameRecord, clock: Clock) -> str:
        """Return the line to send; runs in its own thread."""
        assert self.game is not None
        if game.seat is None:
            game.seat = self._spare.pop() if self._spare else self.player.seat(self.game)
        stream = move_stream(Stream(self.seed, "join").child(game.number), record)
        try:
            with self._lock if game.seat.is_shared else contextlib.nullcontext():
                choice: Choice = choice_of(game.seat.choose(record, stream, clock), record)
        except ForfeitError as error:
            return f"RESIGN {game.number} {plain(str(error)) or 'gives up'}"
        return f"MOVE {game.number} {record.position.short_text(choice.move)}"

    def _say(self, line: str) -> None:
        if self._connection is not None:
            self._connection.say(line)


async def _in_thread(function: Callable[[], T]) -> T:
    """Return what *function* returns in a thread that does not keep the process at its end."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]
        else:
            answer.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True).start()
    return await answer


# Watches a remote tournament: every game, move by move.

_ENDINGS = {ending.value.replace(" ", "-"): ending for ending in Ending}


@dataclass(frozen=True, slots=True)
class WatchedGame:
    """A game as it is being played: what is known of it, and what both clocks show."""

    number: int
    played: GamePlayed
    left: dict[Color, float]

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.played.ending is not None


@dataclass(eq=False)
class Watching:
    """All games that a server has shown; `run` returns when the tournament is over.

    *on_change* is called with every game that has changed.
    """

    host: str
    port: int
    password: str | None = None
    on_change: Callable[[WatchedGame], object] = field(default=lambda _: None)
    games: dict[int, WatchedGame] = field(init=False, default_factory=dict)
    """All games that were shown, by their numbers."""
    farewell: str | None = field(init=False, default=None)
    """What the server said at the end."""
    _game: str = field(init=False, default="")

    async def run(self) -> None:
        """Watch to the end; `OSError` if the server is lost, `CallError` if it refuses."""
        connection = await Connection.open(self.host, self.port)
        try:
            self._game = connection.game
            game_rules(connection.game)
            connection.prove(self.password)
            connection.say("WATCH")
            while self.farewell is None:
                self._take(await connection.line())
        finally:
            await connection.close()

    def _take(self, line: Line) -> None:
        match line.word:
            case "BYE":
                self.farewell = line["text"]
            case "ERROR":
                raise CallError(f"the server refuses: {line['text']}")
            case "GAME" | "MOVE" | "PASS" | "TIME" | "END":
                self.games[line.game] = game = self._update(line)
                self.on_change(game)

    def _update(self, line: Line) -> WatchedGame:
        """Update the game that a line is about, and return it."""
        if line.word == "GAME":
            played = GamePlayed(
                game_rules(self._game).record(),
                line["black"],
                line["white"],
                opening_plies=int(line["plies"]),
            )
            return WatchedGame(line.game, played, {})
        game = self.games.get(line.game)
        if game is None:
            raise CallError(f"the server speaks of game {line.game}, which it never showed")
        played = game.played
        match line.word:
            case "TIME":
                return replace(game, left={color: float(line[color.value]) for color in Color})
            case "END":
                ending = _ENDINGS.get(line["ending"], Ending.FORFEIT)
                ended = replace(
                    played,
                    winner=None if line["winner"] == "draw" else Color(line["winner"]),
                    ending=ending,
                    forfeit=line["text"] if ending is Ending.FORFEIT else None,
                )
                return replace(game, played=ended)
        moves = played.record.position.legal_moves
        move = line.fields.get("move") or (moves[0] if moves else "pass")
        try:
            return replace(game, played=replace(played, record=played.record.play(move)))
        except (IllegalMoveError, InvalidMoveError) as error:
            raise CallError(f"the server shows a move that is none: {error}") from None
