"""First populations: many random trees by one method, each drawn again if it does not fit.

Names follow Koza; `GPJPP_CREATION` translates the names of gpjpp, whose "Grow" is Koza's full and
whose "Variable" is Koza's grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeVar, get_args

from evoply._native import Stream
from evoply.expressions import PrimitiveSet
from evoply.gp.forest import Forest, Genotype, Role
from evoply.gp.random_trees import GenerationError, build_tree, least_depths
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import Limits, Tree

CREATION_TRIES = 50
"""The number of tries to make one individual (gpjpp)."""

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
"""The methods for gpjpp's values of CreationType. Beware: its Grow is full."""

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

    Ramped methods give individual i the depth min_depth + i mod the number of depths, other methods
    give all *max_depth*; depths are raised if the type has no tree so shallow. Half and half makes
    individuals of odd i by full, the others by grow. A tree that exceeds ``limits.max_nodes`` is
    drawn again, after a quarter of the 50 tries with a smaller depth; a tree that equals an earlier
    one is drawn again, after a quarter of the tries with a larger depth. If all tries are too
    large, GenerationError is raised; if all are equal, the tree is kept ("avoid") or
    GenerationError is raised ("refuse"). Source: gpjpp's creation types.
    """
    ramp = _Ramp.of(method, min_depth, max_depth, limits or Limits(), (primitive_set,), root_type)
    return _create_individuals(ramp, lambda trees: trees[0], [stream], count, duplicates)


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
    """Return *count* random trees by the usual method of `create`."""
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


@dataclass(frozen=True, slots=True)
class Shape:
    """The role of individuals of several branches, and the set of each branch.

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
) -> list[Genotype]:
    """Return *count* random individuals of *shape*, each made as `create` makes a tree.

    An individual is drawn again as a whole if it equals an earlier one, if a branch exceeds its
    equal share of ``limits.max_nodes``, or if its definitions would be written out to too many
    operations. Each branch draws from its own child of *stream*.
    """
    limits = limits or Limits()
    share = limits.max_nodes // len(shape.sets)
    if share < 1:
        raise GenerationError(f"{limits.max_nodes} nodes are too few for {len(shape.sets)} trees")
    room = Limits(limits.max_depth, share)

    def whole(trees: tuple[Tree, ...]) -> Genotype | None:
        forest = Forest(shape.role, trees, shape.percents)
        is_small = shape.role != "adf" or lowered_size(forest) <= MAX_OPERATIONS
        return forest if is_small else None

    ramp = _Ramp.of(method, min_depth, max_depth, room, shape.sets, "number")
    streams = [stream.child("branch", index) for index in range(len(shape.sets))]
    return _create_individuals(ramp, whole, streams, count, duplicates)


@dataclass(frozen=True, slots=True)
class _Ramp:
    """The depths of individuals, and the sets and limits of their trees."""

    method: Method
    low: int
    high: int
    limits: Limits
    sets: tuple[PrimitiveSet, ...]
    root_type: str

    @classmethod
    def of(
        cls,
        method: Method,
        min_depth: int,
        max_depth: int,
        limits: Limits,
        sets: tuple[PrimitiveSet, ...],
        root_type: str,
    ) -> _Ramp:
        if method not in get_args(Method):
            known = ", ".join(get_args(Method))
            raise ValueError(f"method: must be one of {known}, not {method!r}")
        if not 1 <= min_depth <= max_depth <= limits.max_depth:
            raise ValueError(
                f"min_depth {min_depth} and max_depth {max_depth} must rise from at least 1 to at "
                f"most {limits.max_depth}, the depth of the limits"
            )
        least = max(least_depths(primitives).get(root_type, 1) for primitives in sets)
        return cls(method, max(min_depth, least), max(max_depth, least), limits, sets, root_type)

    def depth(self, index: int) -> int:
        """Return the depth of individual *index*."""
        is_ramp = self.method.startswith("ramped")
        return self.low + index % (self.high - self.low + 1) if is_ramp else self.high

    def trees(self, index: int, depth: int, streams: Sequence[Stream]) -> tuple[Tree, ...] | None:
        """Draw the trees of an individual; None if one has too many nodes."""
        is_full = self.method in ("full", "ramped_full") or (
            self.method == "ramped_half_and_half" and index % 2 == 1
        )
        drawn = [
            build_tree(
                primitives,
                depth,
                stream,
                root_type=self.root_type,
                function_probability=_FULL if is_full else _GROW,
                max_nodes=self.limits.max_nodes,
            )
            for primitives, stream in zip(self.sets, streams, strict=True)
        ]
        small = tuple(tree for tree in drawn if tree is not None)
        return small if len(small) == len(drawn) else None


_Individual = TypeVar("_Individual", Tree, Genotype)


def _create_individuals(
    ramp: _Ramp,
    whole: Callable[[tuple[Tree, ...]], _Individual | None],
    streams: Sequence[Stream],
    count: int,
    duplicates: Duplicates,
) -> list[_Individual]:
    """Return *count* individuals; *whole* joins trees, or returns None if they are too large."""
    individuals: list[_Individual] = []
    seen: set[_Individual] = set()
    for index in range(count):
        avoided = seen if duplicates != "allow" else set()
        individual = _create_individual(ramp, whole, streams, index, avoided)
        if individual in seen and duplicates == "refuse":
            raise GenerationError(
                f"individual {index} equals an earlier one in each of {CREATION_TRIES} tries: the "
                f"primitive set {ramp.sets[0].name} is too small for {count} different trees"
            )
        individuals.append(individual)
        seen.add(individual)
    return individuals


def _create_individual(
    ramp: _Ramp,
    whole: Callable[[tuple[Tree, ...]], _Individual | None],
    streams: Sequence[Stream],
    index: int,
    seen: set[_Individual],
) -> _Individual:
    """Return one individual, which may be in *seen* if all tries were."""
    depth, fitting = ramp.depth(index), None
    for attempt in range(CREATION_TRIES):
        trees = ramp.trees(index, depth, streams)
        drawn = None if trees is None else whole(trees)
        if drawn is not None and drawn not in seen:
            return drawn
        fitting = drawn or fitting
        if attempt >= CREATION_TRIES // 4:
            change = -1 if drawn is None else 1
            depth = min(max(depth + change, ramp.low), ramp.limits.max_depth)
    if fitting is None:
        raise GenerationError(
            f"no tree of at most {ramp.limits.max_nodes} nodes in {CREATION_TRIES} tries: "
            "allow more nodes or create smaller depths"
        )
    return fitting
