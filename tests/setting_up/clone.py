"""A clone of the project for tests of the setup: no crates in it, and programs that only pretend.

What each of them was called with is in `calls`; a file in `fails/` named after a call's first words
makes it write what is in the file and fail, one in `waits/` makes it wait until it is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from waiting import PATIENCE

ROOT = Path(__file__).parents[2]

# Only what the shell itself can do: some tests leave nothing else in PATH.
_PRETENDED = """#!/bin/sh
name="${0##*/}"
echo "$name $*" >> "$CLONE/calls"
first="$name-$1"; [ "$1" = -m ] && first="$name-$2"
if [ -e "$CLONE/waits/$first" ]; then
    echo $$ > "$CLONE/waits/$first"
    /bin/sleep 60 &
    echo $! > "$CLONE/waits/$first.child"
    wait
fi
if [ -e "$CLONE/fails/$first" ]; then
    while IFS= read -r line; do echo "$line"; done < "$CLONE/fails/$first" >&2
    exit 101
fi
case "$first" in
    cargo--V) echo "cargo $(/bin/cat "$CLONE/rust") (0 2026-01-01)" ;;
    rustc--vV) echo "rustc $(/bin/cat "$CLONE/rust") (0 2026-01-01)"; echo "host: x86_64-linux" ;;
    rustc---print) /bin/cat "$CLONE/instructions" ;;
    cargo-tree) echo "one v1"; echo "two v1"; echo "three v1"; echo "one v1" ;;
    python--c) echo True ;;
    maturin-develop)
        echo "       Fresh one v1"
        echo "   Compiling two v1"
        echo "   Compiling three v1 ($CLONE/crates/three)"
        echo "    Finished release"
        library="$CLONE/python/evoply/_native.abi3.so"
        [ -e "$library" ] || echo library > "$library" ;;
    evoply-evolve) echo "a champion"; exit "$(/bin/cat "$CLONE/evolved")" ;;
esac
"""
_PROGRAMS = ("cargo", "rustc", "cc")
_IN_VENV = ("python", "pip", "uv", "maturin", "evoply")


@dataclass(frozen=True)
class Clone:
    """The folder of a clone, and what can be asked of its setup."""

    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment whose PATH has the pretended programs alone."""
        passed = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        path = str(self.folder / "programs")
        return {**passed, "PYTHONPATH": str(ROOT), "PATH": path, "CLONE": str(self.folder), **more}

    def command(self, *words: str) -> list[str]:
        """Return the command that sets this clone up."""
        return [sys.executable, "-m", "setting_up", "--root", str(self.folder), *words]

    def set_up(
        self, *words: str, memory: int | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Set up, where a process has so many bytes of *memory*, and return what came of it."""

        def limit() -> None:
            import resource  # Unix alone has it

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        return subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            preexec_fn=limit if memory else None,
        )

    def fail(self, first: str, text: str) -> None:
        """Make the calls that begin so fail with these words."""
        (self.folder / "fails" / first).write_text(f"{text}\n")

    def calls(self) -> list[str]:
        """Return what was called since the last time."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


def make_clone(folder: Path) -> Clone:
    """Make a clone with a .venv that has everything but its stamps."""
    for name in ("programs", "fails", "waits", "crates/core/src", "python/evoply", ".venv/bin"):
        (folder / name).mkdir(parents=True)
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-bench.lock"):
        (folder / name).write_text(
            "maturin==1 \\\n    --hash=sha256:0\nuv==2 \\\n    --hash=sha256:1\n"
        )
    (folder / "Cargo.toml").write_text('[workspace.package]\nrust-version = "1.89"\n')
    (folder / "Cargo.lock").write_text("")
    (folder / "crates/core/Cargo.toml").write_text("")
    (folder / "crates/core/src/lib.rs").write_text("// nothing\n")
    (folder / "pyproject.toml").write_text(
        '[tool.maturin]\nfeatures = ["pyo3/extension-module"]\n'
        'manifest-path = "crates/core/Cargo.toml"\n'
    )
    (folder / "rust").write_text("1.95.0")
    (folder / "evolved").write_text("0")
    (folder / "instructions").write_text(
        'target_arch="x86_64"\n'
        + "".join(
            f'target_feature="{name}"\n' for name in ("avx2", "bmi1", "bmi2", "lzcnt", "popcnt")
        )
    )
    made = [folder / "programs" / name for name in _PROGRAMS]
    made += [folder / ".venv" / "bin" / name for name in _IN_VENV]
    for program in made:
        program.write_text(_PRETENDED)
        program.chmod(0o755)
    return Clone(folder)
