"""Breeding: places, rates, elites and limits."""

from collections import Counter
from typing import Literal

import pytest
from engine_settings import population

from evoply._native import Stream
from evoply.evolution import (
    Afterwards,
    EvolutionConfig,
    GreedySelection,
    Initialisation,
    RouletteSelection,
    Selection,
    SizeLimits,
    TournamentSelection,
    Variation,
)
from evoply.evolution.breeding import breed, draw_operator, first_population
from evoply.evolution.toolbox import toolbox_of


@pytest.mark.parametrize("method", ["ramped_half_and_half", "grow", "full"])
def test_the_first_population_obeys_its_settings(
    method: Literal["ramped_half_and_half", "grow", "full"],
) -> None:
    config = EvolutionConfig(
        generations=1,
        population_size=200,
        initialisation=Initialisation(method=method, max_depth=9),
        limits=SizeLimits(max_depth=9, max_nodes=30),
    )
    trees = [one.tree for one in first_population(toolbox_of(config).breeder, Stream(5))]
    assert len(trees) == 200
    assert max(len(tree) for tree in trees) <= 30
    assert max(tree.depth for tree in trees) <= 9
    assert len(set(trees)) > 100
    assert trees == [one.tree for one in first_population(toolbox_of(config).breeder, Stream(5))]


def test_offspring_stay_within_limits_and_name_their_parents() -> None:
    config = EvolutionConfig(
        generations=1,
        population_size=300,
        elitism=3,
        initialisation=Initialisation(max_depth=4),
        limits=SizeLimits(max_depth=5, max_nodes=20),
    )
    parents = population(config)
    offspring = breed(toolbox_of(config).breeder, parents, Stream(2))
    assert len(offspring) == 300
    assert all(len(one.tree) <= 20 and one.tree.depth <= 5 for one in offspring)
    for one in offspring:
        assert len(one.parents) == (2 if one.origin == "crossover" else 1)
        assert all(0 <= index < 300 for index in one.parents)
    for one in offspring:
        if one.origin in ("elite", "reproduction"):
            assert one.tree == parents[one.parents[0]].tree
    assert [one.origin for one in offspring[:4]].count("elite") == 3
    assert [one.parents[0] for one in offspring[:3]] == [299, 298, 297]


def test_operators_come_at_their_rates() -> None:
    config = EvolutionConfig(
        generations=1,
        population_size=4000,
        elitism=0,
        initialisation=Initialisation(max_depth=3),
        variation=Variation(
            crossover=0.4,
            subtree_mutation=0.3,
            point_mutation=0.1,
            constant_mutation=0.05,
            reproduction=0.05,
        ),
    )
    counts = Counter(
        one.origin for one in breed(toolbox_of(config).breeder, population(config), Stream(3))
    )
    expected = {
        "crossover": 0.4,
        "subtree_mutation": 0.3,
        "point_mutation": 0.1,
        "constant_mutation": 0.05,
        "reproduction": 0.15,
    }
    for origin, rate in expected.items():
        # Five standard errors.
        assert abs(counts[origin] / 4000 - rate) < 5 * (rate * (1 - rate) / 4000) ** 0.5


def test_all_reproduction_copies_everything() -> None:
    nothing = Variation(crossover=0, subtree_mutation=0, point_mutation=0, reproduction=0)
    assert draw_operator(nothing, 0.0) == "reproduction"
    assert draw_operator(nothing, 0.999) == "reproduction"
    assert (
        draw_operator(
            Variation(crossover=1, subtree_mutation=0, point_mutation=0, reproduction=0), 0.999
        )
        == "crossover"
    )


def test_one_draw_does_not_shift_another() -> None:
    config = EvolutionConfig(generations=1, population_size=60, elitism=0)
    parents = population(config)
    all_crossover = config.variation.model_copy(update={"crossover": 0.9, "subtree_mutation": 0.0})
    changed = EvolutionConfig(**{**dict(config), "variation": all_crossover})
    before = breed(toolbox_of(config).breeder, parents, Stream(4))
    after = breed(toolbox_of(changed).breeder, parents, Stream(4))
    same = [
        (one, other) for one, other in zip(before, after, strict=True) if one.origin == other.origin
    ]
    assert len(same) > 40
    assert all(one == other for one, other in same)


@pytest.mark.parametrize(
    "selection",
    [TournamentSelection(size=4), RouletteSelection(), GreedySelection()],
    ids=lambda selection: selection.kind,
)
def test_selection_prefers_the_fitter(selection: Selection) -> None:
    config = EvolutionConfig(generations=1, population_size=100, selection=selection)
    parents = population(config)
    drawn = toolbox_of(config).breeder.selector.parents(parents, 5000, Stream(6))
    assert sum(index >= 50 for index in drawn) > 3000


def test_trees_are_made_less_deep_until_they_meet_the_limit() -> None:
    full = Initialisation(method="full", min_depth=1, max_depth=20)
    limits = SizeLimits(max_depth=20, max_nodes=1)
    config = EvolutionConfig(generations=1, initialisation=full, limits=limits, population_size=2)
    # Only a single leaf does.
    assert all(
        len(one.tree) == 1 for one in first_population(toolbox_of(config).breeder, Stream(1))
    )


def test_local_mutation_is_an_operator_and_may_come_afterwards() -> None:
    settings = {"crossover": 0.0, "subtree_mutation": 0.0, "point_mutation": 0.0}
    alone = EvolutionConfig(
        generations=1,
        population_size=400,
        elitism=0,
        primitives="benbassat-6",
        game="othello-6",
        initialisation=Initialisation(max_depth=4),
        variation=Variation(**settings, local_mutation=0.5),
    )
    afterwards = alone.model_copy(
        update={"variation": Variation(**settings, afterwards=Afterwards(local_mutation=0.5))}
    )
    for config, name in ((alone, "local_mutation"), (afterwards, "reproduction, local_mutation")):
        parents = population(config)
        offspring = [
            one
            for one in breed(toolbox_of(config).breeder, parents, Stream(2))
            if one.origin == name
        ]
        assert 150 < len(offspring) < 250
        for one in offspring:
            before, after = parents[one.parents[0]].tree, one.tree
            assert [node.arity for node in before.nodes] == [node.arity for node in after.nodes]
            assert sum(a != b for a, b in zip(before.nodes, after.nodes, strict=True)) <= 1
