"""Numbers of terms, fitted to what a teacher says of the boards after each move.

The labels are made when they are first needed, and again in a resumed run: they depend on the
config alone. An individual that is fitted twice gets the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply.evolution.breeding.offspring import Offspring
from evoply.evolution.config.breeding import Refit
from evoply.evolution.individuals import Individual, ranking
from evoply.evolution.play.opponents import read_opponent
from evoply.games import game_rules
from evoply.gp import Forest
from evoply.learning.choices import Choices, choices_of, fitted_weights

REFIT = "refit"
"""The origin of offspring with fitted numbers."""


@dataclass(frozen=True, slots=True)
class Refitting:
    """What fits the numbers of the best individuals of a run."""

    settings: Refit
    game: str
    seed: int
    threads: int

    def offspring(self, parents: tuple[Individual, ...]) -> list[Offspring]:
        """Return the best of *parents* with fitted numbers, those that this changes."""
        made: list[Offspring] = []
        known: set[frozenset[tuple[str, ...]]] = set()
        for index in ranking(parents):
            individual = parents[index].tree
            assert isinstance(individual, Forest)  # the config is for these
            features = frozenset(gp.term_key(tree) for tree in individual.trees)
            if features in known:
                continue
            known.add(features)
            tree = refitted(individual, self.game, self._labels())
            if tree != individual:
                made.append(Offspring(tree, REFIT, (index,)))
            if len(known) == self.settings.best:
                break
        return made

    def _labels(self) -> Choices:
        return _labels(self.settings, self.game, self.seed, self.threads)


@lru_cache(maxsize=8)
def _labels(settings: Refit, game: str, seed: int, threads: int) -> Choices:
    return choices_of(
        read_opponent(settings.teacher, game),
        game,
        games=settings.games,
        seed=seed,
        random_moves=settings.random_moves,
        threads=threads,
    )


def refitted(individual: Forest, game: str, labels: Choices) -> Forest:
    """Return *individual* with the numbers that lose least in *labels*, on the scale of its own.

    Terms that decide no move are left out; if none decides one, it stays as it is.
    """
    numbers = fitted_weights(labels, values_of_terms(individual, game, labels.rows))
    largest = float(np.abs(numbers).max())
    if not largest:
        return individual
    scale = max(map(abs, gp.drawn_numbers(individual))) / largest
    terms = [
        gp.with_number(tree, number)
        for tree, number in zip(individual.trees, (numbers * scale).tolist(), strict=True)
        if number
    ]
    return Forest("terms", tuple(terms))


def values_of_terms(
    individual: Forest, game: str, rows: Sequence[tuple[int, ...]]
) -> NDArray[np.float64]:
    """Return the products of the features of each term, a column each, at each of *rows*."""
    positions = _native.Positions(game_rules(game).kernel, rows)
    (values,) = gp.node_values([individual], game, positions)
    # In each term the number comes after the first multiplication, and the features after it.
    begins = np.cumsum([0, *(len(tree) for tree in individual.trees[:-1])])
    columns: NDArray[np.float64] = values[begins + 2].T
    return columns
