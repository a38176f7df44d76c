"""Genetic operators: `OPERATORS` is their one table.

A new operator is a pure function in `evoply.gp` and a row here, which gives its key in a config,
its default and its description. The order of rows is the order in which operators are
drawn, so new ones come last.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from evoply import gp

CROSSOVER, CREATION, REPRODUCTION = "crossover", "creation", "reproduction"
"""Crossover follows the config's `recombination`, creation its `initialisation`; reproduction
is used when no other operator is drawn."""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its function, and its description in a config.

    *function* is a mutation `(tree, limits, stream)` that returns a tree, or a recombination
    `(first, second, limits, stream)` that returns one or two; the number of parameters tells which.
    One that asks by a keyword, `*, parents`, gets its `Parents`: their fitness, and values of nodes
    on boards.
    """

    name: str
    function: Callable[..., Any] | None
    """None for individuals that the engine makes by itself."""
    meaning: str
    """A sentence for the documentation of configs."""
    rate: float = 0.0
    """How often it makes an offspring unless a config says otherwise, in [0, 1]."""
    afterwards: int | None = None
    """Its rank among the mutations that may follow any operator; None if it does not follow."""
    takes: Literal["tree", "individual"] = "tree"
    """Whether it gets one tree, drawn from an individual of several, or the whole individual."""
    individuals: tuple[str, ...] = ()
    """Kinds of individual that it is for, as in `individual.kind`; empty for all."""


OPERATORS: tuple[Operator, ...] = (
    Operator(
        CROSSOVER, gp.subtree_crossover, "A subtree is replaced by one of another parent.", 0.8
    ),
    Operator(
        "subtree_mutation", gp.subtree_mutation, "A subtree is replaced by a random one.", 0.1,
        afterwards=3,
    ),
    Operator(
        "point_mutation", gp.point_mutation,
        "A node is replaced by another of the same arity and types.", 0.05, afterwards=4,
    ),
    Operator(
        "constant_mutation", gp.constant_mutation, "Drawn constants are changed.", afterwards=5
    ),
    Operator(REPRODUCTION, gp.reproduction, "A parent is copied."),
    Operator(
        "swap_mutation", gp.swap_mutation,
        "A node, mostly a function, is replaced by another of the same arity and types.",
        afterwards=1,
    ),
    Operator(
        "shrink_mutation", gp.shrink_mutation, "A function is replaced by one of its operands.",
        afterwards=2,
    ),
    Operator("hoist_mutation", gp.hoist_mutation, "A subtree becomes the tree."),
    Operator(CREATION, None, "A new random individual."),
    Operator(
        "local_mutation", gp.local_mutation,
        "A drawn number or square moves a little, or a node becomes another of its types.",
        afterwards=6,
    ),
    Operator(
        "orbit_mutation", gp.orbit_mutation,
        "A subtree that asks a square is copied to all squares of its orbit, added up.",
        afterwards=7,
    ),
)  # fmt: skip

MUTATIONS_AFTERWARDS: tuple[Operator, ...] = tuple(
    sorted(
        (operator for operator in OPERATORS if operator.afterwards is not None),
        key=lambda operator: operator.afterwards or 0,
    )
)
"""The mutations that may follow any operator, in their order."""

MUTATIONS: Mapping[str, gp.Mutation] = MappingProxyType(
    {
        operator.name: operator.function
        for operator in OPERATORS
        if operator.function and operator.name != CROSSOVER
    }
)
"""The operators that make a tree from one other, by name."""
