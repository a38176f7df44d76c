"""From individuals to native programs, a population at a time.

The kernel inlines primitives, shares common subexpressions and checks sizes. This module hands over
codes and constants: it leaves out introns, multiplies leaves by their weights, puts in the values
of nodes, and inlines definitions. `evoply.gp.plain` does the same with trees, for people, and tests
compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoply import _native
from evoply.expressions import (
    Constant,
    ExpressionError,
    PrimitiveSet,
    SquareParameter,
    argument,
    board,
    less,
    select,
    squares,
    squares_turned,
)
from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.gp.forest import Forest, Individual, branches, is_ordered
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import Tree
from evoply.gp.weights import leaf_weights

Item = int | float
"""A code, or a constant that follows the code of constants."""

_HELPERS = {
    "multiply": argument(0) * argument(1),
    "add": argument(0) + argument(1),
    "phases": select(less(board.t, argument(0)), argument(1), argument(2)),
    "stages": select(less(board.root_t, argument(0)), argument(1), argument(2)),
}


def lower(individuals: Sequence[Individual], game: str) -> list[_native.Program]:
    """Return one program an individual for *game*, in order; they may be over different sets.

    A program has one output, the value; one of role "ordered" has a second, which orders moves.
    Raises ValueError if an individual does not fit the game, or if it lowers to more than 4,096
    operations.
    """
    programs: list[_native.Program | None] = [None] * len(individuals)
    by_sets: dict[tuple[int, ...], list[int]] = {}
    for index, individual in enumerate(individuals):
        key = (
            int(is_ordered(individual)),
            *(id(tree.primitive_set) for tree in branches(individual)),
        )
        by_sets.setdefault(key, []).append(index)
    for indices in by_sets.values():
        chosen = [individuals[index] for index in indices]
        for index, program in zip(indices, _lowered(chosen, game), strict=True):
            programs[index] = program
    return [program for program in programs if program is not None]


def _lowered(individuals: Sequence[Individual], game: str) -> list[_native.Program]:
    """Return the programs of *individuals* over the same sets."""
    first = individuals[0]
    if isinstance(first, Tree) and first.primitive_set.is_plain:
        # The common case: the nodes are the codes.
        trees = [tree for tree in individuals if isinstance(tree, Tree)]
        return first.primitive_set.native(game).lower(
            [tree.codes() for tree in trees], [tree.constants() for tree in trees]
        )
    sets = dict.fromkeys(tree.primitive_set for tree in branches(first))
    library = _library(tuple(sets), game)
    codes: list[list[int]] = []
    constants: list[list[float]] = []
    for individual in individuals:
        items = list(_items(individual, library))
        codes.append([item if type(item) is int else Constant.code for item in items])
        constants.append([item for item in items if type(item) is float])
    return library.native.lower(codes, constants, 2 if is_ordered(first) else 1)


@dataclass(frozen=True, slots=True)
class _Library:
    """The expressions of several sets, of squares and of helpers, numbered together."""

    native: _native.PrimitiveSet
    offsets: Mapping[PrimitiveSet, int]
    squares: Mapping[tuple[bool, str], int]
    helpers: Mapping[str, int]


@lru_cache(maxsize=64)
def _library(sets: tuple[PrimitiveSet, ...], game: str) -> _Library:
    size = game_rules(game).size
    texts: list[str] = []
    offsets: dict[PrimitiveSet, int] = {}
    for chosen in sets:
        offsets[chosen] = len(texts)
        for primitive in chosen:
            try:
                primitive.check_fits(size)
            except ExpressionError as error:
                raise ExpressionError(
                    f"primitive {primitive.name!r} does not fit {game}: {error}"
                ) from None
            texts.append(primitive.expression.to_json(size))
    codes: dict[tuple[bool, str], int] = {}
    if any(isinstance(one.parameter, SquareParameter) for chosen in sets for one in chosen):
        for is_relative, constant in ((False, squares), (True, squares_turned)):
            for square in range(size * size):
                codes[is_relative, square_name(square, size)] = len(texts)
                texts.append(constant([square]).to_json(size))
    helpers: dict[str, int] = {}
    for name, expression in _HELPERS.items():
        helpers[name] = len(texts)
        texts.append(expression.to_json(size))
    return _Library(_native.PrimitiveSet(game_rules(game).kernel, texts), offsets, codes, helpers)


def _items(individual: Individual, library: _Library) -> Iterator[Item]:
    """Yield the codes and constants of *individual* in prefix order."""
    if isinstance(individual, Tree):
        yield from _tree_items(individual, library)
        return
    trees = individual.trees
    if individual.role == "adf":
        yield from _inlined(individual, library)
        return
    if individual.role == "sum":
        for _ in trees[1:]:
            yield library.helpers["add"]
    for place, tree in enumerate(trees):
        if individual.is_timed and place < len(trees) - 1:
            yield library.helpers[individual.role]
            yield individual.ends[place]
        yield from _tree_items(tree, library)


def _tree_items(tree: Tree, library: _Library) -> Iterator[Item]:
    """Yield the items of *tree*, which calls no definitions."""
    offset = library.offsets[tree.primitive_set]
    weights = leaf_weights(tree)
    skipped: set[int] = set()
    index, nodes = 0, tree.nodes
    while index < len(nodes):
        if index in skipped:
            index = tree.ends[index]
            continue
        node = nodes[index]
        if node.introns:
            skipped.update(tree.children(index)[-node.introns :])
        yield from _node_items(tree, index, weights[index], offset, library)
        index += 1


def _node_items(
    tree: Tree, index: int, weight: float | None, offset: int, library: _Library
) -> Iterator[Item]:
    """Yield the items of one node, those of its operands excepted."""
    node = tree.nodes[index]
    if weight is not None and weight != 1:
        yield library.helpers["multiply"]
        yield weight
    if isinstance(node, Constant):
        yield float(node.value)
        return
    if node.link is not None:
        raise ValueError(f"{node.name} has a meaning only in an individual with definitions")
    yield offset + node.code
    if isinstance(node.parameter, SquareParameter):
        yield library.squares[node.parameter.relative, str(node.value)]
    elif node.value is not None:
        yield float(node.value)


def _inlined(forest: Forest, library: _Library) -> list[Item]:
    """Return the items of an individual with definitions, each call replaced by its definition."""
    size = lowered_size(forest)
    if size > MAX_OPERATIONS:
        raise ValueError(
            f"with its definitions written out, an individual has {size:,} operations, more than "
            f"the {MAX_OPERATIONS:,} allowed"
        )
    definitions: list[Tree] = list(forest.trees[1:])
    return _call(forest.trees[0], (), definitions, library)


def _call(
    tree: Tree, arguments: Sequence[list[Item]], definitions: Sequence[Tree], library: _Library
) -> list[Item]:
    """Return the items of *tree*, a branch, with the items of its *arguments* put in."""
    offset = library.offsets[tree.primitive_set]
    weights = leaf_weights(tree)
    finished: list[list[Item]] = []  # operands that are done, the last one first
    for index in range(len(tree) - 1, -1, -1):
        node = tree.nodes[index]
        operands = [finished.pop() for _ in range(node.arity)]
        link = None if isinstance(node, Constant) else node.link
        if link is None:
            items = list(_node_items(tree, index, weights[index], offset, library))
            for operand in operands[: node.arity - node.introns]:
                items += operand
        elif link.kind == "argument":
            items = [*_weighing(weights[index], library), *arguments[link.index]]
        else:
            items = _call(definitions[link.index], operands, definitions, library)
        finished.append(items)
    return finished[0]


def _weighing(weight: float | None, library: _Library) -> tuple[Item, ...]:
    return () if weight is None or weight == 1 else (library.helpers["multiply"], weight)
