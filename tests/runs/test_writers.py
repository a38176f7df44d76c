"""Who writes a run: locks, second writers, readers beside them, and disks that are full."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from run_settings import small_config

from evoply import Run
from evoply.evolution import Generation, evolve
from evoply.runs import RunError, advance, is_locked
from evoply.runs.folder import WriterLock


def test_a_run_in_the_making_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    write_bytes = Path.write_bytes

    def look(path: Path, content: bytes) -> int:
        seen.append(is_locked(path.parent))
        return write_bytes(path, content)

    monkeypatch.setattr(Path, "write_bytes", look)
    Run.create(tmp_path / "first", small_config()).close()
    assert seen == [True]
    assert not is_locked(tmp_path / "first")


def test_any_number_may_look_whether_a_run_is_written(tmp_path: Path) -> None:
    Run.create(tmp_path / "first", small_config()).close()
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda _: is_locked(tmp_path / "first"), range(2000)))
    assert not any(seen)
    lock = WriterLock(tmp_path / "first")
    assert is_locked(tmp_path / "first")
    lock.release()


def test_remains_of_killed_creations_are_removed_unless_they_are_written(tmp_path: Path) -> None:
    remains = [tmp_path / f".new-{name}" for name in ("old", "locked", "young")]
    for folder in remains:
        folder.mkdir()
        (folder / "config.toml").write_text("")
    (tmp_path / ".other").mkdir()
    lock = WriterLock(remains[1])
    for folder in (*remains[:2], tmp_path / ".other"):
        os.utime(folder, (1e9, 1e9))
    Run.create(tmp_path / "first", small_config()).close()
    assert {path.name for path in tmp_path.iterdir()} == {
        ".new-locked",
        ".new-young",
        ".other",
        "first",
    }
    lock.release()
    Run.create(tmp_path / "second", small_config()).close()
    assert not remains[1].exists()
    assert remains[2].exists()


def test_a_second_writer_is_refused_by_name(tmp_path: Path) -> None:
    Run.create(tmp_path / "a", small_config()).close()
    with Run.open(tmp_path / "a") as run, Run.open(tmp_path / "a") as second, run.lock():
        assert second.count() == 0
        with pytest.raises(RunError, match=f"process {os.getpid()}"):
            second.set_meta(status="x")
        with pytest.raises(RunError, match=f"process {os.getpid()}"):
            next(advance(second))
    with Run.open(tmp_path / "a") as run:
        run.set_meta(status="new")


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys; from evoply import Run\n"
        "run = Run.open(sys.argv[1])\n"
        "with run.lock():\n    print('locked', flush=True); sys.stdin.read()\n"
    )
    Run.create(tmp_path / "a", small_config()).close()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "a")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "locked\n"
        with Run.open(tmp_path / "a") as run:
            with pytest.raises(RunError, match=f"process {process.pid}"):
                next(advance(run))
            process.kill()
            process.wait()
            assert len(list(advance(run))) == 4


def save_all(run: Run, generations: Iterator[Generation]) -> None:
    for generation in generations:
        run.save(generation)


def test_a_full_disk_keeps_whole_generations(tmp_path: Path) -> None:
    config = small_config()
    expected = [generation.digest for generation in evolve(config)]
    with Run.create(tmp_path / "a", config) as run:
        generations = evolve(config)
        run.save(next(generations))
        pages = run.table("PRAGMA page_count")[0]["page_count"]
        run.table(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(RunError, match=rf"the disk is full.*evoply resume {tmp_path / 'a'}`"):
            save_all(run, generations)
        saved = run.digests()
        assert 1 <= len(saved) < 4
        assert saved == expected[: len(saved)]
    with Run.open(tmp_path / "a") as run:
        assert run.digests() == saved
        list(advance(run))
        assert run.digests() == expected


def test_a_full_disk_in_advance_is_a_run_error(tmp_path: Path) -> None:
    with Run.create(tmp_path / "a", small_config(generations=50)) as run:
        pages = run.table("PRAGMA page_count")[0]["page_count"]
        run.table(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(RunError, match="make room"):
            list(advance(run))
        count = run.count()
    with Run.open(tmp_path / "a") as run:
        assert run.status == "stopped"
        assert len(list(run.whole_steps())) == count


def test_a_disk_that_fills_up_on_creation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(RunError, match="No space left on device"):
        Run.create(tmp_path / "a", small_config())
    assert list(tmp_path.iterdir()) == []


def test_a_reader_sees_whole_changes_while_another_writes(tmp_path: Path) -> None:
    code = (
        "import sys; from evoply import Run\n"
        "with Run.open(sys.argv[1]) as run, run.lock():\n"
        "    for number in range(int(sys.argv[2])):\n"
        "        run.record('event', number=number)\n"
        "        run.set_meta(status=str(number))\n"
    )
    Run.create(tmp_path / "a", small_config()).close()
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a"), "300"]) as process:
        readings = 0
        with Run.open(tmp_path / "a") as run:
            while process.poll() is None:
                events = run.events()
                assert [event["number"] for event in events] == list(range(len(events)))
                assert run.meta("status") in ("new", *map(str, range(len(events) - 2, 300)))
                readings += 0 < len(events) < 300
            assert len(run.events()) == 300
    assert process.returncode == 0
    assert readings > 0
