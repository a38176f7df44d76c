"""Experiments: what they vary, their runs, interruptions, and what comes of them."""

import csv
import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evoply import Run
from evoply.cli import main
from evoply.experiments import (
    Budget,
    Experiment,
    ExperimentFolder,
    Score,
    Status,
    UnitResult,
    comparison_of,
    experiment_of,
    folder_for,
    load_experiment,
    run_experiment,
    setups_of,
)
from evoply.experiments.units import Point, run_unit, scores_of
from evoply.protocols import ConfigError, RunError
from evoply.reports import result_html, status_in_words
from waiting import until

BASE = """
game = "othello-4"
population_size = 10
generations = 4
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
FILE = """
base = "base.toml"
seeds = 2
measure = "score:greedy,material:depth=2"
games = 20
points = 3
[vary]
"population_size" = [8, 12]
"selection.size" = [2, 3]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "e.toml").write_text(FILE)
    return tmp_path


def test_all_combinations_are_setups(home: Path) -> None:
    setups = setups_of(load_experiment("e.toml"))
    assert [one.name for one in setups] == [
        "population_size=8 size=2",
        "population_size=8 size=3",
        "population_size=12 size=2",
        "population_size=12 size=3",
    ]
    assert [(one.config.population_size, one.config.selection.size) for one in setups] == [
        (8, 2), (8, 3), (12, 2), (12, 3)
    ]  # fmt: skip
    listed = load_experiment("e.toml").model_copy(update={"order": "list"})
    assert [one.name for one in setups_of(listed)] == [
        "population_size=8 size=2",
        "population_size=12 size=3",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"base": "nothing"}, "no such file and no preset"),
        ({"base": ""}, "base: give a base whose keys are varied, or configs"),
        ({"configs": ["quick"]}, "base: give a base"),
        ({"vary": {"populaton_size": [1, 2]}}, "unknown key; did you mean 'population_size'"),
        ({"vary": {"population_size": []}}, "vary.population_size: must not be empty"),
        ({"vary": {"population_size": [8, 1]}}, "population_size=1: population_size: must be"),
        ({"measure": "swh"}, "measure: 'swh' - write score: and opponents"),
        ({"measure": "score:swh"}, "measure: "),
        ({"measure": "score:random"}, "measure: .* trains on random"),
        ({"measure": "score:material:time=1"}, "measure: .* may play otherwise next time"),
        ({"measure": "score:greedy,,mobility"}, "an opponent between commas is missing"),
        ({"budget": {"games": 5, "work": 5}}, "budget: give one of games, work and seconds"),
        ({"budget": {"turns": 5}}, "budget.turns: unknown key"),
        ({"seeds": 0}, "seeds: must be"),
        ({"looks": [10, 5]}, "looks: must grow from each to the next"),
        ({"looks": [0, 5]}, "looks.0: must be"),
        ({"games": 3}, "games: "),
        ({"order": "list", "vary": {"seed": [1], "elitism": [1, 2]}}, "have as many values"),
    ],
)
def test_what_is_wrong_is_named(home: Path, changes: dict[str, Any], message: str) -> None:
    data = {"base": "base.toml", "measure": "score:greedy", **changes}
    with pytest.raises(ConfigError, match=message):
        setups_of(experiment_of(data))


def test_guides_are_trained_on_and_work_is_not_counted_by_every_learner(home: Path) -> None:
    (home / "guided.toml").write_text(
        'game = "othello-4"\nfitness = "5rand+10Co"\ngenerations = 3\n'
    )
    with pytest.raises(ConfigError, match="measure: guided trains on random"):
        setups_of(Experiment(configs=("guided.toml",), measure="score:random"))
    with pytest.raises(ConfigError, match=r"budget\.work: is not counted by learning"):
        setups_of(Experiment(configs=("firebrand-8",), budget={"work": 5}))


@pytest.mark.parametrize("measure", ["greedy", "greedy:depth=0", "greedy:ties=first"])
@pytest.mark.parametrize("trained", ["greedy", "greedy:depth=0,ties=first"])
def test_a_player_is_trained_on_in_whatever_words(home: Path, measure: str, trained: str) -> None:
    (home / "base.toml").write_text(BASE.replace('"random"', f'"{trained}"'))
    with pytest.raises(ConfigError, match=f"base trains on {trained}"):
        setups_of(Experiment(base="base.toml", measure=f"score:{measure}"))
    # Another player, though of another name: it breaks ties otherwise.
    assert setups_of(Experiment(base="base.toml", measure="score:greedy:ties=random"))
    # The usual opponents leave out what is trained on.
    (home / "base.toml").write_text(BASE.replace('"random"', '"mobility:ties=first"'))
    folder = ExperimentFolder.create(home / "x", Experiment(base="base.toml"))
    assert "mobility" not in folder.experiment.measure.opponents


def test_looks_are_planned_before_there_are_results(home: Path) -> None:
    experiment = load_experiment("e.toml")
    assert ExperimentFolder.create(home / "x", experiment).experiment.looks == (2,)
    # More seeds later are no planned look, and the plan cannot be changed afterwards.
    more = ExperimentFolder.create(home / "x", experiment.model_copy(update={"seeds": 4}))
    assert (more.experiment.seeds, more.experiment.looks) == (4, (2,))
    with pytest.raises(RunError, match=r"looks: .* was begun with \[2\], and looks cannot be plan"):
        ExperimentFolder.create(home / "x", experiment.model_copy(update={"looks": (2, 4)}))
    planned = experiment_of({"base": "base.toml", "looks": [3, 6], "measure": "score:greedy"})
    assert planned.seeds == 3
    folder = ExperimentFolder.create(home / "y", planned)
    again = ExperimentFolder.open(folder.path)
    assert again.experiment.looks == (3, 6)
    elsewhere = folder_for(more.path, name="z", seeds=5)
    assert elsewhere.experiment.planned_looks == (5,)
    assert folder_for(folder.path, name="w").experiment.looks == (3, 6)


def test_a_curve_ends_with_the_ends_of_all_runs(home: Path) -> None:
    def run(seed: int, values: list[float]) -> UnitResult:
        points = [Point(step, step, 0, step, value) for step, value in enumerate(values)]
        return UnitResult("base", seed, "", tuple(points))

    folder = ExperimentFolder.create(home / "x", load_experiment("e.toml"))
    runs = run(1, [0.1, 0.2, 0.9]), run(2, [0.3, 0.4, 0.5, 0.6, 0.7])
    assert comparison_of(folder).verdict == "No run is done yet."
    curve = replace(comparison_of(folder), results=runs).curve("base", "games")
    assert curve.x == (0, 1, 3)
    assert curve.median == pytest.approx((0.2, 0.3, 0.8))


def test_an_option_behind_a_comma_belongs_to_the_player_before_it() -> None:
    measure = Score.from_text("score:material:depth=2,ties=first,mobility")
    assert measure.opponents == ("material:depth=2,ties=first", "mobility")
    assert Score.from_text(str(measure)) == measure


def test_results_do_not_depend_on_workers_nor_on_the_order(home: Path) -> None:
    experiment = load_experiment("e.toml")
    folder = ExperimentFolder.create(home / "with-2", experiment)
    run_experiment(folder, workers=2)
    digest = comparison_of(folder).digest
    # The units one by one in this process, the last first, on two threads.
    folder = ExperimentFolder.create(home / "alone", experiment)
    for unit in reversed(folder.units()):
        run_unit(unit, folder.experiment, threads=2)
    comparison = comparison_of(folder)
    assert comparison.digest == digest
    assert comparison.runs == 8
    assert all(len(spread.values) == 2 for spread in comparison.spreads.values())
    values = [one.curve for one in comparison.results]
    other = comparison_of(ExperimentFolder.open(home / "with-2"))
    assert [[p.value for p in curve] for curve in values] == [
        [p.value for p in one.curve] for one in other.results
    ]
    # Four generations, measured at three of them and at the end.
    assert [len(curve) for curve in values] == [4] * 8
    assert "2 seeds a setup cannot show any difference" in comparison.verdict


def test_every_point_of_a_learning_curve_is_measured(home: Path) -> None:
    """Labels are cut, and here all begin with the weight of what Othello has not, kings."""
    (home / "learned.toml").write_text(
        'learner = "learning"\ngame = "othello-4"\ngames = 60\ngames_per_step = 20\n'
        'features = ["kings", "mobility", "anchored", "pieces"]\n'
        "rates = { weights = 0.2 }\n"
    )
    experiment = Experiment(
        base="learned.toml", seeds=1, measure="score:greedy", games=80, points=3
    )
    folder = ExperimentFolder.create(home / "x", experiment)
    (unit,) = folder.units()
    curve = run_unit(unit, folder.experiment)
    measure = Score.from_text("score:greedy")
    with Run.open(unit.path) as run:
        players = {step.number: step.champions[0] for step in run.whole_steps()}
    expected = [
        scores_of(players[point.step], measure, game="othello-4", games=80 if last else 20)[0]
        for point in curve
        for last in [point is curve[-1]]
    ]
    assert [point.value for point in curve] == expected
    assert len(set(expected)) > 1
    assert len({player.label for player in players.values()}) < len(players)


@pytest.mark.usefixtures("units_here")
def test_more_seeds_go_on_where_it_was(home: Path) -> None:
    experiment = load_experiment("e.toml").model_copy(update={"vary": {"population_size": [8]}})
    folder = ExperimentFolder.create(home / "x", experiment)
    run_experiment(folder, workers=1)
    first = comparison_of(folder)
    more = ExperimentFolder.create(home / "x", experiment.model_copy(update={"seeds": 3}))
    run_experiment(more, workers=1)
    second = comparison_of(more)
    assert (first.runs, second.runs) == (2, 3)
    assert not first.look.is_exploratory
    assert second.look.is_exploratory
    (warning,) = second.warnings
    assert warning.startswith("Exploratory: 3 seeds a setup, and planned was a look at 2.")
    assert warning in result_html(second)
    assert second.to_dict()["look"] == {"seeds": [3], "planned": [2], "exploratory": True}
    assert second.results[:2] == first.results
    other = experiment.model_copy(update={"games": 40})
    with pytest.raises(RunError, match="holds another experiment"):
        ExperimentFolder.create(home / "x", other)


@pytest.mark.usefixtures("units_here")
def test_a_budget_of_games_ends_every_run_alike(home: Path) -> None:
    experiment = Experiment(
        configs=["base.toml", "learned.toml"],
        seeds=1,
        measure="score:greedy",
        games=10,
        points=2,
        budget={"games": 300},
    )
    (home / "learned.toml").write_text(
        'learner = "learning"\ngame = "othello-4"\nfeatures = ["corners", "mobility"]\n'
    )
    folder = ExperimentFolder.create(home / "x", experiment)
    run_experiment(folder, workers=1)
    comparison = comparison_of(folder)
    ends = {one.setup: one.curve[-1].games for one in comparison.results}
    assert ends["learned"] == 300
    assert 300 <= ends["base"] < 400
    assert [one.mean for one in comparison.overshoots if one.setup == "learned"] == [0]
    assert comparison.warnings == []
    # The same runs, had the budget been smaller.
    smaller = comparison.experiment.model_copy(update={"budget": Budget(games=280)})
    comparison = replace(comparison, experiment=smaller)
    beyond = {one.setup: one for one in comparison.overshoots}
    assert beyond["base"].most == pytest.approx(ends["base"] / 280 - 1)
    assert beyond["base"].mean > 0.05
    (warning,) = comparison.warnings
    assert "2 of 2 setups went more than 5 % beyond on average, " in warning
    assert warning.replace(" %", "\N{NO-BREAK SPACE}%") in result_html(comparison)
    assert comparison.to_dict()["beyond_budget"][0]["setup"] == "base"
    for one in folder.units():
        with Run.open(one.path) as run:
            assert (run.status, run.ended_by) == ("limit", "budget.games")
            assert status_in_words(run.status, run.ended_by) == "finished (budget of games)"


def test_a_plan_that_can_show_nothing_is_told_before_the_runs(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told after all of them."""
    path = home / "x.toml"
    path.write_text('base = "base.toml"\nlooks = [3, 6]\n[vary]\nseed = [1, 2, 3, 4]\n')
    monkeypatch.setattr("evoply.experiments.run_experiment", lambda *_, **__: None)
    for seeds, is_told in (("3", True), ("6", True)):
        main(["experiment", str(path), "--seeds", seeds])
        said = capsys.readouterr().out
        assert ("8 are the fewest that can, for 6 pairs." in said) is is_told
    path.write_text(path.read_text().replace("[3, 6]", "[3, 8]"))
    main(["experiment", str(path), "--seeds", "3", "--name", "y"])
    assert "cannot show" not in capsys.readouterr().out.partition("No run is done")[0]


@pytest.mark.usefixtures("units_here")
def test_runs_that_a_clock_ended_are_not_called_reproducible(home: Path) -> None:
    experiment = Experiment(
        configs=("base.toml",), seeds=2, measure="score:greedy", games=2, points=0
    )
    folder = ExperimentFolder.create(home / "x", experiment)
    run_experiment(folder, workers=1)
    assert comparison_of(folder).to_dict()["reproducible"] is True
    with Run.open(folder.units()[0].path) as run:
        run.set_meta(ended_by="time_limit")
    timed = comparison_of(folder)
    assert timed.to_dict()["reproducible"] is False
    (warning,) = timed.warnings
    assert warning.startswith("1 of 2 runs were ended by a limit in seconds")


WORKER = "import sys; from evoply.cli import main; sys.exit(main(sys.argv[1:]))"


def test_a_killed_experiment_loses_nothing_and_leaves_no_process(home: Path) -> None:
    (home / "slow.toml").write_text(BASE.replace("generations = 4", "generations = 12"))
    (home / "e.toml").write_text(FILE.replace("base.toml", "slow.toml").replace("[8, 12]", "[100]"))
    command = [sys.executable, "-c", WORKER, "experiment", "e.toml", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runs = home / "runs" / "e" / "runs"
    until(lambda: len(list(runs.glob("*/run.db"))) >= 2)
    workers = _workers_of(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert workers
    until(lambda: not workers & _workers_of())
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    data = json.loads(done.stdout)
    folder = ExperimentFolder.create(home / "whole", load_experiment("e.toml"))
    run_experiment(folder, workers=1)
    assert data["digest"] == comparison_of(folder).digest
    assert data["status"] == "finished"


def _workers_of(parent: int | None = None) -> set[int]:
    """Return the ids of processes that do units, of all or of one *parent*."""
    listed = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()[1:]]
    return {
        int(pid)
        for pid, above, command in rows
        if "evoply.cluster.processes" in command and parent in (None, int(above))
    }


def test_a_unit_whose_process_is_killed_goes_on_and_not_for_ever(home: Path) -> None:
    (home / "slow.toml").write_text(BASE.replace("generations = 4", "generations = 300"))
    experiment = Experiment(base="slow.toml", seeds=1, measure="score:greedy", games=20, points=2)
    folder = ExperimentFolder.create(home / "x", experiment)
    killed: set[int] = set()

    def kill(status: Status, times: int) -> None:
        if status.share and len(killed) < times:
            for one in _workers_of(os.getpid()) - killed:
                killed.add(one)
                os.kill(one, signal.SIGKILL)

    with pytest.raises(RunError, match=r"the run of base with seed 1 failed: exit code -9: it sai"):
        run_experiment(folder, workers=1, progress=lambda status: kill(status, 3))
    assert len(killed) == 3
    killed.clear()
    run_experiment(folder, workers=1, progress=lambda status: kill(status, 1))
    assert len(killed) == 1
    whole = ExperimentFolder.create(home / "whole", experiment)
    for unit in whole.units():
        run_unit(unit, experiment)
    assert comparison_of(folder).digest == comparison_of(whole).digest


def test_what_a_unit_says_is_wrong_is_said(home: Path) -> None:
    folder = ExperimentFolder.create(home / "x", Experiment(base="base.toml", seeds=1))
    (unit,) = folder.units()
    unit.path.mkdir(parents=True)
    with pytest.raises(RunError, match=r"the run of base with seed 1 failed: .* exists already"):
        run_experiment(folder, workers=1)


@pytest.mark.usefixtures("units_here")
def test_an_experiment_that_finds_no_room_can_be_made_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    experiment, write = load_experiment(home / "e.toml"), "write_atomically"

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(f"evoply.experiments.experiment_folder.{write}", fail)
        says = "cannot be written: the disk is full .*, then give the same command again"
        with pytest.raises(RunError, match=says):
            ExperimentFolder.create(home / "sizes", experiment)
    assert not (home / "sizes").exists()
    small = 'base = "base.toml"\nseeds = 1\npoints = 1\ngames = 20\nmeasure = "score:greedy"\n'
    (home / "small.toml").write_text(f"{small}[vary]\npopulation_size = [8, 12]\n")
    with monkeypatch.context() as full:
        full.setattr(f"evoply.reports.pages.{write}", fail)
        assert main(["experiment", "small.toml", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert "comparison.html cannot be written: the disk is full" in error
    assert "give the same command again; all runs so far are kept" in error
    folder = ExperimentFolder.create(home / "sizes", experiment)

    def unreadable(*_: object, **__: object) -> str:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("evoply.experiments.experiment_folder.read_kept_text", unreadable)
    with pytest.raises(RunError, match="cannot be read: the disk is gone or broken") as error:
        ExperimentFolder.open(folder.path)
    assert "damaged" not in str(error.value)


@pytest.mark.usefixtures("units_here")
def test_the_commands(home: Path, capsys: Any) -> None:
    assert main(["experiment", "e.toml", "--json", "--csv", "numbers", "--charts", "drawn"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert {one["name"]: len(one["values"]) for one in first["configs"]} == {
        f"population_size={size} size={k}": 2 for size in (8, 12) for k in (2, 3)
    }
    assert len(first["pairs"]) == 6
    with open("numbers/values.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert row["setup"] == (
            f"population_size={row['population_size']} size={row['selection.size']}"
        )
        scores = float(row["score:greedy"]), float(row["score:material:depth=2"])
        assert float(row["value"]) == pytest.approx(sum(scores) / 2)
    with open("numbers/pairs.csv", encoding="utf-8") as file:
        (pair, *_) = csv.DictReader(file)
    assert {"permutation_p", "brunner_munzel_p", "plain_p", "permutation_p_holm", "p"} <= set(pair)
    assert first["measure"] == "score:greedy,material:depth=2"
    with open("numbers/curves.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * 4
    # With two seeds there are no effects, and the table has its head all the same.
    assert Path("numbers/effects.csv").read_text(encoding="utf-8").startswith("effect,keys,")
    page = (home / "runs" / "e" / "comparison.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("Differences", "Against games", first["digest"]))
    command = "evoply experiment e.toml --json --csv numbers --charts drawn"
    assert first["made_by"]["command"] == command
    # A program of the user's own has no command, and nothing else differs.
    assert page.count(f": <code>{command}</code>.") == 1
    assert result_html(comparison_of(ExperimentFolder.open(home / "runs" / "e"))) == page.replace(
        f": <code>{command}</code>.", "."
    )
    drawn = sorted(path.name for path in (home / "drawn").iterdir())
    assert drawn[:2] == ["1-strength-at-the-end.pdf", "1-strength-at-the-end.svg"]
    assert len(drawn) == 2 * page.count('<figure class="chart">')
    for path in (home / "drawn").iterdir():
        assert path.read_bytes()[:4] == {".svg": b"<svg", ".pdf": b"%PDF"}[path.suffix]
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == []
    unit = "e/1-population_size=8-size=2-seed-1"
    assert main(["show", f"champion@{unit}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "othello-4"
    # From the folder alone.
    assert main(["experiment", "runs/e", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == first["digest"]
    assert main(["compare", "base.toml", "base.toml", "--seeds", "1", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in second["configs"]] == ["base", "base (2)"]
    assert second["configs"][0]["values"] == second["configs"][1]["values"]
    unseeded = ["experiment", "e.toml", "--seeds", "0"]
    for command, words in (
        (["compare", "quick"], "two runs, or two or more configs"),
        (["compare", "quick", "quick", "--looks", "5,x"], "--looks 5,x: write numbers of seeds"),
        (["compare", "quick", "quick", "--same-within", "2"], "same_within: must be"),
        (["experiment", "e.toml", "--charts", "base.toml/x"], "--charts base.toml/x"),
        (["compare", "quick", "quick", "--name", "../x"], "cannot be the name of a run"),
        (["experiment", "e.toml", "--csv", "base.toml/x"], "--csv base.toml/x"),
        (unseeded, "seeds: must be"),
        (["compare", "quick", "demo"], "only one game can be compared"),
        (["experiment", "nothing.toml"], "there is no such file"),
        (["experiment", "base.toml"], "unknown key"),
    ):
        assert main(command) == 2
        answer = capsys.readouterr()
        assert words in answer.err
        assert "Traceback" not in answer.err


def test_units_that_are_done_are_opened_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "e.toml").write_text(FILE.replace("points = 3", "points = 0"))
    folder = folder_for("e.toml")
    assert folder.measured() == []
    run_experiment(folder, workers=1)
    opened: list[str] = []
    really = Run.open

    def counted(path: Path, **given: Any) -> Run:
        opened.append(Path(path).name)
        return really(path, **given)

    monkeypatch.setattr(Run, "open", counted)
    results = folder.measured()
    names = [unit.path.name for unit in folder.units()]
    assert opened == names
    run_experiment(folder, workers=1)
    assert comparison_of(folder).results == tuple(results)
    assert opened == names
    # One that was changed, damaged or removed since is looked at again.
    first, second, third, *_ = folder.units()
    with really(first.path) as run:
        run.set_meta(measured="")
    with really(second.path) as run:
        run.set_meta(measured="nothing")
    with pytest.raises(RunError, match="its measured strength cannot be read"):
        folder.measured()
    for unit in (second, third):
        unit.path.rename(home / unit.path.name)
    assert folder.measured() == results[3:]
    assert [unit.path for unit in folder.waiting()] == [first.path, second.path, third.path]
    (home / third.path.name).rename(third.path)
    assert folder.measured() == results[2:]
    assert ExperimentFolder.open(folder.path).measured() == results[2:]
