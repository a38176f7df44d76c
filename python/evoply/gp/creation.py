"""First populations: many random trees by one method, each tried again where it does not fit.

Names follow Koza; `GPJPP_CREATION` translates those of gpjpp, whose "Grow" is Koza's full and whose
"Variable" is Koza's grow.
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
    ramp = _Ramp.of(method, min_depth, max_depth, limits or Limits(), (primitive_set,), root_type)
    return _created(ramp, lambda trees: trees[0], [stream], count, duplicates)


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
) -> list[Genotype]:
    """Return *count* random individuals of *shape*, each made as `create` makes a tree.

    An individual is tried again as a whole: where it equals an earlier one, where one of its
    branches passes its share of ``limits.max_nodes``, all shares being equal, or where its
    definitions would be written out to too many operations. Each branch draws from its own child of
    *stream*.
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
    return _created(ramp, whole, streams, count, duplicates)


@dataclass(frozen=True, slots=True)
class _Ramp:
    """Which depths individuals have, and what their trees are made of and may not pass."""

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
        least = max(least_depths(one).get(root_type, 1) for one in sets)
        return cls(method, max(min_depth, least), max(max_depth, least), limits, sets, root_type)

    def depth(self, index: int) -> int:
        """Return the depth of the individual with this number."""
        is_ramp = self.method.startswith("ramped")
        return self.low + index % (self.high - self.low + 1) if is_ramp else self.high

    def trees(self, index: int, depth: int, streams: Sequence[Stream]) -> tuple[Tree, ...] | None:
        """Draw the trees of an individual; None if one has too many nodes."""
        is_full = self.method in ("full", "ramped_full") or (
            self.method == "ramped_half_and_half" and index % 2 == 1
        )
        drawn = [
            build_tree(
                one,
                depth,
                stream,
                root_type=self.root_type,
                function_probability=_FULL if is_full else _GROW,
                max_nodes=self.limits.max_nodes,
            )
            for one, stream in zip(self.sets, streams, strict=True)
        ]
        small = tuple(tree for tree in drawn if tree is not None)
        return small if len(small) == len(drawn) else None


_Made = TypeVar("_Made", Tree, Genotype)


def _created(
    ramp: _Ramp,
    whole: Callable[[tuple[Tree, ...]], _Made | None],
    streams: Sequence[Stream],
    count: int,
    duplicates: Duplicates,
) -> list[_Made]:
    """Return *count* individuals; *whole* makes one of its trees, or says that it is too large."""
    made: list[_Made] = []
    seen: set[_Made] = set()
    for index in range(count):
        one = _tried(ramp, whole, streams, index, seen if duplicates != "allow" else set())
        if one in seen and duplicates == "refuse":
            raise GenerationError(
                f"individual {index} equals an earlier one in each of {CREATION_TRIES} tries: the "
                f"primitive set {ramp.sets[0].name} is too small for {count} different trees"
            )
        made.append(one)
        seen.add(one)
    return made


def _tried(
    ramp: _Ramp,
    whole: Callable[[tuple[Tree, ...]], _Made | None],
    streams: Sequence[Stream],
    index: int,
    seen: set[_Made],
) -> _Made:
    """Return one individual, after the last try possibly one of *seen*."""
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
