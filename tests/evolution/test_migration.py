"""Migration: who sends to whom, and that it does what a plain description of it says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.evolution import Evolution, Generation, Individual, evolve, load_config
from evoply.evolution.generation import digest_of
from evoply.evolution.islands import migrated, senders
from evoply.evolution.islands.migration import MIGRATION, emigrants, epoch
from evoply.gp import Limits
from evoply.runs.kept_steps import dumped

SIZE = 12


@cache
def generations(count: int) -> tuple[Generation, ...]:
    """Return generations of islands that differ in their seeds."""
    settings = {"game": "othello-4", "population_size": SIZE, "limits": {"max_nodes": 25}}
    return tuple(next(evolve("quick", seed=seed, **settings)) for seed in range(count))


def with_fitness(generation: Generation, fitness: Sequence[float], twins: int) -> Generation:
    """Return *generation* with other fitness, and its first tree *twins* times more."""
    trees = [individual.tree for individual in generation.individuals]
    trees[1 : 1 + twins] = [trees[0]] * twins
    individuals = tuple(
        Individual(tree, value, "grow") for tree, value in zip(trees, fitness, strict=True)
    )
    return replace(generation, individuals=individuals)


def is_better(first: Individual, place: int, second: Individual, other: int) -> bool:
    """Say whether the first counts as better: fitter, or else smaller, or else earlier."""
    if first.fitness != second.fitness:
        return first.fitness > second.fitness
    if len(first.tree) != len(second.tree):
        return len(first.tree) < len(second.tree)
    return place < other


def extreme(individuals: Sequence[Individual], places: set[int], *, best: bool) -> int:
    """Return the place of the best, or the worst, of those at *places*."""
    found = min(places)
    for place in places:
        if place != found and best == is_better(
            individuals[place], place, individuals[found], found
        ):
            found = place
    return found


def plainly_migrated(
    islands: Sequence[Generation], come_from: Sequence[Sequence[int]], migrants: int
) -> list[list[Individual]]:
    """Return the individuals of all islands after migration: the best for the worst, one by one."""
    after = []
    for island, places in zip(islands, come_from, strict=True):
        individuals, left = list(island.individuals), set(range(len(island.individuals)))
        for sender in places:
            home = islands[sender].individuals
            sent: list[Individual] = []
            at_home = set(range(len(home)))
            while at_home and len(sent) < migrants:
                best = extreme(home, at_home, best=True)
                at_home.discard(best)
                if all(home[best].tree != other.tree for other in sent):
                    sent.append(home[best])
            for migrant in sent:
                worst = extreme(island.individuals, left, best=False)
                left.discard(worst)
                individuals[worst] = Individual(migrant.tree, migrant.fitness, MIGRATION)
        after.append(individuals)
    return after


@given(
    data=st.data(),
    count=st.integers(1, 4),
    migrants=st.integers(0, 3),
    topology=st.sampled_from(["ring", "all", "random"]),
)
def test_migration_does_what_it_says(
    data: st.DataObject, count: int, migrants: int, topology: str
) -> None:
    few = st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=SIZE, max_size=SIZE)
    islands = [
        with_fitness(generation, data.draw(few), data.draw(st.integers(0, 6)))
        for generation in generations(count)
    ]
    come_from = senders(topology, count, Stream(data.draw(st.integers(0, 99))))  # type: ignore[arg-type]
    after = migrated(islands, come_from, migrants)
    expected = plainly_migrated(islands, come_from, migrants)
    assert [list(generation.individuals) for generation in after] == expected
    for before, generation in zip(islands, after, strict=True):
        if before.individuals != generation.individuals:
            assert generation.digest == digest_of(generation)
            assert generation.digest != before.digest
        unmoved = replace(generation, individuals=before.individuals)
        assert unmoved == before


@given(islands=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_a_random_ring_goes_through_all_islands(islands: int, seed: int) -> None:
    sends_to = {
        sender: place for place, (sender,) in enumerate(senders("random", islands, Stream(seed)))
    }
    place, passed = 0, []
    for _ in range(islands):
        passed.append(place)
        place = sends_to[place]
    assert place == 0
    assert sorted(passed) == list(range(islands))


def test_random_rings_differ() -> None:
    assert len({senders("random", 6, Stream(seed)) for seed in range(20)}) > 10


def test_everybody_sends_to_all_others() -> None:
    assert senders("all", 4, Stream(1))[2] == (0, 1, 3)
    assert senders("ring", 4, Stream(1)) == ((3,), (0,), (1,), (2,))
    assert senders("all", 1, Stream(1)) == senders("random", 1, Stream(1)) == ((),)


def test_a_tree_that_is_too_large_for_an_island_stays_away() -> None:
    (generation,) = generations(1)
    sizes = sorted(len(individual.tree) for individual in generation.individuals)
    limits = Limits(max_depth=3, max_nodes=9)
    sent = emigrants(generation, SIZE, limits)
    assert sizes[-1] > 9
    assert 0 < len(sent) < SIZE
    assert all(len(each.tree) <= 9 and each.tree.depth <= 3 for each in sent)


def test_one_of_too_many_terms_for_an_island_stays_away() -> None:
    individual = {"kind": "terms", "most": 6}
    config = load_config("quick", settings={"game": "othello-4", "individual": individual})
    few = load_config(config, settings={"individual": {**individual, "most": 2}})
    generation = next(evolve(config, population_size=20, generations=1))
    sent = emigrants(generation, 20, few.room)
    assert 0 < len(sent) < len(emigrants(generation, 20, config.room))
    assert all(len(each.tree.trees) <= 2 for each in sent)


@pytest.mark.parametrize("steady", [False, True])
def test_survivors_are_those_with_descendants(steady: bool) -> None:
    settings = {"steady_state": {"batch": 4}} if steady else {}
    configs = [
        load_config("quick", settings={"game": "othello-4", "population_size": 30, "seed": seed,
                                       "generations": 9, **settings})
        for seed in (1, 2)
    ]  # fmt: skip
    islands = [next(evolve(config)) for config in configs]
    before = migrated(islands, senders("ring", 2, Stream(1)), 4)[0]
    learner = Evolution(threads=1)
    line = [before]
    for _ in range(3):
        line.append(learner.after(configs[0], line[-1]))
    came = {place for place, each in enumerate(before.individuals) if each.origin == MIGRATION}
    assert len(came) == 4
    made = epoch(configs[0], before, 3, learner)
    assert made.generation.digest == line[-1].digest
    if steady:
        trees = {each.tree for each in line[-1].individuals}
        assert made.survived == sum(before.individuals[place].tree in trees for place in came)
        return
    survived = 0
    for migrant in came:
        family = {migrant}
        for _, generation in pairwise(line):
            family = {
                place
                for place, each in enumerate(generation.individuals)
                if family & set(each.parents)
            }
        survived += bool(family)
    assert made.survived == survived > 0


def test_a_generation_comes_back_from_its_data() -> None:
    config = load_config(
        "quick", ["game=othello-4", "population_size=10", 'selection={kind="lexicase"}']
    )
    *_, last = evolve(config.model_copy(update={"generations": 2}))
    again = Evolution().load(last.config, json.loads(json.dumps(dumped(last))))
    assert again == last
    assert again.digest == last.digest
    assert any(each.cases for each in again.individuals)
    with pytest.raises(ValueError, match=r"Generation\): fresh"):
        Evolution().load(last.config, {**dumped(last), "fresh": None})
