"""A game in progress is a value: clocks, forced moves, forfeits and undoing, without a seat."""

import pytest

from evoply.games import game_rules
from evoply.protocols import (
    Clock,
    Color,
    GameInProgress,
    IllegalMoveError,
    InvalidMoveError,
    TimeControl,
)

CONTROL = TimeControl(10, 1)


def begun(control: TimeControl | None = CONTROL) -> GameInProgress:
    return GameInProgress.begin(game_rules("othello").record(), control)


def on_four(moves: str) -> GameInProgress:
    return GameInProgress.begin(game_rules("othello-4").record(moves), CONTROL)


def left(game: GameInProgress, now: float | None = None) -> tuple[float, float]:
    return game.left(Color.BLACK, now), game.left(Color.WHITE, now)


def test_a_side_loses_exactly_when_more_is_taken_than_was_left() -> None:
    game = begun().ask(100)
    assert left(game) == (10, 10)
    assert left(game, 104) == (6, 10)
    game = game.play("f5", 104)
    assert left(game, 1000) == (7, 10)
    game = game.ask(104).play("d6", 104).ask(104).play("c3", 111)
    assert left(game) == (1, 11)
    assert not game.is_over
    late = game.ask(111).play("d3", 111).ask(111).play("c4", 112.001)
    assert (late.loser, late.by_time) == (Color.BLACK, True)
    assert late.reason == "the flag has fallen (clock 10+1)"
    assert late.is_over
    assert len(late.record) == 4, "who is late has not moved"
    assert left(late, 5000)[1] == 12
    assert late.used() == (pytest.approx(4 + 7 + 1.001), 0)


def test_a_step_leaves_the_game_before_it_as_it_was() -> None:
    game = begun().ask(0)
    after = game.play("f5", 3)
    assert (len(game.record), left(game)) == (0, (10, 10))
    assert after.clocks[Color.BLACK] == Clock(seconds_left=8, increment=1, moves=1)
    assert after.clocks[Color.WHITE] == Clock(seconds_left=10, increment=1)


def test_without_a_clock_time_is_nothing() -> None:
    game = begun(None).ask(0).play("f5", 1e9).ask(1e9).stop(1e12)
    assert game.clocks == {Color.BLACK: Clock(moves=1), Color.WHITE: Clock()}
    assert game.loser is None
    assert game.used() is None


def test_moves_that_the_rules_forbid_change_nothing() -> None:
    game = begun().ask(0)
    with pytest.raises(IllegalMoveError):
        game.play("a1", 1)
    with pytest.raises(InvalidMoveError):
        game.play("?", 1)


def test_moves_without_a_choice_are_played_and_take_no_time() -> None:
    must_pass = on_four("b1c1d3a1")
    assert must_pass.record.position.legal_moves.must_pass
    for game in (must_pass.play_forced(), must_pass.play_forced(passes_only=True)):
        assert len(game.record) == 5
        assert left(game) == (11, 10)
    single = on_four("c4d4a2b4")
    assert len(single.record.position.legal_moves) == 1
    assert single.play_forced(passes_only=True) == single
    assert len(single.play_forced().record) > 4


def test_a_game_is_lost_once() -> None:
    game = begun().forfeit(Color.WHITE, "left")
    assert (game.loser, game.reason, game.by_time) == (Color.WHITE, "left", False)
    assert game.forfeit(Color.BLACK, "too") == game
    assert game.play_forced() == game
    assert game.undo(0).loser is None


def test_undo_goes_back_to_the_last_choice_by_the_clocks_of_now() -> None:
    game = begun().ask(0).play("f5", 1).ask(1).play("d6", 3).ask(3)
    assert game.last_choice([Color.BLACK]) == 0
    assert game.last_choice([Color.WHITE]) == 1
    assert begun().last_choice(list(Color)) is None
    undone = game.undo(1)
    assert undone.turn is Color.WHITE
    assert undone.record == game_rules("othello").record("f5")
    assert left(undone) == left(game)
    assert left(undone.with_left({Color.BLACK: 2, Color.WHITE: 3})) == (2, 3)
    passed = on_four("b1c1d3a1").play_forced(passes_only=True)
    assert passed.last_choice(list(Color)) == 3
