"""Schedules whose games begin anywhere: mixed starts are separate calls, in the kernel or not."""

from dataclasses import replace

import numpy as np
import pytest
from arena_games import assert_played_alike

from evoply import _native
from evoply.arena import Schedule, play
from evoply.games import game_rules
from evoply.players import parse_player

TEXTS = ("random", "greedy", "material:depth=2,ties=random")


def mixed(game: str, pairs: int = 12, starts: int = 3) -> Schedule:
    rows = tuple(_native.Positions.random(game, starts, 5, 4, 12))
    stream = _native.Stream(3, "test")
    return Schedule.pairs(
        [pair % 3 for pair in range(pairs)],
        [(pair + 1) % 3 for pair in range(pairs)],
        stream=stream,
        opening_plies=4,
        starts=rows,
        start_of=[stream.below(starts) for _ in range(pairs)],
    )


@pytest.mark.parametrize("game", ["othello", "othello-10", "checkers", "lose-checkers"])
def test_mixed_starts_are_separate_calls(game: str) -> None:
    schedule = mixed(game)
    assert (schedule.start_of[::2] == schedule.start_of[1::2]).all()
    players = [parse_player(text, game=game).seat(game) for text in TEXTS]
    whole = play(game, players, schedule, threads=1)
    for threads in (2, 3, 4):
        assert (play(game, players, schedule, threads=threads).hashes == whole.hashes).all()
    for place, row in enumerate(schedule.starts):
        games = np.flatnonzero(schedule.start_of == place)
        alone = replace(schedule.batch(games), starts=(row,), start_of=None)
        results = play(game, players, alone)
        assert (results.hashes == whole.hashes[games]).all()
        assert (results.black_discs == whole.black_discs[games]).all()


def test_the_python_loop_begins_where_the_kernel_does() -> None:
    schedule = mixed("othello")
    players = [parse_player(text).seat("othello") for text in TEXTS]
    results = play("othello", players, schedule, record_moves=True)
    assert_played_alike("othello", players, schedule, results)


def test_one_start_is_the_same_whichever_way_it_is_said() -> None:
    row = game_rules("othello").start().row
    players = [parse_player("greedy").seat("othello"), parse_player("random").seat("othello")]

    def hashes(**start: object) -> list[int]:
        schedule = Schedule.pairs(
            [0] * 5, [1] * 5, stream=_native.Stream(1), opening_plies=4, **start
        )  # type: ignore[arg-type]
        return play("othello", players, schedule).hashes.tolist()

    assert hashes(start=row) == hashes(starts=[row]) == hashes(starts=[row], start_of=[0] * 5)


def test_wrong_starts_are_refused() -> None:
    row = game_rules("othello").start().row
    arguments = {"stream": _native.Stream(1), "opening_plies": 4}
    for wrong in ({}, {"start": row, "starts": [row]}, {"start": row, "start_of": [0]}):
        with pytest.raises(ValueError, match="give start, or starts"):
            Schedule.pairs([0], [0], **arguments, **wrong)
    with pytest.raises(ValueError, match="2 given for 1 pairs"):
        Schedule.pairs([0], [0], **arguments, starts=[row], start_of=[0, 0])
    players = [parse_player("random").seat("othello")]
    far = Schedule.pairs([0], [0], **arguments, starts=[row], start_of=[1])
    with pytest.raises(ValueError, match="there is no start 1: there are 1"):
        play("othello", players, far)
