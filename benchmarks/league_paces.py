"""What one core does in a second for each method of a league, beside the limits in `methods.toml`.

    python benchmarks/league_paces.py othello --seconds 20

Each method is measured as a league does it before it begins, but for so many seconds of processor
time: what else the machine does counts little, but it does count.
"""

import argparse
import sys
from functools import partial

from evoply.experiments.leagues.methods import roster_of
from evoply.experiments.leagues.paces import pace_of_limits


def main(arguments: list[str]) -> None:
    """Print the pace of every method of a game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="othello")
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args(arguments)
    print(f"{'method':<32}{'key':<14}{'in the table':>16}{'measured':>16}{'ratio':>8}")
    for method in roster_of(given.game).methods:
        for name, making in method.makings.items():
            setup_of = partial(making.setup, name, given.game)
            pace = pace_of_limits(setup_of, making.pace, given.seconds)
            print(
                f"{name:<32}{next(iter(making.limits)):<14}{making.pace:>16,.0f}{pace:>16,.0f}"
                f"{pace / making.pace:>8.2f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
