"""Time management under simulated clocks, and the kernel's answers when time ends a search."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import Stream, othello
from evoply.games import game_rules
from evoply.players import load_player, parse_player, save_player, with_options
from evoply.players.timing import (
    ALARM,
    LAG,
    LEAST,
    TIMINGS,
    MeasuredSearches,
    TimeLeft,
    Timing,
    firebrand,
    modern,
    time_left,
)
from evoply.protocols import Choice, Clock

MOVES = 60
"""Own moves of the longest simulated game: the other side passes all the time."""


@dataclass
class Machine:
    """A clock, and searches that take what a profile says, whatever is expected of them."""

    seconds: Callable[[int], float]
    """What a search to each depth takes."""
    moves: Callable[[int], str] = lambda depth: "best"
    """What is best after each depth."""
    values: Sequence[float] = (2.0, 1.0, 0.0)
    """What all moves are worth after two plies."""
    lateness: float = 0.0
    """What it takes to end a search."""
    time: float = 0.0
    finished: list[Choice] = field(default_factory=list)
    asked: list[tuple[int, float]] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def search(self, depth: int, seconds: float, *, every_move: bool = False) -> Choice | None:
        self.asked.append((depth, seconds))
        needed = self.seconds(depth)
        if depth > 1 and needed > seconds:
            self.time += max(seconds, 0.0) + self.lateness
            return None
        self.time += needed
        moves = tuple((str(place), value) for place, value in enumerate(self.values))
        choice = Choice(
            self.moves(depth),
            score=0.5,
            depth=depth,
            seconds=needed,
            moves=moves if every_move else (),
        )
        self.finished.append(choice)
        return choice

    def choose(
        self, timing: Timing, left: TimeLeft, measured: MeasuredSearches | None = None
    ) -> tuple[Choice, float]:
        """Return the choice, and the seconds that it took."""
        self.finished.clear()
        self.asked.clear()
        begun = self.time
        choice = TIMINGS[timing](self.search, left, measured or MeasuredSearches(), self.now)
        assert any(choice is one for one in self.finished)  # never of a search cut short
        return choice, self.time - begun


def left_at(empty: int, seconds: float, increment: float = 0.0, board: int = 60) -> TimeLeft:
    return TimeLeft(seconds, (empty + 1) // 2, 1 - empty / board, empty, increment)


@given(
    timing=st.sampled_from(list(TIMINGS)),
    limit=st.sampled_from([0.05, 0.3, 1.0, 4.0, 6.0, 20.0, 150.0]) | st.floats(0.05, 3600.0),
    increment=st.just(0.0) | st.floats(0.0, 10.0),
    one_ply=st.floats(0.0, 1.0),
    lateness=st.floats(0.0, 0.001),
    # How many times as long one ply more takes, move after move; 1000: nobody foresaw that.
    growths=st.lists(
        st.lists(st.floats(1.0, 12.0) | st.just(1000.0), min_size=1, max_size=8),
        min_size=1,
        max_size=8,
    ),
    steps=st.lists(st.integers(1, 2), min_size=1, max_size=6),
)
def test_no_game_is_ever_lost_on_time(
    timing: Timing,
    limit: float,
    increment: float,
    one_ply: float,
    lateness: float,
    growths: list[list[float]],
    steps: list[int],
) -> None:
    """Whatever searches take, if only all moves at one ply fit into the time at all."""
    one_ply *= min(0.9 * min(limit, LEAST) / MOVES, LAG / 2 - lateness)
    machine = Machine(lambda depth: one_ply, lateness=lateness)
    measured, left, used, empty = MeasuredSearches(), limit, 0.0, MOVES
    for number in range(MOVES):
        growth = growths[number % len(growths)]
        machine.seconds = lambda depth, growth=growth: (
            one_ply * math.prod(islice(cycle(growth), depth - 1))
        )
        _, took = machine.choose(timing, left_at(empty, left, increment), measured)
        used, left = used + took, left - took
        assert left >= 0
        left += increment
        empty -= steps[number % len(steps)]
        if empty <= 0:
            break
    assert used <= limit + MOVES * increment


@given(
    timing=st.sampled_from(list(TIMINGS)),
    seconds=st.floats(0.0, 100.0),
    one_ply=st.floats(0.0, 0.001),
    growth=st.floats(1.0, 1000.0),
    move_seconds=st.floats(0.05, 100.0),
)
def test_a_limit_for_the_move_alone_holds(
    timing: Timing, seconds: float, one_ply: float, growth: float, move_seconds: float
) -> None:
    machine = Machine(lambda depth: one_ply * growth ** (depth - 1))
    for left in (seconds, math.inf):
        limits = TimeLeft(left, 20, 0.3, 40, move_seconds=move_seconds)
        _, took = machine.choose(timing, limits)
        assert took <= move_seconds


def test_firebrand_allots_a_rising_share_and_goes_as_deep_as_fits() -> None:
    """Rates from 0.5 to 1.5, a timed probe of depth 3, then 3 + floor(log q / log b) plies."""
    for empty, left in ((60, 150.0), (31, 70.0), (12, 20.0)):
        moves, board = (empty + 1) // 2, 60
        times = [(board - empty + empty * k / moves) / board for k in range(moves)]
        rates = [0.5 + t for t in times]
        alloc = left * rates[0] / sum(rates)
        for probe in (0.0001, 0.01, 0.5):
            machine = Machine(lambda depth, probe=probe: probe * 4.0 ** (depth - 3))
            measured = MeasuredSearches(4.5)
            machine.choose("firebrand", left_at(empty, left), measured)
            q = alloc / probe
            depth = min(3 + math.floor(math.log(q) / math.log(4.5)) if q > 1 else 3, empty)
            assert [asked for asked, _ in machine.asked] == ([3, depth] if depth > 3 else [3])
            if depth > 3:
                assert measured.branching == pytest.approx(math.sqrt(4.5 * 4.0))
                assert machine.asked[1][1] == pytest.approx(left - ALARM - probe)


def test_firebrand_stops_at_the_alarm_and_plays_the_move_of_the_probe() -> None:
    machine = Machine(lambda depth: 0.001 if depth <= 3 else 1e9, moves=str)
    choice, took = machine.choose("firebrand", left_at(40, 60.0))
    assert (choice.move, took) == ("3", pytest.approx(60.0 - ALARM))
    # Below the alarm a probe answers at once, and one that is too slow ends a second before time.
    choice, took = machine.choose("firebrand", left_at(40, ALARM))
    assert (choice.move, took) == ("3", pytest.approx(0.001))
    machine.seconds = lambda depth: 0.001 if depth == 1 else 1e9
    choice, took = machine.choose("firebrand", left_at(40, ALARM))
    assert (choice.move, took) == ("1", pytest.approx(ALARM - LEAST + 0.001))
    # An alarm during the probe.
    choice, took = machine.choose("firebrand", left_at(40, 60.0))
    assert (choice.move, took) == ("1", pytest.approx(60.0 - ALARM + 0.001))
    # Too little time at the start.
    choice, took = machine.choose("firebrand", left_at(40, 0.999))
    assert [depth for depth, _ in machine.asked] == [1]


def test_firebrand_learns_that_searches_take_longer_than_foreseen() -> None:
    machine = Machine(lambda depth: 0.001 * 9.0 ** (depth - 3))
    measured, seconds = MeasuredSearches(), 150.0
    for move in range(12):
        _, took = machine.choose("firebrand", left_at(60 - 2 * move, seconds), measured)
        seconds -= took
    assert measured.branching == pytest.approx(9.0, rel=0.05)
    assert seconds > 50


def spent(machine: Machine, left: TimeLeft) -> float:
    return machine.choose("modern", left)[1]


def test_modern_gives_more_time_where_the_best_move_changes_and_less_to_one_that_is_alone() -> None:
    def seconds(depth: int) -> float:
        return 0.001 * 1.5**depth  # steps small enough to tell times apart

    left = left_at(40, 100.0)
    usual = spent(Machine(seconds), left)
    changing = spent(Machine(seconds, moves=str), left)
    alone = spent(Machine(seconds, values=(9.0, 1.0, 0.0)), left)
    assert alone < usual / 2
    assert changing > usual * 1.3
    # Alone after two plies and not alone after more: the usual time.
    late = Machine(seconds, moves=lambda depth: "first" if depth < 5 else "other")
    late.values = (9.0, 1.0, 0.0)
    assert spent(late, left) > 2 * alone
    share = 100.0 / 20
    assert alone < share < changing < 5 * share


def test_modern_uses_what_each_move_brings() -> None:
    machine = Machine(lambda depth: 0.001 * 1.5**depth)
    assert spent(machine, left_at(40, 10.0, 3.0)) > 4 * spent(machine, left_at(40, 10.0))
    # Over a long game with an increment the time left settles and does not pile up.
    left = 5.0
    for move in range(25):
        left += 2.0 - spent(machine, left_at(60 - 2 * move, left, 2.0))
    assert 0.5 < left < 15


def test_modern_stops_where_nothing_is_left_to_find() -> None:
    machine = Machine(lambda depth: 1e-6)
    choice, _ = machine.choose("modern", left_at(8, 100.0))
    assert choice.depth == 8
    won = Machine(lambda depth: 1e-6)
    search = won.search
    won.search = lambda *a, **o: Choice(**{**vars_of(search(*a, **o)), "score": 1e15})  # type: ignore[method-assign]
    assert modern(won.search, left_at(40, 100.0), MeasuredSearches(), won.now).depth == 2


def vars_of(choice: Choice | None) -> dict[str, object]:
    assert choice is not None
    return {name: getattr(choice, name) for name in Choice.__dataclass_fields__}


def test_what_is_left_of_a_game() -> None:
    start = game_rules("othello").start()
    left = time_left(Clock(seconds_left=9.0, increment=1.0), start)
    assert left == TimeLeft(9.0, 30, 0.0, 60, 1.0)
    after = othello.Game.from_transcript("f5d6c3").position
    assert time_left(Clock(move_seconds=2.0), after) == TimeLeft(
        math.inf, 29, pytest.approx(0.05), 57, move_seconds=2.0
    )
    checkers = game_rules("checkers").start()
    shares = [time_left(Clock(seconds_left=9.0, moves=moves), checkers) for moves in (0, 20, 90)]
    assert [one.moves for one in shares] == [40, 20, 12]
    assert [one.played for one in shares] == [0.0, 0.5, pytest.approx(90 / 102)]


POSITIONS = ["f5d6c3d3c4f4f6", "f5d6c4d3e6f4e3"]


@pytest.mark.parametrize("options", ["depth=30", "timing=modern", "timing=firebrand", "nodes=500"])
@pytest.mark.parametrize("moves", POSITIONS)
def test_an_answer_is_always_that_of_a_finished_search(options: str, moves: str) -> None:
    """The move and the value are those of the plain search at the depth that the answer names."""
    game = othello.Game.from_transcript(moves)
    player = parse_player(f"material:{options},ties=random")
    short = (0.0, 0.0005, 0.02, 0.17, 0.2, 0.3)
    for seconds in short if options == "depth=30" else (*short, 1.01, 5.02):
        stream = Stream(1, "timed").child(1, game.position.ply)
        seat = player.seat("othello")
        begun = time.process_time()
        choice = seat.choose(game, stream, Clock(seconds_left=seconds))
        took = time.process_time() - begun
        assert choice.depth >= 1
        plain = parse_player(f"material:depth={choice.depth},ties=random").seat("othello")
        oracle = plain.choose(game, stream, Clock())
        assert (choice.move, choice.score) == (oracle.move, oracle.score)
        if seconds >= 0.3:  # of its own: a busy machine may keep it waiting
            assert took < seconds


def test_without_a_clock_a_player_is_what_it_is_without_timing() -> None:
    game = othello.Game.from_transcript(POSITIONS[0])
    stream = Stream(1, "untimed").child(1, 7)
    for text in ("material:depth=4", "swh:nodes=900", "( white ):depth=1", "swh:random_plies=2"):
        timed = parse_player(f"{text},timing=modern")
        plain = parse_player(text)
        for clock in (Clock(), Clock(moves=5)):
            one, other = (p.seat("othello").choose(game, stream, clock) for p in (timed, plain))
            assert one.move == other.move
        assert timed.reproducible


def test_the_option_is_read_written_and_saved(tmp_path) -> None:
    player = parse_player("( white ):timing=firebrand")
    assert (player.depth, player.timing) == (1, "firebrand")
    assert player.label == "( white ):depth=1,timing=firebrand"
    assert parse_player(player.label).model_dump() == player.model_dump()
    save_player(tmp_path / "timed.json", player, game="othello")
    assert load_player(tmp_path / "timed.json", game="othello").timing == "firebrand"
    assert parse_player("material:depth=2").model_dump()["timing"] is None
    assert with_options(player, {"timing": None}).timing is None
    (tmp_path / "timed.toml").write_text(
        'kind = "alpha_beta"\ndepth = 2\ntiming = "modern"\n[evaluator]\nkind = "tree"\n'
        'tree = "( white )"\n'
    )
    assert parse_player(str(tmp_path / "timed.toml")).timing == "modern"
    with pytest.raises(ValueError, match="timing must be one of firebrand, modern"):
        parse_player("material:timing=fast")
    with pytest.raises(ValueError, match="timing is for players that look ahead"):
        parse_player("material:depth=0,timing=modern")


def test_random_first_moves_go_with_timing() -> None:
    seat = parse_player("material:timing=modern,random_plies=2").seat("othello")
    game = othello.Game.from_transcript(POSITIONS[0])
    stream = Stream(1, "random").child(1, 7)
    choice = seat.choose(game, stream, Clock(seconds_left=1.0, moves=1))
    plain = parse_player("random").seat("othello").choose(game, stream, Clock())
    assert (choice.move, choice.depth) == (plain.move, 0)
    assert seat.choose(game, stream, Clock(seconds_left=1.0, moves=2)).depth > 1


def test_both_policies_are_in_the_table() -> None:
    assert dict(TIMINGS) == {"firebrand": firebrand, "modern": modern}
