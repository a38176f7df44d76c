"""Games with clocks: who oversteps loses by time, by a source of time that tests can set."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import evoply as ep
from evoply.arena import GamesRunner, Schedule, play, play_game
from evoply.games import game_rules
from evoply.players import parse_player
from evoply.protocols import Choice, Clock, ForfeitError, Seat, TimeControl


@dataclass
class Time:
    """A clock that only seats move on."""

    seconds: float = 100.0

    def now(self) -> float:
        return self.seconds


@dataclass
class Slow(Seat):
    """Plays the first legal move and takes what it is told for each."""

    time: Time
    takes: float
    gives_up: bool = False
    clocks: list[Clock] = field(default_factory=list)
    ready: int = 0

    def get_ready(self) -> None:
        self.ready += 1
        self.time.seconds += 1000  # before the clocks start, nothing counts

    def choose(self, game: object, stream: object, clock: Clock) -> Choice:
        self.clocks.append(clock)
        self.time.seconds += self.takes
        if self.gives_up:
            raise ForfeitError("had enough")
        return Choice(game.position.legal_moves[0])  # type: ignore[attr-defined]

    def close(self) -> None:
        pass


def played(time: Time, black: Slow, white: Slow, control: TimeControl | None) -> object:
    start = game_rules("othello-4").start()
    return play_game(
        (black, white),
        start=start,
        opening_key=1,
        opening_plies=0,
        game_key=2,
        clock=control,
        now=time.now,
    )


def test_clocks_run_down_and_increments_are_added() -> None:
    time = Time()
    black, white = Slow(time, 1.5), Slow(time, 0.25)
    record = played(time, black, white, TimeControl(20, 1))
    assert record.outcome() is not None  # type: ignore[attr-defined]
    for seat in (black, white):
        assert seat.ready == 1
        assert all(clock.increment == 1 for clock in seat.clocks)
        for clock in seat.clocks:
            # Forced moves took nothing and brought their second too.
            asked = seat.clocks.index(clock)
            assert clock.seconds_left == pytest.approx(20 - asked * seat.takes + clock.moves)


def test_who_oversteps_loses_by_time() -> None:
    time = Time()
    with pytest.raises(ForfeitError, match=r"its clock of 2\+0\.5 ran out") as error:
        played(time, Slow(time, 0.1), Slow(time, 1.5), TimeControl(2, 0.5))
    assert error.value.by_time
    # To the last instant is in time; giving up too late is a loss by time all the same.
    record = played(time, Slow(time, 0.0), Slow(time, 0.0), TimeControl(0.001))
    assert record.outcome() is not None  # type: ignore[attr-defined]
    with pytest.raises(ForfeitError, match="had enough") as error:
        played(time, Slow(time, 2.0, gives_up=True), Slow(time, 0.0), TimeControl(2))
    assert not error.value.by_time
    with pytest.raises(ForfeitError, match="ran out"):
        played(time, Slow(time, 2.5, gives_up=True), Slow(time, 0.0), TimeControl(2))


def test_without_a_clock_nobody_has_to_get_ready() -> None:
    time = Time()
    black = Slow(time, 1e6)
    played(time, black, Slow(time, 1e6), None)
    assert black.ready == 0
    assert black.clocks[0] == Clock()


def test_time_is_part_of_results() -> None:
    result = ep.match("greedy", "material:depth=2", game="othello-4", games=20, clock="5+1")
    assert result.clock == "5+1"
    assert not result.reproducible
    for about in result.players:
        assert 0 < about["seconds"]["mean"] <= about["seconds"]["most"] < 5
    data = result.to_dict()
    assert (data["clock"], data["players"][0]["seconds"]) == ("5+1", result.players[0]["seconds"])
    without = ep.match("greedy", "material:depth=2", game="othello-4", games=20)
    assert without.to_dict()["clock"] is None
    assert "seconds" not in without.players[0]
    # The same games: nobody's time was short.
    assert (without.wins, without.draws) == (result.wins, result.draws)


def test_time_is_part_of_results_of_games_that_are_looked_at() -> None:
    games: list[object] = []
    result = ep.match(
        "greedy", "random", game="othello-4", games=20, clock="5", on_game=games.append
    )
    assert len(games) == 20
    assert all(0 < about["seconds"]["mean"] < 5 for about in result.players)


def test_time_is_part_of_tournaments_and_tests() -> None:
    clock = TimeControl(5)
    table = ep.round_robin(["greedy", "random"], game="othello-4", games=20, clock=clock)
    assert (table.clock, table.reproducible) == ("5", False)
    assert all(one["seconds"]["most"] < 5 for one in table.to_dict()["standings"])
    stars = ep.tournament(["greedy", "random"], game="othello-4", clock=clock)
    assert (stars.clock, stars.reproducible) == ("5", False)
    assert all(one["seconds"]["most"] < 5 for one in stars.to_dict()["stars"])
    tested = ep.sprt_match(
        "greedy", "random", ep.Sprt(0, 400), game="othello-6", games=100, clock=clock
    )
    assert (tested.clock, tested.reproducible) == ("5", False)
    assert tested.to_dict()["clock"] == "5"


def test_seconds_stand_beside_the_games_of_a_schedule() -> None:
    start = game_rules("othello-4").start().row
    stream = ep.Stream(2, "clocks")
    schedule = Schedule.pairs([0, 1], [1, 2], stream=stream, opening_plies=2, start=start)
    players = [parse_player(text) for text in ("greedy", "random", "material:depth=2")]
    results = play("othello-4", players, schedule, clock=TimeControl(5), threads=2)
    assert results.seconds.shape == (4, 2)
    assert np.all(results.seconds >= 0)
    assert play("othello-4", players, schedule).seconds is None
    nothing = schedule.batch(slice(0, 0))
    with GamesRunner("othello-4", players, clock=TimeControl(5)) as runner:
        assert runner.play(nothing).seconds.shape == (0, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "player", ["material:depth=40", "material:timing=modern", "material:time=9"]
)
def test_players_of_the_kernel_stay_within_a_short_clock(player: str) -> None:
    """In one of three tries, because machines are busy, and then everybody is late."""
    for _ in range(3):
        result = ep.match(player, "random", game="othello-6", games=2, clock="1.5", seed=3)
        if not result.forfeits:
            break
    assert result.endings == {"board": 2}
    assert 0.1 < result.players[0]["seconds"]["most"] < 1.5


def test_a_clock_of_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="clock: 'soon' is not a time"):
        ep.match("greedy", "random", clock="soon")
    with pytest.raises(TypeError, match="clock: 150 is not a time"):
        ep.match("greedy", "random", clock=150)
