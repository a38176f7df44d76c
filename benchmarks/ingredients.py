"""Trees, positions and players that rows are made of, the same in every commit."""

from functools import cache
from typing import Any

from evoply import _native
from evoply.expressions import PRIMITIVE_SETS, PrimitiveSet
from evoply.gp import Tree, grow
from evoply.players import AfterState, AlphaBeta, TreeEvaluator, parse_player

PRIMITIVES = PRIMITIVE_SETS["liao+mobility"]
PositionRow = tuple[int, int, int, bool, int, int]


def trees_of_size(count: int, size: int, primitives: PrimitiveSet = PRIMITIVES) -> list[Tree]:
    """Return random trees of just about *size* nodes."""
    stream = _native.Stream(1, "benchmark trees")
    found: list[Tree] = []
    while len(found) < count:
        tree = grow(primitives, 9, stream)
        if abs(len(tree) - size) <= 2:
            found.append(tree)
    return found


def tree_players(trees: list[Tree], depth: int, **options: Any) -> list[_native.Player]:
    """Return what plays by each tree, with what players of that depth have by default."""
    evaluators = [TreeEvaluator(tree=tree) for tree in trees]
    players = [
        AfterState(evaluator=one)
        if depth == 1
        else AlphaBeta(evaluator=one, depth=depth, **options)
        for one in evaluators
    ]
    return [player.native("othello") for player in players]


def positions(count: int) -> list[PositionRow]:
    """Return positions from the opening to the late middle of a game."""
    batch = _native.Positions.random("othello", count, 7, 12, 36)
    return [batch[index] for index in range(count)]


def search_all(player: _native.Player, rows: list[PositionRow]) -> int:
    """Choose at every position; return the nodes."""
    return sum(_native.analyse(player, *row, 0)[2] for row in rows)


@cache
def kernel_player(text: str, game: str = "othello") -> _native.Player:
    """Return the kernel's form of a player that it runs."""
    player: Any = parse_player(text, game=game)
    native: _native.Player = player.native(game)
    return native
