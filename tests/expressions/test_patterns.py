"""Patterns as people write them: copies under symmetries, texts, refusals."""

import math

import numpy as np
import pytest

from evoply import _native, othello
from evoply.expressions import (
    OTHELLO_PATTERNS,
    ExpressionError,
    board,
    from_json,
    number,
    othello_patterns,
    parameters_of,
    pattern,
    program_with_parameters,
    symmetric_copies,
    with_parameters,
)
from evoply.expressions.written_form import in_order
from evoply.games import SHAPES, game_rules
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.protocols import BoardShape, Color
from evoply.reports import explain

CORNER = ["a1", "b1", "a2", "b2"]


def test_copies_are_the_images_of_a_board():
    copies = symmetric_copies(CORNER, SHAPES[8])
    assert copies == (
        ("a1", "b1", "a2", "b2"),
        ("h1", "g1", "h2", "g2"),
        ("a8", "b8", "a7", "b7"),
        ("h8", "g8", "h7", "g7"),
    )
    counts = {
        name: len(symmetric_copies(text.split(), SHAPES[8]))
        for name, text in OTHELLO_PATTERNS.items()
    }
    assert [counts[name] for name in ("corner_3x3", "corner_2x4", "row_4", "diagonal_8")] == [
        4, 8, 4, 2,
    ]  # fmt: skip
    assert sum(counts.values()) == 50


def test_tables_of_all_stages_are_held_and_written_once_before_anything_is_learned():
    empty = othello_patterns(stages=[*range(1, 60)])
    patterns = [node for node in in_order([empty]) if node.op == "pattern"]
    assert len(patterns) == len(OTHELLO_PATTERNS)
    written = [row[8] for row in empty.to_dict()["nodes"] if row[0] == "pattern"]
    for tables in [*(node.arguments[7] for node in patterns), *written]:
        assert len(tables) == 60
        assert len({id(table) for table in tables}) == 1


def test_a_value_is_the_sum_over_the_copies_of_the_stage():
    entries = [[float(index) for index in range(9)], [100.0 * index for index in range(9)]]
    copies = symmetric_copies(["b2", "c3"], SHAPES[6])
    value = pattern(copies, entries, stages=[6])
    position = othello.Position(6)
    # Two own discs and two of the opponent's in the middle, the last digits of the four copies.
    assert value.evaluate(position) == 1 + 1 + 2 + 2
    after = position.play(str(position.legal_moves[0]))
    full = sum(3 * digit(after, outer) + digit(after, inner) for outer, inner in copies)
    assert value.evaluate(after) == full  # five discs: the first stage
    later = after.play(str(after.legal_moves[0]))
    full = sum(3 * digit(later, outer) + digit(later, inner) for outer, inner in copies)
    assert value.evaluate(later) == 100.0 * full


def digit(position: othello.Position, square: str) -> int:
    column, row = ord(square[0]) - ord("a"), int(square[1:]) - 1
    bit = 1 << (row * position.shape.side + column)
    own, opponent = (
        (position.black, position.white)
        if position.turn is Color.BLACK
        else (position.white, position.black)
    )
    return 1 if own & bit else 2 if opponent & bit else 0


def test_kings_have_digits_of_their_own_and_boards_turn():
    sets = (board.own_men, board.own_kings, board.opponent_men, board.opponent_kings)
    value = pattern([["b1"]], [[0.0, 1.0, 2.0, 3.0, 4.0]], sets=sets, turned=True)
    start = game_rules("checkers").start()
    black = value.evaluate(start)
    assert black == value.evaluate(start.play(str(start.legal_moves[0])))


def test_the_text_reads_back_and_parameters_come_and_go():
    value = 2.0 * othello_patterns(stages=[20]) + number(1.0)
    assert from_json(value.to_json()) == value
    drawn = np.random.default_rng(1).normal(size=len(parameters_of(value)))
    changed = with_parameters(value, drawn)
    assert parameters_of(changed).tolist() == drawn.tolist()
    position = othello.Position().play("f5").play("d6")
    program = program_with_parameters(value, "othello").with_parameters(drawn)
    positions = _native.Positions("othello", [position.row])
    assert program.evaluate(positions)[0, 0] == changed.evaluate(position) != 1.0
    assert str(value).startswith("2 * (pattern on a1 b1 c1 a2 b2 c2 a3 b3 c3 + pattern on")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: pattern([]), "1 to 128 lists"),
        (lambda: pattern([["a1"], ["a1", "b1"]]), "equally many"),
        (lambda: pattern([["a1", "a1"]]), "each square once"),
        (lambda: pattern([["z1"]]), "not a square"),
        (lambda: pattern([["a1"]], [[1.0, 2.0]]), "table of 3 entries, not 2"),
        (lambda: pattern([["a1"]], [[1.0, 2.0, math.inf]]), "not a finite number"),
        (lambda: pattern([["a1"]], [["x"] * 3]), "list of numbers"),
        (lambda: pattern([["a1"]], ["????"]), "base64"),
        (lambda: pattern([["a1"]], [[1.0, 2.0, 3.0]], stages=[9]), "2 stages need as many"),
        (lambda: pattern([["a1"]], stages=[9, 9]), "growing numbers"),
        (lambda: pattern([["a1"]], stages=[0]), "growing numbers"),
        (lambda: pattern([["a1"]], sets=()), "1 to 4 sets"),
        (lambda: pattern([["a1"]], sets=(board.own, board.pieces)), "must be of type squares"),
        (lambda: pattern([[f"{c}1" for c in "abcdefgh"] + ["a2", "b2", "c2"]]), "at most 65,536"),
        (lambda: pattern([["j10"]]).to_json(SHAPES[8]), "j10"),
        (lambda: symmetric_copies(["a1"], SHAPES[8], [8]), "0 to 7"),
        (lambda: symmetric_copies(["a1"], BoardShape(6, 9), [4]), "0 to 3"),
        (lambda: othello_patterns(SHAPES[6]), "8x8"),
    ],
)
def test_mistakes_are_told(make, says):
    with pytest.raises(ExpressionError, match=says):
        make()


def test_a_player_of_patterns_is_explained():
    entries = [[0.0, *(1.0 if index % 3 == 1 else -1.0 for index in range(1, 81))]]
    value = pattern(symmetric_copies(CORNER, SHAPES[8]), entries)
    evaluator = ExpressionEvaluator(expression=value.to_dict())
    text = explain(AlphaBeta(evaluator=evaluator, depth=1, view="turn"), positions=50).sentence
    wanted = "It weighs what stands on a1 b1 a2 b2 (and 3 more such places; "
    assert text.startswith(wanted)
