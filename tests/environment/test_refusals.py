"""What a disk refuses is told from damage, whatever SQLite or the system says about it."""

import errno
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

from evoply.environment import refusal_of
from evoply.environment.refusals import reason

DAMAGE = {
    "SQLITE_IOERR_SHORT_READ",
    "SQLITE_IOERR_DATA",
    "SQLITE_IOERR_CORRUPTFS",
    "SQLITE_CORRUPT",
    "SQLITE_CORRUPT_INDEX",
    "SQLITE_CORRUPT_VTAB",
    "SQLITE_CORRUPT_SEQUENCE",
    "SQLITE_NOTADB",
    "SQLITE_ERROR",
    "SQLITE_CONSTRAINT",
}
KINDS = ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_NOLFS")
CERTAIN = {"SQLITE_IOERR_NOMEM", "SQLITE_READONLY_DBMOVED"}
OPEN = sorted(name for name in dir(sqlite3) if name.startswith(KINDS) and name not in DAMAGE)


def raised(name: str) -> sqlite3.OperationalError:
    """Return the error of sqlite3 with the code of that name."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = getattr(sqlite3, name)
    return error


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let no file be made."""

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, "as the system says")

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.db"
    path.write_bytes(b"SQLite format 3\0")
    return path


def test_every_code_is_looked_at() -> None:
    assert {"SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_WRITE", "SQLITE_CANTOPEN"} <= set(OPEN)
    assert len(OPEN) > 30


@pytest.mark.parametrize("name", OPEN)
def test_a_code_that_leaves_it_open_is_named_by_the_disk(
    name: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, says, is_full in [
        (errno.ENOSPC, "the disk is full (as the system says) - make room on it", True),
        (errno.EDQUOT, "your share of the disk is used up", True),
        (errno.EFBIG, "no file may be that large", True),
        (errno.EROFS, "the disk is read-only", False),
        (errno.EIO, "the disk is gone or broken", False),
    ]:
        refuse(monkeypatch, number)
        refusal = refusal_of(raised(name), file)
        assert refusal is not None
        if name not in CERTAIN:
            assert says in str(refusal)
            assert refusal.is_full == is_full


@pytest.mark.parametrize("name", OPEN)
def test_a_disk_that_says_all_is_well_gets_no_blame_for_being_full(name: str, file: Path) -> None:
    refusal = refusal_of(raised(name), file)
    assert "full (" not in refusal.what
    assert [path.name for path in file.parent.iterdir()] == ["run.db"]


@pytest.mark.parametrize("name", sorted(DAMAGE))
def test_damage_is_damage_on_a_full_disk_too(
    name: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.ENOSPC)
    assert refusal_of(raised(name), file) is None
    assert refusal_of(ValueError("nonsense"), file) is None
    assert reason(ValueError("nonsense"), file) == "nonsense"


@pytest.mark.parametrize("name", ["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_LOCKED"])
def test_a_file_in_use_is_not_damaged(name: str, file: Path) -> None:
    refusal = refusal_of(raised(name), file)
    assert refusal.is_busy


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    assert "is gone" in reason(raised("SQLITE_CANTOPEN"), tmp_path / "away" / "run.db")
    assert "is gone" in reason(raised("SQLITE_READONLY_DBMOVED"), tmp_path / "run.db")


def test_errors_of_the_system_keep_its_words(tmp_path: Path) -> None:
    assert reason(OSError(errno.ENOSPC, "No space left"), tmp_path) == (
        "the disk is full (No space left) - make room on it"
    )
    assert "(Strange)" in reason(OSError(9999, "Strange"), tmp_path)
