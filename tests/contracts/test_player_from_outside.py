"""A kind of player from outside the package: one class, and nothing else, takes part everywhere."""

from typing import Any, Literal

import pytest

import evoply as ep
from evoply._native import Stream
from evoply.evolution import Batch, FitnessKind, Measured, Population, Training, matches
from evoply.games import game_rules
from evoply.players import PlayerKind, save_player
from evoply.protocols import Choice, Clock, GameRecord, Seat


class EdgeSeat(Seat):
    """Takes a square on the edge if there is one, else draws."""

    def choose(self, game: GameRecord, stream: Stream, clock: Clock) -> Choice:
        size = game.position.shape.side
        moves = list(game.position.legal_moves)
        edge = [move for move in moves if {*divmod(move.square, size)} & {0, size - 1}]
        return Choice((edge or moves)[stream.below(len(edge or moves))], notes={"edge": bool(edge)})


class Edge(PlayerKind):
    """The whole of what the docs promise: a kind, what it plays, and who sits at the board."""

    kind: Literal["edge"] = "edge"

    def check_fits(self, game: str) -> None:
        if game_rules(game).length is None:
            raise ValueError(f"{game} has no edge to fill")

    def seat(self, game: str) -> Seat:
        self.check_fits(game)
        return EdgeSeat()


class AgainstEdge(FitnessKind):
    """Training against a player that no config can name."""

    kind: Literal["against_edge"] = "against_edge"

    def measured(self, population: Population, training: Training) -> Measured:
        count = len(population.players)
        first = training.stream.keys(count).astype(int) * 0
        for place in range(count):
            first[place] = place
        schedule = matches(training.games, first, first * 0 + count, 1, training.stream)
        results = training.play(Batch((*population.players, Edge()), schedule))
        points = results.black_points.reshape(-1, 2)
        return Measured(
            fitness=(points[:, 0] + 1 - points[:, 1])[population.who], games=len(schedule)
        )


def test_it_plays_analyses_and_is_ranked() -> None:
    result = ep.match(Edge(), "random", game="othello-6", games=40, seed=1)
    assert (result.first, result.reproducible) == ("edge", True)
    assert result == ep.match(Edge(), "random", game="othello-6", games=40, seed=1, threads=1)
    standings = ep.round_robin([Edge(name="mine"), "random", "greedy"], game="othello-6", games=20)
    assert "mine" in standings.players
    choice = ep.analyse(Edge(), game_rules("othello-4").start())
    assert choice.notes == {"edge": True}
    with pytest.raises(ValueError, match="checkers has no edge to fill"):
        ep.match(Edge(), "random", game="checkers", games=2)


def test_evolution_trains_against_it() -> None:
    config = ep.EvolutionConfig(
        game="othello-4", population_size=8, generations=2, seed=2, primitives="liao"
    )
    one, other = (
        [step.digest for step in ep.evolve(config, fitness=AgainstEdge(), threads=threads)]
        for threads in (1, 2)
    )
    assert one == other


def test_it_is_plain_data(tmp_path: Any) -> None:
    edge = Edge(name="mine")
    assert Edge(**edge.model_dump()) == edge
    assert edge.identity() == {"kind": "edge"}
    with pytest.raises(ValueError, match="mine: this player has no options"):
        edge.with_options({"depth": 3})
    with pytest.raises(ValueError, match="gives boards no values"):
        ep.explain(edge)
    # A saved file says what anybody can load: kinds of the table, not those of one's own.
    with pytest.raises(ValueError, match=r"Edge, cannot be saved: .*python:FILE\.py:NAME"):
        save_player(tmp_path / "edge.json", edge, game="othello")
    assert not list(tmp_path.iterdir())
