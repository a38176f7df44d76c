"""Numbered actions, masks and planes of every game, against slow and obvious answers."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply._native import Stream
from evoply.games import DATA_GAMES, GAMES, game_rules, square_name
from evoply.games.observations import DecisionPoint, action_numbers
from evoply.protocols import Color, IllegalMoveError

GAME_NAMES = [*GAMES, *DATA_GAMES]
# Black's kings can take in rings, and several paths lead to the same squares.
RING = "B:W7,8,14,15,16,23,24,22:BK11,K3"


def points_of(game: str, seed: int) -> list[DecisionPoint]:
    """Return the points of a game of random actions."""
    stream, points = Stream(seed, game), [DecisionPoint.start(game)]
    while not points[-1].is_over:
        actions = list(points[-1].actions)
        points.append(points[-1].after(actions[stream.below(len(actions))]))
    return points


def endings(point: DecisionPoint, taken: tuple[int, ...] = ()) -> dict[tuple[int, ...], Any]:
    """Return the move that each way of choosing actions plays."""
    found: dict[tuple[int, ...], Any] = {}
    for action in point.actions:
        after = point.after(action)
        if len(after.record) > len(point.record):
            found[*taken, action] = after.record.moves[-1]
        else:
            found |= endings(after, (*taken, action))
    return found


def named(rules: Any, square: int) -> str:
    """Return how the game's positions call a square; "" for one without a name."""
    cell = rules.start().diagram().cells[square]
    return (cell.label or square_name(square, rules.shape)) if cell.is_playable else ""


def slow_planes(point: DecisionPoint, color: Color) -> np.ndarray:
    """Return the planes between two moves, square by square, by what the position says."""
    position: Any = point.position
    rules, planes = game_rules(position.game), []
    names = [named(rules, square) for square in range(rules.shape.squares)]
    for side in (color, color.opposite):
        planes.append([bool(name) and position[name] is side for name in names])
    if rules.has_kings:
        planes.append([bool(name) and position.is_king(name) for name in names])
    share = min(1.0, position.ply / (rules.draws.max_plies or 2 * rules.shape.squares))
    planes += [[color is Color.BLACK] * len(names), [share] * len(names)]
    shape = (len(planes), rules.shape.rows, rules.shape.columns)
    return np.array(planes, dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_actions_masks_and_planes_along_games(game: str) -> None:
    numbers = action_numbers(game)
    for number, point in enumerate(points_of(game, 1)):
        mask = point.mask()
        assert mask.shape == (numbers.count,)
        assert np.flatnonzero(mask).tolist() == sorted(point.actions)
        if point.begun or number % 7:
            continue
        # Every legal move is one way of choosing actions, and every way a legal move.
        reached = endings(point) if not point.is_over else {}
        assert len(set(reached.values())) == len(reached)
        legal = list(point.position.legal_moves) if not point.is_over else []
        assert set(reached.values()) == set(legal)
        for color in Color:
            assert np.array_equal(point.planes(color), slow_planes(point, color))
        assert np.array_equal(point.planes(), point.planes(point.turn))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_numbers_are_squares_by_the_written_rule(game: str) -> None:
    rules, numbers = game_rules(game), action_numbers(game)
    squares = rules.shape.squares
    assert numbers.count == (squares**2 if rules.moves_pieces else squares) + 1
    for point in points_of(game, 2)[::9]:
        for steps, move in endings(point).items():
            path = move.path
            if not path:
                assert steps == (numbers.count - 1,)
            elif rules.moves_pieces and len(path) > 1:
                pairs = pairwise(path)
                assert steps == tuple(start * squares + end for start, end in pairs)
            else:
                assert steps == (path[0] * squares + path[0] if rules.moves_pieces else path[0],)
            assert [numbers.path(step)[-1:] for step in steps][-1] == path[-1:]


@pytest.mark.parametrize("game", GAME_NAMES)
@given(seed=st.integers(0, 2**32))
def test_games_of_actions_are_games_of_moves(game: str, seed: int) -> None:
    points = points_of(game, seed)
    last, record = points[-1], game_rules(game).game(game_rules(game).start())
    for move in last.record.moves:
        record = record.play(move)
    assert record.position.row == last.position.row
    assert record.ending() is not None
    outcome = record.outcome()
    assert outcome is not None
    assert [last.reward(color) for color in Color] == [
        2 * outcome.points(color) - 1 for color in Color
    ]
    assert len(points) - 1 <= action_numbers(game).most_actions
    assert not any(point.reward(Color.BLACK) for point in points[:-1])


def test_captures_are_an_action_a_jump() -> None:
    rules = game_rules("checkers")
    point = DecisionPoint.of(rules.game(rules.parse(RING)))
    reached = endings(point)
    assert max(map(len, reached)) >= 3
    assert set(reached.values()) == set(point.position.legal_moves)
    ends = [(steps[0] // 64, steps[-1] % 64) for steps in reached]
    assert len(set(ends)) < len(ends)  # from and to alone would not tell them apart


def test_planes_within_a_capture_show_what_is_taken_so_far() -> None:
    rules = game_rules("checkers")
    point = DecisionPoint.of(rules.game(rules.parse(RING)))
    for steps, move in endings(point).items():
        here = point
        for jump, step in enumerate(steps[:-1], 1):
            here = here.after(step)
            assert here.turn is Color.BLACK
            own, opponent, kings = here.planes()[:3].reshape(3, 64).astype(bool)
            before = point.planes()[:3].reshape(3, 64).astype(bool)
            assert own[move.path[jump]]
            assert kings[move.path[jump]]
            assert own.sum() == before[0].sum()
            gone = np.flatnonzero(before[1] & ~opponent).tolist()
            assert gone == sorted(move.captured[:jump])
            assert np.array_equal(here.planes(Color.WHITE)[1].astype(bool).reshape(64), own)


@pytest.mark.parametrize("action", [36, -1, 65, 10**30, 2.5, None, "f5", [37]])
def test_a_wrong_action_is_refused_in_words(action: Any) -> None:
    with pytest.raises(IllegalMoveError, match=r"^action: .* - .* - give "):
        DecisionPoint.start("othello").after(action)


def test_an_action_may_be_any_whole_number() -> None:
    start = DecisionPoint.start("othello")
    for action in (37, np.int32(37), np.array(37)):
        assert start.after(action).record.transcript() == "f5"
    over = points_of("tic-tac-toe", 1)[-1]
    with pytest.raises(IllegalMoveError, match="the game is over"):
        over.after(0)


def test_what_the_numbers_say_is_json() -> None:
    texts = [action_numbers("checkers").text(action) for action in (1 * 64 + 10, 4096)]
    assert json.dumps(texts) == '["b1-c2", "pass"]'
