"""Features that an evolved population found, and the choice of columns for it.

A subtree that describes the player describes the opponent from the other side; the feature is the
difference. Subtrees help if they foretell the ends of games: they are chosen one after another,
each for what it explains beyond those before (`chosen_columns`), on positions that the champion
met. Their weights are then learned by play, like those of any feature.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoply.expressions import (
    ExpressionError,
    Number,
    PrimitiveSet,
    find_primitive_set,
    from_dict,
)
from evoply.expressions.functions import for_the_other_side
from evoply.games import game_rules
from evoply.gp import Genotype, Tree, branches, expression_of
from evoply.gp.algebra import formula_of, simplify
from evoply.learning.choices import Array, boards_met, values_at
from evoply.learning.staged_sums import depends_on_pieces
from evoply.players import AlphaBeta, ExpressionEvaluator, Player, model_of
from evoply.protocols import BoardShape

# Candidates for terms of formulas: the features of primitive sets, and parts of evolved trees.


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that a formula may weigh, by name."""

    name: str
    expression: Number
    is_difference: bool = False
    """Whether it is a count of own minus the same count of the opponent."""


def usual_sets(game: str) -> tuple[str, ...]:
    """Return the names of the sets whose features make up formulas for *game* by default."""
    names = game_rules(game).readable
    if not names:
        raise ValueError(f"primitives: {game} has no usual set - name one that has its features")
    return names


def candidates_of_sets(sets: Iterable[PrimitiveSet | str], game: str) -> tuple[Candidate, ...]:
    """Return the features of *sets*: the numbers without operands that depend on pieces.

    If a set has a feature for both sides, their difference is another candidate. Features that do
    not fit the board are left out; `ValueError` if none remains.
    """
    shape = game_rules(game).shape
    names: dict[Number, str] = {}
    for primitives in sets:
        chosen = find_primitive_set(primitives, game)
        for primitive in chosen.terminals:
            # The written form makes equal features of two sets one value.
            expression = from_dict(primitive.expression.to_dict())
            if (
                primitive.parameter is None
                and isinstance(expression, Number)
                and depends_on_pieces(expression)
                and _fits(expression, shape)
            ):
                names.setdefault(expression, primitive.name)
    differences: dict[Number, str] = {}
    for expression, name in names.items():
        try:
            other = mirrored(expression)
        except ExpressionError:
            continue
        if other in names and names[other] != name and other - expression not in differences:
            differences[expression - other] = f"{name} - {names[other]}"
    if not names:
        raise ValueError(f"primitives: these sets have no features for {game}")
    return (
        *(Candidate(name, term) for term, name in names.items()),
        *(Candidate(name, term, is_difference=True) for term, name in differences.items()),
    )


def mirrored(expression: Number) -> Number:
    """Return *expression* with own and opponent swapped; or raise `ExpressionError`."""
    other = for_the_other_side(expression)
    assert isinstance(other, Number)  # made of the same operations
    return other


def _fits(expression: Number, shape: BoardShape) -> bool:
    try:
        expression.to_dict(shape)
    except ExpressionError:
        return False
    return True


# Selection of a few columns whose weighted sum comes nearest to a target: forward, then swaps.
#
# Orthogonal least squares (Chen, Cowan & Grant, 1991) adds the column that leaves the smallest
# residual when the weights of all chosen columns are fitted again. Then chosen columns are swapped
# for others while that leaves less. All of it works on sums of products, so many rows cost nothing.

_RIDGE = 1e-8
"""Added to each diagonal, which is 1: columns that are sums of others get finite weights."""
_MOST_ROUNDS = 20
_WORTH_IT = 1e-6
"""How much more a swap must explain, as a share of the target."""


def chosen_columns(matrix: Array, target: Array, most: int) -> tuple[int, ...]:
    """Return the best of at most *most* columns of *matrix*, in the order of choice."""
    fit = _LeastSquares(matrix, target)
    chosen: list[int] = []
    share = 0.0
    count = matrix.shape[1]
    while len(chosen) < min(most, count):
        best, column = max((fit.share([*chosen, c]), -c) for c in range(count) if c not in chosen)
        if best <= share + _WORTH_IT:
            break
        chosen.append(-column)
        share = best
    for _ in range(_MOST_ROUNDS):
        before = share
        for index in range(len(chosen)):
            rest = [*chosen[:index], *chosen[index + 1 :]]
            others = [c for c in range(count) if c not in chosen]
            if not others:
                break
            best, column = max((fit.share([*rest, c]), -c) for c in others)
            if best > share + _WORTH_IT:
                chosen[index], share = -column, best
        if share <= before:
            break
    return tuple(chosen)


class _LeastSquares:
    """Sums of products of columns, as of length 1, with each other and with the target."""

    def __init__(self, matrix: Array, target: Array) -> None:
        gram = matrix.T @ matrix
        squares = np.diagonal(gram)
        lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
        self.gram = gram / np.outer(lengths, lengths)
        self.to_target = (matrix.T @ target) / lengths
        self.total = float(target @ target) or 1.0

    def share(self, columns: list[int]) -> float:
        """Return the share of the target's squares that *columns* explain."""
        gram = self.gram[np.ix_(columns, columns)] + _RIDGE * np.eye(len(columns))
        to_target = self.to_target[columns]
        return float(to_target @ np.linalg.solve(gram, to_target)) / self.total


_MOST_SUBTREES = 300
"""Only the most frequent subtrees are considered."""
_MOST_NODES = 9
"""Most nodes of a subtree: people cannot read larger features."""
_USUAL_SHARE = 98
"""Percent of boards on which a feature stays within its scale."""
_WORDS = (("*", " times "), ("+", " plus "), ("-", " minus "), ("/", " by "))


def features_of_population(
    individuals: Iterable[Genotype],
    champion: Player,
    *,
    game: str,
    terms: int = 25,
    games: int = 500,
    seed: int = 1,
    threads: int = 0,
) -> list[dict[str, Any]]:
    """Return the *terms* most helpful subtrees of *individuals*, the most helpful first.

    Each is an entry of `LearningConfig.features`: a name, an expression, own minus opponent, and
    its scale. *champion* plays *games* games with itself, with a tenth of random moves. Raises
    `ValueError` if no subtree depends on the pieces.
    """
    player = model_of(champion).valuing()
    if player is None:
        raise ValueError("features: a random player values no boards - take another champion")
    trees = _subtrees(individuals)
    met = boards_met(
        [player], game, games=games, seed=seed, random_moves=0.1, opening_plies=4, threads=threads
    )
    if not trees or not met.rows:
        raise ValueError("features: no subtree of this population depends on the pieces")
    columns = values_at([tree.expression for tree in trees], game, met.rows)
    target = met.points - 0.5
    # A column with overflow would spoil the sums.
    usable = np.isfinite(columns).all(axis=0) & (np.abs(columns).max(axis=0) < 1e9)
    columns = np.where(usable, columns, 0.0)
    chosen = chosen_columns(columns, target, terms)
    return _settings([trees[index] for index in chosen], columns[:, list(chosen)])


def features_of_sets(sets: Sequence[PrimitiveSet | str], game: str) -> list[dict[str, Any]]:
    """Return the features of primitive *sets*, own minus opponent, as `LearningConfig` takes them.

    Raises `ValueError` if none of the sets has a feature of both sides.
    """
    candidates = [term for term in candidates_of_sets(sets, game) if term.is_difference]
    if not candidates:
        raise ValueError("features: these sets have no feature of both sides")
    evaluator = ExpressionEvaluator(expression=candidates[0].expression.to_dict())
    rows = boards_met(
        [AlphaBeta(evaluator=evaluator)],  # whose moves are all random
        game,
        games=100,
        seed=1,
        random_moves=1.0,
        opening_plies=0,
    ).rows
    return _settings(
        candidates, values_at([candidate.expression for candidate in candidates], game, rows)
    )


def _settings(chosen: Sequence[Candidate], columns: Any) -> list[dict[str, Any]]:
    scales = np.percentile(np.abs(columns), _USUAL_SHARE, axis=0)
    most = np.abs(columns).max(axis=0)
    names: set[str] = set()
    settings = []
    for candidate, scale, largest in zip(chosen, scales.tolist(), most.tolist(), strict=True):
        size = scale or largest or 1.0
        settings.append(
            {
                "name": _name(candidate.name, names),
                "expression": candidate.expression.to_json(),
                "scale": float(f"{size:.3g}"),
            }
        )
    return settings


def _subtrees(individuals: Iterable[Genotype]) -> list[Candidate]:
    """Return the differences of subtrees that depend on the pieces, the most frequent first."""
    counts: Counter[Tree] = Counter()
    for individual in individuals:
        for tree in branches(individual):
            if _stands_alone(tree.primitive_set):
                counts.update(_parts(tree))
    names: dict[Number, str] = {}
    for tree, _ in sorted(counts.items(), key=lambda item: (-item[1], len(item[0]), str(item[0]))):
        if len(names) >= _MOST_SUBTREES:
            break
        expression = simplify(tree)
        whole = expression_of(tree)
        if expression.constant is not None or not isinstance(whole, Number):
            continue
        try:
            other = mirrored(whole)
        except ExpressionError:
            continue
        difference = simplify(whole - other)
        if difference.constant is None:
            names.setdefault(whole - other, formula_of(tree))
    return [Candidate(name, expression, is_difference=True) for expression, name in names.items()]


def _stands_alone(primitives: PrimitiveSet) -> bool:
    """Return whether a subtree means the same wherever it stands."""
    return primitives.weights is None and not any(primitive.link for primitive in primitives)


def _parts(tree: Tree) -> set[Tree]:
    parts: set[Tree] = set()
    for index, node in enumerate(tree.nodes):
        if node.type == "number":
            part = tree.subtree(index)
            if len(part) <= _MOST_NODES:
                parts.add(part)
    return parts


def _name(formula: str, taken: set[str]) -> str:
    """Return *formula* as a name of a feature that is not in *taken*."""
    text = formula
    for sign, word in _WORDS:
        text = text.replace(sign, word)
    text = re.sub("[^A-Za-z0-9]+", "_", text).strip("_")
    text = (text if text[:1].isalpha() else f"f_{text}")[:36]
    name, number = text, 1
    while name in taken:
        number += 1
        name = f"{text[:33]}_{number}"
    taken.add(name)
    return name
