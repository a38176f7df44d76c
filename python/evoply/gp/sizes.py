"""The sizes of individuals, their introns, and cutting trees to a size.

Explicit introns are dead code: the operands of `NOTG` and `NullJ` that are never computed.
Live-code introns are computed without effect. Constant folding and a few laws find them (x - x,
x * 0, x + 0, false and x, a choice with a constant condition), but not all of them. The laws are
those of real numbers, for people; games never use them. Source: Benbassat & Sipper (GECCO 2011),
section 4.2.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evoply.expressions import Constant, Expression, Node, PrimitiveSet, written_form
from evoply.gp.place_weights import leaf_weights
from evoply.gp.tree import Forest, Genotype, Tree, branches

MAX_OPERATIONS = 4096
"""The most operations that an individual with definitions may have once they are written out."""


def dead_size(individual: Genotype) -> int:
    """Return the number of explicit introns, over all branches."""
    return sum(sum(tree.dead) for tree in branches(individual))


def live_size(individual: Genotype) -> int:
    """Return the number of nodes that are not explicit introns, over all branches."""
    return len(individual) - dead_size(individual)


def lowered_size(individual: Genotype) -> int:
    """Return the number of nodes without introns after writing out all definitions.

    Nothing is really written out, so the number may be astronomical. Weights and the operations
    that join several trees are not counted.
    """
    if isinstance(individual, Forest) and individual.role == "adf":
        shapes: list[tuple[int, tuple[int, ...]]] = []
        for tree in individual.trees[1:]:
            shapes.append(_shape(tree, shapes))
        return _shape(individual.trees[0], shapes)[0]
    return live_size(individual)


def _shape(
    tree: Tree, definitions: Sequence[tuple[int, tuple[int, ...]]]
) -> tuple[int, tuple[int, ...]]:
    """Return the number of nodes of a branch without its arguments, and the count of each."""
    places = 1 + max(
        (
            node.link.index
            for node in tree.nodes
            if not isinstance(node, Constant) and node.link and node.link.kind == "argument"
        ),
        default=-1,
    )
    finished: list[tuple[int, list[int]]] = []
    for node in reversed(tree.nodes):
        operands = [finished.pop() for _ in range(node.arity)]
        link = None if isinstance(node, Constant) else node.link
        size, uses, times = 1, [0] * places, (1,) * (node.arity - node.introns)
        if link is not None and link.kind == "argument":
            size = 0
            uses[link.index] = 1
        elif link is not None:
            size, times = definitions[link.index]
        for (operand_size, operand_uses), count in zip(operands, times, strict=False):
            size += count * operand_size
            uses = [use + count * other for use, other in zip(uses, operand_uses, strict=True)]
        finished.append((size, uses))
    return finished[0][0], tuple(finished[0][1])


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of nodes: all, dead-code introns, live-code introns; the rest has an effect."""

    nodes: int
    dead_introns: int
    live_introns: int

    @property
    def effective(self) -> int:
        """Nodes that are computed and have an effect."""
        return self.nodes - self.dead_introns - self.live_introns

    @property
    def live(self) -> int:
        """Nodes that are computed."""
        return self.nodes - self.dead_introns


def sizes(individual: Genotype) -> Sizes:
    """Return the sizes of *individual*, over all its branches.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( IfTrue true ( NullJ Mobility 3 ) ( Plus 1 ManCount ) )"
    >>> sizes(parse_tree(text, PRIMITIVE_SETS["benbassat"]))
    Sizes(nodes=8, dead_introns=1, live_introns=6)
    """
    dead = dead_size(individual)
    effective = sum(sum(effective_nodes(tree)) for tree in branches(individual))
    return Sizes(len(individual), dead, len(individual) - dead - effective)


def effective_nodes(tree: Tree) -> list[bool]:
    """Return for each node whether it has an effect; of a constant subtree only the root has one.

    A node that returns one of its operands has no effect. In a weighed tree no-ops have one.
    """
    leaves = _leaves(tree.primitive_set)
    keys = _Folding({**leaves.known}, {**leaves.of_nodes}).of_tree(tree)
    is_weighed = tree.primitive_set.weights is not None
    effective = [False] * len(tree)
    waiting = [0]
    while waiting:
        index = waiting.pop()
        node, key = tree.nodes[index], keys[index]
        if not node.arity or is_constant(key):
            effective[index] = True
            continue
        live = tree.children(index)[: node.arity - node.introns]
        same = [child for child in live if keys[child] == key]
        if same and not (is_weighed and node.bits):
            waiting.append(same[0])
            continue
        effective[index] = True
        waiting += live
    return effective


class _Folding:
    """Keys of values, see `settled`: equal for values that are known to be equal.

    *known* has the numbers of keys so far. *of_nodes* has keys by primitive, value and operands,
    because the same leaves stand in a tree many times.
    """

    def __init__(self, known: dict[Hashable, Hashable], of_nodes: dict[Hashable, Hashable]) -> None:
        self.known = known
        self.of_nodes = of_nodes

    def of_tree(self, tree: Tree) -> list[Hashable]:
        """Return the keys of the values of all nodes of *tree*."""
        keys: list[Hashable] = [0.0] * len(tree)
        weights = leaf_weights(tree)
        for index in range(len(tree) - 1, -1, -1):
            node = tree.nodes[index]
            live = tree.children(index)[: node.arity - node.introns] if node.arity else ()
            key = self.node_key(node, [keys[child] for child in live])
            weight = weights[index]
            if weight is not None and weight != 1:
                key = self.combined("multiply", (), "()", (weight, key))
            keys[index] = key
        return keys

    def atom(self, *parts: Hashable) -> Hashable:
        """Return a number as the short key of *parts*."""
        return self.known.setdefault(parts, ("atom", len(self.known)))

    def node_key(self, node: Node, operands: Sequence[Hashable]) -> Hashable:
        if isinstance(node, Constant):
            return float(node.value)
        if node.link is not None:
            return self.atom(node.link, *operands)
        same = (node.code, node.value, *operands)
        if same not in self.of_nodes:
            arguments = [*operands]
            if node.parameter is not None and node.value is not None:
                arguments.insert(0, self.expression_key(node.parameter.expression(node.value), ()))
            self.of_nodes[same] = self.expression_key(node.expression, arguments)
        return self.of_nodes[same]

    def expression_key(self, expression: Expression, arguments: Sequence[Hashable]) -> Hashable:
        keys: list[Hashable] = []
        for op, literals, shown, operands in _steps(expression):
            keys.append(
                arguments[literals[0]]
                if op == "argument"
                else self.combined(op, literals, shown, [keys[place] for place in operands])
            )
        return keys[-1]

    def combined(
        self, op: str, literals: tuple[Any, ...], shown: str, operands: Sequence[Hashable]
    ) -> Hashable:
        """Return the key of an operation; *shown* is the text of its *literals*."""
        if op in ("number", "truth"):
            literal: Hashable = literals[0]
            return literal
        key: Hashable = settled(op, literals, operands)
        return self.atom(op, shown, *operands) if key is None else key


@lru_cache(maxsize=32)
def _leaves(primitives: PrimitiveSet) -> _Folding:
    """Return the keys of the terminals of a set, with which the keys of every tree begin."""
    leaves = _Folding({}, {})
    for primitive in primitives:
        if not primitive.arity and primitive.parameter is None:
            leaves.node_key(primitive, ())
    return leaves


@lru_cache(maxsize=1024)
def _steps(expression: Expression) -> tuple[tuple[str, tuple[Any, ...], str, list[int]], ...]:
    """Return operation, literals, their text and the places of operands of each part, in order."""
    parts = written_form.in_order([expression])
    places = {id(part): place for place, part in enumerate(parts)}
    steps = []
    for part in parts:
        literals = tuple(
            argument for argument in part.arguments if not isinstance(argument, Expression)
        )
        operands = [
            places[id(argument)] for argument in part.arguments if isinstance(argument, Expression)
        ]
        steps.append((part.op, literals, repr(literals), operands))
    return tuple(steps)


def is_constant(key: Hashable) -> bool:
    """Return whether *key* stands for a constant."""
    return isinstance(key, bool | float)


def settled(op: str, literals: Sequence[Any], keys: Sequence[Any]) -> Any:
    """Return a constant or one of *keys* if the operation always equals it, else None.

    A key is the bool or float of a constant value, or an identifier that only equal values share.

    >>> settled("subtract", (), ("x", "x")), settled("select", (), (True, "x", "y"))
    (0.0, 'x')
    """
    if op == "select":
        condition, first, second = keys
        if is_constant(condition):
            return first if condition else second
        return first if first == second else None
    if op == "negation":
        return not keys[0] if is_constant(keys[0]) else None
    if op not in _COMPUTED:
        return None
    if all(map(is_constant, keys)):
        return _compute(op, literals, *keys)
    return _by_law(op, *keys)


_COMPUTED = frozenset(
    ("add", "subtract", "multiply", "divide", "minimum", "maximum", "both", "either")
) | {"less", "less_equal", "equal"}


def _compute(op: str, literals: Sequence[Any], a: Any, b: Any) -> bool | float | None:
    """Return the value of an operation on two constants, None if it is not finite."""
    match op:
        case "add":
            result = a + b
        case "subtract":
            result = a - b
        case "multiply":
            result = a * b
        case "divide":
            protected = {"one": 1.0, "zero": 0.0, "numerator": a, "ieee": math.nan}
            result = a / b if b else protected[literals[0]]
        case "minimum":
            result = a if a < b else b
        case "maximum":
            result = a if a > b else b
        case _:
            results = {"less": a < b, "less_equal": a <= b, "equal": a == b}
            return bool({**results, "both": a and b, "either": a or b}[op])
    return result if math.isfinite(result) else None


def _by_law(op: str, left: Any, right: Any) -> Any:
    """Return the result of a law of algebra or logic for operands that are not both constants."""
    neutral, absorbing = _NEUTRAL.get(op), _ABSORBING.get(op)
    if absorbing is not None and absorbing in (left, right):
        return absorbing
    if neutral is not None and neutral in (left, right):
        return right if left == neutral else left
    if op in ("subtract", "divide") and right == (0.0 if op == "subtract" else 1.0):
        return left
    if left != right:
        return None
    return left if op in ("minimum", "maximum", "both", "either") else _OF_EQUALS.get(op)


_NEUTRAL = {"add": 0.0, "multiply": 1.0, "both": True, "either": False}
_ABSORBING = {"multiply": 0.0, "both": False, "either": True}
_OF_EQUALS = {"subtract": 0.0, "less": False, "less_equal": True, "equal": True}
"""The value of an operation whose operands are equal."""


def pruned(tree: Tree, max_nodes: int = 64) -> Tree:
    """Return *tree* cut to at most *max_nodes*: functions replaced by their rightmost terminals.

    The deepest function is cut first, of equally deep ones the rightmost, until the size fits; so
    the rightmost terminal of the tree is kept. In a typed tree the rightmost terminal of the
    function's own type replaces it; a function without such a terminal is cut with one above it.
    The tree itself is returned if it fits or nothing can be cut. Source: Frankland & Pillay (CEC
    2015), who do not say which function comes first.
    """
    nodes, ends = tree.nodes, tree.ends
    sizes = [end - index for index, end in enumerate(ends)]
    parents = tree.parents()
    levels = [1] * len(nodes)
    for index, parent in enumerate(parents[1:], start=1):
        levels[index] = levels[parent] + 1
    cut: dict[int, Node] = {}
    functions = [index for index, node in enumerate(nodes) if node.arity]
    for index in sorted(functions, key=lambda function: (-levels[function], -function)):
        if sizes[0] <= max_nodes:
            break
        terminal = next(
            (
                node
                for node in reversed(nodes[index + 1 : ends[index]])
                if not node.arity and node.type == nodes[index].type
            ),
            None,
        )
        if terminal is None:
            continue
        cut[index] = terminal
        removed, ancestor = sizes[index] - 1, index
        while ancestor >= 0:
            sizes[ancestor] -= removed
            ancestor = parents[ancestor]
    return _without_cut(tree, cut) if cut else tree


def _without_cut(tree: Tree, cut: Mapping[int, Node]) -> Tree:
    """Return *tree* with each outermost function of *cut* replaced by its terminal."""
    nodes: list[Node] = []
    index = 0
    while index < len(tree):
        nodes.append(cut.get(index, tree.nodes[index]))
        index = tree.ends[index] if index in cut else index + 1
    return Tree(tree.primitive_set, tuple(nodes))
