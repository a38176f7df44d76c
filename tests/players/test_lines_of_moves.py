"""Each move's own line: legal, and worth at its end what is said of the move."""

from __future__ import annotations

import evoply as ep
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players.endgame import solve

_LATE = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def test_lines_of_exact_values_end_the_game_with_them() -> None:
    position = ep.othello.Position.parse(_LATE)
    choice = ep.analyse("strong:endgame=14", position, every_move=True)
    assert [line[0] for line in choice.lines] == [move for move, _ in choice.moves]
    for (_, value), line in zip(choice.moves, choice.lines, strict=True):
        game = game_rules("othello").game(position)
        for move in line:
            game = game.play(move)
        assert game.outcome() is not None
        last = game.position
        score = solve(last).score
        assert value == (score if last.turn is position.turn else -score)


def test_a_move_without_a_look_is_a_line_of_its_own() -> None:
    start = ep.othello.Position()
    choice = ep.analyse("greedy", start, every_move=True, stream=Stream(1))
    assert choice.lines == tuple((move,) for move, _ in choice.moves)
    assert ep.analyse("greedy", start, stream=Stream(1)).lines == ()
