"""Networks and Cartesian genomes as board expressions: right on any board, and they play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply._native import Positions
from evoply.expressions import ExpressionError, Number, maximum, minimum, weighted_sum
from evoply.games import GAMES

BOARD = ep.board
LAYERS = [(4,), (64,), (16, 8)]


def network(layers: list[Any]) -> Number:
    """Return a network of ReLU layers; each is (weights, biases), and the first sees the board."""
    (weights, biases), *rest = layers
    values: list[Any] = [
        weighted_sum(BOARD.own, [own]) + weighted_sum(BOARD.opponent, [other]) + bias
        for (own, other), bias in zip(weights, biases, strict=True)
    ]
    for weights, biases in rest:
        hidden = [maximum(value, 0) for value in values]
        values = [
            sum(weight * unit for weight, unit in zip(row, hidden, strict=True)) + bias
            for row, bias in zip(weights, biases, strict=True)
        ]
    (value,) = values
    assert isinstance(value, Number)
    return value


def slow_network(layers: list[Any], own: Any, other: Any) -> float:
    """Return the same of a board given as zeros and ones, by matrices."""
    (weights, biases), *rest = layers
    values = weights.reshape(len(biases), -1) @ np.concatenate([own, other]) + biases
    for weights, biases in rest:
        values = weights @ np.maximum(values, 0) + biases
    return float(values[0])


def random_layers(game: str, sizes: tuple[int, ...], seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=(sizes[0], 2, GAMES[game].shape.squares)), rng.normal(size=sizes[0]))
    ]
    for before, units in zip(sizes, (*sizes[1:], 1), strict=True):
        layers.append((rng.normal(size=(units, before)), rng.normal(size=units)))
    return layers


def random_boards(game: str, count: int) -> list[Any]:
    rows = Positions.random(GAMES[game].kernel, count, 5, 0, GAMES[game].late_ply)
    return [GAMES[game].position_from_row(rows[index]) for index in range(count)]


def as_player(value: Number, **options: Any) -> ep.AfterState:
    return ep.AfterState(evaluator=ep.ExpressionEvaluator(expression=value), **options)


@pytest.mark.parametrize("game", ["othello-6", "othello", "checkers"])
@pytest.mark.parametrize("sizes", LAYERS, ids=str)
def test_a_network_is_what_matrices_say(game: str, sizes: tuple[int, ...]) -> None:
    layers, boards = random_layers(game, sizes), random_boards(game, 100)
    squares = range(GAMES[game].shape.squares)
    slow = [
        slow_network(layers, *(np.array([side >> s & 1 for s in squares]) for side in sides))
        for sides in ((board.own, board.opponent) for board in boards)
    ]
    values = network(layers).evaluate_all(boards)
    assert np.ptp(values) > 1
    np.testing.assert_allclose(values, slow, rtol=1e-9, atol=1e-9)


def test_a_network_plays_and_is_saved(tmp_path: Path) -> None:
    player = as_player(network(random_layers("othello-6", (16,))), name="net")
    result = ep.match(player, "random", game="othello-6", games=400, seed=1)
    assert (result.first, result.reproducible) == ("net", True)
    assert not result.interval[0] < 0.5 < result.interval[1]  # it is no random player
    ep.save_player(tmp_path / "net.json", player, game="othello-6")
    loaded = ep.load_player(tmp_path / "net.json")
    assert ep.match(loaded, "random", game="othello-6", games=400, seed=1) == result
    deeper = ep.with_options(player, {"depth": 2, "name": "deeper"})
    assert ep.match(deeper, player, game="othello-6", games=20, seed=1).games == 20


def test_numbers_of_numpy_are_numbers() -> None:
    table = np.arange(36, dtype=np.float32)
    ours = np.float32(0.5) * weighted_sum(BOARD.own, table[None]) + np.int64(3)
    plain = 0.5 * weighted_sum(BOARD.own, [[float(place) for place in range(36)]]) + 3
    assert ours == plain
    with pytest.raises(ExpressionError, match=r"one table alone is \[table\]"):
        weighted_sum(BOARD.own, table)
    with pytest.raises(ExpressionError, match="argument 2 of add must be of type number"):
        BOARD.t + np.array([1.0, 2.0])


INPUTS = [
    feature(side)
    for feature in (ep.features.discs, ep.features.corners, ep.features.mobility)
    for side in ("own", "opponent")
]
FUNCTIONS: list[Any] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    maximum,
    minimum,
]
SLOW: list[Any] = [*FUNCTIONS[:3], np.maximum, np.minimum]
NODES = 15


def decoded(genome: Any, inputs: list[Any], functions: list[Any]) -> Any:
    """Return the last node of a genome, whose nodes are (function, first, second)."""
    values = [*inputs]
    for function, first, second in genome:
        values.append(functions[function](values[first], values[second]))
    return values[-1]


def gene(rng: Any, node: int) -> tuple[int, int, int]:
    places = len(INPUTS) + node
    return rng.integers(len(FUNCTIONS)), rng.integers(places), rng.integers(places)


def test_a_cartesian_genome_is_what_its_nodes_say() -> None:
    rng = np.random.default_rng(2)
    boards = random_boards("othello-6", 50)
    inputs = [feature.evaluate_all(boards) for feature in INPUTS]
    for _ in range(20):
        genome = [gene(rng, node) for node in range(NODES)]
        value = decoded(genome, INPUTS, FUNCTIONS).evaluate_all(boards)
        np.testing.assert_array_equal(value, decoded(genome, inputs, SLOW))


def test_a_cartesian_genome_evolves() -> None:
    """(1 + 4): children with some genes anew; one as good as the parent takes its place."""
    rng = np.random.default_rng(3)

    def score(genome: Any, seed: int, games: int = 100) -> float:
        player = as_player(decoded(genome, INPUTS, FUNCTIONS), ties="random")
        return ep.match(player, "greedy", game="othello-6", games=games, seed=seed).score

    first = parent = [gene(rng, node) for node in range(NODES)]
    for _ in range(12):
        best = score(parent, 1)
        for _ in range(4):
            child = [
                gene(rng, node) if rng.random() < 0.2 else old for node, old in enumerate(parent)
            ]
            if (there := score(child, 1)) >= best:
                parent, best = child, there
    # On games that nothing was chosen by.
    assert score(parent, 2, 400) > max(score(first, 2, 400), 0.55)
