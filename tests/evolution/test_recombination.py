"""What becomes of a pair of parents: two children, the fitter first, and mutations afterwards."""

import math
from collections import Counter

import pytest
from engine_settings import config_with, population

from evoply._native import Stream
from evoply.evolution.breeding import breed, offspring_of
from evoply.evolution.toolbox import toolbox_of
from evoply.protocols import ConfigError


def test_two_children_are_two_halves_of_one_crossover() -> None:
    config = config_with(
        population_size=300,
        elitism=0,
        variation={
            "crossover": 0.9,
            "subtree_mutation": 0.0,
            "point_mutation": 0.0,
            "recombination": {"children": 2, "points": "gpjpp"},
        },
    )
    parents = population(config)
    offspring = breed(toolbox_of(config).breeder, parents, Stream(6))
    assert len(offspring) == 300
    crossed = sum(one.origin == "crossover" for one in offspring)
    # 90 % of the events make two.
    assert abs(crossed / 300 - 1.8 / 1.9) < 0.06
    place = 0
    while place < 299:
        first, second = offspring[place : place + 2]
        if first.origin == "crossover":
            assert second.parents == first.parents[::-1]
            nodes = [parents[index].tree.nodes for index in first.parents]
            children = Counter(first.tree.nodes) + Counter(second.tree.nodes)
            assert children == Counter(nodes[0]) + Counter(nodes[1])
            place += 1
        place += 1


@pytest.mark.parametrize(
    ("one_way", "fitness", "share"),
    [
        ("fitter", 0.0, 0.0),
        ("fitter_or_equal", 0.0, 1.0),
        ("fitter", None, 0.5),
        ("never", None, 0),
    ],
)
def test_the_fitter_first_parent_gives_and_stays(
    one_way: str, fitness: float | None, share: float
) -> None:
    config = config_with(
        population_size=60,
        elitism=0,
        selection={"kind": "tournament", "size": 1},
        variation={
            "crossover": 1.0,
            "subtree_mutation": 0.0,
            "point_mutation": 0.0,
            "recombination": {"one_way": one_way, "children": 2},
        },
    )
    parents = population(config, None if fitness is None else [fitness] * 60)
    made = [
        offspring_of(toolbox_of(config).breeder, parents, (first, second), 0, Stream(first, second))
        for first in range(60)
        for second in range(60)
        if first != second
    ]
    one_ways = [pair for pair in made if pair[0].origin == "one_way_crossover"]
    assert len(one_ways) / len(made) == share
    for receiver, donor in one_ways:
        giver, taker = receiver.parents[1], receiver.parents[0]
        assert donor.tree == parents[giver].tree
        assert donor.parents == (giver,)
        assert parents[giver].fitness >= parents[taker].fitness


def test_mutations_afterwards_come_at_their_own_rates_and_in_order() -> None:
    config = config_with(
        population_size=3000,
        elitism=2,
        initialisation={"max_depth": 3},
        variation={
            "crossover": 0.5,
            "creation": 0.2,
            "afterwards": {"swap_mutation": 0.3, "shrink_mutation": 0.1},
        },
    )
    offspring = breed(toolbox_of(config).breeder, population(config), Stream(7))
    assert [one.origin for one in offspring[:2]] == ["elite", "elite"]
    origins = [one.origin.split(", ") for one in offspring[2:]]
    for name, rate in {"swap_mutation": 0.3, "shrink_mutation": 0.1}.items():
        share = sum(name in origin[1:] for origin in origins) / len(origins)
        assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / len(origins))
    both = [origin[1:] for origin in origins if len(origin) == 3]
    assert both
    assert set(map(tuple, both)) == {("swap_mutation", "shrink_mutation")}
    created = [one for one in offspring if one.origin.startswith("creation")]
    assert abs(len(created) / 3000 - 0.2) < 0.04
    assert all(one.parents == () for one in created)


def test_of_mutations_afterwards_at_most_one_may_come() -> None:
    """One draw decides: each has its share of all offspring, and none mutates twice."""
    rates = {"subtree_mutation": 0.3, "local_mutation": 0.2}
    config = config_with(
        population_size=3000,
        elitism=0,
        initialisation={"max_depth": 3},
        variation={"crossover": 0.5, "afterwards": {"at_most_one": True, **rates}},
    )
    origins = [
        one.origin.split(", ")[1:]
        for one in breed(toolbox_of(config).breeder, population(config), Stream(7))
    ]
    assert max(map(len, origins)) == 1
    for name, rate in rates.items():
        share = sum(name in origin for origin in origins) / len(origins)
        assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / len(origins))


def test_shares_of_one_mutation_add_up_to_one_at_most() -> None:
    with pytest.raises(ConfigError, match=r"variation.afterwards: the rates add up to 1.2"):
        config_with(
            variation={
                "afterwards": {
                    "at_most_one": True, "subtree_mutation": 0.6, "local_mutation": 0.6,
                }
            }
        )  # fmt: skip
