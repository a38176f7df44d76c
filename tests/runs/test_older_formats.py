"""Runs of format 1 are read as before; nothing is added to them."""

import json
import shutil
from pathlib import Path

import pytest
from run_settings import make_older

from evoply.cli.app import run as command
from evoply.reports import report_html
from evoply.runs import Run, RunError, advance, censuses, export_csv, replay, resolve_champion

STORED = Path(__file__).parents[2] / "testdata" / "run-format-1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    folder = tmp_path / "runs" / "format-1"
    folder.mkdir(parents=True)
    for name in ("config.toml", "run.db"):
        shutil.copy(STORED / name, folder / name)
    return folder


def test_the_command_says_what_it_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = json.loads((STORED / "runs.json").read_text())
    assert command(["runs", "format-1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {key: data[key] for key in before} | {"generations": 0} == before | {"generations": 0}
    for then, now in zip(before["generations"], data["generations"], strict=True):
        assert {key: now[key] for key in then} == then
    assert command(["runs", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["runs"]
    assert (one["name"], one["generations"], one["best_fresh"]) == ("format-1", 3, 0.49375)


def test_everything_of_it_is_read(home: Path) -> None:
    before = json.loads((STORED / "runs.json").read_text())
    with Run.open(home) as run:
        assert run.format == 1
        digests = [one["digest"] for one in before["generations"]]
        assert run.digests() == digests
        assert [one.digest for one in run.generations()] == digests
        assert run.steps()[1].statistics["best_fresh"] == before["generations"][1]["best_fresh"]
        assert len(run.matches()) == 2
        assert len(censuses(run)) == 3
        assert before["champion"] in report_html(run)
        # Nobody had measured its median.
        assert "mean, fresh games" in dict(run.kind.live(run.config, run.last()).facts)
        assert {one["median_fresh"] for one in run.generation_rows()} == {None}
        names = ["generations.csv", "individuals.csv", "hall_of_fame.csv", "matches.csv"]
        assert [path.name for path in export_csv(run, home / "csv")] == names
        played = replay(run, 1, 3)
        assert (played.games, played.white) == (408, "( + white_mobility 10 )")
        assert str(run.champion.tree) == before["champion"]


def test_its_champion_plays(home: Path) -> None:
    before = json.loads((STORED / "runs.json").read_text())
    assert before["champion"] in resolve_champion("champion@format-1").model_dump_json()


def test_resume_says_to_start_anew_and_changes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = {path.name: path.read_bytes() for path in home.iterdir()}
    assert command(["resume", "format-1", "--generations", "9"]) == 1
    error = capsys.readouterr().err
    assert "has format 1, which is only read: start a new run" in error
    with Run.open(home) as run, pytest.raises(RunError, match="start a new run"):
        next(advance(run))
    assert {path.name: path.read_bytes() for path in home.iterdir()} == held


def test_runs_of_format_2_are_read_without_checksums(
    finished: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home.parent / "second"
    shutil.copytree(finished, folder)
    make_older(folder, 2)
    with Run.open(folder) as run, Run.open(finished) as original:
        assert run.format == 2
        assert list(run.generations()) == list(original.generations())
        assert run.steps() == original.steps()
        assert run.champion_player == original.champion_player
        assert censuses(run) == censuses(original)
        assert run.check() == 0
        assert original.check() > 0
        for adding in (lambda: run.save_match({}), lambda: next(advance(run))):
            with pytest.raises(RunError, match="has format 2, which is only read"):
                adding()
    for name in ("second", "format-1"):
        assert command(["runs", name, "--check"]) == 0
        assert "have no checksums" in capsys.readouterr().out
