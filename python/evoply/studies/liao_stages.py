"""Two questions that Liao's paper leaves: how many stages pay, and whether they should overlap.

The paper expects staging to stop paying when "staged to too many epochs", up to a tree for every
move, and proposes overlapping stages. Neither was tried there, so no row has a printed figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import PRIMITIVE_SETS
from evoply.games.othello import Move, Position
from evoply.gp import Tree, parse_tree, ramped_half_and_half
from evoply.players import AfterState, RandomPlayer, Stage, Staged, TreeEvaluator
from evoply.reports.interval_charts import Points, lines_figure
from evoply.studies.liao_games import GAME, games_as_white, staged_of
from evoply.studies.study import Picture, Request, Result, Row, Scale, row
from evoply.studies.verdicts import Figure, difference, share_of_games

__all__ = ["STAGES", "opponents_discs", "overlap_sweep", "stage_sweep"]

STAGES = (1, 2, 3, 4, 6, 12, 60)
OVERLAPS = (0, 10, 20, 30, 40, 50)
UNIT = "wins of 50 games as White against a random player"

_CANDIDATES: dict[Scale, int] = {"smoke": 40, "small": 200, "paper": 500}
_TRAINING_GAMES: dict[Scale, int] = {"smoke": 10, "small": 20, "paper": 50}
_GAMES: dict[Scale, int] = {"smoke": 200, "small": 2000, "paper": 20_000}
_OVERLAP_GAMES: dict[Scale, int] = {"smoke": 40, "small": 300, "paper": 2000}
_DISCS = 61
"""Numbers of discs that a game may have, from 4 to 64."""


def stage_sweep(request: Request) -> Result:
    """Return what 1 to 60 stages win, each with the best of many trees for its part of the game.

    The trees are the ten terminals and random ones, none evolved further. As in the paper each
    plays whole games, and only what the opponent gains inside a part counts for it.
    """
    trees = _candidates(_CANDIDATES[request.scale], request.seed)
    steps = len(trees) + len(STAGES)
    gains = []
    for number, tree in enumerate(trees):
        gains.append(opponents_discs(tree, _TRAINING_GAMES[request.scale], request))
        request.progress(number + 1, steps)
    figures: list[Figure] = []
    rows: list[Row] = []
    for number, count in enumerate(STAGES):
        staged = _best_stages(trees, gains, count)
        played = games_as_white(
            staged, games=_GAMES[request.scale], seed=request.seed + 1, threads=request.threads
        )
        figures.append(share_of_games(played.wins, played.games, of=50, distinct=played.distinct))
        different = len({str(stage.evaluator) for stage in staged.stages})
        rows.append(
            row(
                f"{count} stage{'s' * (count > 1)}",
                figures[-1],
                reason=f"{different} different tree{'s' * (different > 1)} chosen",
            )
        )
        request.progress(len(trees) + number + 1, steps)
    for count, figure in zip(STAGES[1:], figures[1:], strict=True):
        rows.append(row(f"gain of {count} stages over 1", difference(figure, figures[0])))
    chart = lines_figure(
        STAGES,
        [Points("wins of 50", [f.value for f in figures], [f.interval for f in figures])],
        "stages",
        "wins of 50 games",
        type="log",
        tickvals=list(STAGES),
        ticktext=[str(count) for count in STAGES],
    )
    return Result(
        study="liao",
        table="stages",
        title="How many stages pay",
        scale=request.scale,
        seed=request.seed,
        rules="",
        unit=UNIT,
        rows=tuple(rows),
        notes=(
            f"For every stage the best of {len(trees)} trees was taken: the ten terminals and "
            f"random trees of depth 2 to 4, judged by {_TRAINING_GAMES[request.scale]} games each, "
            "and none was evolved further. Matches are on other games than those of the choice.",
        ),
        pictures=(Picture("Wins by number of stages", chart, "with 95 % intervals"),),
    )


def _candidates(count: int, seed: int) -> list[Tree]:
    primitives = PRIMITIVE_SETS["liao"]
    terminals = [parse_tree(f"( {one.name} )", primitives) for one in primitives.terminals]
    stream = _native.Stream(seed, "liao", "candidates")
    drawn = ramped_half_and_half(
        primitives, count - len(terminals), min_depth=2, max_depth=4, stream=stream
    )
    return [*terminals, *drawn]


def opponents_discs(tree: Tree, games: int, request: Request) -> NDArray[np.int64]:
    """Return Black's discs in games of *tree* as White: one row a game, one column a disc count.

    Column k is the position with 4 + k discs; after the end of a game the columns stay as they are.
    """
    stream = _native.Stream(request.seed, "liao", "training")
    schedule = Schedule(
        black=np.zeros(games, dtype=np.uint32),
        white=np.ones(games, dtype=np.uint32),
        opening_keys=stream.child("opening").keys(games),
        game_keys=stream.child("game").keys(games),
        opening_plies=0,
        start=Position().row,
    )
    player = AfterState(evaluator=TreeEvaluator(tree=tree))
    seats = (RandomPlayer().native(GAME), player.native(GAME))
    results = play(GAME, seats, schedule, threads=request.threads, record_moves=True)
    return np.array([_black_discs(codes) for codes in results.moves or []])


def _black_discs(codes: Sequence[int]) -> list[int]:
    start = Position()
    sides = [start.black, start.white]
    mover = 0
    counts = [sides[0].bit_count()]
    for code in codes:
        square = Move.from_code(code, 8).square
        if square is not None:
            flips = _native.othello_flips(8, sides[mover], sides[1 - mover], square)
            sides[mover] |= flips | 1 << square
            sides[1 - mover] &= ~flips
            counts.append(sides[0].bit_count())
        mover = 1 - mover
    return counts + [counts[-1]] * (_DISCS - len(counts))


def _best_stages(trees: Sequence[Tree], discs: Sequence[NDArray[np.int64]], count: int) -> Staged:
    """Return *count* equal stages, each with the tree against which Black gained least in it."""
    stages = []
    for number in range(count):
        begin, end = (math.ceil(60 * k / count) for k in (number, number + 1))
        gains = [float(np.maximum(0, one[:, end] - one[:, begin]).mean()) for one in discs]
        best = min(range(len(trees)), key=gains.__getitem__)
        stages.append(Stage(evaluator=TreeEvaluator(tree=trees[best]), percent=100 / count))
    return Staged(stages=tuple(stages))


PAIRS = (
    ("( white ), ( white_corners )", "( white ),50,( white_corners ),50"),
    (
        "Table 2, 50.0",
        "( + white ( + white_corners black_near_corners ) white ),50,"
        "( / ( - white_near_corners black_corners ) ( - black_corners white_near_corners ) ),50",
    ),
    (
        "Table 2, 25.0",
        "( white ),50,( + ( + white_corners white ) ( * ( * white_edges black_edges ) "
        "( - white_corners black_near_corners ) ) ),50",
    ),
)


def overlap_sweep(request: Request) -> Result:
    """Return what the paper's staged hypotheses win when their halves overlap more and more."""
    games = _OVERLAP_GAMES[request.scale]
    steps = len(PAIRS) * (len(OVERLAPS) + 1)
    rows: list[Row] = []
    series: list[Points] = []
    done = 0
    for name, text in PAIRS:
        figures: list[Figure] = []
        for overlap, slide in [*((w, "linear") for w in OVERLAPS), (OVERLAPS[-1], "logistic")]:
            staged = staged_of(text, overlap=float(overlap), slide=slide)
            played = games_as_white(staged, games=games, seed=request.seed, threads=request.threads)
            figure = share_of_games(played.wins, played.games, of=50, distinct=played.distinct)
            done += 1
            request.progress(done, steps)
            rows.append(row(f"{name}: overlap {overlap} %, {slide}", figure))
            figures.append(figure)
        rows.append(
            row(
                f"{name}: gain of overlap {OVERLAPS[-1]} % over none",
                difference(figures[len(OVERLAPS) - 1], figures[0]),
            )
        )
        linear = figures[: len(OVERLAPS)]
        series.append(Points(name, [f.value for f in linear], [f.interval for f in linear]))
    chart = lines_figure(OVERLAPS, series, "overlap, % of the game", "wins of 50 games")
    return Result(
        study="liao",
        table="overlap",
        title="Smooth transitions between stages",
        scale=request.scale,
        seed=request.seed,
        rules="",
        unit=UNIT,
        rows=tuple(rows),
        notes=(
            "Inside an overlap each move draws its tree; the probability of the second slides from "
            "0 to 1, on a line or a logistic curve. These games are played in Python.",
        ),
        pictures=(
            Picture("Wins by overlap", chart, "of the two halves, linear; with 95 % intervals"),
        ),
    )
