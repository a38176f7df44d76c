"""Individuals lowered to native programs, a population at a time, or to expressions.

An individual becomes its codes and constants in prefix order, without introns, with leaves
multiplied by their weights and definitions written out. The kernel makes programs of these: it
inlines primitives, shares common subexpressions and checks sizes. `expression_of` makes one
expression.

Reasons: docs/design/expressions.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING

from evoply import _native
from evoply.expressions import (
    Constant,
    Expression,
    ExpressionError,
    Number,
    PrimitiveSet,
    SquareParameter,
    argument,
    board,
    count,
    divide,
    less,
    number,
    select,
    squares,
    substitute,
)
from evoply.expressions.primitives import argument_types
from evoply.games import GameRules, game_rules
from evoply.games.squares import square_name
from evoply.gp.place_weights import leaf_weights
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import Genotype, Tree, branches, is_ordered, value_of
from evoply.when_used import module_when_used

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = module_when_used("numpy")

_Item = int | float
"""A code, or a constant."""

PLY_CLOCK = divide(board.root_ply, count(squares("all")) - 4, "ieee")
"""Plies played where the player chooses, as a share of the squares that are empty at the start of
Othello, which begins with four discs; a pass is a ply, so it may exceed 1."""

CLOCKS: Mapping[str, Number] = MappingProxyType(
    {"phases": board.t, "stages": board.root_t, "ply_stages": PLY_CLOCK}
)
"""The clock of timed individuals, by role."""

_HELPERS = {
    "multiply": argument(0) * argument(1),
    "add": argument(0) + argument(1),
    **{
        role: select(less(clock, argument(0)), argument(1), argument(2))
        for role, clock in CLOCKS.items()
    },
}


def lower(individuals: Sequence[Genotype], game: str) -> list[_native.Program]:
    """Return one program per individual for *game*, in order; sets of primitives may differ.

    A program has one output, the value; with role "ordered" it has a second, which orders moves.
    Raises ValueError if an individual does not fit the game or lowers to more than 4,096
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
        for index, program in zip(indices, _lower_alike(chosen, game), strict=True):
            programs[index] = program
    return [program for program in programs if program is not None]


def expression_of(individual: Genotype) -> Expression:
    """Return the board expression of *individual*, without a tree that orders moves.

    Raises ValueError if definitions would be written out to more than 4,096 operations.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( NullJ ( MultERC[2.5] Mobility ) 1 )"
    >>> print(expression_of(parse_tree(text, PRIMITIVE_SETS["benbassat"])))
    2.5 * number_of_moves(own)
    """
    return _write_out(individual)[0]


def node_expressions(individual: Genotype) -> list[list[Expression | None]]:
    """Return the expression of each node, for each of *individual*'s `branches` in order.

    The expression of a leaf includes its weight. A node of a definition has the expression of the
    first call. None marks a node that is never computed: an intron, or in a tree that orders moves.
    """
    known = _write_out(individual)[1]
    return [
        [known.get((id(tree), index)) for index in range(len(tree))]
        for tree in branches(individual)
    ]


def node_values(
    individuals: Sequence[Genotype], game: str, positions: _native.Positions
) -> list[NDArray[np.float64]]:
    """Return the value of every node on each position, shape (nodes, positions), per individual.

    The kernel evaluates all nodes of many individuals in one call. The nodes of an individual are
    those of its `branches` in order; a truth is 0 or 1, and a leaf has its weight. NaN marks sets
    of squares and nodes that are never computed; a node of a definition has the values of the
    first call. Raises ValueError if an individual does not fit the game.
    """
    values = [np.full((len(individual), len(positions)), math.nan) for individual in individuals]
    batches: dict[tuple[PrimitiveSet, ...], list[int]] = {}
    for index, individual in enumerate(individuals):
        sets = tuple(dict.fromkeys(tree.primitive_set for tree in branches(individual)))
        batches.setdefault(sets, []).append(index)
    for sets, indices in batches.items():
        parts = _parts(sets)
        nodes = [(index, *node) for index in indices for node in _nodes(individuals[index], parts)]
        for begin in range(0, len(nodes), _NODES_AT_ONCE):
            _fill(values, nodes[begin : begin + _NODES_AT_ONCE], sets, game, positions)
    return values


_NODES_AT_ONCE = 1000
"""Nodes that are tried as outputs of one program, which may have 4,096 operations."""


def _fill(
    values: list[NDArray[np.float64]],
    nodes: Sequence[tuple[int, int, list[_Item]]],
    sets: tuple[PrimitiveSet, ...],
    game: str,
    positions: _native.Positions,
) -> None:
    """Write the values of *nodes* (individual, row, items) into *values*, all in one program."""
    items = [item for _, _, own in nodes for item in own]
    codes = [item if type(item) is int else Constant.code for item in items]
    constants = [item for item in items if type(item) is float]
    native = _native_parts(sets, game_rules(game))
    try:
        (program,) = native.lower([codes], [constants], len(nodes))
    except ValueError:
        if len(nodes) < 2:
            raise
        half = len(nodes) // 2
        for some in (nodes[:half], nodes[half:]):
            _fill(values, some, sets, game, positions)
        return
    columns = program.evaluate(positions)
    for column, (individual, row, _) in enumerate(nodes):
        values[individual][row] = columns[:, column]


def _nodes(individual: Genotype, parts: _Parts) -> Iterator[tuple[int, list[_Item]]]:
    """Yield the row and the items, its operands included, of each node that has a number."""
    trees = branches(individual)
    before: dict[int, list[int]] = {}  # of each tree, which may be several branches
    for tree, row in zip(trees, accumulate(map(len, trees), initial=0), strict=False):
        before.setdefault(id(tree), []).append(row)
    items: list[_Item] = []
    begins: dict[int, int] = {}
    for place, own in _walk(individual, parts):
        if place is not None and place[0].tree.nodes[place[1]].type != "squares":
            for row in before[id(place[0].tree)]:
                begins.setdefault(row + place[1], len(items))
        items += own
    ends = [*range(1, len(items) + 1), len(items)]
    for index in reversed(range(len(items))):
        item = items[index]
        for _ in range(parts.arities[item] if type(item) is int else 0):
            ends[index] = ends[ends[index]]
    for row, begin in begins.items():
        yield row, items[begin : ends[begin]]


def _write_out(
    individual: Genotype,
) -> tuple[Expression, dict[tuple[int, int], Expression]]:
    """Return the expression of *individual* and those of its nodes, by tree id and index."""
    individual = value_of(individual)
    parts = _parts(tuple(dict.fromkeys(tree.primitive_set for tree in branches(individual))))
    finished: list[Expression] = []  # operands that are done, the last one first
    of_nodes: dict[tuple[int, int], Expression] = {}
    for place, items in reversed(list(_walk(individual, parts))):
        for item in reversed(list(items)):
            if isinstance(item, float):
                finished.append(number(item))
                continue
            operands = [finished.pop() for _ in range(parts.arities[item])]
            template = parts.expressions[item]
            finished.append(substitute(template, operands) if operands else template)
        if place is not None:
            branch, index = place
            of_nodes[id(branch.tree), index] = finished[-1]
    return finished[0], of_nodes


def _lower_alike(individuals: Sequence[Genotype], game: str) -> list[_native.Program]:
    """Return the programs of *individuals* over the same sets."""
    first = individuals[0]
    if isinstance(first, Tree) and first.primitive_set.is_plain:
        # In the common case the codes of the nodes suffice.
        trees = [tree for tree in individuals if isinstance(tree, Tree)]
        return first.primitive_set.native(game).lower(
            [tree.codes() for tree in trees], [tree.constants() for tree in trees]
        )
    sets = tuple(dict.fromkeys(tree.primitive_set for tree in branches(first)))
    native, parts = _native_parts(sets, game_rules(game)), _parts(sets)
    codes: list[list[int]] = []
    constants: list[list[float]] = []
    for individual in individuals:
        items = list(_items(individual, parts))
        codes.append([item if type(item) is int else Constant.code for item in items])
        constants.append([item for item in items if type(item) is float])
    return native.lower(codes, constants, 2 if is_ordered(first) else 1)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The expressions of several sets, of squares and of helpers, in one numbering."""

    expressions: tuple[Expression, ...]
    arities: tuple[int, ...]
    offsets: Mapping[PrimitiveSet, int]
    squares: Mapping[tuple[bool, str], int]
    helpers: Mapping[str, int]


@lru_cache(maxsize=64)
def _parts(sets: tuple[PrimitiveSet, ...]) -> _Parts:
    expressions: list[Expression] = []
    offsets: dict[PrimitiveSet, int] = {}
    for chosen in sets:
        offsets[chosen] = len(expressions)
        expressions += [primitive.expression for primitive in chosen]
    squares: dict[tuple[bool, str], int] = {}
    parameters = dict.fromkeys(primitive.parameter for chosen in sets for primitive in chosen)
    for parameter in parameters:
        if isinstance(parameter, SquareParameter):
            for square in range(parameter.shape.squares):
                name = square_name(square, parameter.shape)
                squares[parameter.relative, name] = len(expressions)
                expressions.append(parameter.expression(name))
    helpers: dict[str, int] = {}
    for name, expression in _HELPERS.items():
        helpers[name] = len(expressions)
        expressions.append(expression)
    arities = tuple(len(argument_types(expression)) for expression in expressions)
    return _Parts(tuple(expressions), arities, offsets, squares, helpers)


@lru_cache(maxsize=64)
def _native_parts(sets: tuple[PrimitiveSet, ...], rules: GameRules) -> _native.PrimitiveSet:
    for primitive in (primitive for chosen in sets for primitive in chosen):
        try:
            primitive.check_fits(rules.shape)
        except ExpressionError as error:
            raise ExpressionError(
                f"primitive {primitive.name!r} does not fit {rules.name}: {error}"
            ) from None
    texts = [expression.to_json(rules.shape) for expression in _parts(sets).expressions]
    return _native.PrimitiveSet(rules.kernel, texts)


class _Branch:
    """A tree that is being written out, and the nodes that ARG0, ARG1, ... stand for."""

    __slots__ = ("arguments", "offset", "tree", "weights")

    def __init__(self, tree: Tree, parts: _Parts, arguments: Sequence[_Place] = ()) -> None:
        self.tree = tree
        self.arguments = arguments
        self.offset = parts.offsets[tree.primitive_set]
        self.weights = leaf_weights(tree)


_Place = tuple[_Branch, int]
"""A branch and the index of a node, for the subtree that starts there."""


def _items(individual: Genotype, parts: _Parts) -> Iterator[_Item]:
    """Yield the codes and constants of *individual* in prefix order."""
    for _, items in _walk(individual, parts):
        yield from items


def _walk(individual: Genotype, parts: _Parts) -> Iterator[tuple[_Place | None, Iterable[_Item]]]:
    """Yield the nodes of *individual* in prefix order, each with its own items.

    None stands for an operation that joins branches.
    """
    definitions: tuple[Tree, ...] = ()
    if not isinstance(individual, Tree) and individual.role == "adf":
        definitions = individual.trees[1:]
    waiting = _roots(individual, parts)[::-1]
    while waiting:
        place = waiting.pop()
        if not isinstance(place, tuple):
            yield None, (place,)
            continue
        branch, index = place
        yield place, _own_items(branch, index, parts)
        node = branch.tree.nodes[index]
        if isinstance(node, Constant):
            continue
        operands = [(branch, child) for child in branch.tree.children(index)]
        if node.link is None:
            waiting += operands[: node.live_arity][::-1]
        elif node.link.kind == "argument" and branch.arguments:
            waiting.append(branch.arguments[node.link.index])
        elif node.link.kind == "definition" and definitions:
            waiting.append((_Branch(definitions[node.link.index], parts, operands), 0))
        else:
            raise ValueError(f"{node.name} has a meaning only in an individual with definitions")


def _own_items(branch: _Branch, index: int, parts: _Parts) -> Iterator[_Item]:
    """Yield the items of one node: its weight and itself, without operands or definitions."""
    node, weight = branch.tree.nodes[index], branch.weights[index]
    if weight is not None and weight != 1:
        yield parts.helpers["multiply"]
        yield weight
    if isinstance(node, Constant):
        yield float(node.value)
    elif node.link is None:
        yield branch.offset + node.code
        if isinstance(node.parameter, SquareParameter):
            yield parts.squares[node.parameter.relative, str(node.value)]
        elif node.value is not None:
            yield float(node.value)


def _roots(individual: Genotype, parts: _Parts) -> list[_Item | _Place]:
    """Return the roots of branches with a value, after the operations that join them."""
    roots: list[_Item | _Place] = [(_Branch(tree, parts), 0) for tree in branches(individual)]
    if isinstance(individual, Tree) or individual.role == "ordered":
        return roots
    if individual.role == "adf":
        size = lowered_size(individual)
        if size > MAX_OPERATIONS:
            raise ValueError(
                f"with its definitions written out, an individual has {size:,} operations, more "
                f"than the {MAX_OPERATIONS:,} allowed"
            )
        return roots[:1]
    if individual.role in ("sum", "terms"):
        return [parts.helpers["add"]] * (len(roots) - 1) + roots
    timed: list[_Item | _Place] = []
    for end, root in zip(individual.ends, roots[:-1], strict=False):
        timed += (parts.helpers[individual.role], end, root)
    return [*timed, roots[-1]]
