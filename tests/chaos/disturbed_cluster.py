"""An experiment on Dask workers that are killed from the first second on."""

from __future__ import annotations

import importlib.util
import subprocess

from dask_processes import DaskProcesses, dask_processes
from disorder import Disorder, ended_within

from evoply.experiments import ExperimentFolder, comparison_of

EXPERIMENT = """
base = "base.toml"
seeds = 3
measure = "score:greedy"
games = 20
points = 2
[vary]
population_size = [12, 16]
"""
BASE = """
game = "othello-4"
population_size = 20
generations = 40
[selection]
kind = "tournament"
[fitness]
opponents = [{ player = "random", pairs = 4 }]
"""
_WORKERS = 2
_MOST_STARTS = 12
_PATIENCE = 300.0


class DisturbedCluster:
    """One experiment after another, each with the digest of the undisturbed one."""

    name = "cluster"

    def __init__(self, disorder: Disorder, kills: int | None = None) -> None:
        self._disorder = disorder
        self._draws = disorder.draws(self.name)
        self._kills = kills
        """Of workers in one experiment, if all of them come at its beginning."""
        self._expected = ""
        (disorder.home / "base.toml").write_text(BASE, encoding="utf-8")
        (disorder.home / "sizes.toml").write_text(EXPERIMENT, encoding="utf-8")

    def prepare(self) -> None:
        """Make the experiment undisturbed, without a cluster."""
        if importlib.util.find_spec("distributed") is None:
            self._disorder.left_out.append("an experiment on Dask: evoply[cluster] is missing")
            return
        process, log = self._disorder.start("experiment", "sizes.toml", "--name", "undisturbed")
        if process.wait(_PATIENCE):
            raise AssertionError(log.read_text(encoding="utf-8"))
        self._expected = self._digest("undisturbed")

    def disturb(self) -> None:
        """Kill workers, and commands, until the time is over."""
        if not self._expected:
            return
        with dask_processes(self._disorder.home) as dask:
            dask.scheduler()
            workers = [dask.worker() for _ in range(_WORKERS)]
            number = 0
            while self._disorder.goes_on or (self._kills and not number):
                number += 1
                self._disturb(dask, workers, f"experiment-{number}")

    def settle(self) -> None:
        """Do nothing more: each experiment is looked at when it ends."""

    def _disturb(
        self, dask: DaskProcesses, workers: list[subprocess.Popen[bytes]], name: str
    ) -> None:
        disorder, draws = self._disorder, self._draws
        words = ("experiment", "sizes.toml", "--name", name, "--cluster", dask.address)
        kills_left = 2 * _WORKERS if self._kills is None else self._kills
        for attempt in range(_MOST_STARTS):
            process, log = disorder.start(*words)
            disorder.count("resumes of experiments", int(attempt > 0))
            while kills_left and not ended_within(process, draws.random() * 2):
                place = draws.below(_WORKERS + (self._kills is None))
                if place == _WORKERS:
                    disorder.kill(process, "experiments")
                    break
                kills_left -= 1
                disorder.kill(workers[place], "Dask workers")
                workers[place] = dask.worker()
            if not ended_within(process, _PATIENCE):
                disorder.kill(process, "commands that hung")
                disorder.promise(False, f"{name} did not end")
                return
            said = log.read_text(encoding="utf-8", errors="replace")
            if process.returncode == 0:
                break
            if process.returncode > 0:
                where = f"{name}, start {attempt + 1}, ended with {process.returncode}"
                disorder.promise(False, f"{where} for want of a worker: {said[-600:]}")
        disorder.count("experiments")
        disorder.promise(
            self._digest(name) == self._expected, f"{name}: digest differs from the undisturbed one"
        )

    def _digest(self, name: str) -> str:
        folder = ExperimentFolder.open(self._disorder.home / "runs" / name)
        return str(comparison_of(folder).digest)
