"""Schedules, players in Python, and the loop in Python as the oracle of the kernel's games."""

from typing import Any

from evoply import Stream
from evoply.arena import Results, Schedule, play_game
from evoply.games import game_rules
from evoply.protocols import Color, Ending, ForfeitError


class First:
    """Plays the first legal move; presses Ctrl-C when it is asked for the move of a number.

    With *forfeits* it forfeits a game at the last of every so many moves.
    """

    label = "first"

    def __init__(self, stops_at: int = -1, forfeits: int = 0) -> None:
        self.asked, self.stops_at, self.forfeits = 0, stops_at, forfeits

    def choose(self, game: Any, stream: Any, clock: Any = None) -> Any:
        self.asked += 1
        if self.asked == self.stops_at:
            raise KeyboardInterrupt
        if self.forfeits and self.asked % self.forfeits == 0:
            raise ForfeitError("it is too hard")
        return game.position.legal_moves[0]


def pairs_of_two(game: str, count: int, openings: int = 2, seed: int = 1, **given: Any) -> Schedule:
    """Return pairs of games of players 0 and 1, from the start of a game."""
    start = game_rules(game).start().row
    given = {"start": start, "stream": Stream(seed, "test"), **given}
    return Schedule.pairs([0] * count, [1] * count, opening_plies=openings, **given)


def assert_played_alike(game: str, seats: Any, schedule: Schedule, results: Results) -> None:
    """Play each game of a schedule move by move, and compare all that was recorded of it."""
    rules = game_rules(game)
    assert len(results.moves) == len(schedule)
    for index, codes in enumerate(results.moves):
        place = 0 if schedule.start_of is None else schedule.start_of[index]
        start = rules.position_from_row(schedule.starts[place])
        record = play_game(
            (seats[schedule.black[index]], seats[schedule.white[index]]),
            start=start,
            opening_key=int(schedule.opening_keys[index]),
            opening_plies=schedule.opening_plies,
            game_key=int(schedule.game_keys[index]),
            draws=schedule.draws,
        )
        assert [move.code(start.shape) for move in record.moves] == list(codes)
        outcome = record.outcome()
        assert list(Ending)[results.endings[index]] is record.ending()
        assert results.black_points[index] == outcome.points(Color.BLACK)
        assert outcome.disc_difference == results.black_discs[index] - results.white_discs[index]
        assert results.plies[index] == len(record)
        assert results.black_discs[index] == record.position.pieces(Color.BLACK)
        assert results.white_discs[index] == record.position.pieces(Color.WHITE)
