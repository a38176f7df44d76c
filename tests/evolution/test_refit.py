"""Numbers of terms that are fitted to a teacher in between: the fit, its place, its runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_settings import config_with, population

from evoply import gp, replay
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, Generation, Individual, evolve, self_contained
from evoply.evolution.breeding import breed
from evoply.evolution.breeding.refitting import refitted, values_of_terms
from evoply.evolution.toolbox import toolbox_of
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_rules
from evoply.gp import Forest
from evoply.learning import Choices, choices_of, expected_loss, fitted_weights
from evoply.players import parse_player, save_player
from evoply.protocols import ConfigError
from whole_runs import broken_run, whole_run

ACCESS = PRIMITIVE_SETS["othello-access"]
TEACHER = "mobility:depth=1"
REFIT: dict[str, Any] = {"every": 2, "best": 2, "games": 6, "teacher": TEACHER}


def terms_config(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "individual": {"kind": "terms", "most": 4},
        "primitives": "othello-access",
        "refit": REFIT,
        "variation": {"constant_mutation": 0.05},
    }
    return config_with(**{**settings, **changes})


def terms(text: str) -> Forest:
    individual = gp.parse_individual(text, ACCESS)
    assert isinstance(individual, Forest)
    return individual


@cache
def labels() -> Choices:
    return choices_of(TEACHER, "othello-6", games=12, seed=5)


@cache
def evolved() -> Sequence[Generation]:
    return list(evolve(terms_config()))


def test_columns_are_the_products_of_features() -> None:
    individual = terms("{ terms ( * 6 white_mobility ) ( * -2 ( * black_edges white ) ) }")
    rows = labels().rows[::97]
    found = values_of_terms(individual.trees, "othello-6", rows)
    rules = game_rules("othello-6")
    for row, (mobility, product) in zip(rows, found.tolist(), strict=True):
        position = rules.position_from_row(row)
        by_name = {node.name: node.expression.evaluate(position) for node in ACCESS.terminals}
        assert mobility == by_name["white_mobility"]
        assert product == by_name["black_edges"] * by_name["white"]


def test_a_refit_loses_less_and_keeps_the_scale() -> None:
    individual = terms("{ terms ( * 20 white ) ( * 2 white_mobility ) ( * 1 black_safe_moves ) }")
    better, _ = refitted(individual, "othello-6", labels())
    columns = values_of_terms(individual.trees, "othello-6", labels().rows)
    exact = fitted_weights(labels(), columns)
    numbers = np.array(gp.drawn_numbers(better))
    assert abs(numbers).max() == 20
    assert numbers == pytest.approx(exact * 20 / abs(exact).max(), rel=0.01)
    unit = abs(exact).max() / 20
    before = expected_loss(labels(), columns, np.array([20.0, 2.0, 1.0]) * unit)
    assert expected_loss(labels(), columns, numbers * unit) < 0.9 * before
    assert [gp.term_key(tree) for tree in better.trees] == [
        gp.term_key(tree) for tree in individual.trees
    ]
    assert refitted(better, "othello-6", labels())[0] == better


def test_terms_that_decide_no_move_are_left_out() -> None:
    individual = terms("{ terms ( * 3 clock ) ( * 2 white_mobility ) }")
    fitted, numbers = refitted(individual, "othello-6", labels())
    assert [gp.term_key(tree) for tree in fitted.trees] == [("white_mobility",)]
    assert len(numbers) == 1
    same = terms("{ terms ( * 3 clock ) }")
    assert refitted(same, "othello-6", labels())[0] == same


def test_a_new_term_is_one_that_labels_recommend() -> None:
    config = terms_config(refit={**REFIT, "new_terms": True, "games": 12})
    toolbox = toolbox_of(config)
    assert toolbox.refit is not None
    parents = (Individual(terms("{ terms ( * 2 white ) ( * 3 black_edges ) }"), 1.0, ""),)
    plain, new = toolbox.refit.offspring(parents, Stream(1))
    assert (plain.origin, new.origin) == ("refit", "refit_with_new_term")
    assert len(new.tree.trees) == 3
    boards = choices_of(TEACHER, "othello-6", games=12, seed=config.seed)

    def least_loss(individual: gp.Genotype) -> float:
        columns = values_of_terms(individual.trees, "othello-6", boards.rows)
        return expected_loss(boards, columns, fitted_weights(boards, columns))

    # Among all features alone it is one of the better ones: the teacher counts moves.
    others = [
        least_loss(Forest("terms", (*plain.tree.trees, gp.term(ACCESS, 1.0, [feature]))))
        for feature in ACCESS.terminals
    ]
    assert sum(other < least_loss(new.tree) for other in others) <= 5
    # At the most terms the one that counts least makes room.
    full = terms_config(individual={"kind": "terms", "most": 2}, refit=config.refit)
    refit = toolbox_of(full).refit
    assert refit is not None
    _, swapped = refit.offspring(parents, Stream(1))
    assert len(swapped.tree.trees) == 2
    assert least_loss(swapped.tree) < least_loss(plain.tree)


def test_the_first_population_has_terms_that_labels_recommend() -> None:
    config = terms_config(refit={**REFIT, "first": 3, "games": 20}, population_size=12)
    (first, *_), (again, *_) = (list(evolve(config, threads=threads)) for threads in (1, 2))
    assert first.digest == again.digest
    origins = [individual.origin for individual in first.individuals]
    assert origins.count("chosen_by_labels") == 3
    made = choices_of(TEACHER, "othello-6", games=20, seed=99)
    lost = {"chosen_by_labels": [], "random": []}
    for individual in first.individuals:
        tree = individual.tree
        assert isinstance(tree, Forest)
        assert 1 <= len(tree.trees) <= 4
        columns = values_of_terms(tree.trees, "othello-6", made.rows)
        best = made.best(columns @ np.array(gp.drawn_numbers(tree)))
        kind = individual.origin if individual.origin in lost else "random"
        lost[kind].append(float(made.lost[best].mean()))
    # On games that nothing was chosen by, the worst of them loses less than most random ones.
    assert max(lost["chosen_by_labels"]) < np.median(lost["random"])


def test_seeds_come_before_terms_that_labels_recommend() -> None:
    seeds = ["{ terms ( * 6 white_mobility ) }", "{ terms ( * 5 white_mobility ) }"]
    config = terms_config(
        refit={**REFIT, "first": 9, "best": 1},
        population_size=4,
        initialisation={"seeds": seeds},
        generations=1,
    )
    (first,) = evolve(config)
    assert [one.origin for one in first.individuals] == ["seed"] * 2 + ["chosen_by_labels"] * 2


def test_fitted_ones_come_after_the_elites_and_differ_in_features() -> None:
    config = terms_config(elitism=3)
    parents = population(config)
    toolbox = toolbox_of(config)
    assert toolbox.refit is not None
    made = toolbox.refit.offspring(parents, Stream(1))
    assert [one.parents for one in made] == [(23,), (22,)]
    keys = [{gp.term_key(tree) for tree in one.tree.trees} for one in made]
    assert keys[0] != keys[1]
    twins = (parents[22],) * 12 + (parents[23],) * 12
    assert len(toolbox.refit.offspring(twins, Stream(1))) == 2
    stream = toolbox.stream("breeding", 2)
    origins = [one.origin for one in breed(toolbox.breeder, parents, stream, made)]
    assert origins[:5] == ["elite"] * 3 + ["refit"] * 2
    assert len(origins) == 24
    # Nobody else's draws depend on it.
    assert (
        breed(toolbox.breeder, parents, stream, made)[5:]
        == breed(toolbox.breeder, parents, stream)[5:]
    )


def test_every_so_many_generations_some_are_fitted() -> None:
    counts = [
        sum(one.origin == "refit" for one in generation.individuals) for generation in evolved()
    ]
    assert counts[2] in (1, 2)
    assert counts == [0, 0, counts[2], 0]
    assert [g.digest for g in evolve(terms_config(), threads=1)] == [g.digest for g in evolved()]


def test_a_run_that_goes_on_is_the_same(tmp_path: Path) -> None:
    with broken_run(tmp_path / "broken", terms_config()) as run:
        assert run.digests() == [one.digest for one in evolved()]


def test_games_are_replayed_where_parents_compete_with_fitted_offspring(tmp_path: Path) -> None:
    config = terms_config(survival={"kind": "best"})
    with whole_run(tmp_path / "run", config) as run:
        assert replay(run, 2, 1).generation == 2


def test_a_teacher_from_a_file_counts_by_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "teacher.json"
    save_player(path, parse_player("( white )", game="othello-6"), game="othello-6")
    config = terms_config(refit={**REFIT, "teacher": str(path), "players": ["greedy", str(path)]})
    whole = self_contained(config)
    assert str(path) not in whole.model_dump_json()
    assert whole.resolved_settings() == config.resolved_settings()
    assert "refit" not in terms_config(refit=None).resolved_settings()


@pytest.mark.parametrize(
    ("changes", "path", "word"),
    [
        ({"individual": {"kind": "sum"}}, "refit", "terms"),
        ({"steady_state": {}}, "refit", "steady_state"),
        ({"refit": {"best": 24}}, "refit.best", "above population_size"),
        ({"refit": {"teacher": "random"}}, "refit.teacher", "no values"),
        ({"refit": {"teacher": "nobody"}}, "refit.teacher", "nobody"),
        ({"refit": {"players": ["greedy", "nobody"]}}, "refit.players.1", "nobody"),
        ({"player": {"view": "turn"}}, "refit", "view"),
    ],
)
def test_what_does_not_go_with_a_refit_is_refused(
    changes: dict[str, Any], path: str, word: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        terms_config(**changes)
    assert word in dict(caught.value.errors)[path]
