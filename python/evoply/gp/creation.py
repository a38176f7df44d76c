"""First populations: random trees by one method, each drawn again if it does not fit.

Names follow Koza; `GPJPP_CREATION` translates the names of gpjpp, whose "Grow" is Koza's full and
whose "Variable" is Koza's grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeVar, get_args

from evoply._native import Stream
from evoply.expressions import Constant, Node, Primitive, PrimitiveSet
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size
from evoply.gp.tree import MAX_TREE_NODES, Forest, Genotype, Limits, Role, Tree

# Random trees: grow and full.
#
# Names follow Koza, "Genetic Programming" (1992). Beware: gpjpp, the Java engine of Liao's and of
# Bellin & Gasperin's programs, has GROW for Koza's *full* and VARIABLE for Koza's *grow*.
# Generation is typed: each place takes only primitives of its type, and terminals are forced on the
# last level. If a type has no terminal, its places take only functions that can still end above the
# last level, so that every tree can be finished (Montana 1995, "Strongly typed genetic
# programming", tables of depths).


class GenerationError(ValueError):
    """A primitive set cannot make the requested tree."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The primitives of one type that a generator may choose from."""

    functions: tuple[Primitive, ...]
    terminals: tuple[Primitive, ...]
    constants: tuple[float, float] | None  # the range of the ephemeral random constant, if any
    depths: tuple[int, ...]  # the least depth, in levels, of a tree with each function as its root

    @property
    def least(self) -> int:
        """The least depth of a tree of the type."""
        return 1 if self.can_end else min(self.depths)

    @property
    def deepest(self) -> int:
        """The least depth at which every function may be the root."""
        return max(self.depths, default=1)

    def terminal(self, stream: Stream) -> Node:
        """Draw a terminal uniformly; the ephemeral random constant counts as one of them."""
        index = stream.below(len(self.terminals) + (self.constants is not None))
        if index < len(self.terminals):
            return with_parameter(self.terminals[index], stream)
        return random_constant(self.constants, stream)

    @property
    def can_end(self) -> bool:
        """Whether there is a terminal."""
        return bool(self.terminals) or self.constants is not None

    def functions_within(self, depth: int) -> tuple[Primitive, ...]:
        """Return the functions that a tree of at most *depth* levels may have as its root."""
        if depth >= self.deepest:
            return self.functions
        return tuple(
            function
            for function, needed in zip(self.functions, self.depths, strict=True)
            if needed <= depth
        )


def with_parameter(primitive: Primitive, stream: Stream) -> Primitive:
    """Return *primitive*, or a randomly drawn member of its family."""
    if primitive.parameter is None:
        return primitive
    return primitive.with_value(primitive.parameter.draw(stream))


def random_constant(bounds: tuple[float, float] | None, stream: Stream) -> Constant:
    """Draw a constant uniformly from *bounds*; raise GenerationError for None."""
    if bounds is None:
        raise GenerationError("this primitive set draws no constants")
    low, high = bounds
    return Constant(low + (high - low) * stream.random())


@lru_cache(maxsize=64)
def menus(primitive_set: PrimitiveSet) -> Mapping[str, Menu]:
    """Return the menu of each type in which a branch of *primitive_set* can end, with a cache.

    Functions with an operand that can never end are left out.
    """
    least = least_depths(primitive_set)
    table: dict[str, Menu] = {}
    for name in sorted(least):
        functions = tuple(
            function
            for function in primitive_set.functions
            if function.type == name and all(kind in least for kind in function.argument_types)
        )
        table[name] = Menu(
            functions,
            tuple(terminal for terminal in primitive_set.terminals if terminal.type == name),
            primitive_set.constants if name == Constant.type else None,
            tuple(
                1 + max(least[kind] for kind in function.argument_types) for function in functions
            ),
        )
    return MappingProxyType(table)


@lru_cache(maxsize=64)
def least_depths(primitive_set: PrimitiveSet) -> Mapping[str, int]:
    """Return the least depth of a tree by type, without types whose branches never end."""
    least = {terminal.type: 1 for terminal in primitive_set.terminals}
    if primitive_set.constants is not None:
        least[Constant.type] = 1
    while True:
        current = dict(least)
        for function in primitive_set.functions:
            needed = [least.get(kind) for kind in function.argument_types]
            depths = [depth for depth in needed if depth is not None]
            if len(depths) == len(needed):
                depth = 1 + max(depths)
                current[function.type] = min(depth, current.get(function.type, depth))
        if current == least:
            return MappingProxyType(least)
        least = current


def _no_terminal(wanted: str, primitive_set: PrimitiveSet) -> GenerationError:
    return GenerationError(
        f"the primitive set {primitive_set.name} has no terminal of type {wanted}, and no function "
        "that leads to one: a branch of that type could never end"
    )


def build_tree(
    primitive_set: PrimitiveSet,
    depth: int,
    stream: Stream,
    *,
    root_type: str,
    function_probability: float,
    max_nodes: int,
    root_is_function: bool = True,
) -> Tree | None:
    """Return a random tree of at most *depth* levels, or None if it exceeds *max_nodes*.

    A place below the root takes a function with *function_probability*, if possible.
    """
    table = menus(primitive_set)
    if root_type not in table:
        raise _no_terminal(root_type, primitive_set)
    if depth < table[root_type].least:
        raise GenerationError(
            f"a tree of type {root_type} over the primitive set {primitive_set.name} has at least "
            f"{table[root_type].least} levels, not {depth}"
        )
    if root_is_function and depth > 1 and not table[root_type].functions:
        raise GenerationError(
            f"the primitive set {primitive_set.name} has no function of type {root_type} "
            "for the root"
        )
    nodes: list[Node] = []
    open_places = [(root_type, 1)]  # the types and levels of operands to come, the next one last
    while open_places:
        wanted, level = open_places.pop()
        menu = table[wanted]
        functions = menu.functions_within(depth - level + 1)
        is_inner = bool(functions)
        is_free = menu.can_end and (level > 1 or not root_is_function)
        if is_inner and is_free and function_probability < 1:
            is_inner = stream.random() < function_probability
        if not is_inner:
            nodes.append(menu.terminal(stream))
            continue
        function = with_parameter(functions[stream.below(len(functions))], stream)
        nodes.append(function)
        open_places += [(name, level + 1) for name in reversed(function.argument_types)]
        if len(nodes) + len(open_places) > max_nodes:
            return None
    return Tree(primitive_set, tuple(nodes))


def _check_depth(depth: int) -> int:
    if depth < 1:
        raise ValueError(f"depth: must be at least 1, not {depth}")
    return depth


def full(
    primitive_set: PrimitiveSet, depth: int, stream: Stream, *, root_type: str = "number"
) -> Tree:
    """Return a random tree whose branches all end on level *depth* (gpjpp: GROW).

    A branch ends earlier only where its type has no function. Raises GenerationError for a type
    without terminals and for a tree of more than 4,096 nodes.
    """
    tree = build_tree(
        primitive_set,
        _check_depth(depth),
        stream,
        root_type=root_type,
        function_probability=1.0,
        max_nodes=MAX_TREE_NODES,
    )
    if tree is None:
        raise GenerationError(f"a full tree of depth {depth} has more than {MAX_TREE_NODES} nodes")
    return tree


def grow(
    primitive_set: PrimitiveSet,
    depth: int,
    stream: Stream,
    *,
    root_type: str = "number",
    function_probability: float = 0.5,
) -> Tree:
    """Return a random tree of at most *depth* levels (gpjpp: VARIABLE).

    The root is a function (unless *depth* is 1). Every other place takes a function with
    *function_probability*; terminals are forced on the last level. Raises GenerationError for a
    type without terminals and for a tree of more than 4,096 nodes.
    """
    tree = build_tree(
        primitive_set,
        _check_depth(depth),
        stream,
        root_type=root_type,
        function_probability=function_probability,
        max_nodes=MAX_TREE_NODES,
    )
    if tree is None:
        raise GenerationError(f"a tree of depth {depth} grew over {MAX_TREE_NODES} nodes")
    return tree


def random_subtree(
    primitive_set: PrimitiveSet,
    depth: int,
    stream: Stream,
    *,
    root_type: str,
    max_nodes: int,
) -> Tree | None:
    """Return a grown tree whose root may be a terminal, or None if it exceeds *max_nodes*.

    It is deeper than *depth* only if its type has no tree so shallow.
    """
    return build_tree(
        primitive_set,
        max(depth, least_depths(primitive_set).get(root_type, 1)),
        stream,
        root_type=root_type,
        function_probability=0.5,
        max_nodes=max_nodes,
        root_is_function=False,
    )


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

    *percents* are those of `Forest`. Of role "terms" there are at most *most* branches over the one
    set, each with at most *factors* features. `Shape("sum", (primitives,) * 3)` has three trees
    that are added; `Shape("adf", definition_sets(primitives))` a result and one definition.
    """

    role: Role
    sets: tuple[PrimitiveSet, ...]
    percents: tuple[float, ...] = ()
    most: int = 0
    factors: int = 0

    def within(self, limits: Limits) -> Limits:
        """Return *limits*, narrowed to those of terms if individuals are made of terms."""
        if self.role != "terms":
            return limits
        depth = min(limits.max_depth, 1 + self.factors)
        return Limits(depth, limits.max_nodes, self.most)


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
