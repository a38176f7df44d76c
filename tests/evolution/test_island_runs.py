"""Runs of islands: kept, killed, gone on with, shown, and used by other commands."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli_w

import evoply as ep
from evoply.cli import main
from evoply.evolution import load_config
from evoply.evolution.islands import IslandEvolution, IslandsConfig, IslandsStep, evolve_islands
from evoply.kinds import KINDS
from evoply.runs import advance
from evoply.runs.schema import read_state
from waiting import PATIENCE, until_it_computes

SMALL: dict[str, Any] = {
    "game": "othello-4",
    "population_size": 20,
    "generations": 12,
    "limits": {"max_nodes": 25},
    "fitness": {
        "opening_plies": 3,
        "opponents": [{"player": "greedy", "pairs": 2}],
        "earlier_generations": {"champions": 2, "pairs": 2},
    },
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 4, "pairs": 2},
    "islands": {"count": 2, "every": 3, "migrants": 2, "test_pairs": 5},
}

WRITER = """
import sys
from evoply.evolution.islands import load_islands_config
from evoply import Run
from evoply.runs import advance
run = Run.create(sys.argv[1], load_islands_config(sys.argv[2]))
for step in advance(run, threads=2):
    print(step.number, flush=True)
"""


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("islands.toml").write_text(tomli_w.dumps({"learner": "islands", **SMALL}))
    return "islands.toml"


def test_a_run_goes_on_as_if_unbroken(tmp_path: Path) -> None:
    config = IslandsConfig(**SMALL)
    expected = list(evolve_islands(config))
    with ep.Run.create(tmp_path / "broken", config) as run:
        for step in advance(run, threads=1):
            if step.number == 1:
                break
        assert run.last() == step
        assert step.digest == expected[1].digest
    with ep.Run.open(tmp_path / "broken") as run:
        list(advance(run, threads=2))
        assert run.digests() == [step.digest for step in expected]
        assert run.champion_player == expected[-1].champions[0]
        assert (run.status, run.config) == ("finished", config)
        assert [step.digest for step in run.whole_steps()] == run.digests()
        run.check()


def test_a_champion_of_an_archive_is_kept_once(tmp_path: Path) -> None:
    with ep.Run.create(tmp_path / "run", IslandsConfig(**SMALL)) as run:
        steps = list(advance(run))
        for step in steps:
            state = run.reading(lambda opened, number=step.number: read_state(opened, number))
            assert not any(island["archive"] for island in state["generations"])
        assert list(run.whole_steps()) == steps
    archives = [len(island.archive) for island in steps[-1].generations]
    assert max(archives) > 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("steps", [0, 2])
def test_a_killed_run_goes_on_to_the_same_digests(
    tmp_path: Path, config_file: str, steps: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, "run", config_file], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for number in range(steps + 1):
        assert process.stdout.readline() == f"{number}\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with ep.Run.open("run") as run:
        expected = [step.digest for step in evolve_islands(IslandsConfig(**SMALL))]
        assert run.digests() == expected[: run.count()]
        assert run.count() > steps
        list(advance(run))
        assert run.digests() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_stops_all_islands_at_once(tmp_path: Path, config_file: str) -> None:
    slow = ["--set", "islands.every=100000", "--population-size", "500", "--generations", "none"]
    process = subprocess.Popen(
        [sys.executable, "-m", "evoply", "evolve", config_file, "--name", "slow", *slow,
         "--set", "time_limit=1000", "--threads", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert "Run folder" in process.stdout.readline()
    until_it_computes(process.pid)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=PATIENCE)
    assert "Stopped before the first step was whole" in said
    assert "Traceback" not in said


def test_commands_know_a_run_of_islands(
    config_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = ["evolve", config_file, "--name", "four", "--population-size", "30", "--no-tests"]
    assert main([*begin, "--generations", "6", "--threads", "2"]) == 0
    told = capsys.readouterr().out
    assert "The best of each island" in told
    assert "from island" in told
    assert main(["resume", "four", "--generations", "9", "--no-tests"]) == 0
    with ep.Run.open("runs/four") as run:
        last = run.last()
        assert isinstance(last, IslandsStep)
        assert [island.number for island in last.generations] == [8, 8]
        assert [len(island.individuals) for island in last.generations] == [30, 30]
        champion = str(last.champion)
        learners = run.kind.learners
        costs = [
            learners.costs(step, before)
            for before, step in zip([None, *run.whole_steps()], run.whole_steps(), strict=False)
        ]
    assert champion in capsys.readouterr().out
    assert sum(each["games"] for each in costs) == last.games
    assert sum(each["work"] for each in costs) == last.work
    assert main(["runs", "four", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["generations"]
    assert [row["digest"] for row in rows][-1] == last.digest
    assert rows[-1]["survived"] == last.statistics["survived"]
    assert main(["runs", "four", "--csv", "tables"]) == 0
    with Path("tables/generations.csv").open(encoding="utf-8") as file:
        assert [row["migrants"] for row in csv.DictReader(file)] == ["4"] * 3
    assert main(["report", "four"]) == 0
    page = Path("runs/four/report.html").read_text(encoding="utf-8")
    for title in ("The best of every island on fresh games", "Migrants that survived", "island 2"):
        assert title in page
    assert main(["match", "champion@four", "random", "--game", "othello-4", "--games", "10"]) == 0
    features = ["--features", "champion@four", "--terms", "3", "--games", "50", "--no-tests"]
    assert main(["learn", "firebrand-8", "--name", "weights", *features]) == 0
    with ep.Run.open("runs/weights") as run:
        assert run.game == "othello-4"


def test_the_live_display_says_how_far_the_limits_are() -> None:
    kind = KINDS["islands"]
    config = IslandsConfig(**{**SMALL, "generations": 10, "time_limit": 1000.0})
    step = IslandEvolution().first(config)
    live = kind.display.live(config, step)
    assert live.last_number == 3  # 12 generations are the first whole steps with 10
    assert live.seconds_left == 3 * step.seconds
    assert str(step.champion) in live.champion
    labels = [label for label, _ in live.facts]
    assert labels[:3] == ["generations", "best, fresh games", "mean, fresh games"]
    progress = ep.protocols.Progress(1, "epoch", 2, 6)
    assert kind.display.stage(progress, 1) == "step 1: 2 of 6 generations"
    assert kind.display.stage(None, 1) == "step 1"


@pytest.mark.usefixtures("units_here")
def test_a_comparison_counts_games_and_work(config_file: str) -> None:
    configs = {"islands": IslandsConfig(**SMALL), "plain": load_config("quick", ["game=othello-4"])}
    settings = {"seeds": 2, "points": 0, "games": 4, "workers": 2, "budget": {"games": 9_000}}
    with pytest.raises(ep.ConfigError, match="islands trains on greedy"):
        ep.compare(configs, measure="score:greedy", **settings)
    changes = [{"fitness": {"opponents": [{"player": "material", "pairs": 1}]}}]
    other = IslandsConfig(**{**SMALL, "islands": {**SMALL["islands"], "changes": changes}})
    with pytest.raises(ep.ConfigError, match="islands trains on material"):
        ep.compare({**configs, "islands": other}, measure="score:material", **settings)
    compared = ep.compare(configs, measure="score:mobility", **settings)
    assert "islands" in str(compared)
    paths = [
        file.parent for file in Path("runs").rglob("run.db") if "-islands-" in file.parent.name
    ]
    assert len(paths) == 2
    for path in paths:
        with ep.Run.open(path) as run:
            *before, last = run.whole_steps()
            assert before[-1].games < 9_000 <= last.games


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--set", "fitness.opponents=[{player='greedy:seconds=1'}]"], "fitness.opponents"),
        (["--set", "islands.migrants=20"], "islands.migrants: 20 come to an island of 20"),
        (
            ["--set", "islands.changes=[{elitsm=1}]"],
            "islands.changes.0.elitsm: unknown key; did you mean 'elitism'?",
        ),
        (["--set", "islands.topology=rings"], "islands.topology"),
        (["--set", "base=demo"], "base: unknown key"),
        (["--cluster", "local:0"], "cluster"),
        (["--cluster", "nowhere"], "cluster: 'nowhere' is not a cluster"),
    ],
)
def test_mistakes_are_said_without_a_traceback(
    config_file: str, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["evolve", config_file, *words]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said
    assert not Path("runs").exists() or not list(Path("runs").iterdir())


def test_python_is_named_by_the_config_only(tmp_path: Path) -> None:
    refused = pytest.raises(ep.RunError, match="fitness: islands take no Python")
    with ep.Run.create(tmp_path / "run", IslandsConfig(**SMALL)) as run, refused:
        next(advance(run, fitness=lambda tree, stream: 0.0))


@pytest.mark.parametrize("is_everywhere", [True, False])
def test_python_is_kept_with_its_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_everywhere: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def smallness(tree, stream):\n    return -float(len(tree))\n")
    own = {"fitness": {"measure": "python:mine.py:smallness"}}
    keys = {"population_size": 10, "generations": 6}
    if is_everywhere:
        config = IslandsConfig(**{**SMALL, **keys, **own})
    else:
        table = {**SMALL["islands"], "changes": [own, own]}
        config = IslandsConfig(**{**SMALL, **keys, "islands": table})
    with ep.Run.create("run", config) as run:
        *_, last = advance(run)
    assert last.statistics["best"] == -1
    kept = ep.Run.open("run").config.model_dump_json()
    assert re.search(r"mine\.py:smallness#[0-9a-f]{64}", kept)
    Path("mine.py").write_text("def smallness(tree, stream):\n    return float(len(tree))\n")
    words = [sys.executable, "-m", "evoply", "resume", "run", "--generations", "9"]
    done = subprocess.run([*words, "--code-in-runs"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "mine.py" in done.stderr
    assert "Traceback" not in done.stderr
