"""The programs that must be there before anything begins: cargo, a linker, a Python with venv.

Reasons: docs/design/kernel.md.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from setting_up.wrong import WrongError

__all__ = ["Rust", "check_linker", "check_venv", "find_rust"]

_GET_RUST = "install it with rustup (https://rustup.rs) and open a new terminal"


@dataclass(frozen=True)
class Rust:
    """The Rust that is there: what it calls itself, its machine, the instructions of this one."""

    version: str
    host: str
    features: frozenset[str]


def find_rust(root: Path) -> Rust:
    """Return the Rust in PATH; refuse one that is missing, does not run, or is too old."""
    oldest = re.search(r'(?m)^rust-version = "([\d.]+)"', (root / "Cargo.toml").read_text("utf-8"))
    minimum = oldest[1] if oldest else "0"
    for program in ("cargo", "rustc"):
        if shutil.which(program) is None:
            raise WrongError(
                program, "is missing", f"evoply needs Rust {minimum} or later: {_GET_RUST}"
            )
    facts = _said(root, "rustc", "-vV") + _said(root, "cargo", "-V")
    numbers = [
        tuple(map(int, found))
        for found in re.findall(r"^(?:rustc|cargo) (\d+)\.(\d+)", facts, re.M)
    ]
    if len(numbers) < 2 or min(numbers) < tuple(map(int, minimum.split(".")[:2])):
        have = "unknown" if len(numbers) < 2 else ".".join(map(str, min(numbers)))
        raise WrongError(
            "Rust",
            f"is {have}, and evoply needs {minimum} or later",
            "run `rustup update`, or install rustup (https://rustup.rs) where Rust is the system's",
        )
    host = re.search(r"^host: (.*)$", facts, re.M)
    # The compiler knows what this machine has, on every system, in the words of the kernel.
    known = _said(root, "rustc", "--print", "cfg", "-C", "target-cpu=native")
    features = frozenset(re.findall(r'^target_feature="(.*)"$', known, re.M))
    is_x86 = 'target_arch="x86_64"' in known
    return Rust(facts, host[1] if host else "", features if is_x86 else frozenset())


def _said(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise WrongError(command[0], f"does not run: {said}", f"mend it, or {_GET_RUST}")
    return done.stdout


def check_linker() -> None:
    """Refuse to compile for minutes where the linker at the end is missing."""
    if any(re.fullmatch(r"CARGO_TARGET_.*_LINKER", name) for name in os.environ):
        return  # somebody knows better
    wrong = "is missing"
    if shutil.which("cc") is not None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "main.c"
            source.write_text("int main(void) { return 0; }\n")
            command = ["cc", str(source), "-o", str(source.with_suffix(""))]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode == 0:
            return
        wrong = (
            f"makes no program: {(done.stderr.strip() or 'it does not say why').splitlines()[-1]}"
        )
    raise WrongError(
        "the C compiler cc",
        wrong,
        "install one (Debian, Ubuntu: sudo apt install build-essential; "
        "Fedora: sudo dnf install gcc; macOS: xcode-select --install)",
    )


def check_venv() -> None:
    """Refuse a Python that cannot make .venv."""
    if any(importlib.util.find_spec(name) is None for name in ("venv", "ensurepip")):
        raise WrongError(
            "the module venv",
            f"is missing from {sys.executable}",
            "install it (Debian, Ubuntu: sudo apt install python3-venv), or name another Python: "
            "make PYTHON=...",
        )
