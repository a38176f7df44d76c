"""What grows with a long run and with many runs, beside what does not.

    python benchmarks/growth.py

A row whose ratio falls with its size does more each time than it must.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from ingredients import trees_of_size
from measuring import cpu_timed

from evoply.evolution import Archive, ArchiveEntry, EvolutionConfig, Generation, evolve
from evoply.gp import pareto_ranks
from evoply.kinds import Run
from evoply.runs import list_runs, summaries

CHAMPIONS, RUNS, TREES = 10_000, 1000, 25_600


def digest_row() -> tuple[Any, ...]:
    """Digest generations of a long run, each with a champion more, beside those of a short one."""
    config = EvolutionConfig(game="othello-4", population_size=30, generations=1)
    first = next(evolve(config))
    entries = [ArchiveEntry(tree, at) for at, tree in enumerate(trees_of_size(CHAMPIONS, 20))]

    def seconds(champions: int) -> float:
        archive, more = Archive(entries[:champions]), iter(entries[champions:])

        def work() -> None:
            nonlocal archive
            archive = archive.followed_by(next(more))
            assert Generation(**{**vars(first), "archive": archive}).digest

        work()
        return cpu_timed(work, 20)

    long, short = seconds(CHAMPIONS - 21), seconds(0)
    name = f"digest-{CHAMPIONS // 1000}k-champions"
    return name, "ms", 1e3 * long, "the same without earlier champions", 1e3 * short, short / long


def list_row() -> tuple[Any, ...]:
    """List a thousand runs whose lines are kept, beside reading them."""
    with tempfile.TemporaryDirectory() as name, patch.dict(os.environ, EVOPLY_RUNS=name):
        config = EvolutionConfig(game="othello-4", population_size=10, generations=1)
        first = Path(name) / "run0"
        with Run.create(first, config) as run:
            run.save(next(evolve(config)))
        for number in range(1, RUNS):
            shutil.copytree(first, Path(name) / f"run{number}")
        with patch.object(summaries, "_WORTH_KEEPING", RUNS + 1):
            read, lines = cpu_timed(list_runs), list_runs()
        with patch.object(summaries, "_SETTLED", -1):
            list_runs()
        kept = cpu_timed(list_runs)
        assert list_runs() == lines
    return f"list-{RUNS}-runs", "s", kept, "reading them", read, read / kept


def fronts_row() -> tuple[Any, ...]:
    """Rank a large population by two objectives, beside ten times fewer."""
    draws = np.random.default_rng(1).random((TREES, 2))
    many, few = cpu_timed(lambda: pareto_ranks(draws)), cpu_timed(lambda: pareto_ranks(draws[::10]))
    return f"fronts-{TREES}", "ms", 1e3 * many, "of a tenth of them", 1e3 * few, few / many


def rows() -> Iterator[tuple[Any, ...]]:
    """Yield name, unit, ours, peer, its figure and ratio of each row."""
    yield digest_row()
    yield list_row()
    yield fronts_row()


if __name__ == "__main__":
    for name, unit, ours, peer, theirs, ratio in rows():
        print(f"{name}: {ours:,.3g} {unit}, {peer}: {theirs:,.3g}, ratio {ratio:.2f}")
