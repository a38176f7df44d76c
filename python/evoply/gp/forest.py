"""Individuals of several branches: sums, phases, stages, definitions, a value and an ordering.

All of them are one type of value, so that every operator on trees works on an individual branch by
branch (`evoply.gp.branches`). This module does not know how branches are lowered or written.
Sources: Benbassat & Sipper (GECCO 2011), section 4 (several trees; it does not say how they are
joined); Liao (stages); Koza, "Genetic Programming II" (1994) (definitions).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from math import fsum
from typing import Literal, get_args

from evoply.expressions import PrimitiveSet
from evoply.expressions.definitions import WITH_DEFINITIONS
from evoply.gp.tree import Tree, TreeError, format_tree
from evoply.gp.tree_drawing import tree_svg

Role = Literal["sum", "phases", "stages", "ply_stages", "adf", "ordered"]
STAGED: tuple[Role, ...] = ("stages", "ply_stages")
"""Roles whose trees change with the clock of the position where the player chooses."""
MAX_BRANCHES = 100
PERCENT_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees that make one individual, by *role*.

    "sum": the value is the sum of the trees. "phases": the value is that of the tree whose share of
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
