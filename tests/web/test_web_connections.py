"""Connections that keep others out: heads that never end, silence, and too many of an address."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web_server import serving
from websockets.sync.client import connect

from evoply.web import ServerLimits
from waiting import PATIENCE, until

LIMITS = ServerLimits(head_seconds=0.8, connections=6)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[str, int]]:
    with serving(tmp_path, LIMITS) as place:
        yield place


def _dial(place: tuple[str, int]) -> socket.socket:
    return socket.create_connection(place, timeout=PATIENCE)


def _rest(client: socket.socket) -> bytes:
    """Return all that comes until the other side closes."""
    pieces = []
    while piece := client.recv(65_536):
        pieces.append(piece)
    return b"".join(pieces)


def _one_answer(client: socket.socket) -> None:
    """Read a short answer that went well."""
    answer = b""
    while not answer.endswith(b"}"):
        piece = client.recv(4096)
        assert piece
        answer += piece
    assert b" 200 " in answer.partition(b"\r\n")[0]


def _ask(place: tuple[str, int], method: str = "GET", path: str = "/api/health") -> Any:
    with _dial(place) as client:
        body = b"{}" if method == "POST" else b""
        client.sendall(
            f"{method} {path} HTTP/1.1\r\nhost: {place[0]}:{place[1]}\r\n"
            "authorization: Bearer secret\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode()
            + body
        )
        head, _, answer = _rest(client).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(answer)


def _refusal(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


def test_a_silent_connection_is_closed(place: tuple[str, int]) -> None:
    with _dial(place) as client:
        assert _rest(client) == b""


def test_a_head_that_never_ends_is_closed_however_it_drips(place: tuple[str, int]) -> None:
    began = time.monotonic()
    with _dial(place) as client:
        client.settimeout(0.05)
        client.sendall(b"GET /api/health HTTP/1.1\r\n")
        answer = b""
        while not answer and time.monotonic() - began < PATIENCE:
            client.sendall(b"x: y\r\n")
            try:
                answer = client.recv(4096)
            except TimeoutError:
                continue
    status, message = _refusal(answer)
    assert status == 408
    assert "0.8 s" in message


def test_a_second_head_that_never_ends_is_closed_too(place: tuple[str, int]) -> None:
    with _dial(place) as client:
        whole = f"GET /api/health HTTP/1.1\r\nhost: {place[0]}:{place[1]}\r\n\r\n".encode()
        client.sendall(whole)
        _one_answer(client)
        time.sleep(2 * LIMITS.head_seconds)  # between requests there is no such limit
        client.sendall(whole)
        _one_answer(client)
        client.sendall(whole[:-2])
        assert _refusal(_rest(client))[0] == 408


def test_a_body_that_never_ends_is_closed(tmp_path: Path) -> None:
    with serving(tmp_path, replace(LIMITS, body_seconds=0.3)) as place, _dial(place) as client:
        client.sendall(
            f"POST /api/games HTTP/1.1\r\nhost: {place[0]}:{place[1]}\r\n"
            "authorization: Bearer secret\r\ncontent-type: application/json\r\n"
            "content-length: 2\r\n\r\n{".encode()
        )
        assert _refusal(_rest(client))[0] == 408


def test_one_address_has_so_many_connections(place: tuple[str, int]) -> None:
    with ExitStack() as stack:
        # Requests that are being answered, so that none ends by itself meanwhile.
        for _ in range(LIMITS.connections):
            client = stack.enter_context(_dial(place))
            client.sendall(
                f"GET /api/health HTTP/1.1\r\nhost: {place[0]}:{place[1]}\r\n\r\n".encode()
            )
            _one_answer(client)
        for _ in range(3):
            status, answer = _ask(place)
            assert status == 429
            assert "6 connections" in answer["error"]
    assert until(lambda: _ask(place)[0] == 200)


def test_open_pages_do_not_count_and_may_be_silent(place: tuple[str, int]) -> None:
    origin: Any = f"http://{place[0]}:{place[1]}"
    _, game = _ask(place, "POST", "/api/games")
    live = f"{origin.replace('http', 'ws', 1)}/api/games/{game['id']}/live"
    with ExitStack() as stack:
        pages = [
            stack.enter_context(connect(live, origin=origin, proxy=None))
            for _ in range(2 * LIMITS.connections)
        ]
        time.sleep(2 * LIMITS.head_seconds)
        assert _ask(place)[0] == 200
        for page in pages:
            page.ping().wait(PATIENCE)


def test_too_many_connections_of_all_are_refused(tmp_path: Path) -> None:
    limits = ServerLimits(connections_in_all=2)
    with serving(tmp_path, limits) as place, _dial(place), _dial(place):
        assert _ask(place)[0] == 503


def test_what_is_no_http_is_answered_in_the_words_of_the_api(place: tuple[str, int]) -> None:
    with _dial(place) as client:
        client.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert _refusal(_rest(client)) == (
            400,
            "this is not a request of HTTP - see /api/openapi.json",
        )
        assert until(lambda: _is_closed(client))


def _is_closed(client: socket.socket) -> bool:
    """Return whether the other side takes nothing any more."""
    try:
        client.sendall(b"more")
    except OSError:
        return True
    return False
