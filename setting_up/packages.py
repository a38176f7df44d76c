"""Packages in .venv, as the lock files name them: by uv, which is fast; by pip where uv cannot."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from setting_up.needs import check_venv
from setting_up.running import Log, Programs
from setting_up.wrong import FailedError, WrongError, reason

__all__ = ["Packages", "read_stamp", "write_stamp"]

_FIRST, _FIRST_LOCK = ("maturin", "uv"), "requirements-dev.lock"
"""What the rest of the setup is done with, installed first, and the lock file that names it."""


class Packages:
    """The packages of some lock files, in the .venv of a clone."""

    def __init__(self, root: Path, locks: Sequence[str]) -> None:
        self.root, self.locks = root, list(locks)
        self.programs_folder = root / ".venv" / "bin"
        self.python = self.programs_folder / "python"
        self._stamp = root / ".venv" / ".packages.json"

    def state(self) -> dict[str, Any]:
        """Return what the stamp says where these packages are there."""
        sums = {
            lock: hashlib.sha256((self.root / lock).read_bytes()).hexdigest() for lock in self.locks
        }
        return {"folder": str(self.root), "locks": sums}

    def are_there(self) -> bool:
        """Return whether nothing is to do."""
        there, wanted = read_stamp(self._stamp), self.state()
        return (
            self.python.exists()
            and there.get("folder") == wanted["folder"]
            and wanted["locks"].items() <= there.get("locks", {}).items()
        )

    def check(self) -> None:
        """Refuse a Python or a .venv that will not do."""
        check_venv()
        moved_from = read_stamp(self._stamp).get("folder", str(self.root))
        wrong = f"was made in {moved_from}" if moved_from != str(self.root) else ""
        if not wrong and self.python.is_symlink() and not self.python.exists():
            wrong = f"has lost its Python ({self.python.readlink()})"
        if not wrong and self.python.exists():
            asked = [str(self.python), "-c", "import sys; print(sys.version_info >= (3, 11))"]
            try:
                done = subprocess.run(asked, capture_output=True, text=True, errors="replace")
                wrong = {"True": "", "False": "has a Python older than 3.11"}.get(
                    done.stdout.strip(), "has a Python that does not run"
                )
            except OSError:
                wrong = "has a Python that does not run"
        if wrong:
            raise WrongError(".venv", wrong, "remove it (rm -rf .venv) and run this again")

    def install(
        self,
        programs: Programs,
        log: Log,
        say: Callable[[str], None],
        first_are_there: threading.Event,
    ) -> None:
        """Install; set *first_are_there* as soon as maturin and uv can be called."""
        before = read_stamp(self._stamp)
        # What was stopped in the middle may have left a package in halves: those are written anew.
        again = ["--reinstall"] if before.get("is_unfinished") else []
        try:
            self._make_venv(programs, log, say)
            write_stamp(self._stamp, {**self.state(), "locks": {}, "is_unfinished": True})
            has_uv = self._install_first(programs, log, say)
            first_are_there.set()
            say("downloading and installing")
            wanted = ["--require-hashes", *(word for lock in self.locks for word in ("-r", lock))]
            if not (has_uv and self._by_uv([*again, *wanted], programs, log, say)):
                say("downloading and installing by pip, which takes longer")
                programs.run(
                    [self.python, "-m", "pip", "install", "--progress-bar", "off", *wanted], log
                )
        except FailedError as error:
            raise reason(error, "installing packages", log.path) from None
        kept = {} if again else before.get("locks", {})
        state = self.state()
        write_stamp(self._stamp, {**state, "locks": {**kept, **state["locks"]}})

    def _make_venv(self, programs: Programs, log: Log, say: Callable[[str], None]) -> None:
        if not (self.programs_folder / "pip").exists():
            say("making .venv")
            programs.run([sys.executable, "-m", "venv", ".venv"], log)

    def _install_first(self, programs: Programs, log: Log, say: Callable[[str], None]) -> bool:
        """Install maturin and uv by pip; return whether uv is there."""
        say("downloading uv and maturin")
        text = (self.root / _FIRST_LOCK).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            lock = Path(folder) / "first.lock"
            lock.write_text(locked(text, _FIRST), encoding="utf-8")
            pip: list[str | Path] = [self.python, "-m", "pip", "install", "--progress-bar", "off"]
            programs.run([*pip, "--require-hashes", "-r", lock], log)
        return (self.programs_folder / "uv").exists()

    def _by_uv(
        self, words: list[str], programs: Programs, log: Log, say: Callable[[str], None]
    ) -> bool:
        """Return whether uv could: it does not know what pip has been told, such as an index."""
        uv = str(self.programs_folder / "uv")
        command = [uv, "pip", "install", "--python", str(self.python), *words]

        def show(line: str) -> None:
            if found := re.match(r"\s*(Downloading|Building) ([\w.-]+)", line):
                say(f"{found[1].lower()} {found[2]}")

        try:
            programs.run(command, log, environment={"UV_NO_PROGRESS": "1"}, on_line=show)
        except FailedError:
            return False
        return True


def locked(text: str, names: Sequence[str]) -> str:
    """Return the entries of a lock file for some packages, with their hashes."""
    entries = re.findall(r"(?m)^[^\s#].*(?:\n[ \t]+.*)*", text)
    return "".join(f"{entry}\n" for entry in entries if re.split(r"[^\w.-]", entry)[0] in names)


def read_stamp(path: Path) -> dict[str, Any]:
    """Return what a stamp says; nothing if it is missing or damaged."""
    with suppress(OSError, ValueError):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            return data
    return {}


def write_stamp(path: Path, data: dict[str, Any]) -> None:
    """Write a stamp, whole or not at all."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)
