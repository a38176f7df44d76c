"""What each feature of a set adds at equal terms: discs lost a move with it and without it.

A teacher's games give positions in which every move has a value. The best player of N terms is
chosen step by step: the term with the steepest slope of the discs that a softmax player loses, then
all weights fitted again. A feature that is among them is left out and the choice made again; any
other is put first and the rest chosen around it. Printed are the discs that the player with the
feature, and without it, loses a move in games that were held out.

    python benchmarks/worth.py othello-shapes --terms 8 --games 300
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evoply.expressions import Number
from evoply.learning.choices import (
    Choices,
    choices_of,
    fitted_weights,
    loss_and_slope,
    values_at,
)
from evoply.learning.found_features import candidates_of_sets

Array = NDArray[np.float64]
HELD_OUT = 4
"""Every fourth game judges."""
REFITTED = 3
"""Of so many steepest terms the one is taken that loses least when it is fitted."""


@dataclass
class Task:
    """Choices to fit to and choices to judge by, with every feature's column for both."""

    fit: Choices
    judge: Choices
    columns: Array
    held_out: Array

    @classmethod
    def of(cls, choices: Choices, features: Sequence[Number], game: str) -> "Task":
        """Return the task of *choices*, a part of whose games is held out."""
        is_held_out = choices.games % HELD_OUT == 0
        columns = values_at(features, game, choices.rows)
        parts = choices.part(~is_held_out), choices.part(is_held_out)
        return cls(*parts, columns[~is_held_out], columns[is_held_out])

    @cached_property
    def sizes(self) -> Array:
        """How much each column differs among the boards of a position."""
        means = np.add.reduceat(self.columns, self.fit.begins, axis=0)
        count = np.diff(np.append(self.fit.begins, len(self.columns)))[:, np.newaxis]
        within: Array = self.columns - (means / count)[self.fit.position]
        return within.std(axis=0)

    def chosen(self, first: Sequence[int], terms: int, barred: int | None = None) -> list[int]:
        """Return the columns of a player of so many *terms* that begins with *first*."""
        chosen = list(first)
        weights = fitted_weights(self.fit, self.columns[:, chosen]) if chosen else np.zeros(0)
        while len(chosen) < terms:
            all_weights = np.zeros(self.columns.shape[1])
            all_weights[chosen] = weights
            slopes = np.abs(loss_and_slope(self.fit, self.columns, all_weights)[1]) * self.sizes
            slopes[[*chosen, *([] if barred is None else [barred])]] = -1
            tried = []
            for column in np.argsort(-slopes, kind="stable")[:REFITTED].tolist():
                there = self.columns[:, [*chosen, column]]
                found = fitted_weights(self.fit, there)
                tried.append((loss_and_slope(self.fit, there, found)[0], column, found))
            _, column, weights = min(tried, key=lambda one: one[:2])
            chosen.append(column)
        return chosen

    def lost(self, chosen: Sequence[int]) -> float:
        """Return the discs a move that the player of these columns loses in held-out games."""
        weights = fitted_weights(self.fit, self.columns[:, list(chosen)])
        best = self.judge.best(self.held_out[:, list(chosen)] @ weights)
        return float(self.judge.lost[best].mean())


def main() -> None:
    """Print what each feature adds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="+", help="sets of primitives, by their names")
    parser.add_argument("--teacher", default="strong:depth=1,guard=no")
    parser.add_argument("--game", default="othello")
    parser.add_argument("--terms", type=int, default=8)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    candidates = candidates_of_sets(options.sets, options.game)
    alone = [one for one in candidates if not one.is_difference]
    choices = choices_of(
        options.teacher,
        options.game,
        games=options.games,
        seed=options.seed,
        threads=options.threads,
    )
    task = Task.of(choices, [one.expression for one in alone], options.game)
    best = task.chosen([], options.terms)
    lost = task.lost(best)
    names = ", ".join(alone[column].name for column in best)
    print(f"{len(task.fit):,} positions to fit, {len(task.judge):,} to judge, seed {options.seed}")
    print(f"best {options.terms} terms: {names}; they lose {lost:.2f} a move")
    rows = []
    for column, one in enumerate(alone):
        if column in best:
            rows.append((task.lost(task.chosen([], options.terms, barred=column)), lost, one.name))
        else:
            rows.append((lost, task.lost(task.chosen([column], options.terms)), one.name))
    for without, with_it, name in sorted(rows, key=lambda row: row[1] - row[0]):
        print(f"{without - with_it:+.3f}  with {with_it:.3f}  without {without:.3f}  {name}")


if __name__ == "__main__":
    main()
