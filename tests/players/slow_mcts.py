"""Monte Carlo tree search as its papers describe it, one node an object: the oracle of `mcts`.

It knows rules and single choices of the kernel, nothing of its search. Keys of draws and the
arithmetic, which is exact, are those that the kernel's documentation states.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players import AfterState, Mcts, Strong, ValuingPlayer

Row = tuple[int, int, int, bool, int, int]
WHOLE = 2**20
"""The points of a won game."""


@dataclass
class Node:
    """A position by the playouts that came through it."""

    row: Row
    visits: int = 0
    points: int = 0
    """Of whoever moved here."""
    children: dict[int, "Node"] | None = None
    """By the codes of moves, in their order; None before a second playout comes."""


@dataclass
class SlowMcts:
    """The search of *player* at *root*, in the game with *key*."""

    player: Mcts
    game: str
    root: Row
    key: int

    def __post_init__(self) -> None:
        rules = game_rules(self.game)
        self.quiet, _, self.most = rules.draws.limits
        self.kernel = rules.kernel
        is_black = self.root[3]
        self.draws = Stream.from_key(self.key).child(int(not is_black), self.root[4], "playout")

    def run(self) -> Node:
        """Return the root after all playouts."""
        root = Node(self.root)
        count = self.player.playouts or 1000
        for first in range(0, count, self.player.gathered):
            gathered = range(first, min(first + self.player.gathered, count))
            ways = [self.descend(root) for _ in gathered]
            for number, way in zip(gathered, ways, strict=True):
                black = self.worth(way[-1].row, self.draws.child(number))
                for before, node in pairwise(way):
                    node.points += black if before.row[3] else WHOLE - black
        return root

    def descend(self, root: Node) -> list[Node]:
        """Return the nodes of one way down, each visited once more."""
        way, node = [root], root
        while True:
            is_leaf = node is not root and (node.visits == 0 or self.is_over(node.row))
            if not is_leaf and node.children is None:
                codes = _native.legal_moves(self.kernel, node.row)
                node.children = {
                    code: Node(_native.row_after(self.kernel, node.row, code)) for code in codes
                }
            after = None if is_leaf else self.next(node)
            node.visits += 1
            if after is None:
                return way
            node = after
            way.append(node)

    def next(self, node: Node) -> Node:
        """Return the child to visit: an untried one, or that of the greatest upper bound."""
        assert node.children
        untried = [child for child in node.children.values() if child.visits == 0]
        if untried:
            return untried[0]
        doubt = self.player.curiosity**2 * logarithm(node.visits)
        best, greatest = None, -math.inf
        for child in node.children.values():
            bound = child.points / (WHOLE * child.visits) + math.sqrt(doubt / child.visits)
            if bound > greatest:
                best, greatest = child, bound
        assert best
        return best

    def is_over(self, row: Row) -> bool:
        """Return whether the game ends here, by the board or as a draw."""
        return self.is_drawn(row) or _native.outcome(self.kernel, row) is not None

    def is_drawn(self, row: Row) -> bool:
        return (self.quiet is not None and row[5] >= self.quiet) or (
            self.most is not None and row[4] >= self.most
        )

    def worth(self, row: Row, draws: Stream) -> int:
        """Return the points of Black at a leaf."""
        leaf = self.player.leaf
        while not self.is_over(row):
            if leaf == "none":
                value = self.value(row)
                points = squashed(value, self.player.squash)
                # The points are those of whoever moved here.
                return WHOLE - points if row[3] else points
            key = draws.child(int(not row[3]), row[4])
            codes = _native.legal_moves(self.kernel, row)
            if len(codes) == 1:
                code = codes[0]
            elif leaf == "random":
                code = codes[key.below(len(codes))]
            else:
                code = self.greedy_move(row, key)
            row = _native.row_after(self.kernel, row, code)
        outcome = _native.outcome(self.kernel, row)
        if outcome is None or outcome[0] is None:
            return WHOLE // 2
        return WHOLE if outcome[0] == "black" else 0

    def greedy_move(self, row: Row, key: Stream) -> int:
        """Return what the after-state player with the evaluator would play."""
        player = self.player.evaluator
        assert isinstance(player, ValuingPlayer)
        native = AfterState(
            evaluator=player.evaluator,
            view=player.view,
            ties="random",
            epsilon=self.player.epsilon,
        ).native(self.game)
        batch = _native.Positions(self.kernel, [row])
        return int(batch.choose(native, np.array([key.key], dtype=np.uint64))[0][0])

    def value(self, row: Row) -> float:
        """Return what the evaluator says for whoever moved to *row*."""
        player = self.player.evaluator
        assert isinstance(player, ValuingPlayer | Strong)
        program = self.player._program(self.game)
        view = getattr(player, "view", "turn")
        # Own is the side to move, or the side that chooses at the root.
        own_is_black = row[3] if view == "turn" else self.root[3]
        seen = (*row[:3], own_is_black, *row[4:])
        value = program.evaluate(_native.Positions(self.kernel, [seen])).item()
        if math.isnan(value):
            value = -1e12 if own_is_black is self.root[3] else 1e12
        value = max(min(value, 1e12), -1e12)
        return value if own_is_black is not row[3] else -value


def squashed(value: float, scale: float) -> int:
    """Return the points of a *value*: the logistic function, its exponential a power."""
    power = max(1.0 - abs(value / scale) / 1024.0, 0.0)
    for _ in range(10):
        power *= power
    points = min(int(1.0 / (1.0 + power) * WHOLE + 0.5), WHOLE - 1)
    return WHOLE - points if value < 0 else points


def logarithm(visits: int) -> float:
    """Return the natural logarithm by straight lines between powers of two."""
    power = visits.bit_length() - 1
    return math.log(2) * (power + (visits / (1 << power) - 1.0))


def answer(root: Node) -> tuple[int, float, list[int], list[tuple[int, float]]]:
    """Return what the tree chooses: the move, its share, the line, and the shares of all moves."""
    assert root.children
    line, node = [], root
    while node.children:
        visited = [(code, child) for code, child in node.children.items() if child.visits]
        if not visited:
            break
        code, node = max(visited, key=lambda pair: (pair[1].visits, pair[1].points))
        line.append(code)
    shares = [
        (code, child.points / (WHOLE * child.visits))
        for code, child in root.children.items()
        if child.visits
    ]
    return line[0], dict(shares)[line[0]], line, shares
