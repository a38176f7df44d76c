"""Rooms: two people on different devices, others who watch, and nobody who helps."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from web_server import ELSEWHERE, PASSWORD, client, serving, shared

from evoply.web import GameStore
from web_browser import NEEDS_BROWSER, PHONE, opened

ANN, BEN, CEM = ("a" * 32, "b" * 32, "c" * 32)
"""The secrets of three browsers."""


def begun(api: TestClient, **more: Any) -> str:
    """Return the path of a room in which Ann has Black."""
    body = {"room": {"color": "black", "seat": ANN}, **more}
    state = api.post("/api/games", json=body).json()
    assert (state["mine"], state["room"]["taken"]) == ("black", ["black"])
    return f"/api/games/{state['id']}"


def sits(api: TestClient, path: str, secret: str) -> Any:
    return api.post(f"{path}/seat", json={"seat": secret}).json()["mine"]


def plays(api: TestClient, path: str, move: str, secret: str | None) -> Any:
    return api.post(f"{path}/moves", json={"move": move, "seat": secret})


def test_who_comes_first_takes_the_other_side_and_others_watch(tmp_path: Path) -> None:
    with shared(tmp_path) as (here, elsewhere):
        path = begun(here)
        assert "nobody has taken the other side" in plays(here, path, "f5", ANN).json()["error"]
        ben, cem = elsewhere("10.0.0.2"), elsewhere("10.0.0.3")
        code = here.get(path).json()["room"]["code"]
        assert ben.get(f"/api/rooms/{code}").json()["id"] == path.rpartition("/")[2]
        assert sits(ben, path, BEN) == "white"
        assert sits(cem, path, CEM) is None
        assert (sits(ben, path, BEN), sits(here, path, ANN)) == ("white", "black")  # a reload
        for secret in (BEN, CEM, None):
            assert plays(cem, path, "f5", secret).status_code == 403
        asked = {"origin": f"http://{ELSEWHERE}", "host": ELSEWHERE}
        with cem.websocket_connect(f"ws://{ELSEWHERE}{path}/live", headers=asked) as watching:
            told = watching.receive_text()
            assert plays(here, path, "f5", ANN).status_code == 200
            assert watching.receive_json()["moves"][0]["text"] == "f5"
        for secret in (ANN, BEN, CEM):
            assert secret not in told
        assert plays(ben, path, "d6", BEN).status_code == 200
        resign = {"color": "white"}
        for secret in (ANN, CEM):
            answer = cem.post(f"{path}/resign", json={**resign, "seat": secret})
            assert answer.status_code == 403
        over = ben.post(f"{path}/resign", json={**resign, "seat": BEN}).json()
        assert over["winner"] == "black"


def test_nobody_is_helped_before_the_game_is_over(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api, game="othello-4")
        assert sits(api, path, BEN) == "white"
        assert plays(api, path, "b1", ANN).status_code == 200
        asks = {
            "values": {}, "review": {}, "again": {}, "undo": {}, "line": {"ply": 1, "moves": []},
            "choice": {"player": "greedy"}, "xray": {"player": "greedy"},
            "seats": {"white": "greedy"},
        }  # fmt: skip
        for what, body in asks.items():
            answer = api.post(f"{path}/{what}", json=body)
            assert (answer.status_code, answer.json()["error"][:10]) == (409, "two people"), what
        assert len(api.get(path).json()["moves"]) == 1
        api.post(f"{path}/resign", json={"color": "white", "seat": BEN})
        for what in ("values", "review", "xray", "line"):
            assert api.post(f"{path}/{what}", json=asks[what]).status_code == 200, what
        again = api.post(f"{path}/again", json={})
        assert (again.status_code, again.json()["room"]) == (201, None)
        for what in ("undo", "seats"):
            assert api.post(f"{path}/{what}", json=asks[what]).status_code == 409, what


def test_a_room_outlives_its_server(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api)
        sits(api, path, BEN)
        before = plays(api, path, "f5", ANN).json()
    assert not any(secret in _bytes(tmp_path) for secret in (ANN, BEN))
    with client(tmp_path) as api:
        assert api.get(path).json()["moves"] == before["moves"]
        assert api.get(path).json()["room"] == before["room"]
        assert (sits(api, path, CEM), sits(api, path, BEN)) == (None, "white")
        assert plays(api, path, "d6", ANN).status_code == 403
        assert plays(api, path, "d6", BEN).status_code == 200
        row = api.get("/api/games").json()["games"][0]
        assert (row["black_label"], row["white_label"]) == ("Somebody", "Somebody")
        code = before["room"]["code"]
        assert api.delete(path).status_code == 204
        assert api.get(f"/api/rooms/{code}").status_code == 404


def _bytes(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in folder.iterdir())


def test_a_file_without_rooms_gets_them(tmp_path: Path) -> None:
    path = tmp_path / "web-games.db"
    store = GameStore(path)
    store._database.connection.execute("DROP TABLE rooms")
    store.close()
    with client(tmp_path) as api:
        assert sits(api, begun(api), BEN) == "white"


def test_no_clock_runs_before_both_are_there(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        path = begun(api, clock="60")
        waiting = api.get(path).json()
        assert (waiting["running"], waiting["black"]["seconds_left"]) == (None, 60)
        sits(api, path, BEN)
        assert api.get(path).json()["running"] == "black"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"room": {"color": "black", "seat": ANN}, "white": "greedy"}, "room: both sides"),
        ({"room": {"color": "black", "seat": "short"}}, "room.seat"),
        ({"room": {"color": "red", "seat": ANN}}, "room.color"),
    ],
)
def test_what_is_no_room_is_refused(body: dict[str, Any], says: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        answer = api.post("/api/games", json=body)
        assert answer.status_code == 422
        assert says in answer.json()["error"]
        plain = api.post("/api/games", json={}).json()["id"]
        assert api.post(f"/api/games/{plain}/seat", json={"seat": BEN}).status_code == 409
        assert api.get("/api/rooms/zzzzzz").status_code == 404
        assert api.get("/api/rooms/..%2fxyz").status_code in (404, 422)


@NEEDS_BROWSER
def test_two_browsers_play_each_other(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as (host, port):
        address = f"http://{host}:{port}/"
        with opened(browser, address) as ann:
            ann.select_option("#game", "othello-4")
            ann.select_option("#white", "room")
            ann.click("#new .main")
            ann.wait_for_selector("#room-link")
            assert "Waiting for the other player" in ann.inner_text("#status")
            link = ann.get_attribute("#room-link", "href")
            other = browser.new_context(viewport=PHONE)
            try:
                ben = other.new_page()
                ben.goto(link)
                ann.wait_for_selector(".target")
                assert "your turn" in ann.inner_text("#status")
                ann.click(".target >> nth=0")
                ben.wait_for_selector(".target")
                for name in ("undo", "hint", "values", "choice", "xray", "take-over", "review"):
                    assert not ben.is_visible(f"#{name}"), name
                assert "White: you" in ben.inner_text("#side-white")
                assert "Black: another player" in ben.inner_text("#side-black")
                ben.reload()
                ben.click(".target >> nth=0")
                ann.wait_for_selector(".target")
                ann.click("#resign")
                ann.click("dialog .sure")
                ben.wait_for_selector("#hint", state="visible")
                assert "White wins: Black gives up" in ben.inner_text("#status")
                assert ben.is_visible("#analyse")
                assert not ben.is_visible("#rematch")
                assert not ben.is_visible("#room")
            finally:
                other.close()


@NEEDS_BROWSER
def test_a_link_has_the_address_that_others_can_open(browser: Any, tmp_path: Path) -> None:
    """And the moves are there as other programs take them."""
    elsewhere = ("http://10.0.0.1:8000", "http://10.9.0.1:8000")
    moves = "f5d6c3d3c4f4"
    with (
        serving(tmp_path, password=PASSWORD, others=elsewhere) as (host, port),
        opened(browser, f"http://{host}:{port}/#link=othello,{moves}") as page,
    ):
        page.wait_for_selector("#moves li")

        def copied(form: str) -> str:
            page.select_option("#copy", form)
            page.wait_for_function("() => document.getElementById('copy').value === ''")
            page.wait_for_function("() => document.getElementById('copied').value !== ''")
            return str(page.input_value("#copied"))

        assert copied("link") == f"http://10.0.0.1:8000/#link=othello,{moves}"
        assert copied("bare") == moves
        assert copied("numbered") == "1. f5 2. d6 3. c3 4. d3 5. c4 6. f4"
