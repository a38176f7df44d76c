"""A server in the test's own event loop, and clients that say what they like."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from evoply import Stream
from evoply.environment.addresses import MOST_OF_AN_ADDRESS
from evoply.protocols import TimeControl
from evoply.server import GameServer, Journal, TournamentConditions
from waiting import PATIENCE


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands still: however busy a machine is, it costs no seconds."""

    _now = 0.0

    def time(self) -> float:
        return self._now

    def pass_time(self, seconds: float) -> None:
        self._now += seconds


def pass_time(seconds: float) -> None:
    """Let so much time pass in the `StillLoop` that runs."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    loop.pass_time(seconds)


class News(list[str]):
    """What a server tells of itself, and whoever waits for something hears of it."""

    def __init__(self) -> None:
        super().__init__()
        self._came = asyncio.Event()

    def tell(self, text: str) -> None:
        self.append(text)
        self._came.set()

    async def until(self, part: str) -> None:
        """Wait until there was something with that *batch*."""
        while not any(part in text for text in self):
            self._came.clear()
            await self._came.wait()


class Talker:
    """A client of lines; `seen` are all that it has read."""

    opened: ClassVar[list["Talker"]] = []
    """All that `serving` has to close."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.seen: list[str] = []
        self.token = ""

    @classmethod
    async def to(cls, server: GameServer) -> "Talker":
        talker = cls(*await asyncio.open_connection("127.0.0.1", server.address[1]))
        cls.opened.append(talker)
        return talker

    def say(self, *lines: str) -> None:
        self.raw("".join(f"{line}\n" for line in lines).encode())

    def raw(self, data: bytes) -> None:
        self.writer.write(data)

    async def line(self) -> str:
        """Return the next line, "" at the end."""
        async with asyncio.timeout(PATIENCE):
            try:
                line = (await self.reader.readline()).decode()
            except ConnectionError:
                return ""
        if line:
            self.seen.append(line.rstrip("\n"))
        return line.rstrip("\n")

    async def until(self, *beginnings: str) -> str:
        """Return the next line with one of these beginnings; AssertionError at the end."""
        while line := await self.line():
            if line.startswith(beginnings):
                return line
        raise AssertionError(f"none of {beginnings} was said: {self.seen}")

    async def rest(self) -> list[str]:
        """Read to the end and return all lines that were seen."""
        while await self.line():
            pass
        return self.seen

    async def join(self, name: str, games: int = 1) -> "Talker":
        self.say(f"HELLO evoply 1 {name} {games}")
        self.token = (await self.until("WELCOME")).split()[2]
        return self

    async def play(self, seed: int = 1, before: Callable[["Talker"], Any] | None = None) -> None:
        """Play random legal moves until the tournament is over, or the connection."""
        draw = Stream(seed, "talker")
        while (line := await self.line()) and not line.startswith("BYE"):
            word, *rest = line.split()
            if word == "TURN":
                if before is not None:
                    before(self)
                self.say(f"MOVE {rest[0]} {rest[1 + draw.below(len(rest) - 1)]}")
        await self.leave()

    async def leave(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


@asynccontextmanager
async def serving(
    path: Path,
    *,
    game: str = "othello-4",
    clock: str = "60",
    journal: Journal | None = None,
    password: str | None = None,
    grace: float | None = None,
    news: News | None = None,
    to_the_end: bool = True,
    port: int = 0,
    connections: int = MOST_OF_AN_ADDRESS,
    **conditions: Any,
) -> AsyncIterator[tuple[GameServer, "asyncio.Task[None]"]]:
    """Give a server that listens and the task in which it runs; afterwards nothing is left.

    It is waited for, or stopped if it need not play *to_the_end*.
    """
    if journal is None:
        conditions = {"games": 2, "openings": 2, **conditions}
        control = TimeControl.from_text(clock)
        journal = Journal.create(path, TournamentConditions.of(game, control, **conditions))
    news = News() if news is None else news
    server = GameServer(
        journal, password=password, grace=grace, on_news=news.tell, connections=connections
    )
    task = asyncio.create_task(server.run("127.0.0.1", port))
    try:
        listening = asyncio.create_task(news.until("listening on"))
        await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
        listening.cancel()
        yield server, task
        if to_the_end:
            async with asyncio.timeout(PATIENCE):
                await task
        # Whatever clients do, it is no surprise to the server.
        assert [one for one in news if "a connection ended with" in one] == []
    finally:
        for talker in Talker.opened:
            talker.writer.transport.abort()
            await talker.leave()
        Talker.opened.clear()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        journal.close()


@asynccontextmanager
async def two_players(server: GameServer) -> AsyncIterator[tuple[Talker, Talker]]:
    """Give two players that have joined."""
    one = await (await Talker.to(server)).join("one")
    other = await (await Talker.to(server)).join("other")
    try:
        yield one, other
    finally:
        await one.leave()
        await other.leave()


@asynccontextmanager
async def serving_two(
    path: Path, **options: Any
) -> AsyncIterator[tuple[GameServer, Talker, Talker]]:
    """Give a server as `serving` does, and two players that have joined."""
    async with serving(path, **options) as (server, _), two_players(server) as (one, other):
        yield server, one, other
