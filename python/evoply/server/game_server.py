"""The server of a tournament: its players, the order of games, and its end.

All runs in one event loop. A client affects only its own connection and its own games: a slow,
silent or faulty client delays no other.
"""

import asyncio
import contextlib
import hmac
import math
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterator

from evoply.arena import Forfeit
from evoply.arena.playing import PlayedGame
from evoply.environment.addresses import MOST_OF_AN_ADDRESS, AddressLimit, shown_address
from evoply.protocols import Color
from evoply.server.admission import Admission, Guest, RefusedError
from evoply.server.connection import LONGEST_REQUEST, Line, Wire
from evoply.server.journal import Journal, Seated, ServedTournament, digest_of
from evoply.server.table import GameTable, TableError, in_words

PING_SECONDS = 10.0
LEAST_GRACE = 10.0
_LAST_SECONDS = 5.0
"""Seconds that the results wait for players whose connection was lost."""
_TICK = 0.25
"""Seconds between two checks of absent players."""
_AWAY = "did not come back"


class GameServer:
    """A tournament over the network, from its first player to its last game.

    *journal* holds what is played, and what was played before. With a *password* players and
    watchers have to know it. *on_news* is told what happens, in words. Whoever is away between
    games for longer than *grace* seconds (default: what the clock gives for a game, and 10 at
    least) loses those that have not begun. One address has at most so many *connections*, those of
    players left out.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        password: str | None = None,
        on_news: Callable[[str], object] | None = None,
        grace: float | None = None,
        connections: int = MOST_OF_AN_ADDRESS,
    ) -> None:
        self.journal = journal
        self.conditions = journal.conditions
        self.tournament: ServedTournament | None = None
        """None until all players have joined."""
        self.address: tuple[str, int] | None = None
        """Where it listens; None before."""
        self.admission = Admission(self, self.conditions, password, AddressLimit(connections))
        self._news = on_news or (lambda _: None)
        self._grace = max(LEAST_GRACE, self.conditions.control.seconds) if grace is None else grace
        self._guests: list[Guest] = []
        self._tables: dict[int, GameTable] = {}
        self._games: set[asyncio.Task[tuple[GameTable, PlayedGame]]] = set()
        self._waiting: dict[tuple[int, int], deque[int]] = {}
        """Games that have not begun, by the indices of their players."""
        self._changed = asyncio.Event()

    async def run(self, host: str, port: int) -> None:
        """Listen, wait for the players, and let them play until every game is over.

        Port 0 is any that is free. Raises `OSError` where nobody can listen, and `JournalError` if
        the file cannot be written. Whatever ends it before its time, everybody is told, and no
        player is told good-bye: another server can go on with the file, and players wait for it.
        """
        farewell: str | None = None
        server = None
        try:
            self._go_on()
            server = await self._listening(host, port)
            await self._play()
            await self._wait_for_the_last()
            assert self.tournament is not None
            for name, points, games in self.tournament.scores():
                self._tell_all(f"SCORE {name} {points:g} {games}")
            farewell = "the tournament is over"
        except BaseException as error:
            is_stop = not isinstance(error, Exception)
            why = "was stopped" if is_stop else "cannot go on now"
            for guest in self._guests:
                if guest.wire is not None:
                    guest.wire.say(f"INFO the server {why}, but may be started again: wait for it")
            for watcher in self.admission.watchers:
                watcher.say(f"BYE the server {why}")
            raise
        finally:
            if server is not None:
                server.close()
            for game in self._games:
                game.cancel()
            if farewell is not None:
                self._tell_all(f"BYE {farewell}")
            await self.admission.close()
            await asyncio.gather(*self._games, return_exceptions=True)

    async def _listening(self, host: str, port: int) -> asyncio.Server:
        try:
            server = await asyncio.start_server(
                self.admission.visit, host, port, limit=LONGEST_REQUEST
            )
        except OSError as error:
            known = error.errno is not None and error.errno > 0
            reason = os.strerror(error.errno or 0) if known else error.strerror
            raise OSError(error.errno, reason, shown_address(host, port)) from None
        self.address = host, server.sockets[0].getsockname()[1]
        self.journal.record_address(*self.address)
        self._news(f"listening on {shown_address(*self.address)}")
        return server

    # The tournament

    async def _play(self) -> None:
        """Play all games, several at a time."""
        loop = asyncio.get_running_loop()
        pinged = loop.time()
        while True:
            if self.tournament is None and len(self._guests) == self.conditions.players:
                self._begin()
            if self.tournament is not None:
                if self.tournament.is_over:
                    return
                await self._forfeit_of_absent(loop.time())
                self._begin_games()
            changed = loop.create_task(self._changed.wait())
            await asyncio.wait(
                {changed, *self._games}, timeout=_TICK, return_when=asyncio.FIRST_COMPLETED
            )
            changed.cancel()
            self._changed.clear()
            for task in [task for task in self._games if task.done()]:
                self._games.discard(task)
                self._game_over(*task.result())
            if loop.time() - pinged >= PING_SECONDS:
                pinged = loop.time()
                self._tell_all("PING")

    async def _wait_for_the_last(self) -> None:
        """Give those whose connection was lost just now a moment to hear how it ended.

        A connection may have been lost without anybody having noticed yet, and who has come back
        may be lost again: the server asks until nobody is missing.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while loop.time() - began < _LAST_SECONDS and any(
            not guest.wire.is_open if guest.wire else began - guest.away_since < _LAST_SECONDS
            for guest in self._guests
        ):
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _TICK)

    def _go_on(self) -> None:
        """Continue the tournament of another server, if there is one."""
        seated = self.journal.players()
        if not seated:
            return
        now = asyncio.get_running_loop().time()
        self._guests = [Guest(row.name, row.token, row.games, away_since=now) for row in seated]
        self.tournament = ServedTournament(self.conditions, tuple(row.name for row in seated))
        begun = self.journal.begun(self.tournament)
        self._plan(set(begun))
        for number, played in sorted(self.tournament.played.items()):
            table = self._table(number)
            table.show(played)
            for guest in self._players(table).values():
                guest.lately.append(table)
        for number, game in begun.items():
            table = self._table(number)
            table.go_on(game)
            self._start(table, is_new=False)

    def _begin(self) -> None:
        """Begin the tournament: from now on nobody else can join."""
        self.journal.seat(
            [Seated(guest.name, guest.token, guest.at_once) for guest in self._guests]
        )
        self.tournament = ServedTournament(
            self.conditions, tuple(guest.name for guest in self._guests)
        )
        self._plan(set())
        many = f"{len(self.tournament.schedule):,} games of {len(self._guests)} players"
        self._news(f"the tournament begins: {many}")
        self._tell_all(f"INFO the tournament begins: {many}")

    def _plan(self, begun: set[int]) -> None:
        """Put the games that have not begun into their queues."""
        assert self.tournament is not None
        for number in range(len(self.tournament.schedule)):
            if number not in begun and number not in self.tournament.played:
                first, second = sorted(self.tournament.players(number).values())
                self._waiting.setdefault((first, second), deque()).append(number)

    def _begin_games(self) -> None:
        """Begin every game whose players are connected and free."""
        for (first, second), queue in self._waiting.items():
            while queue and self._guests[first].is_free and self._guests[second].is_free:
                self._start(self._table(queue.popleft()), is_new=True)

    def _table(self, number: int) -> GameTable:
        assert self.tournament is not None
        places = self.tournament.players(number)
        return GameTable(
            number=number,
            names={color: self._guests[player].name for color, player in places.items()},
            opening=self.tournament.opening(number),
            control=self.conditions.control,
            journal=self.journal,
            tell=self._tell,
        )

    def _start(self, table: GameTable, *, is_new: bool) -> None:
        loop = asyncio.get_running_loop()
        self._tables[table.number] = table
        for guest in self._players(table).values():
            guest.tables[table.number] = table
        self._games.add(loop.create_task(self._play_game(table, is_new=is_new)))
        for color in (*Color, None):
            for line in table.lines(color, loop.time()):
                self._tell(table, color, line, is_private=True)

    async def _play_game(self, table: GameTable, *, is_new: bool) -> tuple[GameTable, PlayedGame]:
        """Play one game; after the server was started anew its clocks wait for the players."""
        if not is_new:
            for guest in self._players(table).values():
                try:
                    async with asyncio.timeout(self._grace):
                        await guest.here.wait()
                except TimeoutError:
                    break
        return table, await table.play()

    def _game_over(self, table: GameTable, played: PlayedGame) -> None:
        assert self.tournament is not None
        self.tournament.played[table.number] = played
        del self._tables[table.number]
        for guest in self._players(table).values():
            guest.tables.pop(table.number, None)
            guest.lately.append(table)
        many = f"{len(self.tournament.played):,} of {len(self.tournament.schedule):,}"
        self._news(f"game {table.number} ({many}): {in_words(played, table.names)}")

    async def _forfeit_of_absent(self, now: float) -> None:
        """Let those who have been away for too long lose their games that have not begun."""
        for player, guest in enumerate(self._guests):
            if guest.wire is not None or now - guest.away_since <= self._grace:
                continue
            games = self._forfeit_unplayed(player)
            if not games:
                continue
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.journal.in_background, self.journal.add_unplayed, games)
            assert self.tournament is not None
            self.tournament.played.update(games)
            text = f"{guest.name} {_AWAY}: {len(games):,} games that had not begun are lost"
            self._news(text)
            self._tell_all(f"INFO {text}")

    def _forfeit_unplayed(self, absent: int) -> dict[int, PlayedGame]:
        """Take the games of a player that have not begun out of their queues, forfeited."""
        assert self.tournament is not None
        games = {}
        for sides, queue in self._waiting.items():
            while absent in sides and queue:
                number = queue.popleft()
                color = next(
                    color
                    for color, player in self.tournament.players(number).items()
                    if player == absent
                )
                forfeit = Forfeit(number, color, _AWAY, by_time=True)
                games[number] = PlayedGame(self.tournament.opening(number), forfeit)
        return games

    # What is said

    def _players(self, table: GameTable) -> dict[Color, Guest]:
        assert self.tournament is not None
        places = self.tournament.players(table.number)
        return {color: self._guests[player] for color, player in places.items()}

    def _tell(
        self, table: GameTable, color: Color | None, line: str, *, is_private: bool = False
    ) -> None:
        """Say a line of a game to one side; None: to both and to watchers, or to these alone."""
        for side, guest in self._players(table).items():
            if guest.wire is not None and (color is side or (color is None and not is_private)):
                guest.wire.say(line)
        if color is None:
            for watcher in self.admission.watchers:
                watcher.say(line)

    def _tell_all(self, line: str) -> None:
        for wire in (
            *self.admission.watchers,
            *(guest.wire for guest in self._guests if guest.wire),
        ):
            wire.say(line)

    # Players, as admission asks

    def note(self, text: str) -> None:
        """Take note of what happened, in words."""
        self._news(text)

    def tables(self) -> Iterator[GameTable]:
        """Yield the games that are being played."""
        yield from self._tables.values()

    def join(self, name: str, at_once: int) -> tuple[Guest, str]:
        """Return a new player and its token; `RefusedError` if it cannot play."""
        if self.tournament is not None or len(self._guests) >= self.conditions.players:
            raise RefusedError(
                "begun", "the tournament has begun: come back with BACK TOKEN, or say WATCH"
            )
        if any(guest.name.lower() == name.lower() for guest in self._guests):
            raise RefusedError("name", f"somebody is called {name} already: choose another name")
        token = secrets.token_hex(16)
        guest = Guest(name, digest_of(token), at_once)
        self._guests.append(guest)
        return guest, token

    def back(self, token: str) -> Guest:
        """Return the player with that token; `RefusedError` if there is none."""
        digest = digest_of(token)
        for guest in self._guests:
            if hmac.compare_digest(guest.token, digest):
                return guest
        raise RefusedError("token", "nobody here has this token: join with HELLO")

    def arrived(self, guest: Guest, wire: Wire) -> None:
        """Let a player, new or back, be here at *wire*, and tell it its games."""
        if guest.wire is not None:
            guest.wire.cut()
        is_new, guest.wire = self.tournament is None, wire
        guest.here.set()
        self._changed.set()
        many = self.conditions.players
        counted = f" ({len(self._guests)} of {many})" if is_new else ""
        self._news(f"{guest.name} {'joined' if is_new else 'is back'}{counted}")
        now = asyncio.get_running_loop().time()
        for table in (*guest.lately, *guest.tables.values()):
            color = self._color(guest, table)
            for line in table.lines(color, now):
                wire.say(line)
        if is_new and len(self._guests) < many:
            wire.say(f"INFO waiting for {many - len(self._guests)} more")

    def take(self, guest: Guest, line: Line) -> None:
        """Take what a player says of a game; `TableError` if it does not go there."""
        table = guest.tables.get(line.game)
        if table is None:
            yours = ", ".join(map(str, guest.tables)) or "none at the moment"
            raise TableError("game", f"game {line.game} is not yours, or over: yours are {yours}")
        table.says(self._color(guest, table), line, asyncio.get_running_loop().time())

    def gone(self, guest: Guest, wire: Wire, *, for_good: bool = False) -> None:
        """Note that a player's connection has ended, or that it left for good."""
        if guest.wire is not wire:
            return  # it has another one by now
        guest.wire = None
        guest.here.clear()
        self._changed.set()
        if self.tournament is None:
            self._guests.remove(guest)
        else:
            now = asyncio.get_running_loop().time()
            guest.away_since = -math.inf if for_good else now
        if for_good:
            for table in guest.tables.values():
                table.lose(self._color(guest, table), "left")
        if self.tournament is None or not self.tournament.is_over:
            self._news(f"{guest.name} {'left' if for_good else 'is away'}")

    def _color(self, guest: Guest, table: GameTable) -> Color:
        return next(color for color, player in self._players(table).items() if player is guest)
