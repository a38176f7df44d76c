"""Features that an evolved population found: its subtrees, ranked by how much they help.

A subtree that describes the player describes the opponent from the other side; the feature is the
difference. Subtrees help if they foretell the ends of games: they are chosen one after another,
each for what it explains beyond those before (`column_selection`), on positions that the champion
met. Their weights are then learned by play, like those of any feature.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evoply.algebra import formula_of, simplify
from evoply.expressions import ExpressionError, Number, PrimitiveSet
from evoply.gp import Genotype, Tree, branches, expression_of
from evoply.learning.boards import boards_met, values_at
from evoply.learning.candidates import Candidate, candidates_of_sets, mirrored
from evoply.learning.column_selection import chosen_columns
from evoply.players import AlphaBeta, ExpressionEvaluator, Player, model_of

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
        player, game, games=games, seed=seed, random_moves=0.1, opening_plies=4, threads=threads
    )
    if not trees or not met.rows:
        raise ValueError("features: no subtree of this population depends on the pieces")
    columns = values_at([tree.expression for tree in trees], game, met.rows)
    target = met.points - 0.5
    # A column with overflow would spoil the sums.
    usable = np.isfinite(columns).all(axis=0) & (np.abs(columns).max(axis=0) < 1e9)
    columns = np.where(usable, columns, 0.0)
    chosen = chosen_columns([(columns, target, np.ones(len(target)))], terms)
    return _settings([trees[index] for index in chosen.columns], columns[:, list(chosen.columns)])


def features_of_sets(sets: Sequence[PrimitiveSet | str], game: str) -> list[dict[str, Any]]:
    """Return the features of primitive *sets*, own minus opponent, as `LearningConfig` takes them.

    Raises `ValueError` if none of the sets has a feature of both sides.
    """
    candidates = [term for term in candidates_of_sets(sets, game) if term.is_difference]
    if not candidates:
        raise ValueError("features: these sets have no feature of both sides")
    evaluator = ExpressionEvaluator(expression=candidates[0].expression.to_dict())
    rows = boards_met(
        AlphaBeta(evaluator=evaluator),  # whose moves are all random
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
