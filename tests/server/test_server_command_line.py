"""Wrong use of the commands in one sentence each, what terminals show, passwords."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from server_commands import Rememberer, ended, listening, said, started

from evoply.cli import main
from evoply.players import parse_player
from evoply.server import Joining
from waiting import PATIENCE

pytestmark = pytest.mark.timeout(400)  # processes of Python start slowly on a loaded machine


def wrong(*arguments: str, says: str, code: int = 2) -> Any:
    return pytest.param(arguments, says, code, id=" ".join(arguments)[:60])


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        wrong("serve", "--clock", "soon", says="clock: 'soon' is not a time"),
        wrong("serve", "--clock", "0", says="clock"),
        wrong("serve", "--game", "chess", says="chess"),
        wrong("serve", "--games", "3", says="games: 3"),
        wrong("serve", "--players", "1", says="players: 1"),
        wrong("serve", "--openings", "-1", says="--openings"),
        wrong("serve", "--port", "70000", says="--port"),
        wrong("serve", "--password", "short", says="--password: give at least 8"),
        wrong("serve", "--resume", "x.db", says="x.db: there is no such file", code=1),
        wrong("serve", "--resume", "x.db", "--clock", "5", says="--clock: a tournament goes on"),
        wrong("serve", "--file", "no/x.db", says="no/x.db", code=1),
        wrong("serve", "--html", "no/x.html", says="no/x.html"),
        wrong("serve", "--host", "no.such.host.invalid", says="no.such.host.invalid", code=1),
        wrong("join", "nowhere", "--player", "greedy", says="write HOST:PORT"),
        wrong("join", "localhost:1", says="--player"),
        wrong("join", "localhost:1", "--player", "greedy", says="localhost:1: ", code=1),
        wrong("watch", "localhost:1", says="localhost:1: ", code=1),
        wrong("watch", "localhost:0", says="write HOST:PORT"),
    ],
)
def test_a_mistake_is_one_message(
    arguments: tuple[str, ...],
    says: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*arguments]) == code
    captured = capsys.readouterr()
    assert says in " ".join(captured.err.split())
    assert "Traceback" not in captured.err


def test_a_file_goes_before_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["match", "greedy", "random", "--games", "2", "--save-games", "localhost:1"]
    assert main([*arguments, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["watch", "localhost:1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["games"]) == 2


def test_games_are_shown_in_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs terminals of Unix")
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "50"}
    arguments = ("serve", "--port", "0", "--games", "2", "--game", "othello-10", "--json")
    with started(*arguments, cwd=tmp_path) as server:
        port = listening(server)
        watching = subprocess.Popen(
            [sys.executable, "-m", "evoply", "watch", f"localhost:{port}"],
            stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, env=environment,
        )  # fmt: skip
        os.close(follower)
        said(server, "somebody is watching")
        is_seen = threading.Event()  # a picture is drawn a few times a second
        players = [Rememberer(port, name, is_seen) for name in ("one", "other")]
        threads = [threading.Thread(target=player.play, args=(10_000,)) for player in players]
        for thread in threads:
            thread.start()
            said(server, "joined")
        seen = b""
        with suppress(OSError):  # how a terminal ends
            while data := os.read(leader, 65536):
                seen += data
                if re.search(rb"1[45]\d\.\d s", seen):
                    is_seen.set()
        for thread in threads:
            thread.join()
        assert watching.wait(timeout=PATIENCE) == 0
        ended(server)
    os.close(leader)
    text = seen.decode(errors="replace")
    for part in ("Game 0", "Black: one", "Game 1: other (Black)"):
        assert part in text
    assert re.search(r"1[45]\d\.\d s", text)
    assert text.count("Moves: ") == 2


def test_elsewhere_a_password_is_made_and_shown(tmp_path: Path) -> None:
    with started("serve", "--host", "0.0.0.0", "--port", "0", "--json", cwd=tmp_path) as server:
        first = server.stderr.readline()
        assert first.startswith("Password for those who join: ")
        password = first.split()[-1]
        port = listening(server)
        address = ("127.0.0.1", port)
        wrong_one = Joining(parse_player("random", game="othello"), *address, password="x" * 10)
        with pytest.raises(ValueError, match="this is not the password"):
            asyncio.run(wrong_one.run())
        with started("join", f"localhost:{port}", "--player", "random", cwd=tmp_path) as asked:
            _, err = asked.communicate(timeout=PATIENCE)
            assert asked.returncode == 2
            assert "a password is needed" in err
        join = ("join", f"localhost:{port}", "--player", "random", "--password", password)
        with started(*join, cwd=tmp_path) as joined:
            assert joined.stdout.readline().startswith("joined as random")
