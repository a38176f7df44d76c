"""What this machine has: memory, room on the disk, cores, CPU paths."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from setting_up.wrong import WrongError

__all__ = ["GIB", "PATHS", "check_disk", "free_memory", "jobs", "runnable_paths", "wanted_paths"]

GIB = 1 << 30
PATHS = ("baseline", "avx2", "avx512")
"""The CPU paths of the kernel (crates/core/src/cpu), slowest first."""
_AVX2 = frozenset(("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"))
_AVX512 = ("f", "vl", "bw", "dq", "cd", "vpopcntdq", "bitalg", "vbmi2")
_NEEDED: Mapping[str, frozenset[str]] = {
    "baseline": frozenset(),
    "avx2": _AVX2,
    "avx512": _AVX2 | {"fma", "f16c"} | {f"avx512{name}" for name in _AVX512},
}
"""The instructions of each path, as crates/core/src/cpu/machine.rs asks for them."""
_REFUSED, _SMALL, _PER_JOB = GIB, 3 * GIB, 3 * GIB // 2
"""Memory below which the kernel cannot be compiled, or by one job alone; what each job may take."""


def runnable_paths(features: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that a machine with these instructions runs, slowest first."""
    there = frozenset(features)
    return tuple(path for path in PATHS if _NEEDED[path] <= there)


def wanted_paths(text: str, runnable: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths to build: what EVOPLY_PATHS says, or the best of this machine."""
    if not text.strip():
        return runnable[-1:]
    if text.strip() == "all":
        return PATHS
    words = {word.strip() for word in text.split(",")} - {""}
    if not words or not words <= set(PATHS):
        raise WrongError(
            "EVOPLY_PATHS", f"is {text!r}", f"give all, or some of {', '.join(PATHS)} with commas"
        )
    if not words & set(runnable):
        raise WrongError(
            "EVOPLY_PATHS",
            f"is {text}, which this machine cannot run",
            f"give at least one of {', '.join(runnable)}",
        )
    return tuple(path for path in PATHS if path in words)


def free_memory(
    proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup"), limit: int | None = None
) -> int | None:
    """Return the bytes that a program may still take; None where nobody says.

    The least of what the system has, what the container may take, and what a process may take
    (*limit*, or that of this one: `ulimit -v`).
    """
    known = [*_of_system(proc), *_of_containers(proc, cgroups)]
    if limit is None:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        known.append(limit)
    return min(known, default=None)


def _of_system(proc: Path) -> list[int]:
    with suppress(OSError):
        for line in (proc / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return [int(line.split()[1]) * 1024]
    with suppress(OSError, ValueError):  # macOS: all there is
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    return []


def _of_containers(proc: Path, cgroups: Path) -> list[int]:
    """Return what this process's control groups leave, of both versions of them."""
    places: list[Path] = []
    with suppress(OSError):
        for line in (proc / "self" / "cgroup").read_text().splitlines():
            number, controllers, path = line.split(":", 2)
            if number == "0" or "memory" in controllers.split(","):
                top = cgroups if number == "0" else cgroups / "memory"
                below = top / path.strip("/")
                places += [place for place in (below, *below.parents) if place.is_relative_to(top)]
    free = []
    for place in dict.fromkeys(places):
        for most, taken in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            with suppress(OSError, ValueError):  # "max": no limit
                left = int((place / most).read_text()) - int((place / taken).read_text())
                free.append(left + _given_back(place))
    return free


def _given_back(place: Path) -> int:
    """Return the bytes of files that a control group would give back: they count as taken."""
    with suppress(OSError, ValueError):
        for line in (place / "memory.stat").read_text().splitlines():
            name, amount = line.split()
            if name in ("inactive_file", "total_inactive_file"):
                return int(amount)
    return 0


def jobs(memory: int | None, cores: int) -> tuple[int, str]:
    """Return how many jobs compile the kernel, and a sentence where these are fewer than cores."""
    if memory is None:
        return cores, ""
    if memory < _REFUSED:
        raise WrongError(
            "memory",
            f"is too little: {_amount(memory)} are free, and the kernel takes 1 GiB to compile",
            "close other programs, or raise the limit (of the container, or `ulimit -v`)",
        )
    most = 1 if memory < _SMALL else max(1, memory // _PER_JOB)
    if most >= cores:
        return cores, ""
    by = f"{most} job{'s' * (most > 1)} instead of {cores}"
    return most, f"Memory: {_amount(memory)} are free, so the kernel is compiled by {by}"


def check_disk(folder: Path, needed: int) -> None:
    """Refuse to begin what will not fit."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WrongError(
            "the disk",
            f"has too little room in {folder}: {_amount(free)} of {_amount(needed)}",
            "make room",
        )


def _amount(amount: int) -> str:
    return f"{amount / GIB:.1f} GiB"
