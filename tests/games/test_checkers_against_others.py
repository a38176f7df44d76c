"""The rules of checkers against published counts and records, and against pydraughts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import draughts.core.game as draughts
import pytest

from evoply import checkers
from evoply._native import Stream, perft
from evoply.games import SHAPES, numbered_square, square_name
from evoply.protocols import Color

TESTDATA = Path(__file__).parents[2] / "testdata"
PROBLEMS = [
    json.loads(line)
    for line in (TESTDATA / "perft/checkers_8x8_positions.jsonl").read_text().splitlines()
]
PERFT = json.loads((TESTDATA / "perft/perft_tables.json").read_text())
TABLES: dict[str, list[int]] = {
    "checkers": PERFT["checkers_8x8"]["values"],
    "lose-checkers": PERFT["checkers_8x8"]["values"],
    "checkers-10": PERFT["computed:checkers_10x10_r3"]["values"],
}


def count_leaves(position: checkers.Position, depth: int) -> int:
    """Count by the moves of `Position`; a game that ended earlier is no leaf."""
    if depth == 0:
        return 1
    return sum(count_leaves(position.play(move), depth - 1) for move in position.legal_moves)


@pytest.mark.parametrize("game", checkers.CHECKERS)
def test_perft_from_the_start(game: str) -> None:
    start = checkers.CHECKERS[game].start()
    for depth, leaves in enumerate(TABLES[game][:8], start=1):
        assert perft(game, start.row, depth) == leaves
        assert perft(game, start.row, depth, threads=1) == leaves
    for depth in range(1, 5):
        assert count_leaves(start, depth) == TABLES[game][depth - 1]


@pytest.mark.parametrize(("game", "depth"), [("checkers", 11), ("lose-checkers", 11)])
def test_deep_perft_from_the_start(game: str, depth: int) -> None:
    assert perft(game, checkers.CHECKERS[game].start().row, depth) == TABLES[game][depth - 1]


@pytest.mark.long
def test_deepest_perft_from_the_start() -> None:
    assert perft("checkers", checkers.Position().row, 13) == TABLES["checkers"][12]
    start = checkers.Position("checkers-10")
    assert perft("checkers-10", start.row, 9) == TABLES["checkers-10"][8]


def test_counted_positions() -> None:
    assert len(PROBLEMS) == 300
    for problem in PROBLEMS:
        position = checkers.Position.parse(problem["fen"])
        assert position.text() == problem["fen"]
        assert position.kings.bit_count() == problem["kings"]
        longest = max((len(move.path) for move in position.legal_moves), default=0)
        assert longest == problem["longest_path"]
        for depth, leaves in enumerate(problem["perft"], start=1):
            assert perft("checkers", position.row, depth) == leaves
            if depth <= 2:
                assert count_leaves(position, depth) == leaves


def jumps(text: str) -> Iterator[tuple[list[str], str, list[str]]]:
    """Yield board rows (top first), side and legal actions of OpenSpiel's states."""
    for state in re.split(r"^# State \d+\n", text, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^# [1-8]([.o+8*]{8})$", state, re.MULTILINE)
        names = re.search(r"StringLegalActions\(\) = (.*)", state)
        player = re.search(r"CurrentPlayer\(\) = (-?\d)", state)
        if rows and player is not None:
            yield rows, player[1], json.loads(names[1]) if names is not None else []


def position_of(rows: list[str], *, black_to_move: bool) -> checkers.Position:
    """Return the position of OpenSpiel's picture: its first player, o and 8, begins below."""
    sets = dict.fromkeys("o+8*", 0)
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell in sets:
                sets[cell] |= 1 << 63 - (row * 8 + column)
    return checkers.Position(
        black=sets["o"] | sets["8"],
        white=sets["+"] | sets["*"],
        kings=sets["8"] | sets["*"],
        turn=Color.BLACK if black_to_move else Color.WHITE,
    )


def half_turn_names(square: int) -> str:
    """Return OpenSpiel's name of a square: its board is turned and its rows count from below."""
    name = square_name(63 - square, SHAPES[8])
    return name[0] + str(9 - int(name[1]))


def test_open_spiels_playthrough_reproduces() -> None:
    text = (TESTDATA / "openspiel/checkers.txt").read_text(encoding="utf-8")
    actions = re.findall(r'^# Apply action "(\w\d\w\d)"', text, re.MULTILINE)
    # Not every state of the recording shows its board; all actions are there.
    states = {
        int(number): body
        for number, body in re.findall(
            r"^# State (\d+)\n(.*?)(?=^# State|\Z)", text, re.MULTILINE | re.DOTALL
        )
    }
    assert len(actions) == 101
    position, begun, compared, multiple = checkers.Position(), list[str](), 0, 0
    for number in range(len(actions) + 1):
        found = list(jumps(f"# State 0\n{states[number]}"))
        if found and not begun:
            rows, player, names = found[0]
            compared += 1
            shown = position_of(rows, black_to_move=position.turn is Color.BLACK)
            assert shown == position
            if names:
                assert player == ("0" if position.turn is Color.BLACK else "1")
                firsts = {
                    "".join(map(half_turn_names, move.path[:2])) for move in position.legal_moves
                }
                # OpenSpiel names a jump by the square jumped to.
                assert firsts == set(names)
        if number == len(actions):
            break
        begun.append(actions[number])
        squares = [begun[0][:2], *(action[2:] for action in begun)]
        fitting = [
            move
            for move in position.legal_moves
            if list(map(half_turn_names, move.path)) == squares
        ]
        if fitting:
            multiple += len(begun) > 1
            position, begun = position.play(fitting[0]), []
    assert not begun
    assert compared >= 10
    assert multiple >= 1
    # OpenSpiel calls 40 plies without a capture a draw; the board alone would go on.
    assert "Returns() = [0, 0]" in states[len(actions)]
    assert position.outcome() is None


def compare_with_pydraughts(stream: Stream, positions: int) -> int:
    """Compare boards, moves and captures along random games until *positions* were compared."""
    compared = several = 0
    while compared < positions:
        theirs, ours = draughts.Game("english"), checkers.Position()
        while True:
            assert board_of_pydraughts(theirs) == board(ours), ours.text()
            their_moves, their_captures = theirs.legal_moves()
            listed = [
                (path_of_pydraughts(move), tuple(map(turned_square, filter(None, captured))))
                for move, captured in zip(their_moves, their_captures, strict=True)
            ]
            # Captures that differ only in path count on both sides.
            legal = list(ours.legal_moves)
            assert sorted(listed) == [(move.path, move.captured) for move in legal], ours.text()
            compared += 1
            several += any(len(move.captured) > 1 for move in legal)
            if not legal or ours.ply == 150:
                break
            number = stream.below(len(their_moves))
            theirs.push(their_moves[number])
            ours = ours.play(checkers.Move(listed[number][0]))
    return several


def turned_square(number: int) -> int:
    """Return the square that pydraughts numbers on its board, which is turned half round."""
    return numbered_square(33 - number, SHAPES[8])


def path_of_pydraughts(move: list[list[int]]) -> tuple[int, ...]:
    return (turned_square(move[0][0]), *(turned_square(step[1]) for step in move))


def board(position: checkers.Position) -> tuple[int, int, int, bool]:
    return position.black, position.white, position.kings, position.turn is Color.BLACK


def board_of_pydraughts(game: Any) -> tuple[int, int, int, bool]:
    """Return the board of a game of pydraughts, turned: its first player, 2, begins below."""
    sets = {1: 0, 2: 0}
    kings = 0
    for piece in game.board.searcher.uncaptured_pieces:
        square = 1 << turned_square(piece.position)
        sets[piece.player] |= square
        kings |= square if piece.king else 0
    return sets[2], sets[1], kings, game.whose_turn() == 2


def test_pydraughts_agrees_along_random_games() -> None:
    assert compare_with_pydraughts(Stream(1, "pydraughts"), 1_000) > 20


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_pydraughts_agrees_along_many_random_games() -> None:
    assert compare_with_pydraughts(Stream(2, "pydraughts"), 100_000) > 2_500
