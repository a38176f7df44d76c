"""The list of runs: read without their learners, and at once where nobody writes."""

import inspect
import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from run_settings import change, small_config

from evoply import Run
from evoply.environment import Database
from evoply.environment.files import checksum
from evoply.evolution import Evolution
from evoply.kinds import KINDS
from evoply.learning import Learning, PatternLearning, load_learning_config
from evoply.protocols import RunError
from evoply.runs import advance, list_runs, schema, summaries
from evoply.runs.folder import CONFIG, DATABASE
from evoply.runs.run import kind_of
from evoply.runs.summaries import KEPT_LINES, UNFORESEEN
from forging import sealed
from whole_runs import whole_run


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with a finished run of evolution and one of learning."""
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    learning = load_learning_config("firebrand-8", ["games=10", "games_per_step=5"])
    for name, config in (("evolved", small_config()), ("learned", learning)):
        with whole_run(tmp_path / name, config, threads=1):
            pass
    return tmp_path


def _rows() -> list[tuple[str, str, str, int, bool]]:
    return [
        (row.name, row.game, row.status, row.generations, row.error is None) for row in list_runs()
    ]


SEEN = [("evolved", "othello-6", "finished", 4, True), ("learned", "othello", "finished", 3, True)]


def test_no_source_of_a_learner_is_read_to_list_and_open_runs(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> str:
        raise AssertionError("a source was read")

    monkeypatch.setattr(inspect, "getsource", refuse)
    assert _rows() == SEEN
    for name in ("evolved", "learned"):
        with Run.open(made / name) as run:
            assert run.champion is not None
    for learner in (Evolution(), Learning(), PatternLearning()):
        kind_of(KINDS, None, learner)


def test_runs_at_rest_are_listed_without_files_and_locks(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> Database:
        raise AssertionError(f"{path} was opened with a lock")

    before = sorted(path for path in made.rglob("*"))
    monkeypatch.setattr(schema, "open_database", refuse)
    assert _rows() == SEEN
    assert sorted(path for path in made.rglob("*")) == before


def test_a_run_that_is_written_is_listed_with_its_newest_step(made: Path) -> None:
    with Run.create(made / "new", small_config()) as run:
        for step in advance(run):
            assert (made / "new" / f"{DATABASE}-wal").stat().st_size > 0
            (row,) = (row for row in list_runs() if row.name == "new")
            assert (row.generations, row.status) == (step.number + 1, "running")


def test_what_was_read_while_somebody_wrote_is_read_again(made: Path) -> None:
    path, seen = made / "evolved" / DATABASE, []

    def read(opened: Database) -> int:
        seen.append(schema.count_steps(opened))
        if len(seen) == 1:
            change(path.parent, "CREATE TABLE more (number)", "DROP TABLE more")
        return len(seen)

    assert schema.look(path, read) == 2
    assert seen == [4, 4]


def test_a_link_to_a_database_is_read_with_the_file_beside_it(made: Path, tmp_path: Path) -> None:
    linked = made / "linked"
    shutil.copytree(made / "evolved", linked)
    (linked / DATABASE).unlink()
    (linked / DATABASE).symlink_to(made / "evolved" / DATABASE)
    other = sqlite3.connect(made / "evolved" / DATABASE, isolation_level=None)
    other.execute("CREATE TABLE more (number)")

    def tables(opened: Database) -> Any:
        query = "SELECT count(*) FROM sqlite_master WHERE name = 'more'"
        return opened.connection.execute(query).fetchone()[0]

    assert schema.look(linked / DATABASE, tables) == 1
    other.close()


@pytest.mark.parametrize(
    "text",
    [
        'learner = "learning"\nnotes = """\n[a]\n"""\ngame = "othello"\n[table]\nx = 1\n',
        'learner = "learning"\nlists = [\n[1],\n[2],\n]\ngame = "othello"\n[table]\nx = 1\n',
        'learner = "learning"\ngame = "othello"\nlists = [\n[1],\n[2],\n]\n[table]\nx = 1\n',
        'learner = "learning"\nnotes = """\nx = [\n[a]\n"""\ngame = "othello"\n',
        'learner = "learning"\r\ngame = "othello"\r\n[table]\r\nx = 1\r\n',
    ],
)
def test_game_and_learner_stand_before_the_tables(text: str, made: Path) -> None:
    (made / "learned" / "config.toml").write_bytes(text.encode())
    sealed(made / "learned")
    (row,) = (row for row in list_runs() if row.name == "learned")
    assert (row.error, row.learner, row.game) == (None, "learning", "othello")


def test_damage_is_listed(made: Path) -> None:
    change(made / "evolved", "UPDATE meta SET value = 'new' WHERE key = 'status'")
    (made / "learned" / "config.toml").write_text("game = ", encoding="utf-8")
    errors = [row.error for row in list_runs()]
    assert all(error and ("damaged" in error or "was changed" in error) for error in errors)


@pytest.mark.parametrize(
    "config",
    [
        *("game = [1, 2]", "game = [{}]", "game = {kind = []}", "game = 2026-11-28"),
        *("learner = [{}]", 'learner = "islands"\nislands = "' + "a" * 5000 + '"'),
        *('learner = "python:x"', "a" + 3000 * ".a" + " = 1"),
        'learner = "islands"\nislands.changes = ' + "[" * 300 + "]" * 300,
    ],
)
def test_one_bad_config_never_ends_the_list(config: str, made: Path) -> None:
    (made / "learned" / "config.toml").write_text(config, encoding="utf-8")
    sealed(made / "learned")
    damaged, whole = list_runs()
    assert (damaged.name, whole.name, whole.error) == ("learned", "evolved", None)
    assert damaged.error is not None
    assert UNFORESEEN not in damaged.error
    assert "game: is no name, but a list" in damaged.error or "game = [" not in config
    with pytest.raises(RunError):
        Run.open(made / "learned")


def test_what_no_reader_foresees_is_one_line_of_the_list(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_steps = schema.read_steps

    def broken(opened: Database, first: int = 0) -> Any:
        if schema.count_steps(opened) == 3:
            raise AssertionError("nobody thought\nof this")
        return read_steps(opened, first)

    monkeypatch.setattr(schema, "read_steps", broken)
    damaged, whole = list_runs()
    assert (whole.name, whole.error) == ("evolved", None)
    assert damaged.error == f"AssertionError: nobody thought of this - {UNFORESEEN}"


def test_an_experiment_that_cannot_be_listed_is_one_line_of_the_list(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made / "trial" / "runs").mkdir(parents=True)
    (made / "trial" / "experiment.toml").touch()
    iterdir = Path.iterdir

    def refuse(path: Path) -> Any:
        if path.parent.name == "trial":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    lines = {run.name: run.error for run in list_runs(with_units=True)}
    assert lines.pop("trial")
    assert lines == {"evolved": None, "learned": None}


# Lines that are kept.


@pytest.fixture
def kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the same folder with its lines kept, where each new line is worth keeping at once."""
    monkeypatch.setattr(summaries, "_WORTH_KEEPING", 1)
    monkeypatch.setattr(summaries, "_SETTLED", -1)
    assert _rows() == SEEN
    assert set(_kept_names(made)) == {"evolved", "learned"}
    return made


def _kept_names(folder: Path) -> list[str]:
    return [*json.loads((folder / KEPT_LINES).read_text(encoding="utf-8"))["lines"]]


def _read_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the runs that are read from now on."""
    read, names = summaries._summary, []

    def noted(folder: Path, name: str) -> summaries.RunSummary:
        names.append(name)
        return read(folder, name)

    monkeypatch.setattr(summaries, "_summary", noted)
    return names


def test_kept_lines_are_those_that_are_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, lines = _read_anew(monkeypatch), list_runs()
    assert not read
    (kept / KEPT_LINES).unlink()
    assert list_runs() == lines
    assert read == ["evolved", "learned"]


def test_few_lines_and_fresh_ones_are_not_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _rows() == SEEN
    monkeypatch.setattr(summaries, "_WORTH_KEEPING", 1)
    assert _rows() == SEEN
    assert not (made / KEPT_LINES).exists()
    monkeypatch.setattr(summaries, "_SETTLED", -1)
    monkeypatch.setattr(summaries, "_WORTH_KEEPING", 3)
    assert _rows() == SEEN
    assert not (made / KEPT_LINES).exists()


def test_a_run_that_goes_on_and_ends_is_read_anew(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = _read_anew(monkeypatch)
    with Run.open(kept / "evolved") as run:
        longer = run.config.model_copy(update={"generations": 6})
        for step in advance(run, config=longer):
            row = next(row for row in list_runs() if row.name == "evolved")
            assert (row.generations, row.status) == (step.number + 1, "running")
    assert read == ["evolved", "evolved"]
    assert _rows() == [("evolved", "othello-6", "finished", 6, True), SEEN[1]]
    assert _rows() == [("evolved", "othello-6", "finished", 6, True), SEEN[1]]
    assert read == ["evolved"] * 3


def test_a_run_whose_process_was_killed_goes_on_in_the_list_too(kept: Path) -> None:
    with Run.open(kept / "evolved") as run:
        run.set_meta(status="running")
    for _ in range(2):
        assert [row.status for row in list_runs()] == ["stopped", "finished"]
    with Run.open(kept / "evolved") as run, run.lock():
        assert [row.status for row in list_runs()] == ["running", "finished"]
    assert [row.status for row in list_runs()] == ["stopped", "finished"]


def _lines_that_count(folder: Path) -> list[str]:
    known = summaries._known_lines(folder / KEPT_LINES)
    states = {name: summaries._state_of_files(folder / name) for name in known}
    return [name for name, line in known.items() if line[0] == states[name]]


def test_runs_that_are_deleted_renamed_copied_and_changed_for_another_are_seen(
    kept: Path,
) -> None:
    (kept / "evolved").rename(kept / "other")
    (kept / "learned").rename(kept / "evolved")
    (kept / "other").rename(kept / "learned")
    assert [row[:2] for row in _rows()] == [("learned", "othello-6"), ("evolved", "othello")]
    shutil.copytree(kept / "learned", kept / "copy")
    assert sorted(row[0] for row in _rows()) == ["copy", "evolved", "learned"]
    shutil.rmtree(kept / "learned")
    assert sorted(row[0] for row in _rows()) == ["copy", "evolved"]
    assert sorted(_lines_that_count(kept)) == ["copy", "evolved"]


@pytest.mark.parametrize("name", [CONFIG, DATABASE])
def test_damage_is_seen_even_if_size_and_time_are_those_of_before(name: str, kept: Path) -> None:
    file = kept / "evolved" / name
    status, content = file.stat(), file.read_bytes()
    with file.open("r+b") as opened:
        opened.write(bytes(each ^ 1 for each in content))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_mtime_ns == status.st_mtime_ns
    assert [(row.name, row.error is None) for row in list_runs()] == [
        ("evolved", False),
        ("learned", True),
    ]
    file.write_bytes(content)
    assert _rows() == SEEN


@pytest.mark.parametrize("what", ["a flipped byte", "another evoply", "no lines", "a wrong type"])
def test_kept_lines_that_are_damaged_do_not_count(
    what: str, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept / KEPT_LINES
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["checksum"]
    line = content["lines"]["evolved"]
    if what == "another evoply":
        content["version"] = "0.0.0"
    elif what == "no lines":
        content["lines"] = 7
    elif what == "a wrong type":
        content["lines"] = {"evolved": [line[0], [*line[1][:-1], "best"]], "learned": [[], {}]}
    text = json.dumps({**content, "checksum": checksum(content)})
    if what == "a flipped byte":
        text = text.replace("finished", "finishee", 1)
    file.write_text(text, encoding="utf-8")
    read = _read_anew(monkeypatch)
    assert _rows() == SEEN
    assert read == ["evolved", "learned"]


def test_a_link_in_place_of_kept_lines_is_not_written_to(kept: Path, tmp_path: Path) -> None:
    other = tmp_path / ".other"
    other.write_text("mine", encoding="utf-8")
    (kept / KEPT_LINES).unlink()
    (kept / KEPT_LINES).symlink_to(other)
    assert _rows() == SEEN
    assert other.read_text(encoding="utf-8") == "mine"


def test_lines_of_units_stay_where_units_are_not_listed(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept / "trial" / "runs").mkdir(parents=True)
    (kept / "trial" / "experiment.toml").touch()
    shutil.copytree(kept / "evolved", kept / "trial" / "runs" / "1-a")
    names = ["evolved", "trial/1-a", "learned"]
    assert [run.name for run in list_runs(with_units=True)] == names
    shutil.copytree(kept / "learned", kept / "second")
    assert len(list_runs()) == 3
    read = _read_anew(monkeypatch)
    assert sorted(run.name for run in list_runs(with_units=True)) == sorted([*names, "second"])
    assert not read
