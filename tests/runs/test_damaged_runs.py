"""What is damaged, gone or taken in a run folder is said in one `RunError`, whatever it is."""

import json
import shutil
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from run_settings import change, falsify, small_config

from evoply import Run
from evoply.cli import main
from evoply.evolution import Bins, Evolution, MapPlace, Space
from evoply.runs import RunError, RunNameError, advance
from evoply.runs.kept_steps import loaded
from evoply.runs.states import read_json, unzipped, zipped


def read_everything(folder: Path) -> None:
    with Run.open(folder) as run:
        run.rows()
        list(run.whole_steps())
        _ = run.champion, run.champion_player
        run.steps()
        run.matches()
        run.events()


DAMAGE = [
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
    "UPDATE steps SET fields = '{' WHERE number = 1",
    "UPDATE steps SET fields = '{}' WHERE number = 1",
    "UPDATE steps SET fields = json_set(fields, '$.fresh', '{') WHERE number = 3",
    "UPDATE steps SET fields = json_set(fields, '$.fresh', json('[{}]')) WHERE number = 0",
    "UPDATE steps SET fields = json_set(fields, '$.champion', '(') WHERE number = 0",
    "UPDATE steps SET fields = json_set(fields, '$.timing.total', 'long') WHERE number = 0",
    "UPDATE steps SET fields = json_set(fields, '$.census.sizes', 'long') WHERE number = 0",
    "UPDATE steps SET fields = json_set(fields, '$.census.median_fresh', json('{}'))",
    "UPDATE steps SET fields = json_set(fields, '$.fresh[0].best', json('[]'))",
    "UPDATE steps SET fields = replace(fields, 'median_fresh\":', 'median_fresh\":1e999,\"x\":')",
    "UPDATE steps SET state = edited(state, '$.number', 3) WHERE number = 2",
    "UPDATE steps SET state = edited(state, '$.hall_of_fame[0].games', 0)",
    "UPDATE steps SET fields = json_set(fields, '$.added.archive[0]', 7) WHERE number = 0",
    "UPDATE steps SET fields = json_remove(fields, '$.added') WHERE number = 0",
    "UPDATE steps SET statistics = json_set(statistics, '$.best_size', NULL)",
    "UPDATE steps SET state = 'text'",
    "UPDATE steps SET state = substr(state, 2)",
    "UPDATE steps SET state = substr(state, 1, 100) WHERE number = 2",
    "UPDATE steps SET state = bomb() WHERE number = 1",
    "UPDATE steps SET state = nested() WHERE number = 1",
    "UPDATE steps SET state = edited(state, '$.individuals[3].fitness', 'high')",
    "UPDATE steps SET state = edited(state, '$.individuals[3].parents', '7')",
    "UPDATE steps SET state = edited(state, '$.individuals[3].tree', '(') WHERE number = 1",
    "UPDATE steps SET state = edited(state, '$.individuals[3].tree', char(40, 255, 41))",
    "UPDATE steps SET state = edited(state, '$.individuals', 7) WHERE number = 1",
    "UPDATE steps SET state = edited(state, '$.hall_of_fame[0].points', 'many')",
    "UPDATE events SET details = '[]'",
    "INSERT INTO matches VALUES (1, '', '{')",
    "INSERT INTO matches VALUES (1, '', '{}')",
    "INSERT INTO matches VALUES (1, '', '3')",
]


PLAUSIBLE = [
    "UPDATE steps SET state = edited(state, '$.individuals[3].fitness', 0.123) WHERE number = 1",
    "UPDATE steps SET statistics = json_set(statistics, '$.best', 0.123) WHERE number = 1",
    "UPDATE steps SET seconds = 0.25 WHERE number = 1",
]
"""What could be so, and was not."""


# What checksums do not tell is noticed, too; none is written of what is no text.
@pytest.mark.parametrize(
    ("do", "statement"),
    [
        *((change, statement) for statement in (*DAMAGE, *PLAUSIBLE)),
        *((falsify, statement) for statement in DAMAGE if "x'" not in statement),
    ],
)
def test_damaged_cells(folder: Path, do: Any, statement: str) -> None:
    do(folder, statement)
    with pytest.raises(RunError, match=r"damaged|has no step"):
        read_everything(folder)


@pytest.mark.parametrize(
    ("version", "remedy"), [(1, "start a new run"), (8, "start a new run"), (10, "a newer evoply")]
)
def test_other_formats_are_refused_in_a_sentence(folder: Path, version: int, remedy: str) -> None:
    change(folder, f"UPDATE meta SET value = '{version}' WHERE key = 'format'")
    said = f"has format {version}, and this evoply .* reads format 9: .*{remedy}"
    with pytest.raises(RunError, match=said):
        Run.open(folder)


def test_a_generation_that_is_not_there(finished: Path) -> None:
    with Run.open(finished) as run:
        for number in (-1, 4, 2**70):
            with pytest.raises(RunError, match=f"has no step {number}: it has 4"):
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

    def slow(path: Path, meta: dict[str, str]) -> None:
        shutil.copytree(finished, folder)

    monkeypatch.setattr("evoply.runs.schema.create_tables", slow)
    with pytest.raises(RunNameError, match="exists already"):
        Run.create(folder, small_config())
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_command_checks_a_run(
    finished: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(finished, home / "first")
    assert main(["runs", "first", "--check", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    # Four steps and their states, events, players, and one of facts.
    assert answer["check"] == "ok"
    assert answer["checksums"] > 4 * 2 + 3
    raised = (
        "UPDATE steps SET state = edited(state, '$.hall_of_fame[0].points', 99) WHERE number = 2"
    )
    change(home / "first", raised)
    assert main(["runs", "first", "--check"]) == 1
    error = capsys.readouterr().err
    assert "does not match the state of step 2" in error
    assert main(["runs", "first", "--check", "--json"]) == 1
    assert "the state of step 2" in json.loads(capsys.readouterr().out)["error"]
    assert main(["runs", "--check"]) == 2
    assert "say which run" in capsys.readouterr().err


def test_what_is_damaged_is_not_written_to(folder: Path) -> None:
    change(folder, "UPDATE steps SET state = edited(state, '$.number', 7) WHERE number = 0")
    with Run.open(folder) as run:
        assert run.last().number == 3  # what is not damaged is read
        writings: list[Callable[[], object]] = [
            lambda: run.save_match({}),
            lambda: run.record("x"),
            lambda: run.set_meta(status="x"),
            lambda: list(advance(run, config=small_config(generations=5))),
        ]
        for writing in writings:
            with pytest.raises(RunError, match="the state of step 0"):
                writing()
        assert run.status == "finished"


def test_a_damaged_index_is_noticed_before_anything_is_written(folder: Path) -> None:
    change(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray((folder / "run.db").read_bytes())
    with Run.open(folder) as run:
        (row,) = run.table("SELECT text FROM players ORDER BY length(text) LIMIT 1")
        text = row["text"].encode()
    assert content.count(text) == 2  # the table and its index
    content[max(content.find(text), content.rfind(text)) + len(text) // 2] ^= 1
    (folder / "run.db").write_bytes(content)
    with Run.open(folder) as run, pytest.raises(RunError, match="damaged"):
        list(advance(run, config=small_config(generations=5)))


def nothing_can_be_written(folder: Path) -> dict[str, bytes]:
    """Keep SQLite from making the files it needs for writing; return the folder's files."""
    (folder / "run.db-shm").unlink(missing_ok=True)
    (folder / "run.db-shm").symlink_to(folder / "nowhere" / "x")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_run_is_read_where_nothing_can_be_written(
    finished: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "first"
    shutil.copytree(finished, folder)
    change(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
    before = nothing_can_be_written(folder)
    read_everything(folder)
    with Run.open(folder) as run, Run.open(finished) as original:
        assert list(run.whole_steps()) == list(original.whole_steps())
        assert run.champion_player == original.champion_player
        assert run.check() == original.check()
        with pytest.raises(RunError, match="cannot be written"):
            run.save_match({"first": "x"})
    for arguments in (["runs"], ["runs", "first"], ["show", "champion@first"]):
        assert main([*arguments, "--json"]) == 0
        assert "damaged" not in capsys.readouterr().out
    for name in ("run.db", "config.toml"):
        assert (folder / name).read_bytes() == before[name]
    assert sum(path.stat().st_size for path in folder.glob("run.db-wal")) == 0


def test_a_run_whose_newest_part_cannot_be_read_there_says_so(
    finished: Path, tmp_path: Path
) -> None:
    folder, original = tmp_path / "copy", tmp_path / "original"
    shutil.copytree(finished, original)
    with Run.open(original) as run:
        run.record("late")
        shutil.copytree(original, folder)
    assert (folder / "run.db-wal").stat().st_size > 0
    before = nothing_can_be_written(folder)
    with pytest.raises(RunError, match=r"run\.db-wal holds its newest part; copy the folder"):
        Run.open(folder)
    assert (folder / "run.db-wal").read_bytes() == before["run.db-wal"]


def test_no_state_fills_the_memory() -> None:
    """What unzips to much more than evoply writes is refused, and evoply writes no such thing."""
    with pytest.raises(ValueError, match="larger than any"):
        unzipped(zlib.compress(bytes(2**26)))
    zeros = "0" * 2**26
    state = zipped(zeros)
    assert len(state) > 2**26 > 1000 * len(zipped(zeros[: 2**24]))
    assert json.loads(unzipped(state)) == zeros


def test_no_state_has_more_values_than_fit() -> None:
    """A value of JSON takes many times its text, and a mistake in it a thousand bytes."""
    many: list[list[None]] = [[] for _ in range(2**19)]
    text = json.dumps(many).encode()
    with pytest.raises(ValueError, match="larger than any"):
        unzipped(zlib.compress(text))
    assert json.loads(unzipped(zipped(many))) == many
    began = time.process_time()
    with pytest.raises(ValueError, match=r"points\.0"):
        loaded(_Points, {"points": [[]] * 400_000})
    assert time.process_time() - began < 1.0


@dataclass
class _Points:
    points: tuple[int, ...]


@pytest.mark.parametrize("text", ["[1e999]", "NaN", '{"a": -Infinity}'])
def test_no_number_is_not_finite(text: str) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        read_json(text)


@pytest.mark.parametrize("wrong", [{"score": {}}, {"interval": 3}, {"wins": True}])
def test_matches_and_edits_of_wrong_types_are_told(folder: Path, wrong: dict[str, Any]) -> None:
    counts = ("wins", "draws", "losses", "games", "distinct_games", "seed")
    match = {"first": "a", "second": "b", **dict.fromkeys(counts, 1), "score": 0.5}
    edit = {"generation": 1, "feature": "a", "weight": 1.0, "time_weight": 0}
    with Run.open(folder) as run:
        run.save_match({**match, "interval": [0.1, 0.9]})
        run.record("edited", **edit)
        assert run.matches()
        assert run.events()
        run.save_match({**match, **wrong})
        with pytest.raises(RunError, match="damaged"):
            run.matches()
        run.record("edited", **{**edit, "weight": []})
        with pytest.raises(RunError, match="damaged"):
            run.events()


def test_a_generation_is_on_the_map_of_its_config() -> None:
    axes = (Bins("size", 1, 0, 1), Bins("length", 4, 0, 1))
    for space, inside in ((Space(axes), (0, 3)), (Space(axes, 5), (4,))):
        assert space.has(inside, (0.5, 0.5))
        for cell in ((5,), (0, 4), (-1, 0), (-1,), (0, 0, 0)):
            assert not space.has(cell, (0.5, 0.5))
        assert not space.has(inside, (0.5,))
    first = Evolution().first(small_config())
    outside = MapPlace((9,), (0.5,), 0)
    individuals = (replace(first.individuals[0], place=outside), *first.individuals[1:])
    hall = (replace(first.hall_of_fame[0], games=0.0),)
    for wrong in ({"individuals": individuals}, {"hall_of_fame": hall}, {"individuals": ()}):
        with pytest.raises(ValueError, match="this generation has"):
            replace(first, **wrong).check()
