"""Configs, steps and weights of learning."""

import json
import re
import tomllib
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from evoply import board, count
from evoply.evolution import load_config
from evoply.kinds import KINDS
from evoply.learning import (
    Learning,
    LearningConfig,
    LearningStep,
    edited,
    load_learning_config,
    model_of,
)
from evoply.learning import learn as steps_of
from evoply.learning.learner import place_of
from evoply.players import AlphaBeta, parse_player
from evoply.protocols import ConfigError, RunError, steps
from evoply.runs.presets import PRESETS, preset_text

SMALL: dict[str, Any] = {
    "game": "othello-6",
    "seed": 3,
    "games": 60,
    "games_per_step": 20,
    "features": ["corners", "mobility", "pieces", "anchored"],
    "rates": {"weights": 0.05, "time_weights": 0.05},
    "curriculum": {"order": "end-first", "blanks": [6, 12], "games": 15},
    "time_weights": {"degree": 1, "after": 25},
}


def learn(config: LearningConfig, **options: Any) -> LearningStep:
    """Return the last step."""
    *_, last = steps_of(config, **options)
    return last


def small(**changes: Any) -> LearningConfig:
    return LearningConfig(**{**SMALL, **changes})


def test_steps_end_where_the_stage_or_the_limit_or_the_time_weights_change() -> None:
    config = small()
    made = list(steps(Learning(), config))
    assert [step.games for step in made] == [0, 15, 25, 30, 50, 60]
    assert [step.statistics["stage"] for step in made] == [0, 1, 1, 2, 2, 2]
    assert [place_of(config, games).blanks for games in (0, 14, 15, 29, 30)] == [
        (6,), (6,), (12,), (12,), ()
    ]  # fmt: skip
    times = [[row[1] for row in step.weights] for step in made]
    assert times[0] == times[1] == times[2] == [1.0] * 4
    assert times[3] != times[2]


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    one = learn(small())
    assert one.digest == learn(small()).digest
    assert one.digest != learn(small(seed=4)).digest
    assert max(abs(row[0]) for row in one.weights) < 5


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"batch": 4},
        {"opponent": {"kind": "pool", "refresh": 35, "size": 3}, "learns": "alternate"},
        {"rates": {"weights": 0.05, "time_weights": 0.05, "schedule": "adaptive"}},
    ],
    ids=str,
)
def test_a_run_that_ended_sooner_and_went_on_is_one_that_was_longer(
    changes: dict[str, Any],
) -> None:
    whole = learn(small(games=100, **changes))
    for games in (10, 47, 66, 80):
        sooner = learn(small(games=games, **changes))
        assert games <= sooner.games < games + 4  # with whole batches
        later = learn(small(games=100, **changes), resume_from=sooner)
        assert later.weights == whole.weights
        assert later.digest == whole.digest


def test_threads_and_the_length_of_steps_change_no_weight() -> None:
    batched = small(batch=5, games_per_step=10)
    one = learn(batched, threads=1)
    assert one.digest == learn(batched, threads=2).digest
    assert learn(small(games_per_step=7)).weights == learn(small(games_per_step=20)).weights


def test_going_on_from_any_step_gives_the_same() -> None:
    config = small()
    learner = Learning()
    made = list(steps(learner, config))
    for step in made[:-1]:
        data = json.loads(json.dumps(learner.dump(step)))
        again = learner.load(config, data)
        assert again == step
        assert learn(config, resume_from=again).digest == made[-1].digest


@pytest.mark.parametrize(
    "change",
    [
        {"rule": "td-lambda"},
        {"rule": "td-leaf", "depth": 2},
        {"depth": 2},
        {"backed_up": True},
        {"outcome": "discs"},
        {"scaling": "raw", "rates": {"weights": 1e-4, "time_weights": 1e-4}},
        {"learns": "both"},
        {"learns": "black"},
        {"learns": "white"},
        {"epsilon": 0.0},
        {"epsilon": 1.0},
        {"opponent": {"kind": "frozen", "refresh": 10}},
        {"opponent": {"kind": "pool", "refresh": 10, "size": 2}},
        {"rates": {"weights": 0.05, "schedule": "decay", "half": 10}},
        {"rates": {"weights": 0.05, "schedule": "adaptive"}},
        {"time_weights": {"degree": 3}},
        {"time_weights": {"degree": 0}},
        {"curriculum": {"order": "random", "games": 3}},
        {"batch": 4},
    ],
)
def test_every_option_changes_what_is_learned_and_can_be_gone_on_with(
    change: dict[str, Any],
) -> None:
    config = small(**change)
    learner = Learning()
    made = list(steps(learner, config))
    assert 60 <= made[-1].games < 60 + config.batch  # with a whole batch at the end
    assert made[-1].weights != learn(small()).weights or change == {}
    middle = learner.load(config, json.loads(json.dumps(learner.dump(made[2]))))
    assert learn(config, resume_from=middle).digest == made[-1].digest


def test_a_rate_of_0_leaves_the_weights() -> None:
    step = learn(small(rates={"weights": 0, "time_weights": 0}))
    first = Learning().first(small())
    assert step.weights == first.weights
    assert all(-0.1 <= row[0] <= 0.1 for row in first.weights)


def test_earlier_versions_are_taken_when_it_is_time() -> None:
    made = list(steps(Learning(), small(opponent={"kind": "pool", "refresh": 10, "size": 2})))
    by_games = {step.games: step for step in made}
    last = by_games[60]
    assert last.earlier == (by_games[50].weights, by_games[60].weights)


def test_a_rate_too_large_stops_and_says_what_is_kept() -> None:
    config = small(scaling="raw", rates={"weights": 0.005}, time_weights={"degree": 0}, games=2000)
    kept: list[LearningStep] = []
    says = r"in game ([0-9,]+) at ply .*became too large.*weights after ([0-9,]+) games are kept"
    with pytest.raises(RunError, match=says) as error:
        kept.extend(steps_of(config))
    found = re.search(says, str(error.value))
    game, before = (int(number.replace(",", "")) for number in found.groups())
    # Games are counted from 1, and the one that failed is of the step after the last that was kept.
    assert 0 < before < game <= before + config.games_per_step


def test_an_edit_is_a_step_that_says_what_was_changed() -> None:
    config = small()
    step = learn(config)
    changed = edited(config, step, "pieces", weight=0.4, time_weight=-0.25)
    assert changed.number == step.number + 1
    assert changed.games == step.games
    difference = np.array(changed.weights) - np.array(step.weights)
    assert difference.round(12).tolist() == [[0, 0], [0, 0], [0.4, -0.25], [0, 0]]
    again = Learning().load(config, json.loads(json.dumps(Learning().dump(changed))))
    assert (again, again.edit) == (changed, changed.edit)
    longer = small(games=100)
    assert learn(longer, resume_from=changed).digest != learn(longer, resume_from=step).digest
    with pytest.raises(ValueError, match="this run has the features corners, mobility"):
        edited(config, step, "kings", weight=1)
    with pytest.raises(ValueError, match="by how much"):
        edited(config, step, "pieces")
    with pytest.raises(ValueError, match="no time weights"):
        edited(small(time_weights={"degree": 0}), step, "pieces", time_weight=1)


def test_a_feature_of_ones_own_is_learned() -> None:
    difference = count(board.own & board.empty.neighbours()) - count(
        board.opponent & board.empty.neighbours()
    )
    own = {"name": "touching", "expression": difference, "scale": 18}
    config = small(features=["corners", own], games=20)
    assert LearningConfig(**tomllib.loads(KINDS["learning"].configs.write(config))) == config
    assert learn(config).weights == learn(
        small(features=["corners", {"name": "frontier", "scale": 18}], games=20)
    ).weights  # fmt: skip


@pytest.mark.parametrize(
    "name", [name for name, one in PRESETS.items() if one.learner == "learning"]
)
def test_presets_are_valid_and_round_trip(name: str) -> None:
    config = load_learning_config(name)
    assert LearningConfig(**tomllib.loads(KINDS["learning"].configs.write(config))) == config
    assert preset_text(name).startswith("# ")
    with pytest.raises(ConfigError, match="is a config of learning: `evoply learn` runs it"):
        load_config(name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": []}, "features: must not be empty"),
        ({"features": ["corner"]}, "no feature 'corner'; did you mean 'corners'"),
        ({"features": ["corners", "corners"]}, "features.1: corners occurs twice"),
        ({"features": ["ring_5"]}, "features.0: .*no squares called 'ring_5'"),
        ({"games": None}, "games: set games or time_limit"),
        ({"curriculum": {"order": "end-first", "blanks": [40]}}, "40 empty squares: 1 to 32"),
        ({"game": "checkers", "features": ["men"]}, "does not fill the board"),
        ({"machine": {"threads": 2}}, "batch: is 1"),
        ({"rates": {"weight": 1}}, "rates.weight: unknown key; did you mean 'weights'"),
        ({"epsilon": 2}, "epsilon: must be less than or equal to 1"),
        ({"rule": "q"}, "rule: must be 'td', 'td-lambda' or 'td-leaf'"),
        ({"game": "chess"}, "game: "),
    ],
)
def test_wrong_configs_are_refused_with_their_paths(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        small(**changes)


def test_a_damaged_step_is_refused() -> None:
    config = small()
    learner = Learning()
    data = learner.dump(learn(config))
    wrong: list[Any] = [None, {}, {**data, "weights": [[1.0]]}, {**data, "statistics": 3}]
    for one in wrong:
        with pytest.raises(ValueError, match=r"(not a|this) step"):
            learner.load(config, one)


def test_other_games_can_be_learned() -> None:
    config = LearningConfig(
        game="checkers", features=["men", "kings", "mobility"], games=30, learns="both"
    )
    step = learn(config)
    assert model_of(config, step).weights[0] != 0
    step.champions[0].check_fits("checkers")


@pytest.mark.long
@pytest.mark.parametrize("game", ["othello", "othello-10"])
def test_the_shipped_player_comes_again_from_its_command(game: str) -> None:
    text = (files("evoply.players") / "firebrand.json").read_text(encoding="utf-8")
    shipped = json.loads(text)["players"][game]
    _, _, preset, option, games = shipped["command"].split()
    assert option == "--games"
    step = learn(load_learning_config(preset, [f"games={games}"]))
    names = [feature.name for feature in load_learning_config(preset).features]
    rows = [[name, *row] for name, row in zip(names, step.weights, strict=True)]
    assert rows == shipped["weights"]
    assert step.digest == shipped["digest"]
    named = parse_player("firebrand", game=game)
    values = step.champions[0].evaluator
    assert isinstance(named, AlphaBeta)
    assert (named.evaluator, named.depth) == (values, 4)
