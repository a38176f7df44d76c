"""What each feature of a set adds at equal terms: discs lost a move with it and without it.

A teacher's games give positions in which every move has a value. The best player of N terms is
chosen step by step: the feature (all made equally large) with the steepest slope of the discs that
a softmax player loses, then all weights fitted again; and then features are exchanged, as long as
less is lost. A feature that is among them is left out and another takes its place; any other takes
the place of the one that is missed least. Printed are the discs that the player with the feature,
and without it, loses a move in games that were held out.

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
        """How much each column differs among the boards of a position; infinite if it does not."""
        spread = self.fit.spread(self.columns)
        return np.where(spread > 0, spread, np.inf)

    def chosen(self, first: Sequence[int], terms: int, barred: int | None = None) -> list[int]:
        """Return the columns of a player of so many *terms* that begins with *first*."""
        chosen = list(first)
        weights = fitted_weights(self.fit, self.columns[:, chosen]) if chosen else np.zeros(0)
        while len(chosen) < terms:
            all_weights = np.zeros(self.columns.shape[1])
            all_weights[chosen] = weights
            slopes = np.abs(loss_and_slope(self.fit, self.columns, all_weights)[1]) / self.sizes
            slopes[[*chosen, *([] if barred is None else [barred])]] = -1
            chosen.append(int(slopes.argmax()))
            weights = fitted_weights(self.fit, self.columns[:, chosen], np.append(weights, 0.0))
        return chosen

    def exchanged(self, chosen: Sequence[int], column: int) -> tuple[float, list[int]]:
        """Return *chosen* with *column* for one that is missed least, after what it then loses."""
        others = [[*chosen[:place], *chosen[place + 1 :], column] for place in range(len(chosen))]
        return min((self.loss(columns), columns) for columns in others)

    def improved(self, chosen: list[int]) -> list[int]:
        """Return *chosen* after exchanges that lessen the loss, each column tried once in turn."""
        loss = self.loss(chosen)
        for column in range(self.columns.shape[1]):
            if column not in chosen:
                new_loss, columns = self.exchanged(chosen, column)
                if new_loss < loss:
                    loss, chosen = new_loss, columns
        return chosen

    def loss(self, chosen: Sequence[int]) -> float:
        """Return what a softmax player of these columns loses a move in the games fitted to."""
        there = self.columns[:, list(chosen)]
        return loss_and_slope(self.fit, there, fitted_weights(self.fit, there))[0]

    def lost(self, chosen: Sequence[int]) -> float:
        """Return what the player of these columns loses a move in the games held out."""
        weights = fitted_weights(self.fit, self.columns[:, list(chosen)])
        best = self.judge.best(self.held_out[:, list(chosen)] @ weights)
        return float(self.judge.lost[best].mean())

    def worth(self, best: list[int], column: int) -> tuple[float, float]:
        """Return what is lost a move without *column* and with it, at as many terms as *best*."""
        if column not in best:
            return self.lost(best), self.lost(self.exchanged(best, column)[1])
        others = [one for one in best if one != column]
        return self.lost(self.chosen(others, len(best), barred=column)), self.lost(best)


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
    best = task.improved(task.chosen([], options.terms))
    names = ", ".join(alone[column].name for column in best)
    print(f"{len(task.fit):,} positions to fit, {len(task.judge):,} to judge, seed {options.seed}")
    print(
        f"best {options.terms} terms: {names}; they lose {task.lost(best):.2f} a move", flush=True
    )
    rows = [(*task.worth(best, column), one.name) for column, one in enumerate(alone)]
    for without, with_it, name in sorted(rows, key=lambda row: row[1] - row[0]):
        print(f"{without - with_it:+.3f}  with {with_it:.3f}  without {without:.3f}  {name}")


if __name__ == "__main__":
    main()
