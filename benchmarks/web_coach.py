"""`make bench-web`: how long a person waits for the coach on the page.

Measured is what the page asks: the first hint of a server that has just begun, later hints, and a
look back at a whole game, as far ahead each time as the page looks. Games are some of `strong`
with itself; `why` is the library's, warm.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from statistics import median
from typing import Any

from web_load import Connection, percentile, started

import evoply as ep
from evoply.games import game_rules
from evoply.games.formats import GamePlayed

AIMS = {
    "first hint": 1.0,
    "later hints": 0.3,
    "review, first ten moves": 1.0,
    "review, whole game": 5.0,
    "why, warm": 0.05,
}
PASSES = ((2, False), (4, True), (6, True))
"""Plies ahead, and whether ends are solved: as in `static/review.js`, without what it adds."""
AT_ONCE = 10


def some_game(game: str) -> GamePlayed:
    """Return a game of two good players that errs now and then."""
    played: list[GamePlayed] = []
    ep.match("strong:level=5", "strong:level=6", game=game, games=2, seed=1, on_game=played.append)
    return played[0]


async def measured(told: dict[str, Any], game: str, hints: int) -> dict[str, list[float]]:
    """Return the seconds of each question."""
    connection = Connection(told["url"], told["token"])
    record = some_game(game).record
    asked = {"game": game, "position": str(record), "black": "person", "white": "person"}
    state = await connection.post("/api/games", asked)
    path = f"/api/games/{state['id']}"
    plies = len(state["moves"])
    seconds: dict[str, list[float]] = {name: [] for name in AIMS}

    async def timed(name: str, path: str, body: dict[str, Any]) -> None:
        began = time.monotonic()
        await connection.post(path, body)
        seconds[name].append(time.monotonic() - began)

    for number in range(hints):
        ply = 4 + number * (plies - 5) // hints
        name = "later hints" if number else "first hint"
        await timed(name, f"{path}/values", {"ply": ply})
    began = time.monotonic()
    for depth, exact in PASSES:
        for since in range(0, plies, AT_ONCE):
            body = {"since": since, "count": AT_ONCE, "depth": depth, "exact": exact}
            await connection.post(f"{path}/review", body)
            if not seconds["review, first ten moves"]:
                seconds["review, first ten moves"].append(time.monotonic() - began)
    seconds["review, whole game"].append(time.monotonic() - began)
    connection.close()
    for ply in range(4, plies - 4, 4):
        before = record.first(ply)
        if len(before.position.legal_moves) < 2:
            continue
        ep.why("strong", before)
        began = time.monotonic()
        ep.why("strong", before)
        seconds["why, warm"].append(time.monotonic() - began)
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="othello", help="one whose adviser is strong")
    parser.add_argument("--hints", type=int, default=25)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, told = started(folder)
        try:
            seconds = asyncio.run(measured(told, options.game, options.hints))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
    print(f"{game_rules(options.game).title}, {os.cpu_count()} cores")
    for name, values in seconds.items():
        print(
            f"{name:>26}: p50 {1000 * median(values):.0f} ms, "
            f"p95 {1000 * percentile(values, 0.95):.0f} ms "
            f"(n {len(values)}; aim {1000 * AIMS[name]:.0f} ms)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
