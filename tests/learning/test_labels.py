"""Labels and the tables that learn from them, against slow and plain models; steps; configs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from slow_tables import squashed as slowly_squashed
from slow_tables import tables_of

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.expressions import program_with_parameters
from evoply.games import game_rules
from evoply.kinds import KINDS
from evoply.learning import PatternConfig, PatternLearning, learn_patterns, pattern_player
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
    "labels": {"depth": 2, "endgame": 6, "games": 100, "games_per_step": 40, "pull": 20},
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


@pytest.mark.parametrize("settings", [SMALL, CHECKERS, SMALL | {"game": "othello-10"}])
@pytest.mark.parametrize("squashes", [True, False])
def test_the_fit_solves_the_equations_of_least_squares(settings, squashes):
    config = PatternConfig(**settings)
    program, parameters = program_of(config)
    batch = _native.Positions.random(game_rules(config.game).kernel, 300, 5, 4, 40)
    draws = np.random.default_rng(3)
    labels = draws.uniform(-1, 1, 300) if squashes else draws.uniform(-30, 30, 300)
    pulls = draws.uniform(0.5, 9, len(parameters))
    tables, numbers = tables_of(config, parameters), tables_of(config, np.arange(len(pulls)))
    counts, errors, slopes = np.zeros((300, len(pulls))), np.zeros(300), np.ones(300)
    for index in range(300):
        position = game_rules(config.game).position_from_row(batch[index])
        value = total = tables.total(position)
        if squashes:
            value = slowly_squashed(total)
            slopes[index] = 1.0 - value * value
        errors[index] = labels[index] - value
        for table, place in (one for part in numbers.entries(position) for one in part):
            counts[index, int(table[place])] += 1
    used = np.flatnonzero(counts.any(axis=0))
    of_used = counts[:, used]
    equations = of_used.T @ of_used + np.diag(pulls[used])
    moves = np.zeros(len(pulls))
    moves[used] = np.linalg.solve(equations, of_used.T @ (errors * slopes))

    def fit(rounds: int, threads: int = 1) -> dict[str, Any]:
        return _native.fit_tables(
            program, batch, labels, pulls=pulls, rounds=rounds, squashes=squashes, threads=threads
        )

    def left(moved: np.ndarray) -> float:
        rest = errors * slopes - counts @ moved
        return float(rest @ rest + moved @ (pulls * moved))

    found = fit(400)
    assert found["errors"] == pytest.approx(errors, abs=1e-9)
    assert found["visits"].tolist() == counts.sum(axis=0).tolist()
    assert found["moves"] == pytest.approx(moves, abs=1e-6)
    few, best, before = fit(12), left(moves), left(np.zeros(len(pulls)))
    assert best < before
    assert 0.999999 * best <= left(few["moves"]) < best + 0.05 * (before - best)
    assert fit(12, threads=3)["moves"].tolist() == few["moves"].tolist()
    assert not fit(0)["moves"].any()


@pytest.mark.parametrize("squashes", [True, False])
def test_the_fit_of_mixed_tables_solves_the_equations_of_their_mixes(squashes):
    config = PatternConfig(**SMALL, mixed=True)
    program, parameters = program_of(config)
    batch = _native.Positions.random("othello-6", 400, 5, 2, 30)
    draws = np.random.default_rng(4)
    labels = draws.uniform(-1, 1, 400) if squashes else draws.uniform(-30, 30, 400)
    pulls = draws.uniform(0.5, 9, len(parameters))
    # Tables hold in the middles of 0 to 14, 14 to 26 and 26 to 36 discs.
    middles = [7, 20, 31]
    numbers = tables_of(config, np.arange(len(parameters), dtype=float))
    shares, visits = np.zeros((400, len(parameters))), np.zeros(len(parameters))
    for index in range(400):
        position = game_rules(config.game).position_from_row(batch[index])
        discs = (batch[index][0] | batch[index][1]).bit_count()
        for stage, weight in enumerate(np.interp(discs, middles, row) for row in np.eye(3)):
            numbers.stages = (0,) * stage
            for table, place in (one for part in numbers.entries(position) for one in part):
                shares[index, int(table[place])] += weight
                visits[int(table[place])] += weight**2
    values = sums = shares @ parameters
    slopes = np.ones(400)
    if squashes:
        values = np.array([slowly_squashed(value) for value in sums])
        slopes = 1.0 - values**2
    assert program.evaluate(batch)[:, 0] == pytest.approx(sums, abs=1e-5)  # single precision
    equations = shares.T @ shares + np.diag(pulls)
    moves = np.linalg.solve(equations, shares.T @ ((labels - values) * slopes))

    def fit(threads: int) -> dict[str, Any]:
        return _native.fit_tables(
            program, batch, labels, pulls=pulls, rounds=600, squashes=squashes, threads=threads
        )

    found = fit(1)
    assert found["errors"] == pytest.approx(labels - values, abs=1e-9)
    assert found["visits"] == pytest.approx(visits, abs=1e-9)
    assert found["moves"] == pytest.approx(moves, abs=1e-6)
    assert fit(3)["moves"].tolist() == found["moves"].tolist()


def test_the_fit_in_steps_is_close_to_that_of_all_boards():
    config = PatternConfig(**SMALL)
    program, parameters = program_of(config)
    rows = [list(_native.Positions.random("othello-6", 4000, key, 2, 30)) for key in range(5)]
    truth = program.with_parameters(parameters[::-1].copy())
    noise = np.random.default_rng(8)

    def batch(rows: list[Any]) -> tuple[_native.Positions, np.ndarray]:
        positions = _native.Positions("othello-6", rows)
        return positions, truth.evaluate(positions)[:, 0] + noise.normal(scale=0.3, size=len(rows))

    parts, usual = [batch(part) for part in rows], {"rounds": 30, "squashes": False}
    fresh, worth = batch(list(_native.Positions.random("othello-6", 4000, 99, 2, 30)))

    def error(values: np.ndarray) -> float:
        said = program.with_parameters(values).evaluate(fresh)[:, 0]
        return float(((worth - said) ** 2).mean() ** 0.5)

    visits = np.zeros(len(parameters))
    in_steps = parameters
    for positions, labels in parts:
        stepped = program.with_parameters(in_steps)
        found = _native.fit_tables(stepped, positions, labels, pulls=2.0 + visits, **usual)
        in_steps, visits = in_steps + found["moves"], visits + found["visits"]
    everything = _native.Positions("othello-6", [row for part in rows for row in part])
    labels = np.concatenate([labels for _, labels in parts])
    pulls = np.full(len(parameters), 2.0)
    at_once = (
        parameters + _native.fit_tables(program, everything, labels, pulls=pulls, **usual)["moves"]
    )
    assert error(at_once) < error(in_steps) < 1.05 * error(at_once) < 0.5 * error(parameters)


def test_what_the_fit_refuses():
    config = PatternConfig(**SMALL)
    program, parameters = program_of(config)
    batch = _native.Positions.random("othello-6", 3, 5, 4, 9)
    usual = {"pulls": np.ones(len(parameters)), "rounds": 3, "squashes": False}
    for labels, changes, says in (
        (np.zeros(2), {}, "labels: 2 for 3 boards"),
        (np.array([0.0, np.nan, 0.0]), {}, r"labels\[1\] is NaN"),
        (np.zeros(3), {"pulls": np.zeros(4)}, "pulls: 4 for"),
        (np.zeros(3), {"pulls": np.zeros(len(parameters))}, r"pulls\[0\] is 0"),
    ):
        with pytest.raises(ValueError, match=says):
            _native.fit_tables(program, batch, labels, **(usual | changes))
    other = _native.Positions.random("othello", 3, 5, 4, 9)
    with pytest.raises(ValueError, match="cannot be used in"):
        _native.fit_tables(program, other, np.zeros(3), **usual)


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


@pytest.mark.parametrize("game", ["checkers", "checkers-10"])
@pytest.mark.parametrize("depth", [1, 2])
def test_boards_with_a_capture_due_are_labelled_only_where_searches_value_them(game, depth):
    labels = CHECKERS["labels"] | {"depth": depth}
    config = PatternConfig(**(CHECKERS | {"game": game, "labels": labels}))
    program, _ = program_of(config)
    boards = labelled_boards(config, program, games=20, stream=Stream(6), threads=1)
    rules = game_rules(game)
    due = [rules.position_from_row(row).legal_moves[0].is_capture for row in boards.rows]
    # Searches of two plies follow captures to their end, and those of one ply do not.
    assert any(due) == (depth == 1)
    assert len(due) > 300
    found = boards.values[np.isnan(boards.ends)]
    assert not np.isnan(found).any()


def test_a_certain_win_is_a_label_where_labels_say_who_wins():
    config = PatternConfig(**CHECKERS)
    program, _ = program_of(config)
    boards = labelled_boards(config, program, games=60, stream=Stream(4), threads=1)
    native = search_of_tables(config, 2).with_program("checkers", program)
    certain = 0
    for row, end, value in zip(boards.rows, boards.ends, boards.values, strict=True):
        score = _native.analyse(native, *row, 0)[1]
        if np.isnan(end) and abs(score) > 1e12:
            certain += 1
            assert value == np.sign(score)
    assert certain > 0


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


def test_tables_in_one_stage_are_never_mixed():
    with pytest.raises(ep.ConfigError, match="mixed: there is one table for all boards"):
        PatternConfig(**(SMALL | {"stages": []}), mixed=True)


def test_games_teach_mixed_tables_as_they_teach_others():
    plain, mixed = PatternConfig(**SMALL), PatternConfig(**SMALL, mixed=True)
    steps = [list(itertools.islice(learn_patterns(config), 3)) for config in (plain, mixed)]
    assert [step.entries for step in steps[0]] == [step.entries for step in steps[1]]
    assert steps[0][-1].champions != steps[1][-1].champions
    assert "mixed" not in plain.decisive()
    assert steps[0][-1].digest != steps[1][-1].digest
    with pytest.raises(ValueError, match="games teach tables that are not mixed"):
        _native.learn_tables(
            program_of(mixed)[0], [game_rules("othello-6").start().row],
            key=1, first_game=0, rates=np.array([0.1]),
        )  # fmt: skip


@pytest.mark.parametrize("settings", [SMALL, SMALL | {"mixed": True}, CHECKERS])
def test_steps_are_the_same_wherever_they_were_interrupted_and_for_any_threads(settings):
    config = PatternConfig(**settings)
    whole = list(learn_patterns(config))
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


def test_a_step_of_few_games_may_begin_with_random_moves():
    # The number of random moves once went by the thousands of games of a step: fewer had none.
    config = PatternConfig(**SMALL)
    program, _ = program_of(config)
    counts = set()
    for key in range(12):
        boards = labelled_boards(config, program, games=6, stream=Stream(key), threads=1)
        counts.add(int((~np.isnan(boards.ends)).sum()))
    settings = config.labels.model_copy(update={"random_moves": 0})
    plain = config.model_copy(update={"labels": settings})
    for key in range(12):
        boards = labelled_boards(plain, program, games=6, stream=Stream(key), threads=1)
        counts.discard(int((~np.isnan(boards.ends)).sum()))
    assert counts


def test_configs_without_labels_are_what_they_were():
    config = PatternConfig(**(SMALL | {"labels": None}))
    assert "labels" not in KINDS["patterns"].configs.write(config)
    assert "[labels]" in KINDS["patterns"].configs.write(PatternConfig(**SMALL))
    for changes, says in (
        ({"games": None, "time_limit": 5.0}, "come after the last game"),
        ({"labels": {"depth": 0}}, "labels.depth"),
        ({"labels": {"depths": 2}}, "labels.depths"),
        ({"labels": {"mix": 1.5}}, "labels.mix"),
    ):
        with pytest.raises(ep.ConfigError, match=says):
            PatternConfig(**(SMALL | changes))


def test_a_step_with_other_tables_is_refused():
    *_, last = learn_patterns(PatternConfig(**SMALL))
    data = PatternLearning().dump(last) | {"visits": "AAAAAAAAAAA="}
    with pytest.raises(ValueError, match="other tables"):
        PatternLearning().load(PatternConfig(**SMALL), data)


def test_what_plays_is_a_mean_of_what_games_and_labels_taught():
    config = PatternConfig(**(SMALL | {"labels": SMALL["labels"] | {"keep": 0.25}}))
    *_, games, one, two = itertools.islice(learn_patterns(config), 5)
    assert not games.taught
    assert games.tables(config).tolist() == games.parameters.tolist()
    assert one.taught == two.taught
    taught = np.frombuffer(one.taught, "<f8")
    used = games.parameters != 0
    # Discs are a factor for each of three stages.
    assert len(np.unique(np.round(taught[used] / games.parameters[used], 9))) == 3
    expected = 0.25 * taught + 0.75 * two.parameters
    assert two.tables(config) == pytest.approx(expected)
    champion = pattern_player(config, expected)
    assert two.champions[0].evaluator == champion.evaluator


def test_squashed_is_the_slow_one():
    values = np.linspace(-4, 4, 81)
    assert squashed(values).tolist() == [slowly_squashed(value) for value in values.tolist()]
