"""Exercise 3: how far a score can be trusted."""

import math
import statistics
from pathlib import Path

import evoply as ep

# How many times as many games does it take to halve the standard error?
HALF_THE_ERROR = 4


def standard_error(scores):
    """Return the standard error of the mean of *scores*."""
    return statistics.stdev(scores) / math.sqrt(len(scores))


def games_needed(scores, games, wanted):
    """Return how many games a match takes until its score has the standard deviation *wanted*.

    *scores* are those of several matches, each of *games* games.
    """
    return math.ceil(statistics.stdev(scores) ** 2 * games / wanted**2)


def best_of_equals(players, games):
    """Return the best score of several players that are all `random`, against `random`.

    Player number 1 plays a match of *games* games with seed=1, player number 2 with seed=2, and
    so on: ep.match("random", "random", game="othello-6", games=games, seed=1).score
    """
    return max(
        ep.match("random", "random", game="othello-6", games=games, seed=seed).score
        for seed in range(1, players + 1)
    )


if __name__ == "__main__":  # what `python noise.py` does
    scores = [
        ep.match("mobility", "greedy", game="othello-6", games=20, seed=seed).score
        for seed in range(1, 31)
    ]
    lines = [
        "# Written by noise.py.",
        f"scores = {scores}",
        f"standard_error = {standard_error(scores)}",
        f"games_needed = {games_needed(scores, 20, 0.01)}",
        f"best_of_equals = {best_of_equals(50, 20)}",
    ]
    Path(__file__).with_name("noise.toml").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
