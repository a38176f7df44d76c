"""`make bench-web`: many games on one `evoply web`, and how long people wait.

Every game has an open page (a WebSocket) and a person who moves every few seconds against a player
with a budget of time. Measured is what the page sees: from a move to its echo, and from the echo to
the player's answer. This program and the server share the machine, so its own share is reported.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import connect

from evoply import Stream

ECHO_AIM, SEARCH_AIM = 0.050, 0.100
"""Seconds of the 99th percentile: of an echo, and of a search beyond its budget."""
PATIENCE = 10.0


@dataclass
class Seen:
    """What was measured; times in seconds."""

    echoes: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    """How late this program itself was."""
    errors: list[str] = field(default_factory=list)
    games: int = 0


class Connection:
    """One connection of HTTP that stays open, with little work for us."""

    def __init__(self, url: str, token: str) -> None:
        self.host, self.token = url.removeprefix("http://"), token
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return the answer; `OSError` for one that is no success."""
        if self.streams is None:
            self.streams = await asyncio.open_connection(*self.host.split(":"))
        reader, writer = self.streams
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nhost: {self.host}\r\nauthorization: Bearer {self.token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        status, *headers = answer.decode().lower().split("\r\n")
        length = next(int(one.split(":")[1]) for one in headers if one.startswith("content-length"))
        data: dict[str, Any] = json.loads(await reader.readexactly(length))
        if " 20" not in status:
            raise OSError(f"{status}: {data.get('error')}")
        return data

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()


async def person(
    number: int, options: argparse.Namespace, told: dict[str, Any], seen: Seen, end: float
) -> None:
    """Play games to *end*, a move every few seconds."""
    stream = Stream(1, "load", "person").child(number)
    connection = Connection(told["url"], told["token"])
    await asyncio.sleep(options.every * number / options.games)
    due, moves = time.monotonic(), 0
    while time.monotonic() < end:
        asked = {"white": options.player, "seconds": options.budget, "seed": number}
        state = await connection.post("/api/games", asked)
        seen.games += 1
        address = f"{told['url'].replace('http', 'ws', 1)}/api/games/{state['id']}/live"
        async with connect(
            address, origin=told["url"], compression=None, max_size=None, proxy=None
        ) as socket:
            while not state["is_over"] and time.monotonic() < end:
                legal = state["legal"]
                move = legal[stream.child(moves).key % len(legal)]["text"]
                moves += 1
                began = time.monotonic()
                state = await connection.post(f"/api/games/{state['id']}/moves", {"move": move})
                echoed = time.monotonic()
                seen.echoes.append(echoed - began)
                is_asked = state["turn"] == "white" and not state["is_over"]
                while state["turn"] == "white" and not state["is_over"]:
                    news = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
                    if news["version"] > state["version"]:
                        state = news
                if is_asked:
                    seen.searches.append(time.monotonic() - echoed)
                # After a pause that was too short for all of it, not two moves at once.
                due = max(due + options.every, time.monotonic())
                await asyncio.sleep(max(0.0, min(due, end) - time.monotonic()))
    connection.close()


async def patient(
    number: int, options: argparse.Namespace, told: dict[str, Any], seen: Seen, end: float
) -> None:
    """Be that person, and note what goes wrong."""
    try:
        await person(number, options, told, seen, end)
    except (OSError, TimeoutError, EOFError, ValueError) as error:
        seen.errors.append(f"{type(error).__name__}: {error}"[:300])


async def lateness(seen: Seen) -> None:
    """Note how late this program wakes up."""
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.02)
        seen.lags.append(time.monotonic() - began - 0.02)


async def load(options: argparse.Namespace, told: dict[str, Any]) -> Seen:
    """Let all play."""
    seen = Seen()
    end = time.monotonic() + options.seconds
    watch = asyncio.create_task(lateness(seen))
    await asyncio.gather(
        *(patient(number, options, told, seen, end) for number in range(options.games))
    )
    watch.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watch
    return seen


def started(folder: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """Return a server whose games and runs lie in *folder*, and what it told: url and token."""
    command = (
        sys.executable, "-m", "evoply", "web", "--json", "--no-browser", "--port", "0",
        "--runs", folder,
    )  # fmt: skip
    server = subprocess.Popen(command, text=True, stdout=subprocess.PIPE)
    assert server.stdout is not None
    return server, json.loads(server.stdout.readline())


def percentile(values: list[float], share: float) -> float:
    """Return the least of *values* that so large a *share* of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="at a time")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two moves")
    parser.add_argument("--budget", type=float, default=0.02, help="seconds of a search")
    parser.add_argument("--player", default="firebrand:depth=12")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, told = started(folder)
        before, began = time.process_time(), time.monotonic()
        try:
            seen = asyncio.run(load(options, told))
        finally:
            server.send_signal(signal.SIGINT)
            ending = time.monotonic()
            server.wait(timeout=30)
        ended = time.monotonic() - ending
        own, whole = time.process_time() - before, ending - began
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    theirs = children.ru_utime + children.ru_stime
    rows = {
        "echo of a move": (seen.echoes, ECHO_AIM),
        "search": (seen.searches, options.budget + SEARCH_AIM),
        "this program late by": (seen.lags, None),
    }
    print(
        f"{options.games} games at a time, a move every {options.every:g} s, budget of a search "
        f"{1000 * options.budget:g} ms, {whole:.0f} s, {seen.games} games begun, "
        f"{os.cpu_count()} cores"
    )
    for name, (values, aim) in rows.items():
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        wanted = "" if aim is None else f"; aim {1000 * aim:.0f} ms"
        print(f"{name:>22}: p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms"
              f" (n {len(values)}{wanted})")  # fmt: skip
    shares = f"server {theirs / whole:.0%} of one core, this program {own / whole:.0%}"
    print(f"{'processor':>22}: {shares}")
    print(f"{'Ctrl-C':>22}: the server ended in {ended:.2f} s")
    print(f"{'errors':>22}: {len(seen.errors)}")
    for one in seen.errors[:5]:
        print(f"  {one}")
    return 1 if seen.errors else 0


if __name__ == "__main__":
    sys.exit(main())
