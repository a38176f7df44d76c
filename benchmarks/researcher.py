"""What a researcher waits for beside the games: calls in microseconds, and what a run does when.

    python benchmarks/researcher.py [TIMES]

Everything is processor time on one core. A call is the median of TIMES (by default 200), each with
a tree, a position or an opening that is new. Of `match` the games themselves are left out. A share
of a run is the processor time of a part of it by that of the whole run, from its folder to its
champion; the median of three runs.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import evoply as ep
from evoply import _native, gp
from evoply.arena import playing
from evoply.evolution import evolution_kind, loop
from evoply.evolution.fitness.points import PointFitness
from evoply.expressions import board, features
from evoply.runs.run import Run

OPPONENTS = ("random", "greedy", "swh", "firebrand")
AIMS = {"match": 1000, "legal_moves": 10, "evaluate": 8}
RUNS = {"quick": 30, "demo": 8}
"""Generations of the presets that are run."""
PARTS: Mapping[str, tuple[Any, str]] = {
    "training games": (PointFitness, "measured"),
    "fresh tests": (loop, "fresh_test"),
    "final test": (evolution_kind, "final_test"),
    "census": (loop, "census_of"),
    "storing": (Run, "save"),
    "digests": (loop, "digest_of"),
    "breeding": (loop, "_offspring"),
    "lowering": (loop, "population_of"),
    "opponents": (loop, "panel_of"),
}
"""What is timed of a run: functions that contain none of the others."""


class Stopwatch:
    """Processor time spent inside functions."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def inside(self, functions: Mapping[str, tuple[Any, str]]) -> Iterator[None]:
        """Time the *functions*, each an attribute of something, inside the block."""
        before = {name: getattr(*place) for name, place in functions.items()}
        for name, (home, attribute) in functions.items():
            setattr(home, attribute, self._timed(name, before[name]))
        try:
            yield
        finally:
            for name, (home, attribute) in functions.items():
                setattr(home, attribute, before[name])

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **keywords: Any) -> Any:
            began = time.process_time()
            try:
                return function(*arguments, **keywords)
            finally:
                spent = time.process_time() - began
                self.seconds[name] = self.seconds.get(name, 0.0) + spent

        return timed


def microseconds(call: Callable[[int], object], times: int) -> float:
    """Return the middle processor time of `call(number)`, each number once, without games."""
    spent = []
    call(0)
    for number in range(1, times + 1):
        watch = Stopwatch()
        with watch.inside({"games": (playing, "play_in_kernel")}):
            began = time.process_time()
            call(number)
            spent.append(time.process_time() - began - watch.seconds.get("games", 0.0))
    return 1e6 * median(spent)


def calls(times: int) -> Iterator[tuple[str, float]]:
    """Yield the names of calls and their time in microseconds."""
    stream = ep.Stream(1, "researcher")
    primitives = ep.PRIMITIVE_SETS["liao+mobility"]
    trees = gp.ramped_half_and_half(primitives, times + 1, stream, max_depth=6)
    for opponent in OPPONENTS:
        yield (
            f"match of a new tree and {opponent}",
            microseconds(
                lambda number, other=opponent: ep.match(
                    trees[number], other, games=2, seed=number, threads=1
                ),
                times,
            ),
        )
    yield (
        "match of random and greedy",
        microseconds(
            lambda number: ep.match("random", "greedy", games=2, seed=number, threads=1), times
        ),
    )
    batch = _native.Positions.random("othello", times + 1, 1, 4, 50)
    positions = [ep.othello.Position.from_row("othello", batch[i]) for i in range(times + 1)]
    yield "legal_moves of a new position", microseconds(lambda n: positions[n].legal_moves, times)
    expression = features.discs("own") + 3.0 * features.mobility("own")
    yield "Expression.evaluate", microseconds(lambda n: expression.evaluate(positions[n]), times)
    yield (
        "Expression.evaluate of squares",
        microseconds(lambda n: (board.own | board.empty).evaluate(positions[n]), times),
    )


def parts(preset: str, generations: int, folder: Path) -> tuple[float, dict[str, float], str]:
    """Return the processor seconds of a run, those of its parts, and its last digest."""
    watch = Stopwatch()
    config = ep.load_config(preset, settings={"generations": generations, "time_limit": None})
    with watch.inside(PARTS):
        began = time.process_time()
        with ep.Run.create(folder, config) as run:
            last = [step.digest for step in ep.advance(run, threads=1)][-1]
        whole = time.process_time() - began
    watch.seconds["everything else"] = whole - sum(watch.seconds.values())
    return whole, watch.seconds, last


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| call | us |\n| --- | --- |")
    for name, spent in calls(times):
        print(f"| {name} | {spent:.1f} |", flush=True)
    for preset, generations in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            numbers = count()
            runs = [
                parts(preset, generations, Path(folder) / str(next(numbers))) for _ in range(3)
            ]
        print(f"\n| {preset}, {generations} generations | ms a generation | share |")
        print("| --- | --- | --- |")
        for name in (*PARTS, "everything else"):
            spent = median(each.get(name, 0.0) for _, each, _ in runs)
            share = median(each.get(name, 0.0) / whole for whole, each, _ in runs)
            print(f"| {name} | {1000 * spent / generations:.2f} | {share:.0%} |")
        print(f"digest {runs[0][2][:16]}, whole {median(whole for whole, *_ in runs):.2f} s")


if __name__ == "__main__":
    main()
