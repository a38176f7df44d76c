"""Searches of every game against minimax written out, in the kernel that is built.

The kernel's own tests compile searches once more, with checks, for 8x8 alone.
"""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.expressions import Number, board, count, number, number_of_moves, pattern
from evoply.games import GAMES, GameRules, game_rules
from evoply.players import AfterState, AlphaBeta, ExpressionEvaluator, analyse
from evoply.players.kernel_seat import ALL_MOVES
from evoply.protocols import Position

WON = 1e15
"""What a finished game is worth to the winner."""

WAYS = (
    {},
    {"ordering": "evaluator"},
    {"ordering": "refutation"},
    {"ordering": "killer", "table": 10},
    {"ordering": "hash", "table": 2},
    {"nodes": 10**9, "table": 5},
)
"""Ways to search that change no value."""

MOST_LEAVES = 300


def drawn_expression(rules: GameRules, stream: _native.Stream) -> Number:
    """Return a sum of small whole numbers, so that many boards tie: patterns, replies, plies."""
    squares = rules.shape.squares
    sets = (board.own, board.opponent)
    if rules.has_kings:
        sets = (board.own_men, board.own_kings, board.opponent_men, board.opponent_kings)
    total = number(0.0)
    for _ in range(3):
        copies = [sorted({stream.below(squares) for _ in range(9)})[:3] for _ in range(4)]
        entries = [float(stream.below(5)) - 2 for _ in range((len(sets) + 1) ** 3)]
        total += pattern(copies, [entries], sets=sets, turned=stream.below(2) == 0)
    if stream.below(2):
        total += number_of_moves("own") - number_of_moves("opponent")
    if stream.below(3) == 0:
        total += board.ply * (count(board.own) - count(board.opponent))
    return total


def drawn_position(rules: GameRules, stream: _native.Stream) -> Position:
    """Return a position at any time of a game, its last plies more often."""
    end = 100 if rules.has_kings else rules.shape.squares - 6
    earliest = max(0, end - 8) if stream.below(2) else 0
    row = _native.Positions.random(rules.kernel, 1, stream.bits(), earliest, end)[0]
    return rules.position_from_row(row)


def leaves(position: Position, depth: int) -> list[Position]:
    """Return the boards that minimax looks at, in the order of legal moves."""
    if depth == 0 or position.outcome() is not None:
        return [position]
    after = [position.play(move) for move in position.legal_moves]
    return [leaf for child in after for leaf in leaves(child, depth - 1)]


def minimax(position: Position, depth: int, worth: Iterator[float]) -> float:
    """Return what *position* is worth to the side to move; *worth* is of its leaves in order."""
    outcome = position.outcome()
    if outcome is None and depth:
        after = [position.play(move) for move in position.legal_moves]
        return max(-minimax(child, depth - 1, worth) for child in after)
    value = next(worth)
    if outcome is None:
        return value
    return 0.0 if outcome.winner is None else WON if outcome.winner is position.turn else -WON


def worth_of(boards: list[Position], program: _native.Program) -> Iterator[float]:
    """Return the values of *boards* by the plain interpreter of expressions."""
    batch = _native.Positions(boards[0].game, [board.row for board in boards])
    return iter(program.evaluate(batch, reference=True)[:, 0].tolist())


def check(player: AfterState | AlphaBeta, position: Position, values: dict[int, float]) -> None:
    """Compare the values of all moves, and which of the best ones is taken."""
    best = [move for move, value in values.items() if value == max(values.values())]
    for ties, taken in (("first", best[0]), ("last", best[-1])):
        native = player.model_copy(update={"ties": ties}).native(position.game)
        alone = _native.analyse(native, *position.row, 1)
        whole = _native.analyse(native, *position.row, 1, best=ALL_MOVES)
        assert alone[:2] == whole[:2] == (taken, values[taken])
        assert {code: value for code, value, _ in whole[6]} == values


@pytest.mark.parametrize("game", GAMES)
@given(seed=st.integers(0, 2**32), most_depth=st.integers(1, 6))
def test_values_and_moves_are_those_of_minimax(game: str, seed: int, most_depth: int) -> None:
    rules, stream = game_rules(game), _native.Stream(seed)
    position = drawn_position(rules, stream)
    evaluator = ExpressionEvaluator(expression=drawn_expression(rules, stream).to_dict())
    program = evaluator.program(game)
    moves = [move.code(rules.shape) for move in position.legal_moves]
    if len(moves) < 2:
        return
    after = [position.play(move) for move in position.legal_moves]
    player = AfterState(evaluator=evaluator, view="turn")
    check(
        player, position, dict(zip(moves, (-one for one in worth_of(after, program)), strict=True))
    )
    depths = range(most_depth, 1, -1)
    few = (depth for depth in depths if _native.perft(game, position.row, depth) <= MOST_LEAVES)
    depth = next(few, 1)
    worth = worth_of([leaf for one in after for leaf in leaves(one, depth - 1)], program)
    values = [-minimax(one, depth - 1, worth) for one in after]
    for way in WAYS:
        searching = AlphaBeta(evaluator=evaluator, depth=depth, view="turn", **way)
        check(searching, position, dict(zip(moves, values, strict=True)))


def test_a_solved_game_ends_the_search() -> None:
    """White wins on 4x4, 11 to 3; once every line is a finished game nothing is left to look at."""
    choice = analyse("material:nodes=100000000,table=16", game_rules("othello-4").start())
    assert choice.score == -WON
    assert choice.depth is not None
    assert choice.depth <= 20
