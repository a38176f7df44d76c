"""Print one number that stays the same as long as search and evolution behave the same.

Nodes of fixed searches, the signature that runs store, and the digests of a small seeded evolution.
A commit that changes it says so and writes the new number to testdata/signature.txt, which the
tests compare.
"""

import hashlib
from typing import Any

from ingredients import kernel_player

from evoply import _native
from evoply.arena.behaviour import signature
from evoply.evolution import OPERATORS, EvolutionConfig, evolve

SEARCHERS = (
    "material:depth=6",
    "( - ( * white_corners 10 ) black_mobility ):depth=4,ties=random",
    "( / white ( + black_edges black_near_corners ) ):depth=5,ties=last",
)
POSITIONS = 20
SETTINGS: dict[str, Any] = {
    "game": "othello-6",
    "seed": 20_260_101,
    "population_size": 16,
    "generations": 5,
    "variation": {operator.name: 0.1 for operator in OPERATORS if operator.function is not None},
    "fitness": {
        "opponents": [
            {"player": "random", "pairs": 2},
            {"player": "greedy", "pairs": 2},
            {"player": "material:depth=2", "pairs": 1},
        ],
        "earlier_generations": {"champions": 2, "recent": 1, "pairs": 1},
    },
}


def behaviour() -> int:
    """Return the number."""
    nodes = 0
    for game in ("othello", "othello-10"):
        batch = _native.Positions.random(game, POSITIONS, 2026, 10, 40)
        for text in SEARCHERS:
            player = kernel_player(text, game)
            for index in range(POSITIONS):
                nodes += _native.analyse(player, *batch[index], index)[2]
    digests = "".join(generation.digest for generation in evolve(EvolutionConfig(**SETTINGS)))
    evolved = hashlib.sha256(digests.encode("ascii")).hexdigest()[:16]
    return nodes + int(signature(), 16) + int(evolved, 16)


if __name__ == "__main__":
    print(behaviour())
