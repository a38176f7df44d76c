"""Games of checkers: draws by rule end them alike in the kernel and in Python."""

from collections import Counter

import numpy as np
import pytest
from arena_games import assert_played_alike

from evoply import _native, checkers
from evoply.arena import Results, Schedule, match, play
from evoply.games import NO_DRAWS, DrawRules, game_rules
from evoply.players import parse_player
from evoply.protocols import Color, Ending, Row

PLAYERS = ("random", "material:depth=3,king=1.5,ties=random", "greedy:epsilon=0.2", "material")
RULES = (
    None,
    NO_DRAWS,
    DrawRules(quiet_plies=6, repetitions=None, max_plies=None),
    DrawRules(quiet_plies=None, repetitions=2, max_plies=None),
    DrawRules(quiet_plies=None, repetitions=None, max_plies=31),
    DrawRules(quiet_plies=9, repetitions=2, max_plies=60),
)
KINGS = "B:W21,K30,K32,29:BK3,K5,1,2"


def schedule(start: Row, draws: DrawRules | None, count: int = 12, openings: int = 4) -> Schedule:
    return Schedule.pairs(
        np.arange(count, dtype=np.uint32) % len(PLAYERS),
        np.arange(count, dtype=np.uint32) // 2 % len(PLAYERS),
        stream=_native.Stream(7, "checkers"),
        opening_plies=openings,
        start=start,
        draws=draws,
    )


def compared(game: str, start: checkers.Position, draws: DrawRules | None) -> Results:
    """Play a schedule in the kernel and each of its games in Python; return the results."""
    seats = [parse_player(text, game=game).seat(game) for text in PLAYERS]
    planned = schedule(start.row, draws)
    if draws == NO_DRAWS:
        # Without any draws kings may walk for ever: random players alone do not.
        planned = planned.with_seats(0 * planned.black, 0 * planned.white)
    results = play(game, seats, planned, threads=2, record_moves=True)
    assert_played_alike(game, seats, planned, results)
    return results


@pytest.mark.parametrize("game", checkers.CHECKERS)
def test_draws_end_games_alike_in_the_kernel_and_in_python(game: str) -> None:
    seen: Counter[str] = Counter()
    starts = [checkers.CHECKERS[game].start()]
    if game != "checkers-10":
        # Kings already, and some quiet plies behind them.
        starts += [
            checkers.Position.parse(KINGS, game),
            checkers.Position.parse(f"{KINGS}:H4:F20", game),
        ]
    for start in starts:
        for draws in RULES:
            seen += Counter(compared(game, start, draws).ending_counts)
    assert set(seen) == {ending.value for ending in Ending} - {"forfeit", "stated"}


def test_a_start_that_is_a_draw_already_is_not_played() -> None:
    start = checkers.Position.parse("B:WK32:BK1:H80:F60")
    seats = [parse_player(text, game="checkers").seat("checkers") for text in PLAYERS]
    results = play("checkers", seats, schedule(start.row, None, 4))
    assert results.plies.tolist() == [0] * 8
    assert results.ending_counts == {"quiet plies": 8}
    assert results.black_points.tolist() == [0.5] * 8


class Last:
    """Always the last legal move."""

    def choose(self, game: checkers.Game, stream: object, clock: object) -> object:
        return game.position.legal_moves[-1]


def test_players_in_python_meet_players_in_the_kernel() -> None:
    seats = [
        Last() if text == "greedy:epsilon=0.2" else parse_player(text).seat("lose-checkers")
        for text in PLAYERS
    ]
    planned = schedule(checkers.CHECKERS["lose-checkers"].start().row, None)
    mixed = play("lose-checkers", seats, planned)
    assert len(mixed) == len(planned)
    native = np.flatnonzero((planned.black != 2) & (planned.white != 2))
    seated = [*seats[:2], seats[3], seats[3]]
    alone = play("lose-checkers", seated, planned.batch(native).with_seats(
        np.array([0, 1, 9, 2])[planned.black[native]], np.array([0, 1, 9, 2])[planned.white[native]]
    ))  # fmt: skip
    assert (mixed.winners[native] == alone.winners).all()
    assert (mixed.endings[native] == alone.endings).all()


def test_who_cannot_move_loses_and_wins_in_lose_checkers() -> None:
    # White's man on 21 is blocked by the two behind each other.
    start = "W:W21:B17,14"
    for game, winner in (("checkers", Color.BLACK), ("lose-checkers", Color.WHITE)):
        record = game_rules(game).record(start)
        outcome = record.outcome()
        assert isinstance(record, checkers.Game)
        assert outcome.winner is winner
        seats = [parse_player("random", game=game).seat(game)] * 2
        results = play(game, seats, schedule(record.start.row, None, 1).with_seats(
            np.zeros(2), np.ones(2)
        ))  # fmt: skip
        assert results.winners.tolist() == [1 if winner is Color.BLACK else -1] * 2


def test_a_match_says_how_games_ended() -> None:
    result = match("material:depth=2", "greedy", game="checkers", games=100, seed=4)
    assert result.opening_plies == 4
    assert sum(result.endings.values()) == 100
    assert result.draws == sum(n for way, n in result.endings.items() if way != "board")
    assert result.to_dict()["endings"] == dict(result.endings)
    capped = match(
        "material:depth=2", "greedy", game="checkers", games=20, draws=DrawRules(max_plies=5)
    )
    assert capped.endings == {"cap": 20}
    assert capped.score == 0.5
    assert match("greedy", "random", games=20).opening_plies == 8


def test_kings_may_be_worth_more_than_men() -> None:
    # Two ways to take one piece: a man or a king.
    position = checkers.Position.parse("B:W19,K18,31:BK15,1")
    assert {str(move) for move in position.legal_moves} == {"15x22", "15x24"}
    for text, king in (("greedy:king=1.5", "15x22"), ("greedy:king=0.5", "15x24")):
        native = parse_player(text, game="checkers").native("checkers")
        code = _native.analyse(native, *position.row, 1)[0]
        assert str(game_rules("checkers").move_from_code(code)) == king
    first = {
        parse_player(text, game="checkers").model_dump_json(exclude={"name"})
        for text in ("greedy", "greedy:king=1")
    }
    assert len(first) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("greedy:king=-1", "number of men from 0 to 100"),
        ("greedy:king=101", "number of men from 0 to 100"),
        ("mobility:king=2", "no option 'king'"),
        ("swh", "cannot play checkers: swh plays othello"),
        ("edgar-like:ties=last", "cannot play checkers"),
    ],
)
def test_players_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_player(text, game="checkers")
