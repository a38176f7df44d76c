"""Evolved evaluators that guide the playouts of a tree search, on three small games.

    python benchmarks/guided_playouts.py [SEEDS]

Fitness is points against a tree search of 20 random playouts a move, and an individual has 20 that
it guides, a tenth of their moves random. The champions of ten generations then meet tree searches
of random playouts: as many, and four times as many, with 20 playouts and with 100. The column
`without` has random playouts against four times as many. Intervals are Student's over the seeds.
After Benbassat & Sipper, "EvoMCTS: A Scalable Approach for General Game Learning" (IEEE TCIAIG 6,
2014); their playouts and sizes may differ.
"""

import sys
from statistics import fmean
from typing import Any

import evoply as ep
from evoply.arena import mean_interval
from evoply.expressions import (
    Number,
    PrimitiveSet,
    board,
    count,
    facts_set,
    number,
    select,
    squares,
)
from evoply.rules.shipped.hex import hexes

PLAYOUTS = 20
GAMES = 100


def to_go(side: str) -> Number:
    """Return the moves ahead that cars of *side* need to leave the board in Dodgem."""
    cars = getattr(board, side)
    is_black = board.is_black if side == "own" else ~board.is_black
    lines = [
        select(is_black, squares([*range(line, 16, 4)]), squares([*range(4 * line, 4 * line + 4)]))
        for line in range(4)
    ]
    return sum((float(4 - line) * count(cars & lines[line]) for line in range(4)), number(0.0))


def dodgem_set() -> PrimitiveSet:
    """Return what the rules of Dodgem say, and how far cars have to go."""
    found = facts_set("dodgem")
    for side in ("own", "opponent"):
        found = found.with_primitive(f"{side}_to_go", to_go(side))
    return found


def sets() -> dict[str, Any]:
    """Return the primitives of each game."""
    return {"othello-6": "liao+mobility", "hex-5": "facts", "dodgem": dodgem_set().to_dict()}


def config(game: str, primitives: Any, seed: int) -> ep.EvolutionConfig:
    """Return the preset with another game, and smaller."""
    return ep.load_config(
        "evomcts",
        settings={
            "game": game,
            "primitives": primitives,
            "seed": seed,
            "population_size": 40,
            "generations": 10,
            "fitness": {
                "opponents": [{"player": f"mcts:playouts={PLAYOUTS},gather=1", "pairs": 6}]
            },
        },
    )


def scores(player: Any, game: str, playouts: int) -> list[float]:
    """Return the points a game of *player* against as many and four times as many playouts."""
    return [
        ep.match(
            player, f"mcts:playouts={times * playouts},gather=1", game=game, games=GAMES, seed=9,
            threads=1,
        ).score
        for times in (1, 4)
    ]  # fmt: skip


def cell(values: list[float]) -> str:
    """Return mean and half of Student's interval in percent."""
    low, high = mean_interval(values) or (values[0], values[0])
    return f"{100 * fmean(values):.1f} ± {50 * (high - low):.1f}"


def main(seeds: int = 4) -> None:
    """Print a line a game."""
    ep.add_game(hexes(5))
    heads = ("20 : 20", "20 : 80", "100 : 100", "100 : 400")
    print(f"{'game':10} {'without':>8} " + " ".join(f"{head:>14}" for head in heads))
    for game, primitives in sets().items():
        plain = ep.match(
            f"mcts:playouts={PLAYOUTS},gather=1", f"mcts:playouts={4 * PLAYOUTS},gather=1",
            game=game, games=GAMES, seed=9, threads=1,
        ).score  # fmt: skip
        rows = []
        for seed in range(1, seeds + 1):
            settings = config(game, primitives, seed)
            *_, last = ep.evolve(settings, threads=1)
            champion = ep.final_test(settings, last, threads=1).champion.tree
            player = settings.game_settings.player(champion)
            more = ep.with_options(player, {"playouts": 5 * PLAYOUTS})
            rows.append([*scores(player, game, PLAYOUTS), *scores(more, game, 5 * PLAYOUTS)])
            print(f"# {game} {seed}: {champion}", file=sys.stderr)
        cells = [cell(list(column)) for column in zip(*rows, strict=True)]
        print(
            f"{game:10} {100 * plain:8.1f} " + " ".join(f"{text:>14}" for text in cells), flush=True
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
