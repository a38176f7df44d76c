"""Games of the page on a full disk: nothing is lost, and nothing is called damaged."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from evoply.web import GameStore, Stored, StoreError

GAME = Stored("a", "2026-01-01T00:00:00", "othello", "", "person", "person", None, 1.0, 1)


def test_a_move_that_finds_no_room_is_refused_and_may_be_made_again(tmp_path: Path) -> None:
    async def play() -> None:
        store = GameStore(tmp_path / "games.db")
        moves = [("d3", None, None)] * 20_000
        await store.begin(GAME)
        (pages,) = store._database.connection.execute("PRAGMA page_count").fetchone()
        store._database.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"the disk is full .* make room on it, then do it"):
            await store.go_on("a", 0, moves)
        store._database.connection.execute("PRAGMA max_page_count = 100000")
        await store.go_on("a", 0, moves)
        stored = await store.read("a")
        assert stored is not None
        assert len(stored.moves) == len(moves)
        store.close()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("number", "says"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "the disk is read-only")],
)
def test_a_file_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("tempfile.TemporaryFile", fail)
    with pytest.raises(StoreError, match=says) as error:
        GameStore(tmp_path / "away" / "games.db")
    assert "damaged" not in str(error.value)
