"""Files that are written whole or not at all, and paths that are tried before the work."""

import os
from pathlib import Path

import pytest

from evoply.files import check_writable, write_atomically


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
