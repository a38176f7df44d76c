"""What the tables of `strong` do not see: how much of their errors other features would explain.

Boards of games of the tables are searched four plies deep; an error is what a search says less what
the tables say. On half of the boards of each stage the errors are regressed on a feature, for both
sides together, and on the number of discs; the other half tells how much of their variance that
takes away. A feature that takes away nothing would add nothing to the sum of the tables.

    python benchmarks/unseen.py --games 4000
"""

import argparse
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.expressions import Number, board, count, outputs_to_json, squares
from evoply.expressions.features import FEATURES
from evoply.games import game_rules
from evoply.learning import PatternConfig
from evoply.learning.labels import labelled_boards
from evoply.players import strong_tables

GAME = "othello"
BOTH_SIDES = ("mobility", "frontier", "corner_moves", "safe_moves", "discs", "anchored")
Array = NDArray[np.float64]


def features() -> Mapping[str, tuple[Number, ...]]:
    """Return what may be missing: for both sides, or for the empty squares."""
    found = {name: (FEATURES[f"own_{name}"], FEATURES[f"opponent_{name}"]) for name in BOTH_SIDES}
    beside = [count(side.neighbours() & board.empty) for side in (board.opponent, board.own)]
    quarters = [
        count(squares([f"{file}{rank}" for file in files for rank in ranks]) & board.empty)
        for files in ("abcd", "efgh")
        for ranks in ("1234", "5678")
    ]
    return {**found, "potential_mobility": tuple(beside), "parity of quarters": tuple(quarters)}


def values_of(numbers: tuple[Number, ...], boards: _native.Positions) -> Array:
    """Return a column for each of *numbers*."""
    rules = game_rules(GAME)
    program = _native.Program(rules.kernel, outputs_to_json(list(numbers), rules.shape))
    found: Array = program.evaluate(boards)
    return found


def explained(columns: Array, errors: Array) -> float:
    """Return the share of the variance of the second half that the first half foretells."""
    half = len(errors) // 2
    weights, *_ = np.linalg.lstsq(columns[:half], errors[:half], rcond=None)
    rest = errors[half:] - columns[half:] @ weights
    return float(1 - rest.var() / errors[half:].var())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tables = strong_tables(GAME)
    config = PatternConfig(**tables.made["config"])
    found = labelled_boards(
        config, tables.program, games=options.games, stream=Stream(options.seed, "unseen")
    )
    order = np.random.default_rng(options.seed).permutation(len(found.rows))
    boards = _native.Positions(GAME, [found.rows[place] for place in order])
    errors = found.values[order] - tables.program.evaluate(boards)[:, 0]
    discs = values_of((FEATURES["own_discs"] + FEATURES["opponent_discs"],), boards)[:, 0]
    stage_of = np.searchsorted(np.array(config.stages), discs, side="right")
    stages = range(len(config.stages) + 1)
    known = {name: values_of(numbers, boards) for name, numbers in features().items()}
    known["parity of quarters"] = known["parity of quarters"] % 2
    print(f"stages from {0, *config.stages} discs; seed {options.seed}")
    print("boards", *(int((stage_of == stage).sum()) for stage in stages))
    print("deviation", *(f"{errors[stage_of == stage].std():.2f}" for stage in stages))
    for name, columns in known.items():
        shares = []
        for stage in stages:
            here = stage_of == stage
            counts = np.unique(discs[here])
            levels = (discs[here, None] == counts[None, :]).astype(float)
            alone = explained(levels, errors[here])
            shares.append(explained(np.hstack([levels, columns[here]]), errors[here]) - alone)
        print(name, *(f"{share:.1%}" for share in shares))


if __name__ == "__main__":
    main()
