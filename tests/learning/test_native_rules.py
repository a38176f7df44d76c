"""The kernel learns what slow models learn, to the last bit; and refuses what makes no sense."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import pytest
from slow_td import Rows, SlowLearner

from evoply import _native
from evoply._native import Stream
from evoply.expressions import (
    DIFFERENCES,
    FIREBRAND_FEATURES,
    board,
    clamp,
    divide,
    number,
    outputs_to_json,
    program_with_parameters,
)
from evoply.games import game_rules

GAMES = {
    "othello-6": ("corners", "near_corners", "edges", "ring_2", "mobility", "anchored"),
    "othello": tuple(name for name in FIREBRAND_FEATURES if name != "ring_5"),
    "othello-10": FIREBRAND_FEATURES,
    "checkers": ("men", "kings", "mobility"),
}
KERNELS = ["td", "td-lambda", "td-leaf"]


@cache
def features_of(game: str) -> tuple[Any, list[float]]:
    """Return the program of a game's features, and scales so small that some are clipped."""
    rules = game_rules(game)
    chosen = [DIFFERENCES[name] for name in GAMES[game]]
    outputs = outputs_to_json([feature.expression for feature in chosen], rules.shape)
    return _native.Program(rules.kernel, outputs), [
        feature.scale(rules.shape) / 2 for feature in chosen
    ]


@cache
def value_of(game: str, degree: int) -> tuple[Any, Any, Any]:
    """Return the value as one program, with the places of weights and time weights."""
    rules, total, marks = game_rules(game), None, []
    u = number(1.0) - number(2.0) * board.t
    scales = features_of(game)[1]
    for name, scale in zip(GAMES[game], scales, strict=True):
        scaled = clamp(divide(DIFFERENCES[name].expression, number(scale)), -1.0, 1.0)
        factor, power = number(2.0) * board.t, u
        marks.append([-1e6 - len(marks) * 100 - place for place in range(degree + 1)])
        for mark in marks[-1][1:]:
            factor = factor + number(mark) * power
            power = power * u
        term = number(marks[-1][0]) * scaled * factor
        total = term if total is None else total + term
    assert total is not None
    program = program_with_parameters(total, rules.name)
    found = {value: place for place, value in enumerate(program.parameters.tolist())}
    places = np.array([[found[mark] for mark in row] for row in marks], dtype=np.int64)
    return program, places[:, 0].copy(), places[:, 1:].copy()


def rows_of(game: str, degree: int, seed: int) -> Rows:
    stream = Stream(seed, "weights")
    return [[stream.random() - 0.5 for _ in range(degree + 1)] for _ in GAMES[game]]


def starts_of(game: str, count: int = 5) -> list[Any]:
    positions = _native.Positions.random(game, count, 7, 0, 20)
    return [positions[index] for index in range(count)]


def slow(game: str, *, degree: int = 1, games: int = 4, **arguments: Any) -> SlowLearner:
    program, scales = features_of(game)
    rates = [(0.05 / (1 + index), 0.02) for index in range(games)]
    given = {
        "weights": rows_of(game, degree, 1), "scales": scales, "starts": starts_of(game),
        "key": Stream(3).key, "rates": rates, "rule": "td", "recorded": 2, **arguments,
    }  # fmt: skip
    return SlowLearner(game, program, **given)


def split(rows: Rows) -> tuple[Any, Any]:
    array = np.array(rows)
    return array[:, 0].copy(), array[:, 1:].copy()


def native(model: SlowLearner, **changed: Any) -> dict[str, Any]:
    """Learn the same in the kernel."""
    weights, time_weights = split(model.weights)
    value = value_of(model.game, time_weights.shape[1]) if model.depth > 1 else None
    arguments: dict[str, Any] = {
        "weights": weights, "time_weights": time_weights, "scales": np.array(model.scales),
        "clip": model.clip, "key": model.key, "first_game": model.first_game,
        "games": len(model.rates), "rates": np.array(model.rates, dtype=np.float64).reshape(-1, 2),
        "rule": model.rule, "decay": model.decay, "learns": model.learns,
        "opponent": None if model.opponent is None else split(model.opponent),
        "epsilon": model.epsilon, "depth": model.depth, "value": value,
        "backed_up": model.backed_up, "outcome": model.outcome, "batch": model.batch,
        "threads": 1, "max_plies": model.max_plies, "draws": model.draws,
        "adaptive": None if model.adaptive is None else tuple(map(np.array, model.adaptive)),
        "every": model.every, "recorded": model.recorded,
    }  # fmt: skip
    given = arguments | changed
    return _native.learn_games(model.game, model.program, model.starts, **given)


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what the kernel answers as the slow model does."""
    weights = np.column_stack([answer["weights"], answer["time_weights"]])
    lists = {name: np.asarray(answer[name]).tolist() for name in answer if name != "time_weights"}
    adaptive = answer["adaptive"]
    return lists | {
        "weights": weights.tolist(),
        "adaptive": None if adaptive is None else tuple(array.tolist() for array in adaptive),
        "failed": answer["failed"],
        "moves": answer["moves"],
    }


def assert_equal_to_model(model: SlowLearner, *, least_games: int = 1) -> dict[str, Any]:
    """Compare one thread and two with the model; return what was learned."""
    answers = [plain(native(model, threads=threads)) for threads in (1, 2)]
    assert answers[0] == answers[1]
    begun = [list(row) for row in model.weights]
    learned = model.learn()
    assert learned == answers[0]
    assert len(learned["points"]) >= least_games
    assert learned["weights"] != begun
    return learned


@pytest.mark.parametrize("rule", KERNELS)
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("game", [*GAMES])
def test_learns_what_the_model_learns(game: str, batch: int, rule: str) -> None:
    games = 3 if batch == 1 else 9
    draws = (20, 3, 60) if game == "checkers" else (None, None, None)
    model = slow(
        game, games=games, rule=rule, batch=batch, decay=0.7, epsilon=0.1, draws=draws, every=2
    )
    learned = assert_equal_to_model(model, least_games=games)
    assert sum(learned["explored"]) > 0
    assert sum(learned["clipped"]) > 0
    assert len(learned["history"]) == games // 2
    assert all(updates > 10 for updates in learned["updates"])


OPTIONS: dict[str, dict[str, Any]] = {
    "backed up": {"backed_up": True, "epsilon": 0.2},
    "backed up, lambda": {"backed_up": True, "rule": "td-lambda", "decay": 0.5},
    "one side": {"learns": "white"},
    "alternating": {"learns": "alternate", "first_game": 5, "games": 5},
    "against others": {"learns": "black", "opponent": rows_of("othello-6", 1, 2), "epsilon": 0.3},
    "leaf against others": {
        "learns": "alternate", "opponent": rows_of("othello-6", 1, 2), "rule": "td-leaf",
    },
    "discs": {"outcome": "discs", "rule": "td-lambda", "decay": 1.0},
    "polynomials": {"degree": 3},
    "rates of their own": {"adaptive": ([[0.0] * 2] * 6, [[0.0] * 2] * 6), "games": 6},
    "rates of their own in batches": {
        "adaptive": ([[0.0] * 2] * 6, [[0.0] * 2] * 6), "games": 10, "batch": 4, "rule": "td-leaf",
    },
    "raw": {"clip": False, "scales": [1.0] * 6, "rates": [(1e-4, 1e-4)] * 3},
    "weights alone": {"rates": [(0.1, 0.0)] * 3},
    "time weights alone": {"rates": [(0.0, 0.1)] * 3},
    "short games": {"max_plies": 9, "games": 6},
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS.values(), ids=[*OPTIONS])
def test_options_mean_what_they_mean_in_the_model(options: dict[str, Any]) -> None:
    assert_equal_to_model(slow("othello-6", **options))


@pytest.mark.parametrize("rule", KERNELS)
@pytest.mark.parametrize("options", [{"backed_up": True}, {"learns": "black"}, {"degree": 2}])
def test_looks_further_ahead_as_the_model_does(rule: str, options: dict[str, Any]) -> None:
    opponent = rows_of("othello-6", 1, 5) if "learns" in options else None
    model = slow(
        "othello-6", games=2, rule=rule, depth=2, decay=0.6, epsilon=0.1, opponent=opponent,
        outcome="discs", **options,
    )  # fmt: skip
    assert_equal_to_model(model)


@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_three_plies_and_any_order_of_moves_give_the_same(game: str) -> None:
    draws = (20, 3, 40) if game == "checkers" else (None, None, None)
    # Late starts of Othello, so that searches see games end.
    starts = [*starts_of(game, 2), *latest(game)]
    model = slow(game, games=2, rule="td", depth=3, epsilon=0.2, draws=draws, starts=starts)
    expected = plain(native(model))
    for ordering, table in [("killer", 0), ("evaluator", 0), ("hash", 12), ("none", 12)]:
        assert plain(native(model, ordering=ordering, table=table)) == expected
    assert_equal_to_model(model)


def latest(game: str) -> list[Any]:
    positions = _native.Positions.random(game, 2, 9, 24, 26)
    return [positions[0], positions[1]]


def test_learning_in_parts_is_learning_at_once() -> None:
    model = slow("othello-6", games=12, rule="td-lambda", decay=0.3, epsilon=0.1, batch=3)
    model.adaptive = ([[0.0] * 2] * 6, [[0.0] * 2] * 6)
    whole = native(model)
    rates = np.array(model.rates)
    first = native(model, games=6, rates=rates[:6])
    second = native(
        model, games=6, rates=rates[6:], first_game=6, weights=first["weights"],
        time_weights=first["time_weights"], adaptive=first["adaptive"],
    )  # fmt: skip
    for name in ("weights", "time_weights"):
        assert (second[name] == whole[name]).all()
    points = [*first["points"], *second["points"]]
    assert points == whole["points"].tolist()


def test_without_errors_weights_stay() -> None:
    """The paper prints its rules as assignments: with Err = 0 they would wipe the weights."""
    model = slow("othello-6", games=8, outcome="discs", max_plies=6)
    # Weights of nothing see nothing, and games that a rule ends bring nothing: no error.
    model.weights = [[0.0, 1.0 + index] for index in range(6)]
    answer = native(model)
    assert answer["updates"].sum() > 20
    assert answer["squared_errors"].sum() == 0
    assert answer["weights"].tolist() == [0.0] * 6
    assert answer["time_weights"].tolist() == [[1.0 + index] for index in range(6)]


@pytest.mark.parametrize("rule", KERNELS)
def test_changes_are_gradients(rule: str) -> None:
    """One update from a board to the outcome lowers half the squared error by its slope.

    A game that ends one own turn after it began has a single pair, from a board that is known.
    """
    game, step = "othello-6", 1e-6
    positions = _native.Positions.random(game, 200, 5, 26, 30)
    checked = 0
    for index in range(200):
        arguments: dict[str, Any] = {
            "games": 1, "starts": [positions[index]], "rule": rule, "decay": 0.5,
            "learns": "black" if positions[index][3] else "white",
            "opponent": [[0.0, 1.0]] * 6,
        }  # fmt: skip
        begun = slow(game, **arguments).weights

        def learned(weights: Rows, rate: float, given: dict[str, Any]) -> dict[str, Any]:
            model = slow(game, **given, rates=[(rate, rate)])
            model.weights = weights
            return native(model)

        answer = learned(begun, step, arguments)
        if answer["updates"].tolist() != [1] or answer["squared_errors"][0] == 0:
            continue
        for row in range(6):
            for column in range(2):
                loss = []
                for change in (1e-4, -1e-4):
                    beside = [list(values) for values in begun]
                    beside[row][column] += change
                    again = learned(beside, 0.0, arguments)
                    loss.append(again["squared_errors"][0] / 2)
                    same_game = again["plies"][0] == answer["plies"][0]
                    same_game &= again["discs"][0] == answer["discs"][0]
                if not same_game:
                    continue
                slope = (loss[0] - loss[1]) / 2e-4
                moved = plain(answer)["weights"][row][column] - begun[row][column]
                assert moved / step == pytest.approx(-slope, abs=1e-4)
                checked += abs(slope) > 1e-3
    assert checked > 50


def test_rates_too_large_are_told_with_game_and_ply() -> None:
    model = slow("othello-6", games=20, rates=[(1e-9, 1e-9)] * 5 + [(0.1, 0.1)] * 15)
    model.clip, model.scales = False, [0.01] * 6
    answer = plain(native(model))
    game, ply = answer["failed"]
    assert 0 < game < 20
    assert 0 < ply < 40
    assert len(answer["points"]) == game == len(answer["history"])
    assert answer["weights"] == answer["history"][-1]
    assert np.isfinite(answer["weights"]).all()
    assert model.learn() == answer


def test_arrays_may_lie_in_memory_as_they_like() -> None:
    model = slow("othello-6", games=3, degree=2)
    turned = np.asfortranarray(model.rates)
    times = split(model.weights)[1]
    answer = native(model, rates=turned, time_weights=np.repeat(times, 2, axis=0)[::2])
    assert plain(answer) == plain(native(model))


def test_progress_is_told_and_interrupts() -> None:
    told: list[int] = []
    model = slow("othello", games=400)
    native(model, progress=told.append)
    assert told == sorted(told)

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        native(slow("othello-10", games=20_000), progress=interrupt)


def nothing(count: int, *shape: int) -> Any:
    return np.zeros((count, *shape))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "rule": ({"rule": "sarsa"}, "rule is \"sarsa\": rules are td, td-lambda, td-leaf"),
    "learns": ({"learns": "red"}, "learns is \"red\""),
    "outcome": ({"outcome": "points"}, "outcome is \"points\""),
    "both against another": (
        {"opponent": (nothing(6), nothing(6, 1))}, "learns is both, and an opponent is given",
    ),
    "opponent of another degree": (
        {"learns": "black", "opponent": (nothing(6), nothing(6, 2))}, "of another degree",
    ),
    "opponent of another size": (
        {"learns": "black", "opponent": (nothing(5), nothing(5, 1))}, "opponent: weights are 5",
    ),
    "epsilon": ({"epsilon": 1.5}, "epsilon is 1.5: give a probability"),
    "epsilon that is no number": ({"epsilon": float("nan")}, "epsilon is NaN"),
    "decay": ({"rule": "td-lambda", "decay": -0.1}, "decay is -0.1"),
    "no depth": ({"depth": 0}, "depth is 0: give 1 to 128"),
    "depth without value": ({"depth": 3}, "value is missing: looking 3 plies ahead"),
    "no batch": ({"batch": 0}, "batch is 0"),
    "batch": ({"batch": 5000}, "batch is 5000: give 1 to 4096"),
    "every": ({"every": 0}, "every is 0"),
    "table": ({"table": 60}, "table has"),
    "ordering": ({"ordering": "tree"}, "ordering is by a program of its own"),
    "unknown ordering": ({"ordering": "best"}, "unknown ordering"),
    "weights": ({"weights": nothing(5)}, "6 rows of time weights for 5 weights"),
    "fewer features": (
        {"weights": nothing(5), "time_weights": nothing(5, 1), "scales": np.ones(5)},
        "features gives 6 numbers for 5 scales",
    ),
    "no time weights": ({"time_weights": nothing(6, 0)}, "time_weights have degree 0"),
    "infinite weights": ({"weights": np.full(6, np.inf)}, "row 0 of the weights is not within 1e6"),
    "scales": ({"scales": nothing(6)}, "scales[0] is 0"),
    "rates of other games": ({"rates": nothing(3, 2)}, "rates have shape"),
    "rates": ({"rates": np.full((4, 2), -1.0)}, "rates[0] is"),
    "adaptive": ({"adaptive": (nothing(6, 2), nothing(6, 1))}, "absolute sums have shape"),
    "infinite sums": (
        {"adaptive": (np.full((6, 2), np.nan), nothing(6, 2))}, "give two finite numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changed", "message"), WRONG.values(), ids=[*WRONG])
def test_refuses_in_words(changed: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as error:
        native(slow("othello-6"), **changed)
    assert message in str(error.value)


def test_refuses_wrong_values_and_starts() -> None:
    model = slow("othello-6", games=1)
    program, weights, time_weights = value_of("othello-6", 1)
    for value, message in [
        ((features_of("othello-6")[0], weights, time_weights), "keeps no parameters"),
        ((value_of("othello", 1)[0], weights, time_weights), "cannot be used in othello-6"),
        ((program, weights + 1000, time_weights), "there is no place"),
        ((program, weights - 1000, time_weights), "there is no place"),
        ((program, weights[:5], time_weights), "places of time weights have shape"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            native(model, depth=2, value=value)
    finished = (1, 0, 0, True, 40, 0)
    with pytest.raises(ValueError, match=r"starts\[0\] is a finished game"):
        native(slow("othello-6", starts=[finished]))
    with pytest.raises(ValueError, match="starts is empty"):
        native(slow("othello-6", starts=[]))
    with pytest.raises(ValueError, match="unknown game"):
        native(dataclasses.replace(model, game="go"))
    with pytest.raises(ValueError, match="cannot be used in othello"):
        native(dataclasses.replace(model, game="othello", starts=starts_of("othello")))
