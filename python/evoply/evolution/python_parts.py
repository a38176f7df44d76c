"""Parts of a run that are written in Python by its user: a fitness, and operators.

They are given to `evolve` and are no part of a config. A run folder records their qualified
names and the checksums of their source, so that resuming can ask for the same again. What they
return is checked here, with errors that name the part.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.entrants import Entrants, Measured, cases_of
from evoply.gp import Forest, Limits, Tree, TreeError

__all__ = ["Operator", "PythonParts", "TreeFitness", "applied", "identity", "python_measured"]

TreeFitness = Callable[[gp.Individual, Stream], float]
"""Returns how good a tree is, maximised. Called once a generation for each different tree, each
time with a stream of the same draws, so that all are judged alike."""

Operator = Callable[[gp.Individual, gp.Individual, Limits, Stream], gp.Individual]
"""Makes an offspring from two selected parents; the second may be left unused."""


@dataclass(frozen=True, slots=True)
class PythonParts:
    """What of a run is Python code of its user."""

    fitness: TreeFitness | None = None
    operators: Mapping[str, Operator] = field(default_factory=dict)
    """By the names that the config's `variation.custom` gives rates."""

    def check(self, config: EvolutionConfig) -> None:
        """Raise ValueError unless these are the operators that *config* names, and it fits."""
        missing = sorted(set(config.variation.custom) - set(self.operators))
        if missing:
            raise ValueError(
                f"the config's variation.custom names the operator {missing[0]!r}: give it as "
                f"evolve(config, operators={{{missing[0]!r}: ...}})"
            )
        unused = sorted(set(self.operators) - set(config.variation.custom))
        if unused:
            raise ValueError(
                f"the operator {unused[0]!r} has no rate: set variation.custom.{unused[0]}"
            )
        if self.fitness is not None and cases_of(config) is not None:
            raise ValueError(
                f"selection {config.selection.kind} looks at single opponents or games, "
                "which a fitness written in Python does not have"
            )

    def identities(self) -> dict[str, dict[str, str]]:
        """Return name and checksum of each part, as a run folder keeps them."""
        parts: dict[str, Any] = {f"operator {name}": one for name, one in self.operators.items()}
        if self.fitness is not None:
            parts["fitness"] = self.fitness
        return {what: identity(part) for what, part in sorted(parts.items())}


def identity(part: Any) -> dict[str, str]:
    """Return the qualified name of a part and the checksum of its source."""
    named = part if hasattr(part, "__qualname__") else type(part)
    try:
        source = inspect.getsource(named)
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        code = getattr(part, "__code__", None)
        source = "" if code is None else f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    return {
        "name": f"{named.__module__}.{named.__qualname__}",
        "source": hashlib.sha256(source.encode()).hexdigest(),
    }


def python_measured(fitness: TreeFitness, entrants: Entrants, stream: Stream) -> Measured:
    """Return the fitness that a function of the user gives to each different tree."""
    values = np.array([_value(fitness, tree, stream.child("tree")) for tree in entrants.trees])
    return Measured(fitness=values[entrants.who], games=0, work=0)


def _value(fitness: TreeFitness, tree: gp.Individual, stream: Stream) -> float:
    found = fitness(tree, stream)
    try:
        value = float(found)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"the fitness {identity(fitness)['name']} gave {found!r:.60} for {str(tree)[:200]}: "
            "it must return a finite number"
        )
    return value


def applied(
    name: str,
    operator: Operator,
    first: gp.Individual,
    second: gp.Individual,
    limits: Limits,
    stream: Stream,
) -> gp.Individual:
    """Return the offspring that an operator of the user makes, checked against types and limits."""
    child = operator(first, second, limits, stream)
    if type(child) is not type(first):
        wanted = "a tree" if isinstance(first, Tree) else "an individual of several trees"
        raise ValueError(f"the operator {name} gave {child!r:.60}, not {wanted}")
    if child is first or child is second:
        return child
    try:
        child = _checked(child, first)
    except TreeError as error:
        raise ValueError(f"the operator {name} gave an impossible tree: {error}") from None
    if len(child) > limits.max_nodes or child.depth > limits.max_depth:
        raise ValueError(
            f"the operator {name} gave a tree of {len(child)} nodes and {child.depth} levels; "
            f"the limits are {limits.max_nodes} and {limits.max_depth}"
        )
    return child


def _checked(child: gp.Individual, parent: gp.Individual) -> gp.Individual:
    """Return *child* with every tree checked to be of the sets and types of *parent*."""
    trees = gp.branches(child)
    parents = gp.branches(parent)
    if len(trees) != len(parents):
        raise TreeError(f"it has {len(trees)} trees, not {len(parents)}")
    checked = tuple(
        Tree.checked(old.primitive_set, tree.nodes, root_type=old.type)
        for tree, old in zip(trees, parents, strict=True)
    )
    if isinstance(parent, Tree):
        return checked[0]
    made = Forest(parent.role, checked, parent.percents)
    if gp.lowered_size(made) > gp.MAX_OPERATIONS:
        raise TreeError(f"written out it has more than {gp.MAX_OPERATIONS:,} operations")
    return made
