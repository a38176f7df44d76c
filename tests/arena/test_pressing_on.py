"""Players that press on: while they are ahead they go back to no earlier position of the game."""

from typing import Any

import numpy as np
import pytest
from arena_games import assert_played_alike

import evoply as ep
from evoply import _native, checkers
from evoply.arena import Schedule, play
from evoply.games import DrawRules
from evoply.players import parse_player
from evoply.protocols import Clock

KINGS = "B:WK32,29:BK3,K5,K12"
"""Black is ahead, and its kings can walk to and fro."""
OPTIONS = ("depth=2", "depth=3", "depth=4,table=12", "depth=5,nodes=400", "depth=2,ordering=killer")


def planned(draws: DrawRules, count: int = 12) -> Schedule:
    start = checkers.Position.parse(KINGS)
    seats = np.zeros(count, dtype=np.uint32)
    return Schedule.pairs(
        seats, seats, stream=_native.Stream(3, "on"), opening_plies=2, start=start.row, draws=draws
    )


def board(position: Any) -> tuple[Any, ...]:
    """What repeats when a board occurs again: pieces and side to move, not the counters."""
    return tuple(position.row[:4])


def expected(game: Any, plain: Any, *, is_timed: bool = False) -> tuple[Any, bool]:
    """The move of a pressing player at the end of *game*, and whether it is not the usual one."""
    usual = ep.analyse(plain, game)
    earlier = {board(position) for position in game.reversible}

    def goes_back(move: Any) -> bool:
        return board(game.position.play(move)) in earlier

    if usual.score is None or usual.score <= 0 or not goes_back(usual.move):
        return usual.move, False
    limited = {"nodes": None, "depth": max(usual.depth - 2, 1)}
    is_limited = is_timed or plain.nodes is not None
    search = plain.model_copy(update=limited) if is_limited else plain
    values = dict(ep.analyse(search, game, every_move=True).moves)
    onwards = [move for move in game.position.legal_moves if not goes_back(move)]
    best = max((values[move] for move in onwards), default=0.0)
    if best <= 0:
        return usual.move, False
    return next(move for move in onwards if values[move] == best), True


@pytest.mark.parametrize("options", OPTIONS)
def test_the_choice_is_the_best_move_that_does_not_go_back(options: str) -> None:
    plain = parse_player(f"material:king=1.5,ties=first,{options}", game="checkers").valuing()
    pressing = plain.model_copy(update={"presses_on": True})
    stream, changed = _native.Stream(8, options), 0
    for number in range(6):
        game = checkers.Game(checkers.Position.parse(KINGS))
        while game.outcome() is None and len(game) < 30:
            move, is_other = expected(game, plain)
            changed += is_other
            assert ep.analyse(pressing, game).move == move
            # Black walks to and fro where it usually does, White walks anywhere.
            moves = game.position.legal_moves
            usual = ep.analyse(plain, game).move
            drawn = moves[stream.child(number, len(game)).below(len(moves))]
            game = game.play(usual if len(game) % 2 == 0 else drawn)
    assert changed >= 3


@pytest.mark.parametrize("draws", [DrawRules(repetitions=3), DrawRules(repetitions=None)])
def test_games_are_alike_in_the_kernel_and_in_python(draws: DrawRules) -> None:
    plain = parse_player("material:king=1.5,ties=first,depth=2", game="checkers").valuing()
    seats = [
        plain.model_copy(update={"presses_on": presses_on}).seat("checkers")
        for presses_on in (True, False)
    ]
    schedule = planned(draws)
    games = {}
    for name, black in (("pressing", 0), ("plain", 1)):
        against = schedule.with_seats(black + 0 * schedule.black, 1 + 0 * schedule.white)
        results = play("checkers", seats, against, threads=2, record_moves=True)
        assert_played_alike("checkers", seats, against, results)
        games[name] = results.moves
    # Without repetitions nobody minds going back.
    assert (games["pressing"] == games["plain"]) is (draws.repetitions is None)


def test_a_player_that_presses_on_does_so_on_a_clock_and_in_a_searcher() -> None:
    plain = parse_player("material:king=1.5,ties=first,depth=3", game="checkers").valuing()
    pressing = plain.model_copy(update={"presses_on": True})
    seat, changed = pressing.seat("checkers"), 0
    with ep.Searcher(pressing, game="checkers") as searcher:
        game = checkers.Game(checkers.Position.parse(KINGS))
        while game.outcome() is None and len(game) < 40:
            move, is_other = expected(game, plain)
            changed += is_other
            assert searcher.think(game, depth=3).move == move
            on_clock = seat.choose(game, _native.Stream(1), Clock(move_seconds=600.0))
            assert on_clock.move == expected(game, plain, is_timed=True)[0]
            game = game.play(ep.analyse(plain, game).move)
    assert changed >= 1


def test_with_a_temperature_moves_that_go_back_are_not_drawn_while_ahead() -> None:
    plain = parse_player("material:king=1.5,depth=2,temperature=50", game="checkers").valuing()
    pressing = plain.model_copy(update={"presses_on": True})
    game, left_out = checkers.Game(checkers.Position.parse(KINGS)), 0
    for ply in range(30):
        earlier = {board(position) for position in game.reversible}
        values = dict(ep.analyse(plain, game, every_move=True).moves)
        goes_back = {move: board(game.position.play(move)) in earlier for move in values}
        is_ahead = any(values[move] > 0 for move in values if not goes_back[move])
        drawn = {
            ep.analyse(pressing, game, stream=_native.Stream(seed, "draws")).move
            for seed in range(30)
        }
        usual = {
            ep.analyse(plain, game, stream=_native.Stream(seed, "draws")).move for seed in range(30)
        }
        if is_ahead:
            assert not any(goes_back[move] for move in drawn)
            left_out += any(goes_back[move] for move in usual)
        else:
            assert drawn == usual
        game = game.play(sorted(values, key=str)[ply // 2 % len(values)])
        if game.outcome() is not None:
            break
    assert left_out >= 2


def test_the_option_is_written_and_read() -> None:
    text = "material:depth=2,presses_on=yes"
    assert parse_player(text, game="checkers").label == text


def test_strong_presses_on_where_repetitions_count() -> None:
    assert parse_player("strong:depth=4", game="checkers").inner.presses_on
    assert parse_player("strong:level=9", game="checkers-10").inner.presses_on
    assert parse_player("strong:level=2", game="checkers").inner.presses_on
    assert not parse_player("strong:depth=4", game="othello").inner.presses_on
