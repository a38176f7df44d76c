"""The sandbox: what is inside, who plays in it, and what happens where there is none."""

import json
import os
import shlex
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.cli import main
from evoply.environment import ForeignProcess, KeeperLimits, Surroundings, sandbox
from evoply.players import Bot, Engine
from programs import needs_bubblewrap
from waiting import PATIENCE

LIMITS = KeeperLimits(cpu=60, memory=2048, processes=16)
PROBLEM = sandbox.sandbox_problem()
NEEDS_SANDBOX = needs_bubblewrap()
LOOKS = """
import os, socket, sys
class Looks:
    def choose(self, game, stream, clock):
        secret, port = open("place").read().split()
        for path in (secret, "/etc/shadow"):
            assert not os.path.exists(path), path
        assert open(os.path.join(os.environ["TMPDIR"], "new"), "w")
        try:
            socket.create_connection(("127.0.0.1", int(port)), 5)
        except OSError:
            return game.position.legal_moves[0]
        raise AssertionError("there is a network")
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder of bots; beside it is a secret, and a socket that listens."""
    monkeypatch.setattr(sandbox, "sandbox_problem", lambda: PROBLEM)
    folder = tmp_path / "bots"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "secret").write_text("secret")
    return folder


@NEEDS_SANDBOX
def test_a_bot_in_the_sandbox_plays_and_finds_nothing_else(places: Path) -> None:
    (places / "looks.py").write_text(LOOKS)
    with socket.create_server(("127.0.0.1", 0)) as server:
        (places / "place").write_text(f"{places.parent / 'secret'} {server.getsockname()[1]}")
        bot = Bot(path="looks.py", move_limit=60.0, limits={"sandbox": "required"})
        result = ep.match(bot, "random", games=2, seed=1, game="othello-4")
        assert result.forfeits == ()
        assert result.players[0]["sandbox"] == "bubblewrap"
        free = ep.match(bot.with_sandbox("off"), "random", games=2, seed=1, game="othello-4")
        assert len(free.forfeits) == 1
        assert free.players[0]["sandbox"] is None
        assert free.to_dict()["players"][0]["sandbox"] is None
    assert bot.identity() == bot.with_sandbox("off").identity()


@NEEDS_SANDBOX
def test_an_engine_in_the_sandbox_reads_its_folder_and_writes_nothing(places: Path) -> None:
    program = places / "program.py"
    program.write_text(
        "import os\n"
        "print(open('place').read(), os.path.exists('../secret'), os.environ['HOME'])\n"
        "for path in ('new', '/new', '/usr/new', os.environ['TMPDIR'] + '/new'):\n"
        "    try: open(path, 'w'); print('wrote', path)\n"
        "    except OSError: print('could not')\n"
    )
    (places / "place").write_text("here")
    command = [sys.executable, "-I", "program.py"]
    process = ForeignProcess(command, LIMITS, surroundings=Surroundings("required"))
    said = [process.line(time.monotonic() + PATIENCE, "late") for _ in range(5)]
    process.end()
    assert said == ["here False /tmp", *["could not"] * 3, "wrote /tmp/new"]
    assert sorted(os.listdir(places)) == ["place", "program.py"]


@NEEDS_SANDBOX
def test_more_folders_can_be_named_and_a_home_is_not_one(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(places))
    words = sandbox.sandboxed(["sh", str(places / "engine")])
    assert str(places) not in words[: words.index("--dir")]
    (places / "engine").write_text("cat ../secret; test -e place || echo unseen")
    (places / "place").write_text("here")
    named = Surroundings("required", readable=(str(places.parent / "secret"),))
    process = ForeignProcess(["sh", "engine"], LIMITS, surroundings=named)
    assert process.line(time.monotonic() + PATIENCE, "late") == "secretunseen"
    process.end()


def test_a_required_sandbox_that_is_missing_is_said_before_anything_is_played(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sandbox, "sandbox_problem", lambda: "there is none")
    (places / "bot.py").write_text(
        "class First:\n    def choose(self, game, stream, clock):\n"
        "        return game.position.legal_moves[0]\n"
    )
    command = ["match", "bot.py", "random", "--games", "2", "--game", "othello-4"]
    assert main([*command, "--sandbox", "required"]) == 2
    assert "--sandbox: it is required, and there is none - install" in capsys.readouterr().err
    for limits in ({"sandbox": "required"},):
        with pytest.raises(ValueError, match="it is required, and there is none"):
            ep.match(Bot(path="bot.py", limits=limits), "random", games=2, game="othello-4")
        engine = Engine(protocol="gtp", command=shlex.join([sys.executable]), limits=limits)
        with pytest.raises(ValueError, match="it is required, and there is none"):
            ep.match(engine, "random", games=2, game="othello-4")
    assert main([*command, "--json"]) == 0
    answer = capsys.readouterr()
    assert json.loads(answer.out)["players"][0]["sandbox"] is None
    assert "bot.py ran without a sandbox" in answer.err
    assert main([*command, "--sandbox", "sometimes"]) == 2
