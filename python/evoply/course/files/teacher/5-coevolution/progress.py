"""Exercise 5: whether an evolution gets anywhere, measured against its own past."""

from pathlib import Path

import evoply as ep


def against_earlier(champions, games):
    """Return the points per game of the last of *champions* against each earlier one, in order.

    All matches are played so:
    ep.match(last, earlier, game="othello-6", games=games, seed=1).score
    """
    return [
        ep.match(champions[-1], earlier, game="othello-6", games=games, seed=1).score
        for earlier in champions[:-1]
    ]


if __name__ == "__main__":  # what `python progress.py` does
    here = Path(__file__).parent
    found = list(ep.evolve(here / "config.toml"))[::5]  # every fifth generation
    lines = [
        "# Written by progress.py.",
        f"generation = {[one.number for one in found]}",
        f"fitness = {[one.statistics.best for one in found]}",
        f"against_earlier = {against_earlier([one.best for one in found], 200)}",
    ]
    (here / "progress.toml").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
