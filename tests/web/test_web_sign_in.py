"""People on other devices: who is let in, and what belongs to the machine of the server alone."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect
from web_server import ELSEWHERE, HOST, PASSWORD, client, shared, sign_in

from evoply.cli import main
from evoply.environment.addresses import own_addresses
from evoply.web import Rate, ServerLimits

FOR_THE_MACHINE = {
    "GET /api/games",
    "GET /api/games/download",
    "DELETE /api/games/{game}",
    "POST /api/runs",
    "POST /api/runs/{name}/requests",
}
"""What others may not do; all other routes are for everybody who has signed in."""
CHANGING = {
    "POST /api/games",
    "POST /api/class",
    "POST /api/games/check",
    *(
        f"POST /api/games/{{game}}/{what}"
        for what in (
            "moves", "undo", "seat", "seats", "resign", "again", "line", "values", "choice",
            "review", "xray",
        )
    ),
}  # fmt: skip
"""What others may change and ask: games whose ids they know, one and all at their own."""


def operations(client: Any) -> list[tuple[str, str]]:
    """Return method and path of each operation of the API."""
    paths = client.get("/api/openapi.json").json()["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods]


def with_names(path: str) -> str:
    return re.sub(r"{[^}]*}", "0" * 32, path)


def test_every_route_that_changes_something_is_for_somebody_on_purpose(
    tmp_path: Path, home: Path
) -> None:
    fast = Rate(1e6, 1e6)
    with shared(tmp_path, ServerLimits(asked_from_elsewhere=fast)) as (here, elsewhere):
        one = elsewhere()
        closed, changing = set(), set()
        for method, path in operations(here):
            if method == "GET" and not path.startswith("/api/games"):
                continue  # looking at runs and books is for everybody
            answer = one.request(method, with_names(path), json={})
            closed |= {f"{method} {path}"} if answer.status_code == 403 else set()
            changing |= {f"{method} {path}"} if method != "GET" else set()
        assert closed == FOR_THE_MACHINE
        assert changing - closed == CHANGING


def test_everything_is_closed_to_a_stranger(tmp_path: Path) -> None:
    with shared(tmp_path) as (here, elsewhere):
        stranger = elsewhere(is_stranger=True)
        known = [with_names(path) for _, path in operations(here)]
        assert len(known) > 25
        more = ["/", "/api/openapi.json", "/static/app.js", "/static/index.html", "/x"]
        for path in [*known, *more, "/static/../api/health", "/static/look.css/../app.js"]:
            for method in ("GET", "POST"):
                answer = stranger.request(method, path)
                assert answer.status_code == 401, (method, path)
                assert "secret" not in answer.text
        for path in ("/static/look.css", "/static/app.css", "/static/icon.svg"):
            assert stranger.get(path).status_code == 200
        page = stranger.get("/", headers={"accept": "text/html,*/*"})
        assert page.status_code == 401
        assert 'type="password"' in page.text
        assert "secret" not in page.text
        live = f"ws://{ELSEWHERE}/api/games/{'0' * 32}/live"
        asked = {"origin": f"http://{ELSEWHERE}", "host": ELSEWHERE}
        with pytest.raises(WebSocketDisconnect), stranger.websocket_connect(live, headers=asked):
            pass


def test_the_right_word_begins_a_session(tmp_path: Path) -> None:
    with shared(tmp_path) as (here, elsewhere):
        one = elsewhere(is_stranger=True)
        wrong = sign_in(one, "a long wort")
        assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
        assert "This is not the password" in wrong.text
        right = sign_in(one, f" {PASSWORD} ")  # phones add a blank
        assert (right.status_code, right.headers["location"]) == (303, "/")
        assert re.fullmatch(
            r"evoply-session=[\w-]{43}; HttpOnly; Path=/; SameSite=strict",
            right.headers["set-cookie"],
        )
        assert 'name="evoply-place" content="elsewhere"' in one.get("/").text
        assert 'name="evoply-place" content="machine"' in here.get("/").text
        game = one.post("/api/games", json={}).json()
        path = f"/api/games/{game['id']}"
        assert one.post(f"{path}/moves", json={"move": "f5"}).status_code == 200
        asked = {"origin": f"http://{ELSEWHERE}", "host": ELSEWHERE}
        with one.websocket_connect(f"ws://{ELSEWHERE}{path}/live", headers=asked) as socket:
            assert socket.receive_json()["id"] == game["id"]
        other = elsewhere(is_stranger=True)
        other.cookies.set("evoply-session", "x" * 43)
        assert other.get("/api/health").status_code == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/games"),
        ("GET", "/api/games/download"),
        ("DELETE", "/api/games/{game}"),
        ("POST", "/api/runs"),
        ("POST", "/api/runs/first/requests"),
    ],
)
def test_what_belongs_to_the_machine_is_refused_elsewhere(
    method: str, path: str, tmp_path: Path, home: Path
) -> None:
    with shared(tmp_path) as (here, elsewhere):
        game = here.post("/api/games", json={}).json()["id"]
        body = {"preset": "quick", "name": "r"}
        answer = elsewhere().request(method, path.format(game=game), json=body)
        assert answer.status_code == 403
        assert "machine" in answer.json()["error"]
        assert here.get(f"/api/games/{game}").status_code == 200
    assert not (home / "r").exists()


def test_what_a_proxy_of_this_machine_passes_on_is_from_elsewhere(tmp_path: Path) -> None:
    with shared(tmp_path) as (here, _):
        assert here.get("/api/games").status_code == 200
        for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip"):
            assert here.get("/api/games", headers={name: "10.0.0.9"}).status_code == 401


def test_the_token_alone_opens_nothing_elsewhere(tmp_path: Path) -> None:
    with shared(tmp_path) as (_, elsewhere):
        answer = elsewhere(is_stranger=True).post(
            "/api/games", json={}, headers={"authorization": "Bearer secret"}
        )
        assert answer.status_code == 401
        one = elsewhere()
        assert one.post("/api/games", json={}, headers={"authorization": ""}).status_code == 401
        assert one.post("/api/games", json={}).status_code == 201


def test_other_names_and_sites_are_refused_elsewhere_too(tmp_path: Path) -> None:
    with shared(tmp_path) as (_, elsewhere):
        one = elsewhere()
        for host in ("evil.example:8000", "10.0.0.1", "10.0.0.3:8000", "0.0.0.0:8000"):
            answer = one.get("/api/health", headers={"host": host})
            assert answer.status_code == 400
            assert ELSEWHERE in answer.json()["error"]
        for origin in ("null", "http://evil.example", f"http://{HOST}"):
            assert one.get("/api/rules", headers={"origin": origin}).status_code == 403
            form = {"content-type": "application/x-www-form-urlencoded", "origin": origin}
            answer = one.post("/", content=f"password={PASSWORD}", headers=form)
            assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
        assert f"ws://{ELSEWHERE};" in one.get("/").headers["content-security-policy"]


def test_a_server_without_a_password_knows_no_other_address(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        api.base_url = f"http://{ELSEWHERE}"
        assert api.get("/api/health").status_code == 400


def test_the_usual_port_may_be_left_out(tmp_path: Path) -> None:
    with shared(tmp_path) as (_, elsewhere):
        one = elsewhere(is_stranger=True)
        one.base_url = "http://10.0.0.1:80"
        asked = {"host": "10.0.0.1", "origin": "http://10.0.0.1"}
        assert one.get("/static/look.css", headers=asked).status_code == 200


def test_words_are_limited_for_each_address(tmp_path: Path) -> None:
    with shared(tmp_path, ServerLimits(words=Rate(0.001, 3))) as (_, elsewhere):
        guessing = elsewhere(is_stranger=True)
        codes = [sign_in(guessing, f"word {number}").status_code for number in range(4)]
        assert codes == [401] * 3 + [429]
        # The right one is no way to find out what was right.
        assert sign_in(guessing).status_code == 429
        assert elsewhere("10.0.0.3").get("/api/health").status_code == 200
        long = {"content-type": "application/x-www-form-urlencoded"}
        answer = guessing.post("/", content=b"password=" + b"x" * 5000, headers=long)
        assert answer.status_code == 413


def test_sessions_are_bounded(tmp_path: Path) -> None:
    with shared(tmp_path, ServerLimits(sessions=2)) as (_, elsewhere):
        first, second = elsewhere(), elsewhere()
        assert first.get("/api/health").status_code == 200
        third = elsewhere()
        codes = [one.get("/api/health").status_code for one in (first, second, third)]
        assert codes == [200, 401, 200]


def test_an_address_elsewhere_leaves_room_for_others(tmp_path: Path) -> None:
    with shared(tmp_path, ServerLimits(asked_from_elsewhere=Rate(0.001, 2))) as (here, elsewhere):
        one, other = elsewhere(), elsewhere("10.0.0.3")
        codes = [one.post("/api/games", json={}).status_code for _ in range(3)]
        assert codes == [201, 201, 429]
        assert one.get("/api/rules").status_code == 200
        assert other.post("/api/games", json={}).status_code == 201
        assert [here.post("/api/games", json={}).status_code for _ in range(3)] == [201] * 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--host", "0.0.0.0"], "--password: is missing"),
        (["--host", "::"], "--password: is missing"),
        (["--host", "192.0.2.7"], "--password: is missing"),
        (["--host", "0.0.0.0", "--password", "short"], "--password: give at least 8"),
        (["--host", "my-machine", "--password", PASSWORD], "--host: 'my-machine' is no address"),
        (["--host", "192.0.2.77", "--password", PASSWORD], "--host: 192.0.2.77 is no address of"),
    ],
)
def test_nobody_else_is_served_without_a_password(
    words: list[str], says: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.delenv("EVOPLY_PASSWORD", raising=False)
    assert main(["web", "--no-browser", "--port", "0", *words]) == 2
    assert says in capsys.readouterr().err


def test_own_addresses_are_those_of_this_machine() -> None:
    for address in own_addresses("0.0.0.0"):
        assert not address.startswith(("127.", "169.254."))
        with socket.socket() as one:
            one.bind((address, 0))  # it would not be possible for another machine's
