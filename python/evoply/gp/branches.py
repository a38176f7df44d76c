"""Operators on individuals of any number of branches: a tree operator on a randomly drawn branch.

A plain tree is its own only branch, which needs no draw. Crossover takes the same branch of both
parents. The limit of nodes applies to all branches together (gpjpp). With definitions, a child that
would lower to too many operations is replaced by its parent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evoply._native import Stream
from evoply.gp.sizes import MAX_OPERATIONS, lowered_size, pruned
from evoply.gp.sums_of_terms import (
    node_mutation,
    term_crossover,
    term_mutation,
    weight_mutation,
)
from evoply.gp.tree import (
    Forest,
    Genotype,
    Limits,
    Tree,
    TreeError,
    branches,
    features_of_term,
    with_branch,
)
from evoply.gp.variation import (
    CROSSOVER_TRIES,
    ONE_WAY_TRIES,
    Bias,
    constant_mutation,
    one_way_crossover,
    point_mutation,
    subtree_crossover,
    subtree_mutation,
)
from evoply.permutations import shuffled

Mutation = Callable[[Tree, Limits, Stream], Tree]
"""A function that makes a tree from another within limits; `evoply.gp.variation` has many."""

Recombination = Callable[[Tree, Tree, Limits, Stream], Tree | tuple[Tree, ...]]
"""A function that makes one or several trees from two over the same set, such as
`subtree_crossover`. The first of several results is the changed first tree, and so on."""

OF_TERMS: Mapping[Mutation, Callable[[Forest, Limits, Stream], Forest]] = MappingProxyType(
    {
        subtree_mutation: term_mutation,
        point_mutation: node_mutation,
        constant_mutation: weight_mutation,
    }
)
"""What mutations of trees are for individuals of role "terms", as a whole. Any other is applied to
a term, and counts only if it makes a term of it."""


def mutated(individual: Genotype, mutation: Mutation, limits: Limits, stream: Stream) -> Genotype:
    """Return *individual* with *mutation* applied to one branch, drawn uniformly.

    *mutation* is called with the branch, its remaining limits, and the stream. For terms see
    `OF_TERMS`.
    """
    of_terms = OF_TERMS.get(mutation) if individual.role == "terms" else None
    if of_terms is not None:
        assert isinstance(individual, Forest)  # only these have the role
        return of_terms(individual, limits, stream)
    index = _draw_branch(individual, stream)
    room = _room(individual, index, limits)
    if room is None:
        return individual
    return _put(individual, index, mutation(branches(individual)[index], room, stream))


def crossed(
    first: Genotype,
    second: Genotype,
    limits: Limits,
    stream: Stream,
    *,
    function_bias: Bias = 0.9,
    tries: int = CROSSOVER_TRIES,
) -> tuple[Genotype, Genotype]:
    """Return two children of `subtree_crossover` between the same branch of both parents.

    Raises ValueError for parents with other roles or sets.
    """
    check_alike(first, second)
    if first.role == "terms":
        assert isinstance(first, Forest)
        assert isinstance(second, Forest)
        there = term_crossover(first, second, limits, stream)
        return there, term_crossover(second, first, limits, stream)
    index = _draw_branch(first, stream)
    rooms = _room(first, index, limits), _room(second, index, limits)
    if rooms[0] is None or rooms[1] is None:
        return first, second
    first_child, second_child = subtree_crossover(
        branches(first)[index],
        branches(second)[index],
        rooms[0],
        stream,
        function_bias=function_bias,
        tries=tries,
        second_limits=rooms[1],
    )
    return (
        _put(first, index, first_child),
        _put(second, index, second_child),
    )


def recombined(
    first: Genotype,
    second: Genotype,
    recombination: Recombination,
    limits: Limits,
    stream: Stream,
) -> tuple[Genotype, ...]:
    """Return the children of *recombination* applied to the same branch of both parents.

    It is called with both branches, the limits that remain for either, and the stream. Raises
    ValueError for parents with other roles or sets.
    """
    check_alike(first, second)
    index = _draw_branch(min(first, second, key=lambda parent: len(parent.trees)), stream)
    rooms = _room(first, index, limits), _room(second, index, limits)
    if rooms[0] is None or rooms[1] is None:
        return (first,)
    room = Limits(limits.max_depth, min(rooms[0].max_nodes, rooms[1].max_nodes))
    children = recombination(branches(first)[index], branches(second)[index], room, stream)
    trees = children if isinstance(children, tuple) else (children,)
    return tuple(
        _put(parent, index, tree) for tree, parent in zip(trees, (first, second), strict=False)
    )


def received(
    donor: Genotype,
    receiver: Genotype,
    limits: Limits,
    stream: Stream,
    *,
    function_bias: Bias = None,
    tries: int = ONE_WAY_TRIES,
) -> Genotype:
    """Return the child of `one_way_crossover` between the same branch of both."""
    check_alike(donor, receiver)
    if receiver.role == "terms":
        assert isinstance(donor, Forest)
        assert isinstance(receiver, Forest)
        return term_crossover(receiver, donor, limits, stream)
    index = _draw_branch(receiver, stream)
    room = _room(receiver, index, limits)
    if room is None:
        return receiver
    child = one_way_crossover(
        branches(donor)[index],
        branches(receiver)[index],
        room,
        stream,
        function_bias=function_bias,
        tries=tries,
    )
    return _put(receiver, index, child)


@dataclass(frozen=True, slots=True)
class PairedCrossover:
    """The result of a round of crossover in pairs, in the order of the individuals before it.

    *parents* has the indices of each individual's parents, its own index first. *one_way* and
    *two_way* count pairs.
    """

    individuals: tuple[Genotype, ...]
    parents: tuple[tuple[int, ...], ...]
    gave: frozenset[int]
    """The individuals that gave a subtree and received none."""
    one_way: int
    two_way: int

    @property
    def one_way_share(self) -> float | None:
        """The share of pairs with one-way crossover; None without pairs."""
        pairs = self.one_way + self.two_way
        return self.one_way / pairs if pairs else None


def paired_crossover(
    individuals: Sequence[Genotype],
    fitness: Sequence[float],
    rate: float,
    limits: Limits,
    stream: Stream,
    *,
    ties_are_one_way: bool = False,
    function_bias: Bias = None,
) -> PairedCrossover:
    """Return *individuals* after crossover in random pairs, in which fitter ones give to others.

    Each takes part with probability *rate*; participants are paired at random, and an unpaired one
    does not change. If the first of a pair has the greater fitness, one of its subtrees is copied
    into the second and the first does not change; else both exchange subtrees. Source: Benbassat &
    Sipper (GECCO 2011), Algorithm 1. Its text says that one-way crossover happens at least half of
    the time; with the strict comparison of the algorithm it is at most half, with
    *ties_are_one_way* at least half. The result has the share.
    """
    if len(fitness) != len(individuals):
        raise ValueError(
            f"fitness: {len(fitness)} values for {len(individuals)} individuals: give one for each"
        )
    taking_part = [index for index in range(len(individuals)) if stream.random() < rate]
    taking_part = [taking_part[index] for index in shuffled(len(taking_part), stream)]
    children = list(individuals)
    parents: list[tuple[int, ...]] = [(index,) for index in range(len(individuals))]
    one_way = two_way = 0
    gave: set[int] = set()
    for pair in range(len(taking_part) // 2):
        i, j = taking_part[2 * pair : 2 * pair + 2]
        draws = stream.child("pair", pair)
        is_fitter = fitness[i] >= fitness[j] if ties_are_one_way else fitness[i] > fitness[j]
        if is_fitter:
            one_way += 1
            gave.add(i)
            children[j] = received(
                individuals[i], individuals[j], limits, draws, function_bias=function_bias
            )
            parents[j] = (j, i)
        else:
            two_way += 1
            children[i], children[j] = crossed(
                individuals[i], individuals[j], limits, draws, function_bias=function_bias
            )
            parents[i], parents[j] = (i, j), (j, i)
    return PairedCrossover(tuple(children), tuple(parents), frozenset(gave), one_way, two_way)


def pruned_to(individual: Genotype, limits: Limits) -> Genotype:
    """Return *individual* with its largest trees cut by `pruned` until it is within *limits*.

    A tree that cannot be cut any further does not change.
    """
    excess = len(individual) - limits.max_nodes
    places = range(len(branches(individual)))
    for index in sorted(places, key=lambda branch: -len(branches(individual)[branch])):
        if excess <= 0:
            break
        tree = branches(individual)[index]
        cut = pruned(tree, max(len(tree) - excess, 1))
        excess -= len(tree) - len(cut)
        individual = with_branch(individual, index, cut)
    return individual


def check_alike(first: Genotype, second: Genotype) -> None:
    """Raise ValueError unless both have the same role and branches over the same sets."""
    kinds = [
        (
            parent.role if isinstance(parent, Forest) else "tree",
            [tree.primitive_set.name for tree in branches(parent)][: _counted(parent)],
        )
        for parent in (first, second)
    ]
    if kinds[0] != kinds[1]:
        raise ValueError(
            "parents must be of one kind, over the same sets: "
            f"one is a {kinds[0][0]} over {', '.join(kinds[0][1])}, the other "
            f"a {kinds[1][0]} over {', '.join(kinds[1][1])}"
        )


def _draw_branch(individual: Genotype, stream: Stream) -> int:
    count = len(branches(individual))
    return stream.below(count) if count > 1 else 0


def _room(individual: Genotype, index: int, limits: Limits) -> Limits | None:
    """Return the limits that the other branches leave for branch *index*; None for no room."""
    if isinstance(individual, Tree):
        return limits
    nodes = limits.max_nodes - (len(individual) - len(individual.trees[index]))
    return Limits(limits.max_depth, nodes) if nodes >= 1 else None


def _counted(individual: Genotype) -> int | None:
    """Return how many trees two parents must have in common; None for all of them."""
    return 1 if individual.role == "terms" else None


def _put(individual: Genotype, index: int, tree: Tree) -> Genotype:
    """Return *individual* with *tree* as branch *index*, or itself if that is none of its kind."""
    if individual.role == "terms":
        try:
            features_of_term(tree)
        except TreeError:
            return individual
    child = with_branch(individual, index, tree)
    if isinstance(child, Tree) or child.role != "adf":
        return child
    return child if lowered_size(child) <= MAX_OPERATIONS else individual
