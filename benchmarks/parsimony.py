"""What parsimony costs and gains: eight short runs for each kind of pressure, on Othello 6x6.

    python benchmarks/parsimony.py

Prints means over the seeds 1 to 8 with 95 % intervals (normal approximation): the mean size of
the last population, the best individual's points on fresh games, and the champion's in the
final test, whose opponents are those of its own run. About a minute on one core.
"""

from statistics import fmean, stdev
from typing import Any

from evoply.evolution import EvolutionConfig, evolve, final_test

SEEDS = range(1, 9)
KINDS: dict[str, dict[str, Any]] = {
    "ties only": {},
    "length": {"parsimony": {"kind": "length", "coefficient": 0.001}},
    "tarpeian": {"parsimony": {"kind": "tarpeian", "probability": 0.3}},
    "covariant": {"parsimony": {"kind": "covariant"}},
    "pareto": {"selection": {"kind": "pareto"}},
}


def config(seed: int, changes: dict[str, Any]) -> EvolutionConfig:
    """Return a run of 30 generations of 100 trees against random and greedy."""
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": seed,
        "population_size": 100,
        "generations": 30,
        "selection": {"kind": "tournament", "size": 5},
        "fitness": {
            "opening_plies": 6,
            "opponents": [{"player": "random", "pairs": 4}, {"player": "greedy", "pairs": 4}],
        },
        "hall_of_fame": {"size": 5, "candidates": 3, "pairs": 20},
    }
    return EvolutionConfig(**{**settings, **changes})


def measured(seed: int, changes: dict[str, Any]) -> tuple[float, float, float]:
    """Return size, fresh points of the best, and points of the champion of one run."""
    settings = config(seed, changes)
    *_, last = evolve(settings)
    test = final_test(settings, last)
    return last.statistics.mean_size, last.statistics.best_fresh, test.fitness[0]


def main() -> None:
    """Print one line a kind."""
    print(f"{'kind':10} {'mean size':>16} {'best, fresh':>16} {'champion, final':>16}")
    for kind, changes in KINDS.items():
        columns = zip(*(measured(seed, changes) for seed in SEEDS), strict=True)
        cells = (
            f"{fmean(values):.3f} ± {1.96 * stdev(values) / len(values) ** 0.5:.3f}"
            for values in columns
        )
        print(f"{kind:10} " + " ".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
