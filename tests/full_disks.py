"""Full disks for tests: a file system in memory where mounting is allowed, or a limit on files."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from programs import reason


@contextmanager
def small_disk(folder: Path, megabytes: int = 4) -> Iterator[Path]:
    """Give *folder* as a disk of its own; skip the test where nobody may mount one."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "evoply-test", str(folder)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, check=False)
    except OSError:
        pytest.skip(reason("the command `mount`"))
    if done.returncode:
        pytest.skip(reason("a disk to mount, as root can"))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill a small disk, and return the file that does so, to be removed."""
    file = disk / "fill"
    # Others may write meanwhile, so what is free now says little.
    with file.open("wb", buffering=0) as output, suppress(OSError):
        while True:
            output.write(bytes(2**12))
    return file


def call_where_files_are_small(
    *arguments: str, cwd: Path, most: int = 1000
) -> "subprocess.CompletedProcess[str]":
    """Run a command that can write no more than *most* bytes of any file."""
    resource = pytest.importorskip("resource")
    return subprocess.run(
        [sys.executable, "-m", "evoply", *arguments],
        cwd=cwd,
        text=True,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "EVOPLY_RUNS": str(cwd / "runs")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
