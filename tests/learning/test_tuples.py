"""Evolution of tuples: what individuals are, that nothing but the seed matters, runs, and use."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evoply as ep
from evoply import Run, _native
from evoply._native import Stream
from evoply.cli import main
from evoply.expressions import straight_tuples
from evoply.games import SHAPES, parse_square
from evoply.learning import (
    TupleEvolution,
    TuplesConfig,
    evolve_tuples,
    load_pattern_config,
    load_tuples_config,
)
from evoply.learning.tuples import _Breeding, _canonical

SMALL: dict[str, Any] = {
    "game": "othello-6",
    "generations": 4,
    "population_size": 5,
    "tuples": 3,
    "longest": 4,
    "lessons": {"games": 60},
    "pairs": 2,
    "test_pairs": 5,
}


def test_straight_tuples_are_as_many_as_published() -> None:
    # Jaskowski (2014): 288, 648 and 1,701 weights for all straight tuples of 2, 3 and 4 squares.
    counts = [len(straight_tuples(length)) * 3**length for length in (2, 3, 4)]
    assert counts == [288, 648, 1701]
    preset = load_pattern_config("tuples-3")
    assert tuple(one.squares for one in preset.patterns) == straight_tuples(3)


def bits_of(text: str, size: int) -> int:
    return sum(1 << parse_square(name, SHAPES[size]) for name in text.split())


@given(squares=st.sets(st.integers(0, 63), min_size=1, max_size=6), turn=st.integers(0, 7))
def test_tuples_that_share_a_table_have_one_text(squares: set[int], turn: int) -> None:
    text = _canonical("othello", tuple(sorted(squares)))
    bits = sum(1 << square for square in squares)
    image = _native.symmetry(8, bits, turn)
    images = {_native.symmetry(8, bits, one) for one in range(8)}
    assert bits_of(text, 8) in images
    seen = tuple(square for square in range(64) if image >> square & 1)
    assert _canonical("othello", seen) == text


@pytest.mark.parametrize("game", ["othello-6", "checkers", "checkers-10"])
@given(seed=st.integers(0, 10**6))
def test_children_are_individuals(game: str, seed: int) -> None:
    config = TuplesConfig(**{**SMALL, "game": game, "shortest": 2, "mutations": 3, "tuples": 4})
    breed, stream = _Breeding(config), Stream(seed)
    parents = [breed.random(stream) for _ in range(5)]
    children = [breed.child(parents, stream) for _ in range(5)]
    for one in (*parents, *children):
        assert len(one) == config.tuples == len(set(one))
        assert list(one) == sorted(one)
        assert all(config.shortest <= len(text.split()) <= config.longest for text in one)
        config.patterns_of(one)  # which refuses squares that the game is not played on
    for one in parents:
        assert all(is_one_piece(text, config.game) for text in one)


def is_one_piece(text: str, game: str) -> bool:
    """Say whether a king of chess reaches all squares of *text* without leaving them."""
    shape = ep.GAMES[game].shape
    places = {divmod(parse_square(name, shape), shape.columns) for name in text.split()}
    reached, found = set(), {min(places)}
    while found:
        reached |= found
        found = {
            (row, column)
            for row, column in places - reached
            for other, beside in reached
            if abs(row - other) <= 1 and abs(column - beside) <= 1
        }
    return reached == places


def test_threads_and_interruptions_change_nothing() -> None:
    config = TuplesConfig(**SMALL)
    whole = list(evolve_tuples(config, threads=1))
    assert [step.number for step in whole] == [0, 1, 2, 3]
    assert [one.digest for one in evolve_tuples(config, threads=3)] == [one.digest for one in whole]
    learner = TupleEvolution()
    stored = learner.load(config, json.loads(json.dumps(learner.dump(whole[1]))))
    assert stored == whole[1]
    assert [one.digest for one in evolve_tuples(config, resume_from=stored)] == [
        one.digest for one in whole[2:]
    ]
    assert [one.digest for one in evolve_tuples(config, seed=2)] != [one.digest for one in whole]


def test_fitness_orders_and_the_champion_is_beaten_to_be_replaced() -> None:
    steps = list(evolve_tuples(TuplesConfig(**{**SMALL, "generations": 6, "game": "othello-4"})))
    assert steps[0].born == 0
    assert steps[0].champion == steps[0].population[0]
    for before, step in pairwise(steps):
        assert list(step.fitness) == sorted(step.fitness, reverse=True)
        # Points are shared out in full.
        assert np.mean(step.fitness) == pytest.approx(0.5)
        assert step.population[0] == step.champion or step.champion == before.champion
        if step.statistics["against_champion"] > 0.5:
            assert (step.born, step.champion) == (step.number, step.population[0])
        else:
            assert (step.born, step.entries) == (before.born, before.entries)
        assert set(before.population[:2]) <= set(step.population)  # the elite
        assert step.games > before.games


def test_what_is_learned_plays_better_than_at_random() -> None:
    settings = {"lessons": {"games": 400}, "generations": 2, "game": "othello-6"}
    *_, last = evolve_tuples(TuplesConfig(**{**SMALL, **settings}))
    assert ep.match(last.champions[0], "random", game="othello-6", games=200, seed=1).score > 0.7


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"shortest": 5, "longest": 4}, "shortest", "more than longest"),
        ({"game": "checkers", "longest": 7}, "longest", "at most 6 squares"),
        ({"elite": 9}, "elite", "no place for children"),
        ({"elite": 4, "population_size": 4}, "elite", "no place for children"),
        ({"tournament_size": 9}, "tournament_size", "more than the population"),
        ({"generations": None}, "generations", "never ends"),
        ({"lessons": {"stages": [30, 20]}}, "lessons.stages", "growing"),
        ({"game": "chess"}, "game", "chess"),
        ({"tuples": 0}, "tuples", "equal to 1"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ep.ConfigError) as raised:
        TuplesConfig(**{**SMALL, **changes})
    messages = dict(raised.value.errors)
    assert path in messages
    assert says in messages[path]


def test_a_limit_of_seconds_alone_is_kept(tmp_path: Path) -> None:
    settings = {**SMALL, "generations": None, "time_limit": 60.0}
    with Run.create(tmp_path / "run", TuplesConfig(**settings)) as run:
        assert (run.config.generations, run.config.time_limit) == (None, 60)
    asked = load_tuples_config("tuples", ["generations=none", "time_limit=60"])
    assert asked.generations is None


@pytest.mark.parametrize("damage", [{"fitness": [1.0]}, {"champion": None}, {"entries": "?"}])
def test_a_step_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    config = TuplesConfig(**{**SMALL, "generations": 1})
    learner = TupleEvolution()
    data = json.loads(json.dumps(learner.dump(learner.first(config))))
    with pytest.raises(ValueError, match=r"step|fitness|base64|padded|decod"):
        learner.load(config, {**data, **damage})


def test_patterns_are_learned_of_evolved_tuples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ["--set", "generations=2", "--set", "lessons.games=30", "--set", "population_size=4",
             "--set", "test_pairs=2", "--set", "pairs=1", "--no-tests"]  # fmt: skip
    assert main(["learn", "tuples", "--name", "squares", *small]) == 0
    told = capsys.readouterr().out
    evolved = ep.Run.open("runs/squares").last().champion
    assert all(text in told for text in evolved)
    learn = ["learn", "patterns-8", "--name", "tables", "--games", "50", "--no-tests", "--features"]
    assert main([*learn, "champion@squares"]) == 0
    assert tuple(one.squares for one in ep.Run.open("runs/tables").config.patterns) == evolved
    capsys.readouterr()
    for features, says in (
        ("liao", "name a run of tuples"),
        ("champion@tables", "is not an evolution of tuples"),
        ("champion@squares --game othello-6", "game: othello-6 - run squares is of othello"),
    ):
        assert main([*learn, *features.split()]) == 2
        assert says in capsys.readouterr().err
    assert main(["learn", "tuples", "--features", "champion@squares"]) == 2
    assert "by itself" in capsys.readouterr().err
    assert main(["learn", "tuples", "--cluster", "local:2"]) == 2
    assert "cores of one machine" in capsys.readouterr().err


def test_a_config_of_another_learner_is_refused() -> None:
    with pytest.raises(ep.ConfigError, match="evolution of tuples"):
        load_tuples_config("patterns-8")


def test_presets_are_of_one_kind() -> None:
    evolved = load_pattern_config("tuples-evolved")
    config = load_tuples_config("tuples")
    texts = tuple(one.squares for one in evolved.patterns)
    assert len(texts) == config.tuples
    for text in texts:
        shape = ep.GAMES[config.game].shape
        squares = tuple(sorted(parse_square(name, shape) for name in text.split()))
        assert _canonical(config.game, squares) == text
        assert config.shortest <= len(squares) <= config.longest
