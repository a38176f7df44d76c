"""Games from data: how fast they are played, and how well evolved and learned players play them.

    python benchmarks/data_games.py [--games N] [--seed S] [--only speeds|players] [--quick]

Speeds are rates of one core in one run, with their ratios: to the compiled rules of the same game,
or to OpenSpiel's loop of random playouts in C++. Players are evolved (a minute each) and learned
(400,000 games). They meet `material` and OpenSpiel's search in no game of their training, and their
openings are others.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyspiel
from measuring import cpu_timed, machine
from openspiel_search import OpenSpielSearch, shared_as

import evoply as ep
from evoply._native import Stream
from evoply.arena import match
from evoply.evolution import config_from_toml
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_added, game_rules
from evoply.games.squares import square_name
from evoply.gp import grow
from evoply.learning import learn_patterns
from evoply.players import AlphaBeta, Player, TreeEvaluator, with_options
from evoply.rules.shipped.reversed_othello import othello
from evoply.runs.presets import preset_text

FAST = ("breakthrough", "connect-four", "hex-9")
PLAYED = ("connect-four", "breakthrough-6")


@contextmanager
def othello_as_data() -> Iterator[str]:
    """Give the name of Othello whose rules are played as data."""
    os.environ["EVOPLY_RULES"] = "data"
    try:
        with game_added(othello(8, "data-othello", "Othello as data")):
            yield "data-othello"
    finally:
        del os.environ["EVOPLY_RULES"]


def rate_of(game: str, first: str | Player, second: str | Player, games: int) -> float:
    """Return the games a second and core of a match."""

    def play() -> None:
        match(first, second, game=game, games=games, openings=None, seed=1, threads=1)

    return games / cpu_timed(play)


def playouts_of(theirs: Any, games: int) -> float:
    """Return the games a second and core of OpenSpiel's `RandomRolloutEvaluator` in its game.

    Python reaches it through the tree search alone, whose first plies grow meanwhile.
    """
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)

    def search() -> None:
        bot = pyspiel.MCTSBot(theirs, evaluator, 2.0, games, 1000, True, 1, False)
        bot.step(theirs.new_initial_state())

    return games / cpu_timed(search)


def speeds(games: int) -> Iterator[tuple[str, float, float, str]]:
    """Yield what is played, our rate, the peer's, and who that is."""
    with othello_as_data() as data:
        for what, player, count in (
            ("random games of Othello", "random", games),
            ("games of Othello, material 4 plies ahead", "material:depth=4", games // 50),
        ):
            ours, compiled = (rate_of(name, player, player, count) for name in (data, "othello"))
            yield what, ours, compiled, "compiled rules"
    for game in FAST:
        ours = rate_of(game, "random", "random", games)
        yield (
            f"random games of {game}",
            ours,
            playouts_of(shared_as(game).load(), games // 10),
            "OpenSpiel",
        )
    stream = Stream(1, "trees")
    trees = [grow(PRIMITIVE_SETS["any-game"], 9, stream) for _ in range(200)]
    tree = min(trees, key=lambda one: abs(len(one) - 50))
    one_ply = AlphaBeta(evaluator=TreeEvaluator(tree=tree), depth=1)
    ours = rate_of("breakthrough", one_ply, one_ply, games // 10)
    yield f"breakthrough, a tree of {len(tree)} nodes, one ply", ours, float("nan"), ""


def lines(game: str, length: int) -> list[str]:
    """Return all straight lines of squares of a board, as patterns."""
    shape = game_rules(game).shape
    found = []
    for row in range(shape.rows):
        for column in range(shape.columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                places = [(row + k * down, column + k * right) for k in range(length)]
                if all(0 <= r < shape.rows and 0 <= c < shape.columns for r, c in places):
                    names = (square_name(shape.index(r, c), shape) for r, c in places)
                    found.append(" ".join(names))
    return found


def learned(game: str, seed: int, games: int) -> Player:
    """Return a player of pattern tables on all lines of four squares."""
    *_, last = learn_patterns(
        "tuples-3", game=game, seed=seed, games=games, patterns=lines(game, 4)
    )
    return last.champions[0]


def evolved(game: str, seed: int, seconds: float) -> Player:
    """Return the champion of the preset `demo` over the primitives that any game has."""
    limits = [f"time_limit={seconds}", "generations=none"]
    settings = [f"game={game}", f"seed={seed}", *limits, "primitives=any-game"]
    *_, last = ep.evolve(config_from_toml(preset_text("demo"), settings))
    return last.champions[0]


def strengths(games: int, seed: int, quick: bool) -> Iterator[str]:
    """Yield a line for each match of a player that was made here."""
    makers: dict[str, Callable[[str], Player]] = {
        "evolved": lambda game: evolved(game, seed, 5 if quick else 60),
        "learned": lambda game: learned(game, seed, 20_000 if quick else 400_000),
    }
    for game in PLAYED:
        for name, make in makers.items():
            player = make(game)
            for depth in (1, 4):
                ahead = with_options(player, {"depth": depth})
                for other in ("random", "material:depth=3", OpenSpielSearch()):
                    result = match(
                        ahead, other, game=game, games=games, openings=4, seed=seed + 1000
                    )
                    low, high = (100 * end for end in result.interval or (0, 1))
                    yield (
                        f"{game:15} {name}, {depth} plies  {result.second:36} "
                        f"{100 * result.score:5.1f} % [{low:.1f}, {high:.1f}], "
                        f"{result.distinct_games} different games"
                    )


def main() -> None:
    reading = argparse.ArgumentParser(description="Games from data: speed and strength.")
    reading.add_argument("--games", type=int, default=400, help="games of each match")
    reading.add_argument("--seed", type=int, default=1)
    reading.add_argument("--quick", action="store_true", help="a few seconds, to see that it works")
    reading.add_argument("--only", choices=("speeds", "players"))
    asked = reading.parse_args()
    print(machine())
    for what, ours, theirs, peer in (
        speeds(2_000 if asked.quick else 20_000) if asked.only != "players" else ()
    ):
        beside = f"  {peer} {theirs:,.0f}  ratio {ours / theirs:.2f}" if peer else ""
        print(f"{what:50} {ours:12,.0f} games/s{beside}", flush=True)
    if asked.only == "speeds":
        return
    for line in strengths(40 if asked.quick else asked.games, asked.seed, asked.quick):
        print(line, flush=True)


if __name__ == "__main__":
    main()
