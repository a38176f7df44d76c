"""Options of the engine: demes, steady state, selection, endings, and parts of one's own."""

import math
from collections import Counter
from itertools import islice, pairwise
from typing import Any

import pytest
from engine_settings import config_with, population
from scipy.stats import chisquare

from evoply._native import Stream
from evoply.evolution import (
    Census,
    ParetoSelection,
    config_from_toml,
    evolve,
    front_of,
)
from evoply.evolution.breeding import breed
from evoply.evolution.toolbox import toolbox_of
from evoply.gp import Limits, Tree, parse_tree, subtree_mutation
from evoply.protocols import ConfigError

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
    "double tournament": {"selection": {"kind": "double_tournament", "size": 3}},
    "down-sampled": {"selection": {"kind": "lexicase", "cases": "games", "down_sampling": 0.3}},
    "the best survive": {"survival": {"kind": "best"}, "parsimony": {"kind": "tarpeian"}},
    "NSGA-II": {"selection": {"kind": "pareto"}, "survival": {"kind": "pareto"}},
    "NSGA-II of opponents": {
        "selection": {"kind": "pareto", "objectives": "opponents"},
        "survival": {"kind": "pareto", "objectives": "opponents"},
        "fitness": {"measure": {"kind": "tournament"}},
    },
    "a map": {"selection": {"kind": "uniform"}, "survival": {"kind": "map"}},
    "a map of another kind": {
        "selection": {"kind": "lexicase"},
        "survival": {
            "kind": "map",
            "axes": [{"descriptor": "corners", "bins": 3}, {"descriptor": "length", "bins": 3}],
        },
    },
    "a map and parsimony": {"survival": {"kind": "map"}, "parsimony": {"kind": "tarpeian"}},
    "a map of pairs": {
        "survival": {"kind": "map"},
        "variation": {
            "crossover": 0.8,
            "subtree_mutation": 0.0,
            "point_mutation": 0.0,
            "recombination": {"pairing": "population", "one_way": "fitter"},
        },
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
        assert len(one.individuals) == (24 if config.map is None else one.statistics.cells)
        assert sum(one.census.operators.values()) >= len(one.individuals)
        assert 1 <= one.census.distinct_behaviours <= one.statistics.distinct_trees
        lengths = sorted(len(individual.tree) for individual in one.individuals)
        assert (one.census.sizes[0], one.census.sizes[-1]) == (lengths[0], lengths[-1])


def test_demes_select_within_themselves_and_swap_with_the_next() -> None:
    apart = config_with(population_size=40, elitism=0, demes={"size": 10, "migration": 0.0})
    for place, one in enumerate(breed(toolbox_of(apart).breeder, population(apart), Stream(2))):
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
        for place, one in enumerate(
            breed(toolbox_of(mixed).breeder, population(mixed), Stream(seed))
        )
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
        toolbox_of(config).breeder.selector.worst(population(config), Stream(seed))
        for seed in range(600)
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
    drawn = Counter(
        toolbox_of(config).breeder.selector.worst(individuals, Stream(seed)) for seed in range(6000)
    )
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
        toolbox_of(config).breeder.selector.parents(
            population(config, [-9.0, -4.0, 0.0]), 26_000, Stream(4)
        )
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
    drawn = toolbox_of(config).breeder.selector.parents(individuals, 500, Stream(5))
    assert all(len(individuals[index].tree) <= mean for index in drawn)


def test_a_length_penalty_is_part_of_the_fitness() -> None:
    plain, penalised = (
        next(evolve(config_with(generations=1, **changes)))
        for changes in ({}, {"parsimony": {"kind": "length", "coefficient": 0.01}})
    )
    for one, other in zip(plain.individuals, penalised.individuals, strict=True):
        assert other.fitness == one.fitness - 0.01 * len(one.tree)


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
    assert discs.ended_by(next(evolve(discs))) == "termination"


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
