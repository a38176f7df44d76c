"""`make test-pythons`: every verb and kind of run, from a wheel, on the Pythons that are allowed.

An environment is made of each Python on this machine, once with the oldest packages that
pyproject.toml allows and once with the newest ones; in each the stories of `commands.py` are done
side by side. What a command that failed has written is shown, and the others go on. Logs are in
target/pythons.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from commands import STORIES  # noqa: E402
from setting_up.kernel import Kernel  # noqa: E402
from setting_up.machine import runnable_paths, wanted_paths  # noqa: E402
from setting_up.needs import find_rust  # noqa: E402
from setting_up.packages import Packages  # noqa: E402
from setting_up.running import Log, Programs, Progress, at_once, spoken  # noqa: E402
from setting_up.wrong import FailedError, WrongError, reason  # noqa: E402

_OLDEST, _NEWEST = (3, 11), (3, 14)
"""The Pythons that `requires-python` allows, as far as they are known."""
_RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
_NOT_FOR_USERS = ("build", "dev", "bench")
_LAST_LINES = 40
_FOLDER = ROOT / "target" / "pythons"
_TALKS = Path(__file__).with_name("conversations.py")
_LEFT_OUT = ("PYTHON", "COVERAGE", "VIRTUAL_ENV", "EVOPLY", "UV_PYTHON")
"""How names begin that would lead a command to another evoply than the wheel's."""
_STOPPED = 130


def main(arguments: Sequence[str]) -> int:
    """Return 0 if every command did what it should, else 1."""
    asked = _parser().parse_args(arguments)
    programs, progress = Programs(ROOT), Progress()
    signal.signal(signal.SIGTERM, _ended)
    try:
        pythons = found_pythons()
        tried = chosen(pythons, asked.python, only_newest=asked.newest)
        packages = [asked.packages] if asked.packages else list(_RESOLUTIONS)
        packages = ["newest"] if asked.newest else packages
        progress.tell(f"Pythons here: {', '.join(map(str, pythons))}")
        wheel = _wheel(programs, progress)
        failed = [
            failure
            for python in tried
            for which in packages
            for failure in _Trial(python, which, wheel, programs, progress).failures(asked.only)
        ]
    except WrongError as error:
        print(f"test-pythons: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("test-pythons: stopped", file=sys.stderr)
        return _STOPPED
    for failure in failed:
        print(f"failed: {failure}")
    return int(bool(failed))


def _ended(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make test-pythons", description=__doc__)
    parser.add_argument("--newest", action="store_true", help="the newest Python and packages")
    parser.add_argument("--python", action="append", default=[], help="such as 3.13; default: all")
    parser.add_argument("--packages", choices=_RESOLUTIONS, help="default: both")
    parser.add_argument("--only", action="append", default=[], choices=STORIES, help="a story")
    return parser


@dataclass(frozen=True, order=True)
class Python:
    """A Python on this machine."""

    version: tuple[int, ...]
    path: str

    @property
    def short(self) -> str:
        """The version that wheels and people go by, such as 3.13."""
        return ".".join(map(str, self.version[:2]))

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def found_pythons() -> list[Python]:
    """Return the newest Python of each promised version that is on this machine."""
    places = [os.environ.get("PATH", ""), "/usr/bin", "/usr/local/bin"]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    places += map(str, sorted(pyenv.glob("versions/3.*/bin")))
    asked = "python list --only-installed --no-python-downloads --output-format json"
    done = subprocess.run(
        [_uv(), *asked.split()],
        env={**os.environ, "PATH": os.pathsep.join(filter(None, places))},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return usable(json.loads(done.stdout))


def usable(listed: Sequence[dict[str, object]]) -> list[Python]:
    """Return the newest of each promised version among those that uv lists, oldest first."""
    found: dict[str, Python] = {}
    for one in listed:
        parts = one["version_parts"]
        assert isinstance(parts, dict)
        python = Python((parts["major"], parts["minor"], parts["patch"]), str(one["path"]))
        is_usual = one["implementation"] == "cpython" and one.get("variant") == "default"
        if is_usual and _OLDEST <= python.version[:2] <= _NEWEST:
            before = found.get(python.short)
            if before is None or before.version < python.version:
                found[python.short] = python
    return sorted(found.values())


def chosen(
    pythons: Sequence[Python], wanted: Sequence[str], *, only_newest: bool = False
) -> list[Python]:
    """Return the Pythons to try, and refuse one that is not there."""
    there = {python.short: python for python in pythons}
    for version in wanted:
        if version not in there:
            raise WrongError(
                f"--python {version}", "is not on this machine", f"give one of {', '.join(there)}"
            )
    tried = [python for python in pythons if not wanted or python.short in wanted]
    return tried[-1:] if only_newest else tried


def _uv() -> str:
    return str(Path(sys.executable).with_name("uv"))


def _wheel(programs: Programs, progress: Progress) -> Path:
    """Make a wheel of the kernel that `make setup` has built."""
    began = time.monotonic()
    rust = find_rust(ROOT)
    paths = wanted_paths(os.environ.get("EVOPLY_PATHS", ""), runnable_paths(rust.features))
    kernel = Kernel(ROOT, paths, rust, Packages(ROOT, ()))
    made: list[Path] = []

    def make() -> None:
        progress.say("wheel", "being made")
        made.append(kernel.pack(programs, Log(_FOLDER / "wheel.log", "a wheel"), _FOLDER))

    at_once({"wheel": make}, programs, progress)
    progress.tell(f"wheel: {made[0].name}, in {spoken(time.monotonic() - began)}")
    return made[0]


class _Trial:
    """All stories on one Python with the oldest or the newest packages."""

    def __init__(
        self, python: Python, which: str, wheel: Path, programs: Programs, progress: Progress
    ) -> None:
        self._python, self._which, self._wheel = python, which, wheel
        self._programs, self._progress = programs, progress
        self._name = f"{python.short}-{which}"
        self._folder = _FOLDER / self._name
        self._bin = self._folder / "environment" / "bin"
        self._failures: list[str] = []
        self._commands = 0

    def failures(self, only: Sequence[str]) -> list[str]:
        """Return what failed."""
        shutil.rmtree(self._folder, ignore_errors=True)
        began = time.monotonic()
        at_once({self._name: self._install}, self._programs, self._progress)
        made = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"evoply-{self._name}-") as place:
            self._tell_stories(Path(place), [name for name in STORIES if not only or name in only])
            if not only and not self._failures:
                self._kinds(Path(place))
        ended = time.monotonic()
        how = f"{len(self._failures)} FAILED, " if self._failures else ""
        self._progress.tell(
            f"Python {self._python}, {self._which} packages: {how}{self._commands} commands in "
            f"{spoken(ended - made)}, after {spoken(made - began)} of installing"
        )
        return self._failures

    def _install(self) -> None:
        """Make the environment: packages first, so that uv weighs their own bounds alone."""
        self._progress.say(self._name, "installing packages")
        python = ("--python", str(self._bin / "python"))
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = [x for x in project["optional-dependencies"] if x not in _NOT_FOR_USERS]
        install = [_uv(), "pip", "install", *python]
        # Where an older version has no wheel for this Python, nobody can be asked to compile it.
        resolved = ["--resolution", _RESOLUTIONS[self._which], "--only-binary", ":all:"]
        wanted = [
            "-r",
            "pyproject.toml",
            *(word for extra in extras for word in ("--extra", extra)),
        ]
        log = self._log("install")
        try:
            for command in (
                [_uv(), "venv", "--python", self._python.path, self._bin.parent],
                [*install, *resolved, *wanted],
                [*install, "--no-deps", self._wheel],
                [_uv(), "pip", "check", *python],
                [_uv(), "pip", "list", *python],
            ):
                self._programs.run(command, log, environment={"UV_NO_PROGRESS": "1"})
        except FailedError as error:
            raise reason(error, f"installing packages for {self._name}", log.path) from None

    def _tell_stories(self, place: Path, names: Sequence[str]) -> None:
        left: queue.SimpleQueue[str] = queue.SimpleQueue()
        for name in names:
            left.put(name)
        lock = threading.Lock()

        def tell_some() -> None:
            while True:
                try:
                    name = left.get_nowait()
                except queue.Empty:
                    return
                failure = self._tell(name, place / name)
                with lock:
                    self._failures += failure

        cores = range(min(os.cpu_count() or 1, len(names)))
        at_once({f"core {core}": tell_some for core in cores}, self._programs, self._progress)

    def _tell(self, name: str, folder: Path) -> list[str]:
        """Run the lines of a story until one fails; return that one."""
        folder.mkdir()
        log = self._log(name)
        part = f"{self._name} {name}"
        try:
            for line in STORIES[name]:
                self._progress.say(part, line.split()[0])
                if failure := self._run(line, folder, log):
                    return [f"{self._name}, {name}: {failure} (all of it: {log.path})"]
        finally:
            self._progress.end(part)
        return []

    def _run(self, line: str, folder: Path, log: Log) -> str:
        """Run a line; show what it wrote where it fails, and return the command."""
        first, *words = shlex.split(line)
        command = [str(self._bin / "evoply"), first, *words]
        if first == "talk":
            command = [str(self._bin / "python"), str(_TALKS), *words]
        left_out = {name: None for name in os.environ if name.startswith(_LEFT_OUT)}
        try:
            text = self._programs.run(command, log, folder=folder, environment=left_out)
        except FailedError as error:
            wrong, text = f"exit code {error.code}", error.text
        else:
            self._commands += 1
            wrong = "a traceback" if "Traceback (most recent call last)" in text else ""
        if not wrong:
            return ""
        last = "\n".join(text.splitlines()[-_LAST_LINES:])
        self._progress.tell(f"{self._name}: {line}\n{last}\n{wrong}")
        return f"`{line}`: {wrong}"

    def _kinds(self, place: Path) -> None:
        if failure := self._run(f"talk kinds {shlex.quote(str(place))}", place, self._log("kinds")):
            self._failures.append(f"{self._name}: {failure}")

    def _log(self, part: str) -> Log:
        about = f"{self._name}: {part}, Python {self._python}"
        return Log(self._folder / f"{part}.log", about)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
