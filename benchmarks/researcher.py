"""What a researcher waits for beside the games: calls in microseconds, and what a run does when.

    python benchmarks/researcher.py [TIMES]

Everything is processor time on one core. A call is the median of TIMES (by default 200), each with
a tree, a position or an opening that is new. Of `match` it is the time up to its first game. Of a
run in a folder, up to its champion, each part is the least of four runs, and its share that of
their sum.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import evoply as ep
from evoply import _native, gp
from evoply.arena import playing
from evoply.arena.schedule import play_in_kernel
from evoply.evolution import evolution_kind, loop
from evoply.evolution.fitness.discs import PointFitness
from evoply.expressions import board, features
from evoply.runs.run import Run

OPPONENTS = ("random", "greedy", "swh", "firebrand")
RUNS = {"quick": 30, "demo": 8}
"""Generations of the presets that are run."""
_RUNS = 4
PARTS: Sequence[tuple[str, Any, str]] = (
    ("training games", PointFitness, "measured"),
    ("fresh tests", loop, "fresh_test"),
    ("final test", evolution_kind, "final_test"),
    ("census", loop, "census_of"),
    ("digests and storing", Run, "save"),
    ("breeding", loop, "first_population"),
    ("breeding", loop, "contestants"),
    ("lowering", loop, "population_of"),
    ("opponents", loop, "opponents_of"),
)
"""What is timed of a run: functions that contain none of the others."""
NAMES = tuple(dict.fromkeys(name for name, *_ in PARTS))


class Stopwatch:
    """Processor time spent inside functions."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def inside(self, functions: Sequence[tuple[str, Any, str]]) -> Iterator[None]:
        """Time *functions* inside the block: a name, what has the function, and its name there."""
        before = [getattr(home, attribute) for _, home, attribute in functions]
        for (name, home, attribute), function in zip(functions, before, strict=True):
            setattr(home, attribute, self._timed(name, function))
        try:
            yield
        finally:
            for (_, home, attribute), function in zip(functions, before, strict=True):
                setattr(home, attribute, function)

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
    """Return the middle processor time of `call(number)`, each number once."""
    spent = []
    call(0)
    for number in range(1, times + 1):
        began = time.process_time()
        call(number)
        spent.append(time.process_time() - began)
    return 1e6 * median(spent)


def before_games(call: Callable[[int], object], times: int) -> float:
    """Return the same of a call that plays in the kernel, up to its first game."""
    reached: list[float] = []

    def first_game(*arguments: Any, **keywords: Any) -> Any:
        reached.append(time.process_time())
        return play_in_kernel(*arguments, **keywords)

    spent = []
    with patch.object(playing, "play_in_kernel", first_game):
        call(0)
        for number in range(1, times + 1):
            reached.clear()
            began = time.process_time()
            call(number)
            spent.append(reached[0] - began)
    return 1e6 * median(spent)


def calls(times: int) -> Iterator[tuple[str, float]]:
    """Yield the names of calls and their time in microseconds."""
    stream = ep.Stream(1, "researcher")
    primitives = ep.PRIMITIVE_SETS["liao+mobility"]
    trees = gp.ramped_half_and_half(primitives, times + 1, stream, max_depth=6)
    pairs = [*(("a new tree", opponent) for opponent in OPPONENTS), ("random", "greedy")]
    for first, second in pairs:

        def play(number: int, first: str = first, second: str = second) -> object:
            player = trees[number] if first == "a new tree" else first
            return ep.match(player, second, games=2, seed=number, threads=1)

        yield f"match of {first} and {second}, up to its first game", before_games(play, times)
    batch = _native.Positions.random("othello", times + 1, 1, 4, 50)
    positions = [ep.othello.Position.from_row("othello", batch[i]) for i in range(times + 1)]
    yield "legal_moves of a new position", microseconds(lambda n: positions[n].legal_moves, times)
    expression = features.discs("own") + 3.0 * features.mobility("own")
    yield "Expression.evaluate", microseconds(lambda n: expression.evaluate(positions[n]), times)
    yield (
        "Expression.evaluate of squares",
        microseconds(lambda n: (board.own | board.empty).evaluate(positions[n]), times),
    )


def parts(preset: str, generations: int, folder: Path) -> tuple[dict[str, float], str]:
    """Return the processor seconds of the parts of a run, and its last digest."""
    watch = Stopwatch()
    config = ep.load_config(preset, settings={"generations": generations, "time_limit": None})
    with watch.inside(PARTS):
        began = time.process_time()
        with ep.Run.create(folder, config) as run:
            last = [step.digest for step in ep.advance(run, threads=1)][-1]
        whole = time.process_time() - began
    watch.seconds["everything else"] = whole - sum(watch.seconds.values())
    return watch.seconds, last


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| call | us |\n| --- | --- |")
    for name, spent in calls(times):
        print(f"| {name} | {spent:.1f} |", flush=True)
    for preset, generations in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            runs = [parts(preset, generations, Path(folder) / str(one)) for one in range(_RUNS)]
        least = {name: min(seconds[name] for seconds, _ in runs) for name in runs[0][0]}
        whole = sum(least.values())
        print(f"\n| {preset}, {generations} generations | ms a generation | share |")
        print("| --- | --- | --- |")
        for name in (*NAMES, "everything else"):
            print(
                f"| {name} | {1000 * least[name] / generations:.2f} | {least[name] / whole:.0%} |"
            )
        print(f"digest {runs[0][1][:16]}")


if __name__ == "__main__":
    main()
