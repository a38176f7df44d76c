"""A learner that is no part of evoply: its runs are kept, killed, resumed, read and played."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hill_climbing import Climb, HillClimbing, Weights, player
from rich.console import Console

from evoply import EvolutionConfig, Run, Stream, match
from evoply.cli import main
from evoply.cli.output import Output
from evoply.cli.run_loop import drive
from evoply.evolution import Evolution
from evoply.protocols import ConfigError, steps
from evoply.reports import report_html
from evoply.runs import (
    RunError,
    advance,
    export_csv,
    leave_request,
    list_runs,
    resolve_champion,
)

CONFIG = Climb("othello-4", seed=3, generations=6)
WRITER = """
import sys
from hill_climbing import Climb, HillClimbing
from evoply import Run
from evoply.runs import advance
class Slow(HillClimbing):
    def after(self, config, step):
        import time; time.sleep(0.02)
        return super().after(config, step)
Slow.__module__, Slow.__qualname__ = HillClimbing.__module__, HillClimbing.__qualname__
config = Climb("othello-4", seed=3, generations=int(sys.argv[2]))
print("ready", flush=True)
run = Run.create(sys.argv[1], config, learner=Slow())
for step in advance(run):
    print(step.number, flush=True)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    with Run.create(tmp_path / "runs" / "climb", CONFIG, learner=HillClimbing()) as run:
        for _ in advance(run):
            pass
    return tmp_path / "runs"


def unbroken(config: Climb) -> list[Weights]:
    return list(steps(HillClimbing(), config))


def test_it_climbs() -> None:
    scores = [step.score for step in unbroken(replace(CONFIG, generations=40, games=60))]
    assert max(scores) > scores[0]


def test_a_run_keeps_its_steps(home: Path) -> None:
    expected = unbroken(CONFIG)
    with Run.open(home / "climb", learner=HillClimbing()) as run:
        assert run.config == CONFIG
        assert list(run.whole_steps()) == expected
        assert run.last() == expected[-1]
        assert run.digests() == [step.digest for step in expected]
        assert run.status == "finished"
        assert run.champion == expected[-1].champions[0]


def test_digests_are_equal_on_any_number_of_threads() -> None:
    expected = [step.digest for step in unbroken(CONFIG)]
    for threads in (2, 3, 4):
        assert [step.digest for step in steps(HillClimbing(threads), CONFIG)] == expected


def test_without_its_learner_a_run_is_read(home: Path) -> None:
    expected = unbroken(CONFIG)[-1]
    with Run.open(home / "climb") as run:
        assert (run.config.game, run.config.seed, run.status) == ("othello-4", 3, "finished")
        assert run.steps()[-1].statistics == expected.statistics
        assert run.champion_player == player(expected.corners, expected.frontier)
        assert run.kind.name == "python:hill_climbing.py:HillClimbing"
        assert "hill_climbing.py:HillClimbing" in report_html(run)
        assert [path.name for path in export_csv(run, home / "csv")] == ["generations.csv"]
        for reading in (run.last, lambda: next(advance(run))):
            with pytest.raises(
                RunError, match=r"needs the learner python:hill_climbing\.py:HillClimbing"
            ):
                reading()


def test_its_champion_plays(home: Path) -> None:
    last = unbroken(CONFIG)[-1]
    champion = resolve_champion("champion@climb")
    mine = match(champion, "random", game="othello-4", games=20, seed=5)
    again = match(player(last.corners, last.frontier), "random", game="othello-4", games=20, seed=5)
    assert (mine.wins, mine.draws, mine.losses) == (again.wins, again.draws, again.losses)


def test_the_commands_know_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "climb", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    expected = unbroken(CONFIG)
    assert [(one["number"], one["digest"]) for one in data["generations"]] == [
        (step.number, step.digest) for step in expected
    ]
    assert data["generations"][-1]["score"] == expected[-1].score
    assert main(["match", "champion@climb", "random", "--games", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "othello-4"
    assert main(["replay", "climb", "--generation=0", "--game=0"]) == 1
    assert "hill_climbing.py:HillClimbing" in capsys.readouterr().err
    # Its class lies in a file, which the run has noted.
    assert main(["resume", "climb", "--generations=7", "--no-tests", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 7
    (listed,) = list_runs()
    assert "hill_climbing.py:HillClimbing#" in listed.learner


def test_a_stopped_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    expected = [step.digest for step in unbroken(CONFIG)]
    with Run.create(tmp_path / "run", CONFIG, learner=HillClimbing()) as run:
        for step in islice(advance(run), 2):
            assert step.digest == expected[step.number]
        assert run.status == "stopped"
    with Run.open(tmp_path / "run", learner=HillClimbing()) as run:
        for step in advance(run):
            if step.number == 3:
                leave_request(run.path, "stop")
        assert run.count() == 4
        for _ in advance(run):
            pass
        assert run.digests() == expected
        longer = replace(CONFIG, generations=8)
        assert [step.number for step in advance(run, config=longer)] == [6, 7]
        assert run.digests() == [step.digest for step in unbroken(longer)]
        with pytest.raises(RunError, match="generations, time_limit may change"):
            next(advance(run, config=replace(CONFIG, seed=4)))


@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("instants", [3, pytest.param(20, marks=pytest.mark.long)])
def test_killed_anywhere_it_resumes_to_the_same_digests(instants: int, tmp_path: Path) -> None:
    config = replace(CONFIG, generations=30)
    expected = [step.digest for step in unbroken(config)]
    draws = Stream(7, "instants")
    here = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    cut_short = 0
    for instant in range(instants):
        folder = tmp_path / f"killed-{instant}"
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), "30"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": here},
            text=True,
        )
        assert process.stdout is not None
        for _ in range(1 + draws.below(30)):
            assert process.stdout.readline()
        time.sleep(0.03 * draws.random())  # anywhere in a step
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        if not folder.exists():
            Run.create(folder, config, learner=HillClimbing()).close()
        with Run.open(folder, learner=HillClimbing()) as run:
            saved = run.digests()
            assert saved == expected[: len(saved)]
            cut_short += len(saved) < 30
            # The writer's class had another source: that is noticed, and may be allowed.
            for _ in advance(run, allow_other_version=True):
                pass
            assert run.digests() == expected
            assert run.status == "finished"
    assert cut_short > 0


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_run_of_it_is_shown_and_closed(
    is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=80, force_terminal=is_terminal, color_system=None)
    monkeypatch.setattr("evoply.cli.output.stderr", lambda: console)
    with Run.create(tmp_path / "run", CONFIG, learner=HillClimbing()) as run:
        result = drive(run, Output(True), threads=1, with_tests=False, command="")
        assert result["digest"] == unbroken(CONFIG)[-1].digest
        assert result["champion"]["generation"] == 5
    text = shown.getvalue()
    score = f"{unbroken(CONFIG)[-1].score:.4g}"
    if is_terminal:
        assert "5 of 5" in text
        assert "frontier" in text
    else:
        assert "step 5: 0.0" in text
        assert f"score {score}" in text
    assert "Champion of run: from step 5" in text


class Other(HillClimbing):
    pass


class Forgetful(HillClimbing):
    def load(self, config: Climb, data: Any, /) -> Weights:
        return Weights(**{**data, "digest": "another"})


class Rounding(HillClimbing):
    """Keeps less than its digest covers."""

    def load(self, config: Climb, data: Any, /) -> Weights:
        changed = {**data, "corners": round(data["corners"]), "score": int(data["score"])}
        return Weights(**{**changed, "digest": repr((changed["corners"], changed["score"]))})


@dataclass(frozen=True)
class Nested:
    number: int
    table: dict[str, Any]
    champions: tuple[Any, ...]
    statistics: dict[str, float]
    seconds: float = 0.0

    @property
    def digest(self) -> str:
        return repr(self.table)


class Numbers(HillClimbing):
    """Keeps a number of NumPy, which comes back as one of Python."""

    def first(self, config: Climb, /) -> Any:
        table = {"means": [1.0, np.float64(0.5)], "best": 3}
        return Nested(0, table, super().first(config).champions, {"score": 1.0})

    def dump(self, step: Any, /) -> Any:
        return {"table": step.table}

    def load(self, config: Climb, data: Any, /) -> Any:
        return replace(self.first(config), table=data["table"])


class Hidden(Numbers):
    """Has a digest that no field decides."""

    def load(self, config: Climb, data: Any, /) -> Any:
        class Other(Nested):
            digest = "another"  # type: ignore[assignment]

        return Other(**vars(self.first(config)))


class Boastful(HillClimbing):
    def first(self, config: Climb, /) -> Weights:
        return replace(super().first(config), score=float("inf"))


class Mute(HillClimbing):
    def dump(self, step: Weights, /) -> Any:
        return {**asdict(step), "player": object()}


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Forgetful(), r"must give the same step: digest was '[0-9a-f.]+ and is 'another'"),
        (Rounding(), r"the same step: (corners|score) was \d\.\d* and is \d - dump plain values"),
        (Numbers(), r"the same step: table\.means\.1 was np\.float64\(0\.5\) and is 0\.5 - dump"),
        (Hidden(), "the same step: all fields are equal, so its digest depends on something else"),
        (Boastful(), "'score' must be a finite number"),
        (Mute(), "JSON-ready"),
    ],
)
def test_a_step_that_breaks_the_contract_is_refused(
    learner: HillClimbing, message: str, tmp_path: Path
) -> None:
    with Run.create(tmp_path / "run", CONFIG, learner=learner) as run:
        with pytest.raises(ValueError, match=message):
            next(advance(run))
        assert run.count() == 0


def test_another_learner_is_refused(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", CONFIG, learner=HillClimbing()) as run:
        next(advance(run))
    for learner in (Other(), Evolution()):
        with pytest.raises(
            RunError, match=r"was made by the learner python:hill_climbing\.py:HillClimbing"
        ):
            Run.open(tmp_path / "run", learner=learner)  # type: ignore[arg-type]


def test_what_cannot_be_kept_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="name its learner"):
        Run.create(tmp_path / "run", CONFIG)
    with pytest.raises(RunError, match="it needs first, after"):
        Run.create(tmp_path / "run", CONFIG, learner=object())
    with pytest.raises(ConfigError, match="game"):
        Run.create(tmp_path / "run", Climb("chess"), learner=HillClimbing())
    assert list(tmp_path.iterdir()) == []


def test_evolution_may_be_given_as_a_learner(tmp_path: Path) -> None:
    config = EvolutionConfig(game="othello-4", population_size=8, generations=2, seed=3)
    with Run.create(tmp_path / "run", config, learner=Evolution(threads=1)) as run:
        assert len(list(advance(run))) == 2
        assert run.kind.name == "evolution"
        assert "learner" not in (run.path / "config.toml").read_text()
        expected = [one.digest for one in steps(Evolution(), config)]
        assert run.digests() == expected
