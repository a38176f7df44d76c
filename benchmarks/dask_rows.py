"""Four local Dask workers against the same cores without Dask, and when a cluster is saturated.

`python benchmarks/dask_rows.py` prints the rows and the model of docs/clusters.md: what a
unit costs the one process that gives units out, so how many workers it can keep at work.
"""

import os
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evoply import _native
from evoply.arena import Schedule
from evoply.arena.on_cluster import _Batches
from evoply.arena.playing import play_batch
from evoply.cluster import Dispatcher, connect
from evoply.evolution import EvolutionConfig, evolve
from evoply.evolution.play.population import seats_of
from evoply.experiments import (
    Experiment,
    ExperimentFolder,
    Score,
    comparison_of,
    run_experiment,
)
from evoply.experiments.sent_units import _pack_unit, results, unit_part
from evoply.games import game_rules
from evoply.players import KernelSeat, parse_player
from evoply.protocols import Answer, Same, UnitFunction

WORKERS = 4
REPEATS = 3
GAMES = 1000
POPULATION = 2000
TARGET = 1.0
"""Seconds that a part of a schedule should take."""

RUNS = """
game = "othello-6"
population_size = 100
generations = 10
[selection]
kind = "tournament"
[fitness]
opponents = [{ player = "random", pairs = 50 }]
"""


def alternated(*works: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Return the median wall time of each, in turns, so that all meet the same machine."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, times, strict=True):
            begun = time.perf_counter()
            work()
            taken.append(time.perf_counter() - begun)
    return [float(np.median(taken)) for taken in times]


def runs_row(cluster: Dispatcher) -> tuple[Any, ...]:
    """An experiment of 40 short runs; both ways to the same digest."""
    digests = set()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base.toml"
        base.write_text(RUNS)
        asked = Experiment(
            base=str(base), seeds=40, measure=Score.from_text("score:greedy"), games=200, points=4
        )
        number = iter(range(100))

        def work(on: Dispatcher | None) -> None:
            folder = ExperimentFolder.create(Path(name) / f"e{next(number)}", asked)
            run_experiment(folder, cluster=on)
            digests.add(comparison_of(folder).digest)

        with_dask, without = alternated(lambda: work(cluster), lambda: work(None))
    assert len(digests) == 1
    rates = 40 * 60 / with_dask, 40 * 60 / without
    return "dask-runs", "runs/min", rates[0], "processes of our own", rates[1], rates[0] / rates[1]


def generation_row(cluster: Dispatcher) -> tuple[Any, ...]:
    """One generation, both ways to the same digest."""
    settings: dict[str, Any] = {
        "population_size": POPULATION,
        "generations": 1,
        "fitness": {"opponents": [{"player": "random", "pairs": GAMES // 2}]},
    }
    digests = set()

    def work(on: Dispatcher | None) -> None:
        digests.add(next(evolve("quick", cluster=on, **settings)).digest)

    with_dask, without = alternated(lambda: work(cluster), lambda: work(None))
    assert len(digests) == 1
    games = POPULATION * GAMES
    rates = games / with_dask, games / without
    return "dask-generation", "games/s", rates[0], "threads", rates[1], rates[0] / rates[1]


def rows() -> Iterator[tuple[Any, ...]]:
    """Yield name, unit, ours, peer, its figure and ratio of each row."""
    with connect(f"local:{WORKERS}") as cluster:
        yield runs_row(cluster)
        yield generation_row(cluster)


def seconds_a_unit(cluster: Dispatcher, size: int, units: int) -> tuple[float, float]:
    """Return wall time, and processor time of this process, of units that do next to nothing.

    Each has *size* bytes. The scheduler of a local cluster is in this process.
    """
    texts = (os.urandom(size) for _ in range(units))
    begun, used = time.perf_counter(), time.process_time()
    done = sum(1 for _ in cluster.results(b64encode, texts))
    assert done == units
    return (time.perf_counter() - begun) / units, (time.process_time() - used) / units


def part_costs() -> tuple[float, float, float]:
    """Return seconds to cut and to take back a part of a generation, and its bytes both ways."""

    class Nobody:
        slots = 64

    config = EvolutionConfig(generations=1)
    settings: dict[str, Any] = {"population_size": POPULATION, "generations": 1}
    first = next(evolve("quick", fitness=lambda tree, stream: 0.0, **settings))
    trees = [one.tree for one in first.individuals]
    seats = [*seats_of(config.game_settings, trees), parse_player("random").seat("othello")]
    players = [seat for seat in seats if isinstance(seat, KernelSeat)]
    tree = np.repeat(np.arange(POPULATION), GAMES)
    keys = _native.Stream(1, "keys").keys(GAMES)
    schedule = Schedule(
        black=tree.astype(np.uint32),
        white=np.full(len(tree), POPULATION, dtype=np.uint32),
        opening_keys=np.tile(keys.repeat(2)[:GAMES], POPULATION),
        game_keys=np.tile(keys, POPULATION),
        opening_plies=8,
        starts=(game_rules("othello").start().row,),
    )
    parts = _Batches(Nobody(), "othello", players, schedule, False)  # type: ignore[arg-type]
    begun = time.perf_counter()
    content = play_batch(parts.pack(slice(0, 20_000)))
    pace = 20_000 / (time.perf_counter() - begun)
    games = int(TARGET * pace)
    cut, sizes = [], []
    for number in range(1, 6):
        games = min(games, len(schedule) // 6)
        begun = time.perf_counter()
        data = parts.pack(slice(number * games, (number + 1) * games))
        cut.append(time.perf_counter() - begun)
        sizes.append(len(data))
    parts.places = [np.arange(20_000)]
    begun = time.perf_counter()
    parts.take(Answer(0, content, 1.0, ""))
    taken = (time.perf_counter() - begun) * games / 20_000
    back = len(content) * games / 20_000
    return float(np.median(cut)) + taken, float(np.median(sizes)), back


def storing_costs(trees: int, generations: int) -> tuple[float, float, float]:
    """Return seconds of this process to check and store a run that came back, its MB, those sent.

    The cluster is simulated: it has the runs already.
    """
    units = 6

    class Ready:
        slots = 64

        def __init__(self, contents: Sequence[bytes]) -> None:
            self.contents = contents

        def results(
            self, function: UnitFunction, parts: Iterable[bytes], *, same: Same | None = bytes
        ) -> Iterator[Answer]:
            for place, _ in enumerate(parts):
                yield Answer(place, self.contents[place], 1.0, "")

    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base.toml"
        text = RUNS.replace("size = 100", f"size = {trees}")
        base.write_text(text.replace("generations = 10", f"generations = {generations}"))
        asked = Experiment(base=str(base), seeds=units, measure=Score.from_text("score:greedy"),
                           games=20, points=4)  # fmt: skip
        folder = ExperimentFolder.create(Path(name) / "e", asked)
        made = [unit_part(_pack_unit(unit, asked)) for unit in folder.units()]
        begun = 0.0
        for first, last in ((0, 1), (1, units)):  # the first reads what others find in memory
            begun, place = time.process_time(), first
            for _ in results(
                folder, folder.units()[first:last], Ready(made[first:]), is_here=False
            ):
                place += 1
            assert place == last
        used = time.process_time() - begun
        sizes = sum((unit.path / "run.db").stat().st_size for unit in folder.units())
    return used / (units - 1), sizes / units / 1e6, sum(map(len, made)) / units / 1e6


def model() -> None:
    """Print what a unit costs, and how many workers are kept at work."""
    with connect(f"local:{WORKERS}", check_share=0) as cluster:
        seconds_a_unit(cluster, 1000, 200)
        small = [seconds_a_unit(cluster, 1000, 500) for _ in range(3)]
        large = [seconds_a_unit(cluster, 1_000_000, 60) for _ in range(3)]
    wall, used = np.median(small, axis=0)
    # What goes comes back as base64.
    per_byte = (np.median(large, axis=0)[1] - used) / (1_000_000 * 7 / 3)
    part, there, back = part_costs()
    print(f"units of 1 kB: {1000 * wall:.2f} ms each on {WORKERS} workers, of which the process")
    print(f"that gives them out uses {1000 * used:.2f} ms (a); {1e9 * per_byte:.1f} ms/MB more (b)")
    print(f"a part of {TARGET:.0f} s of games at 1 ply: {there / 1e6:.2f} MB there, ", end="")
    print(f"{back / 1e6:.2f} MB back, {1000 * part:.1f} ms to cut and to put in place (c)")
    runs = [("60 s", 60.0, *storing_costs(400, 30)), ("15 s", 15.0, *storing_costs(30, 400))]
    for _, _, cost, size, sent in runs:
        print(f"a run of {size:.2f} MB: {sent:.2f} MB are sent, {1000 * cost:.1f} ms (d)")
    for name, seconds, cost in (
        *(
            (f"runs of {name}, {size:.1f} MB", seconds, used + 1e6 * sent * per_byte + storing)
            for name, seconds, storing, size, sent in runs
        ),
        ("games at 1 ply, 1 s", TARGET, used + part + (there + back) * per_byte),
        ("games at 3 plies, 1 s", TARGET, used + (part + (there + back) * per_byte) / 40),
    ):
        most = seconds / cost
        print(f"{name}: {1000 * cost:.1f} ms a unit, so at most {most:,.0f} workers are kept at "
              f"work; 64 do {min(64.0, most):.0f} workers' work")  # fmt: skip


if __name__ == "__main__":
    for name, unit, ours, peer, theirs, ratio in rows():
        print(f"{name}: {ours:,.1f} {unit}, {peer}: {theirs:,.1f}, ratio {ratio:.2f}")
    model()
