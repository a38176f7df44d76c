"""Othello's rules against counts and records that others published, and against open-spiel."""

import json
import re
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from evoply import othello
from evoply._native import Stream, perft
from evoply.games import SHAPES
from evoply.protocols import Color

TESTDATA = Path(__file__).parents[2] / "testdata"
PROBLEMS = [
    json.loads(line)
    for line in (TESTDATA / "perft/othello_8x8_positions.jsonl").read_text().splitlines()
]
PERFT = json.loads((TESTDATA / "perft/perft_tables.json").read_text())
TABLES: dict[str, list[int]] = {
    "othello": PERFT["othello_8x8_mode1"]["values"],
    "othello-4": PERFT["computed:othello_4x4_mode1"]["values"],
    "othello-6": PERFT["computed:othello_6x6_mode1"]["values"],
    "othello-10": PERFT["computed:othello_10x10_mode1"]["values"],
}


def count_leaves(position: othello.Position, depth: int) -> int:
    """Count by the moves of `Position`; a pass is a ply, a game that ended earlier one leaf."""
    if depth == 0 or not position.legal_moves:
        return 1
    if depth == 1:
        return len(position.legal_moves)
    return sum(count_leaves(position.play(move), depth - 1) for move in position.legal_moves)


def native_perft(position: othello.Position, depth: int) -> int:
    return perft(position.game, position.row, depth)


def test_there_are_160_positions() -> None:
    assert len(PROBLEMS) == 160


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))
def test_published_position(problem: dict[str, Any]) -> None:
    position = othello.Position.parse(str(problem["obf"]))
    moves = problem["moves"]
    # The list holds placements only; where it is empty the side to move passes or the game is over.
    assert [str(move) for move in position.legal_moves if move != othello.Move.PASS] == moves
    for depth, leaves in enumerate(problem["perft_mode1"], start=1):
        assert native_perft(position, depth) == leaves
        assert count_leaves(position, depth) == leaves


@pytest.mark.parametrize("game", othello.OTHELLO)
def test_perft_from_the_start(game: str) -> None:
    start = othello.OTHELLO[game].start()
    table = TABLES[game]
    for depth in range(1, 9):
        assert native_perft(start, depth) == table[depth - 1]
    for depth in range(1, 6):
        assert count_leaves(start, depth) == table[depth - 1]


@pytest.mark.parametrize(
    ("game", "depth"), [("othello", 11), ("othello-4", 12), ("othello-6", 11), ("othello-10", 11)]
)
def test_deep_perft_from_the_start(game: str, depth: int) -> None:
    assert native_perft(othello.OTHELLO[game].start(), depth) == TABLES[game][depth - 1]


def test_open_spiels_playthrough_reproduces() -> None:
    text = (TESTDATA / "openspiel/othello.txt").read_text(encoding="utf-8")
    states = re.split(r"^# State \d+\n", text, flags=re.MULTILINE)[1:]
    assert len(states) == 61
    position = othello.OTHELLO["othello"].start()
    checked = 0
    for state in states:
        board = re.search(r"# (?:(Black|White) \(|Terminal)[^\n]*\n(?:# .*\n)*", state)
        if board is not None:
            checked += 1
            side = "O" if board[1] == "White" else "X"
            rows = re.findall(r"^# [1-8] ([-xo ]{15}) [1-8]$", board[0], re.MULTILINE)
            expected = othello.Position.parse("".join(rows) + side)
            assert (position.black, position.white) == (expected.black, expected.white)
        if board is not None and board[1]:
            assert str(position.turn) == board[1]
            codes = json.loads(state.split("LegalActions() = ")[1].splitlines()[0])
            names = json.loads(state.split("StringLegalActions() = ")[1].splitlines()[0])
            assert [move.code(SHAPES[8]) for move in position.legal_moves] == codes
            assert list(map(str, position.legal_moves)) == names
        action = re.search(r'^# Apply action "(\w+)"\naction: (\d+)', state, re.MULTILINE)
        if action is not None:
            move = othello.Move.from_code(int(action[2]))
            assert str(move) == action[1]
            position = position.play(move)
    assert checked >= 10
    outcome = position.outcome()
    assert outcome is not None
    returns = json.loads(states[-1].split("Returns() = ")[1].splitlines()[0])
    assert [2 * outcome.points(color) - 1 for color in Color] == returns


def compare_with_open_spiel(stream: Stream, positions: int) -> None:
    """Compare moves, boards and results along random playouts until *positions* were compared."""
    game = pyspiel.load_game("othello")
    compared = 0
    while compared < positions:
        state, position = game.new_initial_state(), othello.Position()
        while not state.is_terminal():
            assert state.current_player() == (position.turn is Color.WHITE)
            actions = state.legal_actions()
            assert [move.code(SHAPES[8]) for move in position.legal_moves] == actions, (
                position.text()
            )
            compared += 1
            action = actions[stream.below(len(actions))]
            state.apply_action(action)
            position = position.play(othello.Move.from_code(action))
        outcome = position.outcome()
        assert outcome is not None, position.text()
        assert [2 * outcome.points(color) - 1 for color in Color] == state.returns()
        rows = re.findall(r"^[1-8] ([-xo ]{15})", str(state), re.MULTILINE)
        side = position.text()[-1]
        assert othello.Position.parse("".join(rows) + side) == position


def test_open_spiel_agrees_along_random_games() -> None:
    compare_with_open_spiel(Stream(1, "open-spiel"), 10_000)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_open_spiel_agrees_along_many_random_games() -> None:
    compare_with_open_spiel(Stream(2, "open-spiel"), 100_000)
