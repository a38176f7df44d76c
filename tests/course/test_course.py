"""The course of a class: its folder, what a check says of starters, mistakes and solutions."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evoply.cli import main
from evoply.course.checking import Verdict, exercise_named
from evoply.course.code_exercises import open_squares, positions
from evoply.course.folders import EXERCISES, exercises_in, new_course

FILES = Path(new_course.__code__.co_filename).with_name("files")
SMALL = """
game = "othello-6"
population_size = 10
generations = 2
[fitness]
opponents = [{ player = "random", pairs = 1 }]
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    new_course(tmp_path / "class", tmp_path / "solutions")
    return tmp_path / "class"


def verdicts(folder: Path) -> list[Verdict]:
    return list(exercise_named(folder.name).verdicts(folder))


def said(folder: Path) -> str:
    """Return all that is to do in the folder of an exercise."""
    return "\n".join(verdict.to_do for verdict in verdicts(folder))


def changed(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


# The folder


def test_a_course_has_all_exercises_and_no_solution(course: Path) -> None:
    assert list(exercises_in(course)) == list(EXERCISES)
    assert "evoply tournament" in (course / "README.md").read_text(encoding="utf-8")
    for name in EXERCISES:
        files = {path.name for path in (course / name).iterdir()}
        assert {"task.md", "hints.md"} < files
        assert name in (course / "README.md").read_text(encoding="utf-8")
        for path in (course.with_name("solutions") / name).iterdir():
            given = course / name / path.name
            assert not given.exists() or given.read_bytes() != path.read_bytes()


def test_copies_are_whole(course: Path) -> None:
    for copy, source in ((course, "student"), (course.with_name("solutions"), "teacher")):
        kept = {path.relative_to(copy): path.read_bytes() for path in copy.rglob("*.*")}
        assert {path.suffix for path in kept} == {".md", ".py", ".toml"}
        assert all((FILES / source / path).read_bytes() == text for path, text in kept.items())


@pytest.mark.parametrize("taken", ["class", "solutions"])
def test_what_is_there_already_is_left_alone(
    taken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / taken).mkdir()
    arguments = [str(tmp_path / "class"), "--solutions", str(tmp_path / "solutions")]
    assert main(["course", "new", *arguments]) == 2
    assert "is there already - name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == [taken]


@pytest.mark.parametrize("solutions", ["class", "class/solutions"])
def test_solutions_never_lie_in_the_folder_of_students(solutions: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lies in the students' folder"):
        new_course(tmp_path / "class", tmp_path / solutions)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("copied", [0, 5, 30])
def test_a_stop_in_the_middle_leaves_nothing(
    copied: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    copyfile: Callable[..., Any] = shutil.copyfile

    def stopped(source: str, target: str, **options: Any) -> Any:
        if len(done) == copied:
            raise KeyboardInterrupt
        done.append(target)
        return copyfile(source, target, **options)

    monkeypatch.setattr(shutil, "copyfile", stopped)
    with pytest.raises(KeyboardInterrupt):
        new_course(tmp_path / "class", tmp_path / "solutions")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["course", "new", str(tmp_path / "file" / "class")]) == 2
    assert f"{tmp_path / 'file' / 'class'}: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# What a check says


def test_the_starters_are_told_what_is_missing(course: Path) -> None:
    feature, search = verdicts(course / "1-feature"), verdicts(course / "6-search")
    assert [one.holds for one in feature] == [True, False, False]
    assert "`feature` gives 11, and 6 is right" in feature[1].to_do
    assert "a b c d e f" in feature[1].to_do
    assert "slow(position) gives 0, and " in feature[2].to_do
    assert [one.holds for one in search] == [True, False, False, False, False]
    assert "search(position, 1, value) gives -1, and 6 is right" in search[1].to_do
    noise = said(course / "3-noise")
    assert "standard_error([0.5, 0.7, 0.6, 0.6]) gives 0.0, and 0.0408248 is right" in noise
    assert "Run `python noise.py`, which writes it." in noise


def test_the_quick_solutions_hold(course: Path) -> None:
    for name in ("1-feature", "3-noise", "6-search"):
        assert [v for v in verdicts(course.with_name("solutions") / name) if not v.holds] == []


def test_the_slow_count_is_right_where_it_can_be_seen() -> None:
    start = positions(4, 1, 0)[0].at_start()
    assert open_squares(start) == 10


def test_negamax_without_cuts_is_right_and_refused(course: Path) -> None:
    folder = course.with_name("solutions") / "6-search"
    changed(folder / "search.py", ("            break\n", "            pass\n"))
    *right, cuts = verdicts(folder)
    assert all(verdict.holds for verdict in right)
    assert "looking at everything takes" in cuts.to_do


def test_cutting_too_much_is_shown_with_a_position(course: Path) -> None:
    folder = course.with_name("solutions") / "6-search"
    changed(folder / "search.py", ("if alpha >= beta:", "if best > -3:"))
    assert "it is wrong here.\n  a b c d e f" in said(folder)


MISTAKES = {
    "count = (": ("feature.py, line ", "SyntaxError"),
    "1 / 0": ("feature.py, line ", "raised ZeroDivisionError: division by zero"),
    "raise SystemExit(3)": ("feature.py, line ", "SystemExit"),
    "feature = board.empty": ("Wrap a set of squares in count(...)",),
    "feature = board.emty": ("emty", "did you mean 'empty'?"),
    "del feature": ("python:feature.py:feature: there is no 'feature'",),
    "def slow(position): return 'six'": ("slow(position) is 'six'. It must be a number.",),
    "def slow(position): return None": ("slow(position) is None. It must be a number.",),
    "def slow(position): return slow(position)": ("feature.py, line ", "in slow: RecursionError"),
    "def slow(position): return [][1]": ("feature.py, line ", "in slow: IndexError"),
    "def slow(position): exit()": ("feature.py, line ", "in slow: SystemExit"),
    "def slow(): return 1": ("slow in feature.py must be a function of one argument",),
    "slow = 3": ("slow in feature.py must be a function",),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_in_python_is_a_sentence(line: str, course: Path) -> None:
    folder = course / "1-feature"
    with (folder / "feature.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    words = said(folder)
    assert all(each in words for each in MISTAKES[line]), words
    assert "Traceback" not in words
    assert str(folder) not in words


def test_what_fails_for_the_same_reason_is_said_once(course: Path) -> None:
    (course / "1-feature" / "feature.py").write_text("1 +")
    first, *others = verdicts(course / "1-feature")
    assert "SyntaxError" in first.to_do
    assert {verdict.to_do for verdict in others} == {"First mend what is said above."}


def test_a_mistake_in_a_config_names_its_key(course: Path) -> None:
    config = course / "2-evolution" / "config.toml"
    changed(config, ('kind = "uniform"', 'kind = "turnament"'))
    assert "selection.kind" in said(config.parent)
    config.write_text("game = \n", encoding="utf-8")
    assert "not valid TOML" in said(config.parent)
    config.unlink()
    assert "There is no config.toml in " in said(config.parent)


def test_an_evolution_is_told_what_it_lacks(course: Path) -> None:
    folder = course / "2-evolution"
    (folder / "config.toml").write_text(SMALL.replace("othello-6", "othello-4"))
    assert 'Leave it at "othello-6".' in said(folder)
    (folder / "config.toml").write_text(f"{SMALL}[variation]\ncrossover = 0.0\n")
    words = said(folder)
    assert "most children are copies of a parent" in words
    assert "and 78 % is asked for" in words
    assert "answers.toml says nodes = 0" in words
    (folder / "answers.toml").write_text('nodes = "many"')
    assert "nodes in answers.toml is 'many'. It must be a number." in said(folder)


def test_an_evolution_without_end_is_stopped(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evoply.course.config_exercises.MOST_GAMES", 50)
    (course / "2-evolution" / "config.toml").write_text(SMALL.replace("= 2\n", "= 1_000_000\n"))
    assert "this evolution plays more than 50 games" in said(course / "2-evolution")


def test_trees_are_not_made_small_by_forbidding_large_ones(course: Path) -> None:
    changed(course / "4-bloat" / "config.toml", ("max_nodes = 500", "max_nodes = 20"))
    words = said(course / "4-bloat")
    assert "limits.max_nodes is 20. Put it back to 500" in words


def test_coevolution_without_opponents_from_outside(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evoply.course.config_exercises.SEEDS", ())
    folder = course / "5-coevolution"
    config = folder / "config.toml"
    changed(config, ("population_size = 60", "population_size = 6"))
    assert "games against players from outside" in said(folder)
    changed(config, ('{ kind = "points" }', '"10ab2+5Co"'))
    assert "games against players from outside" in said(folder)
    changed(config, ('"10ab2+5Co"', '"2Co"'))
    words = said(folder)
    assert "outside" not in words
    assert "Run `python progress.py`" in words
    changed(config, ("generations = 31", "generations = 3"))
    assert "take 21 generations or more" in said(folder)


def test_learning_is_told_what_it_lacks(course: Path) -> None:
    folder = course / "7-weights"
    changed(folder / "config.toml", ("games = 2000", "games = 10"))
    words = said(folder)
    assert "add a name to `features`" in words
    assert 'heaviest = "". Another is heavier.' in words
    changed(folder / "config.toml", ("games = 10", "games = 9000"))
    assert "take 5,000 games or fewer" in said(folder)


def test_a_bot_that_is_none_costs_no_games(course: Path) -> None:
    bot = course / "8-bot" / "bot.py"
    bot.write_text("def choose(game): pass\n", encoding="utf-8")
    assert "no class with a method choose(game, stream, clock)" in said(bot.parent)
    bot.write_text("class Bot(\n", encoding="utf-8")
    assert "bot.py: line 1: " in said(bot.parent)


# The command


def test_the_command_ends_with_1_until_all_holds(
    course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course / "1-feature")
    assert main(["check"]) == 1
    first = capsys.readouterr()
    assert "  holds    `feature` in feature.py is an expression" in first.out
    assert "  not yet  slow(position) is right" in first.out
    assert first.err == "evoply: 2 checks do not hold yet\n"
    assert main(["check", str(course.with_name("solutions") / "1-feature")]) == 0
    assert capsys.readouterr().out.endswith("All checks hold.\n")


def test_all_exercises_there_are_make_a_table(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in EXERCISES:
        if name not in ("1-feature", "6-search"):
            shutil.rmtree(course / name)
    assert main(["check", str(course)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "1-feature       1 of 3  next: `feature` is right in 100 positions of random games.",
        "6-search        1 of 5  next: One ply ahead it gives the best of the own moves.",
    ]


def test_json_is_one_object_whatever_the_file_prints(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (course / "1-feature" / "feature.py").open("a", encoding="utf-8") as file:
        file.write("\nprint('hello')\n")
    assert main(["check", str(course / "1-feature"), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["exit_code"] == 1
    (exercise,) = data["exercises"]
    assert exercise["exercise"] == "1-feature"
    assert [one["holds"] for one in exercise["checks"]] == [True, False, False]


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("nowhere", "there is no such folder"),
        ("file", "is a file"),
        (".", "this is no exercise, and has none"),
        ("1-featur", "did you mean '1-feature'?"),
    ],
)
def test_a_folder_that_is_no_exercise(
    folder: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "1-featur").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["check", folder]) == 2
    assert words in capsys.readouterr().err


def test_a_config_in_the_folder_of_a_run_is_not_read(course: Path) -> None:
    (course / "run.db").touch()
    assert "lies in the folder of a run" in said(course / "7-weights")


# All of it: minutes


@pytest.mark.long
@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_holds_and_the_starter_does_not(name: str, course: Path) -> None:
    wrong = [one for one in verdicts(course.with_name("solutions") / name) if not one.holds]
    assert wrong == []
    starter = verdicts(course / name)
    assert not all(one.holds for one in starter)
    assert all(one.holds == (not one.to_do) for one in starter)


@pytest.mark.long
@pytest.mark.parametrize("name", EXERCISES)
def test_the_starter_runs_as_it_is(name: str, course: Path) -> None:
    for path in (course / name).glob("*.py"):
        done = subprocess.run(
            [sys.executable, path.name], cwd=path.parent, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("name", EXERCISES)
def test_empty_files_hold_nothing(name: str, course: Path) -> None:
    for path in (course / name).iterdir():
        path.write_text("", encoding="utf-8")
    assert not all(one.holds for one in verdicts(course / name))
