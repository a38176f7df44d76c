"""Othello's rules against the slow reference, and the small facts of its API."""

import itertools
from typing import Any

import pytest
import reference_othello as reference
from game_strategies import CHOICES, any_positions, played, positions, reachable_positions
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import othello
from evoply.games import SHAPES
from evoply.protocols import Color, IllegalMoveError, InvalidMoveError, Outcome

quick = settings(deadline=None, max_examples=150)


def as_lists(position: othello.Position) -> tuple[reference.Board, str]:
    size = position.shape.side
    cells = ["-"] * (size * size)
    for square in range(size * size):
        if position.black >> square & 1:
            cells[square] = "X"
        if position.white >> square & 1:
            cells[square] = "O"
    board = [cells[row * size : (row + 1) * size] for row in range(size)]
    return board, "X" if position.turn is Color.BLACK else "O"


@pytest.mark.parametrize("size", othello.SIZES)
def test_start_agrees_with_reference(size: int) -> None:
    assert as_lists(othello.Position(size)) == (reference.start(size), "X")


@quick
@given(positions)
def test_legal_moves_and_play_agree_with_reference(position: othello.Position) -> None:
    board, side = as_lists(position)
    assert list(map(str, position.legal_moves)) == reference.legal_moves(board, side)
    for move in position.legal_moves:
        after = position.play(move)
        assert as_lists(after) == (reference.play(board, side, str(move)), reference.other(side))
    for color, symbol in ((Color.BLACK, "X"), (Color.WHITE, "O")):
        assert position.mobility(color) == len(reference.placements(board, symbol))
        assert position.discs(color) == sum(row.count(symbol) for row in board)
    assert position.mobility() == len(reference.placements(board, side))
    assert position.empty.bit_count() == sum(row.count("-") for row in board)
    assert position.text() == reference.text(board, side)


@quick
@given(positions, st.integers(min_value=0, max_value=7))
def test_symmetries_commute_with_legal_moves_and_play(
    position: othello.Position, index: int
) -> None:
    turned = position.symmetry(index)
    board, side = as_lists(position)
    assert as_lists(turned) == (reference.turned(board, index), side)
    assert turned.ply == position.ply
    images = set()
    for move in position.legal_moves:
        image = turned_move(move, position.shape.side, index)
        images.add(image)
        assert turned.play(image) == position.play(move).symmetry(index)
    assert set(turned.legal_moves) == images


def turned_move(move: othello.Move, size: int, index: int) -> othello.Move:
    if move.square is None:
        return move
    row, column = divmod(move.square, size)
    row, column = reference.SYMMETRIES[index](row, column, size - 1)
    return othello.Move(row * size + column, SHAPES[size])


@quick
@given(any_positions())
def test_swapping_colors_keeps_the_moves_and_swaps_what_follows(position: othello.Position) -> None:
    swapped = swap_colors(position)
    assert swapped.legal_moves == position.legal_moves
    assert (swapped.own, swapped.opponent) == (position.own, position.opponent)
    for move in position.legal_moves:
        assert swapped.play(move) == swap_colors(position.play(move))


def swap_colors(position: othello.Position) -> othello.Position:
    return othello.Position(
        position.shape.side,
        black=position.white,
        white=position.black,
        turn=position.turn.opposite,
        ply=position.ply,
    )


@quick
@given(reachable_positions())
def test_clock_is_one_on_a_full_board_and_unmoved_by_passes(position: othello.Position) -> None:
    discs = position.discs(Color.BLACK) + position.discs(Color.WHITE)
    assert position.clock == (discs - 4) / (position.shape.squares - 4)
    assert (position.clock == 1) == (position.empty == 0)
    for move in position.legal_moves:
        after = position.play(move)
        assert (after.clock == position.clock) == (move.square is None)


PASS_TEXT = "OX-- ---- ---- ---- X"  # Black cannot move, White plays c1


def test_forced_pass() -> None:
    position = othello.Position.parse(PASS_TEXT.replace("OX", "XO").replace(" X", " O"))
    assert str(position.legal_moves) == "pass"
    assert position.legal_moves.must_pass
    assert list(position.legal_moves) == [othello.Move.PASS]
    assert position.legal_moves[0] is othello.Move.PASS
    assert len(position.legal_moves) == 1
    assert position.mobility() == 0
    assert position.mobility(Color.BLACK) == 1
    after = position.play("PA")
    assert (after.turn, after.ply, after.black) == (Color.BLACK, 0 + position.ply + 1, 1)
    assert str(after.legal_moves) == "c1"
    with pytest.raises(IllegalMoveError, match=r"legal is pass"):
        position.play("a2")
    with pytest.raises(IllegalMoveError, match=r"illegal move pass for Black .*legal is c1"):
        after.play(othello.Move.PASS)


def test_official_difference_gives_the_empty_squares_to_the_winner() -> None:
    assert othello.Position().official_difference() is None
    wiped_out = othello.Position.parse("XXX- ---- ---- ---- O")
    assert wiped_out.outcome() == Outcome(Color.BLACK, 3)
    assert wiped_out.official_difference() == 16
    lost = othello.Position.parse("OO-- ---- ---- ---X O")
    assert lost.outcome() == Outcome(Color.WHITE, -1)
    assert lost.official_difference() == -14
    drawn = othello.Position.parse("O--- ---- ---- ---X O")
    assert drawn.outcome() == Outcome(None, 0)
    assert drawn.official_difference() == 0
    assert str(drawn.outcome()) == "draw"
    assert str(lost.outcome()) == "White wins by 1"
    with pytest.raises(IllegalMoveError, match="the game is over"):
        drawn.play("b2")


def test_values_are_immutable() -> None:
    position, move = othello.Position(), othello.Move.parse("f5")
    for value, name in itertools.product(
        (position, move, othello.Game()), ("size", "start", "square")
    ):
        with pytest.raises((AttributeError, TypeError)):
            setattr(value, name, 4)


def test_legal_moves_are_cached_and_behave_as_a_sequence() -> None:
    position = othello.Position()
    moves = position.legal_moves
    assert position.legal_moves is moves
    assert repr(moves) == "LegalMoves(d3, c4, f5, e6)"
    assert moves[0] == othello.Move.parse("d3")
    assert [str(move) for move in moves[-2:]] == ["f5", "e6"]
    assert othello.Move.parse("f5") in moves
    assert moves.index(othello.Move.parse("f5")) == 2
    assert othello.Move.parse("f5", SHAPES[10]) not in moves
    assert othello.Move.PASS not in moves
    assert "f5" not in moves  # type: ignore[comparison-overlap]
    assert isinstance(moves, othello.LegalMoves)
    assert moves == othello.Position().legal_moves
    assert moves is not othello.Position().legal_moves
    assert moves != position.play("f5").legal_moves


def test_a_pass_is_one_move_on_every_board() -> None:
    assert othello.Move(None, SHAPES[10]) == othello.Move.PASS
    assert othello.Move.from_code(36, SHAPES[6]) is othello.Move.PASS
    assert [othello.Move.PASS.code(SHAPES[size]) for size in othello.SIZES] == [16, 36, 64, 100]
    assert repr(othello.Move.PASS) == "Move.PASS"
    far = "Move.parse('j10', BoardShape(rows=10, columns=10))"
    assert repr(othello.Move.parse("j10", SHAPES[10])) == far


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: othello.Position(5), "5x5"),
        (lambda: othello.Position(4, black=1 << 16), "outside"),
        (lambda: othello.Position(4, black=-1), "outside"),
        (lambda: othello.Position(4, black=3, white=2), "b1 holds"),
        (lambda: othello.Position(4, ply=-1), "ply"),
        (lambda: othello.Position.from_row("chess", (0, 0, 0, True, 0, 0)), "othello-10"),
        (lambda: othello.Move(64), "64"),
        (lambda: othello.Move.from_code(65), "65"),
    ],
)
def test_impossible_values_are_refused(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=message):
        build()


def test_a_game_refuses_moves_that_cannot_be_played() -> None:
    moves = tuple(map(othello.Move.parse, ("f5", "d6", "f5")))
    with pytest.raises(IllegalMoveError, match=r"ply 3: illegal move f5.* legal is [a-h1-8 ]+$"):
        othello.Game(moves=moves)
    assert othello.Game(moves=moves[:2]).positions[-1] == othello.Position().play("f5").play("d6")


@quick
@given(CHOICES)
def test_a_game_built_at_once_equals_one_played(choices: list[int]) -> None:
    game = played(othello.OTHELLO["othello-6"], choices)
    again = othello.Game(game.start, game.moves)
    assert again == game
    assert hash(again) == hash(game)
    assert again.positions == game.positions
    assert [position.ply for position in game.positions] == list(range(len(game) + 1))


def test_invalid_move_error_is_a_value_error_and_not_an_illegal_move() -> None:
    with pytest.raises(InvalidMoveError, match=r"cannot read 'f9'.*a1 to h8") as caught:
        othello.Position().play("f9")
    assert isinstance(caught.value, ValueError)
    assert not isinstance(caught.value, IllegalMoveError)


@pytest.mark.parametrize("index", [-1, 8, 2**70, "x", 1.5])
def test_other_symmetries_do_not_exist(index: Any) -> None:
    with pytest.raises(ValueError, match="symmetries are 0 to 7"):
        othello.Position().symmetry(index)


def test_sets_and_plies_are_whole_numbers_and_turns_are_colors() -> None:
    for row in ((1.5, 0, 0, True, 0, 0), ("x", 0, 0, True, 0, 0), (1, 2, 0, True, 0.5, 0)):
        with pytest.raises(TypeError):
            othello.Position.from_row("othello", row)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="red"):
        othello.Position(turn="red")  # type: ignore[arg-type]
    assert othello.Position(turn="white").turn is Color.WHITE  # type: ignore[arg-type]
