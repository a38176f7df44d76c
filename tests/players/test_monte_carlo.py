"""Monte Carlo tree search (UCT) with an evolved evaluator, written outside the package.

Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006).
"""

import math
from dataclasses import dataclass, field
from typing import Any

import pytest

import evoply as ep


@dataclass
class Node:
    """A position, and what its visits were worth to the player who moved there."""

    position: Any
    visits: int = 0
    total: float = 0.0
    children: dict[Any, "Node"] = field(default_factory=dict)

    def best(self, curiosity: float) -> "Node":
        def bound(child: Node) -> float:
            return child.total / child.visits + curiosity * math.sqrt(
                math.log(self.visits) / child.visits
            )

        return max(self.children.values(), key=bound)


class MonteCarlo:
    """Grows a tree by one position each time, which the evaluator values instead of a playout."""

    def __init__(self, value: Any, iterations: int = 50, curiosity: float = 0.7) -> None:
        self.value, self.iterations, self.curiosity = value, iterations, curiosity
        self.label = f"uct {iterations}"

    def choose(self, game: Any, stream: ep.Stream, clock: ep.Clock) -> ep.Choice:
        root = Node(game.position)
        for _ in range(self.iterations):
            path = [root]
            while path[-1].children and len(path[-1].children) == len(
                path[-1].position.legal_moves
            ):
                path.append(path[-1].best(self.curiosity))
            node = path[-1]
            new = [move for move in node.position.legal_moves if move not in node.children]
            if new:
                move = new[stream.below(len(new))]
                node.children[move] = Node(node.position.play(move))
                path.append(node.children[move])
            points = self.points(path[-1].position)  # of Black
            for before, node in zip([root, *path], path, strict=False):
                mover = before.position.turn
                node.visits += 1
                node.total += points if mover is ep.Color.BLACK else 1 - points
        move, child = max(root.children.items(), key=lambda item: item[1].visits)
        return ep.Choice(move, score=child.total / child.visits, notes={"visits": child.visits})

    def points(self, position: Any) -> float:
        outcome = position.outcome()
        if outcome is not None:
            return float(outcome.points(ep.Color.BLACK))
        # A tanh would be flat for large values, so they are squashed slowly.
        value = self.value.evaluate(position, own=ep.Color.BLACK)
        return 0.5 + math.atan(value / 10) / math.pi


@pytest.fixture(scope="module")
def evolved() -> Any:
    """The value of a tree that a few generations brought forth."""
    *_, last = ep.evolve("quick", game="othello-4", population_size=30, generations=4, seed=3)
    player = ep.parse_player(str(last.champion.tree), game="othello-4")
    assert isinstance(player, ep.AfterState)
    return player.evaluator.value


def test_it_plays_matches_and_tournaments(evolved: Any) -> None:
    player = MonteCarlo(evolved)
    result = ep.match(player, "random", game="othello-4", games=60, openings=2, seed=1)
    assert (result.first, result.reproducible) == ("uct 50", True)
    assert result.interval[0] > 0.5
    again = ep.match(player, "random", game="othello-4", games=60, openings=2, seed=1, threads=1)
    assert again == result
    table = ep.round_robin([player, "greedy", "random"], game="othello-4", games=10, openings=2)
    assert table.standings[-1].player == "random"
    stars = ep.tournament([player, "greedy", "random"], game="othello-4", times=2).stars
    assert {star.player for star in stars} == {"uct 50", "greedy", "random"}


def test_it_finds_what_exact_play_finds(evolved: Any) -> None:
    """Six plies before the end, a thousand visits prefer a move that keeps what can be had."""
    game = ep.othello.Game(ep.othello.Position(4))
    stream = ep.Stream(4, path="game")
    while game.position.empty.bit_count() > 6:
        legal = game.position.legal_moves
        game = game.play(legal[stream.below(len(legal))])
    choice = ep.analyse(MonteCarlo(evolved, iterations=1000), game)
    solved = ep.solve(game.position)
    after = ep.solve(game.position.play(choice.move))
    sign = 1 if game.position.play(choice.move).turn is game.position.turn else -1
    assert (solved.score > 0) == (sign * after.score > 0)
    assert choice.notes["visits"] > 300
