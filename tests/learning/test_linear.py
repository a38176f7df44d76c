"""Linear evaluators: factors, expressions, and the places of weights among parameters."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import find_difference
from evoply.games import game_rules
from evoply.learning import Feature, LearningConfig, LinearModel, learned_player
from evoply.players import analyse

GAME = "othello-6"
NAMES = ("corners", "mobility", "anchored")


def model_with(weights: list[float], times: list[list[float]], **others: bool) -> LinearModel:
    shape = game_rules(GAME).shape
    features = []
    for name in NAMES:
        difference = find_difference(name)
        features.append(Feature(name, difference.expression, difference.scale(shape)))
    rows = tuple(tuple(row) for row in times)
    return LinearModel(GAME, tuple(features), tuple(weights), rows, **others)


def test_factors_of_the_paper() -> None:
    model = model_with([1, 1, 1], [[1.0], [3.0], [0.0]])
    assert [model.factor(0, clock) for clock in (0, 0.25, 0.5, 1)] == [1, 1, 1, 1]
    # O at the start, 1 in the middle, 2 - O at the end.
    assert [model.factor(1, clock) for clock in (0, 0.5, 1)] == [3, 1, -1]
    assert [model.factor(2, clock) for clock in (0, 0.5, 1)] == [0, 1, 2]


def test_polynomials_of_degree_1_are_the_papers() -> None:
    linear = model_with([0.5, -0.25, 1.5], [[1.5], [0.5], [-2.0]])
    wider = model_with([0.5, -0.25, 1.5], [[1.5, 0.0], [0.5, 0.0], [-2.0, 0.0]])
    batch = _native.Positions.random(GAME, 200, 5, 0, 30)
    positions = [game_rules(GAME).position_from_row(batch[at]) for at in range(200)]
    one = linear.expression.evaluate_all(positions)
    assert one.tolist() == wider.expression.evaluate_all(positions).tolist()
    curved = replace(wider, time_weights=((1.5, 0.5), (0.5, 0.0), (-2.0, 0.0)))
    assert curved.factor(0, 0.0) == 2.0
    assert np.ptp(curved.expression.evaluate_all(positions) - one) > 0


weights = st.floats(-3, 3, allow_nan=False).map(lambda value: round(value, 3))


@given(
    st.lists(weights, min_size=3, max_size=3),
    st.lists(st.lists(weights, min_size=2, max_size=2), min_size=3, max_size=3),
    st.integers(0, 2**64 - 1),
    st.booleans(),
)
def test_the_expression_is_the_sum_of_the_paper(
    ws: list[float], times: list[list[float]], key: int, is_clipped: bool
) -> None:
    model = model_with(ws, times, is_clipped=is_clipped)
    position = game_rules(GAME).position_from_row(_native.Positions.random(GAME, 1, key, 0, 32)[0])
    expected = 0.0
    for index, feature in enumerate(model.features):
        share = feature.expression.evaluate(position) / feature.scale
        if is_clipped:
            share = min(1.0, max(-1.0, share))
        u = 1 - 2 * position.clock
        factor = 2 * position.clock + times[index][0] * u + times[index][1] * u * u
        assert model.factor(index, position.clock) == pytest.approx(factor)
        expected += ws[index] * share * factor
    assert model.expression.evaluate(position) == pytest.approx(expected, abs=1e-12)
    # The other side sees the same board as worth the opposite.
    other = model.expression.evaluate(position, own=position.turn.opposite)
    assert other == pytest.approx(-expected, abs=1e-12)


def test_weights_are_found_among_the_parameters() -> None:
    model = model_with([0.5, 0.5, 0.5], [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    places = model.value_program()
    array = np.arange(9, dtype=np.float64).reshape(3, 3) + 0.125
    parameters = np.array(places.program.parameters)
    parameters[places.weights] = array[:, 0]
    parameters[places.time_weights] = array[:, 1:]
    changed = places.program.with_parameters(parameters)
    batch = _native.Positions.random(GAME, 100, 9, 0, 30)
    expected = model.with_array(array).expression
    positions = [game_rules(GAME).position_from_row(batch[at]) for at in range(100)]
    assert changed.evaluate(batch)[:, 0].tolist() == expected.evaluate_all(positions).tolist()


def test_an_untimed_model_has_no_clock_in_its_formula() -> None:
    model = model_with([0.5, -1.0, 2.0], [[1.0], [1.0], [1.0]])
    assert not model.is_timed
    assert "t" not in str(model.expression).replace("count", "").split()
    assert model_with([0.5, -1.0, 2.0], [[1.0], [1.0], [1.5]]).is_timed


def test_the_player_chooses_by_the_value() -> None:
    model = model_with([1.0, 0.5, 2.0], [[1.0], [1.0], [1.0]])
    position = game_rules(GAME).start()
    choice = analyse(learned_player(model), position, every_move=True)
    values = dict(choice.moves)
    for move, value in values.items():
        after = position.play(move)
        assert value == pytest.approx(-model.expression.evaluate(after))
    assert values[choice.move] == max(values.values())


def test_the_config_gives_the_model_of_its_features() -> None:
    config = LearningConfig(game=GAME, features=["corners", {"name": "mobility", "scale": 5}])
    model = config.model()
    assert [feature.scale for feature in model.features] == [4, 5]
    assert model.array.tolist() == [[0, 1], [0, 1]]
