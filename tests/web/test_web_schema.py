"""What the API says of itself holds for requests of any kind; nobody keeps others from playing."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web_server import client, serving

from evoply.web import GameStore, Rate, ServerLimits, Stored
from waiting import PATIENCE, until

MANY = ServerLimits(requests=Rate(1e6, 1e6), begun=Rate(1e6, 1e6), changes=Rate(1e6, 1e6))
BEGINS_PROCESSES = {("POST", "/api/runs"), ("POST", "/api/runs/{name}/requests")}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOPLY_RUNS", str(folder))
        with client(folder, MANY) as one:
            yield one


def test_every_answer_is_one_that_the_schema_knows(api: Any) -> None:
    schemathesis = pytest.importorskip("schemathesis")
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    schema = schemathesis.openapi.from_dict(api.get("/api/openapi.json").json())
    operations = [found.ok() for found in schema.get_all_operations()]
    operations = [
        one for one in operations if (one.method.upper(), one.path) not in BEGINS_PROCESSES
    ]
    assert len(operations) > 10
    game = api.post("/api/games", json={}).json()["id"]
    checks = (
        not_a_server_error, status_code_conformance, content_type_conformance,
        response_schema_conformance,
    )  # fmt: skip

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def ask(data: Any) -> None:
        operation = data.draw(st.sampled_from(operations))
        case = data.draw(operation.as_strategy())
        if "game" in (case.path_parameters or {}) and data.draw(st.booleans()):
            case.path_parameters["game"] = game
        asked = case.as_transport_kwargs(base_url="http://127.0.0.1:8000")
        answer = api.request(
            asked["method"],
            asked["url"],
            params=asked.get("params"),
            json=asked.get("json"),
        )
        case.validate_response(answer, checks=checks)

    ask()


JUNK = (
    b"",
    b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n",
    b"GET /" + b"x" * 60_000 + b" HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    b"POST /api/games HTTP/1.1\r\nhost: {host}\r\ncontent-length: 99999\r\n\r\n{}",
    b"POST /api/games HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n\r\nffffffff\r\n",
    b"GET /api/games HTTP/1.1\r\nhost: {host}\r\nhost: {host}\r\n\r\n",
    b"GET /api/games/{game}/live HTTP/1.1\r\nhost: {host}\r\nupgrade: websocket\r\n"
    b"connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n"
    b"origin: http://{host}\r\n\r\n" + b"\xff" * 5000,
)


def test_games_go_on_while_others_flood_the_server_with_junk(tmp_path: Path) -> None:
    import httpx2

    with serving(tmp_path) as place:
        host = f"{place[0]}:{place[1]}"
        headers = {"authorization": "Bearer secret"}
        is_over = threading.Event()
        sent = [0, 0, 0]

        def flood(which: int) -> None:
            number = which
            while not is_over.is_set():
                number += 1
                junk = JUNK[number % len(JUNK)].replace(b"{host}", host.encode())
                with (
                    suppress(OSError),
                    socket.create_connection(place) as one,
                ):
                    one.settimeout(0.05)
                    one.sendall(junk.replace(b"{game}", b"0" * 32))
                    with suppress(TimeoutError):
                        one.recv(1000)
                sent[which] += 1

        floods = [threading.Thread(target=flood, args=(which,)) for which in range(len(sent))]
        with httpx2.Client(base_url=f"http://{host}", headers=headers, timeout=PATIENCE) as api:
            for one in floods:
                one.start()
            try:
                asked = {"game": "othello-6", "white": "greedy", "seed": 1}
                path = f"/api/games/{api.post('/api/games', json=asked).json()['id']}"
                for ply in range(0, 12, 2):
                    state = until(
                        lambda: (
                            (s := api.get(path).json())["turn"] == "black"
                            and not s["is_thinking"]
                            and s
                        )
                    )
                    assert len(state["moves"]) >= ply
                    move = {"move": state["legal"][0]["text"]}
                    echo = api.post(f"{path}/moves", json=move)
                    assert echo.status_code == 200, echo.text
            finally:
                is_over.set()
                for one in floods:
                    one.join()
            assert min(sent) > 5
            assert api.get("/api/health").json()["status"] == "ok"


def test_changes_that_come_at_once_are_all_on_disk(tmp_path: Path) -> None:
    async def write() -> None:
        store = GameStore(tmp_path / "games.db")
        games = [
            Stored(f"{number:032x}", "2026", "othello", "", "person", "person", None, 1.0, number)
            for number in range(40)
        ]
        await asyncio.gather(*(store.begin(game) for game in games))
        wanted = [store.go_on(game.id, 0, [("f5", None, None)]) for game in games]
        cancelled = asyncio.ensure_future(store.seat(games[0].id, "x", "y"))
        cancelled.cancel()
        await asyncio.gather(*wanted, return_exceptions=False)
        store.close()

    async def read() -> list[Any]:
        store = GameStore(tmp_path / "games.db")
        found = [await store.read(f"{number:032x}") for number in range(40)]
        store.close()
        return found

    asyncio.run(write())
    found = asyncio.run(read())
    assert [one.seed for one in found] == list(range(40))
    assert {one.moves for one in found} == {(("f5", None, None),)}
    assert found[0].black == "person"


def test_a_text_that_cannot_be_stored_is_no_damage_of_the_file(tmp_path: Path) -> None:
    async def write() -> None:
        store = GameStore(tmp_path / "games.db")
        odd = Stored("0" * 32, "2026", "othello", "", "\ud800", "person", None, 1.0, 1)
        with pytest.raises(UnicodeEncodeError):
            await store.begin(odd)
        await store.begin(replace(odd, black="person"))
        store.close()

    asyncio.run(write())
