"""What stops the setup, as one sentence, and how such a sentence is found in a long log."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["FailedError", "StoppedError", "WrongError", "reason"]


class WrongError(Exception):
    """What is wrong and what to do about it: *what* - *wrong* - *to_do*."""

    def __init__(self, what: str, wrong: str, to_do: str, log: Path | None = None) -> None:
        super().__init__(what, wrong, to_do, log)
        self.log = log

    def __str__(self) -> str:
        what, wrong, to_do, log = self.args
        return f"{what} - {wrong} - {to_do}" + (f" (all of it: {log})" if log else "")


class StoppedError(Exception):
    """The setup stops: another part failed, or somebody pressed Ctrl-C."""


class FailedError(Exception):
    """A program ended with an exit code, having written *text*."""

    def __init__(self, program: str, code: int, text: str) -> None:
        super().__init__(program, code, text)
        self.program, self.code, self.text = program, code, text


_AGAIN = "then run it again; what is there already is kept"
_REASONS: tuple[tuple[str, tuple[str, str, str]], ...] = (
    (
        r"No space left on device|ENOSPC|os error 28",
        ("the disk", "is full", f"make room (`make clean` removes what was built), {_AGAIN}"),
    ),
    (
        r"signal: 9\b|SIGKILL|out of memory|[Cc]annot allocate memory|"
        r"memory allocation of \d+ bytes|os error 12\b|std::bad_alloc|failed to spawn.*thread",
        (
            "memory",
            "ran out",
            f"close other programs or raise the limit, or set CARGO_BUILD_JOBS=1, {_AGAIN}",
        ),
    ),
    (
        r"linker `[^`]*` not found",
        ("the linker", "is missing", "install a C compiler, which brings one"),
    ),
    (
        r"do not match the hashes|DO NOT MATCH THE HASHES|Hash mismatch",
        (
            "a package",
            "is not the one that the lock file names",
            "do not use it; if your index changes packages, take another index",
        ),
    ),
    (
        r"spurious network error|[Cc]ould not (?:resolve|connect)|"
        r"Connection (?:refused|reset|timed)|"
        r"Temporary failure in name resolution|Name or service not known|[Nn]etwork is unreachable|"
        r"NewConnectionError|ProxyError|connect error|Request failed after|failed to download|"
        r"dns error|Read timed out|ReadTimeout|CERTIFICATE_VERIFY_FAILED|certificate verify failed|"
        r"SSL error|download of config\.json failed|Operation timed out|operation timed out",
        (
            "the network",
            "does not let it download what it needs",
            f"see that this machine reaches the internet (by a proxy: set https_proxy), {_AGAIN}",
        ),
    ),
    (
        r"No matching distribution found|No solution found",
        (
            "the package index",
            "lacks a package of the lock file",
            f"see which index pip uses (`pip config list`), {_AGAIN}",
        ),
    ),
    (
        r"cannot update the lock file|lock file .* needs to be updated",
        ("Cargo.lock", "does not fit Cargo.toml", "run `make lock`, or undo the change"),
    ),
)
"""What logs say, the likeliest cause first, and the sentence for it."""


def reason(error: FailedError, what: str, log: Path) -> WrongError:
    """Return the sentence for a program that failed while it did *what*."""
    for pattern, (subject, wrong, to_do) in _REASONS:
        if re.search(pattern, error.text) or (subject == "memory" and error.code in (-9, 137)):
            return WrongError(subject, f"{wrong} ({what})", to_do, log)
    lines = [line.strip() for line in error.text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"error|ERROR|.*Error: ", line)]
    said = (errors or lines[-1:] or [f"exit code {error.code}"])[0]
    return WrongError(what, f"failed: {said}", "read the log", log)
