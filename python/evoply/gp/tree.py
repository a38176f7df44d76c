"""Expression trees as immutable values in prefix form, and forests of them.

A tree has its primitive set and a tuple of nodes, each function before its operands, so that every
subtree is one slice. This module does not know what primitives compute or how trees are made.
Depth counts levels: a single leaf has depth 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import fsum
from typing import ClassVar, Literal, NoReturn, Self, get_args

from evoply.expressions import Constant, Node, Primitive, PrimitiveSet
from evoply.expressions.shipped_sets import WITH_DEFINITIONS
from evoply.gp.tree_drawing import tree_svg

MAX_TREE_NODES = 4096
"""The largest number of nodes of a tree that is read or generated."""


class TreeError(ValueError):
    """Nodes that do not form a well-typed tree over a primitive set."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The greatest depth (levels, root = 1) and number of nodes that operators may produce.

    *max_trees* is for individuals whose number of trees varies: those of role "terms".

    >>> Limits().max_depth, Limits().max_nodes
    (17, 200)
    """

    max_depth: int = 17
    max_nodes: int = 200
    max_trees: int = 100

    def __post_init__(self) -> None:
        """Raise ValueError unless all limits are at least 1."""
        for name in ("max_depth", "max_nodes", "max_trees"):
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
    return bracketed(zip(names, [node.arity for node in tree.nodes], strict=True))


def bracketed(words: Iterable[tuple[str, int]]) -> str:
    """Return words in prefix order with their numbers of operands as `( + a ( - b c ) )`."""
    written: list[str] = []
    missing = 1  # operands still to come in the open bracket
    outside: list[int] = []  # the same for the brackets around it
    for word, arity in words:
        if arity:
            written += ("(", word)
            outside.append(missing)
            missing = arity
            continue
        written.append(word)
        missing -= 1
        while not missing and outside:
            missing = outside.pop() - 1
            written.append(")")
    return " ".join(written)


def _number_word(value: float, primitive_set: PrimitiveSet) -> str:
    """Return a literal that reads back as a Constant of exactly *value* under *primitive_set*."""
    whole = f"{value:.0f}"
    if abs(value) < 1e15 and float(whole) == value and whole not in primitive_set:
        # A minus zero keeps its sign in this form.
        return whole
    return repr(value)


# Individuals of several branches: sums, phases, stages, definitions, a value and an ordering.
#
# All of them are one type of value, so that every operator on trees works on an individual branch
# by branch (`evoply.gp.branches`). This module does not know how branches are lowered or written.
# Sources: Benbassat & Sipper (GECCO 2011), section 4 (several trees; it does not say how they are
# joined); Liao (stages); Koza, "Genetic Programming II" (1994) (definitions).

Role = Literal["sum", "terms", "phases", "stages", "ply_stages", "adf", "ordered"]
STAGED: tuple[Role, ...] = ("stages", "ply_stages")
"""Roles whose trees change with the clock of the position where the player chooses."""
MAX_BRANCHES = 100
PERCENT_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees that make one individual, by *role*.

    "sum": the value is the sum of the trees. "terms": the same, and each tree is a number times
    features (`features_of_term`). "phases": the value is that of the tree whose share of
    the game contains the clock t of the evaluated board. "stages": the same by the clock of the
    board where the player chooses, as in Liao's staged players; "ply_stages": by the plies played
    there, forced passes included, as a share of the squares that are empty at the start. "adf": the
    first tree gives the value; the others define the functions that it calls. "ordered": the first
    tree gives the value; the second only orders the moves of a search by the boards after them.
    *percents* are the shares of the game, 100 together; else empty.
    """

    role: Role
    trees: tuple[Tree, ...]
    percents: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise TreeError(f"role: must be one of {', '.join(get_args(Role))}, not {self.role!r}")
        fewest = 2 if self.role in ("adf", "ordered") else 1
        most = 2 if self.role == "ordered" else MAX_BRANCHES
        if not fewest <= len(self.trees) <= most:
            numbers = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise TreeError(
                f"an individual of role {self.role} has {numbers} trees, not {len(self.trees)}"
            )
        if self.role == "terms":
            for tree in self.trees:
                features_of_term(tree)
        if self.is_timed:
            check_percents(self.percents, len(self.trees))
        elif self.percents:
            raise TreeError(f"an individual of role {self.role} has no percentages")

    @property
    def is_timed(self) -> bool:
        """Whether its trees change with the clock."""
        return self.role in ("phases", *STAGED)

    @property
    def ends(self) -> tuple[float, ...]:
        """The clock, in (0, 1], at which each timed tree's share ends; the last includes 1."""
        ends = accumulate(self.percents)
        # Sums of parts such as 100/60 are rounded: a clock just below one has reached it.
        return tuple((end if end == round(end) else end - PERCENT_ROUNDING) / 100 for end in ends)

    def __len__(self) -> int:
        """Return the number of nodes over all branches."""
        return sum(len(tree) for tree in self.trees)

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)

    @property
    def depth(self) -> int:
        """The depth of the deepest branch."""
        return max(tree.depth for tree in self.trees)

    @property
    def type(self) -> str:
        """The type of the value: that of the first tree."""
        return self.trees[0].type

    def __str__(self) -> str:
        return format_individual(self)

    def __repr__(self) -> str:
        return f"<Forest {self}>"

    def _repr_svg_(self) -> str:
        return tree_svg(self)


Genotype = Tree | Forest


@lru_cache(maxsize=64)
def multiplication(primitives: PrimitiveSet) -> Primitive:
    """Return the function of *primitives* that multiplies; `TreeError` if there is none."""
    for primitive in primitives.functions:
        if primitive.operator == ("multiply",):
            return primitive
    raise TreeError(
        f"the set {primitives.name} cannot multiply, and terms are products: add the function "
        "`*` to it"
    )


@lru_cache(maxsize=1 << 14)
def features_of_term(tree: Tree) -> tuple[Node, ...]:
    """Return the features of a term `( * 6 a )` or `( * 6 ( * a b ) )`; `TreeError` if it is none.

    A term multiplies a number, which stands first, with terminals, at least one.
    """
    times, nodes = multiplication(tree.primitive_set), tree.nodes
    if len(nodes) > 2 and nodes[0] == times and isinstance(nodes[1], Constant):
        others = nodes[2:]
        features = tuple(node for node in others if not node.arity)
        if not any(isinstance(node, Constant) for node in features) and all(
            node == times for node in others if node.arity
        ):
            return features
    raise TreeError(f"{tree} is no term: write a number times features, as in ( * 6 feature )")


def branches(individual: Genotype) -> tuple[Tree, ...]:
    """Return the trees of an individual; a plain tree is its own only branch."""
    return individual.trees


def is_ordered(individual: Genotype) -> bool:
    """Return whether *individual* has a tree that orders moves."""
    return isinstance(individual, Forest) and individual.role == "ordered"


def value_of(individual: Genotype) -> Genotype:
    """Return the part of *individual* that values boards: all except a tree that orders moves."""
    if isinstance(individual, Forest) and individual.role == "ordered":
        return individual.trees[0]
    return individual


def with_branch(individual: Genotype, index: int, tree: Tree) -> Genotype:
    """Return *individual* with *tree* as branch *index*, or itself if that changes nothing."""
    if isinstance(individual, Tree):
        return tree
    if individual.trees[index] is tree:
        return individual
    trees = (*individual.trees[:index], tree, *individual.trees[index + 1 :])
    return Forest(individual.role, trees, individual.percents)


def base_set(individual: Genotype) -> PrimitiveSet:
    """Return the primitive set for the text of *individual*, without definitions.

    Raises `TreeError` for trees over several sets, which a text cannot express.
    """
    first = branches(individual)[0].primitive_set
    if isinstance(individual, Forest) and individual.role == "adf":
        own = tuple(primitive for primitive in first if primitive.link is None)
        return replace(first, name=first.name.removesuffix(WITH_DEFINITIONS), primitives=own)
    if any(tree.primitive_set != first for tree in branches(individual)):
        raise TreeError("the trees of this individual are over different sets of primitives")
    return first


def check_percents(percents: tuple[float, ...], trees: int) -> None:
    """Raise `TreeError` unless each tree has a percentage above 0, 100 in all."""
    if len(percents) != trees:
        raise TreeError(f"{trees} trees need {trees} percentages, not {len(percents)}")
    for percent in percents:
        if type(percent) not in (int, float) or not 0.001 <= percent <= 100:
            raise TreeError(f"a percentage is a number from 0.001 to 100, not {percent!r}")
    total = fsum(percents)
    if abs(total - 100) > PERCENT_ROUNDING:
        listed = " + ".join(map(str, percents))
        raise TreeError(f"percentages must add up to 100, but {listed} is {total:g}")


def format_individual(individual: Genotype) -> str:
    """Return the text of *individual*, which `parse_individual` reads back."""
    if isinstance(individual, Tree):
        return format_tree(individual)
    texts = [format_tree(tree) for tree in individual.trees]
    percents = individual.percents
    if individual.role == "stages":
        return ",".join(f"{text},{percent}" for text, percent in zip(texts, percents, strict=True))
    if individual.is_timed:
        words = [f"{text} {percent}" for text, percent in zip(texts, percents, strict=True)]
    elif individual.role == "adf":
        words = [
            texts[0],
            *(
                f"ADF{index}/{_arguments(tree.primitive_set)} {text}"
                for index, (tree, text) in enumerate(
                    zip(individual.trees[1:], texts[1:], strict=True)
                )
            ),
        ]
    else:
        words = texts
    return f"{{ {individual.role} {' '.join(words)} }}"


def _arguments(chosen: PrimitiveSet) -> int:
    """Return the number of arguments in the set of a definition."""
    return sum(node.link is not None and node.link.kind == "argument" for node in chosen)
