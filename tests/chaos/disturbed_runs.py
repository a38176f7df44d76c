"""Runs of every learner, killed and at the limit of their files, and gone on with."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress

from disorder import Disorder, ended_within

from evoply import Run
from evoply.runs import RunError, is_locked

CONFIGS: Mapping[str, str] = {
    "evolution": """
game = "othello-6"
seed = 3
population_size = 60
generations = 80
[initialisation]
max_depth = 4
[fitness]
opening_plies = 4
opponents = [{ player = "random", pairs = 3 }, { player = "greedy", pairs = 3 }]
[hall_of_fame]
size = 3
candidates = 2
sample = 3
pairs = 2
final_pairs = 4
""",
    "learning": """
learner = "learning"
game = "othello-6"
seed = 5
games = 24_000
games_per_step = 240
features = ["corners", "mobility", "pieces"]
""",
    "patterns": """
learner = "patterns"
game = "othello-6"
seed = 2
games = 300_000
games_per_step = 3000
patterns = ["a1 a2 a3", "a2 b2 c2 d2", "a1 b1 c1 a2 b2 c2"]
""",
    "tuples": """
learner = "tuples"
game = "othello-6"
seed = 4
generations = 30
population_size = 4
tuples = 3
shortest = 2
longest = 4
pairs = 2
[lessons]
games = 400
""",
    "islands": """
learner = "islands"
game = "othello-6"
seed = 6
generations = 60
population_size = 40
fitness.opponents = [{ player = "greedy", pairs = 3 }]
[islands]
count = 2
every = 3
migrants = 2
""",
}
TUNING = (
    "tune", "material:depth=1", "--game", "othello-6", "--generations", "20", "--pairs", "4",
)  # fmt: skip
_MOST_KILLS = 4
"""Of one run, which then may end."""
_LEAST_BYTES, _MORE_BYTES = 20_000, 200_000
_PATIENCE = 300.0


class DisturbedRuns:
    """Runs of each learner, one after another, each with the digests of an undisturbed run."""

    name = "runs"

    def __init__(self, disorder: Disorder) -> None:
        self._disorder = disorder
        self._draws = disorder.draws(self.name)
        self._expected: dict[str, list[str]] = {}
        self._seconds: dict[str, float] = {}
        """How long the undisturbed run took, after its process had begun to write it."""
        for kind, text in CONFIGS.items():
            (disorder.home / f"{kind}.toml").write_text(text, encoding="utf-8")

    def prepare(self) -> None:
        """Make one run of each learner undisturbed."""
        for kind in (*CONFIGS, "tuning"):
            name = f"{kind}-undisturbed"
            process, log = self._disorder.start(*self._begin(kind, name))
            self._wait_until_written(process, name)
            began = time.monotonic()
            if process.wait(_PATIENCE):
                said = log.read_text(encoding="utf-8", errors="replace")[-300:]
                self._disorder.left_out.append(f"runs of {kind}: {said.strip()}")
                continue
            self._seconds[kind] = time.monotonic() - began
            self._expected[kind] = self._digests(name)

    def disturb(self) -> None:
        """Kill runs and go on with them until the time is over."""
        number = 0
        while self._disorder.goes_on:
            for kind in self._expected:
                if self._disorder.goes_on:
                    number += 1
                    self._disturb(kind, f"{kind}-{number}")

    def settle(self) -> None:
        """Do nothing more: each run is looked at when it ends."""

    def _begin(self, kind: str, name: str) -> tuple[str, ...]:
        words = TUNING if kind == "tuning" else ("learn", f"{kind}.toml")
        words = ("evolve", f"{kind}.toml") if kind == "evolution" else words
        return *words, "--name", name, "--no-tests", "--threads", "1"

    def _disturb(self, kind: str, name: str) -> None:
        disorder, draws, expected = self._disorder, self._draws, self._expected[kind]
        known = 0
        for attempt in range(_MOST_KILLS + 1):
            is_last = attempt == _MOST_KILLS
            is_full = not is_last and draws.below(4) == 0
            is_there = (disorder.home / "runs" / name).exists()
            words = ("resume", name, "--no-tests") if is_there else self._begin(kind, name)
            clock = draws.below(1 << 30) + 1 if draws.below(2) else 0
            most = _LEAST_BYTES + draws.below(_MORE_BYTES) if is_full else 0
            process, log = disorder.start(*words, clock=clock, most_bytes=most)
            disorder.count("resumes of runs", int(is_there))
            disorder.count("commands with a jumping clock", int(clock > 0))
            if draws.below(4):  # else it may still be starting when it is killed
                self._wait_until_written(process, name)
            instant = draws.random() * self._seconds[kind]
            ended = ended_within(process, _PATIENCE if is_last else instant)
            if not ended:
                disorder.kill(process, "runs")
            said = log.read_text(encoding="utf-8", errors="replace")
            where = f"run {name}, start {attempt + 1} ({' '.join(words)})"
            disorder.promise("Traceback" not in said, f"{where}: {said[-2000:]}")
            known = self._look(where, name, expected, known)
            if ended and process.returncode == 0:
                break
            if ended and is_full:
                disorder.count("files at their limit")
            elif ended:
                disorder.promise(False, f"{where} ended with {process.returncode}: {said[-500:]}")
        disorder.count("runs")
        disorder.count("steps", known)
        disorder.promise(known == len(expected), f"run {name} has {known} of {len(expected)} steps")

    def _wait_until_written(self, process: subprocess.Popen[bytes], name: str) -> None:
        """Wait until the process writes the run, or has ended."""
        while process.poll() is None and not is_locked(self._disorder.home / "runs" / name):
            time.sleep(0.05)

    def _look(self, where: str, name: str, expected: list[str], known: int) -> int:
        """Look at a run that nobody writes; return how many steps it has."""
        digests = self._digests(name)
        self._disorder.promise(
            len(digests) >= known, f"{where}: {len(digests)} steps are left of {known}"
        )
        self._disorder.promise(
            digests == expected[: len(digests)], f"{where}: digests differ from the undisturbed run"
        )
        return len(digests)

    def _digests(self, name: str) -> list[str]:
        """Return the digests of a run, all its checksums compared; none if it is not there."""
        folder = self._disorder.home / "runs" / name
        if not folder.exists():
            return []
        try:
            with Run.open(folder) as run:
                run.check()
                return list(run.digests())
        except RunError as error:
            self._disorder.promise(False, f"run {name}: {error}")
            with suppress(RunError), Run.open(folder) as run:
                return list(run.digests())
            return []
