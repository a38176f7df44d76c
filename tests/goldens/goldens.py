"""What evoply answers, in words and figures, kept as goldens: a change of its inside changes none.

`make goldens` runs every story of `tests/pythons/commands.py` and those below, each in a folder of
its own, and compares what was printed and written with `testdata/goldens`. With `--write` they are
written anew: a commit that does so says why. Times, dates and machines are left out, and so is the
layout: words and cells are compared, not spaces and boxes.
"""

import argparse
import csv
import difflib
import hashlib
import html.parser
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "testdata" / "goldens"
sys.path.insert(0, str(ROOT))

from tests.pythons.commands import STORIES as SHORT  # noqa: E402

_SMALL = "--population-size 12 --generations 3 --no-tests"
_LEXICASE, _PARETO = '{kind="lexicase"}', '{kind="pareto"}'

OWN: Mapping[str, tuple[str, ...]] = {
    "a generation of every paper": (
        f"evolve demo {_SMALL} --name demo",
        "runs demo --csv demo",
        f"evolve squares {_SMALL} --name squares",
        "runs squares --csv squares",
        f"evolve gpjpp {_SMALL} --name gpjpp",
        "runs gpjpp --csv gpjpp",
        "evolve benbassat-reversi --population-size 6 --generations 2 --no-tests "
        "--set player.depth=1 --name reversi",
        "runs reversi --csv reversi",
        "evolve benbassat-lose-checkers-extended --population-size 6 --generations 2 --no-tests "
        "--set player.depth=1 --name lose",
        "runs lose --csv lose",
    ),
    "ways to choose": (
        f"evolve othello-6 {_SMALL} --set 'selection={_LEXICASE}' --name lexicase",
        "runs lexicase --csv lexicase",
        f"evolve othello-6 {_SMALL} --set 'selection={_PARETO}' --set 'survival={_PARETO}' "
        "--name pareto",
        "runs pareto --csv pareto",
        "report pareto",
        f"evolve othello-6 {_SMALL} --set survival.kind=best --name best",
        "runs best --csv best",
    ),
    "resumed": (
        "evolve quick --population-size 12 --generations 2 --no-tests --name evolved",
        "resume evolved --generations 4 --no-tests",
        "evolve quick --population-size 12 --generations 4 --no-tests --name straight",
        "runs evolved --csv evolved",
        "runs straight --csv straight",
    ),
    "two workers": (
        "evolve quick --population-size 12 --generations 2 --no-tests --name here",
        "evolve quick --population-size 12 --generations 2 --no-tests --name there "
        "--cluster local:2",
        "runs here --csv here",
        "runs there --csv there",
        "evolve islands --population-size 10 --generations 4 --no-tests --name islands "
        "--cluster local:2",
        "runs islands --csv islands",
        "evolve map-elites --population-size 20 --generations 2 --no-tests --name map "
        "--cluster local:2",
        "runs map --csv map",
        "compare quick othello-6 --seeds 2 --budget-games 100 --games 4 --measure score:mobility "
        "--workers 2 --json",
    ),
    "as JSON": (
        "match swh random --games 10 --json",
        "match firebrand greedy --game othello-10 --games 4 --json",
        "tournament swh greedy random --games 4 --json",
        "tournament swh greedy random mobility --mode elimination --games 4 --json",
        "match swh random --sprt 0 50 --games 400 --json",
        "analyse swh --position f5d6c3 --json",
        "analyse greedy --position f5d6c3",
        "why swh --position f5d6c3 --json",
        "why swh --position f5d6c3",
        "show swh --json",
        "show edgar-like",
        "solve 'XXXX XOXO XOO- O--- X' --json",
        "perft othello 4 --json",
        "config selection --json",
        "game breakthrough --json",
    ),
    "as JSON, runs": (
        "evolve quick --population-size 10 --generations 2 --no-tests --name one --json",
        "runs --json",
        "runs one --json",
        "show champion@one --json",
        "resume one --generations 3 --json",
        "learn firebrand-8 --games 100 --name two --no-tests --json",
        "runs two --json",
        "reproduce liao --table 1 --json",
    ),
    "a small league": (
        "league --methods liao,patterns,frankland,map-elites,islands --budget 0.05 --seeds 2 "
        "--games 2 --move-time 0.001 --depth 1 --paces reference --json",
    ),
    "an experiment": (
        "compare quick othello-6 --seeds 3 --budget-games 100 --games 4 --measure score:mobility "
        "--name two --json",
        "compare quick othello-6 --seeds 4 --budget-games 100 --games 4 --measure score:mobility "
        "--name two",
    ),
    "mistakes": (
        "evolve quick --population-size 1",
        "evolve quick --set population=3",
        "evolve quick --set selection.kind=best",
        "evolve quick --set player.depth=two",
        "evolve islands --population-size 1",
        "evolve map-elites --generations 0",
        "learn firebrand-8 --games -1",
        "learn patterns-8 --set stages=0",
        "match swh nobody",
        "match swh random --games 0",
        "match swh random --openings 3.5",
        "match swh random --game chess",
        "tournament swh",
        "tournament swh random --mode cup",
        "analyse swh --position f5f5",
        "compare quick --seeds 2",
        "compare quick othello-6 --measure score",
        "experiment nothing.toml",
        "league --methods liao,nobody",
        "league --budget none",
        "resume nothing",
        "show champion@nothing",
        "report nothing",
        "replay nothing",
        "perft othello -1",
        "solve XO",
        "convert nothing.jsonl nothing.ggf",
        "reproduce liao --table 99",
        "pley",
        "play --against",
    ),
    "help": ("--help",),
    "answers of the page": (),
}
"""Stories beside the short ones: more kinds of config, resumed, on two workers, and as JSON."""

_ALONE = ("network", "page", "league")
"""Stories that time decides, or whose answers are not printed."""
_OF_MACHINES = ("completion", "doctor", "--version", "solve")
"""Commands that speak of the machine, or of how long it took, or print what a library wrote."""

_FROZEN = """
import time
time.perf_counter = lambda: 1000.0
"""
"""A `sitecustomize` for all processes: seconds are none, speeds what they are then."""

_TIMES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?|"
    r"\d[\d,.]* (positions|leaves|nodes|games|boards|playouts)(/s| a second)|"
    r"[\d,.]+ (GiB free)|\d[\d,.]* (s|ms|seconds|minutes|min|MB|kB|GB)\b"
)
_PLACES = re.compile(r"(/tmp|/private|/var)[^\s'\"<>,)]*")
_PROGRAM = str(Path(sys.executable).with_name("evoply"))
_LINES = re.compile(r"[\s\u2500-\u257f\u2800-\u28ff]+")
_TIMED = ("time",)
"""Names of conditions of games whose result depends on time."""
_KEYS = re.compile(
    r".*(seconds|_time|time_|per_second|moment|speed|created|path|rate)|time|made_by|began|ended|"
    r"started|version|machine|host|kernel|commit|threads|marks|cost_ratio"
)
"""Names of what depends on time and machine."""


class _Cells(html.parser.HTMLParser):
    """The texts of a page, one of an element, without style and pictures."""

    _NONE = ("style", "script", "svg", "head")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._inside += tag in self._NONE

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag in self._NONE

    def handle_data(self, data: str) -> None:
        if not self._inside and data.strip():
            self.texts.append(" ".join(data.split()))


def told(text: str) -> list[str]:
    """Return lines of words of a terminal, without times, places and boxes."""
    lines = (_LINES.sub(" ", _plain(line)).strip() for line in text.splitlines())
    return [line for line in lines if line]


def _plain(text: str) -> str:
    text = (
        re.sub(r"Made by evoply .*", "Made by evoply", text)
        .replace(_PROGRAM, "evoply")
        .replace(str(ROOT), "PLACE")
    )
    return _PLACES.sub("PLACE", _TIMES.sub("TIME", text))


def told_as_json(value: Any, name: str = "") -> Any:
    """Return JSON data without what depends on time and machine."""
    if name and _KEYS.fullmatch(name):
        return "-"
    if isinstance(value, dict):
        if value.get("condition") in _TIMED:
            return "-"
        return {key: told_as_json(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [told_as_json(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.10g}")  # the last digits of a rating are the machine's
    return _plain(value) if isinstance(value, str) else value


def told_of_file(path: Path) -> list[str]:
    """Return the lines that say what stands in a file, or its checksum if that is long."""
    if path.name == "league.html":
        return []  # most of it is of games at equal time
    if path.suffix == ".html":
        cells = _Cells()
        cells.feed(path.read_text(encoding="utf-8"))
        return [_plain(text) for text in cells.texts]
    if path.suffix == ".csv":
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        told = [json.dumps(told_as_json(row)) for row in rows]
        if len(told) > 20:
            whole = hashlib.sha256("\n".join(told).encode()).hexdigest()
            return [f"{len(told)} rows, {whole}", *told[:3]]
        return told
    if path.suffix in (".svg", ".ggf", ".jsonl"):
        text = _plain(path.read_text(encoding="utf-8"))
        return [hashlib.sha256(text.encode()).hexdigest()]
    return []


def _printed(text: str) -> list[str]:
    try:
        data = json.loads(text)
    except ValueError:
        return told(text)
    return json.dumps(told_as_json(data), indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def run(command: str, folder: Path) -> str:
    """Return what a command prints; its words on standard error follow."""
    words = shlex.split(command)
    environment = os.environ | {"COLUMNS": "400", "NO_COLOR": "1", "TERM": "dumb"}
    frozen = folder / ".frozen"
    frozen.mkdir(exist_ok=True)
    (frozen / "sitecustomize.py").write_text(_FROZEN, encoding="utf-8")
    environment["PYTHONPATH"] = os.pathsep.join([str(frozen), str(ROOT / "python"), str(ROOT)])
    if words[0] == "talk":
        # Its answers are tested where it stands; here are the files that others need.
        program = [str(ROOT / "tests" / "pythons" / "conversations.py"), *words[1:]]
    else:
        program = ["-m", "evoply", *words]
    done = subprocess.run(
        [sys.executable, *program], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    code = f"exit code {done.returncode}\n{done.stderr}" if done.returncode else ""
    return "" if words[0] == "talk" and not done.returncode else done.stdout + code


def golden(name: str, commands: Sequence[str]) -> str:
    """Return what the commands of a story print and write, as a golden has it."""
    if name == "answers of the page":
        return _openapi()
    if name == "help":
        return "".join(_help())
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder, known = Path(place), dict[Path, float]()
        for at, command in enumerate(commands):
            lines += ["", f"$ {at + 1} {command.split()[0]}", *_printed(run(command, folder))]
            for path in sorted(folder.rglob("*.*")):
                if path.is_file() and known.get(path) != path.stat().st_mtime:
                    known[path] = path.stat().st_mtime
                    if text := told_of_file(path):
                        lines += [f"# {path.relative_to(folder)}", *text]
    return "\n".join(lines).strip() + "\n"


def _help() -> Iterator[str]:
    """Yield what `--help` says of all verbs."""
    from evoply.cli.commands import COMMANDS

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        asked = ["--help", *(f"{verb} --help" for verb in COMMANDS)]
        for command, text in zip(
            asked, pool.map(lambda asked: run(asked, Path(folder)), asked), strict=True
        ):
            yield "\n".join(["", f"$ {command}", *told(text), ""])


def _openapi() -> str:
    from evoply.web import Trusted, application
    from evoply.web.protection import Protection

    with tempfile.TemporaryDirectory() as folder:
        protection = application(Path(folder) / "games.db", Trusted(("localhost:1",), "secret"))
        assert isinstance(protection, Protection)
        app: Any = protection.app
        return json.dumps(app.openapi(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def stories() -> dict[str, Sequence[str]]:
    """Return all stories by name."""
    short = {
        name: [command for command in commands if command.split()[0] not in _OF_MACHINES]
        for name, commands in SHORT.items()
        if name not in _ALONE
    }
    return {**short, **OWN}


def place_of(name: str) -> Path:
    """Return the file of the golden of a story."""
    return GOLDENS / f"{name.replace(',', '').replace(' ', '-')}.txt"


def differences(name: str, today: str) -> list[str]:
    """Return the lines by which *today* differs from the golden; none if it is equal."""
    path = place_of(name)
    known = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return list(
        difflib.unified_diff(known, today.splitlines(), "golden", "today", lineterm="", n=1)
    )


def main(arguments: Sequence[str]) -> int:
    """Compare, or write; return 1 if something differs, else 0."""
    parser = argparse.ArgumentParser(prog="goldens", description=__doc__)
    parser.add_argument("story", nargs="*", help="names of stories; all of them if none is named")
    parser.add_argument("--write", action="store_true", help="write the goldens anew")
    options = parser.parse_args(arguments)
    known = stories()
    if unknown := [name for name in options.story if name not in known]:
        parser.error(f"{unknown[0]} - is no story - give some of {', '.join(known)}")
    wanted, is_other = options.story or list(known), False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, today in zip(
            wanted, pool.map(lambda name: golden(name, known[name]), wanted), strict=True
        ):
            if options.write:
                place_of(name).parent.mkdir(exist_ok=True)
                place_of(name).write_text(today, encoding="utf-8")
                print(f"written: {name}, {len(today.splitlines()):,} lines", flush=True)
                continue
            found = differences(name, today)
            is_other |= bool(found)
            print("\n".join([f"{'differs' if found else 'equal'}: {name}", *found]), flush=True)
    return int(is_other)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
