"""A class hands in bots: who may, what is kept, and that nothing of it is run."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from web_server import client, serving, shared

from evoply.cli import main
from evoply.web import Rate, ServerLimits
from web_browser import NEEDS_BROWSER, PHONE, nothing_keeps_anybody_out, opened

BOT = (
    b"class Bot:\n    def choose(self, game, stream, clock):\n        return game.legal_moves[0]\n"
)


def hand_in(api: TestClient, name: str, source: bytes = BOT, code: str = "") -> Any:
    body = {"name": name, "source": b64encode(source).decode(), "code": code}
    return api.post("/api/class", json=body)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Give the folder of a class."""
    folder = tmp_path / "class"
    folder.mkdir()
    return folder


def test_a_name_belongs_to_whoever_handed_it_in_first(tmp_path: Path, course: Path) -> None:
    with shared(tmp_path, class_folder=course) as (here, elsewhere):
        ada, ben = elsewhere("10.0.0.2"), elsewhere("10.0.0.3")
        first = hand_in(ada, "Ada")
        assert first.status_code == 201
        code = first.json()["code"]
        assert len(code) == 8
        assert (course / "Ada.py").read_bytes() == BOT
        for name, given in (("Ada", ""), ("Ada", "wrong"), ("ada", ""), ("ADA", code)):
            answer = hand_in(ben, name, b"pass\n", given)
            assert (answer.status_code, answer.json()["error"][:6]) == (409, "name: "), name
        assert (course / "Ada.py").read_bytes() == BOT
        again = hand_in(ben, "Ada", BOT + b"\n", code)  # she sits elsewhere now
        assert (again.status_code, again.json()["code"]) == (201, "")
        assert (course / "Ada.py").read_bytes() == BOT + b"\n"
        shown = here.get("/api/class").json()
        assert [bot["name"] for bot in shown["bots"]] == ["Ada"]
        assert code not in json.dumps(shown) + (course / "hand-ins.json").read_text()
        assert sorted(path.name for path in course.iterdir()) == ["Ada.py", "hand-ins.json"]
    with client(tmp_path, class_folder=course) as api:  # after a restart
        assert hand_in(api, "Ada", code="no").status_code == 409
        assert hand_in(api, "Ada", code=code).status_code == 201
        (course / "Ada.py").unlink()  # so the teacher gives a name free
        assert api.get("/api/class").json()["bots"] == []
        assert hand_in(api, "Ada").json()["code"] not in ("", code)


def test_files_of_the_teacher_belong_to_nobody_else(tmp_path: Path, course: Path) -> None:
    (course / "starter.py").write_bytes(b"mine\n")
    outside = tmp_path / "outside.txt"
    outside.write_text("untouched")
    (course / "link.py").symlink_to(outside)
    with client(tmp_path, class_folder=course) as api:
        for name in ("starter", "link", "Starter"):
            assert hand_in(api, name).status_code == 409
        for name in ("random", "Json", "numpy", "evoply", "Index"):
            answer = hand_in(api, name)
            assert (answer.status_code, "uses itself" in answer.json()["error"]) == (422, True)
    assert (course / "starter.py").read_bytes() == b"mine\n"
    assert outside.read_text() == "untouched"


@pytest.mark.parametrize(
    "name", ["", "a" * 31, "../x", "a/b", "a.b", "é", "a b", ".a", "a\n", "a\x00", "-é"]
)
def test_only_plain_names_are_taken(name: str, tmp_path: Path, course: Path) -> None:
    with client(tmp_path, class_folder=course) as api:
        assert hand_in(api, name).status_code == 422
        assert list(course.iterdir()) == []
        assert not (tmp_path / "x.py").exists()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"class Bot:\n    def choose(self:\n        pass\n", "source: line 2: "),
        (b"x = 1\n  y = 2\n", "source: line 2: unexpected indent"),
        (b"x = \x00", "source: "),
        (b"\xff\xfe", "source: "),
        (b"-" * 200_000 + b"1", "source: it is nested too deep"),
        (b"x = 1\n" * 50_000, "source: has 300,000 bytes - at most 262,144"),
    ],
)
def test_a_file_that_is_no_python_is_refused_with_its_line(
    source: bytes, says: str, tmp_path: Path, course: Path
) -> None:
    with client(tmp_path, class_folder=course) as api:
        answer = hand_in(api, "Ada", source)
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(says)
        assert list(course.iterdir()) == []


def test_what_is_handed_in_is_never_run(tmp_path: Path, course: Path) -> None:
    mark = tmp_path / "mark"
    evil = f"""# -*- coding: utf-8 -*-
open({str(mark)!r}, "w").close()
@open({str(mark)!r}, "w").write
class Bot(metaclass=open({str(mark)!r}, "w").close()):
    x = open({str(mark)!r}, "w")
""".encode()
    with client(tmp_path, class_folder=course) as api:
        assert hand_in(api, "Eve", evil).status_code == 201
        for name in ("sitecustomize", "ast", "encodings"):  # what the parser itself would import
            hand_in(api, name, evil)
        assert api.get("/api/class").status_code == 200
        assert hand_in(api, "Bob").status_code == 201
    assert (course / "Eve.py").read_bytes() == evil
    assert not mark.exists()


def test_results_are_pages_of_a_strict_name_without_scripts(tmp_path: Path, course: Path) -> None:
    results = course / "results"
    results.mkdir()
    (results / "index.html").write_text("<title>Class</title><a href=Ada.html>Ada</a>")
    (results / "Ada.html").write_text("<title>Ada</title>")
    (results / "x.txt").write_text("secret")
    (course / "hidden.html").write_text("secret")
    (results / "out.html").symlink_to(course / "hidden.html")
    with client(tmp_path, class_folder=course) as api:
        hand_in(api, "Ada")
        shown = api.get("/api/class").json()
        assert (shown["has_results"], shown["bots"][0]["has_result"]) == (True, True)
        page = api.get("/class/results/index.html")
        assert "Class" in page.text
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script" not in policy
        for name in ("x.txt", "out.html", "no.html", "..%2fhidden.html", "../hidden.html", ".html"):
            answer = api.get(f"/class/results/{name}")
            assert answer.status_code in (404, 422), name
            assert "secret" not in answer.text


def test_without_a_class_there_is_none(tmp_path: Path, home: Path, capsys: Any) -> None:
    with client(tmp_path) as api:
        assert api.get("/api/class").status_code == 404
        assert hand_in(api, "Ada").status_code == 404
        assert 'name="evoply-class" content=""' in api.get("/").text
    assert main(["web", "--class", str(tmp_path / "nowhere"), "--no-browser"]) == 2
    assert "--class: " in capsys.readouterr().err


def test_a_folder_has_its_limits_and_may_be_damaged(tmp_path: Path, course: Path) -> None:
    limits = ServerLimits(hand_ins=1, asked_from_elsewhere=Rate(1e6, 1e6))
    with client(tmp_path, limits, class_folder=course) as api:
        assert [hand_in(api, name).status_code for name in ("Ada", "Ben")] == [201, 429]
        (course / "hand-ins.json").write_text("{")
        answer = hand_in(api, "Ada")
        assert (answer.status_code, "hand-ins.json" in answer.json()["error"]) == (409, True)


@NEEDS_BROWSER
def test_a_bot_is_handed_in_on_a_phone(browser: Any, tmp_path: Path, course: Path) -> None:
    with (
        serving(tmp_path, class_folder=course) as (host, port),
        opened(browser, f"http://{host}:{port}/#class", "#class-name", viewport=PHONE) as page,
    ):
        (course / "results").mkdir()
        (course / "results" / "index.html").write_text("<title>All</title><a href=Ada.html>Ada</a>")
        (course / "results" / "Ada.html").write_text("<title>Ada</title>")
        page.fill("#class-name", "Ada")
        page.set_input_files(
            "#class-file", {"name": "ada.py", "mimeType": "text/plain", "buffer": b"def f(:\n"}
        )
        page.click("#view-class button.main")
        page.wait_for_selector("#class-file[aria-invalid]")
        assert page.inner_text("#class-note").startswith("ada.py: line 1: ")
        page.set_input_files(
            "#class-file", {"name": "ada.py", "mimeType": "text/plain", "buffer": BOT}
        )
        page.click("#view-class button.main")
        page.wait_for_selector("#class-results")
        assert "Its code is " in page.inner_text("#class-note")
        page.click("#view-class button.main")  # the browser knows the code
        page.wait_for_function(
            "() => /again/.test(document.getElementById('class-note').textContent)"
        )
        assert (course / "Ada.py").read_bytes() == BOT
        nothing_keeps_anybody_out(page, PHONE["width"])
        page.click("#class-results")
        page.click("text=Ada")
        page.wait_for_function("() => document.title === 'Ada'")
