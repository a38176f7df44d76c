"""Admission of connections: identity, password, and limits on their number.

Admission knows connections and asks its host, the server of the tournament, about players and
games.
"""

import asyncio
import hmac
import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from evoply.environment.addresses import AddressLimit
from evoply.games import spoken_name
from evoply.server.connection import REQUESTS, VERSION, FloodError, Line, Wire, proof_of
from evoply.server.journal import TournamentConditions
from evoply.server.table import GameTable, TableError

MOST_STRANGERS = 50
"""The most connections without identity; one more ends the oldest of them."""
MOST_WATCHERS = 100
MOST_GAMES_AT_ONCE = 16
"""The most games of a player at a time."""
STRANGER_SECONDS = 60.0
"""The time for a connection to identify itself."""
_GUESS_SECONDS = 1.0
"""The delay of the answer to a wrong password."""


class RefusedError(Exception):
    """A connection is refused; *code* is for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(eq=False)
class Guest:
    """A player of the tournament, connected or not."""

    name: str
    token: str
    """The SHA-256 of its token."""
    at_once: int
    wire: Wire | None = None
    away_since: float = 0.0
    """When it disconnected, minus infinity if it left for good; valid if *wire* is None."""
    tables: dict[int, GameTable] = field(default_factory=dict)
    """Its unfinished games, by their numbers."""
    lately: deque[GameTable] = field(default_factory=lambda: deque(maxlen=MOST_GAMES_AT_ONCE))
    """Its last finished games, whose ends it may have missed."""
    here: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_free(self) -> bool:
        """Whether one more game can begin."""
        return self.wire is not None and len(self.tables) < self.at_once


Who = Guest | Literal["watcher", "nobody"]


class Host(Protocol):
    """What admission asks about players and games."""

    def tables(self) -> Iterable[GameTable]:
        """Return the games that are being played."""

    def join(self, name: str, at_once: int, /) -> tuple[Guest, str]:
        """Return a new player and its token; `RefusedError` if it cannot play."""

    def back(self, token: str, /) -> Guest:
        """Return the player with that token; `RefusedError` if there is none."""

    def arrived(self, guest: Guest, wire: Wire, /) -> None:
        """Connect a player, and send it its games."""

    def take(self, guest: Guest, line: Line, /) -> None:
        """Process a player's line about a game; `TableError` if it is not allowed."""

    def gone(self, guest: Guest, wire: Wire, /, *, for_good: bool = False) -> None:
        """Note that a player's connection has ended, or that it left for good."""

    def note(self, text: str, /) -> None:
        """Report an event in words."""


class Admission:
    """All connections of a server; `visit` is called with every new one."""

    def __init__(
        self,
        host: Host,
        conditions: TournamentConditions,
        password: str | None,
        addresses: AddressLimit,
    ) -> None:
        self.watchers: set[Wire] = set()
        self._host = host
        self._greeting = (
            f"HELLO evoply {VERSION} {spoken_name(conditions.game)} {conditions.control}"
        )
        self._password = password
        self._addresses = addresses
        self._strangers: dict[Wire, None] = {}
        self._visits: set[asyncio.Task[None]] = set()

    def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection to its end, in a task of its own."""
        visit = asyncio.get_running_loop().create_task(self._visit(Wire(reader, writer)))
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _visit(self, wire: Wire) -> None:
        if not self._addresses.enter(wire.address, wire):
            wire.error("full", self._addresses.refusal)
            await wire.close()
            return
        while len(self._strangers) >= MOST_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cut()
        self._strangers[wire] = None
        try:
            await self._serve(wire)
        except FloodError as error:
            wire.error("flood", str(error))
        except Exception as error:
            # An error of one client must not end the others.
            self._host.note(f"a connection ended with {type(error).__name__}: {error}")
        finally:
            self._strangers.pop(wire, None)
            self.watchers.discard(wire)
            self._addresses.leave(wire.address, wire)
            await wire.close()

    async def close(self) -> None:
        """End all connections when the last words have left, or a moment later."""
        visits = [*self._visits]
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    async def _serve(self, wire: Wire) -> None:
        """Identify the client, then process its lines."""
        try:
            async with asyncio.timeout(STRANGER_SECONDS):
                who = await self._introduce(wire)
        except TimeoutError:
            wire.error("hello", f"nobody was named within {STRANGER_SECONDS:g} seconds")
            return
        self._strangers.pop(wire, None)
        if who == "nobody":
            return
        if who == "watcher":
            await self._listen(wire, None)
            return
        self._addresses.leave(wire.address, wire)
        try:
            await self._listen(wire, who)
        finally:
            self._host.gone(who, wire)

    async def _listen(self, wire: Wire, guest: Guest | None) -> None:
        """Process all lines of a player or a watcher."""
        while (line := await wire.line()) is not None:
            try:
                match line.word:
                    case "QUIT":
                        if guest is not None:
                            self._host.gone(guest, wire, for_good=True)
                        return
                    case "MOVE" | "PASS" | "RESIGN":
                        if guest is None:
                            raise TableError("watching", "you only watch: join to play")
                        self._host.take(guest, line)
                    case "PONG" | "HELP":
                        _answer_idle(wire, line)
                    case _:
                        raise TableError("hello", f"you are in already: {line.word} is too late")
            except TableError as error:
                wire.error(error.code, str(error))
                wire.count_idle()

    async def _introduce(self, wire: Wire) -> Who:
        """Return the identity of the client."""
        challenge = None if self._password is None else secrets.token_hex(16)
        wire.say(self._greeting if challenge is None else f"{self._greeting} {challenge}")
        while (line := await wire.line()) is not None:
            try:
                if line.word != "PROOF":
                    who = self._who(wire, line, is_trusted=challenge is None)
                    if who is not None:
                        return who
                elif challenge is None or await self._is_proof(line, challenge):
                    challenge = None
                else:
                    wire.error("password", "this is not the password: ask for it")
                    break
            except RefusedError as error:
                wire.error(error.code, str(error))
                wire.count_idle()
        return "nobody"

    def _who(self, wire: Wire, line: Line, *, is_trusted: bool) -> Who | None:
        """Return the identity that *line* gives, None if it gives none yet."""
        match line.word:
            case "QUIT":
                return "nobody"
            case "PONG" | "HELP":
                _answer_idle(wire, line)
                return None
            case "BACK":
                # A token is a proof by itself.
                return self._seat(wire, self._host.back(line["token"]), line["token"])
            case "HELLO" | "WATCH" if not is_trusted:
                raise RefusedError("password", "say PROOF CODE first: this needs a password")
            case "HELLO":
                return self._join(wire, line)
            case "WATCH":
                self._let_watch(wire)
                return "watcher"
            case _:
                raise RefusedError("hello", f"{line.word} comes later: say HELLO first")

    async def _is_proof(self, line: Line, challenge: str) -> bool:
        """Return whether a client knows the password; a wrong one waits for its answer."""
        is_right = hmac.compare_digest(
            line["code"].lower(), proof_of(self._password or "", challenge)
        )
        if not is_right:
            await asyncio.sleep(_GUESS_SECONDS)
        return is_right

    def _join(self, wire: Wire, line: Line) -> Guest:
        if int(line["version"]) != VERSION:
            raise RefusedError("version", f"this server speaks version {VERSION} of the protocol")
        at_once = int(line.fields.get("games", "1"))
        if not 1 <= at_once <= MOST_GAMES_AT_ONCE:
            raise RefusedError("games", f"play 1 to {MOST_GAMES_AT_ONCE} games at a time")
        guest, token = self._host.join(line["name"], at_once)
        return self._seat(wire, guest, token)

    def _seat(self, wire: Wire, guest: Guest, token: str) -> Guest:
        wire.say(f"WELCOME {guest.name} {token}")
        self._host.arrived(guest, wire)
        return guest

    def _let_watch(self, wire: Wire) -> None:
        if len(self.watchers) >= MOST_WATCHERS:
            raise RefusedError("full", f"{MOST_WATCHERS} are watching already: come back later")
        self.watchers.add(wire)
        self._host.note(f"somebody is watching ({len(self.watchers)})")
        now = asyncio.get_running_loop().time()
        wire.say("INFO welcome: games are shown as they are played")
        for table in self._host.tables():
            for line in table.lines(None, now):
                wire.say(line)


def _answer_idle(wire: Wire, line: Line) -> None:
    """Answer a line that is not about a game."""
    wire.count_idle()
    if line.word == "HELP":
        for form in REQUESTS.values():
            wire.say(f"INFO {form.shown}")
