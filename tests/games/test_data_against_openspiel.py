"""Games from data against OpenSpiel's, move by move over games of random moves."""

from collections.abc import Callable
from typing import Any

import pytest

from evoply import _native
from evoply.games import GAMES
from evoply.games.squares import square_name

pyspiel = pytest.importorskip("pyspiel")

GAMES_EACH = 60


def _turned(text: str, rows: int) -> str:
    """Return a move of squares whose ranks are counted from the other end."""
    squares = text.rstrip("*")
    return "-".join(f"{squares[i]}{rows + 1 - int(squares[i + 1])}" for i in (0, 2))


def _breakthrough(action: int, text: str) -> str:
    return _turned(text, 8)


def _breakthrough_6(action: int, text: str) -> str:
    return _turned(text, 6)


def _clobber(action: int, text: str) -> str:
    return f"{text[:2]}-{text[2:4]}"


def _square(columns: int) -> Callable[[int, str], str]:
    def name(action: int, text: str) -> str:
        return square_name(action, GAMES[{3: "tic-tac-toe", 9: "hex-9"}[columns]].shape)

    return name


CASES: dict[str, tuple[str, dict[str, Any], Callable[[int, str], str]]] = {
    "breakthrough": ("breakthrough", {}, _breakthrough),
    "breakthrough-6": ("breakthrough", {"rows": 6, "columns": 6}, _breakthrough_6),
    "clobber": ("clobber", {"rows": 6, "columns": 5}, _clobber),
    "connect-four": ("connect_four", {}, lambda action, text: "abcdefg"[action]),
    "hex-9": ("hex", {"board_size": 9}, _square(9)),
    "tic-tac-toe": ("tic_tac_toe", {}, _square(3)),
}


@pytest.mark.parametrize("name", CASES)
def test_random_games_are_those_of_openspiel(name: str) -> None:
    theirs, parameters, name_of = CASES[name]
    game = pyspiel.load_game(theirs, parameters)
    for number in range(GAMES_EACH):
        stream, state, here = _native.Stream(number, name), game.new_initial_state(), None
        position: Any = GAMES[name].start()
        while not state.is_terminal():
            assert state.current_player() == (0 if position.row[3] else 1)
            actions = {name_of(a, state.action_to_string(a)): a for a in state.legal_actions()}
            moves = {str(move): move for move in position.legal_moves}
            if name == "connect-four":  # OpenSpiel names columns alone
                moves = {text[0]: move for text, move in moves.items()}
            assert actions.keys() == moves.keys()
            here = sorted(moves)[stream.below(len(moves))]
            state.apply_action(actions[here])
            position = position.play(moves[here])
        outcome = position.outcome()
        assert outcome is not None
        black = 0 if outcome.winner is None else 1 if outcome.winner.value == "black" else -1
        assert state.returns() == [black, -black]
