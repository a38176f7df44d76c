"""Individuals of role "terms": a sum of numbers times features, and how they are made and bred.

A term is a tree `( * 6 white_corners )` or `( * -2 ( * black_edges white ) )`: a number, and the
product of some features, which are terminals of the set that give numbers. So a weight of 6 costs
as much as one of 1, and every operator keeps the form. Players do not depend on the scale of their
values: operators bring the numbers of two parents to one scale.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist, median

from evoply._native import Stream
from evoply.expressions import Constant, Node, Primitive, PrimitiveSet
from evoply.gp.creation import Shape, with_parameter
from evoply.gp.tree import (
    Forest,
    Genotype,
    Limits,
    Tree,
    TreeError,
    features_of_term,
    multiplication,
)

SMALLEST, LARGEST = 0.5, 20.0
"""The range from which the size of a new number is drawn, evenly on a scale of factors."""
STEP = 0.6
"""Standard deviation of the logarithm of the factor by which a number changes."""
TURNS = 0.05
"""Probability that a number that changes gets the other sign."""
DIGITS = 3
"""Significant digits that operators give to numbers, so that they can be read."""

_NORMAL = NormalDist()
_TRIES = 20


def term(primitives: PrimitiveSet, number: float, features: Sequence[Node]) -> Tree:
    """Return the term *number* times *features*, at least one, over *primitives*."""
    times = multiplication(primitives)
    nodes: list[Node] = [times, Constant(number)]
    for feature in features[:-1]:
        nodes += (times, feature)
    return Tree(primitives, (*nodes, features[-1]))


def number_of(tree: Tree) -> float:
    """Return the number of a term."""
    node = tree.nodes[1]
    if not isinstance(node, Constant):
        raise TreeError(f"( {node.name} ) stands where a term has its number")
    return node.value


def create_terms(
    shape: Shape, count: int, stream: Stream, *, limits: Limits | None = None
) -> list[Genotype]:
    """Return *count* random individuals of a *shape* of terms, each of 1 to `shape.most` terms.

    The number of terms is uniform, and no two terms have the same features; there are fewer where
    the set has too few features, or *limits* too few nodes. Two equal individuals are unlikely.
    """
    (primitives,), limits = shape.sets, shape.within(limits or Limits())
    return [
        _random_terms(primitives, limits, stream.child("individual", index))
        for index in range(count)
    ]


def _random_terms(primitives: PrimitiveSet, limits: Limits, stream: Stream) -> Forest:
    wanted = 1 + stream.below(limits.max_trees)
    drawn: dict[tuple[str, ...], Tree] = {}
    for _ in range(_TRIES * wanted):
        new = _random_term(primitives, limits, stream)
        if sum(map(len, drawn.values())) + len(new) <= limits.max_nodes:
            drawn.setdefault(term_key(new), new)
        if len(drawn) == wanted:
            break
    return Forest("terms", tuple(drawn.values()))


def weight_mutation(individual: Forest, limits: Limits, stream: Stream) -> Forest:
    """Return *individual* with some numbers changed in proportion, and rarely in sign.

    One is drawn, and each other changes with probability 1 / 4.
    """
    chosen = stream.below(len(individual.trees))
    trees = tuple(
        _with_other_number(tree, stream) if index == chosen or stream.random() < 0.25 else tree
        for index, tree in enumerate(individual.trees)
    )
    return Forest("terms", trees)


def term_mutation(individual: Forest, limits: Limits, stream: Stream) -> Forest:
    """Return *individual* with a term more or less, or with one that has other features.

    A term is added, dropped, replaced by a random one, or one of its features is replaced, added
    or dropped, each as often; where that is impossible, another is drawn.
    """
    terms = list(individual.trees)
    primitives = terms[0].primitive_set
    known = {term_key(tree) for tree in terms}
    for _ in range(_TRIES):
        what, index = stream.below(6), stream.below(len(terms))
        features = list(features_of_term(terms[index]))
        if what == 0 and len(terms) > 1:
            return Forest("terms", (*terms[:index], *terms[index + 1 :]))
        if what == 1 and len(terms) < limits.max_trees:
            index = len(terms)
            new = _random_term(primitives, limits, stream)
        elif what == 2:
            new = _random_term(primitives, limits, stream)
        elif what == 3 and len(features) > 1:
            del features[stream.below(len(features))]
            new = term(primitives, number_of(terms[index]), features)
        elif what == 4 and len(features) < _most_features(limits):
            features.append(_random_feature(primitives, stream))
            new = term(primitives, number_of(terms[index]), features)
        elif what == 5:
            features[stream.below(len(features))] = _random_feature(primitives, stream)
            new = term(primitives, number_of(terms[index]), features)
        else:
            continue
        child = (*terms[:index], new, *terms[index + 1 :])
        if term_key(new) not in known and sum(map(len, child)) <= limits.max_nodes:
            return Forest("terms", child)
    return individual


def node_mutation(individual: Forest, limits: Limits, stream: Stream) -> Forest:
    """Return *individual* with one node of a term replaced: its number or one of its features."""
    terms = individual.trees
    index = stream.below(len(terms))
    tree, features = terms[index], list(features_of_term(terms[index]))
    place = stream.below(len(features) + 1)
    if place == len(features):
        new = _with_other_number(tree, stream)
    else:
        features[place] = _random_feature(tree.primitive_set, stream)
        new = term(tree.primitive_set, number_of(tree), features)
        if term_key(new) in map(term_key, terms):
            return individual
    return Forest("terms", (*terms[:index], new, *terms[index + 1 :]))


def term_crossover(first: Forest, second: Forest, limits: Limits, stream: Stream) -> Forest:
    """Return *first* with some terms of *second*, at most half of these, on the scale of *first*.

    A term with features that *first* has brings its number; any other takes the place of a random
    one, or is added where there is room, as often.
    """
    scale = _scale(first, second)
    terms, keys = list(first.trees), [term_key(tree) for tree in first.trees]
    waiting = list(second.trees)
    for _ in range(1 + stream.below(max(1, len(waiting) // 2))):
        given = waiting.pop(stream.below(len(waiting)))
        new = with_number(given, number_of(given) * scale)
        key, index = term_key(given), stream.below(len(terms))
        if key in keys:
            index = keys.index(key)
        elif len(terms) < limits.max_trees and stream.random() < 0.5:
            index = len(terms)
        child = [*terms[:index], new, *terms[index + 1 :]]
        if sum(map(len, child)) <= limits.max_nodes and new.depth <= limits.max_depth:
            terms = child
            keys[index : index + 1] = [key]
    return Forest("terms", tuple(terms))


def _scale(first: Forest, second: Forest) -> float:
    """Return by what numbers of *second* are multiplied to be like those of *first*."""
    known = {term_key(tree): abs(number_of(tree)) for tree in second.trees}
    both = [(abs(number_of(tree)), known.get(term_key(tree))) for tree in first.trees]
    shared = [number / other for number, other in both if number and other]
    return median(shared) if shared else 1.0


@lru_cache(maxsize=64)
def features_of(primitives: PrimitiveSet) -> tuple[Primitive, ...]:
    """Return the terminals of *primitives* that terms are made of: those that give numbers.

    Raises `TreeError` if there are none.
    """
    features = tuple(
        terminal
        for terminal in primitives.terminals
        if terminal.type == "number" and terminal.expression.op != "number"
    )
    if not features:
        raise TreeError(f"the set {primitives.name} has no terminal that is a feature of boards")
    return features


@lru_cache(maxsize=1 << 14)
def term_key(tree: Tree) -> tuple[str, ...]:
    """Return what two terms with the same features have in common."""
    return tuple(sorted(node.name for node in features_of_term(tree)))


def _most_features(limits: Limits) -> int:
    return limits.max_depth - 1


def _random_term(primitives: PrimitiveSet, limits: Limits, stream: Stream) -> Tree:
    count = 1
    while count < _most_features(limits) and stream.random() < 0.25:
        count += 1
    size = SMALLEST * (LARGEST / SMALLEST) ** stream.random()
    number = size if stream.random() < 0.5 else -size
    features = [_random_feature(primitives, stream) for _ in range(count)]
    return term(primitives, _readable(number), features)


def _random_feature(primitives: PrimitiveSet, stream: Stream) -> Node:
    choices = features_of(primitives)
    return with_parameter(choices[stream.below(len(choices))], stream)


def _with_other_number(tree: Tree, stream: Stream) -> Tree:
    factor = math.exp(STEP * _NORMAL.inv_cdf(stream.random() or 2.0**-54))
    turn = -1.0 if stream.random() < TURNS else 1.0
    return with_number(tree, (number_of(tree) or SMALLEST) * factor * turn)


def with_number(tree: Tree, number: float) -> Tree:
    """Return a term with another *number*, rounded to a few digits."""
    return Tree(tree.primitive_set, (tree.nodes[0], Constant(_readable(number)), *tree.nodes[2:]))


def _readable(number: float) -> float:
    """Return *number* with few digits, within what stays finite whatever is done to it."""
    bounded = math.copysign(min(max(abs(number), 1e-6), 1e9), number)
    return float(f"{bounded:.{DIGITS}g}")
