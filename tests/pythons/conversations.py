"""Commands that are spoken with: each part is done by the Python of an environment, in a folder.

Only the standard library is used, and evoply as whoever installed it finds it.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

_EVOPLY = str(Path(sys.executable).with_name("evoply"))
_PATIENCE = 120


def main(part: str, *words: str) -> int:
    """Do a part; an error says what was wrong."""
    _PARTS[part](*words)
    return 0


def web() -> None:
    """Open the page and what it is made of, play a move, and stop the server."""
    with _begun("web", "--port", "0", "--no-browser", "--json") as server:
        told = json.loads(server.stdout.readline())
        url, token = told["url"].rstrip("/"), told["token"]
        page = _got(f"{url}/", token)
        parts = re.findall(r'(?:src|href)="/?([\w./-]+\.(?:js|css))"', page)
        assert parts, page
        for path in [*parts, "api/rules", "api/presets", "api/presets/islands", "api/runs"]:
            assert _got(f"{url}/{path}", token)
        begun = {"game": "othello-6", "white": "greedy", "seed": 1}
        state = json.loads(_got(f"{url}/api/games", token, begun))
        move = {"move": state["legal"][0]["text"]}
        state = json.loads(_got(f"{url}/api/games/{state['id']}/moves", token, move))
        assert state["moves"][0]["text"] == move["move"]
        server.send_signal(signal.SIGINT)
        _ended_well(server)


def serve(_: str) -> None:
    """Hold a tournament of two players who come over the network."""
    words = ("--port", "0", "--games", "2", "--clock", "10", "--save-games", "games.jsonl")
    with _begun("serve", *words, "--html", "page.html") as server:
        listening = next(line for line in server.stdout if line.startswith("listening on "))
        address = listening.split()[-1]
        with _begun("join", address, "--player", "greedy") as first:
            _said("join", address, "--player", "random")
            _ended_well(first)
        _ended_well(server)
    assert len(Path("games.jsonl").read_text("utf-8").splitlines()) == 2


def play() -> None:
    """Play a move as somebody at a terminal does."""
    assert "f5" in _said("play", "--against", "greedy", "--seed", "1", told="f5\nquit\n")


def engine() -> None:
    """Ask an engine for a move."""
    words = ("engine", "--protocol", "gtp", "--player", "greedy")
    assert re.search(r"^= [A-H][1-8]$", _said(*words, told="genmove b\nquit\n"), re.M | re.I)


def data_frame(run: str) -> None:
    """Read a run as a table."""
    from evoply import find_run

    with find_run(run) as found:
        assert len(found.to_dataframe()) == 3


def vary(file: str) -> None:
    """Write a small experiment."""
    text = 'base = "quick"\nseeds = 2\nbudget = { games = 100 }\nmeasure = "score:mobility"\n'
    Path(file).write_text(f"{text}[vary]\npopulation_size = [8, 12]\n", encoding="utf-8")


def kinds(folder: str) -> None:
    """See that there is a run of every kind below *folder*."""
    from evoply import find_run
    from evoply.kinds import KINDS

    made = set()
    for config in Path(folder).glob("*/runs/*/config.toml"):
        with find_run(str(config.parent)) as run:
            made |= {name for name, kind in KINDS.items() if kind is run.kind}
    missing = ", ".join(sorted(KINDS.keys() - made))
    assert not missing, f"no run of the kind {missing} was made: give it a command in commands.py"


_PARTS: Mapping[str, Callable[..., None]] = {
    "web": web,
    "serve": serve,
    "play": play,
    "engine": engine,
    "data-frame": data_frame,
    "vary": vary,
    "kinds": kinds,
}


@contextmanager
def _begun(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command; nothing of it is left behind."""
    process = subprocess.Popen(
        [_EVOPLY, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _ended_well(process: subprocess.Popen[str]) -> None:
    said = "".join(process.communicate(timeout=_PATIENCE)[0])
    assert process.returncode == 0, f"{process.args} ended with {process.returncode}: {said}"


def _said(*words: str, told: str = "") -> str:
    """Return what a command says to one who tells it that."""
    done = subprocess.run(
        [_EVOPLY, *words],
        input=told, text=True, stdout=subprocess.PIPE, timeout=_PATIENCE, check=True,
    )  # fmt: skip
    return done.stdout


def _got(url: str, token: str, sent: object = None) -> str:
    data = None if sent is None else json.dumps(sent).encode()
    head = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    with urlopen(Request(url, data, head), timeout=_PATIENCE) as answer:
        return str(answer.read().decode())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
