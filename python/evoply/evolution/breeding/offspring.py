"""The first population and the next: pure functions of the config, the parents and a stream.

Every offspring draws from its own child stream, so that no offspring shifts another's draws. Elites
are copied first; one operator, drawn by its rate, fills each position after them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from evoply import gp
from evoply._native import Stream
from evoply.evolution.breeding.first_generation import new_individual, random_individuals, seed_of
from evoply.evolution.breeding.parents import Selector
from evoply.evolution.breeding.sample_boards import Parents, SampleBoards, answered
from evoply.evolution.config.breeding import Afterwards, Demes, Variation
from evoply.evolution.config.evolution_config import EvolutionConfig, primitive_set_of
from evoply.evolution.config.individual import shape_of
from evoply.evolution.individuals import Individual, MapPlace, ranking
from evoply.evolution.operators import CREATION, CROSSOVER, MUTATIONS, REPRODUCTION
from evoply.evolution.selections import selection_method, survival_method
from evoply.evolution.user_code import PythonParts
from evoply.gp import Limits
from evoply.gp.node_choice import Bias
from evoply.gp.tree import MAX_TREE_NODES

_PLAIN = PythonParts()

Couple = tuple[int, int]
"""Positions of two parents; an operator on one tree leaves the second alone."""


@dataclass(frozen=True, slots=True)
class Offspring:
    """An individual that has not played yet, its operator, and its parents' positions."""

    tree: gp.Genotype
    origin: str
    parents: tuple[int, ...] = ()
    place: MapPlace | None = None
    """Its place on a map, if it lived there before."""


Judge = Callable[[Sequence[Offspring]], list[float]]
"""Returns the fitness of offspring; all games of a generation use the same openings."""


def first_population(config: EvolutionConfig, stream: Stream) -> tuple[Offspring, ...]:
    """Return the first population: individuals of seeds, then random ones.

    Random individuals follow the config's initialisation; all keep within its limits.
    """
    settings = config.initialisation
    primitives, limits = primitive_set_of(config), config.limits.of_trees
    shape = shape_of(config.individual, primitives)
    seeds = [seed_of(text, config.game, primitives, shape, limits) for text in settings.seeds]
    drawn = random_individuals(
        shape or primitives,
        settings.method,
        config.population_size - len(seeds),
        stream,
        min_depth=settings.min_depth,
        max_depth=settings.max_depth,
        limits=limits,
        duplicates=settings.duplicates,
    )
    return (
        *(Offspring(seed, "seed") for seed in seeds),
        *(Offspring(tree, settings.method) for tree in drawn),
    )


def breed(
    config: EvolutionConfig,
    parents: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts = _PLAIN,
) -> tuple[Offspring, ...]:
    """Return the offspring of *parents*: the `elitism` best unchanged, then one operator each.

    There are no elites where parents compete with their offspring, and so may stay themselves.
    """
    config = _with_all_rates(config, parts)
    size = config.population_size
    selector = selector_of(config)
    elites = [] if selector.parents_compete else ranking(parents)[: config.elitism]
    if config.variation.recombination.pairing == "population":
        return _paired_offspring(config, parents, elites, stream)
    couples = _couples(config, parents, stream, selector)
    boards = SampleBoards(
        config.game, stream.child("boards"), tuple(parent.tree for parent in parents)
    )
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    while len(offspring) < size:
        position = len(offspring)
        draws = stream.child("offspring", position)
        couple = couples[position]
        offspring += offspring_of(config, parents, couple, position, draws, parts, boards)
    return tuple(offspring[:size])


def selector_of(config: EvolutionConfig) -> Selector:
    """Return what chooses parents, survivors and whom a steady state replaces."""
    mating, survival = selection_method(config.selection), survival_method(config.survival)
    keys, others = config.selection.arguments, config.survival.arguments
    kind = config.fitness.measure.resolved()
    live_on = None if survival.function is None else partial(survival.function, **others)
    return Selector(
        partial(mating.function, **keys),
        None if mating.worst is None else partial(mating.worst, **keys),
        live_on,
        config.parsimony,
        kind.best(config.task),
        type(kind).__name__,
        config.map is not None,
    )


def contestants(
    config: EvolutionConfig, parents: tuple[Individual, ...], stream: Stream, parts: PythonParts
) -> tuple[Offspring, ...]:
    """Return who plays next: the offspring of *parents*, after the parents if they compete."""
    bred = breed(config, parents, stream, parts)
    if not selector_of(config).parents_compete:
        return bred
    again = (
        Offspring(old.tree, "survivor" if old.place is None else old.origin, (i,), old.place)
        for i, old in enumerate(parents)
    )
    return (*again, *bred)


def _couples(
    config: EvolutionConfig, parents: Sequence[Individual], stream: Stream, selector: Selector
) -> list[Couple]:
    """Return two selected parents for every position, from its deme if there are demes."""
    size = config.population_size
    if config.demes is None:
        drawn = selector.parents(parents, 2 * size, stream.child("parents"))
        return list(zip(drawn[::2], drawn[1::2], strict=True))
    slots = _after_migration(config.demes, parents, stream.child("migration"), selector)
    couples: list[Couple] = []
    for start in range(0, size, config.demes.size):
        deme = slots[start : start + config.demes.size]
        members = [parents[index] for index in deme]
        drawn = selector.parents(members, 2 * len(deme), stream.child("parents", start))
        drawn = [deme[index] for index in drawn]
        couples += zip(drawn[::2], drawn[1::2], strict=True)
    return couples


def _after_migration(
    demes: Demes | None, parents: Sequence[Individual], stream: Stream, selector: Selector
) -> list[int]:
    """Return the individual in each slot after every deme had its chance to swap with the next."""
    slots = list(range(len(parents)))
    if demes is None:
        return slots
    size = demes.size
    starts = range(0, len(slots), size)
    for number, start in enumerate(starts):
        draws = stream.child(number)
        if len(starts) < 2 or draws.random() >= demes.migration:
            continue
        chosen = []
        for name, begin in (("here", start), ("next", starts[(number + 1) % len(starts)])):
            members = [parents[index] for index in slots[begin : begin + size]]
            drawn = selector.parents(members, 1, draws.child(name))[0]
            chosen.append(begin + drawn)
        here, there = chosen
        slots[here], slots[there] = slots[there], slots[here]
    return slots


def offspring_of(
    config: EvolutionConfig,
    parents: Sequence[Individual],
    couple: Couple,
    position: int,
    stream: Stream,
    parts: PythonParts = _PLAIN,
    boards: SampleBoards | None = None,
) -> list[Offspring]:
    """Return what one operator makes of a *couple*: one offspring, or the two of a crossover.

    *position* is that of the first offspring in the population. Operators may ask for values on
    *boards*, by default some that only this offspring has.
    """
    boards = boards or SampleBoards(config.game, stream.child("boards"))
    limits = _breeding_limits(config)
    name = draw_operator(config.variation, stream.random())
    first, second = (parents[index] for index in couple)
    if name in config.variation.custom:
        takes_two = parts.takes_two(name)
        who = Parents((first, second) if takes_two else (first,), boards)
        trees = parts.offspring(name, who, limits, stream)
        pairs = (couple, couple[::-1]) if takes_two else (couple[:1],)
        children = [
            Offspring(child, name, pair) for child, pair in zip(trees, pairs, strict=False)
        ][: config.variation.recombination.children]
    elif name == CROSSOVER:
        children = _cross(config, couple, first, second, limits, stream)
    elif name == CREATION:
        primitives = primitive_set_of(config)
        what = shape_of(config.individual, primitives) or primitives
        tree = new_individual(what, config.initialisation, config.limits.of_trees, position, stream)
        children = [Offspring(tree, name)]
    else:
        mutation = answered(MUTATIONS[name], Parents((first,), boards))
        child = gp.mutated(first.tree, mutation, limits, stream)
        children = [Offspring(child, name, couple[:1])]
    return _finish(config, children, stream)


def _finish(
    config: EvolutionConfig, children: Sequence[Offspring], stream: Stream
) -> list[Offspring]:
    """Return *children* after later mutations, and cut to the limits if the config says so."""
    afterwards = config.variation.afterwards
    limits = _breeding_limits(config)
    if afterwards.probabilities:
        children = [
            _mutate(child, afterwards, limits, stream.child("afterwards", number))
            for number, child in enumerate(children)
        ]
    if config.limits.oversized == "refuse":
        return list(children)
    return [
        Offspring(gp.pruned_to(child.tree, config.limits.of_trees), child.origin, child.parents)
        for child in children
    ]


def _breeding_limits(config: EvolutionConfig) -> Limits:
    """Return the limits of operators: where offspring are cut later, only those of any tree."""
    limits = config.limits.of_trees
    if config.limits.oversized == "refuse":
        return limits
    return Limits(limits.max_depth, MAX_TREE_NODES)


def steady_state_generation(
    config: EvolutionConfig,
    before: tuple[Individual, ...],
    stream: Stream,
    parts: PythonParts,
    judge: Judge,
) -> tuple[Individual, ...]:
    """Return the population after as many offspring as it has individuals, a batch at a time.

    Each replaces one individual that is drawn for being bad and is not among the `elitism` best.
    With demes, neighbours exchange individuals first; then each deme makes as many offspring as
    it has individuals, from its own parents, in its own positions. Parents are recorded as their
    positions at that time. Source: gpjpp, SteadyState.
    """
    config = _with_all_rates(config, parts)
    batch = 1 if config.steady_state is None else config.steady_state.batch
    selector = selector_of(config)
    deme = len(before) if config.demes is None else config.demes.size
    population = [
        Individual(before[slot].tree, before[slot].fitness, "survivor", (slot,))
        for slot in _after_migration(config.demes, before, stream.child("migration"), selector)
    ]
    boards = SampleBoards(config.game, stream.child("boards"), tuple(old.tree for old in before))
    bred = number = 0
    while bred < len(population):
        # Step 1. Breed.
        draws = stream.child("batch", number)
        start = bred // deme * deme
        end = start + deme
        size = min(batch, end - bred)
        members = population[start:end]
        drawn = selector.parents(members, 2 * size, draws.child("parents"))
        drawn = [start + index for index in drawn]
        offspring: list[Offspring] = []
        while len(offspring) < size:
            position = len(offspring)
            couple = (drawn[2 * position], drawn[2 * position + 1])
            child = draws.child("offspring", position)
            offspring += offspring_of(
                config, population, couple, bred + position, child, parts, boards
            )
        offspring = offspring[:size]

        # Step 2. Judge, and replace one bad individual by each.
        for position, (new, fitness) in enumerate(zip(offspring, judge(offspring), strict=True)):
            best = set(ranking(tuple(population))[: config.elitism])
            others = [index for index in range(start, end) if index not in best]
            if others:
                rest = [population[index] for index in others]
                worst = selector.worst(rest, draws.child("worst", position))
                population[others[worst]] = Individual(new.tree, fitness, new.origin, new.parents)
        bred += size
        number += 1
    return tuple(population)


def _with_all_rates(config: EvolutionConfig, parts: PythonParts) -> EvolutionConfig:
    """Return *config* with a rate for every operator of *parts*."""
    if not parts.operators:
        return config
    return config.model_copy(update={"variation": parts.completed(config.variation)})


def draw_operator(variation: Variation, draw: float) -> str:
    """Return the operator whose share of [0, 1) holds *draw*; the rest is reproduction."""
    for operator, rate in variation.rates.items():
        if operator != REPRODUCTION:
            draw -= rate
            if draw < 0:
                return operator
    return REPRODUCTION


def _cross(
    config: EvolutionConfig,
    couple: Couple,
    first: Individual,
    second: Individual,
    limits: Limits,
    stream: Stream,
) -> list[Offspring]:
    settings = config.variation.recombination
    bias = _function_bias(config)
    is_fitter = first.fitness > second.fitness or (
        settings.one_way == "fitter_or_equal" and first.fitness == second.fitness
    )
    if settings.one_way != "never" and is_fitter:
        # The fitter parent gives and stays as it is; the other changes.
        child = gp.received(
            first.tree, second.tree, limits, stream, function_bias=bias, tries=settings.tries
        )
        changed = Offspring(child, "one_way_crossover", (couple[1], couple[0]))
        kept = Offspring(first.tree, "one_way_crossover", (couple[0],))
        return [changed, kept][: settings.children]
    children = gp.crossed(
        first.tree, second.tree, limits, stream, function_bias=bias, tries=settings.tries
    )
    parents = (couple, (couple[1], couple[0]))
    return [
        Offspring(child, CROSSOVER, pair)
        for child, pair in zip(children[: settings.children], parents, strict=False)
    ]


def _function_bias(config: EvolutionConfig) -> Bias:
    settings = config.variation.recombination
    if settings.points == "gpjpp":
        return "gpjpp"
    return settings.function_bias if settings.points == "biased" else None


def _paired_offspring(
    config: EvolutionConfig,
    parents: tuple[Individual, ...],
    elites: Sequence[int],
    stream: Stream,
) -> tuple[Offspring, ...]:
    """Return the offspring of selected individuals that cross over in random pairs.

    Source: Benbassat & Sipper, section 3.3 and Algorithm 1.
    """
    # Step 1. Select as many individuals as are needed, and cross them over in pairs.
    count = config.population_size - len(elites)
    drawn = selector_of(config).parents(parents, count, stream.child("parents"))
    round_ = gp.paired_crossover(
        [parents[index].tree for index in drawn],
        [parents[index].fitness for index in drawn],
        config.variation.crossover,
        _breeding_limits(config),
        stream.child("pairs"),
        ties_are_one_way=config.variation.recombination.one_way == "fitter_or_equal",
        function_bias=_function_bias(config),
    )
    # Step 2. Name the origin of each, and let mutations follow.
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    for position, (child, pair) in enumerate(zip(round_.individuals, round_.parents, strict=True)):
        origin = REPRODUCTION
        if position in round_.gave or round_.gave.intersection(pair[1:]):
            origin = "one_way_crossover"
        elif len(pair) == 2:
            origin = CROSSOVER
        bred = Offspring(child, origin, tuple(drawn[index] for index in pair))
        offspring += _finish(config, [bred], stream.child("offspring", position))
    return tuple(offspring)


def _mutate(child: Offspring, afterwards: Afterwards, limits: Limits, stream: Stream) -> Offspring:
    """Return *child* after each mutation that was drawn, whose name its origin then lists."""
    tree, names = child.tree, [child.origin]
    draw = stream.random() if afterwards.at_most_one else None
    for name, rate in afterwards.probabilities:
        draws = stream.child(name)
        if draw is None:
            is_drawn = draws.random() < rate
        else:
            is_drawn, draw = 0 <= draw < rate, draw - rate
        if is_drawn:
            tree = gp.mutated(tree, MUTATIONS[name], limits, draws)
            names.append(name)
    return Offspring(tree, ", ".join(names), child.parents)
