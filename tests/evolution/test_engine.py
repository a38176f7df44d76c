"""Options of the engine: demes, steady state, what comes after an operator, seeds, endings."""

import math
from collections import Counter
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from evoply import gp
from evoply._native import Stream
from evoply.evolution import (
    Census,
    EvolutionConfig,
    Individual,
    ParetoSelection,
    config_from_toml,
    evolve,
    front_of,
    individual_player,
    is_finished,
    primitive_set_of,
)
from evoply.evolution.breeding import breed, first_population, offspring_of, selector_of
from evoply.gp import GenerationError, Limits, Tree, parse_tree, subtree_mutation
from evoply.players import save_player
from evoply.protocols import ConfigError


def config_with(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 3,
        "population_size": 24,
        "generations": 4,
        "fitness": {"opponents": [{"player": "random", "pairs": 2}]},
        "hall_of_fame": {"size": 3, "candidates": 2, "sample": 3, "pairs": 1, "final_pairs": 2},
    }
    return EvolutionConfig(**{**settings, **changes})


def population(config: EvolutionConfig, fitness: Any = None) -> tuple[Individual, ...]:
    trees = [one.tree for one in first_population(config, Stream(1))]
    count = len(trees)
    values = [index / count for index in range(count)] if fitness is None else fitness
    return tuple(Individual(tree, value, "grow") for tree, value in zip(trees, values, strict=True))


ENGINES: dict[str, dict[str, Any]] = {
    "demes": {"demes": {"size": 6, "migration": 0.7}},
    "steady state": {"steady_state": {"batch": 3}, "elitism": 2},
    "steady demes": {"steady_state": {"batch": 4}, "demes": {"size": 6, "migration": 0.7}},
    "steady roulette": {
        "steady_state": {},
        "selection": {"kind": "roulette", "scale": "adjusted"},
        "fitness": {
            "measure": {"kind": "opponent_discs"},
            "opponents": [{"player": "random", "games": 3}],
        },
    },
    "lexicase": {"selection": {"kind": "lexicase", "cases": "games"}},
    "pareto": {"selection": {"kind": "pareto"}},
    "pareto coevolution": {
        "selection": {"kind": "pareto", "objectives": "opponents"},
        "fitness": {"measure": {"kind": "tournament"}},
    },
    "tarpeian": {"parsimony": {"kind": "tarpeian"}},
    "covariant": {
        "parsimony": {"kind": "covariant"},
        "selection": {"kind": "roulette", "scale": "adjusted"},
    },
    "penalty": {"parsimony": {"kind": "length"}},
    "everything": {
        "variation": {
            "crossover": 0.4,
            "creation": 0.1,
            "swap_mutation": 0.1,
            "shrink_mutation": 0.1,
            "hoist_mutation": 0.1,
            "afterwards": {
                "swap_mutation": 0.3,
                "shrink_mutation": 0.2,
                "subtree_mutation": 0.1,
                "point_mutation": 0.1,
                "constant_mutation": 0.1,
            },
            "recombination": {"children": 2, "one_way": "fitter", "points": "uniform"},
        },
    },
}


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_resumes_to_the_same_digests(name: str) -> None:
    config = config_with(**ENGINES[name])
    generations = list(evolve(config, threads=1))
    digests = [one.digest for one in generations]
    assert len(set(digests)) == 4
    assert [one.digest for one in evolve(config, threads=2)] == digests
    resumed = evolve(config, resume_from=generations[1])
    assert [one.digest for one in resumed] == digests[2:]
    for one in generations:
        assert len(one.individuals) == 24
        assert sum(one.census.operators.values()) >= 24
        assert 1 <= one.census.distinct_behaviours <= one.statistics.distinct_trees
        lengths = sorted(len(individual.tree) for individual in one.individuals)
        assert (one.census.sizes[0], one.census.sizes[-1]) == (lengths[0], lengths[-1])


def test_demes_select_within_themselves_and_swap_with_the_next() -> None:
    apart = config_with(population_size=40, elitism=0, demes={"size": 10, "migration": 0.0})
    for place, one in enumerate(breed(apart, population(apart), Stream(2))):
        assert {parent // 10 for parent in one.parents} <= {place // 10}
    mixed = config_with(
        population_size=40,
        elitism=0,
        demes={"size": 10, "migration": 1.0},
        selection={"kind": "tournament", "size": 1},
    )
    outside = Counter(
        (place // 10, parent // 10)
        for seed in range(60)
        for place, one in enumerate(breed(mixed, population(mixed), Stream(seed)))
        for parent in one.parents
        if parent // 10 != place // 10
    )
    # Neighbours, the last deme's next being the first; one individual may travel further on.
    assert outside[1, 0] > 0 < outside[0, 1]
    assert outside[0, 3] > 0 < outside[3, 0]
    assert sum(outside.values()) < 60 * 80 / 2


def test_a_steady_state_replaces_the_bad_and_spares_the_best() -> None:
    config = config_with(steady_state={"batch": 2}, elitism=3, generations=3)
    for before, after in pairwise(evolve(config)):
        survivors = {
            place: one for place, one in enumerate(after.individuals) if one.origin == "survivor"
        }
        assert 0 < len(survivors) < 24
        for place, one in survivors.items():
            assert one.parents == (place,)
            assert (one.tree, one.fitness) == (
                before.individuals[place].tree,
                before.individuals[place].fitness,
            )
        assert after.statistics.best >= before.statistics.best
    worst = Counter(
        selector_of(config).worst(population(config), Stream(seed)) for seed in range(3000)
    )
    assert worst[0] > worst[5] > worst[12]


def test_demes_in_a_steady_state_keep_to_themselves() -> None:
    demes = {"size": 8, "migration": 0.0}
    # A batch ends with its deme: 5 and 3 offspring, not 5 and 5.
    config = config_with(steady_state={"batch": 5}, demes=demes, elitism=0, generations=3)
    for before, after in pairwise(evolve(config)):
        assert {one.origin for one in after.individuals} != {"survivor"}
        for place, one in enumerate(after.individuals):
            assert {parent // 8 for parent in one.parents} <= {place // 8}
        assert len(before.individuals) == len(after.individuals) == 24
    # With migration, whoever came from the next deme is where one of this deme was.
    mixed = config_with(
        steady_state={"batch": 1}, demes={"size": 8, "migration": 1.0}, elitism=24, generations=2
    )
    _, after = evolve(mixed)  # elites are never replaced: what moved is the migration alone
    assert {one.origin for one in after.individuals} == {"survivor"}
    places = [one.parents[0] for one in after.individuals]
    assert sorted(places) == list(range(24))
    assert 2 <= sum(place != parent for place, parent in enumerate(places)) <= 6


def test_the_worst_are_drawn_by_their_distance_from_perfect() -> None:
    config = config_with(population_size=4, selection={"kind": "roulette", "scale": "adjusted"})
    individuals = population(config, [1.0, 0.75, 0.5, 0.25])
    drawn = Counter(selector_of(config).worst(individuals, Stream(seed)) for seed in range(6000))
    assert drawn[0] == 0
    observed = [drawn[index] for index in (1, 2, 3)]
    assert chisquare(observed, [1000, 2000, 3000]).pvalue > 1e-4


def test_adjusted_roulette_is_one_over_one_plus_the_discs() -> None:
    config = config_with(
        population_size=3,
        selection={"kind": "roulette", "scale": "adjusted"},
        fitness={"measure": {"kind": "opponent_discs"}},
    )
    drawn = Counter(
        selector_of(config).parents(population(config, [-9.0, -4.0, 0.0]), 26_000, Stream(4))
    )
    assert chisquare([drawn[index] for index in range(3)], [2000, 4000, 20_000]).pvalue > 1e-4


def test_tarpeian_selection_drops_longer_ones_at_its_rate() -> None:
    config = config_with(
        population_size=200,
        selection={"kind": "tournament", "size": 1},
        parsimony={"kind": "tarpeian", "probability": 1.0},
    )
    individuals = population(config)
    mean = sum(len(one.tree) for one in individuals) / 200
    drawn = selector_of(config).parents(individuals, 500, Stream(5))
    assert all(len(individuals[index].tree) <= mean for index in drawn)


def test_a_length_penalty_is_part_of_the_fitness() -> None:
    plain, penalised = (
        next(evolve(config_with(generations=1, **changes)))
        for changes in ({}, {"parsimony": {"kind": "length", "coefficient": 0.01}})
    )
    for one, other in zip(plain.individuals, penalised.individuals, strict=True):
        assert other.fitness == one.fitness - 0.01 * len(one.tree)


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
    offspring = breed(config, parents, Stream(6))
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
        offspring_of(config, parents, (first, second), 0, Stream(first, second))
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
    offspring = breed(config, population(config), Stream(7))
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
    origins = [one.origin.split(", ")[1:] for one in breed(config, population(config), Stream(7))]
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


@pytest.mark.parametrize("method", ["ramped_half_and_half", "ramped_grow", "ramped_full", "grow"])
def test_every_method_creates_trees_as_the_functions_of_gp_do(method: str) -> None:
    """One rule for trying again, whatever the method is: that of `gp.create`."""
    config = config_with(population_size=60, primitives="liao", initialisation={"method": method})
    settings = config.initialisation
    created = gp.create(
        primitive_set_of(config), settings.method, 60, Stream(8),
        min_depth=settings.min_depth, max_depth=settings.max_depth, limits=config.limits.of_trees,
        duplicates=settings.duplicates,
    )  # fmt: skip
    assert [one.tree for one in first_population(config, Stream(8))] == created


@pytest.mark.parametrize("method", ["ramped_half_and_half", "ramped_grow", "ramped_full", "grow"])
def test_duplicates_are_treated_as_asked(method: str) -> None:
    def made(duplicates: str, size: int, depth: int = 4) -> list[Tree]:
        config = config_with(
            population_size=size,
            primitives="liao",
            initialisation={"method": method, "max_depth": depth, "duplicates": duplicates},
        )
        return [one.tree for one in first_population(config, Stream(8))]

    assert len(set(made("refuse", 200))) == 200
    # 4 functions of two of nine terminals: 324 trees of depth 2, and no more.
    config = config_with(
        population_size=400,
        primitives="liao",
        initialisation={"method": method, "max_depth": 2, "duplicates": "refuse"},
        limits={"max_depth": 2},
    )
    with pytest.raises(GenerationError, match="equals an earlier one"):
        first_population(config, Stream(8))
    assert len(set(made("allow", 200, depth=2))) < 200


def test_ramps_go_through_their_depths() -> None:
    for method in ("ramped_full", "ramped_grow"):
        config = config_with(
            population_size=50, initialisation={"method": method, "min_depth": 2, "max_depth": 6}
        )
        depths = [one.tree.depth for one in first_population(config, Stream(9))]
        limits = [2 + place % 5 for place in range(50)]
        assert all(depth <= limit for depth, limit in zip(depths, limits, strict=True))
        if method == "ramped_full":
            assert depths == limits


def test_a_population_can_begin_with_saved_players(tmp_path: Path) -> None:
    config = config_with(generations=2)
    best = list(evolve(config))[-1].best.tree
    path = tmp_path / "best.json"
    save_player(path, individual_player(config, best), game="othello-6")
    seeds = [str(path), "( - white black )"]
    seeded = config_with(initialisation={"seeds": seeds})
    first = first_population(seeded, Stream(1))
    assert [one.origin for one in first[:3]] == ["seed", "seed", "ramped_half_and_half"]
    assert first[0].tree == best
    assert first[0].tree.primitive_set is primitive_set_of(seeded)
    assert len(first) == 24
    wrong = {
        "greedy": "initialisation.seeds.0",
        str(tmp_path / "none.json"): "initialisation.seeds.0",
        "( white": "initialisation.seeds.0",
        "random": "initialisation.seeds.0",
    }
    for text, where in wrong.items():
        if text == "greedy":
            continue
        with pytest.raises(ConfigError) as caught:
            config_with(initialisation={"seeds": [text]})
        assert caught.value.errors[0][0] == where
    with pytest.raises(ConfigError, match="which the set letters lacks"):
        config_with(primitives="letters", initialisation={"seeds": [str(path)]})
    with pytest.raises(ConfigError, match="over the limits"):
        config_with(
            initialisation={"seeds": ["( - white ( - white ( - white black ) ) )"], "max_depth": 3},
            limits={"max_depth": 3},
        )
    with pytest.raises(ConfigError, match="more than population_size"):
        config_with(population_size=2, initialisation={"seeds": ["( white )"] * 3})


def test_a_run_ends_when_its_best_is_good_enough() -> None:
    generations = list(evolve(config_with(generations=8)))
    best = [one.statistics.best for one in generations]
    place = next(index for index, value in enumerate(best) if value > best[0])
    wanted = (best[0] + best[place]) / 2
    ended = list(evolve(config_with(generations=8, termination={"fitness": wanted})))
    assert [one.digest for one in ended] == [one.digest for one in generations[: place + 1]]
    discs = config_with(
        fitness={"measure": {"kind": "opponent_discs"}}, termination={"fitness": 1000.0}
    )
    assert len(list(evolve(discs))) == 1
    never = config_with(
        fitness={"measure": {"kind": "opponent_discs"}}, termination={"fitness": 0.0}
    )
    assert len(list(evolve(never))) == 4
    assert is_finished(discs, next(evolve(discs)))


def test_the_front_is_whom_nobody_smaller_equals() -> None:
    config = config_with(selection=ParetoSelection())
    individuals = list(evolve(config))[-1].individuals
    front = front_of(individuals)
    for one in front:
        assert not any(
            (other.fitness >= one.fitness and len(other.tree) < len(one.tree))
            or (other.fitness > one.fitness and len(other.tree) <= len(one.tree))
            for other in individuals
        )
    assert [one.fitness for one in front] == sorted((one.fitness for one in front), reverse=True)
    assert max(one.fitness for one in individuals) == front[0].fitness


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('fitness.measure.kind="opponent_discs"\nselection.kind="roulette"', "selection.scale"),
        ('fitness.measure.kind="opponent_discs"\nselection.kind="greedy"', "selection.scale"),
        ('parsimony.kind="length"\nselection.kind="roulette"', "selection.scale"),
        ("demes.size=7", "demes.size"),
        ('demes.size=100\nselection.kind="greedy"', "demes"),
        ('steady_state={}\nselection.kind="pareto"', "steady_state"),
        ('steady_state={}\nfitness.measure="25Co"', "steady_state"),
        ("steady_state={}\nfitness.measure={kind='points', sharing=true}", "steady_state"),
        (
            'fitness.measure={kind="tournament",format="elimination"}\nselection.kind="lexicase"',
            "selection.kind",
        ),
        ('fitness.measure="25Co"\nselection={kind="lexicase",cases="games"}', "selection.cases"),
        ('selection.kind="lexicase"\nparsimony.kind="covariant"', "parsimony"),
        (
            'fitness={measure={kind="tournament"},earlier_generations={champions=1}}',
            "fitness.earlier_generations.champions",
        ),
        ('fitness.measure={kind="guides",co_play=0}', "fitness.measure"),
        ('fitness={measure="25Co",sides="white"}', "fitness.sides"),
        (
            'fitness.measure.kind="opponent_discs"\ntermination={fitness=0,good_runs=5}',
            "termination.good_runs",
        ),
        ("termination={fitness=1.0,good_runs=1}", "termination.good_runs"),
        ("termination={good_runs=1}", "termination.fitness"),
        ('fitness.measure={kind="epoch_discs",start=50.0,end=20.0}', "fitness.measure"),
        ('fitness.measure={kind="epoch_discs",gain="nett"}', "fitness.measure.gain"),
        ('fitness.measure={kind="points",gain="net"}', "fitness.measure.gain"),
        ('fitness.measure={kind="pints"}', "fitness.measure.kind"),
        ('fitness.measure="pints"', "fitness.measure"),
        ('fitness.measure={kind="guides",guides=[{player="nobody"}]}',
         "fitness.measure.guides.0.player"),
        ('fitness.measure={kind="guides",guides=[{player="swh"}]}',
         "fitness.measure.guides.0.player"),
        ('parsimony={kind="tarpeian",probability=2.0}', "parsimony.probability"),
        ('parsimony={kind="tarpeian",coefficient=2.0}', "parsimony.coefficient"),
        ("variation.custom={crossover=0.1}", "variation"),
        ("variation.custom={mine=1.5}", "variation"),
        ("variation={crossover=0.9,creation=0.2}", "variation"),
        ("selection={kind='tournament',size=1,two_best=true}", "selection"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_named(text: str, path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from_toml(f"generations=2\n{text}")
    assert path in dict(caught.value.errors)


def shortest(tree: Tree, stream: Stream) -> float:
    return -float(len(tree))


def fresh_leaf(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
    return subtree_mutation(first, limits, stream, max_subtree_depth=1)


def test_a_fitness_and_an_operator_of_ones_own() -> None:
    config = config_with(variation={"crossover": 0.3, "custom": {"leaf": 0.5}})
    own = {"fitness": shortest, "operators": {"leaf": fresh_leaf}}
    generations = list(evolve(config, **own))  # type: ignore[arg-type]
    for one in generations[-1].individuals:
        assert one.fitness == -len(one.tree)
    assert generations[-1].census.operators["leaf"] > 4
    assert generations[-1].statistics.mean_size < generations[0].statistics.mean_size
    again = evolve(config, resume_from=generations[1], **own)  # type: ignore[arg-type]
    assert [one.digest for one in again] == [one.digest for one in generations[2:]]


def test_wrong_parts_of_ones_own_are_named() -> None:
    config = config_with(variation={"crossover": 0.0, "custom": {"leaf": 0.8}})
    with pytest.raises(ValueError, match=r"operators=\{'leaf'"):
        evolve(config)
    with pytest.raises(ValueError, match=r"set variation\.custom\.twig"):
        evolve(config, operators={"leaf": fresh_leaf, "twig": fresh_leaf})

    def wrong_tree(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Any:
        return "( white )"

    def too_large(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
        tree = parse_tree("( + white black )", first.primitive_set)
        while len(tree) <= limits.max_nodes:
            tree = tree.replace(1, tree)
        return tree

    def other_set(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
        from evoply.expressions import PRIMITIVE_SETS

        return parse_tree("( + aa bb )", PRIMITIVE_SETS["letters"])

    for operator, message in (
        (wrong_tree, "not a tree"),
        (too_large, "the limits are"),
        (other_set, "not a primitive"),
    ):
        with pytest.raises(ValueError, match=message):
            list(islice(evolve(config, operators={"leaf": operator}), 2))
    for value in (math.nan, math.inf, "good", None):
        with pytest.raises(ValueError, match="finite number"):
            next(evolve(config_with(), fitness=lambda tree, stream, value=value: value))
    with pytest.raises(ValueError, match="lexicase"):
        evolve(config_with(selection={"kind": "lexicase"}), fitness=shortest)


def test_an_older_generation_has_an_empty_census() -> None:
    assert Census().operators == {}
    assert Census().one_way_share is None
