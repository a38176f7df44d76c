"""Games on the page, whose server is killed and whose connections break in mid-request."""

from __future__ import annotations

import http.client
import importlib.util
import json
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from disorder import Disorder, handles_of

_GAMES = 6
_LONGEST_LIFE = 8.0
"""Seconds after which a server is killed at the latest."""
_MORE_HANDLES = 4
"""That a server may hold beside those it had when its first games were begun."""
_PATIENCE = 60.0


class DisturbedPage:
    """Games against a player: every move that was acknowledged is in each later server's game."""

    name = "page"

    def __init__(self, disorder: Disorder) -> None:
        self._disorder = disorder
        self._draws = disorder.draws(self.name)
        self._known: dict[str, list[str]] = {}
        """The longest list of moves that was acknowledged, by game."""
        self._open: list[str] = []
        self._server: subprocess.Popen[bytes] | None = None
        self._log = Path()
        self._address, self._token = "", ""

    def prepare(self) -> None:
        """Look whether the page's packages are there."""
        if (
            importlib.util.find_spec("fastapi") is None
            or importlib.util.find_spec("uvicorn") is None
        ):
            self._disorder.left_out.append("the page: evoply[web] is missing")

    def disturb(self) -> None:
        """Play, break connections and kill the server until the time is over."""
        if any(one.startswith("the page") for one in self._disorder.left_out):
            return
        while self._disorder.goes_on:
            self._start()
            life = time.monotonic() + 1 + self._draws.random() * _LONGEST_LIFE
            while time.monotonic() < life and self._disorder.goes_on:
                self._break_connections()
                self._play()
            self._kill()

    def settle(self) -> None:
        """Ask a last server for every game, and count what it holds."""
        if not self._known:
            return
        self._start()
        assert self._server is not None
        self._play()
        before = handles_of(self._server.pid)
        for _ in range(20):
            self._break_connections()
        end = time.monotonic() + _PATIENCE
        while (held := handles_of(self._server.pid)) > before + _MORE_HANDLES:
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        self._disorder.promise(
            held <= before + _MORE_HANDLES, f"the page's server holds {held} handles after {before}"
        )
        self._kill()
        self._disorder.count("games on the page", len(self._known))
        self._disorder.count(
            "acknowledged moves on the page", sum(len(moves) for moves in self._known.values())
        )

    def _start(self) -> None:
        """Start a server, and look at every game that was begun."""
        clock = self._draws.below(1 << 30) + 1 if self._draws.below(2) else 0
        self._server, self._log = self._disorder.start(
            "web", "--json", "--no-browser", "--port", "0", clock=clock
        )
        end = time.monotonic() + _PATIENCE
        while not (said := self._log.read_text(encoding="utf-8")).endswith("}\n"):
            if self._server.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"evoply web does not start: {said[-1000:]}")
            time.sleep(0.02)
        told = json.loads(said)
        self._address, self._token = told["url"].removeprefix("http://"), told["token"]
        for name, known in self._known.items():
            self._remember(name, self._ask("GET", f"/api/games/{name}"), known)

    def _kill(self) -> None:
        assert self._server is not None
        self._disorder.kill(self._server, "servers of the page")
        said = self._log.read_text(encoding="utf-8", errors="replace")
        self._disorder.promise("Traceback" not in said, f"the page's server: {said[-2000:]}")

    def _remember(self, name: str, state: dict[str, Any], known: list[str]) -> None:
        """Note the moves of a game, which begin with those that are known."""
        moves = [move["text"] for move in state.get("moves", [])]
        self._disorder.promise(
            moves[: len(known)] == known, f"game {name} of the page: {known} became {moves}"
        )
        if len(moves) > len(known):
            self._known[name] = moves

    def _play(self) -> None:
        """Make a move in each open game, and begin others for those that are over."""
        while len(self._open) < _GAMES:
            asked = {"game": "othello-6", "white": "greedy", "seed": self._draws.below(1000)}
            state = self._ask("POST", "/api/games", asked)
            self._known[state["id"]] = []
            self._open.append(state["id"])
        for name in list(self._open):
            path = f"/api/games/{name}"
            state = self._ask("GET", path)
            self._remember(name, state, self._known[name])
            if state["is_over"]:
                self._open.remove(name)
            elif state["turn"] == "black" and state["legal"]:
                move = state["legal"][self._draws.below(len(state["legal"]))]["text"]
                if self._draws.below(4) == 0:
                    # Nobody hears the answer: the move may count, and need not.
                    self._send(self._request("POST", f"{path}/moves", {"move": move}))
                    continue
                state = self._ask("POST", f"{path}/moves", {"move": move})
                self._remember(name, state, self._known[name])

    def _break_connections(self) -> None:
        """Send a part of a request and go away."""
        whole = self._request("GET", "/api/games", None)
        self._send(whole[: 1 + self._draws.below(len(whole) - 1)])

    def _send(self, data: bytes) -> None:
        host, port = self._address.split(":")
        with suppress(OSError), socket.create_connection((host, int(port)), 5) as connection:
            connection.sendall(data)
            self._disorder.count("connections broken")

    def _request(self, method: str, path: str, body: dict[str, Any] | None) -> bytes:
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: {self._address}\r\n"
            f"authorization: Bearer {self._token}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection(self._address, timeout=_PATIENCE)
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            said = answer.read()
            if answer.status == 409 and method == "POST":  # the move that nobody heard of counted
                return self._ask("GET", path.removesuffix("/moves"))
            if answer.status >= 300:
                raise AssertionError(f"{method} {path}: {answer.status} {said[:300]!r}")
            state: dict[str, Any] = json.loads(said)
            return state
        finally:
            connection.close()
