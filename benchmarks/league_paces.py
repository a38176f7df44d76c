"""What one core does in a second for each method of a league: the limits in `methods.toml`.

    python benchmarks/league_paces.py othello --seconds 20

Each method runs alone, on one core, for so many seconds of it: what else the machine does counts
little, but it does count.
"""

import argparse
import sys
from dataclasses import dataclass
from time import process_time
from typing import Any

from evoply.experiments.design import Setup
from evoply.experiments.leagues.methods import Making, roster_of

_MOST = 1e9


@dataclass(frozen=True)
class Pace:
    """What a second of one core brings a setup."""

    name: str
    key: str
    before: float
    """The limit in the table."""
    measured: float
    steps: int


def pace_of(name: str, making: Making, game: str, seconds: float) -> Pace:
    """Return the pace of *making*, measured for *seconds* or until its first step is done."""
    key = next(iter(making.limits))
    setup = making.setup(name, game, _MOST / making.limits[key])
    cost = "work" if key == "work_limit" else "games"
    done, steps, took = _run(setup, cost, seconds)
    return Pace(name, key, making.limits[key], done / took, steps)


def _run(setup: Setup, cost: str, seconds: float) -> tuple[float, int, float]:
    learner = setup.kind.learners.made(threads=1)
    step: Any = None
    done, steps, began = 0.0, 0, process_time()
    while steps == 0 or process_time() - began < seconds:
        before = step
        step = learner.first(setup.config) if step is None else learner.after(setup.config, step)
        done += setup.kind.learners.costs(step, before).get(cost, 0.0)
        steps += 1
    return done, steps, process_time() - began


def main(arguments: list[str]) -> None:
    """Print the pace of every method of a game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="othello")
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args(arguments)
    print(f"{'method':<32}{'key':<14}{'in the table':>16}{'measured':>16}{'steps':>8}")
    for method in roster_of(given.game).methods:
        makings: list[tuple[str, Making]] = [(method.name, method)] if method.limits else []
        if method.population is not None:
            makings.append((f"{method.name} (population)", method.population))
        for name, making in makings:
            pace = pace_of(name, making, given.game, given.seconds)
            print(
                f"{name:<32}{pace.key:<14}{pace.before:>16,.0f}{pace.measured:>16,.0f}"
                f"{pace.steps:>8,}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
