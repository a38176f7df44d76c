"""Tuning: which numbers there are, that CMA-ES finds better ones, and that it goes on exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evoply as ep
from evoply import Run
from evoply.cli import main
from evoply.expressions import (
    board,
    count,
    destinations,
    is_empty,
    less,
    number_of_moves,
    parameters_of,
    select,
    squares,
    weighted_sum,
)
from evoply.expressions.written_form import in_order
from evoply.gp import parse_tree
from evoply.learning import Tuning, TuningConfig, features_of_sets, tune
from evoply.learning.choices import values_at
from evoply.learning.tunable import tunable
from evoply.learning.tuning import boards_to_weigh, units_of
from whole_runs import broken_run

pytest.importorskip("cmaes")

# Wants the opponent to have corners and moves: every number has the wrong sign.
WRONG = "( - black_corners ( * 2 ( - white_mobility black_mobility ) ) ):primitives=othello-access"
SMALL = {
    "opponents": ["greedy"],
    "generations": 6,
    "pairs": 10,
    "population_size": 6,
    "test_every": 2,
    "test_pairs": 20,
}


# Three stages, and a set of one's own whose features have numbers inside.
STAGED = (
    "{ phases ( * 2 white_anchored ) 40 ( - white_anchored black_safe_moves ) 35 "
    "( white_mobility ) 25 }:primitives=othello-access"
)
OWN = (
    ep.PRIMITIVE_SETS["othello-access"]
    .with_primitive("no_reply", select(is_empty(destinations("opponent")), 1.0, 0.0))
    .with_primitive("places", weighted_sum(ep.board.own, [[float(one) for one in range(64)]]))
)


def own_player() -> ep.AfterState:
    tree = parse_tree("( - ( * 3 no_reply ) ( - white_frontier places ) )", OWN)
    return ep.AfterState(evaluator=tree)


def config(player: object = WRONG, game: str = "othello-6", **settings: object) -> TuningConfig:
    return TuningConfig.for_player(player, game, **{**SMALL, **settings})


def test_terms_get_a_factor_each_and_constants_stay_as_they_are() -> None:
    terms = parameters_of(tunable(WRONG, "othello", "terms").expression)
    assert sorted(terms.tolist()) == [1.0, 2.0, 2.0]
    assert parameters_of(tunable(WRONG, "othello", "constants").expression).tolist() == [2.0]


def tuned_values(player: object, parameters: str = "terms") -> list[float]:
    chosen = TuningConfig.for_player(player, "othello", **SMALL).player
    return tunable(chosen, "othello", parameters).weights.tolist()


def test_borders_of_stages_are_no_weights() -> None:
    assert sorted(tuned_values(STAGED)) == [1.0, 1.0, 1.0, 2.0]
    assert tuned_values(STAGED, "constants") == [2.0]
    # Nor are those of a formula that was distilled, which is an expression.
    formula = ep.distil("edgar-like", terms=2, stages=3, games=20)
    before = formula.player.evaluator.value
    text = TuningConfig.for_player(formula.player, "othello", **SMALL).player
    for parameters in ("terms", "constants"):
        chosen = tunable(text, "othello", parameters)
        after = chosen.tuned(7 * chosen.weights).evaluator.value
        assert after != before
        for expression in (before, after):
            borders = [node for node in in_order([expression]) if node.op == "less"]
            assert sorted(node.arguments[1].arguments[0] for node in borders) == pytest.approx(
                [1 / 3, 2 / 3]
            )


def test_numbers_inside_features_are_no_weights_and_names_stay(tmp_path: Path) -> None:
    player = own_player()
    assert tuned_values(player) == [3.0, 1.0, 1.0]
    assert tuned_values(player, "constants") == [3.0]
    chosen = tunable(config(player, "othello").player, "othello", "terms")
    ep.save_player(tmp_path / "tuned.json", chosen.tuned(np.array([2.5, 0.5, 4.0])))
    tuned = ep.load_player(tmp_path / "tuned.json")
    explained = ep.explain(tuned)
    assert explained.simplified == "2.5 * no_reply + 0.5 * places - 4 * white_frontier"
    assert "no reply" in [one.wants for one in explained.terms]
    assert "no_reply" in tuned.label
    # Names decide nothing, and a player that was tuned is tuned again.
    nameless = tuned.evaluator.model_copy(update={"names": {}})
    assert tuned.identity() == tuned.model_copy(update={"evaluator": nameless}).identity()
    assert sorted(tuned_values(tuned)) == [0.5, 2.5, 4.0]


def outside_stages() -> ep.AfterState:
    """The player that tuning once made of three stages: of these only one is ever reached."""
    corners, moves = count(board.own & squares("corners")), number_of_moves("opponent")
    ways = [2 * corners - moves, 3 * corners - moves, corners - 4 * moves]
    late = select(less(board.t, 1.018), ways[1], ways[2])
    return ep.AfterState(evaluator=select(less(board.t, -0.06374), ways[0], late))


def test_stages_that_are_never_reached_have_no_numbers() -> None:
    assert sorted(tuned_values(outside_stages())) == [1.0, 3.0]
    assert "if(" not in ep.explain(outside_stages()).simplified


def test_what_decides_no_move_is_not_tuned() -> None:
    own = ":primitives=othello-access"
    sums = "( + 0.0115049 ( + ( * 1.75399 clock ) ( - ( * 3 white_corners ) white_frontier ) ) )"
    assert sorted(tuned_values(sums + own)) == [1.0, 3.0]
    product = "( + ( * ( - 7.33865 black_risky_x ) ( - 8.14714 black_corner_moves ) ) 4.27322 )"
    assert sorted(tuned_values(product + own)) == [1.0, 7.33865, 8.14714]
    # A stage may be a constant: it stays one, and the other stage has a number.
    assert tuned_values("{ phases ( 3 ) 40 ( * 2 white ) 60 }" + own) == [2.0]
    assert tuned_values("( + 5 ( * 2 white ) )" + own, "constants") == [2.0]
    # A search compares values with that of a draw, so a constant decides there.
    assert sorted(tuned_values("( + 5 ( * 2 white ) ):depth=1,primitives=othello-access")) == [2, 5]
    with pytest.raises(ValueError, match="all its moves have one value"):
        tunable("( + clock 3 )" + own, "othello", "terms")


def test_a_choice_of_two_numbers_by_the_board_is_one_feature() -> None:
    no_reply = select(is_empty(destinations("opponent")), 1.0, 0.0)
    value = 3 * no_reply - count(board.own)
    assert sorted(tuned_values(ep.AfterState(evaluator=value))) == [1.0, 3.0]


def test_a_distilled_formula_keeps_the_names_of_its_primitives() -> None:
    formula = ep.distil(own_player(), terms=3, games=20, primitives=[OWN])
    explained = ep.explain(formula.player)
    assert "places" in explained.simplified
    assert "no_reply" in explained.simplified


def test_each_feature_of_a_learned_player_has_one_weight() -> None:
    features = features_of_sets(["liao"], "othello")
    *_, last = ep.learn("firebrand-8", games=20, features=features)
    assert len(tuned_values(last.champions[0])) == len(features)


@pytest.mark.parametrize("parameters", ["terms", "constants"])
def test_untouched_numbers_play_the_same_moves(parameters: str) -> None:
    before = ep.parse_player(WRONG, game="othello-6")
    (first, *_) = tune(WRONG, game="othello-6", parameters=parameters, **SMALL)
    after = first.champions[0]
    games = {"game": "othello-6", "games": 60, "seed": 3}
    assert ep.match(after, "random", **games).wins == ep.match(before, "random", **games).wins


def test_a_unit_is_what_weighs_as_much_as_numbers_usually_do() -> None:
    boards = boards_to_weigh(own_player().evaluator, "othello", 1)
    access = ep.PRIMITIVE_SETS["othello-access"]
    columns = [access[name].expression for name in ("white_corners", "white_mobility")]
    counted = values_at(columns, "othello", boards.choices.rows)
    assert len(boards.positions) == len(counted)
    numbers = np.array([2.0, 0.01, 3.0])

    def values(changed: np.ndarray) -> np.ndarray:
        return counted @ changed[:2]  # the third decides nothing

    units = units_of(numbers, values, boards)
    # Slowly: the deviation of each column within its position, over all boards.
    spreads = []
    for column in counted.T:
        squares = 0.0
        for place in range(len(boards.choices)):
            here = column[boards.choices.position == place]
            squares += float(((here - here.mean()) ** 2).sum())
        spreads.append((squares / len(column)) ** 0.5)
    weighed = [2 * spreads[0], 0.01 * spreads[1]]
    usual = ((weighed[0] ** 2 + weighed[1] ** 2) / 2) ** 0.5
    assert units[:2] == pytest.approx([usual / spreads[0], usual / spreads[1]])
    assert units[2] == 3


def test_it_finds_better_numbers() -> None:
    steps = list(tune(WRONG, game="othello-6", **{**SMALL, "generations": 16, "spread": 1.0}))
    assert steps[-1].best_score > steps[0].best_score + 0.2
    scores = [step.best_score for step in steps]
    assert scores == sorted(scores)
    match = {"game": "othello-6", "games": 200, "seed": 5}
    tuned = ep.match(steps[-1].champions[0], "greedy", **match).score
    assert tuned > ep.match(WRONG, "greedy", **match).score + 0.1


def test_the_seed_decides_and_neither_threads_nor_a_stop() -> None:
    whole = list(tune(WRONG, game="othello-6", threads=1, **SMALL))
    again = list(tune(WRONG, game="othello-6", threads=2, **SMALL))
    assert [step.digest for step in whole] == [step.digest for step in again]
    other = list(tune(WRONG, game="othello-6", seed=2, **SMALL))
    assert other[-1].digest != whole[-1].digest
    learner = Tuning()
    stored = learner.load(config(), json.loads(json.dumps(learner.dump(whole[2]))))
    assert stored == whole[2]
    # A learner that has seen nothing goes on from what was stored.
    assert Tuning().after(config(), stored).digest == whole[3].digest


def test_a_score_is_that_of_the_games() -> None:
    settings = config(generations=2, pairs=3)
    learner = Tuning()
    first = learner.first(settings)
    step = learner.after(settings, first)
    games = 2 * 3
    assert all(0 <= points <= 2 * games for points in step.points[0])
    assert len(step.points[0]) == settings.population_size
    mean = sum(step.points[0]) / (2 * games * len(step.points[0]))
    assert step.statistics["mean"] == pytest.approx(mean)


def test_all_vectors_play_the_same_games() -> None:
    from evoply.learning.tuning import _task

    task = _task(config())
    values = parameters_of(task.tunable.expression)
    stream = ep.Stream(1, "games")
    alone = Tuning()._play(task, [values], 30, stream)
    beside = Tuning()._play(task, [-values, values, values], 30, stream)
    assert beside[1:] == alone * 2
    assert beside[0] != beside[1]


def test_what_has_no_numbers_is_refused() -> None:
    for text, game, message in (
        ("random", "othello", "no numbers"),
        ("random-leaf", "othello", "chance"),
        ("material-alternating", "othello", "chance"),
        ("swh", "othello", "learn"),
    ):
        with pytest.raises(ValueError, match=message):
            tunable(text, game, "terms")
    with pytest.raises(ValueError, match="parameters=terms"):
        tunable("( white )", "othello", "constants")


def test_a_run_keeps_the_points_of_a_generation_once(tmp_path: Path) -> None:
    with broken_run(tmp_path / "run", config()) as run:
        assert run.config == config()
        added = [step.fields["added"]["points"] for step in run.steps()]
        assert [len(points) for _, points in added] == [0, *[1] * (run.count() - 1)]
        assert len(run.last().points) == run.count() - 1
        player = run.champion_player
        player.check_fits("othello-6")
        assert np.isfinite(parameters_of(player.evaluator.parsed)).all()


def test_a_run_without_a_limit_on_games_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    Run.create(tmp_path / "numbers", config()).close()
    assert main(["resume", "numbers", "--games", "9"]) == 2
    assert "--games: runs of tuning have no such limit - give" in capsys.readouterr().err


def test_a_limit_may_grow() -> None:
    learner = Tuning()
    settings = config(generations=2)
    first = learner.first(settings)
    second = learner.after(settings, first)
    assert learner.is_finished(settings, second)
    longer = settings.model_copy(update={"generations": 3})
    assert not learner.is_finished(longer, second)
    assert replace(second, seconds=0.0) == second  # time is no part of what was computed
