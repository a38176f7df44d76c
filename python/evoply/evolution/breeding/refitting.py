"""Numbers of terms, fitted to what a teacher says of the boards after each move.

The labels are made when they are first needed, and again in a resumed run: they depend on the
config alone. Terms that labels recommend are candidates like any others: games decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply._native import Stream
from evoply.evolution.breeding.offspring import Offspring
from evoply.evolution.config.breeding import Refit
from evoply.evolution.individuals import Individual, ranking
from evoply.evolution.play.opponents import read_opponent
from evoply.expressions import Node, PrimitiveSet
from evoply.games import game_rules
from evoply.gp import Forest, Shape, Tree
from evoply.gp.sums_of_terms import features_of
from evoply.learning import Choices, choices_of, columns_by_loss, fitted_weights, slope_by_board
from evoply.protocols import Row

REFIT, NEW_TERM, CHOSEN = "refit", "refit_with_new_term", "chosen_by_labels"
"""The origins of offspring with fitted numbers."""
_OFFERED = 0.5
"""The share of all features of which an individual of the first population is chosen."""
_POSITIONS = 1200
"""About so many positions choose its terms: all would take longer than games that judge it."""
_LARGEST = 20.0
"""The largest of its numbers."""
_NEAR = 6
"""A new term is one of so many that look best."""

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Refitting:
    """What fits the numbers of the best individuals of a run."""

    settings: Refit
    shape: Shape
    game: str
    seed: int
    threads: int

    def offspring(self, parents: tuple[Individual, ...], stream: Stream) -> list[Offspring]:
        """Return the best of *parents* with fitted numbers, those that this changes.

        With `new_terms` each is followed by one with another term.
        """
        made: list[Offspring] = []
        known: set[frozenset[tuple[str, ...]]] = set()
        labels = _labels(self.settings, self.game, self.seed, self.threads)
        for index in ranking(parents):
            individual = parents[index].tree
            assert isinstance(individual, Forest)  # the config is for these
            features = frozenset(gp.term_key(tree) for tree in individual.trees)
            if features in known:
                continue
            known.add(features)
            tree, numbers = refitted(individual, self.game, labels)
            if tree != individual:
                made.append(Offspring(tree, REFIT, (index,)))
            if self.settings.new_terms:
                candidates = _candidates(
                    self.settings, self.shape, self.game, self.seed, self.threads
                )
                new = candidates.drawn(tree, numbers, self.game, stream.child(index))
                if new is not None:
                    larger, start = Forest("terms", (*tree.trees, new)), np.append(numbers, 0.0)
                    tree, _ = refitted(larger, self.game, labels, start, most=self.shape.most)
                    made.append(Offspring(tree, NEW_TERM, (index,)))
            if len(known) == self.settings.best:
                break
        return made

    def first(self, stream: Stream) -> list[Offspring]:
        """Return the individuals of the first population whose terms labels recommend.

        Each has other features: a random half of them can be chosen, by random games.
        """
        if not self.settings.first:
            return []
        candidates = _candidates(self.settings, self.shape, self.game, self.seed, self.threads)
        labels, made = candidates.labels, []
        for number in range(self.settings.first):
            draws = stream.child(number)
            offered = [
                index for index in range(len(candidates.features)) if draws.random() < _OFFERED
            ]
            share = _POSITIONS / max(len(labels), 1)
            among = [game for game in range(self.settings.games) if draws.random() < share]
            seen = np.isin(labels.games, among)
            columns = candidates.counted[seen][:, offered]
            chosen = columns_by_loss(labels.part(seen), columns, self.shape.most)
            features = [candidates.features[offered[column]] for (column,) in chosen]
            if features:
                terms = tuple(gp.term(self.shape.sets[0], _LARGEST, [node]) for node in features)
                made.append(
                    Offspring(refitted(Forest("terms", terms), self.game, labels)[0], CHOSEN)
                )
        return made


@lru_cache(maxsize=8)
def _labels(settings: Refit, game: str, seed: int, threads: int) -> Choices:
    return choices_of(
        read_opponent(settings.teacher, game),
        game,
        games=settings.games,
        seed=seed,
        random_moves=settings.random_moves,
        players=[read_opponent(text, game) for text in settings.players],
        threads=threads,
    )


def refitted(
    individual: Forest,
    game: str,
    labels: Choices,
    start: _Array | None = None,
    *,
    most: int | None = None,
) -> tuple[Forest, _Array]:
    """Return *individual* with the numbers that lose least in *labels*, and these numbers.

    The first are on the scale of its own, with few digits, the second on that of the fit, which
    begins at *start*. Terms that decide no move are left out; if none decides one, it stays as it
    is. Of more than *most* terms those that count least are left out, and the others fitted again.
    """
    columns = values_of_terms(individual.trees, game, labels.rows)
    numbers = fitted_weights(labels, columns, start)
    weight = np.abs(numbers) * labels.spread(columns)
    if not weight.any():
        return individual, numbers
    kept = weight > 0
    if most is not None and kept.sum() > most:
        kept[np.argsort(weight, kind="stable")[: len(weight) - most]] = False
        numbers[kept] = fitted_weights(labels, columns[:, kept], numbers[kept])
    kept &= numbers != 0
    numbers = numbers[kept]
    scale = max(map(abs, gp.drawn_numbers(individual))) / float(np.abs(numbers).max())
    terms = [tree for tree, is_kept in zip(individual.trees, kept.tolist(), strict=True) if is_kept]
    scaled = zip(terms, (numbers * scale).tolist(), strict=True)
    return Forest("terms", tuple(gp.with_number(tree, number) for tree, number in scaled)), numbers


def values_of_terms(terms: Sequence[Tree], game: str, rows: Sequence[Row]) -> _Array:
    """Return the products of the features of each term, a column each, at each of *rows*."""
    positions = _native.Positions(game_rules(game).kernel, rows)
    # In each term the number comes after the multiplication, and the features after it.
    values = gp.node_values(terms, game, positions)
    return np.array([of_term[2] for of_term in values]).T


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Terms that an individual may get: single features, and products of two."""

    labels: Choices
    primitives: PrimitiveSet
    features: list[Node]
    counted: _Array
    """The values of the features and of 1, a column each, on every board."""
    spread: _Array
    """Of the product of two columns, how much it differs among the boards of a position; 0 for one
    that is no candidate."""

    def drawn(self, individual: Forest, numbers: _Array, game: str, stream: Stream) -> Tree | None:
        """Return a term by which the expected loss falls fast; None if there is none.

        *numbers* are those of *individual* on the scale of a fit.
        """
        own = values_of_terms(individual.trees, game, self.labels.rows)
        pull = slope_by_board(self.labels, own @ numbers)
        # The slope of a product of two columns, on the scale on which all differ as much.
        slope = np.abs(np.einsum("bi,bj->ij", self.counted * pull[:, np.newaxis], self.counted))
        slope = np.divide(slope, self.spread, out=np.zeros_like(slope), where=self.spread > 0)
        known = {gp.term_key(tree) for tree in individual.trees}
        best: list[Tree] = []
        for place in np.argsort(-slope, axis=None, kind="stable").tolist():
            pair = divmod(place, len(slope))
            if not slope[pair] or len(best) == _NEAR:
                break
            nodes = [self.features[index] for index in pair if index < len(self.features)]
            new = gp.term(self.primitives, 1.0, nodes)
            if gp.term_key(new) not in known:
                best.append(new)
        return best[stream.below(len(best))] if best else None


@lru_cache(maxsize=8)
def _candidates(settings: Refit, shape: Shape, game: str, seed: int, threads: int) -> _Candidates:
    labels = _labels(settings, game, seed, threads)
    primitives = shape.sets[0]
    features: list[Node] = [node for node in features_of(primitives) if node.parameter is None]
    alone = [gp.term(primitives, 1.0, [feature]) for feature in features]
    ones = np.ones((len(labels.rows), 1))
    counted = np.hstack([values_of_terms(alone, game, labels.rows), ones])
    spread = np.array([labels.spread(counted * column[:, np.newaxis]) for column in counted.T])
    # Each pair once, each feature alone beside the 1 at the end, no square.
    is_one = np.triu(np.ones_like(spread), 1) > 0
    if shape.factors == 1:
        is_one[:, :-1] = False
    return _Candidates(labels, primitives, features, counted, np.where(is_one, spread, 0.0))
