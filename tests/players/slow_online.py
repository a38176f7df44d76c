"""The online player's evolution before one move, slow and plain: the oracle of the kernel's.

Trees are those of `evoply.gp` over a set whose functions only hold their operands, and operators
are `evoply.gp`'s; positions are Python's. Draws come from the keys that this module names.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evoply import gp
from evoply._native import Stream
from evoply.expressions import NumberParameter, PrimitiveSet, argument
from evoply.expressions.primitives import make_primitive
from evoply.games import DrawRules, game_rules
from evoply.gp import Limits, Tree, creation
from evoply.protocols import Color, GameRecord, Position

LARGEST = 4096
NO_LIMITS = Limits(max_depth=LARGEST, max_nodes=LARGEST)


@lru_cache
def strategies(areas: int, lowest: int, highest: int, measures: int = 0) -> PrimitiveSet:
    """Return the set of fArg2 and fArg3, which mean nothing, and terminals with values."""
    first, second, third = (argument(index, "number") for index in range(3))
    names = [f"tBH{area + 1}" for area in range(areas)] + ["tCnrH", "tEdgH", "tCntH"]
    names += ["tMobH", "tFrnH"][:measures]
    weights = (lowest, highest + 1)
    bounds = [weights] * areas + [(0, 2)] * 3 + [weights] * measures
    return PrimitiveSet(
        "strategies",
        (
            make_primitive("fArg2", first + second, 0),
            make_primitive("fArg3", first + second + third, 1),
            *(
                make_primitive(name, first, code, parameter=NumberParameter(*map(float, ends)))
                for code, (name, ends) in enumerate(zip(names, bounds, strict=True), start=2)
            ),
        ),
    )


def whole(tree: Tree) -> Tree:
    """Return *tree* with every value rounded down: a weight is a whole number, a flag 0 or 1."""
    return Tree(
        tree.primitive_set,
        tuple(
            node if node.value is None else node.with_value(float(math.floor(node.value)))
            for node in tree.nodes
        ),
    )


def codes_of(tree: Tree) -> list[int]:
    return [node.code + 256 * int(node.value or 0) for node in tree.nodes]


def tree_of(codes: Sequence[int], primitives: PrimitiveSet) -> Tree:
    nodes = [primitives.primitives[code % 256] for code in codes]
    return Tree(
        primitives,
        tuple(
            node if node.arity else node.with_value(float(code // 256))
            for node, code in zip(nodes, codes, strict=True)
        ),
    )


@dataclass
class Strategist:
    """A strategy as it plays: what a square is worth, doubled or not, and the three flags.

    Behind the weights of the areas may stand those of mobility and frontier.
    """

    weights: list[int]
    flags: tuple[bool, bool, bool]

    def worth(self, square: int, areas: Sequence[int], corners: int, edges: int) -> int:
        weight = self.weights[areas[square]] if areas[square] >= 0 else 0
        is_doubled = (self.flags[0] and corners >> square & 1) or (
            self.flags[1] and edges >> square & 1
        )
        return 2 * weight if is_doubled else weight


def decoded(tree: Tree, areas: int, draws: Stream, measures: int = 0) -> Strategist:
    """Return what *tree* says: where an area has several values, a coin takes the first or last."""
    values = []
    for code in range(2, areas + 5 + measures):
        named = [int(node.value) for node in tree.nodes if node.code == code]
        takes_last = draws.below(2)
        values.append(0 if not named else named[-takes_last])
    corners, edges, most = map(bool, values[areas : areas + 3])
    return Strategist(values[:areas] + values[areas + 3 :], (corners, edges, most))


def destination(move: Any, position: Position) -> int:
    """Return the square where *move* ends."""
    return move.square if hasattr(move, "square") else move.path[-1]


def frontier(position: Position, color: Color) -> int:
    """Return how many pieces of *color* stand beside an empty square."""
    size = position.shape.side
    black, white = position.row[:2]
    own = black if color is Color.BLACK else white
    taken = [divmod(square, size) for square in range(size * size) if (black | white) >> square & 1]
    steps = set(itertools.product((-1, 0, 1), repeat=2)) - {(0, 0)}
    return sum(
        any(
            0 <= row + down < size and 0 <= column + right < size
            and (row + down, column + right) not in taken
            for down, right in steps
        )
        for row, column in taken
        if own >> (size * row + column) & 1
    )  # fmt: skip


@dataclass(eq=False)
class Leaf:
    """A position of the tree, by the games that came through it."""

    position: Position
    games: int = 0
    points: int = 0
    """Of the side whose move led here."""
    children: list[Leaf] = field(default_factory=list)

    def descend(self, exploration: float) -> list[Leaf]:
        """Return the way to where the next game begins; until it is over it counts as lost."""
        way = [self]
        while way[-1].games or way[-1] is self:
            node = way[-1]
            if not node.children:
                node.children = [
                    Leaf(node.position.play(move)) for move in node.position.legal_moves
                ]
            if not node.children:
                break
            way.append(max(node.children, key=lambda child: child.bound(node.games, exploration)))
        for node in way:
            node.games += 1
        return way

    def bound(self, games: int, exploration: float) -> float:
        """Return UCB1 of this child of a position of *games*; one without games comes first."""
        if not self.games:
            return math.inf
        mantissa, power = math.frexp(max(games, 1))  # the logarithm by straight lines
        logarithm = math.log(2) * (power - 1 + (2 * mantissa - 1))
        doubt = math.sqrt(exploration * exploration * logarithm / self.games)
        return self.points / (2 * self.games) + doubt


@dataclass
class Evolution:
    """One evolution; `report` is told of every match, in order."""

    row: Any
    game: str
    root: Stream
    settings: dict[str, Any]
    report: Callable[[int, int, int], object] = lambda generation, individual, points: None

    def __post_init__(self) -> None:
        chosen = self.settings
        self.areas: Sequence[int] = chosen["areas"]
        self.count = max(self.areas) + 1
        self.measures = 2 * chosen["mobility"]
        self.primitives = strategies(self.count, chosen["lowest"], chosen["highest"], self.measures)
        self.draw_rules = DrawRules(*chosen["draws"])
        self.games_played = 0
        position = game_rules(self.game).position_from_row(self.row)
        self.scored = [[0, 0] for _ in position.legal_moves]
        """Points, for the side to move, and games of every first move."""
        self.open: list[int] = []
        self.leaves = Leaf(position) if chosen["roots"] == "tree" else None

    def chosen_move(self, game: Position, player: Strategist, draws: Stream) -> Any:
        moves = list(game.legal_moves)
        if len(moves) == 1:
            return moves[0]
        values = [self.value(game, move, player) for move in moves]
        best = [move for move, value in zip(moves, values, strict=True) if value == max(values)]
        if player.flags[2] and len(best) > 1:
            left = [game.play(move).pieces(game.turn) for move in best]
            best = [move for move, count in zip(best, left, strict=True) if count == max(left)]
        return best[0] if len(best) == 1 else best[draws.below(len(best))]

    def value(self, game: Position, move: Any, player: Strategist) -> int:
        """Return what *move* is worth, in eighths of a weight."""
        corners, edges = self.settings["corners"], self.settings["edges"]

        def weight(position: Position, move: Any) -> int:
            return player.worth(destination(move, position), self.areas, corners, edges)

        after = game.play(move)
        replies = [move for move in after.legal_moves if not getattr(move, "is_pass", False)]
        value = 8 * weight(game, move)
        if self.settings["mobility"]:
            mobility, beside_empty = player.weights[self.count :]
            value -= mobility * len(replies) + beside_empty * frontier(after, game.turn)
        if self.settings["replies"]:
            value -= 8 * max((weight(after, reply) for reply in replies), default=0)
        return value

    def points(
        self,
        individual: Strategist,
        alpha: Strategist,
        draws: Stream,
        is_first: bool,
        given: int | None,
        way: list[Leaf] | None,
    ) -> int:
        """Play one game, perhaps with a *given* first move or *way*; return points."""
        rules = game_rules(self.game)
        start = rules.position_from_row(self.row)
        if self.settings["start"] == "initial":
            start = rules.start()
        begin = start if way is None else way[-1].position
        game: GameRecord = rules.game(begin, draws=self.draw_rules)
        side = start.turn if is_first else start.turn.opposite
        first = start.legal_moves[given] if given is not None else None
        if first is not None:
            game = game.play(first)
        while game.outcome() is None:
            player = individual if game.position.turn is side else alpha
            game = game.play(self.chosen_move(game.position, player, draws))
        self.games_played += 1
        winner: Color | None = game.outcome().winner
        if self.settings["start"] == "current":
            first_position = way[1].position if way is not None else start.play(game.moves[0])
            scored = self.scored[
                [start.play(move) for move in start.legal_moves].index(first_position)
            ]
            scored[0] += 1 if winner is None else 2 * (winner is start.turn)
            scored[1] += 1
        for before, node in itertools.pairwise(way or ()):
            node.points += 1 if winner is None else 2 * (winner is before.position.turn)
        return 1 if winner is None else 2 * (winner is side)

    def open_moves(self, generation: int) -> list[int]:
        """Return the places of the first moves that games of *generation* begin with, in turns."""
        count, last = len(self.scored), self.settings["generations"] + 1
        if self.settings["roots"] == "turns" or generation == 0:
            return list(range(count))
        left = min(count, max(2, -(-count * (last - generation) // last)))
        return sorted(self.ranked()[:left])

    def ranked(self) -> list[int]:
        """Return the places of the first moves, the one that scored most first."""
        return sorted(
            range(len(self.scored)),
            key=lambda place: (
                -(self.scored[place][0] + 1) / (2 * self.scored[place][1] + 2),
                place,
            ),
        )

    def match(
        self,
        generation: int,
        place: int,
        tree: Tree,
        one: Strategist,
        alpha: tuple[Tree, Strategist],
    ) -> int:
        points = 0
        # All descents of a match come before its games.
        ways: list[list[Leaf] | None] = [
            self.leaves and self.leaves.descend(self.settings["exploration"])
            for _ in range(self.settings["games"])
        ]
        for number, way in enumerate(ways):
            draws = self.root.child("game", generation, place, number)
            players = one, alpha[1]
            if self.settings["redraw"]:
                players = (
                    decoded(tree, self.count, draws.child("decode", 0), self.measures),
                    decoded(alpha[0], self.count, draws.child("decode", 1), self.measures),
                )
            given = None
            if self.open:
                turn = place * -(-self.settings["games"] // 2) + number // 2
                given = self.open[turn % len(self.open)]
            points += self.points(*players, draws, number % 2 == 0, given, way)
        self.report(generation, place, points)
        return points

    def first_trees(self) -> list[Tree]:
        chosen = self.settings
        made = gp.create(
            self.primitives,
            "ramped_half_and_half",
            chosen["population"],
            self.root.child("create"),
            min_depth=chosen["min_depth"],
            max_depth=chosen["max_depth"],
            limits=Limits(chosen["max_depth"], chosen["init_size_limit"]),
            duplicates="allow",
        )
        return [whole(tree) for tree in made]

    def offspring(
        self, trees: list[Tree], fitness: list[int], alpha: Tree, event: Stream
    ) -> list[Tree]:
        chosen = self.settings

        def winner() -> Tree:
            return trees[gp.tournament_selection(fitness, chosen["tournament"], 1, event)[0]]

        draw = event.random()
        if draw < chosen["crossover"]:
            first = alpha if chosen["preserve_alpha"] in ("yes", "crossover") else winner()
            children = gp.subtree_crossover(first, winner(), NO_LIMITS, event, function_bias=None)
        elif draw < chosen["crossover"] + chosen["mutation"]:
            may_be_alpha = chosen["preserve_alpha"] in ("yes", "mutation")
            parent = alpha if may_be_alpha and event.below(2) == 0 else winner()
            children = (self.mutated(parent, event),)
        else:
            children = (winner(),)
        return [gp.pruned(child, chosen["size_limit"]) for child in children]

    def mutated(self, tree: Tree, event: Stream) -> Tree:
        place = 0 if len(tree) == 1 else event.below(len(tree))
        depth = max(self.settings["max_depth"] - tree.level(place) + 1, 1)
        new = random_subtree(tree.primitive_set, depth, event)
        return Tree(
            tree.primitive_set,
            tree.nodes[:place] + whole(new).nodes + tree.nodes[tree.ends[place] :],
        )

    def run(self, carried: tuple[Tree, Strategist] | None) -> tuple[Tree, Strategist, int]:
        """Return alpha's tree and strategy, or the best one's, and the last generation."""
        chosen, root = self.settings, self.root
        trees = self.first_trees()
        alpha = carried
        for generation in range(chosen["generations"] + 1):
            players = [
                decoded(tree, self.count, root.child("decode", generation, place), self.measures)
                for place, tree in enumerate(trees)
            ]
            if alpha is None:
                place = root.child("alpha").below(len(trees))
                alpha = trees[place], players[place]
            if chosen["roots"] in ("turns", "halving"):
                self.open = self.open_moves(generation)
            fitness = []
            for place, (tree, player) in enumerate(zip(trees, players, strict=True)):
                points = self.match(generation, place, tree, player, alpha)
                fitness.append(points)
                if points > 2 * chosen["games"] - points:
                    alpha = tree, player
            if generation == chosen["generations"]:
                break
            made: list[Tree] = []
            event = 0
            while len(made) < chosen["population"]:
                draws = root.child("breed", generation + 1, event)
                made += self.offspring(trees, fitness, alpha[0], draws)
                event += 1
            trees = made[: chosen["population"]]
        if chosen["choose"] == "best":
            best = max(range(len(trees)), key=lambda place: (fitness[place], -place))
            alpha = trees[best], players[best]
        return *alpha, generation


def random_subtree(primitives: PrimitiveSet, depth: int, draws: Stream) -> Tree:
    tree = creation.random_subtree(primitives, depth, draws, root_type="number", max_nodes=LARGEST)
    assert tree is not None
    return tree


def online_move(game: str, row: Any, key: int, **settings: Any) -> tuple[Any, ...]:
    """Return what the kernel's function of this name returns, but for the seconds."""
    assert settings.pop("milliseconds", None) is None
    settings.pop("threads", None)
    carried = settings.pop("alpha", None)
    report = settings.pop("report", lambda *_: None)
    settings.setdefault("roots", "free")
    position = game_rules(game).position_from_row(row)
    one = Evolution(row, game, Stream.from_key(key), settings, report)
    known = None
    if carried is not None:
        tree, weights, flags = carried
        known = tree_of(tree, one.primitives), Strategist(list(weights), tuple(flags))
    tree, player, generation = one.run(known)
    moves = list(position.legal_moves)
    if settings["choose"] == "scores":
        move = moves[one.ranked()[0]]
    elif settings["choose"] == "visits":
        move = moves[max(range(len(moves)), key=lambda place: (one.scored[place][1], -place))]
    else:
        move = one.chosen_move(position, player, one.root.child("move"))
    shape = game_rules(game).shape
    return (
        move.code(shape), codes_of(tree), player.weights, player.flags, generation,
        one.games_played, 0.0,
        [(one_move.code(shape), *score) for one_move, score in zip(moves, one.scored, strict=True)],
    )  # fmt: skip
