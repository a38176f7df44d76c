"""Commands of the server as processes, and a player that remembers what it was told."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from evoply import Stream
from waiting import PATIENCE


@contextmanager
def started(*arguments: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    """Give a running command; afterwards it has ended."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "evoply", *arguments],
        cwd=cwd,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def listening(process: "subprocess.Popen[str]") -> int:
    """Return the port of a server that was started with --json, as soon as it listens."""
    return int(said(process, "listening on ").rpartition(":")[2])


def said(process: "subprocess.Popen[str]", text: str) -> str:
    """Wait for the line with *text* among what a command says beside its JSON; return it."""
    assert process.stderr is not None
    lines = []
    while line := process.stderr.readline():
        lines.append(line)
        if text in line:
            return line
    raise AssertionError(lines)


def ended(process: "subprocess.Popen[str]") -> tuple[dict[str, Any], str]:
    """Return the one JSON object of a command that succeeds, and what it said beside."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    result: dict[str, Any] = json.loads(out)
    return result, err


class Rememberer:
    """A player over a plain socket that knows every move it was told of, by game."""

    def __init__(self, port: int, name: str, may_move: threading.Event | None = None) -> None:
        self.port = port
        if may_move is None:
            may_move = threading.Event()
            may_move.set()
        self.may_move = may_move
        """What it waits for before each of its moves."""
        self.name = name
        self.token: str | None = None
        self.moves: dict[int, list[str]] = {}
        self.stream = Stream(1, "rememberer")
        self.is_over = False

    def play(self, most: int) -> None:
        """Play until so many moves of our own were acknowledged, or all is over or lost."""
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)) as wire:
            lines = wire.makefile("rw", newline="\n")
            hello = f"HELLO evoply 1 {self.name}" if self.token is None else f"BACK {self.token}"
            print(hello, file=lines, flush=True)
            asked: dict[int, str] = {}
            told: dict[int, list[str]] = {}
            for line in lines:
                word, *rest = line.split()
                if word == "WELCOME":
                    self.token = rest[1]
                elif word == "COLOR":
                    told[int(rest[0])] = []
                elif word in ("MOVE", "PASS"):
                    game = int(rest[0])
                    told[game].append(rest[1] if word == "MOVE" else "pass")
                    if len(told[game]) > len(self.moves.get(game, [])):
                        self.moves[game] = list(told[game])
                        if asked.pop(game, None) == told[game][-1]:
                            most -= 1
                elif word == "TURN":
                    assert self.may_move.wait(PATIENCE)
                    if most <= 0:
                        return
                    # All that we were told before is told again, and nothing else.
                    game = int(rest[0])
                    assert told[game] == self.moves[game]
                    asked[game] = rest[1 + self.stream.below(len(rest) - 1)]
                    print(f"MOVE {game} {asked[game]}", file=lines, flush=True)
                elif word == "BYE":
                    self.is_over = True
                    return
