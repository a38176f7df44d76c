"""Expression trees as immutable values in prefix form.

A tree has its primitive set and a tuple of nodes, each function before its operands, so that every
subtree is one slice. This module does not know what primitives compute or how trees are made.
Depth counts levels: a single leaf has depth 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NoReturn, Self

from evoply.expressions import Constant, Node, PrimitiveSet
from evoply.gp.tree_drawing import tree_svg

MAX_TREE_NODES = 4096
"""The largest number of nodes of a tree that is read or generated."""


class TreeError(ValueError):
    """Nodes that do not form a well-typed tree over a primitive set."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The greatest depth (levels, root = 1) and number of nodes that operators may produce.

    >>> Limits().max_depth, Limits().max_nodes
    (17, 200)
    """

    max_depth: int = 17
    max_nodes: int = 200

    def __post_init__(self) -> None:
        """Raise ValueError unless both limits are at least 1."""
        for name in ("max_depth", "max_nodes"):
            if getattr(self, name) < 1:
                raise ValueError(f"limits: {name} must be at least 1, not {getattr(self, name)}")


class Tree:
    """An immutable typed expression tree in prefix form.

    The constructor trusts its caller (operators build trees from whole subtrees of the same
    types); `Tree.checked` does not. Equality and hash use the name of the set and the nodes.
    """

    __slots__ = ("_ends", "_hash", "_heights", "_text", "nodes", "primitive_set")

    role: ClassVar[str] = "tree"

    primitive_set: PrimitiveSet
    nodes: tuple[Node, ...]
    _ends: list[int]
    _heights: list[int]
    _hash: int
    _text: str

    def __init__(self, primitive_set: PrimitiveSet, nodes: tuple[Node, ...]) -> None:
        _set_primitive_set(self, primitive_set)
        _set_nodes(self, nodes)

    @classmethod
    def checked(
        cls,
        primitive_set: PrimitiveSet,
        nodes: tuple[Node, ...],
        *,
        root_type: str | None = "number",
    ) -> Self:
        """Return the tree of *nodes* after checking membership, arity, types and root type.

        *root_type* None allows any type. Raises `TreeError` with the node and its index.
        """
        # An open place is the type that its operand must have; the last one is filled next.
        open_places: list[str | None] = [root_type]
        for index, node in enumerate(nodes):
            if not open_places:
                raise TreeError(f"node {index} ({node.name}) comes after the tree is complete")
            wanted = open_places.pop()
            if not primitive_set.holds(node):
                raise TreeError(
                    f"node {index} ({node.name}) is not a primitive of the set {primitive_set.name}"
                )
            if wanted is not None and node.type != wanted:
                raise TreeError(f"node {index} ({node.name}) is of type {node.type}, not {wanted}")
            if not isinstance(node, Constant):
                open_places.extend(reversed(node.argument_types))
        if open_places:
            raise TreeError(f"the tree lacks {len(open_places)} operands at its end")
        return cls(primitive_set, nodes)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tree is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tree is immutable: cannot delete {name}")

    def __reduce__(self) -> tuple[type[Tree], tuple[PrimitiveSet, tuple[Node, ...]]]:
        return type(self), (self.primitive_set, self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Tree):
            return NotImplemented
        return self.nodes == other.nodes and self.primitive_set.name == other.primitive_set.name

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            # Codes and values instead of primitives: hashing whole expressions would be slow.
            values = [node.value for node in self.nodes]
            value = hash((self.primitive_set.name, *self.codes(), *values))
            _set_hash(self, value)
            return value

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            # Kept: digests, run folders and displays write the same trees again and again.
            text = format_tree(self)
            _set_text(self, text)
            return text

    def __repr__(self) -> str:
        return f"<Tree {self}>"

    def _repr_svg_(self) -> str:
        return tree_svg(self)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """A tuple of the tree itself, the only branch of an individual that is not a forest."""
        return (self,)

    @property
    def words(self) -> list[str]:
        """The name or number of each node in the text form."""
        return [
            _number_word(node.value, self.primitive_set)
            if isinstance(node, Constant)
            else node.name
            for node in self.nodes
        ]

    @property
    def dead(self) -> list[bool]:
        """Whether each node is part of an explicit intron, which is never computed."""
        dead = [False] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            if node.introns and not dead[index]:
                for child in self.children(index)[-node.introns :]:
                    dead[child : self.ends[child]] = [True] * (self.ends[child] - child)
        return dead

    @property
    def type(self) -> str:
        """The type of the tree's value: "squares", "number" or "truth"."""
        return self.nodes[0].type

    @property
    def ends(self) -> list[int]:
        """The index after the subtree of each node, in a cached list that must not be changed."""
        try:
            return self._ends
        except AttributeError:
            self._measure()
            return self._ends

    @property
    def heights(self) -> list[int]:
        """The depth in levels of each node's subtree, in a cached list that must not be changed."""
        try:
            return self._heights
        except AttributeError:
            self._measure()
            return self._heights

    @property
    def depth(self) -> int:
        """The number of levels, at least 1."""
        return self.heights[0]

    def _measure(self) -> None:
        """Fill the caches of ends and heights in one pass from the last node to the first."""
        nodes = self.nodes
        count = len(nodes)
        ends = list(range(1, count + 1))
        heights = [1] * count
        for index in range(count - 1, -1, -1):
            arity = nodes[index].arity
            if arity:
                first = index + 1
                end = ends[first]
                height = heights[first]
                while arity > 1:
                    if heights[end] > height:
                        height = heights[end]
                    end = ends[end]
                    arity -= 1
                ends[index] = end
                heights[index] = height + 1
        _set_ends(self, ends)
        _set_heights(self, heights)

    def subtree_end(self, index: int) -> int:
        """Return the index after the last node of the subtree that starts at *index*."""
        return self.ends[index]

    def level(self, index: int) -> int:
        """Return the level of the node at *index*; the root is on level 1."""
        ends = self.ends
        node, level = 0, 1
        while node != index:
            # Step down, then right to the operand that holds the wanted node.
            node += 1
            level += 1
            while ends[node] <= index:
                node = ends[node]
        return level

    def children(self, index: int) -> list[int]:
        """Return the indices of the operands of the node at *index*, left to right."""
        ends = self.ends
        places: list[int] = []
        child = index + 1
        for _ in range(self.nodes[index].arity):
            places.append(child)
            child = ends[child]
        return places

    def parents(self) -> list[int]:
        """Return for each node the index of its parent, -1 for the root."""
        parents = [-1] * len(self.nodes)
        for index in range(len(self.nodes)):
            for child in self.children(index):
                parents[child] = index
        return parents

    def subtree(self, index: int) -> Tree:
        """Return the subtree that starts at *index* as a tree of its own."""
        return Tree(self.primitive_set, self.nodes[index : self.ends[index]])

    def replace(self, index: int, subtree: Tree) -> Tree:
        """Return this tree with *subtree* (of the same type, unchecked) in place of node *index*.

        Raises `TreeError` where the types differ.
        """
        nodes = self.nodes
        if nodes[index].type != subtree.nodes[0].type:
            raise TreeError(
                f"cannot put a {subtree.type} in place of node {index} ({nodes[index].name}), "
                f"which is a {nodes[index].type}"
            )
        return Tree(self.primitive_set, nodes[:index] + subtree.nodes + nodes[self.ends[index] :])

    def codes(self) -> list[int]:
        """Return the code of each node in its set; the code of a constant is 65535."""
        return [node.code for node in self.nodes]

    def constants(self) -> list[float]:
        """Return the values of the constants from left to right."""
        return [node.value for node in self.nodes if isinstance(node, Constant)]


# Slots are written through their descriptors, because `__setattr__` refuses; this costs a trusted
# construction 0.1 us less than `object.__setattr__`.
_set_primitive_set = Tree.__dict__["primitive_set"].__set__
_set_nodes = Tree.__dict__["nodes"].__set__
_set_ends = Tree.__dict__["_ends"].__set__
_set_heights = Tree.__dict__["_heights"].__set__
_set_hash = Tree.__dict__["_hash"].__set__
_set_text = Tree.__dict__["_text"].__set__


def format_tree(tree: Tree) -> str:
    """Return the text of *tree*, every token separated by one space."""
    names = tree.words
    if len(names) == 1:
        return f"( {names[0]} )"
    return bracketed(zip(names, (node.arity for node in tree.nodes), strict=True))


def bracketed(words: Iterable[tuple[str, int]]) -> str:
    """Return words in prefix order with their numbers of operands as `( + a ( - b c ) )`."""
    written: list[str] = []
    missing: list[int] = []  # operands still to come, for each open bracket
    for word, arity in words:
        if arity:
            written += ("(", word)
            missing.append(arity)
            continue
        written.append(word)
        while missing:
            missing[-1] -= 1
            if missing[-1]:
                break
            missing.pop()
            written.append(")")
    return " ".join(written)


def _number_word(value: float, primitive_set: PrimitiveSet) -> str:
    """Return a literal that reads back as a Constant of exactly *value* under *primitive_set*."""
    whole = f"{value:.0f}"
    if abs(value) < 1e15 and float(whole) == value and whole not in primitive_set:
        # A minus zero keeps its sign in this form.
        return whole
    return repr(value)
