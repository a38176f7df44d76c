"""What is damaged, gone or taken in a run folder is said in one `RunError`, whatever it is."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from run_settings import small_config

from evoply._native import Stream
from evoply.runs import Run, RunError, RunNameError, advance


def read_everything(folder: Path) -> None:
    with Run.open(folder) as run:
        run.generation_rows()
        list(run.generations())
        _ = run.champion, run.champion_player
        run.steps()
        run.matches()
        run.events()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = '{' WHERE key = 'final_test'",
        "UPDATE meta SET value = '{}' WHERE key = 'final_test'",
        "UPDATE meta SET value = '[1]' WHERE key = 'final_test'",
        f"UPDATE meta SET value = '{'[' * 100_000}' WHERE key = 'final_test'",
        f"UPDATE meta SET value = '{'9' * 5000}' WHERE key = 'format'",
        "UPDATE meta SET value = '{' WHERE key = 'champion'",
        "UPDATE meta SET value = '{\"generation\":3,\"player\":{}}' WHERE key = 'champion'",
        "UPDATE steps SET digest = x'00ff'",
        "UPDATE steps SET statistics = '{' WHERE number = 1",
        'UPDATE steps SET statistics = \'{"best":"high"}\'',
        "UPDATE steps SET statistics = '{\"best\":NaN}'",
        "UPDATE steps SET seconds = 'long'",
        "DELETE FROM steps WHERE number = 1",
        "DELETE FROM hall_of_fame",
        "DELETE FROM individuals",
        "DELETE FROM generations WHERE number = 1",
        "UPDATE events SET details = '[]'",
        "INSERT INTO matches VALUES (1, '', '{')",
        "INSERT INTO matches VALUES (1, '', '{}')",
        "INSERT INTO matches VALUES (1, '', '3')",
        "UPDATE individuals SET fitness = 'high'",
        "UPDATE individuals SET parents = '7'",
        "UPDATE hall_of_fame SET points = 'many'",
        "UPDATE generations SET best = 'high' WHERE number = 2",
        "UPDATE generations SET best_size = NULL",
        "UPDATE generations SET seconds_total = 'long'",
        "UPDATE generations SET digest = x'00ff'",
        "UPDATE generations SET fresh = '{'",
        "UPDATE generations SET fresh = '[{}]' WHERE number = 0",
        "UPDATE trees SET text = CAST(x'28ff29' AS TEXT) || id",
    ],
)
def test_damaged_cells(finished: Path, tmp_path: Path, change: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished, folder)
    connection = sqlite3.connect(folder / "run.db")
    assert connection.execute(change).rowcount > 0
    connection.commit()
    connection.close()
    with pytest.raises(RunError, match=r"damaged|has no generation"):
        read_everything(folder)


def test_a_generation_that_is_not_there(finished: Path) -> None:
    with Run.open(finished) as run:
        for number in (-1, 4, 2**70):
            with pytest.raises(RunError, match=f"has no generation {number}: it has 4"):
                run.generation(number)


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
def test_a_run_that_is_gone_is_noticed(finished: Path, tmp_path: Path, change: str) -> None:
    folder = tmp_path / "a"
    with Run.create(folder, small_config()) as run:
        steps = advance(run)
        next(steps)
        folder.rename(tmp_path / "moved")
        if change == "deleted":
            shutil.rmtree(tmp_path / "moved")
        elif change == "replaced":
            shutil.copytree(finished, folder)
        with pytest.raises(RunError, match="deleted or moved"):
            next(steps)
    if change == "moved":
        with Run.open(tmp_path / "moved") as run:
            assert run.count() == 1


def test_a_name_that_another_process_takes_meanwhile(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"

    def slow(path: Path, meta: dict[str, str], own_tables: str) -> None:
        shutil.copytree(finished, folder)

    monkeypatch.setattr("evoply.runs.database.create_tables", slow)
    with pytest.raises(RunNameError, match="exists already"):
        Run.create(folder, small_config())
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_any_byte_may_be_damaged(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished, folder)
    connection = sqlite3.connect(folder / "run.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole = (folder / "run.db").read_bytes()
    draws = Stream(31, "damage")
    refused = 0
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(8):
            content[draws.below(len(content))] = draws.below(256)
        (folder / "run.db").write_bytes(content)
        try:
            read_everything(folder)
            with Run.open(folder) as run:
                list(advance(run, config=small_config(generations=5)))
        except RunError:
            refused += 1
    assert refused > 20
