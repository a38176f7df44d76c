"""No flipped bit of `run.db` changes what is resumed, shown, matched or reported unnoticed."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_settings import small_config

from evoply import Run
from evoply._native import Stream
from evoply.evolution import censuses, replay, stored_final_test
from evoply.runs import RunError, advance, export_csv, played_matches
from whole_runs import whole_run

FLIPS = 1000 if "EVOPLY_LONG" in os.environ else 40
RESULT = {
    "second": "greedy", "generation": 1, "wins": 3, "draws": 1, "losses": 2, "score": 0.58,
    "games": 6, "distinct_games": 6, "seed": 5,
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run with everything a run may hold, all of it in `run.db`."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with whole_run(folder, small_config(), command="evoply evolve x.toml") as run:
        for name in ("first", "second"):
            run.save_match({"first": name, **RESULT})
    connection = sqlite3.connect(folder / "run.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return folder


def exported(run: Run) -> list[str]:
    return [path.read_text() for path in export_csv(run, run.path / "csv")]


READINGS: dict[str, Callable[[Run], Any]] = {
    "meta": lambda run: (run.status, run.created, run.command, run.version, run.signature),
    "steps": lambda run: run.steps(),
    "rows": lambda run: run.rows(),
    "generations": lambda run: list(run.whole_steps()),
    "champion": lambda run: run.champion,
    "player": lambda run: run.champion_player,
    "final test": stored_final_test,
    "census": censuses,
    "matches": played_matches,
    "events": lambda run: run.events(),
    "replay": lambda run: replay(run, 3, 5),
    "export": exported,
}


def read(folder: Path) -> dict[str, Any]:
    """Return what each reading gives; None where it says that the run is damaged."""
    results: dict[str, Any] = {}
    for name, reading in READINGS.items():
        try:
            with Run.open(folder) as run:
                results[name] = reading(run)
        except RunError:
            results[name] = None
    return results


def resumed(folder: Path) -> Any:
    """Return what one more generation gives; None if the run is said to be damaged."""
    try:
        with Run.open(folder) as run:
            list(advance(run, config=small_config(generations=5)))
            return run.digests(), run.champion_player, stored_final_test(run)
    except RunError:
        return None


def is_whole(folder: Path) -> bool:
    try:
        with Run.open(folder) as run:
            return run.check() > 0
    except RunError:
        return False


@pytest.mark.parametrize(("at_once", "times"), [(1, FLIPS), (8, FLIPS // 2)])
def test_flipped_bits_are_noticed_or_change_nothing(
    at_once: int, times: int, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    read_before, resumed_before = read(folder), resumed(folder)
    assert None not in read_before.values()
    content = (whole / "run.db").read_bytes()
    draws = Stream(int(os.environ.get("EVOPLY_FLIPS", "20261122")), "flips")
    noticed = 0
    for _ in range(times):
        flips = [(draws.below(len(content)), draws.below(8)) for _ in range(at_once)]
        flipped = bytearray(content)
        for place, bit in flips:
            flipped[place] ^= 1 << bit
        for path in folder.glob("run.db*"):
            path.unlink()
        (folder / "run.db").write_bytes(flipped)
        was_whole = is_whole(folder)
        for name, value in read(folder).items():
            assert value is None or value == read_before[name], (flips, name)
            assert value is not None or not was_whole, (flips, name)
        after = resumed(folder)
        assert after is None or after == resumed_before, flips
        assert (after is not None) == was_whole, flips
        noticed += not was_whole
    assert noticed > times / 4
