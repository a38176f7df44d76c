"""Colors, outcomes and errors that every game shares."""

import pytest

from evoply._native import Stream
from evoply.games import GAMES, game_rules
from evoply.protocols import Choice, Clock, Color, ConfigError, GameRecord, Outcome, Seat


def test_colors() -> None:
    assert Color.BLACK.opposite is Color.WHITE
    assert Color.WHITE.opposite is Color.BLACK
    assert str(Color.BLACK) == "Black"


def test_points_and_words_of_outcomes() -> None:
    assert Outcome(Color.WHITE, -12).points(Color.WHITE) == 1
    assert Outcome(Color.WHITE, -12).points(Color.BLACK) == 0
    assert Outcome(None, 0).points(Color.BLACK) == 0.5
    assert str(Outcome(Color.WHITE, -12)) == "White wins by 12"


def test_config_error_shows_every_error() -> None:
    error = ConfigError([("a.b", "must be positive"), ("c", "unknown key")])
    assert isinstance(error, ValueError)
    assert error.errors == (("a.b", "must be positive"), ("c", "unknown key"))
    assert "2 errors" in str(error)
    assert "a.b: must be positive" in str(error)
    assert "1 error in" in str(ConfigError([("a", "b")]))


def test_unknown_game_lists_the_names() -> None:
    with pytest.raises(
        ValueError, match=r"'go'.*othello, othello-4, othello-6, othello-10, checkers, lose"
    ):
        game_rules("go")
    with pytest.raises(TypeError):
        GAMES["go"] = GAMES["othello"]  # type: ignore[index]


def test_a_seat_is_what_chooses_and_the_rest_has_defaults() -> None:
    class First(Seat):
        def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
            return Choice(game.position.legal_moves[0])

    seat: Seat = First()
    choice = seat.choose(GAMES["othello"].record(), Stream(1), Clock())
    assert str(choice.move) == "d3"
    assert (choice.score, choice.color, choice.line) == (None, None, ())
    assert (seat.about, seat.is_shared) == ({}, False)
    seat.get_ready()
    seat.use_all_cores()
    seat.close()
