"""What users have today, asked to do the same work: DEAP for trees, rust_reversi for boards.

DEAP compiles a tree to a Python function of its features; rust_reversi makes the moves. The
trees, the features and the rules of play are ours, so both sides play the same kind of game.
"""

import operator
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import draughts.core.game
import rust_reversi
from deap import gp as deap_gp

from evoply._native import Program, Stream
from evoply.expressions import square_sets
from evoply.games import SHAPES
from evoply.gp import Tree

sys.path.append(str(Path(__file__).parents[1] / "tests" / "players"))
sys.path.append(str(Path(__file__).parents[1] / "tests" / "learning"))
import slow_online
import slow_td


def mask(name: str) -> int:
    """Return a named square set as rust_reversi's bits, whose a1 is the highest."""
    squares = square_sets(SHAPES[8])[name]
    return int(f"{squares:064b}"[::-1], 2)


CORNERS, NEAR, EDGES = (mask(name) for name in ("corners", "near_corners", "edges"))
NAMES = (
    "white", "black", "white_corners", "black_corners", "white_near_corners",
    "black_near_corners", "white_edges", "black_edges", "white_mobility", "black_mobility",
)  # fmt: skip


def protected_division(a: float, b: float) -> float:
    return a / b if b else 1.0


def primitive_set() -> deap_gp.PrimitiveSet:
    """Return DEAP's equal of `liao+mobility`."""
    primitives = deap_gp.PrimitiveSet("main", len(NAMES))
    primitives.renameArguments(**{f"ARG{i}": name for i, name in enumerate(NAMES)})
    for function, name in (
        (operator.add, "add"),
        (operator.sub, "sub"),
        (operator.mul, "mul"),
        (protected_division, "div"),
    ):
        primitives.addPrimitive(function, 2, name=name)
    primitives.addTerminal(10.0, name="ten")
    return primitives


def deap_text(tree: Tree) -> str:
    """Return a tree in DEAP's notation."""
    names = {"+": "add", "-": "sub", "*": "mul", "/": "div", "10": "ten"}

    def write(at: int) -> tuple[str, int]:
        node = tree.nodes[at]
        name = names.get(node.name, node.name)
        if node.arity == 0:
            return name, at + 1
        parts = []
        at += 1
        for _ in range(node.arity):
            part, at = write(at)
            parts.append(part)
        return f"{name}({', '.join(parts)})", at

    return write(0)[0]


def features(own: int, opponent: int, board: rust_reversi.Board) -> tuple[int, ...]:
    """Return the ten numbers of `liao+mobility` for the side that owns *own*, which just moved."""
    own_moves = rust_reversi.Board()
    own_moves.set_board(own, opponent, rust_reversi.Turn.BLACK)
    return (
        own.bit_count(),
        opponent.bit_count(),
        (own & CORNERS).bit_count(),
        (opponent & CORNERS).bit_count(),
        (own & NEAR).bit_count(),
        (opponent & NEAR).bit_count(),
        (own & EDGES).bit_count(),
        (opponent & EDGES).bit_count(),
        own_moves.get_legal_moves().bit_count(),
        board.get_legal_moves().bit_count(),
    )


Evaluate = Callable[..., float]


def one_ply(board: rust_reversi.Board, evaluate: Evaluate) -> int:
    """Return the first best move by the boards after each move."""
    best, chosen = float("-inf"), -1
    for move in board.get_legal_moves_vec():
        child = board.clone()
        child.do_move(move)
        opponent, own, _ = child.get_board()
        value = evaluate(*features(own, opponent, child))
        if chosen < 0 or value > best:
            best, chosen = value, move
    return chosen


def negamax(
    board: rust_reversi.Board, depth: int, alpha: float, beta: float, evaluate: Evaluate, sign: int
) -> float:
    """Return the value for the side to move; *sign* is 1 where that side is the one choosing."""
    if board.is_game_over():
        difference = board.diff_piece_num()
        return 1e15 * ((difference > 0) - (difference < 0))
    if depth == 0:
        own, opponent, _ = board.get_board()
        if sign < 0:
            own, opponent = opponent, own
        return sign * evaluate(*features(own, opponent, board))
    if board.is_pass():
        child = board.clone()
        child.do_pass()
        return -negamax(child, depth - 1, -beta, -alpha, evaluate, -sign)
    best = float("-inf")
    for move in board.get_legal_moves_vec():
        child = board.clone()
        child.do_move(move)
        best = max(best, -negamax(child, depth - 1, -beta, -max(alpha, best), evaluate, -sign))
        if best >= beta:
            break
    return best


def searched(board: rust_reversi.Board, evaluate: Evaluate, depth: int) -> int:
    best, chosen = float("-inf"), -1
    for move in board.get_legal_moves_vec():
        child = board.clone()
        child.do_move(move)
        value = -negamax(child, depth - 1, float("-inf"), -best, evaluate, -1)
        if chosen < 0 or value > best:
            best, chosen = value, move
    return chosen


def play_games(
    evaluators: Sequence[Evaluate], depth: int, seconds: float, opening_plies: int = 8
) -> float:
    """Return games a second of two evaluators, played for about *seconds*."""
    games, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        board, ply = rust_reversi.Board(), 0
        while not board.is_game_over():
            if board.is_pass():
                board.do_pass()
            elif ply < opening_plies:
                board.do_move(board.get_random_move())
            else:
                evaluate = evaluators[(ply + games) % 2]
                move = one_ply(board, evaluate) if depth == 1 else searched(board, evaluate, depth)
                board.do_move(move)
            ply += 1
        games += 1
    return games / (time.perf_counter() - start)


def random_games(seconds: float) -> float:
    """Return random games a second of a Python loop over rust_reversi's moves."""
    games, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        board = rust_reversi.Board()
        while not board.is_game_over():
            if board.is_pass():
                board.do_pass()
            else:
                board.do_move(board.get_random_move())
        games += 1
    return games / (time.perf_counter() - start)


def replayed_records(data: bytes) -> list[tuple[int, int]]:
    """Return the discs of both sides after each game of a WTHOR file, read and played in Python."""
    discs = []
    for begin in range(16, len(data), 68):
        board = rust_reversi.Board()
        for number in data[begin + 8 : begin + 68].rstrip(b"\0"):
            if board.is_pass():
                board.do_pass()
            row, column = divmod(number, 10)
            board.do_move(8 * (row - 1) + column - 1)  # which raises for an illegal move
        discs.append((board.black_piece_num(), board.white_piece_num()))
    return discs


def perft(board: rust_reversi.Board, depth: int) -> int:
    if depth == 0 or board.is_game_over():
        return 1
    if board.is_pass():
        child = board.clone()
        child.do_pass()
        return perft(child, depth - 1)
    return sum(perft(child, depth - 1) for child in board.get_child_boards())


def checkers_perft(depth: int) -> int:
    """Count leaves of American checkers from the start with pydraughts."""

    def count(game: draughts.core.game.Game, depth: int) -> int:
        moves, _ = game.legal_moves()
        if depth == 1:
            return len(moves)
        total = 0
        for move in moves:
            after = game.copy_fast()
            after.push(move)
            total += count(after, depth - 1)
        return total

    return count(draughts.core.game.Game("english"), depth)


class OnlineEvolution(slow_online.Evolution):
    """What the online player does before Black's first move, its games over rust_reversi."""

    def points(
        self,
        individual: slow_online.Strategist,
        alpha: slow_online.Strategist,
        draws: Stream,
        is_first: bool,
        given: int | None,
        way: object = None,
    ) -> int:
        board = rust_reversi.Board()
        players = (individual, alpha) if is_first else (alpha, individual)
        tables = [self.table(player) for player in players]
        while not board.is_game_over():
            if board.is_pass():
                board.do_pass()
                continue
            side = int(board.get_turn() == rust_reversi.Turn.WHITE)
            table, most_discs = tables[side], players[side].flags[2]
            moves = board.get_legal_moves_vec()
            greatest = max(table[move] for move in moves)
            best = [move for move in moves if table[move] == greatest]
            if most_discs and len(best) > 1:
                left = [discs_after(board, move) for move in best]
                best = [move for move, discs in zip(best, left, strict=True) if discs == max(left)]
            board.do_move(best[0] if len(best) == 1 else best[draws.below(len(best))])
        self.games_played += 1
        difference = board.black_piece_num() - board.white_piece_num()
        won = (difference > 0) - (difference < 0)
        return 1 + (won if is_first else -won)

    def table(self, player: slow_online.Strategist) -> list[int]:
        corners, edges = self.settings["corners"], self.settings["edges"]
        return [player.worth(square, self.areas, corners, edges) for square in range(64)]


def discs_after(board: rust_reversi.Board, move: int) -> int:
    child = board.clone()
    child.do_move(move)
    return child.opponent_piece_num()


def online_alpha(row: Any, key: int, settings: dict[str, Any]) -> tuple[list[int], list[int], int]:
    """Return alpha's tree and weights, and the games that it took."""
    evolution = OnlineEvolution(row, "othello", Stream.from_key(key), settings)
    tree, player, _ = evolution.run(None)
    return slow_online.codes_of(tree), player.weights, evolution.games_played


def learned_weights(
    game: str, program: Program, start: Any, settings: dict[str, Any]
) -> list[list[float]]:
    """Return the rows of weights after games that Python plays and learns from."""
    return slow_td.SlowLearner(game, program, [start], **settings).learn()["weights"]
