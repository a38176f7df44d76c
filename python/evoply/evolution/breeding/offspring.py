"""The first population and the next: pure functions of a breeder, the parents and a stream.

Every offspring draws from its own child stream, so that no offspring shifts another's draws. Elites
are copied first; one operator, drawn by its rate, fills each position after them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evoply import gp
from evoply._native import Stream
from evoply.evolution.breeding.first_generation import new_individual, random_individuals, seed_of
from evoply.evolution.breeding.own_operators import OwnOperators, Parents, SampleBoards, answered
from evoply.evolution.config.breeding import (
    Afterwards,
    Covariant,
    Demes,
    Initialisation,
    Parsimony,
    Recombination,
    SizeLimits,
    Tarpeian,
    Variation,
)
from evoply.evolution.individuals import Individual, MapPlace, ranking
from evoply.evolution.map_elites.space import Space
from evoply.evolution.operators import CREATION, CROSSOVER, MUTATIONS, REPRODUCTION
from evoply.evolution.selections import Candidates, Choose
from evoply.expressions import PrimitiveSet
from evoply.gp import Limits, Shape

# Who breeds and who lives on: selection and survival by a config, or by the user's own functions.
#
# This module makes the candidates; `evoply.evolution.selections` has the ways to choose.


@dataclass(frozen=True, slots=True)
class Selector:
    """Draws good individuals, or bad ones, as a config or the user's parts say."""

    choose: Choose
    find_worst: Callable[[Candidates, Stream], int] | None
    """None if it does not go with a steady state."""
    choose_survivors: Choose | None
    """None: the offspring take the place of their parents."""
    parsimony: Parsimony | None
    perfect: float | None
    measure: str
    is_map: bool
    """Whether survivors are one for each cell: from the first generation on, however many."""
    space: Space | None = None
    """Where individuals are described, if survival describes them."""

    def parents(self, parents: Sequence[Individual], count: int, stream: Stream) -> Sequence[int]:
        """Return the positions of *count* selected parents; 2i and 2i + 1 are a couple."""
        return self.choose(self.candidates(parents, stream), count, stream)

    def worst(self, population: Sequence[Individual], stream: Stream) -> int:
        """Return the position of a bad individual, drawn for a steady state to replace it."""
        if self.find_worst is None:
            raise ValueError("this selection does not go with a steady state")
        return self.find_worst(self.candidates(population), stream)

    @property
    def parents_compete(self) -> bool:
        """Whether parents compete with their offspring, so that both play."""
        return self.choose_survivors is not None

    def chooses_survivors(self, generation: int) -> bool:
        """Return whether it chooses who lives on of those who play in *generation*."""
        return self.parents_compete and (self.is_map or generation > 0)

    def survivors(
        self,
        competing: tuple[Individual, ...],
        parents: int,
        size: int,
        elitism: int,
        stream: Stream,
        archive: tuple[Individual, ...] = (),
    ) -> list[int]:
        """Return the positions of *size* who live on of *parents* and then their offspring.

        The *elitism* best are among them, in place of the last chosen if need be; on a map those
        live on who are the best of their cells.
        """
        if self.choose_survivors is None:
            raise ValueError("the offspring take the place of their parents")
        candidates = self.candidates(competing, stream, parents, archive)
        chosen = list(self.choose_survivors(candidates, size, stream))
        if self.is_map:
            return chosen
        best = ranking(competing)[:elitism]
        missing = [position for position in best if position not in chosen]
        if missing:
            others = [position for position in chosen if position not in best]
            chosen = [position for position in chosen if position in best]
            chosen += others[: size - len(chosen) - len(missing)] + missing
        return chosen

    def candidates(
        self,
        individuals: Sequence[Individual],
        stream: Stream | None = None,
        parents: int = 0,
        archive: tuple[Individual, ...] = (),
    ) -> Candidates:
        """Return *individuals* as candidates; with a *stream* parsimony changes their fitness."""
        fitness = [individual.fitness for individual in individuals]
        lengths = [len(individual.tree) for individual in individuals]
        if stream is not None and isinstance(self.parsimony, Tarpeian):
            draws = stream.child("tarpeian")
            fitness = gp.tarpeian_penalised(fitness, lengths, self.parsimony.probability, draws)
        elif stream is not None and isinstance(self.parsimony, Covariant):
            fitness = gp.covariant_penalised(fitness, lengths)
        return Candidates(
            tuple(individuals),
            fitness,
            parents,
            self.perfect,
            isinstance(self.parsimony, Covariant),
            self.measure,
            self.space,
            archive,
        )


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
    proposer: str = ""
    """The operator whose program is asked for it; it stays a copy if that has no answer."""


@dataclass(frozen=True, slots=True)
class Breeder:
    """How the individuals of a run are made, and who has offspring."""

    game: str
    size: int
    """Individuals of the first population, and offspring of a generation."""
    elitism: int
    primitives: PrimitiveSet
    shape: Shape | None
    """How individuals of several trees are made; None for single trees."""
    initialisation: Initialisation
    variation: Variation
    """With a rate for every operator of the user."""
    limits: SizeLimits
    demes: Demes | None
    batch: int | None
    """Offspring of a steady state that are judged at once; None if it is none."""
    selector: Selector
    own: OwnOperators
    """The user's own operators."""

    def within(self, limits: Limits) -> Limits:
        """Return *limits*, narrowed to those of the shape."""
        return limits if self.shape is None else self.shape.within(limits)


Judge = Callable[[Sequence[Offspring]], list[float]]
"""Returns the fitness of offspring; all games of a generation use the same openings."""


def first_population(
    breeder: Breeder, stream: Stream, chosen: Sequence[Offspring] = ()
) -> tuple[Offspring, ...]:
    """Return the first population: individuals of seeds, those *chosen*, then random ones.

    All keep within the limits.
    """
    settings, limits = breeder.initialisation, breeder.limits.of_trees
    primitives, shape = breeder.primitives, breeder.shape
    seeds = [seed_of(text, breeder.game, primitives, shape, limits) for text in settings.seeds]
    chosen = chosen[: breeder.size - len(seeds)]
    drawn = random_individuals(
        shape or primitives,
        settings.method,
        breeder.size - len(seeds) - len(chosen),
        stream,
        min_depth=settings.min_depth,
        max_depth=settings.max_depth,
        limits=limits,
        duplicates=settings.duplicates,
    )
    return (
        *(Offspring(seed, "seed") for seed in seeds),
        *chosen,
        *(Offspring(tree, settings.method) for tree in drawn),
    )


def breed(
    breeder: Breeder,
    parents: tuple[Individual, ...],
    stream: Stream,
    made: Sequence[Offspring] = (),
) -> tuple[Offspring, ...]:
    """Return the offspring of *parents*: the `elitism` best unchanged, then one operator each.

    There are no elites where parents compete with their offspring, and so may stay themselves.
    Those that are *made* already come after the elites.
    """
    competes = breeder.selector.parents_compete
    elites = [] if competes else ranking(parents)[: breeder.elitism]
    offspring = [Offspring(parents[index].tree, "elite", (index,)) for index in elites]
    offspring += made
    if breeder.variation.recombination.pairing == "population":
        return _paired_offspring(breeder, parents, offspring, stream)
    couples = _couples(breeder, parents, stream)
    boards = SampleBoards(
        breeder.game, stream.child("boards"), tuple(parent.tree for parent in parents)
    )
    while len(offspring) < breeder.size:
        position = len(offspring)
        draws = stream.child("offspring", position)
        offspring += offspring_of(breeder, parents, couples[position], position, draws, boards)
    return tuple(offspring[: breeder.size])


def contestants(
    breeder: Breeder,
    parents: tuple[Individual, ...],
    stream: Stream,
    made: Sequence[Offspring] = (),
) -> tuple[Offspring, ...]:
    """Return who plays next: the offspring of *parents*, after the parents if they compete."""
    bred = breed(breeder, parents, stream, made)
    if not breeder.selector.parents_compete:
        return bred
    again = (
        Offspring(old.tree, "survivor" if old.place is None else old.origin, (i,), old.place)
        for i, old in enumerate(parents)
    )
    return (*again, *bred)


def _couples(breeder: Breeder, parents: Sequence[Individual], stream: Stream) -> list[Couple]:
    """Return two selected parents for every position, from its deme if there are demes."""
    selector, demes = breeder.selector, breeder.demes
    if demes is None:
        drawn = selector.parents(parents, 2 * breeder.size, stream.child("parents"))
        return list(zip(drawn[::2], drawn[1::2], strict=True))
    slots = _after_migration(demes, parents, stream.child("migration"), selector)
    couples: list[Couple] = []
    for start in range(0, breeder.size, demes.size):
        deme = slots[start : start + demes.size]
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
    breeder: Breeder,
    parents: Sequence[Individual],
    couple: Couple,
    position: int,
    stream: Stream,
    boards: SampleBoards | None = None,
) -> list[Offspring]:
    """Return what one operator makes of a *couple*: one offspring, or the two of a crossover.

    *position* is that of the first offspring in the population. Operators may ask for values on
    *boards*, by default some that only this offspring has.
    """
    boards = boards or SampleBoards(breeder.game, stream.child("boards"))
    limits, variation = breeder.within(breeder.limits.of_offspring), breeder.variation
    own = breeder.own
    name = draw_operator(variation, stream.random())
    first, second = (parents[index] for index in couple)
    if name in own.commands:
        return [Offspring(first.tree, REPRODUCTION, couple[:1], proposer=name)]
    if name in variation.custom:
        takes_two = own.takes_two(name)
        who = Parents((first, second) if takes_two else (first,), boards)
        trees = own.offspring(name, who, limits, stream)
        pairs = (couple, couple[::-1]) if takes_two else (couple[:1],)
        children = [
            Offspring(child, name, pair) for child, pair in zip(trees, pairs, strict=False)
        ][: variation.recombination.children]
    elif name == CROSSOVER:
        children = _cross(variation.recombination, couple, first, second, limits, stream)
    elif name == CREATION:
        what, within = breeder.shape or breeder.primitives, breeder.limits.of_trees
        tree = new_individual(what, breeder.initialisation, within, position, stream)
        children = [Offspring(tree, name)]
    else:
        mutation = answered(MUTATIONS[name], Parents((first,), boards))
        child = gp.mutated(first.tree, mutation, limits, stream)
        children = [Offspring(child, name, couple[:1])]
    return _finish(breeder, children, stream)


def _finish(breeder: Breeder, children: Sequence[Offspring], stream: Stream) -> list[Offspring]:
    """Return *children* after later mutations, and cut to the limits if the breeder says so."""
    afterwards, limits = breeder.variation.afterwards, breeder.limits
    if afterwards.probabilities:
        children = [
            _mutate(
                child,
                afterwards,
                breeder.within(limits.of_offspring),
                stream.child("afterwards", number),
            )
            for number, child in enumerate(children)
        ]
    if limits.oversized == "refuse":
        return list(children)
    return [
        Offspring(gp.pruned_to(child.tree, limits.of_trees), child.origin, child.parents)
        for child in children
    ]


def steady_state_generation(
    breeder: Breeder, before: tuple[Individual, ...], stream: Stream, judge: Judge
) -> tuple[Individual, ...]:
    """Return the population after as many offspring as it has individuals, a batch at a time.

    Each replaces one individual that is drawn for being bad and is not among the `elitism` best.
    With demes, neighbours exchange individuals first; then each deme makes as many offspring as
    it has individuals, from its own parents, in its own positions. Parents are recorded as their
    positions at that time. Source: gpjpp, SteadyState.
    """
    selector = breeder.selector
    deme = len(before) if breeder.demes is None else breeder.demes.size
    population = [
        Individual(before[slot].tree, before[slot].fitness, "survivor", (slot,))
        for slot in _after_migration(breeder.demes, before, stream.child("migration"), selector)
    ]
    boards = SampleBoards(breeder.game, stream.child("boards"), tuple(old.tree for old in before))
    bred = number = 0
    while bred < len(population):
        # Step 1. Breed.
        draws = stream.child("batch", number)
        start = bred // deme * deme
        end = start + deme
        size = min(breeder.batch or 1, end - bred)
        members = population[start:end]
        drawn = selector.parents(members, 2 * size, draws.child("parents"))
        drawn = [start + index for index in drawn]
        offspring: list[Offspring] = []
        while len(offspring) < size:
            position = len(offspring)
            couple = (drawn[2 * position], drawn[2 * position + 1])
            child = draws.child("offspring", position)
            offspring += offspring_of(breeder, population, couple, bred + position, child, boards)
        offspring = offspring[:size]

        # Step 2. Judge, and replace one bad individual by each.
        for position, (new, fitness) in enumerate(zip(offspring, judge(offspring), strict=True)):
            best = set(ranking(tuple(population))[: breeder.elitism])
            others = [index for index in range(start, end) if index not in best]
            if others:
                rest = [population[index] for index in others]
                worst = selector.worst(rest, draws.child("worst", position))
                population[others[worst]] = Individual(new.tree, fitness, new.origin, new.parents)
        bred += size
        number += 1
    return tuple(population)


def draw_operator(variation: Variation, draw: float) -> str:
    """Return the operator whose share of [0, 1) holds *draw*; the rest is reproduction."""
    for operator, rate in variation.rates.items():
        if operator != REPRODUCTION:
            draw -= rate
            if draw < 0:
                return operator
    return REPRODUCTION


def _cross(
    settings: Recombination,
    couple: Couple,
    first: Individual,
    second: Individual,
    limits: Limits,
    stream: Stream,
) -> list[Offspring]:
    is_fitter = first.fitness > second.fitness or (
        settings.one_way == "fitter_or_equal" and first.fitness == second.fitness
    )
    if settings.one_way != "never" and is_fitter:
        # The fitter parent gives and stays as it is; the other changes.
        child = gp.received(
            first.tree,
            second.tree,
            limits,
            stream,
            function_bias=settings.bias,
            tries=settings.tries,
        )
        changed = Offspring(child, "one_way_crossover", (couple[1], couple[0]))
        kept = Offspring(first.tree, "one_way_crossover", (couple[0],))
        return [changed, kept][: settings.children]
    children = gp.crossed(
        first.tree, second.tree, limits, stream, function_bias=settings.bias, tries=settings.tries
    )
    parents = (couple, (couple[1], couple[0]))
    return [
        Offspring(child, CROSSOVER, pair)
        for child, pair in zip(children[: settings.children], parents, strict=False)
    ]


def _paired_offspring(
    breeder: Breeder, parents: tuple[Individual, ...], offspring: list[Offspring], stream: Stream
) -> tuple[Offspring, ...]:
    """Return *offspring* and those of selected individuals that cross over in random pairs.

    Source: Benbassat & Sipper, section 3.3 and Algorithm 1.
    """
    # Step 1. Select as many individuals as are needed, and cross them over in pairs.
    count, variation = breeder.size - len(offspring), breeder.variation
    drawn = breeder.selector.parents(parents, count, stream.child("parents"))
    round_ = gp.paired_crossover(
        [parents[index].tree for index in drawn],
        [parents[index].fitness for index in drawn],
        variation.crossover,
        breeder.within(breeder.limits.of_offspring),
        stream.child("pairs"),
        ties_are_one_way=variation.recombination.one_way == "fitter_or_equal",
        function_bias=variation.recombination.bias,
    )
    # Step 2. Name the origin of each, and let mutations follow.
    for position, (child, pair) in enumerate(zip(round_.individuals, round_.parents, strict=True)):
        origin = REPRODUCTION
        if position in round_.gave or round_.gave.intersection(pair[1:]):
            origin = "one_way_crossover"
        elif len(pair) == 2:
            origin = CROSSOVER
        bred = Offspring(child, origin, tuple(drawn[index] for index in pair))
        offspring += _finish(breeder, [bred], stream.child("offspring", position))
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
