"""Games from data against OpenSpiel's, move by move over games of random moves."""

import os
from typing import Any

import pytest

from evoply import _native
from evoply.games import GAMES

pytest.importorskip("pyspiel")
from openspiel_games import OPENSPIEL

GAMES_EACH = 10_000 if "EVOPLY_LONG" in os.environ else 60


@pytest.mark.parametrize("name", OPENSPIEL)
def test_random_games_are_those_of_openspiel(name: str) -> None:
    theirs = OPENSPIEL[name]
    game = theirs.load()
    for number in range(GAMES_EACH):
        stream, state, here = _native.Stream(number, name), game.new_initial_state(), None
        position: Any = GAMES[name].start()
        while not state.is_terminal():
            assert state.current_player() == (0 if position.row[3] else 1)
            actions = theirs.actions(state)
            moves = {theirs.short(str(move)): move for move in position.legal_moves}
            assert actions.keys() == moves.keys()
            here = sorted(moves)[stream.below(len(moves))]
            state.apply_action(actions[here])
            position = position.play(moves[here])
        outcome = position.outcome()
        black = 0 if outcome.winner is None else 1 if outcome.winner.value == "black" else -1
        assert state.returns() == [black, -black]
