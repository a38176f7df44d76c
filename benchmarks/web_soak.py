"""`make bench-web-soak`: hours of all that a server of the page should forget, and its memory.

Games that are played to the end, texts and bodies that are refused, runs that end, and sockets that
vanish in the middle of something: each in its own loop, at a steady pace. The server's memory is
looked at every few seconds; from a settable minute on it may not grow by more than 5 %. Before that
it grows to its limits, such as the games that it keeps in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from web_load import Connection, started
from websockets.asyncio.client import connect

MOST_GROWTH = 0.05
_PLAYERS = 4
_LOOK = 5.0
"""Seconds between two looks at the memory."""
_REFUSED_TEXTS = (
    "( + white x )", "( + white", "( white ),50,( + x ),50", "material:depth=99", "nobody",
    "online:population=x", "count(own", "champion@none",
)  # fmt: skip
_REFUSED_BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/runs", {"preset": "quick", "settings": {"population_size": "many"}}),
    ("/api/runs", {"preset": "none"}),
    ("/api/games", {"game": "go"}),
    ("/api/games", {"position": "f5f5"}),
)
_RUN = {
    "population_size": 12, "time_limit": None, "generations": 3, "hall_of_fame.final_pairs": 2,
    "machine.threads": 1,
}  # fmt: skip


class Soak:
    """The loops, and how often each of them has done its work."""

    def __init__(self, told: dict[str, Any], process: int, seconds: float) -> None:
        self.told, self.process = told, process
        self.address = told["url"].removeprefix("http://")
        self.began = time.monotonic()
        self.end = self.began + seconds
        self.done: Counter[str] = Counter()
        self.seen: list[tuple[float, float]] = []
        """Minutes since the beginning, and megabytes."""

    async def again(self, what: str, pause: float, work: Callable[[int], Awaitable[None]]) -> None:
        """Do *work* until the end, with a *pause* after each time."""
        number = 0
        while time.monotonic() < self.end:
            try:
                await work(number)
                self.done[what] += 1
            except (OSError, TimeoutError, EOFError, ValueError) as error:
                self.done[f"{what}: {type(error).__name__} {error}"[:120]] += 1
            number += 1
            await asyncio.sleep(pause)

    def connection(self) -> Connection:
        return Connection(self.told["url"], self.told["token"])

    async def game(self, number: int) -> None:
        """Play a small game to its end, or leave it in the middle; a page looks on."""
        api = self.connection()
        asked = {"game": "othello-4", "white": "greedy", "seed": number}
        state = await api.post("/api/games", asked)
        live = f"{self.told['url'].replace('http', 'ws', 1)}/api/games/{state['id']}/live"
        async with connect(live, origin=self.told["url"], compression=None, proxy=None) as page:
            while not state["is_over"] and (number % 3 or state["version"] < 3):
                if state["turn"] == "black":
                    move = state["legal"][number % len(state["legal"])]["text"]
                    state = await api.post(f"/api/games/{state['id']}/moves", {"move": move})
                else:
                    news = json.loads(await asyncio.wait_for(page.recv(), 60))
                    state = news if news["version"] > state["version"] else state
            await api.post(f"/api/games/{state['id']}/xray", {"player": "( + white 1 )"})
            if number % 2:
                page.transport.abort()
        api.close()

    async def refusal(self, number: int) -> None:
        """Ask for what is refused."""
        api = self.connection()
        text = _REFUSED_TEXTS[number % len(_REFUSED_TEXTS)]
        for path, body in (
            ("/api/games", {"white": text}),
            _REFUSED_BODIES[number % len(_REFUSED_BODIES)],
        ):
            with contextlib.suppress(OSError):
                await api.post(path, body)
                raise ValueError(f"{body} was not refused")
        api.close()

    async def run(self, number: int) -> None:
        """Begin a small run and look at it until it has ended."""
        api, name = self.connection(), f"soak-{number}"
        await api.post("/api/runs", {"preset": "quick", "name": name, "settings": _RUN})
        for _ in range(120):
            await asyncio.sleep(1)
            await self.get("/api/runs")
            if json.loads(await self.get(f"/api/runs/{name}"))["status"] == "finished":
                break
        else:
            raise ValueError("a run did not end")
        await self.get(f"/api/runs/{name}/champion")
        await self.get("/api/presets/quick")
        api.close()

    async def vanishing(self, number: int) -> None:
        """Send a part of a request, and reset the connection."""
        request = (
            f"POST /api/games HTTP/1.1\r\nhost: {self.address}\r\n"
            f"authorization: Bearer {self.told['token']}\r\n"
            "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
        ).encode()
        _, writer = await asyncio.open_connection(*self.address.split(":"))
        writer.write(request[: 1 + 7 * number % len(request)])
        await asyncio.sleep(0.01)
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async def get(self, path: str) -> bytes:
        reader, writer = await asyncio.open_connection(*self.address.split(":"))
        writer.write(
            f"GET {path} HTTP/1.1\r\nhost: {self.address}\r\nconnection: close\r\n\r\n".encode()
        )
        head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
        writer.close()
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise OSError(body[:100])
        return body

    async def look(self, _: int) -> None:
        """Note the memory of the server, once a minute for people too."""
        asked = ("ps", "-o", "rss=", "-p", str(self.process))
        megabytes = int(subprocess.run(asked, capture_output=True, check=True).stdout) / 1024
        minutes = (time.monotonic() - self.began) / 60
        if not self.seen or int(minutes) > int(self.seen[-1][0]):
            counts = ", ".join(f"{count} {what}" for what, count in sorted(self.done.items()))
            print(f"minute {int(minutes):3}: {megabytes:6.1f} MB; {counts}", flush=True)
        self.seen.append((minutes, megabytes))

    async def all(self, pace: float) -> None:
        await asyncio.gather(
            self.again("looks", _LOOK, self.look),
            # Several at a time: the games that the server keeps in memory have to be reached early.
            *(self.again("games", 0.15 / pace, self.game) for _ in range(_PLAYERS)),
            self.again("refusals", 0.05 / pace, self.refusal),
            self.again("runs", 5 / pace, self.run),
            self.again("vanished sockets", 0.1 / pace, self.vanishing),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--warm", type=float, default=10.0, help="minutes before memory is flat")
    parser.add_argument("--pace", type=float, default=1.0, help="2 is twice as much at a time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server, told = started(folder)
        soak = Soak(told, server.pid, 60 * options.minutes)
        try:
            asyncio.run(soak.all(options.pace))
        finally:
            server.terminate()
            server.wait(timeout=30)
    for what, count in sorted(soak.done.items()):
        print(f"{count:7} {what}")
    later = [megabytes for minutes, megabytes in soak.seen if minutes >= options.warm]
    if not later:
        print(f"nothing was measured after minute {options.warm:g}")
        return 1
    first = sum(later[:6]) / len(later[:6])
    last = sum(later[-6:]) / len(later[-6:])
    growth = last / first - 1
    print(
        f"from minute {options.warm:g} on: {first:.1f} MB at first, {last:.1f} MB at last "
        f"({growth:+.1%}), {min(later):.1f} to {max(later):.1f} MB; aim: at most "
        f"{MOST_GROWTH:.0%} more"
    )
    return int(growth > MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
