"""Tables learned by the kernel against a slow model, to the last bit; runs; players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_tables import COLUMNS, tables_of

import evoply as ep
from evoply import Run, _native
from evoply._native import Stream
from evoply.expressions import board, number, parameters_of, pattern, program_with_parameters
from evoply.games import game_rules
from evoply.kinds import KINDS
from evoply.learning import (
    PatternConfig,
    PatternLearning,
    learn_patterns,
    load_pattern_config,
    pattern_learner,
    pattern_player,
)
from evoply.players import KernelSeat

SMALL: dict[str, Any] = {
    "game": "othello-6",
    "patterns": ["a1 b1 c1 a2 b2", "a1 b2 c3", "c1 d1"],
    "games": 300,
    "games_per_step": 100,
}


def native(config: PatternConfig, begun: np.ndarray, **changes: Any) -> dict[str, Any]:
    program = program_with_parameters(config.value(), config.game).with_parameters(begun)
    arguments = {
        "key": Stream(5, "oracle").key,
        "first_game": 3,
        "rates": np.linspace(0.2, 0.01, 6),
        "epsilon": config.epsilon,
        "random_plies": config.random_plies,
        "outcome": config.outcome,
        "max_plies": config.max_plies,
        "recorded": 5,
    } | changes
    starts = [game_rules(config.game).start().row]
    result: dict[str, Any] = _native.learn_tables(program, starts, **arguments)
    return result


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"stages": (12, 30), "outcome": "discs", "random_plies": 0, "epsilon": 0.0},
        {"game": "othello", "patterns": ["corner_2x4", "row_2", "diagonal_8"], "stages": (40,)},
        {"game": "checkers", "patterns": ["b1 d1 a2 c2", "b4 d4"], "max_plies": 60},
    ],
)
def test_tables_are_those_of_the_slow_model(changes):
    config = PatternConfig(**(SMALL | changes))
    # Few values, so that moves are often equally good.
    begun = np.random.default_rng(2).choice(
        [0.0, 0.25, -0.5], size=len(parameters_of(config.value()))
    )
    found = native(config, begun)
    slow = tables_of(
        config,
        begun,
        starts=[game_rules(config.game).start().row],
        key=Stream(5, "oracle").key,
        rates=np.linspace(0.2, 0.01, 6).tolist(),
        first_game=3,
        epsilon=config.epsilon,
        random_plies=config.random_plies,
        outcome=config.outcome,
        max_plies=config.max_plies,
    )
    expected = slow.learn()
    for name in COLUMNS:
        assert found[name].tolist() == expected[name], name
    assert found["parameters"].tolist() == expected["parameters"]
    assert found["moves"] == slow.moves[2]  # the games are numbered from 3
    assert (found["parameters"] != begun).any()


def test_steps_are_the_same_wherever_a_run_was_interrupted():
    config = PatternConfig(**SMALL)
    whole = list(learn_patterns(config))
    assert [step.games for step in whole] == [0, 100, 200, 300]
    learner = PatternLearning()
    for step in whole[:-1]:
        again = learner.load(config, learner.dump(step))
        assert again == step
        assert again.digest == step.digest
    resumed = list(learn_patterns(config, resume_from=whole[1]))
    assert [step.digest for step in resumed] == [step.digest for step in whole[2:]]
    more = list(learn_patterns(config, games=200))
    assert [step.digest for step in more] == [step.digest for step in whole[:3]]
    assert len({step.digest for step in whole}) == 4
    *_, sooner = learn_patterns(config, games=130)
    *_, later = learn_patterns(config, resume_from=sooner)
    assert (later.number, later.digest) == (whole[-1].number + 1, whole[-1].digest)


def test_players_learn_to_play():
    *_, last = learn_patterns(PatternConfig(**(SMALL | {"games": 3000, "games_per_step": 3000})))
    match = ep.match(last.champions[0], "random", games=200, seed=1, game="othello-6")
    assert match.score > 0.75
    deeper = pattern_player(PatternConfig(**SMALL), last.parameters, depth=3)
    assert ep.match(deeper, "random", games=60, seed=1, game="othello-6").score > 0.8


def test_searches_carry_indices_to_the_same_answers():
    """Deepening and plain searches agree, whose lines go through the tree in other orders."""
    *_, last = learn_patterns(PatternConfig(**SMALL))
    plain = pattern_player(PatternConfig(**SMALL), last.parameters, depth=4)
    other = plain.model_copy(update={"ordering": "killer", "table": 10})
    seats = [one.native("othello-6") for one in (plain, other)]
    assert all(KernelSeat(seat) is not None for seat in seats)
    batch = _native.Positions.random("othello-6", 30, 3, 4, 24)
    for index in range(len(batch)):
        answers = [_native.analyse(seat, *batch[index], 0)[:2] for seat in seats]
        assert answers[0] == answers[1]


def test_configs_are_read_written_and_refused():
    config = load_pattern_config("patterns-8")
    assert len(parameters_of(config.value())) == 121_338
    path_text = KINDS["patterns"].configs.write(config)
    assert 'learner = "patterns"' in path_text
    for changes, says in (
        ({"patterns": []}, "patterns"),
        ({"patterns": ["a1 z9"]}, "z9"),
        ({"patterns": ["a1 a1"]}, "once"),
        ({"patterns": ["corner_3x4"]}, "no pattern 'corner_3x4'"),
        ({"patterns": ["a1 b1 c1 d1 e1 f1 a2 b2 c2 d2 e2"]}, "65,536"),
        ({"patterns": [{"squares": "a1", "symmetries": [9]}]}, "0 to 7"),
        ({"stages": [9, 8]}, "growing"),
        ({"stages": [60]}, "more than 36"),
        ({"games": None}, "never ends"),
        ({"game": "chess"}, "chess"),
        ({"rates": {"first": -1}}, "rates.first"),
    ):
        with pytest.raises(ep.ConfigError, match=says):
            PatternConfig(**(SMALL | changes))
    with pytest.raises(ep.ConfigError, match="not a config of patterns"):
        load_pattern_config("firebrand-8")


def test_what_is_no_sum_of_patterns_cannot_be_learned():
    part = pattern([["a1", "b1"]])
    refused = [part + part, part * 2.0, part - part, part + number(1.0), number(1.0)]
    refused.append(pattern([["a1"]], sets=(board.empty,)))
    for value in refused:
        program = program_with_parameters(value, "othello")
        with pytest.raises(ValueError, match="sum of patterns"):
            _native.learn_tables(
                program, [game_rules("othello").start().row],
                key=1, first_game=0, rates=np.array([0.1]),
            )  # fmt: skip
    program = program_with_parameters(part, "othello")
    start = game_rules("othello").start().row
    for starts, changes, says in (
        ([], {}, "starts is empty"),
        ([start], {"rates": np.array([-0.1])}, r"rates\[0\]"),
        ([start], {"epsilon": 2.0}, "probability"),
        ([start], {"outcome": "elo"}, "sign or discs"),
    ):
        arguments: dict[str, Any] = {"key": 1, "first_game": 0, "rates": np.array([0.1])} | changes
        with pytest.raises(ValueError, match=says):
            _native.learn_tables(program, starts, **arguments)


def test_rates_that_are_too_large_are_told(tmp_path):
    part = pattern([["a1"]], [[1e6, -1e6, 0.0]])
    program = program_with_parameters(part, "othello")
    answer = _native.learn_tables(
        program, [game_rules("othello").start().row],
        key=1, first_game=7, rates=np.full(50, 1.0), epsilon=1.0, outcome="sign",
    )  # fmt: skip
    assert answer["failed"] is None  # a squashed value of 1 has no slope
    assert len(answer["points"]) == 50


def test_ctrl_c_keeps_the_games_of_a_part_of_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_learner, "_AT_ONCE", 30)
    settings = {"games": 300, "games_per_step": 100, "seed": 4}
    whole = list(learn_patterns("patterns-8", **settings))
    play, calls = pattern_learner.PatternLearning._play, []

    def stopped(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 7:  # in the second step, when 60 of its games are played
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(pattern_learner.PatternLearning, "_play", stopped)
    config = load_pattern_config("patterns-8", settings=settings)
    with Run.create(tmp_path / "run", config) as run:
        with pytest.raises(KeyboardInterrupt):
            list(ep.advance(run))
        assert run.status == "stopped"
        assert run.last().games == 160
    monkeypatch.undo()
    with Run.open(tmp_path / "run") as run:
        after = list(ep.advance(run))
        assert [step.games for step in after] == [200, 300]
        assert run.status == "finished"
    # The tables are those of a run that was never stopped, and of one in larger parts.
    assert [step.digest for step in after] == [step.digest for step in whole[2:]]
