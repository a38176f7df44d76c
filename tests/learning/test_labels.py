"""Labels and the tables that learn from them, against slow and plain models; steps; configs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from slow_tables import SlowTables
from slow_tables import squashed as slowly_squashed

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.configs.run_config import written_config
from evoply.expressions import program_with_parameters, symmetric_copies
from evoply.games import game_rules
from evoply.learning import LabelSettings, PatternConfig, PatternLearning, learn_patterns
from evoply.learning.labels import (
    Labelled,
    labelled_boards,
    scaled_to_discs,
    search_of_tables,
    squashed,
)
from evoply.players import solve

SMALL: dict[str, Any] = {
    "game": "othello-6",
    "patterns": ["a1 b1 c1 a2 b2", "a1 b2 c3", "c1 d1"],
    "stages": [14, 26],
    "games": 200,
    "games_per_step": 100,
    "labels": {"depth": 2, "endgame": 6, "games": 100, "games_per_step": 40, "calm": 20},
}
CHECKERS: dict[str, Any] = SMALL | {
    "game": "checkers", "patterns": ["b1 d1 a2 c2", "b4 d4"], "stages": [12], "max_plies": 80,
    "labels": {"depth": 2, "games": 12, "games_per_step": 5},
}  # fmt: skip


def program_of(config: PatternConfig, seed: int = 2) -> tuple[_native.Program, np.ndarray]:
    program = program_with_parameters(config.value(), config.game)
    draws = np.random.default_rng(seed)
    parameters = draws.normal(scale=0.2, size=len(program.parameters))
    return program.with_parameters(parameters), parameters


def slow_tables(config: PatternConfig, values: np.ndarray) -> SlowTables:
    """Return tables with these values, in the order of parameters."""
    rules, left = game_rules(config.game), iter(values.tolist())
    patterns, tables = [], []
    for pattern, size in zip(config.patterns, config.entries_of_tables(), strict=True):
        patterns.append(symmetric_copies(pattern.squares.split(), rules.shape, rules.symmetries))
        stages = range(len(config.stages) + 1)
        tables.append([list(itertools.islice(left, size)) for _ in stages])
    return SlowTables(
        game=config.game, patterns=patterns, stages=config.stages, tables=tables, starts=[], key=0,
        rates=[],
    )  # fmt: skip


def flat(slow: SlowTables) -> list[float]:
    return [value for stages in slow.tables for table in stages for value in table]


@pytest.mark.parametrize("settings", [SMALL, CHECKERS, SMALL | {"game": "othello-10"}])
@pytest.mark.parametrize("squashes", [True, False])
def test_the_fit_is_the_slow_one_to_the_last_bit(settings, squashes):
    config = PatternConfig(**settings)
    program, parameters = program_of(config)
    kernel = game_rules(config.game).kernel
    batch = _native.Positions.random(kernel, 300, 5, 4, 40)
    draws = np.random.default_rng(3)
    labels = draws.uniform(-1, 1, 300) if squashes else draws.uniform(-30, 30, 300)
    visits = draws.integers(0, 9, len(parameters)).astype(float)
    found = _native.fit_tables(
        program, batch, labels, visits=visits, rate=0.3, calm=7.0, squashes=squashes
    )
    expected, times, errors = slow_tables(config, parameters), slow_tables(config, visits), []
    for index in range(300):
        position = game_rules(config.game).position_from_row(batch[index])
        total = expected.total(position)
        value = slowly_squashed(total) if squashes else total
        errors.append(labels[index] - value)
        slope = 1.0 - value * value if squashes else 1.0
        entries = [one for part in expected.entries(position) for one in part]
        met = [one for part in times.entries(position) for one in part]
        for (table, place), (counts, _) in zip(entries, met, strict=True):
            change = 0.3 / len(entries) * (errors[-1] * slope)
            table[place] += change / (1.0 + counts[place] / 7.0) ** 0.5
            counts[place] += 1.0
    assert found["errors"].tolist() == errors
    assert found["parameters"].tolist() == flat(expected)
    assert found["visits"].tolist() == flat(times)
    assert found["failed"] is None


def test_what_the_fit_refuses_and_where_it_ends():
    config = PatternConfig(**SMALL)
    program, parameters = program_of(config)
    batch = _native.Positions.random("othello-6", 3, 5, 4, 9)
    usual = {"visits": np.zeros(len(parameters)), "rate": 0.5, "calm": 1.0, "squashes": False}
    for labels, changes, says in (
        (np.zeros(2), {}, "labels: 2 for 3 boards"),
        (np.array([0.0, np.nan, 0.0]), {}, r"labels\[1\] is NaN"),
        (np.zeros(3), {"visits": np.zeros(4)}, "visits: 4 for"),
        (np.zeros(3), {"visits": np.full(len(parameters), -1.0)}, r"visits\[0\] is -1"),
        (np.zeros(3), {"rate": 1.5}, "rate is 1.5"),
        (np.zeros(3), {"calm": 0.0}, "calm is 0"),
    ):
        with pytest.raises(ValueError, match=says):
            _native.fit_tables(program, batch, labels, **(usual | changes))
    other = _native.Positions.random("othello", 3, 5, 4, 9)
    with pytest.raises(ValueError, match="cannot be used in"):
        _native.fit_tables(program, other, np.zeros(3), **usual)
    answer = _native.fit_tables(program, batch, np.array([0.0, 1e12, 0.0]), **usual)
    assert answer["failed"] == 1


@pytest.mark.parametrize("settings", [SMALL, CHECKERS])
def test_labels_are_what_searches_and_ends_say(settings):
    config = PatternConfig(**settings)
    program, _ = program_of(config)
    rules = game_rules(config.game)
    found = labelled_boards(config, program, games=30, stream=Stream(4), threads=1)
    assert len(found.rows) == len(found.ends) == len(found.values) > 200
    native = search_of_tables(config, 2, endgame=6).with_program(config.game, program)
    shallow = solved = 0
    for row, end, value in zip(found.rows, found.ends.tolist(), found.values.tolist(), strict=True):
        position = rules.position_from_row(row)
        score = _native.analyse(native, *row, 0)[1]
        if np.isnan(end):
            shallow += 1
            assert value == pytest.approx(score if config.counts_discs else slowly_squashed(score))
        elif rules.is_solvable(position, 6):
            solved += 1
            assert solve(position).score == end == value
        elif score is not None and abs(score) < 1e12:
            assert value == pytest.approx(score if config.counts_discs else slowly_squashed(score))
        most = rules.shape.squares if config.counts_discs else 1
        assert np.isnan(end) or abs(end) <= most
    assert 0 < shallow < len(found.rows)
    assert solved > 10 or not config.counts_discs
    labels = found.mixed(0.25)
    deep = ~np.isnan(found.ends)
    assert labels[deep] == pytest.approx(0.25 * found.ends[deep] + 0.75 * found.values[deep])
    assert (labels[~deep] == found.values[~deep]).all()
    assert len(found.of_deep_games().rows) == deep.sum()


def test_tables_become_discs_by_a_factor_for_each_stage():
    config = PatternConfig(**SMALL)
    program, parameters = program_of(config)
    batch = _native.Positions.random("othello-6", 400, 5, 2, 30)
    rows = [batch[index] for index in range(400)]
    pieces = np.array([(row[0] | row[1]).bit_count() for row in rows])
    sums = program.evaluate(batch)[:, 0]
    ends = np.where(pieces < 14, 3.0, np.where(pieces < 26, 7.0, -2.0)) * sums
    scaled = scaled_to_discs(config, program, Labelled(rows, ends, ends))
    ratio, offset = scaled / parameters, 0
    for pattern in config.patterns:
        size = 3 ** len(pattern.squares.split())
        for stage, factor in enumerate((3.0, 7.0, 0.0)):
            part = slice(offset + stage * size, offset + (stage + 1) * size)
            # A stage whose values say the opposite says nothing.
            assert ratio[part] == pytest.approx(factor)
        offset += 3 * size


@pytest.mark.parametrize("settings", [SMALL, CHECKERS])
def test_steps_are_the_same_wherever_they_were_interrupted_and_for_any_threads(settings):
    config = PatternConfig(**settings)
    whole = list(learn_patterns(config))
    assert config.labels is not None
    at_once, most = config.labels.games_per_step, config.labels.games
    ends = [*range(at_once, most, at_once), most]
    assert [step.labelled for step in whole] == [0, 0, 0, *ends]
    assert [step.games for step in whole[2:]] == [200] * (len(ends) + 1)
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
    assert whole[-1].statistics["error"] < (9.0 if config.counts_discs else 0.7)


def test_rates_fall_in_equal_ratios():
    settings = LabelSettings(games=300, games_per_step=100, first_rate=0.4, last_rate=0.1)
    assert [settings.rate(game) for game in (0, 100, 200)] == pytest.approx([0.4, 0.2, 0.1])
    assert LabelSettings(games=10, games_per_step=20).rate(0) == 0.2


def test_configs_without_labels_are_what_they_were():
    config = PatternConfig(**(SMALL | {"labels": None}))
    assert "labels" not in written_config(config)
    assert "[labels]" in written_config(PatternConfig(**SMALL))
    for changes, says in (
        ({"games": None, "time_limit": 5.0}, "come after the last game"),
        ({"labels": {"depth": 0}}, "labels.depth"),
        ({"labels": {"depths": 2}}, "labels.depths"),
        ({"labels": {"mix": 1.5}}, "labels.mix"),
    ):
        with pytest.raises(ep.ConfigError, match=says):
            PatternConfig(**(SMALL | changes))


def test_runs_keep_what_labels_taught(tmp_path):
    config = PatternConfig(**SMALL)
    with ep.Run.create(tmp_path / "run", config) as run:
        for step in ep.advance(run):
            if step.labelled:
                break
    with ep.Run.open(tmp_path / "run") as again:
        for _ in ep.advance(again):
            pass
        assert again.status == "finished"
        assert again.last().digest == list(learn_patterns(config))[-1].digest


def test_a_step_with_other_tables_is_refused():
    *_, last = learn_patterns(PatternConfig(**SMALL))
    data = PatternLearning().dump(last) | {"visits": "AAAAAAAAAAA="}
    with pytest.raises(ValueError, match="other tables"):
        PatternLearning().load(PatternConfig(**SMALL), data)


def test_squashed_is_the_slow_one():
    values = np.linspace(-4, 4, 81)
    assert squashed(values).tolist() == [slowly_squashed(value) for value in values.tolist()]
