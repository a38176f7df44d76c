"""Tables fitted to labels, against slow and plain models; steps; what a config may say."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from slow_tables import squashed as slowly_squashed

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.configs.run_config import written_config
from evoply.expressions import program_with_parameters
from evoply.games import game_rules
from evoply.learning import (
    LabelSettings,
    PatternConfig,
    PatternLearning,
    learn_patterns,
    pattern_player,
)
from evoply.learning.labels import fitted, labelled_boards, places, refitted, squashed
from evoply.players import solve

SMALL: dict[str, Any] = {
    "game": "othello-6",
    "patterns": ["a1 b1 c1 a2 b2", "a1 b2 c3", "c1 d1"],
    "stages": [14, 26],
    "games": 200,
    "games_per_step": 100,
    "labels": {"depth": 2, "endgame": 6, "positions": 40, "passes": 15},
}
CHECKERS: dict[str, Any] = SMALL | {
    "game": "checkers", "patterns": ["b1 d1 a2 c2", "b4 d4"], "stages": [12], "max_plies": 80,
}  # fmt: skip


NONE = (np.zeros((3, 0), dtype=np.int32), np.zeros(0))
"""No boards."""


def program_of(config: PatternConfig, seed: int = 2) -> tuple[_native.Program, np.ndarray]:
    program = program_with_parameters(config.value(), config.game)
    draws = np.random.default_rng(seed)
    parameters = draws.normal(scale=0.2, size=len(program.parameters))
    return program.with_parameters(parameters), parameters


@pytest.mark.parametrize("settings", [SMALL, CHECKERS, SMALL | {"game": "othello-10"}])
def test_entries_added_up_are_what_the_kernel_says(settings):
    config = PatternConfig(**settings)
    program, parameters = program_of(config)
    kernel = game_rules(config.game).kernel
    batch = _native.Positions.random(kernel, 200, 5, 4, 40)
    rows = [batch[index] for index in range(len(batch))]
    said = program.evaluate(batch)[:, 0]
    for place, row in enumerate(rows):
        pieces = (row[0] | row[1]).bit_count()
        stage = sum(least <= pieces for least in config.stages)
        total = 0.0
        for entry in places(config, [row], stage)[:, 0]:
            total += parameters[entry]
        # The kernel adds pattern by pattern.
        assert total == pytest.approx(said[place], abs=1e-12)


def test_the_regression_is_the_slow_one_to_the_last_bit():
    draws = np.random.default_rng(7)
    before = draws.normal(size=12)
    where = draws.integers(0, 10, size=(3, 50)).astype(np.int32)
    labels = draws.uniform(-1, 1, size=50)
    settings = LabelSettings(passes=9, pull=2.5)
    found, error = fitted(before, (where, labels), NONE, settings)
    assert error == 0
    times = [int((where == entry).sum()) for entry in range(12)]
    values = ahead = before.tolist()
    for step in range(9):
        errors = []
        for board in range(50):
            total = 0.0
            for copy in where:
                total += ahead[copy[board]]
            errors.append(labels[board] - slowly_squashed(total))
        moved = []
        for entry in range(12):
            slope = -2.5 * (ahead[entry] - before[entry])
            for copy in where:
                change = 0.0
                for board in range(50):
                    if copy[board] == entry:
                        change += errors[board]
                slope += change
            moved.append(ahead[entry] + slope / (3 * times[entry] + 2.5))
        ahead = [
            new + (step / (step + 3)) * (new - old) for new, old in zip(moved, values, strict=True)
        ]
        values = moved
    expected = [value if times[entry] else before[entry] for entry, value in enumerate(values)]
    assert found.tolist() == expected


def test_the_regression_comes_to_where_nothing_pulls():
    draws = np.random.default_rng(3)
    where = draws.integers(0, 6, size=(2, 4000)).astype(np.int32)
    true = draws.normal(scale=0.5, size=6)
    labels = squashed(true[where[0]] + true[where[1]])
    boards, settings = (where, labels), LabelSettings(passes=400, pull=0.0)
    found, _ = fitted(np.zeros(6), boards, NONE, settings)
    assert found == pytest.approx(true, abs=1e-3)
    held, _ = fitted(np.zeros(6), boards, NONE, LabelSettings(passes=400, pull=1e6))
    assert np.abs(held).max() < 0.05


def test_entries_that_test_boards_speak_against_are_not_kept():
    draws = np.random.default_rng(4)
    where = draws.integers(0, 40, size=(2, 60)).astype(np.int32)
    noise, settings = draws.choice([-1.0, 1.0], size=60), LabelSettings(passes=50, pull=0.0)
    others = draws.integers(0, 40, size=(2, 400)).astype(np.int32)
    kept, error = fitted(np.zeros(40), (where, noise), (others, np.zeros(400)), settings)
    assert (kept.tolist(), error) == ([0.0] * 40, 0.0)
    test = (others, np.full(400, 0.1))
    some, left = fitted(np.zeros(40), (where, np.full(60, 0.1)), test, settings)
    assert left < 0.1
    assert some.any()


@pytest.mark.parametrize("settings", [SMALL, CHECKERS])
def test_labels_are_what_searches_of_the_boards_say(settings):
    config = PatternConfig(**settings)
    program, parameters = program_of(config)
    rules = game_rules(config.game)
    searcher = pattern_player(config, parameters, depth=2).model_copy(
        update={"quiescence": rules.has_captures}
    )
    native, seen = searcher.native(config.game), 0
    for stage in range(len(config.stages) + 1):
        found = labelled_boards(config, program, stage=stage, stream=Stream(4, stage), threads=1)
        assert len(found.rows) == len(found.labels) == len(found.position)
        for row, label in zip(found.rows[:60], found.labels[:60].tolist(), strict=True):
            pieces = (row[0] | row[1]).bit_count()
            assert sum(least <= pieces for least in config.stages) == stage
            if rules.is_solvable(rules.position_from_row(row), 5):
                assert label == np.sign(solve(rules.position_from_row(row)).score)
            else:
                score = _native.analyse(native, *row, 0)[1]
                if score is None:
                    continue  # a forced move is not thought about
                exact = slowly_squashed(score) if abs(score) < 1e12 else np.sign(score)
                assert label == pytest.approx(exact, abs=1e-12)
            seen += 1
    assert seen > 60


def test_only_the_entries_of_the_stage_change_and_their_error_falls():
    config = PatternConfig(**(SMALL | {"labels": {"depth": 1, "positions": 300, "passes": 40}}))
    program, parameters = program_of(config)
    after, error = refitted(config, program, parameters, stage=1, stream=Stream(1), threads=1)
    kept, before = refitted(
        config.model_copy(update={"labels": LabelSettings(depth=1, positions=300, pull=1e6)}),
        program, parameters, stage=1, stream=Stream(1), threads=1,
    )  # fmt: skip
    assert error < 0.7 * before
    changed, offset = np.flatnonzero(after != parameters), 0
    allowed: set[int] = set()
    for one in config.patterns:
        entries = 3 ** len(one.squares.split())
        allowed |= set(range(offset + entries, offset + 2 * entries))
        offset += 3 * entries
    assert len(changed) > 50
    assert set(changed.tolist()) <= allowed
    assert np.abs(kept - parameters).max() < 0.05


@pytest.mark.parametrize("settings", [SMALL, CHECKERS])
def test_steps_are_the_same_wherever_they_were_interrupted_and_for_any_threads(settings):
    config = PatternConfig(**settings)
    whole = list(learn_patterns(config))
    stages = len(config.stages) + 1
    assert [step.labelled for step in whole] == [0, 0, 0, *range(1, stages + 1)]
    assert [step.games for step in whole[2:]] == [200] * (stages + 1)
    learner = PatternLearning(threads=3)
    assert learner.is_finished(config, whole[-1])
    assert not learner.is_finished(config, whole[2])
    for step, following in itertools.pairwise(whole[2:]):
        again = learner.load(config, learner.dump(step))
        assert again == step
        assert learner.after(config, again).digest == following.digest
    assert len({step.digest for step in whole}) == len(whole)
    plain = list(learn_patterns(PatternConfig(**(settings | {"labels": None}))))
    assert plain[-1].entries == whole[2].entries


def test_configs_without_labels_are_what_they_were():
    config = PatternConfig(**(SMALL | {"labels": None}))
    assert "labels" not in written_config(config)
    assert "[labels]" in written_config(PatternConfig(**SMALL))
    for changes, says in (
        ({"games": None, "time_limit": 5.0}, "come after the last game"),
        ({"outcome": "discs"}, "say who wins"),
        ({"labels": {"depth": 0}}, "labels.depth"),
        ({"labels": {"depths": 2}}, "labels.depths"),
    ):
        with pytest.raises(ep.ConfigError, match=says):
            PatternConfig(**(SMALL | changes))


def test_runs_keep_what_was_fitted(tmp_path):
    config = PatternConfig(**SMALL)
    with ep.Run.create(tmp_path / "run", config) as run:
        for step in ep.advance(run):
            if step.labelled == 1:
                break
    with ep.Run.open(tmp_path / "run") as again:
        for _ in ep.advance(again):
            pass
        assert again.status == "finished"
        assert again.last().digest == list(learn_patterns(config))[-1].digest
