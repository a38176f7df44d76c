"""First populations: many random trees by one method, each tried again where it does not fit.

Names follow Koza; `GPJPP_CREATION` translates those of gpjpp, whose "Grow" is Koza's full and whose
"Variable" is Koza's grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from evoply._native import Stream
from evoply.expressions import PrimitiveSet
from evoply.gp.forest import Forest, Individual, Role
from evoply.gp.random_trees import GenerationError, build_tree, least_depths
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import Limits, Tree

CREATION_TRIES = 50
"""How often the making of one individual is tried (gpjpp)."""

Method = Literal["grow", "full", "ramped_grow", "ramped_full", "ramped_half_and_half"]
Duplicates = Literal["allow", "avoid", "refuse"]

GPJPP_CREATION: Mapping[str, Method] = MappingProxyType(
    {
        "Variable": "grow",
        "Grow": "full",
        "RampedVariable": "ramped_grow",
        "RampedGrow": "ramped_full",
        "RampedHalf": "ramped_half_and_half",
    }
)
"""What gpjpp's values of CreationType are here. The naming trap: its Grow is full."""

_GROW, _FULL = 0.5, 1.0


def create(
    primitive_set: PrimitiveSet,
    method: Method,
    count: int,
    stream: Stream,
    *,
    min_depth: int = 2,
    max_depth: int = 6,
    limits: Limits | None = None,
    root_type: str = "number",
    duplicates: Duplicates = "avoid",
) -> list[Tree]:
    """Return *count* random trees made by *method*.

    Ramped methods give individual i the depth min_depth + i mod the number of depths, the others
    all *max_depth*; depths are raised where the type has no tree so shallow. Half and half makes
    individuals of odd i by full, the others by grow. A tree that passes ``limits.max_nodes`` is
    tried again, after a quarter of the 50 tries with a smaller depth; one that equals an earlier
    one is tried again, after a quarter of the tries with a larger depth. If all tries fail on its
    size, GenerationError; if on equality, it is kept ("avoid") or GenerationError ("refuse").
    Source: gpjpp's creation types.
    """
    if method not in get_args(Method):
        raise ValueError(f"a method is {', '.join(get_args(Method))}, not {method!r}")
    limits = limits or Limits()
    if not 1 <= min_depth <= max_depth <= limits.max_depth:
        raise ValueError(
            f"wanted 1 <= min_depth <= max_depth <= {limits.max_depth}, "
            f"not min_depth {min_depth} and max_depth {max_depth}"
        )
    least = least_depths(primitive_set).get(root_type, 1)
    low, high = max(min_depth, least), max(max_depth, least)
    depths = range(low, high + 1) if method.startswith("ramped") else range(high, high + 1)
    trees: list[Tree] = []
    seen: set[Tree] = set()
    for index in range(count):
        is_full = method in ("full", "ramped_full") or (
            method == "ramped_half_and_half" and index % 2 == 1
        )
        tree = _individual(
            primitive_set,
            depths[index % len(depths)],
            stream,
            function_probability=_FULL if is_full else _GROW,
            min_depth=low,
            limits=limits,
            root_type=root_type,
            seen=seen if duplicates != "allow" else set(),
        )
        if tree in seen and duplicates == "refuse":
            raise GenerationError(
                f"individual {index} equals an earlier one in each of {CREATION_TRIES} tries: the "
                f"primitive set {primitive_set.name} is too small for {count} different trees"
            )
        trees.append(tree)
        seen.add(tree)
    return trees


def ramped_half_and_half(
    primitive_set: PrimitiveSet,
    count: int,
    stream: Stream,
    *,
    min_depth: int = 2,
    max_depth: int = 6,
    limits: Limits | None = None,
    root_type: str = "number",
    duplicates: Duplicates = "avoid",
) -> list[Tree]:
    """Return *count* random trees by `create`, the usual way."""
    return create(
        primitive_set,
        "ramped_half_and_half",
        count,
        stream,
        min_depth=min_depth,
        max_depth=max_depth,
        limits=limits,
        root_type=root_type,
        duplicates=duplicates,
    )


def _individual(
    primitive_set: PrimitiveSet,
    depth: int,
    stream: Stream,
    *,
    function_probability: float,
    min_depth: int,
    limits: Limits,
    root_type: str,
    seen: set[Tree],
) -> Tree:
    """Return one individual, after the last try possibly one of *seen*."""
    tree: Tree | None = None
    for attempt in range(CREATION_TRIES):
        drawn = build_tree(
            primitive_set,
            depth,
            stream,
            root_type=root_type,
            function_probability=function_probability,
            max_nodes=limits.max_nodes,
        )
        if drawn is not None and drawn not in seen:
            return drawn
        tree = drawn or tree
        if attempt >= CREATION_TRIES // 4:
            change = -1 if drawn is None else 1
            depth = min(max(depth + change, min_depth), limits.max_depth)
    if tree is None:
        raise GenerationError(
            f"no tree of at most {limits.max_nodes} nodes in {CREATION_TRIES} tries: "
            "allow more nodes or create smaller depths"
        )
    return tree


@dataclass(frozen=True, slots=True)
class Shape:
    """How individuals of several branches are made: their role, and the set of each branch.

    *percents* are those of `Forest`. `Shape("sum", (primitives,) * 3)` has three trees that are
    added; `Shape("adf", definition_sets(primitives))` a result and one definition.
    """

    role: Role
    sets: tuple[PrimitiveSet, ...]
    percents: tuple[float, ...] = ()


def create_forests(
    shape: Shape,
    method: Method,
    count: int,
    stream: Stream,
    *,
    min_depth: int = 2,
    max_depth: int = 6,
    limits: Limits | None = None,
    duplicates: Duplicates = "avoid",
) -> list[Individual]:
    """Return *count* random individuals of *shape*, every branch made as `create` makes trees.

    Equal individuals are avoided by their first trees, which *duplicates* "refuse" makes an error.

    Each branch draws from its own child of *stream* and has an equal share of ``limits.max_nodes``.
    Where definitions would be written out to too many operations, they are made again, ever
    smaller.
    """
    limits = limits or Limits()
    share = limits.max_nodes // len(shape.sets)
    if share < 1:
        raise GenerationError(f"{limits.max_nodes} nodes are too few for {len(shape.sets)} trees")
    room = Limits(limits.max_depth, share)
    columns = [
        create(
            primitive_set,
            method,
            count,
            stream.child("branch", index),
            min_depth=min_depth,
            max_depth=max_depth,
            limits=room,
            # Individuals differ if any of their branches do.
            duplicates=duplicates if index == 0 else "allow",
        )
        for index, primitive_set in enumerate(shape.sets)
    ]
    forests: list[Individual] = []
    for index, trees in enumerate(zip(*columns, strict=True)):
        forest = Forest(shape.role, trees, shape.percents)
        forests.append(_small_enough(forest, max_depth, room, stream.child("smaller", index)))
    return forests


def _small_enough(forest: Forest, depth: int, limits: Limits, stream: Stream) -> Forest:
    """Return *forest*, its definitions made smaller where they are too large written out."""
    for attempt in range(CREATION_TRIES):
        if forest.role != "adf" or lowered_size(forest) <= MAX_OPERATIONS:
            return forest
        depth = max(depth - 1, 1)
        definitions = tuple(
            create(
                tree.primitive_set,
                "grow",
                1,
                stream.child(attempt, index),
                min_depth=1,
                max_depth=depth,
                limits=limits,
            )[0]
            for index, tree in enumerate(forest.trees[1:])
        )
        forest = Forest(forest.role, (forest.trees[0], *definitions))
    raise GenerationError(
        f"no definitions that come to at most {MAX_OPERATIONS} operations in {CREATION_TRIES} tries"
    )
