"""A fitness and operators from outside the package, in the forms that the docs promise."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest

import evoply as ep
from evoply import gp
from evoply._native import Stream
from evoply.evolution import (
    FITNESS,
    OPERATORS,
    Batch,
    EvolutionConfig,
    FitnessKind,
    Measured,
    Operator,
    Population,
    Task,
    Training,
    Variation,
    matches,
)
from evoply.gp import Limits, Tree


def brevity(tree: Tree, stream: Stream) -> float:
    """One tree at a time."""
    return stream.random() - len(tree)


def brevity_of_all(trees: Sequence[Tree], streams: Sequence[Stream]) -> list[float]:
    """All different trees at once."""
    return [stream.random() - len(tree) for tree, stream in zip(trees, streams, strict=True)]


class Rivalry(FitnessKind):
    """Points as Black and as White against the next individual: a kind with games of its own."""

    kind: Literal["rivalry"] = "rivalry"
    pairs: int = 1

    def measured(self, population: Population, training: Training) -> Measured:
        first = np.array(population.who)
        second = np.roll(first, -1)
        schedule = matches(training.games, first, second, self.pairs, training.stream)
        results = training.play(Batch(population.players, schedule))
        points = results.black_points.reshape(-1, self.pairs, 2)
        return Measured(
            fitness=points[:, :, 0].sum(axis=1) + self.pairs - points[:, :, 1].sum(axis=1),
            games=len(schedule),
            work=population.work(schedule, results),
        )

    @property
    def is_relative(self) -> bool:
        return True

    def problems(self, task: Task) -> list[tuple[str, str]]:
        return [("elitism", "must be 0")] if task.elitism else []


def doubled(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    """Put the tree in the place of one of its terminals."""
    leaves = [index for index, node in enumerate(tree) if not node.arity and node.type == tree.type]
    child = tree.replace(leaves[stream.below(len(leaves))], tree)
    return child if len(child) <= limits.max_nodes and child.depth <= limits.max_depth else tree


def longer(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
    """Return the longer of two."""
    return max(first, second, key=len)


def small(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-4",
        "population_size": 16,
        "generations": 3,
        "primitives": "liao",
        "elitism": 0,
        "variation": {"crossover": 0.3},
        "initialisation": {"max_depth": 4},
        "fitness": {"opponents": [{"player": "random", "pairs": 1}]},
        "hall_of_fame": {"pairs": 1, "final_pairs": 1},
    }
    return EvolutionConfig(**{**settings, **changes})


def test_a_batch_of_trees_gets_the_fitness_of_each() -> None:
    one, batch = (
        [generation.individuals for generation in ep.evolve(small(), fitness=fitness)]
        for fitness in (brevity, brevity_of_all)
    )
    assert one == batch
    # Every tree has a stream of the same draws, so luck is the same for all.
    luck = {round((one.fitness + len(one.tree)) % 1, 9) for one in batch[0]}
    assert len(luck) == 1
    with pytest.raises(ValueError, match="gave 1 numbers for"):
        next(ep.evolve(small(), fitness=lambda trees, streams: [0.0]))
    with pytest.raises(TypeError, match="is not a fitness"):
        ep.evolve(small(), fitness=3)  # type: ignore[arg-type]


def test_a_kind_of_ones_own_plays_its_own_games() -> None:
    config = small(parsimony={"kind": "length", "coefficient": 0.01})
    generations = list(ep.evolve(config, fitness=Rivalry(pairs=2), threads=1))
    again = list(ep.evolve(config, fitness=Rivalry(pairs=2), threads=2))
    assert [one.digest for one in generations] == [one.digest for one in again]
    for generation in generations:
        points = [one.fitness + 0.01 * len(one.tree) for one in generation.individuals]
        assert {2 * value for value in np.round(points, 6)} <= set(range(9))
    assert Rivalry not in FITNESS  # nothing registers itself
    with pytest.raises(ValueError, match="Rivalry does not fit: elitism: must be 0"):
        ep.evolve(small(elitism=1), fitness=Rivalry())
    with pytest.raises(ValueError, match="what is perfect"):
        list(
            ep.evolve(small(selection={"kind": "roulette", "scale": "adjusted"}), fitness=Rivalry())
        )


@pytest.mark.parametrize("individual", [{"kind": "tree"}, {"kind": "sum"}, {"kind": "adf"}])
def test_operators_of_ones_own_have_our_signatures(individual: dict[str, Any]) -> None:
    # Ours and a user's, mutations and recombinations, on trees and on individuals of several.
    operators = {
        "doubled": doubled,
        "longer": longer,
        "ours": gp.point_mutation,
        "crossed": gp.subtree_crossover,
    }
    config = small(
        individual=individual,
        variation={"crossover": 0.1, "custom": dict.fromkeys(operators, 0.18)},
    )
    generations = list(ep.evolve(config, operators=operators))
    counts = {name: 0 for name in operators}
    for before, after in pairwise(generations):
        for one in after.individuals:
            if one.origin not in operators:
                continue
            counts[one.origin] += 1
            parents = [before.individuals[place].tree for place in one.parents]
            assert len(parents) == (2 if one.origin in ("longer", "crossed") else 1)
            if one.origin == "longer" and individual["kind"] == "tree":
                assert one.tree == max((tree for tree in parents), key=len)
            if one.origin == "ours":
                assert len(one.tree) == len(parents[0])
    assert all(counts.values())
    resumed = ep.evolve(config, operators=operators, resume_from=generations[0])
    assert [one.digest for one in resumed] == [one.digest for one in generations[1:]]


def test_a_row_brings_its_usual_rate() -> None:
    row = Operator("doubled", doubled, "A leaf becomes the whole tree.", rate=0.5)
    by_row = list(ep.evolve(small(), operators={"doubled": row}))
    rated = small(variation=Variation(crossover=0.3, custom={"doubled": 0.25}))
    given = list(ep.evolve(rated, operators={"doubled": row}))
    counts = [run[-1].census.operators.get("doubled", 0) for run in (by_row, given)]
    assert counts[0] > counts[1]
    resumed = ep.evolve(small(), operators={"doubled": row}, resume_from=by_row[1])
    assert [one.digest for one in resumed] == [by_row[2].digest]
    too_often = Operator("doubled", doubled, "", rate=0.9)
    with pytest.raises(ValueError, match="more than 1"):
        ep.evolve(small(), operators={"doubled": too_often})
    for_sums = Operator("doubled", doubled, "", rate=0.1, individuals=("sum",))
    with pytest.raises(ValueError, match="for individuals of kind sum, not tree"):
        ep.evolve(small(), operators={"doubled": for_sums})
    with pytest.raises(ValueError, match="takes 1 argument"):
        list(ep.evolve(rated, operators={"doubled": lambda tree: tree}))


def test_a_row_may_take_the_whole_individual() -> None:
    seen: list[str] = []

    def swapped(individual: gp.Forest, limits: Limits, stream: Stream) -> gp.Forest:
        seen.append(individual.role)
        return gp.Forest(individual.role, individual.trees[::-1], individual.percents)

    row = Operator("swapped", swapped, "Both trees change places.", rate=0.2, takes="individual")
    config = small(individual={"kind": "phases", "percents": [50, 50]})
    generations = list(ep.evolve(config, operators={"swapped": row}))
    swaps = [
        (one, generations[0].individuals[one.parents[0]].tree)
        for one in generations[1].individuals
        if one.origin == "swapped"
    ]
    assert seen
    assert all(gp.branches(one.tree) == gp.branches(parent)[::-1] for one, parent in swaps)


def test_every_row_of_the_table_is_a_key_with_its_usual_rate() -> None:
    assert Variation().rates == {one.name: one.rate for one in OPERATORS}
    for one in OPERATORS:
        field = Variation.model_fields[one.name]
        assert field.description == one.meaning
        assert field.default == one.rate
    used = small(variation={"crossover": 0.5, "hoist_mutation": 0.25})
    assert used.resolved_settings()["variation"]["hoist_mutation"] == 0.25
    assert used.resolved_settings()["variation"]["constant_mutation"] == 0.0
