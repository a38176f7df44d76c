"""A run killed at any instant and resumed gives the same digests."""

import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from run_settings import small_config

from evoply import Run
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, Fitness, Opponent, config_to_toml, evolve
from evoply.runs import RunError, advance
from waiting import PATIENCE, children_seconds, cpu_seconds, until

WRITER = """
import sys
from evoply.evolution import load_config
from evoply import Run
from evoply.runs import advance
run = Run.create(sys.argv[1], load_config(sys.argv[2]))
print("created", flush=True)
for generation in advance(run):
    print(generation.number, flush=True)
"""


def run_config(seconds: str) -> EvolutionConfig:
    """Return a config of many short generations."""
    generations = {"short": 12, "long": 250}[seconds]
    opponents = (Opponent(player="random", pairs=8), Opponent(player="greedy", pairs=8))
    return small_config(
        generations=generations, population_size=100, fitness=Fitness(opponents=opponents)
    )


def start(folder: Path, config_file: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(config_file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def wait_for_an_instant(process: "subprocess.Popen[str]", generations: int, draws: Stream) -> None:
    """Wait until a writer starts, or for a moment within one of its generations."""
    assert process.stdout is not None
    seconds, said = 1.0, time.monotonic()
    for _ in range(draws.below(generations + 1)):
        assert process.stdout.readline()
        seconds, said = time.monotonic() - said, time.monotonic()
    time.sleep(seconds * draws.random())


def check_instants(tmp_path: Path, config: EvolutionConfig, instants: int) -> None:
    (tmp_path / "config.toml").write_text(config_to_toml(config))
    expected = [generation.digest for generation in evolve(config)]
    draws = Stream(2024, "instants")
    cut_short = 0
    for instant in range(instants):
        folder = tmp_path / f"killed-{instant}"
        process = start(folder, tmp_path / "config.toml")
        wait_for_an_instant(process, len(expected), draws)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        try:
            run = Run.open(folder)
        except RunError:
            assert not folder.exists()
            run = Run.create(folder, config)
        with run:
            saved = run.digests()
            assert saved == expected[: len(saved)]
            assert [generation.digest for generation in run.whole_steps()] == saved
            cut_short += len(saved) < len(expected)
            list(advance(run))
            assert run.digests() == expected
            assert run.status == "finished"
    assert cut_short > 0


KILLED = {
    "evolution": run_config("short"),
    "coevolution": small_config(
        generations=10, population_size=60, fitness={"measure": "3ab1+4Co"}
    ),
    "a game from data": small_config(
        game="breakthrough-6", primitives="any-game", generations=10, population_size=60
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("kind", KILLED)
def test_killed_runs_resume_to_the_same_digests(kind: str, tmp_path: Path) -> None:
    check_instants(tmp_path, KILLED[kind], 2)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_runs_resume_to_the_same_digests_at_20_instants(tmp_path: Path) -> None:
    check_instants(tmp_path, run_config("long"), 20)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_stops_a_run_with_its_last_whole_generation(tmp_path: Path) -> None:
    config = small_config(generations=10_000, population_size=200)
    (tmp_path / "config.toml").write_text(config_to_toml(config))
    process = start(tmp_path / "run", tmp_path / "config.toml")
    assert process.stdout.readline() == "created\n"
    with Run.open(tmp_path / "run") as run:
        until(lambda: run.count() >= 2)
        assert run.status == "running"
    before, computed = children_seconds(), cpu_seconds(process.pid)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    # In seconds of its own: a loaded machine may keep it waiting.
    assert children_seconds() - before - computed < 5
    with Run.open(tmp_path / "run") as run:
        assert run.status == "stopped"
        saved = run.digests()
        assert 2 <= len(saved) < 10_000
        assert saved == [g.digest for g in islice(evolve(config), len(saved))]
