"""Files that are written whole or not at all, and paths that are tried before the work."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evoply.environment import check_writable, read_kept, read_limited, write_atomically
from waiting import PATIENCE


@pytest.mark.parametrize("place", ["missing/page.html", "folder", "file/page.html"])
def test_what_cannot_be_written_is_refused_before_and_after_the_work(
    place: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    before = sorted(os.listdir(tmp_path))
    for attempt in (check_writable, lambda path: write_atomically(path, "text")):
        with pytest.raises(OSError, match=place.partition("/")[0]) as caught:
            attempt(tmp_path / place)
        assert caught.value.filename == str(tmp_path / place)
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_trying_a_path_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("kept")
    for name in ("old", "new"):
        check_writable(tmp_path / name)
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "kept"
    check_writable("/dev/null")


def test_ctrl_c_while_a_file_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open = Path.open

    def interrupted(self: Path, *arguments: object, **options: object) -> None:
        really_open(self, *arguments, **options).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    for attempt in (check_writable, lambda path: write_atomically(path, "text")):
        with pytest.raises(KeyboardInterrupt):
            attempt(tmp_path / "page.html")
        assert not os.listdir(tmp_path)


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, "before")
    assert target.stat().st_mode & 0o777 == 0o666 & ~_mask()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(target, "after")
    assert os.listdir(tmp_path) == ["file.txt"]
    assert read_limited(target, 6) == "before"


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_who_reads_a_file_while_it_is_replaced_reads_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    before = path.stat().st_ino
    with path.open() as reader:
        write_atomically(path, "new")
        assert reader.read() == "old"
    assert path.read_text() == "new"
    assert path.stat().st_ino != before


def test_a_file_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    seen = []
    sync = os.fsync

    def look(handle: int) -> None:
        seen.append(path.exists())
        sync(handle)

    monkeypatch.setattr(os, "fsync", look)
    write_atomically(path, "text")
    assert seen == [False, True]  # the file, then the folder with its name


def test_what_is_no_plain_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        reader = pool.submit(pipe.read_text)
        write_atomically(pipe, "text")
        assert reader.result(timeout=PATIENCE) == "text"
    assert pipe.is_fifo()
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("before")
    assert read_limited(path, 6) == "before"
    assert read_kept(path, 6) == b"before"
    with pytest.raises(ValueError, match="is larger than 5 bytes"):
        read_limited(path, 5)
    with pytest.raises(OSError, match="this is larger than 5 bytes"):
        read_kept(path, 5)
