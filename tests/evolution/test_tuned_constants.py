"""Constants of the best tree, tuned after the last generation."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply import Run, gp
from evoply.evolution import EvolutionConfig, Generation, evolve, final_test
from evoply.expressions import PRIMITIVE_SETS
from evoply.protocols import RunError
from evoply.reports import write_report

pytest.importorskip("cmaes")

ACCESS = PRIMITIVE_SETS["othello-access"]
# Wants few moves, and mostly corners that the opponent has: the second number has the wrong sign.
WRONG = "( + ( * 0.2 ( - white_mobility black_mobility ) ) ( * -2.5 white_corners ) )"
SETTINGS: dict[str, Any] = {
    "game": "othello-6",
    "seed": 3,
    "population_size": 12,
    "generations": 2,
    "primitives": "othello-access",
    "fitness": {"opponents": [{"player": "greedy", "pairs": 3}]},
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 3, "final_pairs": 30},
}
TUNING = {"generations": 8, "pairs": 8, "population_size": 6, "spread": 1.0}


def config(**settings: Any) -> EvolutionConfig:
    return EvolutionConfig(**{**SETTINGS, "tuning": TUNING, **settings})


def with_first(last: Generation, tree: gp.Genotype) -> Generation:
    """Return *last* with *tree* as the first of its hall of fame."""
    first = replace(last.hall_of_fame[0], tree=tree)
    return replace(last, hall_of_fame=(first, *last.hall_of_fame[1:]))


@pytest.mark.parametrize(
    "text",
    [
        WRONG,
        "{ ply_stages ( * 2 white ) 40 ( + ( * 3.5 white_corners ) 1 ) 60 }",
    ],
)
def test_drawn_numbers_are_read_and_replaced(text: str) -> None:
    individual = gp.parse_individual(text, ACCESS)
    numbers = gp.drawn_numbers(individual)
    assert len(numbers) >= 2
    assert gp.with_drawn_numbers(individual, numbers) == individual
    others = [number + 0.5 for number in numbers]
    changed = gp.with_drawn_numbers(individual, others)
    assert gp.drawn_numbers(changed) == others
    assert [len(tree) for tree in gp.branches(changed)] == [
        len(tree) for tree in gp.branches(individual)
    ]
    with pytest.raises(ValueError, match="drawn"):
        gp.with_drawn_numbers(individual, [1.0])


def test_what_is_never_computed_keeps_its_numbers() -> None:
    typed = PRIMITIVE_SETS["benbassat"]
    tree = gp.parse_tree("( NullJ ( Plus Mobility 1.5 ) ( Plus ManCount 2.5 ) )", typed)
    assert gp.drawn_numbers(tree) == [1.5]
    assert "2.5" in str(gp.with_drawn_numbers(tree, [4.0]))


def test_the_tuned_tree_wins_the_final_test_where_it_is_better() -> None:
    *_, last = evolve(config())
    tree = gp.parse_tree(WRONG, ACCESS)
    wrong = with_first(last, tree)
    plain = final_test(config(tuning=None), wrong)
    test = final_test(config(), wrong)
    assert len(test.ranking) == len(plain.ranking) + 1
    # The others play the games that they play without it.
    before = dict(zip((one.tree for one in plain.ranking), plain.fitness, strict=True))
    after = dict(zip((one.tree for one in test.ranking), test.fitness, strict=True))
    assert all(after[one] == points for one, points in before.items())
    (tuned,) = set(after) - set(before)
    assert after[tuned] > before[tree] + 0.1
    (changed,) = gp.branches(tuned)
    assert [one for one in changed.nodes if one.arity] == [n for n in tree.nodes if n.arity]
    assert final_test(config(), wrong, threads=1) == final_test(config(), wrong, threads=2)


def test_a_tree_without_numbers_stays_as_it_is() -> None:
    *_, last = evolve(config())
    plain = with_first(last, gp.parse_tree("( - white black )", ACCESS))
    assert final_test(config(), plain) == final_test(config(tuning=None), plain)


def test_tuning_changes_no_generation_but_says_so_in_its_digest() -> None:
    *_, plain = evolve(config(tuning=None))
    *_, tuned = evolve(config())
    assert [one.tree for one in plain.individuals] == [one.tree for one in tuned.individuals]
    assert plain.digest != tuned.digest


def test_a_run_keeps_the_tuned_champion(tmp_path: Path) -> None:
    # One generation of nothing but this tree: the tuned one is the only other in the final test.
    settings = config(
        population_size=4, generations=1, elitism=0, initialisation={"seeds": [WRONG] * 4}
    )
    with Run.create(tmp_path / "run", settings) as run:
        for _ in ep.advance(run):
            pass
        stored = run.note("final_test")
        assert stored is not None
        assert len(stored["tuned"]) == 2
        champion = run.champion
        assert str(champion.tree) == stored["champion"] == run.champion_player.evaluator.tree
        assert champion.tree != run.last().hall_of_fame[0].tree
    with Run.open(tmp_path / "run") as again:
        assert again.champion == champion
        assert again.config == settings
        page = unescape(write_report(again).read_text(encoding="utf-8"))
    assert page.count(stored["champion"]) >= 1
    assert "a tree whose numbers were tuned" in page
    assert page.count("not played") == 1  # it has met nobody on fresh games


def test_without_the_package_a_run_does_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "the package cmaes - is not installed"
    with Run.create(tmp_path / "run", config()) as run:
        monkeypatch.setattr("evoply.learning.tuning.find_spec", lambda _: None)
        with pytest.raises(RunError, match=missing):
            next(ep.advance(run))
        assert run.path.exists()
        assert (run.status, run.events()) == ("new", [])
    with pytest.raises(RunError, match=missing):
        Run.create(tmp_path / "other", config())
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
