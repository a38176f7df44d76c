"""What made a result: version, commit, machine, Python, Rust, and the command if there was one.

Results in JSON and pages carry it, so that somebody can make them again in years. It never decides
a result, so no digest covers it.
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evoply import _native
from evoply.protocols.sections import JsonData
from evoply.wording import printable

_SOURCES = Path(__file__).resolve().parents[3]
"""The source tree, if the package stands in one."""
_SECRET = ("--password", "--token")
_SECONDS = 5
_command: ContextVar[str | None] = ContextVar("command", default=None)


@dataclass(frozen=True, slots=True)
class Provenance(JsonData):
    """What made a result."""

    version: str
    commit: str | None
    """The commit of the source tree that evoply runs from, with "-dirty" if files of it were
    changed; None for an installed package."""
    machine: str
    python: str
    rust: str | None
    """The version of the compiler of the kernel."""
    command: str | None
    """The command line without secrets; None in a program of the user's own."""

    def __str__(self) -> str:
        """Return it in a line, without the command."""
        commit = f" (commit {self.commit})" if self.commit else ""
        rust = f", Rust {self.rust}" if self.rust else ""
        return f"evoply {self.version}{commit}, Python {self.python}{rust}, {self.machine}"


def provenance() -> Provenance:
    """Return what makes results in this process now."""
    import platform  # only what writes a result needs it

    return Provenance(
        version=_native.__version__,
        commit=_commit(),
        machine=_machine(),
        python=platform.python_version(),
        # A kernel that was built before it told this has none.
        rust=getattr(_native, "rust", None) or None,
        command=_command.get(),
    )


@contextmanager
def running(arguments: Sequence[str]) -> Iterator[None]:
    """Let results within say that the command `evoply` with *arguments* made them."""
    known = _command.set(command_of([*_without_secrets(arguments)]))
    try:
        yield
    finally:
        _command.reset(known)


def command_of(arguments: Sequence[str]) -> str:
    """Return the command `evoply` with *arguments* as a text that any file can hold."""
    return printable(shlex.join(["evoply", *arguments]))


def _without_secrets(arguments: Sequence[str]) -> Iterator[str]:
    is_secret = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        hidden = f"{name}=..." if name in _SECRET and equals else argument
        yield "..." if is_secret else hidden
        is_secret = argument in _SECRET


@lru_cache(maxsize=1)
def _commit() -> str | None:
    if not (_SOURCES / ".git").exists() or not (_SOURCES / "crates").is_dir():
        return None
    import subprocess

    command = ["git", "-C", str(_SOURCES), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        done = subprocess.run(
            [*command, "--match="], capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None  # no git here, or not our repository
    return done.stdout.strip() or None


@lru_cache(maxsize=1)
def _machine() -> str:
    import platform

    cores = os.cpu_count() or 1
    path = f"CPU path {_native.cpu}"
    system = f"{platform.system()} {platform.machine()}"
    return f"{system}, {cores} core{'s' * (cores != 1)}, {path}"
