"""`evoply evolve` with parameter files of gpjpp, good runs, and fronts."""

from pathlib import Path

import pytest
from command_line import SMALL_CONFIG, call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "small.toml").write_text(SMALL_CONFIG)
    return tmp_path


def test_a_parameter_file_of_gpjpp_is_evolved(folder: Path, capsys: pytest.CaptureFixture) -> None:
    (folder / "course.ini").write_text("PopulationSize=20\nNumberOfGenerations=2\nTestDiversity=0")
    answer = call(capsys, "evolve", "course.ini", "--set", "game=othello-4", "--no-tests", "--json")
    assert answer.code == 0
    assert answer.data["generations"] == 2
    (folder / "course.ini").write_text("PopulationSize=20\nGoodRun=1")
    wrong = call(capsys, "evolve", "course.ini")
    assert wrong.code == 2
    assert "course.ini, line 2: unknown parameter 'GoodRun'; did you mean" in wrong.err


def test_runs_are_made_until_enough_were_good(folder: Path, capsys: pytest.CaptureFixture) -> None:
    arguments = ("--set", "termination={fitness=0.7,good_runs=2}", "--no-tests", "--json")
    answer = call(capsys, "evolve", "small.toml", "--name", "many", *arguments)
    assert answer.code == 0
    assert answer.data["good_runs"] == 2
    runs = answer.data["runs"]
    assert [one["name"] for one in runs] == [
        "many",
        *(f"many-{n + 2}" for n in range(len(runs) - 1)),
    ]
    seeds = [call(capsys, "runs", one["name"], "--json").data["seed"] for one in runs]
    assert seeds == list(range(3, 3 + len(runs)))
    never = call(capsys, "evolve", "small.toml", "--set", "termination={fitness=1,good_runs=1}")
    assert never.code == 2
    assert "termination.good_runs" in never.err


def test_the_front_is_shown_after_selection_by_strength_and_size(
    folder: Path, capsys: pytest.CaptureFixture
) -> None:
    arguments = ("--set", "selection.kind=pareto", "--no-tests")
    answer = call(capsys, "evolve", "small.toml", *arguments, "--json")
    nodes = [one["nodes"] for one in answer.data["front"]]
    assert nodes == sorted(nodes, reverse=True)
    assert "nobody smaller is as strong" in call(capsys, "evolve", "small.toml", *arguments).out
