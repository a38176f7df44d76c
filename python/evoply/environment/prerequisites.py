"""What evoply needs of a machine and may use there: each part looked at, with its remedy.

Only the standard library is imported, because a package, or the kernel, may be what is missing.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from evoply.environment.cores import core_count
from evoply.environment.files import runs_directory
from evoply.protocols.sections import JsonData

State = Literal["ok", "missing", "absent", "unknown"]
"""There; needed and not there; not needed and not there; not to be seen."""

_NAME = "evoply"
_OLDEST_PYTHON = (3, 11)
_MADE_BY_SETUP = "make setup"
_MEBIBYTE = 1 << 20
_LEAST_ROOM, _LEAST_MEMORY = 100 * _MEBIBYTE, 256 * _MEBIBYTE
"""A long run takes less than these on the disk and in memory."""
_PATIENCE = 10.0
"""Seconds for a program that is asked for its version."""
_REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[.*?\])?\s*\(?(?:[^;]*?>=\s*([\d.]+))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")

EXTRAS = {
    "charts": "charts, and pages that have some",
    "cluster": "runs on other machines",
    "field": "environments for PettingZoo, gymnasium and OpenSpiel",
    "pandas": "tables for pandas",
    "parquet": "tables as Parquet files",
    "statistics": "experiments and leagues",
    "tune": "`evoply tune`",
    "web": "`evoply web`",
}
"""The extras of the package that users may want, and what each is for."""
_BROWSERS = (
    "firefox", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
    "microsoft-edge", "brave-browser", "epiphany", "konqueror", "opera", "vivaldi",
)  # fmt: skip
_WITH_BROWSERS = ("darwin", "win32")


@dataclass(frozen=True, slots=True)
class Prerequisite(JsonData):
    """A part of an installation."""

    name: str
    state: State
    found: str
    """What is there, or what is wrong."""
    remedy: str = ""
    is_required: bool = False

    @property
    def is_failure(self) -> bool:
        """Whether evoply cannot do its work for want of this."""
        return self.is_required and self.state != "ok"

    @property
    def line(self) -> str:
        """The part in a line: state, name, what was found, and what to do."""
        remedy = f" - {self.remedy}" if self.remedy else ""
        return f"{self.state:<9}{self.name:<13}{self.found}{remedy}"


@dataclass(frozen=True, slots=True)
class Examination(JsonData):
    """All parts of an installation."""

    also = ("is_fit as ok",)

    parts: tuple[Prerequisite, ...]

    @classmethod
    def of_this_machine(cls) -> Examination:
        """Look at every part; one that cannot be looked at has the state "unknown"."""
        return cls(tuple(_looked_at(*look) for look in _looks()))

    @property
    def failure(self) -> str:
        """The sentence about what is needed and not there; "" if all of it is."""
        names = ", ".join(part.name for part in self.parts if part.is_failure)
        return names and f"{names} - not as evoply needs it - do what stands in the lines about it"

    @property
    def is_fit(self) -> bool:
        """Whether all is there that evoply needs."""
        return not self.failure


def _looks() -> list[tuple[str, bool, Callable[[], Prerequisite]]]:
    """Return the name of each part, whether evoply needs it, and how it is looked at."""
    looks: list[tuple[str, bool, Callable[[], Prerequisite]]] = [
        (_NAME, False, _evoply),
        ("Python", True, _python),
        ("packages", True, _packages),
        ("kernel", True, _kernel),
        *((extra, False, _extra(extra)) for extra in EXTRAS),
        ("browser", False, _browser),
        ("bubblewrap", False, _bubblewrap),
        ("runs folder", True, _runs_folder),
        ("disk", False, _disk),
        ("memory", False, _memory),
        ("cores", False, lambda: Prerequisite("cores", "ok", f"{core_count()}")),
    ]
    if _clone() is not None:
        looks.append(("Rust", False, _rust))
    return looks


def _looked_at(name: str, is_required: bool, look: Callable[[], Prerequisite]) -> Prerequisite:
    try:
        return look()
    except Exception as error:  # whatever it is: the other lines may tell why
        why = " ".join(f"cannot be looked at ({type(error).__name__}: {error})".split())
        return Prerequisite(name, "unknown", why, "see what the message says", is_required)


def _clone() -> Path | None:
    """Return the folder of the sources that this package lies in; None if it was installed."""
    folder = Path(__file__).resolve().parents[3]
    return folder if (folder / "Cargo.toml").is_file() else None


def how_to_install(extra: str = "") -> str:
    """Return the command that installs what evoply needs, or what *extra* needs, where it runs.

    It names the clone, the wheel or the address that evoply came from, else the packages; never
    evoply by its name alone, which is on no index: whoever took the name there would be asked.
    """
    origin = _origin()
    if origin == _MADE_BY_SETUP:
        return f"`{_MADE_BY_SETUP}` in the clone"
    wanted = f"[{extra}]" if extra else ""
    if not origin:
        words = [text for text, *_ in _requirements(extra)]
    elif "://" in origin:
        words = [f"{_NAME}{wanted} @ {origin}"]
    else:
        words = [*(["-e"] if _clone() is not None else []), f"{origin}{wanted}"]
    return f"`pip install {shlex.join(words)}`"


def missing_package(module: str) -> str:
    """Return the sentence for a package of which *module* cannot be found."""
    name = module.partition(".")[0]
    return f"the package {name} - is not installed - {how_to_install(_extra_of(name))}"


@contextmanager
def from_an_extra() -> Iterator[None]:
    """Import in this block what an extra brings; where it is missing, the error says what to do.

    >>> with from_an_extra():
    ...     from scipy.special import ndtr
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == _NAME:
            raise
        raise ModuleNotFoundError(missing_package(error.name), name=error.name) from None


def missing_kernel() -> str:
    """Return what to do where the kernel is not there."""
    if _clone() is not None:
        return "`make setup` in the clone"
    wheel = _origin() or "the wheel of evoply"
    return f"install it again: `pip install --force-reinstall --no-deps {shlex.quote(wheel)}`"


def _origin() -> str:
    """Return what evoply was installed from: a path or a URL, or the verb of a clone's own .venv.

    "" where nobody says, or where it is no longer there. Installers note it (PEP 610).
    """
    clone = _clone()
    if clone is not None:
        is_own = Path(sys.prefix).resolve() == (clone / ".venv").resolve()
        return _MADE_BY_SETUP if is_own else str(clone)
    try:
        noted = json.loads(metadata.distribution(_NAME).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url, source = str(noted.get("url", "")), noted.get("vcs_info", {})
    if source:
        return f"{source['vcs']}+{url}@{source['commit_id']}"
    if not url.startswith("file:"):
        return url
    path = Path(url2pathname(urlsplit(url).path))
    return str(path) if path.exists() else ""


def _extra_of(module: str) -> str:
    """Return the extra that brings a module; "" if none does, because evoply always needs it."""
    for extra in EXTRAS:
        names = [name.replace("-", "_") for _, name, _ in _requirements(extra)]
        if any(f"{name}_".startswith(f"{module}_") for name in names):  # vl-convert-python
            return extra
    return ""


def _evoply() -> Prerequisite:
    return Prerequisite(_NAME, "ok", f"{metadata.version(_NAME)}, in {Path(__file__).parents[1]}")


def _python() -> Prerequisite:
    found = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info >= _OLDEST_PYTHON:
        return Prerequisite("Python", "ok", found, is_required=True)
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    return Prerequisite(
        "Python", "missing", found, f"install Python {oldest} or later", is_required=True
    )


def _packages() -> Prerequisite:
    found, wrong = _installed("")
    if wrong:
        remedy = how_to_install()
        return Prerequisite("packages", "missing", ", ".join(wrong), remedy, is_required=True)
    return Prerequisite("packages", "ok", ", ".join(found), is_required=True)


def _extra(extra: str) -> Callable[[], Prerequisite]:
    def look() -> Prerequisite:
        name, found, wrong = f"[{extra}]", *_installed(extra)
        if wrong:
            remedy = f"{how_to_install(extra)}, if you want {EXTRAS[extra]}"
            return Prerequisite(name, "absent", ", ".join(wrong), remedy)
        return Prerequisite(name, "ok", f"{', '.join(found)}: {EXTRAS[extra]}")

    return look


def _installed(extra: str) -> tuple[list[str], list[str]]:
    """Return what is there of that which *extra* needs, and what is wrong; "" for no extra."""
    found, wrong = [], []
    for _, name, least in _requirements(extra):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        if _numbers(version) < _numbers(least):
            wrong.append(f"{name} is {version}, and {least} is the oldest that will do")
        else:
            found.append(f"{name} {version}")
    return found, wrong


def _requirements(extra: str) -> Iterator[tuple[str, str, str]]:
    """Yield what *extra* needs ("": evoply itself): as pip takes it, its name, the oldest one."""
    for requirement in metadata.requires(_NAME) or ():
        text, _, condition = requirement.partition(";")
        belongs = _EXTRA.search(condition)
        matched = _REQUIREMENT.match(text.strip())
        if matched is not None and (belongs[1] if belongs else "") == extra:
            yield text.strip(), matched[1], matched[2] or ""


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version, without zeros at the end: 15.0 is 15."""
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", version)[0])]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _kernel() -> Prerequisite:
    try:
        kernel = import_module("evoply._native")
    except ModuleNotFoundError:
        remedy = missing_kernel()
        return Prerequisite("kernel", "missing", "is not built", remedy, is_required=True)
    except ImportError as error:  # it says what to do itself
        return Prerequisite("kernel", "missing", " ".join(str(error).split()), is_required=True)
    paths: Sequence[str] = kernel.paths
    several = len(paths) > 1
    built = "for every machine" if several else "for this machine alone"
    found = (
        f"{kernel.__version__}, CPU path{'s' * several} {', '.join(paths)}"
        f" ({kernel.cpu} in use), built {built}"
    )
    return Prerequisite("kernel", "ok", found, is_required=True)


def _browser() -> Prerequisite:
    if sys.platform in _WITH_BROWSERS:
        return Prerequisite("browser", "ok", "the system's")
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        remedy = "install one, if you want `evoply web` on this machine"
        return Prerequisite("browser", "absent", "none was found", remedy)
    has_screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return Prerequisite("browser", "ok", f"{path}{'' if has_screen else ' (no screen here)'}")


def _bubblewrap() -> Prerequisite:
    remedy = "install it (Debian, Ubuntu: sudo apt install bubblewrap), if you run strangers' bots"
    path = shutil.which("bwrap")
    if path is None:
        return Prerequisite("bubblewrap", "absent", "is not there", remedy)
    done = _asked(path, "--ro-bind", "/", "/", "true")
    if done.returncode:
        why = " ".join((done.stderr or f"exit code {done.returncode}").split())
        return Prerequisite(
            "bubblewrap", "absent", f"{path} does not work: {why}", "allow user namespaces"
        )
    return Prerequisite("bubblewrap", "ok", path)


def _runs_folder() -> Prerequisite:
    folder = runs_directory().absolute()
    there = _existing(folder)
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"evoply")
            file.flush()
    except OSError as error:
        why = f"{folder} cannot be written: {error.strerror or error}"
        remedy = "change who may write there, make room, or name another folder by EVOPLY_RUNS"
        return Prerequisite("runs folder", "missing", why, remedy, is_required=True)
    new = "" if there == folder else " (made when it is needed)"
    return Prerequisite("runs folder", "ok", f"{folder}{new}", is_required=True)


def _existing(folder: Path) -> Path:
    """Return *folder*, or the nearest folder above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _disk() -> Prerequisite:
    free = shutil.disk_usage(_existing(runs_directory().absolute())).free
    return _amount("disk", free, _LEAST_ROOM, "make room, or name another folder by EVOPLY_RUNS")


def _memory() -> Prerequisite:
    return _amount("memory", _free_memory(), _LEAST_MEMORY, "close other programs")


def _amount(name: str, free: int, least: int, remedy: str) -> Prerequisite:
    text = f"{free / (1 << 30):.1f} GiB free"
    if free >= least:
        return Prerequisite(name, "ok", text, is_required=True)
    wanted = f"{text}, and {least // _MEBIBYTE} MiB should be"
    return Prerequisite(name, "missing", wanted, remedy, is_required=True)


def _free_memory() -> int:
    """Return the bytes that the system, and the container, still have to give."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # macOS says only how much there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024
    try:
        group = Path("/sys/fs/cgroup")
        most, taken = ((group / f"memory.{name}").read_text() for name in ("max", "current"))
        return free if most.strip() == "max" else min(free, int(most) - int(taken))
    except OSError:
        return free


def _rust() -> Prerequisite:
    """Look at what compiles the kernel, in a clone: where it is built, it is only for the next."""
    clone = _clone()
    assert clone is not None
    is_needed = not any((clone / "python" / _NAME).glob("_native*"))
    text = (clone / "Cargo.toml").read_text(encoding="utf-8")
    wanted = re.search(r'(?m)^rust-version = "([\d.]+)"', text)
    least = wanted[1] if wanted else ""
    state: State = "missing" if is_needed else "absent"
    remedy = f"install Rust {least} or later (https://rustup.rs) to build the kernel"
    for program in ("cargo", "rustc"):
        if shutil.which(program) is None:
            return Prerequisite("Rust", state, f"{program} is missing", remedy, is_needed)
    said = _asked("rustc", "--version").stdout.strip()
    version = re.search(r"\d+(?:\.\d+)*", said)
    if version is None or _numbers(version[0]) < _numbers(least):
        return Prerequisite("Rust", state, f"{said or 'rustc does not run'}", remedy, is_needed)
    if shutil.which("cc") is None:
        why = "there is no C compiler `cc` to link the kernel"
        how = "install one (Debian, Ubuntu: sudo apt install build-essential)"
        return Prerequisite("Rust", state, why, how, is_needed)
    return Prerequisite("Rust", "ok", said, is_required=is_needed)


def _asked(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False
    )
