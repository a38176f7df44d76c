"""On real Dask workers: equal results, deaths, a scheduler that comes back, liars and strangers."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from dask_processes import DaskProcesses, dask_processes

import evoply.cluster.dask_pool as dask_pool
from evoply import Run
from evoply._native import Stream
from evoply.arena import round_robin
from evoply.cli import main
from evoply.cluster import Dispatcher, connect, opened
from evoply.evolution import evolve
from evoply.evolution.islands import IslandsConfig, evolve_islands
from evoply.experiments import Experiment, ExperimentFolder, compare, comparison_of, run_experiment
from evoply.experiments.units import run_unit
from evoply.protocols import ClusterError, RunError, WrongResultError
from waiting import until

BASE = """
game = "othello-4"
population_size = 20
generations = 12
[selection]
kind = "tournament"
[fitness]
opponents = [{ player = "random", pairs = 4 }]
"""
FIELD = ["greedy", "random", "mobility"]
SHORT = ("--set", "generations=3")
"""For commands whose work nobody disturbs: each unit costs Dask more than us."""
# Dask's threads may be in the middle of something when its process is left.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(not find_spec("distributed"), reason="needs Dask"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "base.toml").write_text(BASE)
    return tmp_path


@pytest.fixture(scope="module")
def local() -> Iterator[Dispatcher]:
    with connect("local:2", check_share=0.25) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """Give a scheduler with two workers, which take seconds to start."""
    with dask_processes(tmp_path_factory.mktemp("dask")) as found:
        found.scheduler()
        found.workers += [found.worker() for _ in range(2)]
        yield found


UNTRUE = """
import os
from pathlib import Path
import evoply.arena.playing as playing
import evoply.cluster.dispatch as worker

habit = Path({file!r}).read_text
right = getattr(worker, "right", (playing.play_batch, worker.identity))
worker.right = right  # Dask loads this twice

def play_batch(data):
    content = right[0](data)
    return content[:-1] + bytes([content[-1] ^ 1]) if habit() == "lying" else content

def identity():
    if habit() == "dying":
        os._exit(1)
    found = right[1]()
    return {{**found, "version": "0.0.9"}} if habit() == "old" else found

playing.play_batch, worker.identity = play_batch, identity
"""


@dataclass(frozen=True)
class Liar:
    """A worker with the habit that stands in a file; it is honest while that is empty."""

    process: subprocess.Popen[bytes]
    file: Path

    @contextmanager
    def being(self, habit: str) -> Iterator[None]:
        self.file.write_text(habit)
        try:
            yield
        finally:
            self.file.write_text("")


@pytest.fixture(scope="module")
def liar(shared: DaskProcesses) -> Iterator[Liar]:
    """Give a third worker beside the two: one lies for all tests, since workers start slowly."""
    file = shared.folder / "habit"
    file.touch()
    liar = Liar(shared.worker(UNTRUE.format(file=str(file))), file)
    with connect(shared.address) as cluster:
        until(lambda: cluster.slots == len(shared.workers) + 1)
    yield liar
    liar.process.kill()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskProcesses]:
    with dask_processes(tmp_path) as found:
        yield found


def experiment(**changes: Any) -> Experiment:
    settings: dict[str, Any] = {
        "base": "base.toml",
        "seeds": 3,
        "measure": "score:greedy",
        "games": 20,
        "points": 2,
        "vary": {"population_size": [8, 12]},
    }
    return Experiment(**{**settings, **changes})


def expected_digest(home: Path, asked: Experiment) -> str:
    """Return the digest of an experiment whose runs this process makes one after another."""
    folder = ExperimentFolder.create(home / "expected", asked)
    for unit in folder.units():
        run_unit(unit, folder.experiment)
    return comparison_of(folder).digest


def assert_whole(folder: ExperimentFolder) -> None:
    """Each unit is there once, is whole, and nothing else is."""
    names = sorted(path.name for path in (folder.path / "runs").iterdir())
    assert names == sorted(unit.path.name for unit in folder.units())
    for unit in folder.units():
        with Run.open(unit.path) as run:
            run.check()


def test_everything_comes_to_the_same_on_local_workers(home: Path, local: Dispatcher) -> None:
    asked = experiment()
    folder = ExperimentFolder.create(home / "there", asked)
    told: list[Any] = []
    run_experiment(folder, cluster=local, progress=told.append)
    assert comparison_of(folder).digest == expected_digest(home, asked)
    assert [status.done for status in told] == [1, 2, 3, 4, 5, 6]
    assert_whole(folder)
    run_experiment(folder, cluster=local, progress=told.append)
    assert len(told) == 6
    settings: dict[str, Any] = {"population_size": 20, "generations": 2, "game": "othello-6"}
    plain = [one.digest for one in evolve("quick", **settings)]
    assert [one.digest for one in evolve("quick", cluster=local, **settings)] == plain
    assert round_robin(FIELD, games=10, cluster=local) == round_robin(FIELD, games=10)
    small = {"population_size": 20, "fitness": {"opponents": [{"player": "greedy", "pairs": 2}]}}
    table = {"count": 2, "every": 2}
    islands = IslandsConfig(game="othello-4", generations=4, islands=table, **small)
    whole = [one.digest for one in evolve_islands(islands)]
    assert [one.digest for one in evolve_islands(islands, cluster=local)] == whole
    assert local.checked > 0
    with opened(local) as same:
        assert same is local


def test_a_run_that_was_begun_here_is_made_again_there(home: Path, local: Dispatcher) -> None:
    asked = experiment(seeds=1, vary={})
    folder = ExperimentFolder.create(home / "there", asked)
    (unit,) = folder.units()
    unit.path.parent.mkdir()
    from evoply.runs import advance

    with Run.create(unit.path, unit.setup.with_seed(unit.seed, asked.budget)) as run:
        steps = advance(run, threads=1)
        next(steps)
        with pytest.raises(RunError, match="is being written by process"):
            run_experiment(folder, cluster=local)
        steps.close()
    run_experiment(folder, cluster=local)
    assert comparison_of(folder).digest == expected_digest(home, asked)
    assert_whole(folder)


def test_the_commands_take_a_cluster(home: Path, shared: DaskProcesses, capsys: Any) -> None:
    (home / "e.toml").write_text(
        'base = "base.toml"\nseeds = 2\nmeasure = "score:greedy"\ngames = 20\npoints = 2\n'
    )
    assert main(["experiment", "e.toml", "--cluster", shared.address, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    asked = experiment(seeds=2, vary={})
    assert data["digest"] == expected_digest(home, asked)
    plain = ["tournament", "greedy", "random", "--games", "20", "--json"]
    learned = ["learn", "firebrand-8", "--games", "40", "--no-tests", "--json"]
    for command in (plain, learned):
        assert main(command) == 0
        first = json.loads(capsys.readouterr().out)
        assert main([*command, "--cluster", shared.address]) == 0
        second = json.loads(capsys.readouterr().out)
        for name in ("digest", "standings"):
            assert first.get(name) == second.get(name)
    from distributed import Client

    # A client of the user's stays open.
    with Client(shared.address, set_as_default=False) as client:
        result = compare(
            ["base.toml", "base.toml"],
            name="mine",
            seeds=1,
            games=20,
            points=1,
            measure="score:greedy",
            cluster=client,
        )
        assert client.status == "running"
    assert result.runs == 2
    for command in (
        ["tournament", "greedy", "bot.py", "--cluster", shared.address],
        ["evolve", "base.toml", "--cluster", "there"],
        ["evolve", "base.toml", "--cluster", "local:0"],
    ):
        (home / "bot.py").write_text(
            "class B:\n    def choose(self, g, s, c):\n        return g.position.legal_moves[0]\n"
        )
        assert main(command) == 2
        answer = capsys.readouterr()
        assert "cluster: " in answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.long)])
def test_killed_workers_lose_nothing(home: Path, shared: DaskProcesses, kills: int) -> None:
    asked = experiment(seeds=4, vary={"population_size": [40, 60]})
    expected = expected_digest(home, asked)
    chooser = Stream(kills, "kills")
    killed = 0
    ends = threading.Event()
    workers = shared.workers

    def kill() -> None:
        nonlocal killed
        while killed < kills and not ends.wait(1.5 * chooser.random()):
            place = chooser.below(len(workers))
            workers[place].kill()
            workers[place].wait()
            killed += 1
            workers[place] = shared.worker()

    killer = threading.Thread(target=kill)
    with connect(shared.address, check_share=0.1) as cluster:
        killer.start()
        number = 0
        try:
            while number == 0 or killed < kills:
                folder = ExperimentFolder.create(home / f"there-{number}", asked)
                run_experiment(folder, cluster=cluster)
                assert comparison_of(folder).digest == expected
                assert_whole(folder)
                number += 1
        finally:
            ends.set()
            killer.join()
    assert killed == kills


def test_a_scheduler_that_comes_back_goes_on(home: Path, dask: DaskProcesses) -> None:
    asked = experiment(seeds=4, vary={"population_size": [30, 45]})
    expected = expected_digest(home, asked)
    folder = ExperimentFolder.create(home / "there", asked)
    first = dask.scheduler()
    dask.worker()
    came: list[str] = []

    def restart() -> None:
        runs = folder.path / "runs"
        until(lambda: runs.is_dir() and any(path.name[0] != "." for path in runs.iterdir()))
        first.kill()
        first.wait()
        came.extend(path.name for path in runs.iterdir())
        dask.scheduler()
        dask.worker()

    killer = threading.Thread(target=restart)
    killer.start()
    with connect(dask.address) as cluster:
        run_experiment(folder, cluster=cluster)
        assert cluster.lost > 0
    killer.join()
    assert 0 < len(came) < 8
    assert comparison_of(folder).digest == expected
    assert_whole(folder)


def test_a_lying_worker_is_named(shared: DaskProcesses, liar: Liar) -> None:
    with (
        connect(shared.address, check_share=1) as cluster,
        liar.being("lying"),
        pytest.raises(WrongResultError, match="returned a wrong result") as caught,
    ):
        round_robin(FIELD, games=500, cluster=cluster)
    assert f"process {liar.process.pid} on" in str(caught.value)


def test_another_version_is_refused_by_name(shared: DaskProcesses, liar: Liar) -> None:
    says = r"has evoply 0\.0\.9 .* install the same"
    with liar.being("old"), pytest.raises(ClusterError, match=says) as caught:
        connect(shared.address).__enter__()
    assert f"process {liar.process.pid} on" in str(caught.value)


def test_a_worker_that_dies_while_evoply_connects_is_lost_like_any_other(
    home: Path, shared: DaskProcesses, liar: Liar, dask: DaskProcesses, capsys: Any
) -> None:
    with liar.being("dying"), connect(shared.address) as cluster:
        assert len(cluster.lost_workers) == 1
        assert liar.process.wait() == 1
        assert round_robin(FIELD, games=50, cluster=cluster) == round_robin(FIELD, games=50)
    # The only one there: the next one is waited for, and the user is told.
    dask.scheduler()
    (home / "habit").write_text("dying")
    worker = dask.worker(UNTRUE.format(file=str(home / "habit")))
    next_one = threading.Thread(target=lambda: worker.wait() == 1 and dask.worker())
    next_one.start()
    assert main(["evolve", "base.toml", "--no-tests", *SHORT, "--cluster", dask.address]) == 0
    next_one.join()
    assert "was lost while evoply connected; the others go on" in capsys.readouterr().out


def test_the_share_of_units_computed_twice_is_that_of_the_option_or_the_config(
    home: Path, shared: DaskProcesses, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    shares: list[float] = []
    init = Dispatcher.__post_init__
    monkeypatch.setattr(
        Dispatcher, "__post_init__", lambda self: (shares.append(self.check_share), init(self))
    )
    evolved = ["evolve", "base.toml", "--no-tests", "--json", *SHORT, "--cluster", shared.address]
    assert main(evolved[:-2]) == 0
    digests = {json.loads(capsys.readouterr().out)["digest"]}
    for options in ([], ["--set", "machine.check_share=0.5"], ["--check-share", "1"]):
        assert main([*evolved, *options]) == 0
        digests.add(json.loads(capsys.readouterr().out)["digest"])
    assert shares == [0.01, 0.5, 1]
    assert len(digests) == 1
    assert main([*evolved, "--check-share", "1.5"]) == 2
    assert main(["evolve", "base.toml", "--check-share", "0.5"]) == 2
    assert "--check-share: it is for the workers of --cluster" in capsys.readouterr().err


def test_nobody_there_and_nothing_installed_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_pool, "_CONNECT", 0.5)
    with pytest.raises(ClusterError, match="no scheduler answers at tcp://127"):
        connect("tcp://127.0.0.1:9").__enter__()
    with pytest.raises(TypeError, match="is not a cluster - give local:N"):
        connect(object()).__enter__()
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="package distributed - is not installed - `"):
        connect("local:2").__enter__()
