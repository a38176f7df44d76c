"""Kernels to measure and to test by: all CPU paths, built as they are released, once, and kept.

`built` gives that of a commit; `built_here` that of this tree, under the Python of this tree. Which
state of the kernel a build is of, a hash of its sources says. As a program it prints the folder
that has the package of this tree, to be put on PYTHONPATH, where it comes before whatever evoply is
installed; the library that lies in the tree itself, which may be a quick one, is not touched.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", ".cargo", "crates")
LIBRARIES = ("_native*.so", "_native*.pyd")


def run(*command: str | Path, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    """Return what a command prints; its errors are shown."""
    return subprocess.run(
        command, cwd=cwd, env=environment, check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def kept() -> Path:
    """Return the folder of builds; whoever wants the room back may delete it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "evoply" / "kernels"


def state(root: Path = ROOT) -> str:
    """Return a hash of the kernel's sources in a tree: names and contents, tracked or not."""
    summed = hashlib.sha256()
    for name in SOURCES:
        place = root / name
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in filter(Path.is_file, files):
            content = file.read_bytes()
            summed.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            summed.update(content)
    return summed.hexdigest()[:16]


def built(commit: str) -> Path:
    """Return a folder with the evoply of a commit, as released, and beside it its benchmarks."""
    folder = kept() / commit
    if not (folder / "evoply").is_dir():
        with _checked_out(commit) as tree:
            _build(tree, folder, f"the kernel of {commit[:12]}", kept() / "target")
    if not (folder / "benchmarks").is_dir():
        _keep_benchmarks(commit, folder)
    return folder


def built_here(root: Path = ROOT) -> Path:
    """Return a folder with the evoply of a tree as it is now, whose library is as released.

    Its Python is that of the tree, file by file, so that it never has to be made again. Folders of
    other states of the kernel stay: somebody may be at work with them.
    """
    folder = kept() / f"here-{state(root)}"
    if not folder.is_dir():
        about = "the kernel of this tree with all CPU paths, as it is released"
        _build(root, folder, about, kept() / "target-here", only_library=True)
    package = root / "target" / "kernels" / folder.name
    _mirror(root / "python" / "evoply", package / "evoply")
    for library in _libraries(folder / "evoply"):
        _copy(library, package / "evoply" / library.name)
    return package


def library_of_the_tree(root: Path = ROOT) -> Path | None:
    """Return the library that lies in the tree, as `make setup` builds it; None without one."""
    return next(iter(_libraries(root / "python" / "evoply")), None)


def _libraries(package: Path) -> list[Path]:
    return [library for pattern in LIBRARIES for library in sorted(package.glob(pattern))]


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    """Give a worktree of a commit, and take it away afterwards."""
    kept().mkdir(parents=True, exist_ok=True)
    tree = Path(tempfile.mkdtemp(dir=kept(), prefix="tree-"))
    run("git", "worktree", "add", "--quiet", "--force", "--detach", tree, commit)
    try:
        yield tree
    finally:
        run("git", "worktree", "remove", "--force", tree)


def command_of(tree: Path, target: Path, made: Path) -> list[str | Path]:
    """Return the command that builds the wheel of a tree in the profile of its wheels."""
    manifest = tomllib.loads((tree / "Cargo.toml").read_text(encoding="utf-8"))
    has_own = "dist" in manifest.get("profile", {})  # once it was the release profile
    profile = ("--profile", "dist") if has_own else ("--release",)
    return [
        Path(sys.executable).with_name("maturin"), "build", "--quiet", *profile, "--locked",
        "--target-dir", target, "--interpreter", sys.executable, "--out", made,
    ]  # fmt: skip


def environment_of_a_build() -> dict[str, str]:
    """Return the environment without what would make another library than a release has."""
    kept_ones = {k: v for k, v in os.environ.items() if not k.startswith("CARGO_PROFILE_")}
    return {**kept_ones, "EVOPLY_PATHS": "all"}


def _build(
    tree: Path, folder: Path, about: str, target: Path, *, only_library: bool = False
) -> None:
    """Build the wheel of a tree and keep what is in it as *folder*, whole or not at all."""
    kept().mkdir(parents=True, exist_ok=True)
    print(f"building {about}: many minutes, once", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=kept()) as made:
        command = command_of(tree, target, Path(made))
        run(*command, cwd=tree, environment=environment_of_a_build())
        with zipfile.ZipFile(next(Path(made).glob("*.whl"))) as wheel:
            names = wheel.namelist()
            if only_library:
                names = [name for name in names if name.startswith("evoply/_native")]
                names = [name for name in names if name.endswith((".so", ".pyd"))]
            wheel.extractall(Path(made) / "unpacked", names)
        _put(Path(made) / "unpacked", folder)


def _keep_benchmarks(commit: str, folder: Path) -> None:
    """Write the benchmarks of a commit beside its evoply: they know its names."""
    listed = run("git", "ls-tree", "--name-only", commit, "benchmarks/").split()
    with tempfile.TemporaryDirectory(dir=folder) as made:
        written = Path(made) / "benchmarks"
        written.mkdir()
        for name in listed:
            if name.endswith(".py"):
                (written / Path(name).name).write_text(
                    run("git", "show", f"{commit}:{name}"), encoding="utf-8"
                )
        _put(written, folder / "benchmarks")


def _put(made: Path, folder: Path) -> None:
    """Move a folder to its place, unless another process was faster."""
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _mirror(source: Path, package: Path) -> None:
    """Make *package* the folders of *source* with links to its files, except for a library.

    Links lead from one place in the tree to another, so the tree may be moved. What is right
    already is left alone, because a process may be reading it.
    """
    wanted = {
        file.relative_to(source)
        for file in source.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not _is_library(file)
    }
    for name in wanted:
        link = package / name
        link.parent.mkdir(parents=True, exist_ok=True)
        target = os.path.relpath(source / name, link.parent)
        if not (link.is_symlink() and str(link.readlink()) == target):
            fresh = link.with_name(f".{link.name}.{os.getpid()}")
            fresh.symlink_to(target)
            fresh.replace(link)
    for link in package.rglob("*"):
        if link.is_symlink() and link.relative_to(package) not in wanted:
            link.unlink()


def _is_library(file: Path) -> bool:
    return any(file.match(pattern) for pattern in LIBRARIES)


def _copy(library: Path, place: Path) -> None:
    """Have a copy of the library there; it outlives the folder of builds."""
    if not place.is_file():
        fresh = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.copyfile(library, fresh)
        fresh.replace(place)


if __name__ == "__main__":
    print(built_here())
