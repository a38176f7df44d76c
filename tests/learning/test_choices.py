"""Labelled choices against plain searches, and fits against a slow oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evoply as ep
from evoply import _native
from evoply.expressions import board
from evoply.learning import choices_of, expected_loss, fitted_weights
from evoply.learning.choices import (
    Choices,
    boards_met,
    choices_in,
    loss_and_slope,
    slope_by_board,
    values_at,
)
from evoply.players import model_of
from evoply.players.kernel_seat import ALL_MOVES


def made_up(seed: int, positions: int = 12, columns: int = 3) -> tuple[Choices, np.ndarray]:
    """Return positions with two to five moves each, and features of them."""
    draws = np.random.default_rng(seed)
    sizes = draws.integers(2, 6, size=positions)
    position = np.repeat(np.arange(positions), sizes)
    counted = draws.integers(-3, 4, size=(len(position), columns)).astype(float)
    values = counted @ draws.normal(size=columns) + draws.normal(size=len(position))
    rows = [(1, 2, 0, True, 0, 0)] * len(position)
    return Choices(rows, values, position, position // 3, position / positions), counted


def slow_loss(choices: Choices, counted: np.ndarray, weights: np.ndarray) -> float:
    """Return the expected loss, move by move."""
    losses = []
    for number in range(len(choices)):
        places = [place for place, one in enumerate(choices.position) if one == number]
        worth = [
            sum(w * x for w, x in zip(weights, counted[place], strict=True)) for place in places
        ]
        likely = [math.exp(one) for one in worth]
        best = max(choices.values[place] for place in places)
        lost = [best - choices.values[place] for place in places]
        losses.append(sum(a * b for a, b in zip(likely, lost, strict=True)) / sum(likely))
    return sum(losses) / len(losses)


@given(st.integers(0, 2**32 - 1))
def test_expected_loss_is_that_of_a_softmax_player(seed: int) -> None:
    choices, counted = made_up(seed)
    weights = np.random.default_rng(seed + 1).normal(size=3)
    loss, slope = loss_and_slope(choices, counted, weights)
    assert loss == pytest.approx(slow_loss(choices, counted, weights), rel=1e-9)
    assert loss == expected_loss(choices, counted, weights)
    for index, step in enumerate(1e-6 * np.eye(3)):
        up, down = (slow_loss(choices, counted, weights + sign * step) for sign in (1, -1))
        assert slope[index] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-6)
    assert counted.T @ slope_by_board(choices, counted @ weights) == pytest.approx(slope)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_fitted_weights_lose_least_around(seed: int) -> None:
    choices, counted = made_up(seed, positions=60)
    weights = fitted_weights(choices, counted)
    least = expected_loss(choices, counted, weights)
    assert least < expected_loss(choices, counted, np.zeros(3))
    # The penalty of weights lets a step gain a little; without it they could grow for ever.
    for step in 0.1 * np.vstack([np.eye(3), -np.eye(3)]):
        assert expected_loss(choices, counted, weights * (1 + step)) > least - 0.02
    again = fitted_weights(choices, counted)
    assert np.array_equal(weights, again)
    onward = fitted_weights(choices, counted, start=weights)
    assert expected_loss(choices, counted, onward) == pytest.approx(least, abs=0.02)


def test_sizes_of_columns_and_units_of_values_change_nothing() -> None:
    choices, counted = made_up(3, positions=200)
    weights = fitted_weights(choices, counted)
    sizes = np.array([1e-3, 1.0, 1e4])
    assert fitted_weights(choices, counted * sizes) * sizes == pytest.approx(weights, rel=0.02)
    other = Choices(
        choices.rows, choices.values * 50, choices.position, choices.games, choices.clock
    )
    assert fitted_weights(other, counted) == pytest.approx(weights, rel=0.02)


def test_a_column_that_tells_no_move_from_another_has_no_weight() -> None:
    choices, counted = made_up(4, positions=50)
    more = np.column_stack([counted, choices.position * 0.1, np.zeros(len(counted))])
    weights = fitted_weights(choices, more)
    assert weights[3:].tolist() == [0, 0]
    assert weights[:3] == pytest.approx(fitted_weights(choices, counted), rel=0.01)
    # Two equal columns share what one has.
    twice = fitted_weights(choices, np.column_stack([counted, counted[:, 0]]))
    assert twice[0] == pytest.approx(twice[3])
    assert twice[0] + twice[3] == pytest.approx(weights[0], rel=0.02)


def test_no_choices_have_no_weights() -> None:
    choices, counted = made_up(5)
    none = choices.part(np.zeros(len(counted), dtype=bool))
    assert len(none) == 0
    assert fitted_weights(none, counted[:0]).tolist() == [0, 0, 0]
    assert expected_loss(none, counted[:0], np.ones(3)) == 0


def test_a_part_keeps_whole_positions() -> None:
    choices, _ = made_up(6)
    some = choices.games % 2 == 1
    part = choices.part(some)
    assert len(part) == len(np.unique(choices.position[some]))
    assert part.lost.tolist() == choices.lost[some].tolist()
    assert part.best(part.values).tolist() == np.flatnonzero(part.lost == 0).tolist()


def test_boards_are_those_after_every_move() -> None:
    player = ep.parse_player("mobility")
    met = boards_met([player], "othello", games=4, seed=1, random_moves=0.2, opening_plies=3)
    choices = choices_in(player, "othello", met, seed=1)
    left_out = 0
    number = 0
    for row in met.rows:
        position = ep.othello.Position.from_row("othello", row)
        rows = [choices.rows[place] for place in np.flatnonzero(choices.position == number)]
        own = [position.play(move).row for move in position.legal_moves]
        if [one[:3] for one in rows] != [one[:3] for one in own]:
            left_out += 1
            continue
        assert all(one[3] == row[3] for one in rows)
        number += 1
    assert number == len(choices) > 100
    assert left_out <= 8
    values = ep.features.mobility("own") - ep.features.mobility("opponent")
    assert np.array_equal(values_at([values], "othello", choices.rows)[:, 0], choices.values)
    assert set(met.points.tolist()) <= {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("teacher", "game"),
    [
        ("strong:depth=3,guard=no,endgame=0", "othello"),
        ("strong:depth=2,endgame=0", "othello"),
        ("strong:depth=2", "checkers"),
    ],
)
def test_values_of_many_searches_are_those_of_one(teacher: str, game: str) -> None:
    player = model_of(ep.parse_player(teacher, game=game)).valuing()
    met = boards_met([player], game, games=2, seed=2, random_moves=0.3, opening_plies=4)
    choices = choices_in(player, game, met, seed=1)
    assert len(choices) > 30
    native = player.native(game)
    known = {}
    for row in met.rows:
        answer = _native.analyse(native, *row, 1, best=ALL_MOVES)
        for code, value, _ in answer[6]:
            after = _native.row_after(ep.GAMES[game].kernel, row, code)
            known[(*after[:3], row[3], *after[4:])] = value
    most = choices.lost.max()
    assert most == pytest.approx(4 * choices.usual_loss, rel=0.05)
    for row, value, lost in zip(choices.rows, choices.values, choices.lost, strict=True):
        is_clipped = lost == pytest.approx(most)
        assert value == pytest.approx(known[row]) or (is_clipped and known[row] < value)


def test_a_search_that_sees_the_end_gives_no_value_there() -> None:
    player = ep.parse_player("mobility:depth=4")
    met = boards_met([player], "othello-4", games=40, seed=1, random_moves=0.2, opening_plies=0)
    choices = choices_in(player, "othello-4", met, seed=1)
    assert np.abs(choices.values).max() < 100
    last = max(values_at([board.t], "othello-4", met.rows)[:, 0])
    assert choices.clock.max() < 0.75 < last


def test_a_loss_that_only_a_reply_shows_costs_as_much_as_a_move_can() -> None:
    plain, guarded = (
        choices_of(f"mobility:depth=1,guard={guard}", "othello", games=80, seed=1, random_moves=1.0)
        for guard in ("no", "yes")
    )
    assert plain.rows == guarded.rows
    assert guarded.lost.max() <= 4 * guarded.usual_loss * (1 + 1e-9)
    lost_to_a_reply = guarded.values != plain.values
    assert 1 <= lost_to_a_reply.sum() < 50
    assert np.ptp(guarded.lost[lost_to_a_reply]) < 1e-9
    assert guarded.lost[lost_to_a_reply][0] == pytest.approx(guarded.lost.max())


def test_choices_do_not_depend_on_threads_and_may_be_of_other_players() -> None:
    options = {"games": 12, "seed": 3, "players": ["mobility", "random"]}
    one = choices_of("greedy", "othello-6", threads=1, **options)
    two = choices_of("greedy", "othello-6", threads=2, **options)
    assert one.rows == two.rows
    assert np.array_equal(one.values, two.values)
    assert one.rows != choices_of("greedy", "othello-6", games=12, seed=3).rows
    told: list[float] = []
    choices_of("greedy", "othello-6", games=2, seed=3, progress=told.append)
    assert told[0] == 0
    with pytest.raises(ValueError, match="no values"):
        choices_of("random", "othello-6", games=2, seed=1)


@pytest.mark.parametrize("teacher", ["strong:depth=1", "mobility", "mobility:depth=1"])
def test_every_teacher_errs(teacher: str) -> None:
    few, many = (
        choices_of(teacher, "othello", games=4, seed=1, random_moves=share) for share in (0.0, 0.9)
    )
    assert few.rows != many.rows


def test_a_teacher_as_data_is_taken_too() -> None:
    player = model_of(ep.parse_player("mobility"))
    ours, text = (choices_of(one, "othello-6", games=2, seed=1) for one in (player, "mobility"))
    assert ours.rows == text.rows
