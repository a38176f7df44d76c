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
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from setting_up.kernel import Kernel, cargo_features
from setting_up.machine import GIB, check_disk, free_memory, jobs, runnable_paths, wanted_paths
from setting_up.needs import check_linker, find_rust
from setting_up.packages import Packages
from setting_up.running import Log, Programs, Progress, at_once, spoken
from setting_up.wrong import WrongError

__all__ = ["main"]

FAILED, STOPPED = 1, 130
_ROOM = {"demo": GIB, "packages": GIB, "development": 3 * GIB, "bench": 3 * GIB}
"""Measured: 0.4 GiB of packages for the demo and 1.3 for development; the rest is the kernel's."""
_LOCKS = {
    "demo": ("requirements.lock",),
    "packages": ("requirements.lock",),
    "development": ("requirements-dev.lock",),
    "bench": ("requirements-dev.lock", "requirements-bench.lock"),
}


@dataclass
class _Times:
    """Seconds of each part that had something to do."""

    packages: float | None = None
    kernel: float | None = None
    downloads: float = 0.0
    told: list[str] = field(default_factory=list)


def main(arguments: list[str]) -> int:
    """Do what is asked; return the exit code."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _ended)
    signal.signal(signal.SIGHUP, _ended)
    try:
        root = asked.root.resolve()
        if asked.what == "needs":
            find_rust(root)
        elif asked.what == "features":
            print(f"--no-default-features --features {cargo_features(_paths(root))}")
        elif asked.what == "demo":
            return _demo(root, asked.options)
        else:
            _set_up(root, asked.what)
    except WrongError as error:
        print(f"setup: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("setup: stopped; running it again goes on where it was", file=sys.stderr)
        return STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m setting_up", description=__doc__)
    parser.add_argument(
        "what",
        choices=[*_LOCKS, "needs", "features"],
        help="demo: set up, then evolve; development, bench: all packages for it, and the kernel; packages: those "
        "of evoply alone; needs: only see that Rust is there; features: print cargo's options for the CPU paths",
    )
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the clone")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="of `evoply evolve demo`")
    return parser


def _ended(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _paths(root: Path) -> tuple[str, ...]:
    runnable = runnable_paths(find_rust(root).features)
    return wanted_paths(os.environ.get("EVOPLY_PATHS", ""), runnable)


def _set_up(root: Path, what: str) -> _Times:
    """Install and compile what is missing; return the time that each part took."""
    progress, times = Progress(), _Times()
    packages = Packages(root, _LOCKS[what])
    rust = find_rust(root)
    runnable = runnable_paths(rust.features)
    paths = wanted_paths(os.environ.get("EVOPLY_PATHS", ""), runnable)
    kernel = Kernel(root, paths, rust, packages)
    wants_kernel = what != "packages"
    has_packages = packages.are_there()
    has_kernel = not wants_kernel or kernel.is_there()
    if has_packages and has_kernel and (not wants_kernel or kernel.is_installed()):
        return times
    packages.check()
    check_disk(root, _ROOM[what] if not has_packages else GIB // 2)
    if not has_kernel:
        check_linker()
        kernel = _with_jobs(kernel, progress)
        progress.tell(
            f"Setting up evoply: packages into .venv, the kernel for CPU path {', '.join(paths)}"
            if not has_packages
            else f"Compiling the kernel for CPU path {', '.join(paths)}"
        )
    programs = Programs(root)
    about = f"setup of evoply ({what}), Python {sys.version.split()[0]}, CPU paths {', '.join(paths)}\n{rust.version}"
    logs = {
        part: Log(root / "target" / "setup" / f"{part}.log", about)
        for part in ("packages", "kernel")
    }
    first_are_there = threading.Event()

    def install_packages() -> None:
        began = time.monotonic()
        say = _sayer(progress, "packages")
        packages.install(programs, logs["packages"], say, first_are_there)
        times.packages = time.monotonic() - began
        progress.end("packages", f"ready after {spoken(times.packages)}")

    def compile_kernel() -> None:
        began = time.monotonic()
        say = _sayer(progress, "kernel")
        times.downloads = kernel.fetch(programs, logs["kernel"], say)
        count = kernel.compile(programs, logs["kernel"], say, first_are_there)
        times.kernel = time.monotonic() - began
        crates = f"{count} crate{'s' * (count != 1)} compiled"
        progress.end("kernel", f"ready after {spoken(times.kernel)} ({crates})")

    parts: dict[str, Callable[[], None]] = {}
    if has_packages:
        first_are_there.set()
    else:
        parts["packages"] = install_packages
    if not has_kernel:
        parts["kernel"] = compile_kernel
    try:
        at_once(parts, programs, progress)
        if wants_kernel and not kernel.is_installed():
            at_once(
                {"evoply": lambda: kernel.install(programs, logs["kernel"])}, programs, progress
            )
    finally:
        for log in logs.values():
            log.close()
    return times


def _sayer(progress: Progress, part: str) -> Callable[[str], None]:
    return lambda text: progress.say(part, text)


def _with_jobs(kernel: Kernel, progress: Progress) -> Kernel:
    """Return the kernel compiled by as many jobs as there are cores and memory for."""
    if os.environ.get("CARGO_BUILD_JOBS"):
        return kernel  # cargo reads it by itself
    count, why = jobs(free_memory(), _cores())
    if why:
        progress.tell(f"{why[0].upper()}{why[1:]} (CARGO_BUILD_JOBS=N takes another number)")
    return Kernel(kernel.root, kernel.paths, kernel.rust, kernel.environment, count)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _demo(root: Path, options: list[str]) -> int:
    """Set up, evolve, and say how long each part took."""
    began = time.monotonic()
    times = _set_up(root, "demo")
    evolves_from = time.monotonic()
    # Ctrl-C is for the run: it saves itself, says so, and its exit code is ours.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        program = root / ".venv" / "bin" / "evoply"
        code = subprocess.run(
            [str(program), "evolve", "demo", *options],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    ended = time.monotonic()
    if code == 0 and "--json" not in options:
        parts = [
            f"packages {spoken(times.packages)}" if times.packages else "packages were there",
            f"kernel {spoken(times.kernel)}{' (beside the packages)' * bool(times.packages)}"
            if times.kernel
            else "kernel was there",
            f"evolution and tests {spoken(ended - evolves_from)}",
        ]
        print(f"Time        {', '.join(parts)}; {spoken(ended - began)} in all")
    return code if code >= 0 else 128 - code
