"""Selection and survival from outside the package, and NSGA-II by what it promises."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply import gp
from evoply._native import Stream
from evoply.evolution import (
    SELECTIONS,
    SURVIVALS,
    Candidates,
    EvolutionConfig,
    Generation,
    Individual,
    OwnChoice,
    front_of,
)
from evoply.gp import Tree
from evoply.runs import advance


def small(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-4",
        "population_size": 16,
        "generations": 4,
        "primitives": "liao",
        "initialisation": {"max_depth": 4},
        "fitness": {"opponents": [{"player": "random", "pairs": 1}]},
        "hall_of_fame": {"pairs": 1, "final_pairs": 1},
    }
    return EvolutionConfig(**{**settings, **changes})


def double_tournament(
    candidates: Candidates, count: int, stream: Stream, *, parsimony: float = 1.4
) -> Sequence[int]:
    """Fitness tournaments of three, whose winners meet in pairs on size."""

    def fittest() -> int:
        picks = [stream.below(len(candidates)) for _ in range(3)]
        return max(picks, key=lambda pick: candidates.fitness[pick])

    chosen = []
    for _ in range(count):
        small, large = sorted((fittest(), fittest()), key=lambda one: candidates.lengths[one])
        chosen.append(small if stream.random() < parsimony / 2 else large)
    return chosen


def youngest(candidates: Candidates, count: int, stream: Stream) -> np.ndarray:
    """Offspring first, then the last parents."""
    assert candidates.parents == count == len(candidates) - count
    return np.arange(len(candidates))[-count:]


def of_its_text(tree: Tree, stream: Stream) -> float:
    """The same for a tree in every generation; some larger trees are fitter."""
    return float(len(tree) * 7 % 30 + len(str(tree)) % 5)


def digests(generations: Sequence[Generation]) -> list[str]:
    return [generation.digest for generation in generations]


def test_a_selection_of_ones_own_chooses_the_parents() -> None:
    seen: list[Candidates] = []

    def last(candidates: Candidates, count: int, stream: Stream) -> list[int]:
        seen.append(candidates)
        return [len(candidates) - 1] * count

    generations = list(ep.evolve(small(elitism=0), selection=last))
    for before, after in pairwise(generations):
        parents = {place for one in after.individuals for place in one.parents}
        assert parents == {len(before.individuals) - 1}
    assert seen[0].individuals == generations[0].individuals
    assert seen[0].fitness == [one.fitness for one in generations[0].individuals]
    with_cases = small(selection={"kind": "lexicase"})
    list(ep.evolve(with_cases, selection=last))
    assert seen[-1].cases.shape == (16, 1)


@pytest.mark.parametrize("selection", [double_tournament, partial(double_tournament, parsimony=2)])
def test_a_run_goes_on_with_the_same_selection_and_survival(selection: Any, tmp_path: Path) -> None:
    config = small()
    parts = {"selection": selection, "survival": youngest}
    whole = digests(list(ep.evolve(config, threads=2, **parts)))
    assert len(set(whole)) == 4
    with ep.Run.create(tmp_path / "one", config, **parts) as run:
        for step in advance(run):
            if step.number == 1:
                break
        with pytest.raises(ep.RunError, match="is not the same code"):
            list(advance(run, selection=partial(double_tournament, parsimony=1)))
        list(advance(run, **parts))
        assert run.digests() == whole
        names = [getattr(run.config, what).code_label for what in parts]
        assert [re.split(r"\W", name)[-1] for name in names] == ["double_tournament", "youngest"]


def test_the_elite_stays_whatever_the_survival() -> None:
    for elitism in (0, 2):
        for before, after in pairwise(ep.evolve(small(elitism=elitism), survival=youngest)):
            survivors = [one for one in after.individuals if one.origin == "survivor"]
            assert len(survivors) <= elitism
            assert len(after.individuals) == len(before.individuals)
            for one in survivors:
                assert one.tree == before.individuals[one.parents[0]].tree
        generation = list(ep.evolve(small(elitism=elitism), survival=youngest, fitness=of_its_text))
        best = [max(one.fitness for one in each.individuals) for each in generation]
        assert (best == sorted(best)) or not elitism


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"selection": lambda candidates, count, stream: [0]}, "positions of 32 .*: gave 1"),
        ({"selection": lambda candidates, count, stream: [99] * count}, "99 is none of 16"),
        ({"selection": lambda candidates, count, stream: ["a"] * count}, "positions of 32"),
        ({"selection": lambda candidates, count, stream: None}, "positions of 32"),
        ({"survival": lambda candidates, count, stream: [0] * count}, "a candidate twice"),
    ],
)
def test_what_it_returns_is_checked(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(ep.evolve(small(), **parts))


def test_what_does_not_go_together_is_said_before_anything_is_played() -> None:
    with pytest.raises(TypeError, match="is no selection: give a function"):
        ep.evolve(small(), selection=3)  # type: ignore[arg-type]
    with pytest.raises(ep.ConfigError, match=r"steady_state: needs selection by .*, not python"):
        ep.evolve(small(steady_state={}), selection=double_tournament)
    with pytest.raises(ep.ConfigError, match="demes: has no place with survival python"):
        ep.evolve(small(demes={"size": 8}), survival=youngest)
    for table in ("demes", "steady_state"):
        with pytest.raises(ep.ConfigError, match=rf"{table}: has no place with survival pareto"):
            small(survival={"kind": "pareto"}, **{table: {}})
    with pytest.raises(ep.ConfigError, match="must look at the same cases"):
        small(
            selection={"kind": "lexicase", "cases": "games"},
            survival={"kind": "pareto", "objectives": "opponents"},
        )
    # A table of keys is a setting still.
    changed = next(ep.evolve(small(), selection={"kind": "double_tournament", "size": 2}))
    assert changed.config.selection.kind == "double_tournament"


def is_beaten(one: Individual, others: Sequence[Individual]) -> bool:
    """Whether another is as strong and as small, and in one of both better."""
    value = one.fitness, -len(one.tree)
    return any(
        other != value and other[0] >= value[0] and other[1] >= value[1]
        for other in ((each.fitness, -len(each.tree)) for each in others)
    )


def test_nsga2_loses_no_point_of_its_front() -> None:
    """With a fitness that does not change, the front of each generation lives on or is beaten."""
    config = small(
        population_size=30,
        generations=10,
        selection={"kind": "pareto"},
        survival={"kind": "pareto"},
        variation={"crossover": 0.4, "subtree_mutation": 0.5},
    )
    generations = list(ep.evolve(config, fitness=of_its_text))
    lost_by_offspring = 0
    for before, after in pairwise(generations):
        there = {one.tree for one in after.individuals}
        for one in front_of(before.individuals):
            assert one.tree in there or is_beaten(one, after.individuals)
        assert [one for one in after.individuals if one.origin == "survivor"]
        # The first places are those of the front.
        front = front_of(after.individuals)
        assert {one.tree for one in after.individuals[: len(front)]} == {one.tree for one in front}
    mating_alone = config.model_copy(update={"survival": SURVIVALS[0].keys()})
    for before, after in pairwise(ep.evolve(mating_alone, fitness=of_its_text)):
        there = {one.tree for one in after.individuals}
        lost_by_offspring += sum(
            one.tree not in there and not is_beaten(one, after.individuals)
            for one in front_of(before.individuals)
        )
    assert lost_by_offspring  # which is why selection alone is not called NSGA-II


def test_parents_play_again_on_the_openings_of_their_offspring() -> None:
    plain, both = (
        list(ep.evolve(small(survival={"kind": kind}, generations=2, elitism=0), threads=1))[1]
        for kind in ("offspring", "best")
    )
    fresh = plain.statistics.games - plain.statistics.distinct_trees * 2
    assert both.statistics.games - fresh > plain.statistics.distinct_trees * 2
    best = [one.fitness for one in both.individuals]
    assert best == sorted(best, reverse=True)


def test_every_key_of_a_choice_counts() -> None:
    usual = small(selection={"kind": "lexicase"}).resolved_settings()
    assert set(usual["selection"]) == {"kind", "cases", "epsilon", "down_sampling"}
    assert usual["survival"] == {"kind": "offspring"}
    for other in (
        small(selection={"kind": "lexicase", "down_sampling": 0.5}),
        small(selection={"kind": "lexicase", "epsilon": 0.25}),
        small(selection={"kind": "lexicase"}, survival={"kind": "best"}),
    ):
        assert other.resolved_settings() != usual


def test_every_row_is_a_kind_of_the_config() -> None:
    for row in SELECTIONS[:-1]:
        assert small(selection={"kind": row.keys().kind}).selection == row.keys()
    for method in SURVIVALS[:-1]:
        assert small(survival={"kind": method.keys().kind}).survival == method.keys()
    assert SELECTIONS[-1].keys is SURVIVALS[-1].keys is OwnChoice  # it names the user's own
    assert small().selection == SELECTIONS[0].keys()


def test_functions_of_gp_serve_as_they_are() -> None:
    def lexicase(candidates: Candidates, count: int, stream: Stream) -> Sequence[int]:
        return gp.lexicase_selection(candidates.cases, count, stream, epsilon=0.5)

    config = small(selection={"kind": "lexicase", "epsilon": 0.5})
    mine, ours = (list(ep.evolve(config, selection=own)) for own in (lexicase, None))
    assert [one.individuals for one in mine] == [one.individuals for one in ours]
