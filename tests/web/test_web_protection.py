"""Who is let in, and how much may be asked for."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect
from web_server import HOST, client

from evoply.web import Rate, ServerLimits
from evoply.web.limits import RateLimiter


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8001", "127.0.0.1:8000.evil"]
)
def test_other_hosts_are_refused(host: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for path in ("/", "/api/health", "/static/app.js"):
            answer = api.get(path, headers={"host": host})
            assert answer.status_code == 400
            assert "Host" in answer.json()["error"]
        assert api.get("/api/health").status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://{HOST}", f"http://{HOST}.evil", "http://127.0.0.1"],
)
def test_other_origins_are_refused(origin: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        headers = {"origin": origin}
        assert api.post("/api/games", json={}, headers=headers).status_code == 403
        assert api.get("/api/rules", headers=headers).status_code == 403
        game = api.post("/api/games", json={}, headers={"origin": f"http://{HOST}"})
        assert game.status_code == 201
        live = f"/api/games/{game.json()['id']}/live"
        headers |= {"host": HOST}
        with pytest.raises(WebSocketDisconnect), api.websocket_connect(live, headers=headers):
            pass


@pytest.mark.parametrize("given", ["", "Bearer wrong"])
def test_a_web_socket_without_origin_needs_the_token(given: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        live = f"/api/games/{api.post('/api/games', json={}).json()['id']}/live"
        headers = {"host": HOST, "authorization": given}
        with pytest.raises(WebSocketDisconnect), api.websocket_connect(live, headers=headers):
            pass
        for proof in ({"authorization": "Bearer secret"}, {"origin": f"http://{HOST}"}):
            with api.websocket_connect(live, headers=headers | proof) as socket:
                assert socket.receive_json()


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Bearer secre", "Basic secret"])
def test_what_changes_something_needs_the_token(given: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        game = api.post("/api/games", json={}).json()["id"]
        headers = {"authorization": given}
        for path in ("", f"/{game}/moves", f"/{game}/undo", f"/{game}/seats", f"/{game}/values"):
            answer = api.post(f"/api/games{path}", json={}, headers=headers)
            assert answer.status_code == 401
        assert len(api.get("/api/games").json()["games"]) == 1
        assert api.get("/", headers=headers).status_code == 200


def test_every_answer_has_a_strict_policy(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        for path in ("/", "/api/health", "/static/app.js", "/nothing"):
            headers = api.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        page = api.get("/").text
        assert "<script>" not in page
        assert "style=" not in page
        assert "onclick" not in page


def test_no_script_makes_markup_of_a_text() -> None:
    """A name from elsewhere stays a text, and a policy is never all that keeps it from running."""
    scripts = [*(files("evoply.web") / "static").glob("*.js")]
    assert len(scripts) > 20
    makes_markup = re.compile(
        r"(inner|outer)HTML|insertAdjacentHTML|setHTML|document\.write|createContextualFragment"
        r"|\beval\(|new Function"
    )
    for script in scripts:
        assert not makes_markup.search(script.read_text()), script.name


def test_bodies_are_bounded_and_plain(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        large = json.dumps({"position": "x" * 200_000})
        assert api.post("/api/games", content=large).status_code == 413

        def pieces():  # type: ignore[no-untyped-def]
            yield from [b"x" * 50_000] * 4

        assert api.post("/api/games", content=pieces()).status_code == 413
        zipped = {"content-encoding": "gzip"}
        assert api.post("/api/games", content=b"{}", headers=zipped).status_code == 415
        plain = {"content-type": "text/plain"}
        assert api.post("/api/games", content=b"{}", headers=plain).status_code == 415
        for wrong in (b"", b"{", b"[" * 60_000, b"1" * 60_000, b"\xff\xfe", b"null"):
            answer = api.post("/api/games", content=wrong)
            assert 400 <= answer.status_code < 500
            assert answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "body: this is not JSON"),
        (b'{"black": ' + b"[" * 60_000 + b"]" * 60_000 + b"}", "body: has lists or objects too"),
        (b'{"a": ' * 10_000 + b"1" + b"}" * 10_000, "body: has lists or objects too deep"),
        (b'{"seed": ' + b"1" * 120_000 + b"}", "body: has a number with too many digits"),
        (b'{"seed": "\xff"}', "body: is not UTF-8"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_in_words(
    body: bytes, message: str, tmp_path: Path
) -> None:
    with client(tmp_path) as api:
        for path in ("/api/games", "/api/runs"):
            answer = api.post(path, content=body)
            assert answer.status_code == 422
            assert answer.json()["error"].startswith(message)


def test_what_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        answer = api.get("/api/nothing")
        assert (answer.status_code, answer.json()) == (
            404,
            {"error": "GET /api/nothing: not found - see /api/openapi.json"},
        )
        answer = api.delete("/api/games")
        assert answer.status_code == 405
        assert answer.json()["error"].startswith("DELETE /api/games: method not allowed - ")


@pytest.mark.parametrize("failure", [RecursionError("deep"), OSError(28, "full"), KeyError("x")])
def test_a_failure_of_the_server_is_an_answer_without_a_traceback(
    failure: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("evoply.web.run_views.list_runs", fail)
    with client(tmp_path, raises=False) as api:
        answer = api.get("/api/runs")
        assert answer.status_code == 500
        assert type(failure).__name__ in answer.json()["error"]
        assert "Traceback" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("player", "word"),
    [
        ("material:depth=99", "depth"),
        ("material:depth=21", "at most 20"),
        ("online:population=1000,generations=99,games=10", "at most 100,000"),
    ],
)
def test_players_that_ask_for_too_much_get_the_limit(
    player: str, word: str, tmp_path: Path
) -> None:
    with client(tmp_path) as api:
        answer = api.post("/api/games", json={"white": player})
        assert answer.status_code == 422
        assert word in answer.json()["error"]


@pytest.mark.parametrize(
    "player",
    ["/etc/passwd.json", "bot.py", "engine:gtp:touch /tmp/x", "champion@/etc", "champion@.."],
)
def test_no_text_names_a_file_or_a_program(player: str, tmp_path: Path) -> None:
    with client(tmp_path) as api:
        answer = api.post("/api/games", json={"white": player})
        assert answer.status_code == 422
        game = api.post("/api/games", json={}).json()["id"]
        assert api.post(f"/api/games/{game}/values", json={"player": player}).status_code == 422
        assert api.post(f"/api/games/{game}/seats", json={"white": player}).status_code == 422


def test_a_flood_is_slowed_down_and_others_are_answered(tmp_path: Path) -> None:
    limits = ServerLimits(requests=Rate(1000, 1000), begun=Rate(0.001, 5), changes=Rate(0.001, 3))
    with client(tmp_path, limits) as api:
        begun = [api.post("/api/games", json={}) for _ in range(8)]
        assert [one.status_code for one in begun] == [201] * 5 + [429] * 3
        one, other = begun[0].json()["id"], begun[1].json()["id"]
        codes = [api.post(f"/api/games/{one}/undo", json={}).status_code for _ in range(6)]
        assert codes == [409] * 3 + [429] * 3
        answer = api.post(f"/api/games/{other}/moves", json={"move": "f5"})
        assert answer.status_code == 200
    few = ServerLimits(requests=Rate(0.001, 4))
    with client(tmp_path, few) as api:
        codes = [api.get("/api/health").status_code for _ in range(6)]
        assert codes == [200] * 4 + [429] * 2


def test_ids_cannot_be_found_by_trying(tmp_path: Path) -> None:
    with client(tmp_path) as api:
        games = [api.post("/api/games", json={}).json()["id"] for _ in range(20)]
        assert len(set(games)) == 20
        assert all(len(bytes.fromhex(game)) == 16 for game in games)
        for wrong in ("0" * 32, "1", "..%2f..", "A" * 32, "%00"):
            assert api.get(f"/api/games/{wrong}").status_code in (404, 422)


@example([3.0, *[0.0] * 20], 5.0, 1.0)
@given(st.lists(st.floats(0, 3), max_size=60), st.floats(0.5, 5), st.floats(1, 10))
def test_the_rate_is_never_more_than_it_says(
    gaps: list[float], each_second: float, burst: float
) -> None:
    """However long somebody was away before."""
    at = [0.0]
    limiter = RateLimiter(Rate(each_second, burst), now=lambda: at[0])
    let_in: list[float] = []
    for gap in gaps:
        at[0] += gap
        if limiter.seconds_to_wait("who") == 0:
            let_in.append(at[0])
            for count, since in enumerate(reversed(let_in), 1):
                assert count <= burst + (at[0] - since) * each_second + 1e-6
