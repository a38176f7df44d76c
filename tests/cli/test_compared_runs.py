"""`evoply compare FIRST SECOND` with names of runs: they are shown as they are."""

from pathlib import Path

import pytest
from command_line import call

from evoply.runs import list_runs


@pytest.fixture
def two(capsys: pytest.CaptureFixture, workplace: Path) -> None:
    for name, seed in (("one", "1"), ("two", "2")):
        call(capsys, "evolve", "small.toml", "--seed", seed, "--name", name, "--quiet")


@pytest.mark.usefixtures("two")
def test_two_runs_are_compared_as_they_are(capsys: pytest.CaptureFixture) -> None:
    said = call(capsys, "compare", "one", "two").out
    assert "One seed each proves nothing" in said
    assert "evoply compare one two --seeds 10" in said
    data = call(capsys, "compare", "one", "two", "--json").data
    assert data["keys"] == [{"key": "seed", "one": "1", "two": "2"}]
    for found in data["scores"]:
        assert found["difference"] == pytest.approx(found["second"][0] - found["first"][0])
        assert found["interval"] is None or found["interval"][0] < found["difference"]
    assert [found["opponent"] for found in data["scores"]] == ["random", "greedy"]
    assert {fact["what"] for fact in data["facts"]} == {"status", "length", "time", "champion"}
    assert [run.name for run in list_runs()] == ["one", "two"]  # nothing was run


@pytest.mark.usefixtures("two")
def test_with_seeds_their_configs_are_run_again(capsys: pytest.CaptureFixture) -> None:
    options = ("--seeds", "1", "--games", "4", "--measure", "score:greedy", "--name", "again")
    assert call(capsys, "compare", "one", "two", *options).code == 0
    assert Path("runs/again/comparison.html").is_file()


def test_one_name_is_not_enough(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "compare", "one")
    assert answer.code == 2
    assert "evoply compare first second" in answer.err
