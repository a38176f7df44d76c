"""The behaviour signature: equal for two builds that compute the same, different otherwise.

It covers search, the arena and the genetic operators, but no learner, so runs and clusters can ask
for it. A run stores it, and resumes under another signature only if told to.
"""

import hashlib
from functools import cache

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.expressions import find_primitive_set
from evoply.games import game_rules
from evoply.players import parse_player

_GAME = "othello-6"
_SEED = 20_260_101
_GENERATIONS, _SIZE = 5, 16
_OPPONENTS = ("random", "greedy", "material:depth=2")
_MUTATIONS: tuple[gp.Mutation, ...] = (
    gp.subtree_mutation,
    gp.point_mutation,
    gp.constant_mutation,
    gp.reproduction,
)
"""The usual operators; `make signature` has all, so a new operator need not change this number."""


@cache
def signature() -> str:
    """Return the digest of five small generations of trees and of their games.

    16 hexadecimal digits; a few hundredths of a second.
    """
    stream, digest = Stream(_SEED, "signature"), hashlib.sha256()
    opponents = [parse_player(text, game=_GAME) for text in _OPPONENTS]
    primitives = find_primitive_set("liao+mobility")
    trees = gp.ramped_half_and_half(primitives, _SIZE, stream.child("creation"))
    for number in range(_GENERATIONS):
        draws = stream.child(number)
        played = play(_GAME, [*trees, *opponents], _schedule(draws.child("games")))
        digest.update(f"{[str(tree) for tree in trees]}{played.hashes.tolist()}".encode())
        points = played.black_points.reshape(_SIZE, -1, 2)
        fitness = (points[:, :, 0] - points[:, :, 1]).sum(axis=1).tolist()
        trees = _breed(trees, fitness, draws)
    return digest.hexdigest()[:16]


def _schedule(stream: Stream) -> Schedule:
    """Return pairs of games of every tree against every opponent and the next tree."""
    trees = np.arange(_SIZE, dtype=np.uint32)
    others = np.arange(_SIZE, _SIZE + len(_OPPONENTS), dtype=np.uint32)
    met = np.column_stack([(trees + 1) % _SIZE, np.tile(others, (_SIZE, 1))])
    return Schedule.pairs(
        trees.repeat(met.shape[1]),
        met.reshape(-1),
        stream=stream,
        opening_plies=4,
        start=game_rules(_GAME).start().row,
    )


def _breed(trees: list[gp.Tree], fitness: list[float], stream: Stream) -> list[gp.Tree]:
    """Return *_SIZE* children of winners of tournaments, each crossed and then mutated."""
    limits = gp.Limits()
    lengths = [len(tree) for tree in trees]
    parents = gp.tournament_selection(
        fitness, 3, 2 * _SIZE, stream.child("parents"), lengths=lengths
    )
    children = []
    for index in range(_SIZE):
        first, second = (trees[parent] for parent in parents[2 * index : 2 * index + 2])
        draws = stream.child("child", index)
        crossed, _ = gp.subtree_crossover(first, second, limits, draws.child("crossover"))
        mutation = _MUTATIONS[index % len(_MUTATIONS)]
        children.append(mutation(crossed, limits, draws.child("mutation")))
    return children
