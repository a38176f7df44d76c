"""The kernel, compiled for some CPU paths and put into python/evoply; never twice for the same.

maturin builds it, because it knows what each system wants of a library for Python. Its sources,
the paths, the compiler and what it was told are the stamp by which a later setup knows it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setting_up.needs import Rust
from setting_up.packages import Packages, read_stamp, write_stamp
from setting_up.running import Log, Programs
from setting_up.wrong import FailedError, reason

__all__ = ["Crates", "Kernel", "cargo_features"]

_TOLD = re.compile(r"(CARGO_(ENCODED_|BUILD_)?RUSTFLAGS|RUSTFLAGS|CARGO_PROFILE_RELEASE_.*)")
"""Names of the environment that make another library of the same sources."""


def cargo_features(paths: tuple[str, ...]) -> str:
    """Return the features of the kernel's crates for some CPU paths."""
    return ",".join(f"path-{path}" for path in paths)


class Crates:
    """How far cargo is, from what it says.

    `Compiling NAME` when a crate begins, `Fresh NAME` where nothing is to do.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._seen: set[str] = set()
        self.compiled, self.fresh = 0, 0

    def after(self, line: str) -> str:
        """Return what to say after a line of cargo's; "" if it changes nothing."""
        found = re.match(r"\s*(Compiling|Fresh|Blocking|Finished)\b\s*(\S*)(.*)", line)
        if found is None:
            return ""
        what, name, version = found.groups()
        if what == "Blocking":
            return "waiting for another cargo that runs in this folder"
        if what == "Finished":
            return "putting it into place"
        crate = f"{name}{version.split('(')[0].rstrip()}"
        if crate in self._seen:
            return ""
        self._seen.add(crate)
        if what == "Fresh":
            self.fresh += 1
            return ""
        self.compiled += 1
        return f"compiling crate {len(self._seen)} of {max(self._total, len(self._seen))}: {name}"


@dataclass(frozen=True)
class Kernel:
    """The kernel of a clone for some CPU paths; `jobs` compile it."""

    root: Path
    paths: tuple[str, ...]
    rust: Rust
    environment: Packages
    jobs: int | None = None

    @property
    def _stamp(self) -> Path:
        return self.root / ".venv" / ".kernel.json"

    @property
    def _project(self) -> dict[str, Any]:
        return tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))

    def state(self) -> dict[str, Any]:
        """Return all that the library is made of."""
        told = {name: value for name, value in sorted(os.environ.items()) if _TOLD.fullmatch(name)}
        summed = hashlib.sha256(repr(self._project["tool"]["maturin"]).encode())
        for file in self._sources():
            content = file.read_bytes()
            name = file.relative_to(self.root).as_posix()
            summed.update(f"{name}\0{len(content)}\0".encode() + content)
        return {
            "paths": list(self.paths),
            "profile": "release",
            "rust": self.rust.version,
            "told": told,
            "sources": summed.hexdigest(),
        }

    def _sources(self) -> Iterator[Path]:
        for name in (
            "Cargo.toml",
            "Cargo.lock",
            "rust-toolchain",
            "rust-toolchain.toml",
            ".cargo/config.toml",
        ):
            if (self.root / name).is_file():
                yield self.root / name
        for crate in sorted(path for path in (self.root / "crates").iterdir() if path.is_dir()):
            own = [crate / "Cargo.toml", crate / "build.rs", *sorted((crate / "src").rglob("*"))]
            yield from (file for file in own if file.is_file())

    def _libraries(self) -> dict[str, list[int]]:
        """Return the libraries that lie in the package, by name: size and time."""
        found = sorted((self.root / "python" / "evoply").glob("_native*.so"))
        return {file.name: [(facts := file.stat()).st_size, facts.st_mtime_ns] for file in found}

    def is_there(self) -> bool:
        """Return whether the library in the package is this one, and nobody has changed it."""
        stamp, libraries = read_stamp(self._stamp), self._libraries()
        return (
            bool(libraries)
            and stamp.get("library") == libraries
            and stamp.get("of") == self.state()
        )

    def is_installed(self) -> bool:
        """Return whether `.venv` knows the package, by what pyproject.toml says now."""
        return (
            read_stamp(self._stamp).get("project") == self._project_sum()
            and (self.environment.programs_folder / "evoply").exists()
        )

    def _project_sum(self) -> str:
        return hashlib.sha256((self.root / "pyproject.toml").read_bytes()).hexdigest()

    def fetch(self, programs: Programs, log: Log, say: Callable[[str], None]) -> float:
        """Download the crates; return the seconds that it took."""
        say("downloading crates")
        began = time.monotonic()
        target = ["--target", self.rust.host] if self.rust.host else []
        try:
            programs.run(["cargo", "fetch", "--locked", *target], log)
        except FailedError as error:
            raise reason(error, "downloading the kernel's crates", log.path) from None
        return time.monotonic() - began

    def compile(
        self,
        programs: Programs,
        log: Log,
        say: Callable[[str], None],
        first_are_there: threading.Event,
    ) -> int:
        """Compile the library and put it into the package; return how many crates were compiled."""
        say("waiting for maturin")
        programs.wait(first_are_there)
        state = self.state()  # from before: who changes a file meanwhile finds it out of date
        crates = Crates(self._count(programs, log))
        say("compiling")

        def show(line: str) -> None:
            if text := crates.after(line):
                say(text)

        cost = {"whole": False, "seconds": 0.0, "at": 0.0}

        def end(seconds: float) -> None:
            cost.update(whole=crates.fresh == 0, seconds=seconds, at=time.time())

        try:
            programs.run(
                self._maturin("develop", "--skip-install", "-v"),
                log,
                environment=self._variables(),
                on_line=show,
                on_end=end,
            )
        except FailedError as error:
            raise reason(error, "compiling the kernel", log.path) from None
        stamp = read_stamp(self._stamp)
        made = {"library": self._libraries(), "of": state, "cost": cost}
        write_stamp(self._stamp, {**stamp, **made})
        return crates.compiled

    def cost(self, minutes: float) -> float | None:
        """Return the processor seconds of `compile`; None where they say nothing.

        So it is where the library is another one, crates were there before, or it ended more than
        *minutes* ago: what a machine is busy with changes its processor seconds, too.
        """
        cost = read_stamp(self._stamp).get("cost", {})
        if not cost.get("whole") or not self.is_there():
            return None
        return float(cost["seconds"]) if time.time() - cost["at"] <= 60 * minutes else None

    def pack(
        self,
        programs: Programs,
        log: Log,
        folder: Path,
        *,
        anew: bool = False,
        on_end: Callable[[float], None] = lambda seconds: None,
    ) -> Path:
        """Write a wheel of this kernel and the package, for this machine alone; return its path.

        Where the kernel is there, nothing is compiled, and it takes seconds; unless it is compiled
        *anew*, below *folder*. *on_end* gets the processor seconds.
        """
        for old in folder.glob("*.whl"):
            old.unlink()
        words = ["--interpreter", str(self.environment.python), "--compatibility", "linux"]
        if anew:
            shutil.rmtree(folder / "built", ignore_errors=True)
            words += ["--target-dir", str(folder / "built")]
        try:
            programs.run(
                self._maturin("build", *words, "--out", str(folder)),
                log,
                environment=self._variables(),
                on_end=on_end,
            )
        except FailedError as error:
            raise reason(error, "making a wheel", log.path) from None
        (wheel,) = folder.glob("*.whl")
        return wheel

    def install(self, programs: Programs, log: Log) -> None:
        """Make `import evoply` and the command `evoply` of `.venv` lead to this folder."""
        by_uv = ["--uv"] if (self.environment.programs_folder / "uv").exists() else []
        try:
            programs.run(self._maturin("develop", *by_uv), log, environment=self._variables())
        except FailedError as error:
            raise reason(error, "installing evoply into .venv", log.path) from None
        stamp = read_stamp(self._stamp)
        # Compiled again or not, the library may have been copied again.
        changed = {"library": self._libraries(), "project": self._project_sum()}
        write_stamp(self._stamp, {**stamp, **changed})

    def _maturin(self, verb: str, *words: str) -> list[str | Path]:
        # Features on the command line take the place of those of pyproject.toml.
        always = ",".join(self._project["tool"]["maturin"].get("features", []))
        features = ",".join(filter(None, (always, cargo_features(self.paths))))
        jobs = [] if self.jobs is None else ["--jobs", str(self.jobs)]
        return [
            self.environment.programs_folder / "maturin", verb, "--release", "--locked", *jobs,
            "--no-default-features", "--features", features, *words,
        ]  # fmt: skip

    def _variables(self) -> dict[str, str | None]:
        path = f"{self.environment.programs_folder}{os.pathsep}{os.environ.get('PATH', '')}"
        plain = {"CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"}
        # maturin refuses two environments at once.
        venv = {"VIRTUAL_ENV": str(self.root / ".venv"), "CONDA_PREFIX": None}
        return {**plain, **venv, "PATH": path}

    def _count(self, programs: Programs, log: Log) -> int:
        """Return how many crates there are to compile, for the progress alone."""
        manifest = self._project["tool"]["maturin"]["manifest-path"]
        tree = "cargo tree --locked --offline --edges normal,build --prefix none --no-dedupe"
        features = ("--no-default-features", "--features", cargo_features(self.paths))
        command = [*tree.split(), "--format", "{p}", "--manifest-path", manifest, *features]
        try:
            return len(set(programs.run(command, log).split("\n")) - {""})
        except FailedError:
            return 0
