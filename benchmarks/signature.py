"""Print one number that stays the same as long as search and evolution behave the same.

Nodes of fixed searches plus the digest of a small seeded run. A commit that changes it says so
and writes the new number to testdata/signature.txt, which the tests compare.
"""

from ingredients import kernel_player

from evoply import _native
from evoply.evolution.signature import signature

SEARCHERS = (
    "material:depth=6",
    "( - ( * white_corners 10 ) black_mobility ):depth=4,ties=random",
    "( / white ( + black_edges black_near_corners ) ):depth=5,ties=last",
)
POSITIONS = 20


def behaviour() -> int:
    """Return the number."""
    nodes = 0
    for game in ("othello", "othello-10"):
        batch = _native.Positions.random(game, POSITIONS, 2026, 10, 40)
        for text in SEARCHERS:
            player = kernel_player(text, game)
            for index in range(POSITIONS):
                nodes += _native.analyse(player, *batch[index], index)[2]
    return nodes + int(signature(), 16)


if __name__ == "__main__":
    print(behaviour())
