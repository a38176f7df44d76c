"""The list of runs: read without their learners, and at once where nobody writes."""

import inspect
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from run_settings import change, small_config

from evoply import Run
from evoply.environment import Database
from evoply.evolution import Evolution
from evoply.kinds import KINDS
from evoply.learning import Learning, PatternLearning, load_learning_config
from evoply.protocols import RunError
from evoply.runs import advance, list_runs, schema
from evoply.runs.folder import DATABASE
from evoply.runs.run import kind_of
from evoply.runs.summaries import UNFORESEEN
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
