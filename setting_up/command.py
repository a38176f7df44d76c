"""`python3 -m setting_up WHAT`: what `make` asks for.

Packages are installed while the kernel is compiled. Nothing is done twice: where all is up to date
it takes a fraction of a second.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType

from setting_up.kernel import Kernel, cargo_features
from setting_up.machine import GIB, check_disk, free_memory, jobs, runnable_paths, wanted_paths
from setting_up.needs import Rust, check_linker, find_rust
from setting_up.packages import Packages
from setting_up.running import Log, Programs, Progress, at_once, spoken
from setting_up.wrong import WrongError

__all__ = ["main"]

FAILED, STOPPED = 1, 130
_LOCKS = {
    "demo": ("requirements.lock",),
    "packages": ("requirements.lock",),
    "development": ("requirements-dev.lock",),
    "bench": ("requirements-dev.lock", "requirements-bench.lock"),
}
_ROOM = {"demo": GIB, "packages": GIB, "development": 3 * GIB, "bench": 3 * GIB}
"""Packages take 0.4 GiB for the demo and 1.3 for development; the rest is the kernel's."""
_ROOM_OF_KERNEL = GIB // 2


def main(arguments: list[str]) -> int:
    """Do what is asked; return the exit code."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _ended)
    signal.signal(signal.SIGHUP, _ended)
    try:
        root = asked.root.resolve()
        rust = find_rust(root)
        if asked.what == "features":
            print(f"--no-default-features --features {cargo_features(_paths(rust))}")
        elif asked.what == "demo":
            return _demo(root, rust, asked.options)
        elif asked.what != "needs":
            _Setup(root, rust, asked.what).run()
    except WrongError as error:
        return _complain(str(error))
    except OSError as error:
        place, why = error.filename or "the setup", error.strerror or str(error)
        return _complain(f"{place} - cannot be used: {why} - see that it is yours and has room")
    except KeyboardInterrupt:
        print("setup: stopped - run it again, and it goes on from what is done", file=sys.stderr)
        return STOPPED
    return 0


def _complain(message: str) -> int:
    sys.stdout.flush()
    print(f"setup: {message}", file=sys.stderr)
    return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m setting_up", description=__doc__)
    parser.add_argument(
        "what",
        choices=[*_LOCKS, "needs", "features"],
        help="demo: set up, then evolve; development, bench: all packages for it, and the kernel; "
        "packages: those of evoply alone; needs: see that Rust is there; "
        "features: print cargo's options for the CPU paths",
    )
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the clone")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="of `evoply evolve readable`")
    return parser


def _ended(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _paths(rust: Rust) -> tuple[str, ...]:
    return wanted_paths(os.environ.get("EVOPLY_PATHS", ""), runnable_paths(rust.features))


def _demo(root: Path, rust: Rust, options: list[str]) -> int:
    """Set up, evolve, and say how long each part took."""
    began = time.monotonic()
    setup = _Setup(root, rust, "demo")
    setup.run()
    evolves_from = time.monotonic()
    # Ctrl-C is for the run: it saves itself and says so, and its exit code is ours.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = subprocess.run(
            [str(root / ".venv" / "bin" / "evoply"), "evolve", "readable", *options],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    ended = time.monotonic()
    if code == 0 and "--json" not in options:
        evolution = f"evolution and tests {spoken(ended - evolves_from)}"
        print(
            f"Time        {', '.join([*setup.times(), evolution])}; {spoken(ended - began)} in all"
        )
    return code if code >= 0 else 128 - code


class _Setup:
    """One setup of a clone: what is missing, found, checked, and then done side by side."""

    def __init__(self, root: Path, rust: Rust, what: str) -> None:
        self._root, self._rust, self._what = root, rust, what
        self._wants_kernel = what != "packages"
        self._packages = Packages(root, _LOCKS[what])
        self._kernel = Kernel(root, _paths(rust), rust, self._packages)
        self._progress = Progress()
        self._programs = Programs(root)
        self._seconds: dict[str, float] = {}
        self._first_are_there = threading.Event()

    def run(self) -> None:
        """Install and compile what is missing."""
        parts: dict[str, Callable[[], None]] = {}
        if not self._packages.are_there():
            parts["packages"] = self._install_packages
        else:
            self._first_are_there.set()
        if self._wants_kernel and not self._kernel.is_there():
            parts["kernel"] = self._compile_kernel
        if not parts and (not self._wants_kernel or self._kernel.is_installed()):
            return
        self._check(parts)
        at_once(parts, self._programs, self._progress)
        if self._wants_kernel and not self._kernel.is_installed():
            at_once({"evoply": self._install_evoply}, self._programs, self._progress)

    def times(self) -> list[str]:
        """Return how long packages and kernel took."""
        return [
            f"{part} {spoken(self._seconds[part])}" if part in self._seconds else f"{part} ready"
            for part in ("packages", "kernel")
        ]

    def _check(self, parts: dict[str, Callable[[], None]]) -> None:
        """Refuse to begin what cannot end well; say what begins."""
        self._packages.check()
        check_disk(self._root, _ROOM[self._what] if "packages" in parts else _ROOM_OF_KERNEL)
        begun = ["packages into .venv"] if "packages" in parts else []
        if "kernel" in parts:
            check_linker()
            self._use_memory_there_is()
            paths = self._kernel.paths
            begun.append(f"the kernel for CPU path{'s' * (len(paths) > 1)} {', '.join(paths)}")
        if begun:
            self._progress.tell(f"Setting up {' and '.join(begun)}")

    def _use_memory_there_is(self) -> None:
        """Have the kernel compiled by no more jobs than there is memory for."""
        if os.environ.get("CARGO_BUILD_JOBS"):
            return  # which cargo reads by itself
        cores = os.cpu_count() or 1
        count, why = jobs(free_memory(), cores)
        if count < cores:
            self._progress.tell(f"{why} (CARGO_BUILD_JOBS=N takes another number)")
            self._kernel = replace(self._kernel, jobs=count)

    def _log(self, part: str) -> Log:
        python = sys.version.split()[0]
        paths = ", ".join(self._kernel.paths)
        about = f"setup of evoply ({self._what}), Python {python}, CPU paths {paths}"
        return Log(
            self._root / "target" / "setup" / f"{part}.log", f"{about}\n{self._rust.version}"
        )

    def _install_packages(self) -> None:
        began = time.monotonic()
        self._packages.install(
            self._programs, self._log("packages"), self._sayer("packages"), self._first_are_there
        )
        self._end("packages", began)

    def _compile_kernel(self) -> None:
        began = time.monotonic()
        log, say = self._log("kernel"), self._sayer("kernel")
        downloads = self._kernel.fetch(self._programs, log, say)
        count = self._kernel.compile(self._programs, log, say, self._first_are_there)
        crates = f"{count} crate{'s' * (count != 1)} compiled"
        self._end("kernel", began, f": {crates}, downloads {spoken(downloads)}")

    def _install_evoply(self) -> None:
        self._progress.say("evoply", "making it known to .venv")
        self._kernel.install(self._programs, self._log("evoply"))

    def _sayer(self, part: str) -> Callable[[str], None]:
        return lambda text: self._progress.say(part, text)

    def _end(self, part: str, began: float, more: str = "") -> None:
        self._seconds[part] = time.monotonic() - began
        self._progress.end(part, f"ready after {spoken(self._seconds[part])}{more}")
