"""A sound run on a full disk is read as elsewhere, and never called damaged."""

import errno
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_settings import change, small_config

from evoply import Run
from evoply.cli import main
from evoply.runs import RunError, advance, leave_request, list_runs
from evoply.runs.folder import how_to_go_on
from full_disks import call_where_files_are_small, fill, small_disk

READING = [
    ("runs",),
    ("runs", "first", "--check"),
    ("runs", "first"),
    ("show", "champion@first"),
    ("match", "champion@first", "greedy", "--games", "2"),
]


def put(finished: Path, folder: Path) -> Path:
    """Copy a run without the files that SQLite makes beside it."""
    shutil.copytree(finished, folder, ignore=shutil.ignore_patterns("run.db-*"))
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_commands_where_files_can_be_no_larger(finished: Path, tmp_path: Path) -> None:
    put(finished, tmp_path / "runs" / "first")
    for arguments in (READING[1], READING[-1]):  # the others read the same file
        done = call_where_files_are_small(*arguments, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "damaged" not in done.stdout + done.stderr
    longer = ("resume", "first", "--generations", "6", "--json")
    done = call_where_files_are_small(*longer, cwd=tmp_path)
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert "cannot be written: no file may be that large" in error
    assert "All steps so far are safe" in error
    assert error.endswith("go on with `evoply resume first`")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.setenv("EVOPLY_RUNS", str(disk))
        yield disk


def test_commands_on_a_full_disk(
    finished: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(finished, disk / "first")
    file = fill(disk)
    for arguments in READING:
        assert main([*arguments, "--json"]) == 0
        assert "damaged" not in capsys.readouterr().out
    longer = ["resume", "first", "--generations", "5", "--no-tests", "--json"]
    assert main(longer) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert "the disk is full" in error
    assert "evoply resume first" in error
    file.unlink()
    assert main(longer) == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 5


def test_the_newest_part_is_read_on_a_full_disk(finished: Path, disk: Path) -> None:
    """A killed process leaves steps in a file beside the database."""
    original = disk.parent / "original"
    shutil.copytree(finished, original)
    with Run.open(original) as run:
        run.record("late")
        shutil.copytree(original, disk / "first", ignore=shutil.ignore_patterns("run.db-shm"))
    assert (disk / "first" / "run.db-wal").stat().st_size
    fill(disk)
    with Run.open(disk / "first") as run:
        assert run.events()[-1]["kind"] == "late"
        assert run.check() > 12


def test_damage_is_still_damage_on_a_full_disk(finished: Path, disk: Path) -> None:
    folder = put(finished, disk / "first")
    change(folder, "UPDATE steps SET state = edited(state, '$.number', 7) WHERE number = 0")
    shutil.copytree(folder, disk / "second")
    (disk / "second" / "run.db").write_bytes(b"no database at all" * 100)
    fill(disk)
    with Run.open(folder) as run, pytest.raises(RunError, match="is damaged"):
        run.check()
    with pytest.raises(RunError, match="is damaged"):
        Run.open(disk / "second")


def test_nothing_can_be_made_on_a_full_disk(disk: Path) -> None:
    fill(disk)
    with pytest.raises(RunError, match="cannot be created: the disk is full"):
        Run.create(disk / "first", small_config())
    assert list_runs() == []


@pytest.mark.parametrize(
    "code", ["SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP", "SQLITE_IOERR_WRITE", "SQLITE_CANTOPEN"]
)
def test_a_disk_is_named_whatever_sqlite_says(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    folder = put(finished, tmp_path / "first")

    def refuse(number: int) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("tempfile.TemporaryFile", fail)

    def cannot(*_: object, **__: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = getattr(sqlite3, code)
        raise error

    monkeypatch.setattr("evoply.runs.schema._open", cannot)
    for number, says in [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "the disk is read-only"),
        (errno.EIO, "the disk is gone or broken"),
    ]:
        refuse(number)
        with pytest.raises(RunError, match=f"cannot be read: {says}") as error:
            Run.open(folder)
        assert "damaged" not in str(error.value)
    assert not [line for line in list_runs_in(folder.parent, monkeypatch) if line.error]
    (folder / "run.db-wal").touch()  # somebody may be writing: a list opens the run, too
    (summary,) = [line for line in list_runs_in(folder.parent, monkeypatch) if line.error]
    assert "cannot be read: the disk is gone" in str(summary.error)


def list_runs_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    monkeypatch.setenv("EVOPLY_RUNS", str(folder))
    return list(list_runs())


def test_a_database_in_use_is_not_damaged(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = put(finished, tmp_path / "first")
    connect = sqlite3.connect

    def hasty(*arguments: object, **options: object) -> sqlite3.Connection:
        return connect(*arguments, **{**options, "timeout": 0.01})  # type: ignore[call-overload]

    other = sqlite3.connect(folder / "run.db")
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("evoply.runs.schema.sqlite3.connect", hasty)
    with pytest.raises(RunError, match="cannot be read: another program is using it"):
        Run.open(folder)
    other.close()


def test_a_file_that_the_system_does_not_give_is_not_damaged(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = put(finished, tmp_path / "first")
    opened = Path.open

    def fail(path: Path, *arguments: object, **options: object) -> object:
        if path.name == "config.toml":
            raise OSError(errno.EIO, "Input/output error", str(path))
        return opened(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(RunError, match=r"config\.toml cannot be read: the disk is gone or broken"):
        Run.open(folder)


def test_a_request_that_cannot_be_left(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("evoply.runs.folder.write_atomically", fail)
    with pytest.raises(RunError, match="cannot be asked to stop: the disk is full"):
        leave_request(finished, "stop")


def test_the_command_that_goes_on_names_what_there_is(tmp_path: Path, home: Path) -> None:
    assert how_to_go_on(home / "first") == "evoply resume first"
    assert how_to_go_on(tmp_path / "my runs" / "a") == f"evoply resume '{tmp_path}/my runs/a'"
    unit = home / "sizes" / "runs" / "2-size=4-seed-2"
    assert how_to_go_on(unit) == f"evoply resume {unit}"
    unit.mkdir(parents=True)
    (home / "sizes" / "experiment.toml").write_text("")
    assert how_to_go_on(unit) == f"evoply experiment {home / 'sizes'}"


def test_a_unit_on_a_full_disk_names_its_experiment(home: Path) -> None:
    unit = home / "sizes" / "runs" / "2-size=4-seed-2"
    unit.parent.mkdir(parents=True)
    (home / "sizes" / "experiment.toml").write_text("")
    with Run.create(unit, small_config(generations=50)) as run:
        pages = run.table("PRAGMA page_count")[0]["page_count"]
        run.table(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(RunError, match=rf"go on with `evoply experiment {home / 'sizes'}`"):
            list(advance(run))
