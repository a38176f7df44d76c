"""Runs that workers return: checked and stored a few at a time, or their worker is named."""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_pool import FakePool

from evoply import Run
from evoply.cluster import Dispatcher
from evoply.experiments import Experiment, ExperimentFolder, comparison_of, run_experiment
from evoply.experiments.units import run_unit
from evoply.protocols import Answer, WrongResultError, packed, unpacked

BASE = """
game = "othello-4"
population_size = 8
generations = 2
[selection]
kind = "tournament"
[fitness]
opponents = [{ player = "random", pairs = 2 }]
[hall_of_fame]
size = 3
candidates = 2
sample = 2
pairs = 2
final_pairs = 2
"""
SEEDS = 6


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "base.toml").write_text(BASE)
    return tmp_path


def begun(path: Path, **changes: Any) -> ExperimentFolder:
    settings = {"seeds": SEEDS, "measure": "score:greedy", "games": 4, "points": 1, **changes}
    return ExperimentFolder.create(path, Experiment(base="base.toml", **settings))


def runs_in(folder: ExperimentFolder) -> set[str]:
    runs = folder.path / "runs"
    return {path.name for path in runs.iterdir()} if runs.exists() else set()


@pytest.mark.parametrize("seed", range(3))
def test_runs_that_come_in_any_order_are_those_made_here(home: Path, seed: int) -> None:
    here = begun(home / "here")
    for unit in here.units():
        run_unit(unit, here.experiment)
    there, told = begun(home / "there"), []
    with FakePool(3, seed, losses=0.2) as pool:
        run_experiment(there, cluster=Dispatcher(pool, 0.3), progress=told.append)
    assert comparison_of(there).digest == comparison_of(here).digest
    assert [status.done for status in told] == [*range(1, SEEDS + 1)]
    assert runs_in(there) == {unit.path.name for unit in there.units()}
    for unit in there.units():
        with Run.open(unit.path) as run:
            run.check()


@pytest.mark.parametrize("lie", ["bit", "nothing"])
@pytest.mark.parametrize("seed", range(3))
def test_a_worker_whose_run_cannot_be_read_is_named(home: Path, lie: str, seed: int) -> None:
    """Once the run that was never stored was to be removed, which failed in other words."""
    folder = begun(home / "there")
    with (
        FakePool(2, seed, liars=frozenset({"fake-0"}), lie=lie) as pool,
        pytest.raises(WrongResultError, match="worker fake-0 returned a run that cannot be read"),
    ):
        run_experiment(folder, cluster=Dispatcher(pool, 0.0))
    for name in runs_in(folder):
        with Run.open(folder.path / "runs" / name) as run:
            run.check()


class Ready:
    """A cluster of two workers, of which one changes the third of what they return."""

    slots = 2

    def __init__(self, change: Callable[[bytes, list[bytes]], bytes]) -> None:
        self.change = change
        self.made: list[bytes] = []

    def results(
        self, function: Callable[[bytes], bytes], parts: Iterable[bytes], **_: object
    ) -> Iterator[Answer]:
        given: dict[str, list[int]] = {"honest": [], "liar": []}
        for place, part in enumerate(parts):
            content = function(part)
            if place == 2:
                content = self.change(content, self.made)
            self.made.append(content)
            worker = "liar" if place % 2 == 0 else "honest"
            given[worker].append(place)
            yield Answer(place, content, 0.1, worker, given[worker])


def changed(content: bytes, *, at: int = 0, **header: Any) -> bytes:
    """Return an answer with other keys in its header, and one byte of its database changed."""
    said, blocks = unpacked(content)
    files = dict(zip(said["files"], map(zlib.decompress, blocks), strict=True))
    if at:
        database = bytearray(files["run.db"])
        database[at] ^= 1
        files["run.db"] = bytes(database)
    return packed({**said, **header}, *map(zlib.compress, files.values()))


def _in_a_state(content: bytes) -> int:
    """Return a place in the database whose byte belongs to the state of a step."""
    said, blocks = unpacked(content)
    database = zlib.decompress(blocks[[*said["files"]].index("run.db")])
    return database.rindex(b"x\x9c") + 20  # how zlib begins


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda content, _: changed(content, files={"../x": 3}), "cannot be read"),
        (lambda content, _: changed(content, files={"config.toml": 3, "run.db": 10**9}), "size"),
        (lambda content, _: changed(content, digest="0" * 64), "another run than 1-base-seed-3"),
        (lambda content, _: changed(content, curve=[]), "another run than 1-base-seed-3"),
        (lambda _, made: made[0], "another run than 1-base-seed-3"),
        (lambda content, _: changed(content, at=_in_a_state(content)), "a damaged run"),
        (lambda content, _: content[:-1], "cannot be read"),
    ],
    ids=["a file", "a size", "a digest", "a curve", "a seed", "a byte", "an end"],
)
def test_what_is_not_the_run_that_was_asked_for_is_not_kept(
    home: Path, change: Callable[[bytes, list[bytes]], bytes], says: str
) -> None:
    folder = begun(home / "there")
    with pytest.raises(WrongResultError, match=says) as found:
        run_experiment(folder, cluster=Ready(change))
    assert found.value.worker == "liar"
    left = runs_in(folder)
    assert left <= {f"1-base-seed-{seed}" for seed in (2, 4, 6)}
    assert "1-base-seed-2" in left
    assert "Runs that it had returned were removed: 1-base-seed-1" in str(found.value)
    assert not (folder.path / "x").exists()
    run_experiment(folder, cluster=Ready(lambda content, _: content))
    assert len(folder.measured()) == SEEDS


def test_what_is_returned_is_compressed(home: Path) -> None:
    folder = begun(home / "there", seeds=2)
    ready = Ready(lambda content, _: content)
    run_experiment(folder, cluster=ready)
    for unit, content in zip(folder.units(), ready.made, strict=True):
        assert len(content) < os.path.getsize(unit.path / "run.db")
