"""Bellin & Gasperin's weights of leaves by their place in a tree, and chains of no-ops.

A set of primitives says whether its trees are weighed (`PrimitiveSet.weights`). Weights belong to
places: crossover that moves a subtree changes the weights in it. Source: Bellin & Gasperin,
"Genetic Programming and Othello", sections 2 and 3.3.5.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evoply.expressions import Constant, Node, PrimitiveSet, Weights


class PrefixTree(Protocol):
    """The part of a tree (`evoply.gp.Tree`) that this module needs: nodes and their operands."""

    @property
    def primitive_set(self) -> PrimitiveSet:
        """The set of its nodes."""

    @property
    def nodes(self) -> Sequence[Node]:
        """The nodes in prefix order."""

    def __len__(self) -> int: ...

    def children(self, index: int, /) -> list[int]:
        """Return the indices of the operands of the node at *index*."""


def place_numbers(tree: PrefixTree, weights: Weights, *, prefix: str = "") -> list[int]:
    """Return for each node the number k of its bits; the bits of the root are *prefix*.

    The left of two operands appends 0, the right 1; one of more operands appends its number in
    the fewest bits that hold all. A single operand appends nothing; a no-op appends its own bits.
    """
    numbers = [int(prefix or "0", 2)] * len(tree)
    is_positional = weights.mode == "positional"
    for index, node in enumerate(tree.nodes):
        if not node.arity:
            continue
        bits = node.bits
        own = (numbers[index] << len(bits)) | int(bits or "0", 2)
        width = (node.arity - 1).bit_length() if is_positional else 0
        for number, child in enumerate(tree.children(index)):
            numbers[child] = (own << width) | (number if width else 0)
    return numbers


def leaf_numbers(tree: PrefixTree, weights: Weights, *, prefix: str = "") -> list[int | None]:
    """Return the number k for each leaf that is weighed, and None for all other nodes.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> tree = parse_tree("( + ( * white black ) 10 )", PRIMITIVE_SETS["bellin"])
    >>> leaf_numbers(tree, tree.primitive_set.weights, prefix="010")
    [None, None, 8, 9, 5]
    """
    numbers: list[int | None] = [*place_numbers(tree, weights, prefix=prefix)]
    for index, node in enumerate(tree.nodes):
        is_weighed = not node.arity and node.type == "number"
        if not is_weighed or (not weights.constants and _is_number(node)):
            numbers[index] = None
    return numbers


def _is_number(node: Node) -> bool:
    return isinstance(node, Constant) or node.expression.op == "number"


def leaf_weights(tree: PrefixTree) -> list[float | None]:
    """Return the weight of each node, in [0, 1]; None if it is not weighed.

    The weight is 1/k correctly rounded, or 1 if k is 0, however long the bits are; far down a long
    chain it underflows to 0.
    """
    weights = tree.primitive_set.weights
    if weights is None:
        return [None] * len(tree)
    return [
        None if number is None else 1 / number if number else 1.0
        for number in leaf_numbers(tree, weights)
    ]


@dataclass(frozen=True, slots=True)
class Chain:
    """No-ops one above the other: the index of the first, their number, their bits from the top.

    *is_above_terminal* says whether a leaf follows directly.
    """

    index: int
    length: int
    bits: str
    is_above_terminal: bool


def no_op_chains(tree: PrefixTree) -> list[Chain]:
    """Return the longest chains of no-ops in *tree*, in the order of its nodes."""
    chains: list[Chain] = []
    index, nodes = 0, tree.nodes
    while index < len(nodes):
        start, bits = index, ""
        while nodes[index].bits:  # the operand of a no-op is the next node
            bits += nodes[index].bits
            index += 1
        if index > start:
            chains.append(Chain(start, index - start, bits, not nodes[index].arity))
        index += 1
    return chains


@dataclass(frozen=True, slots=True)
class ChainStatistics:
    """Counts of the chains of no-ops in a population, by length and above terminals."""

    trees: int
    lengths: dict[int, int]
    """The number of chains of each length, the shortest first."""
    above_terminals: int

    @property
    def chains(self) -> int:
        """The number of chains."""
        return sum(self.lengths.values())


def chain_statistics(trees: Sequence[PrefixTree]) -> ChainStatistics:
    """Return the statistics of the chains of *trees*."""
    chains = [chain for tree in trees for chain in no_op_chains(tree)]
    lengths = Counter(chain.length for chain in chains)
    above = sum(chain.is_above_terminal for chain in chains)
    return ChainStatistics(len(trees), dict(sorted(lengths.items())), above)
