"""Islands on threads, and on processes, against as many plain runs side by side.

    python benchmarks/islands_rows.py [ISLANDS] [SECONDS]

Prints games a second of ISLANDS islands (2) of the preset `demo` on as many threads, on as many
processes as workers, and of as many runs of evolution with the seeds of the islands, each in a
process of its own. All take turns, for about SECONDS (20) each; medians of three. Processes are
started before. Workers have sessions of their own, to which Linux gives more of a machine that is
busy: their row says something on an idle one only.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from evoply.cluster import Dispatcher
from evoply.cluster.processes import ProcessPool
from evoply.evolution import Evolution
from evoply.evolution.islands import (
    IslandEvolution,
    IslandsConfig,
    IslandsStep,
    load_islands_config,
)
from evoply.evolution.islands.migration import epoch
from evoply.protocols import Cluster

REPEATS = 3
EVERY = 5


def config(islands: int, seed: int) -> IslandsConfig:
    """Return islands whose steps are short, so that migration and tests of champions count."""
    keys = (f"seed={seed}", f"islands.count={islands}", f"islands.every={EVERY}")
    return load_islands_config("islands", [*keys, "generations=1_000_000", "time_limit=1e9"])


def games_of_islands(settings: IslandsConfig, steps: int, cluster: Cluster | None) -> int:
    """Return the games of *steps* steps."""
    learner = IslandEvolution(threads=settings.islands.count, cluster=cluster)
    step: IslandsStep = learner.first(settings)
    for _ in range(steps - 1):
        step = learner.after(settings, step)
    return step.games


Runs = Sequence["subprocess.Popen[str]"]


@contextmanager
def runs_of(islands: int) -> Iterator[Runs]:
    """Give processes that wait to be asked for runs."""
    words = [sys.executable, __file__, "run"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(words, **pipes) for _ in range(islands)]
    try:
        yield processes
    finally:
        for process in processes:
            process.communicate()


def games_of_runs(runs: Runs, seed: int, steps: int) -> int:
    """Return the games of plain runs of as many generations as *steps* have, one a process."""
    for place, process in enumerate(runs):
        assert process.stdin is not None
        process.stdin.write(f"{len(runs)} {place} {seed} {steps}\n")
        process.stdin.flush()
    return sum(int(process.stdout.readline()) for process in runs if process.stdout is not None)


def serve() -> None:
    """Make the runs that standard input asks for, on one thread each."""
    for line in sys.stdin:
        islands, place, seed, steps = map(int, line.split())
        island = config(islands, seed).of_islands[place]
        last = epoch(island, None, steps * EVERY, Evolution(threads=1)).generation
        print(last.census.total_games, flush=True)


def rates(works: Sequence[Callable[[int], int]]) -> list[list[float]]:
    """Return the games a second of each of *works*, which take turns; each gets a seed."""
    measured: list[list[float]] = [[] for _ in works]
    for repeat in range(REPEATS):
        for work, found in zip(works, measured, strict=True):
            begun = perf_counter()
            games = work(repeat + 1)
            found.append(games / (perf_counter() - begun))
    return measured


def rows(islands: int = 2, seconds: float = 20.0) -> list[tuple[Any, ...]]:
    """Return name, unit, ours, peer, its figure and ratio of each row."""
    with ProcessPool(islands) as pool, runs_of(islands) as processes:
        cluster = Dispatcher(pool, check_share=0.0)
        games_of_runs(processes, 9, 1)  # imports, and fills what is kept
        games_of_islands(config(islands, 9), 1, cluster)
        begun = perf_counter()
        games_of_islands(config(islands, 9), 1, None)
        steps = max(1, round(seconds / (perf_counter() - begun)))
        threads, workers, runs = rates(
            [
                lambda seed: games_of_islands(config(islands, seed), steps, None),
                lambda seed: games_of_islands(config(islands, seed), steps, cluster),
                lambda seed: games_of_runs(processes, seed, steps),
            ]
        )
    peer = f"{islands} runs side by side"
    theirs = float(np.median(runs))
    return [
        (name, "games/s", ours, peer, theirs, ours / theirs)
        for name, ours in (
            ("islands-threads", float(np.median(threads))),
            ("islands-workers", float(np.median(workers))),
        )
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["run"]:
        serve()
        sys.exit()
    asked = [int(word) for word in sys.argv[1:]]
    for name, unit, ours, peer, theirs, ratio in rows(*asked):
        print(f"{name}: {ours:,.0f} {unit}, {peer}: {theirs:,.0f}, ratio {ratio:.2f}")
