"""A game of circles, and which archive of opponents does not go round in them.

    python benchmarks/circles.py [SEEDS]

Each side answers eight questions, one a row of the board, and then shows rock, paper or scissors.
A right answer is worth one point, a hand that beats the other 2.5 points, and more points win. So
hands go round in a circle among players whose answers are nearly as good, and only who meets all
three hands learns that answers count. Against the latest champion alone a hand is enough.

Prints the experiment's table, and how many questions the champions of each generation answer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import evoply as ep
from evoply.arena import mean_interval
from evoply.expressions import (
    Number,
    PrimitiveSet,
    Squares,
    argument,
    board,
    count,
    equal,
    less,
    number,
    select,
    squares,
)
from evoply.players import AfterState, ExpressionEvaluator
from evoply.rules import Rules, place

QUESTIONS, HALF = 8, 3
HAND = 2.5
"""What a hand that beats the other is worth, in right answers."""


def at(row: int, *columns: int) -> Squares:
    """Return the squares of a row, in the half of either side."""
    width = 2 * HALF
    return squares([row * width + column + half for column in columns for half in (0, HALF)])


columns = [squares(list(range(begin, 2 * HALF * (QUESTIONS + 1), 2 * HALF))) for begin in range(6)]
half = select(
    board.is_black, columns[0] | columns[1] | columns[2], columns[3] | columns[4] | columns[5]
)
asked = [*(at(row, 0, 1) for row in range(QUESTIONS)), at(QUESTIONS, 0, 1, 2)]
right = [at(row, 1) for row in range(QUESTIONS)]
hands = [at(QUESTIONS, hand) for hand in range(3)]
nothing = board.own & ~board.own
now = reduce(
    lambda rest, row: select(equal(count(board.own), number(float(row))), asked[row], rest),
    range(QUESTIONS + 1),
    nothing,
)


def beaten(one: Squares, other: Squares) -> Number:
    """Return how many hands of *other* those of *one* beat: each is beaten by the next."""
    pairs = zip(hands[1:] + hands[:1], hands, strict=True)
    return sum((count(one & mine) * count(other & its) for mine, its in pairs), number(0.0))


ahead = sum((count(board.own & row) - count(board.opponent & row) for row in right), number(0.0))
ahead = ahead + HAND * (beaten(board.own, board.opponent) - beaten(board.opponent, board.own))
is_over = equal(board.pieces, number(2.0 * (QUESTIONS + 1)))
circles = Rules(
    name="circles",
    title="Circles",
    rows=QUESTIONS + 1,
    columns=2 * HALF,
    piece="answer",
    moves=(place(half & now),),
    wins=is_over & less(number(0.0), ahead),
    loses=is_over & less(ahead, number(0.0)),
    no_move="draws",
    colors="",
    opening_plies=2,
)

primitives = PrimitiveSet("answers")
for name, value in (("+", argument(0) + argument(1)), ("-", argument(0) - argument(1))):
    primitives = primitives.with_primitive(name, value)
for number_of_row, row in enumerate(right, start=1):
    primitives = primitives.with_primitive(f"q{number_of_row}", count(board.own & row))
for name, hand in zip(("rock", "paper", "scissors"), hands, strict=True):
    primitives = primitives.with_primitive(name, count(board.own & hand))


def knowing(answers: int) -> AfterState:
    """Return the player that answers so many questions, the first ones, and shows any hand."""
    known = sum((count(board.own & row) for row in right[:answers]), number(0.0))
    others = sum((count(board.own & row) for row in right[answers:]), number(0.0))
    return AfterState(
        evaluator=ExpressionEvaluator(expression=(known - others).to_dict()), ties="random"
    )


LATEST: dict[str, Any] = {"champions": 4, "recent": 1, "pairs": 1}
ARCHIVES: dict[str, dict[str, Any]] = {
    "latest": {"champions": 1, "recent": 1, "pairs": 4},
    "hall-of-fame": LATEST,
    "nash": {**LATEST, "archive": "nash"},
    "pareto": {**LATEST, "archive": "pareto"},
}
"""As many games against earlier champions in each, one of whom is always the latest."""
SETTINGS: dict[str, Any] = {
    "population_size": 40,
    "generations": 1000,
    "time_limit": None,
    "elitism": 0,
    "limits": {"max_depth": 8, "max_nodes": 31},
    "hall_of_fame": {"size": 1, "candidates": 1, "sample": 1, "pairs": 1},
}


def of_circles(archive: str) -> ep.EvolutionConfig:
    """Return a run of circles against earlier champions, and against one who answers nothing."""
    fitness: dict[str, Any] = {
        "opponents": [{"player": knowing(0).model_dump_json(), "pairs": 1}],
        "earlier_generations": ARCHIVES[archive],
        "opening_plies": 0,
    }
    settings = {**SETTINGS, "primitives": primitives.to_dict(), "fitness": fitness}
    return ep.EvolutionConfig(game=circles.name, **settings)


def of_othello(archive: str) -> ep.EvolutionConfig:
    """Return a run of Othello 6x6 against earlier champions, and a random player."""
    fitness: dict[str, Any] = {
        "opponents": [{"player": "random", "pairs": 1}],
        "earlier_generations": ARCHIVES[archive],
    }
    return ep.EvolutionConfig(game="othello-6", **{**SETTINGS, "fitness": fitness})


def answered(player: Any) -> int:
    """Return how many questions *player* answers; it looks at its own answers alone."""
    position: Any = circles.game().start()
    found = 0
    for question in range(QUESTIONS):
        move = ep.analyse(player, position).move
        found += str(move) == f"b{question + 1}"
        position = position.play(move)
        position = position.play(position.legal_moves[0])
    return found


def champions(folder: Path, archive: str, seed: int) -> list[Any]:
    """Return the champions of all generations of a run, each as a player."""
    (path,) = (folder / "runs").glob(f"*-{archive}-seed-{seed}")
    with ep.Run.open(path) as run:
        steps = [run.generation(number) for number in range(run.last().number + 1)]
    return [one.config.game_settings.player(one.champion) for one in steps]


def past(players: list[Any], game: str) -> float:
    """Return the points a game of the last of *players* against 20 from all of the past."""
    before = players[:-1][:: max(len(players) // 20, 1)]
    games: dict[str, Any] = {"game": game, "games": 20, "seed": 1, "threads": 1}
    return fmean(ep.match(players[-1], other, **games).score for other in before)


def main(seeds: int = 10) -> None:
    """Make both experiments, and print what their champions are worth over the generations."""
    ep.add_game(circles)
    known = [f"circles-knows-{answers}.json" for answers in (2, 4, 6, 8)]
    for answers, file in zip((2, 4, 6, 8), known, strict=True):
        ep.save_player(file, knowing(answers), game=circles.name)
    of_game = {
        "circles": (of_circles, f"score:{','.join(known)}", 40_000),
        "othello-6": (of_othello, "score:greedy,mobility,material:depth=3", 100_000),
    }
    for game, (config, measure, budget) in of_game.items():
        result = ep.compare(
            {archive: config(archive) for archive in ARCHIVES},
            name=f"archives-{game}", seeds=seeds, measure=measure, games=100, points=2,
            budget={"games": budget}, workers=1,
        )  # fmt: skip
        print(result, flush=True)
        for archive in ARCHIVES:
            rows = [
                worth(champions(Path(result.path), archive, seed), game)
                for seed in range(1, seeds + 1)
            ]
            for name in rows[0]:
                print(f"{game:10} {archive:13} {name:17} {interval([row[name] for row in rows])}")


def worth(players: list[Any], game: str) -> dict[str, float]:
    """Return what the champions of a run say of circles: the later half of them, and the last."""
    found = {"against its past": past(players, game)}
    if game == circles.name:
        answers = [answered(each) for each in players[len(players) // 2 :]]
        fallen = max(one - other for one, other in combinations(answers, 2))
        found |= {"answers": fmean(answers), "answers lost": float(max(fallen, 0))}
    return found


def interval(values: Sequence[float]) -> str:
    """Return mean and half of Student's 95 % interval."""
    low, high = mean_interval(values) or (0.0, 0.0)
    return f"{fmean(values):.2f} ± {(high - low) / 2:.2f}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
