"""Bellin and Gasperin's study: five experiments with weighted trees, and tournaments.

Source: Bellin & Gasperin, "Genetic Programming and Othello". Its fitness is the sum of the
opponent's discs over three games, one against Edgar and two against a random player: less is
better. Two experiments, E1 and E3, use no weights and can be run; E2, E4 and E5 need weights from
the position in the tree and no-op nodes, which evoply does not have yet. `TYPES` is where they come
in: a type is a set of primitives, and None where it cannot be played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from evoply import _native
from evoply.arena import Schedule, play, rank_correlation, tournament
from evoply.expressions import PRIMITIVE_SETS
from evoply.games.othello import Position
from evoply.gp import Tree, ramped_half_and_half, subtree_crossover
from evoply.gp.lowering import lower
from evoply.gp.tree import Limits
from evoply.players import AfterState, TreeEvaluator, parse_player
from evoply.reports.interval_charts import Points, chart_height, intervals_figure
from evoply.studies.study import Experiment, Picture, Request, Result, Row, Scale, Study, row
from evoply.studies.verdicts import Figure

__all__ = ["BELLIN", "RANGES", "TYPES", "Evolved", "evolve_type"]

GAME = "othello"


@dataclass(frozen=True, slots=True)
class Type:
    """A type of individual: what the paper calls it, its primitives, the printed fitness range."""

    title: str
    primitives: str | None
    printed: tuple[float, float]
    missing: str = ""


TYPES = {
    "E1": Type("original features, no weights", "liao", (1.00, 2.40)),
    "E2": Type(
        "original features, weights", None, (2.02, 7.26), "positional weights and no-op nodes"
    ),
    "E3": Type("letters, no weights", "letters", (3.83, 7.60)),
    "E4": Type("letters, weights", None, (5.45, 6.98), "positional weights and no-op nodes"),
    "E5": Type(
        "letters, weights by no-ops only, more no-ops",
        None,
        (7.41, 9.25),
        "weights by no-op nodes",
    ),
}
RANGES = {name: one.printed for name, one in TYPES.items()}

_POPULATION: dict[Scale, int] = {"smoke": 30, "small": 200, "paper": 500}
_GENERATIONS: dict[Scale, int] = {"smoke": 5, "small": 25, "paper": 51}
_RUNS: dict[Scale, int] = {"smoke": 4, "small": 5, "paper": 5}
"""Individuals a type: the paper's brackets have four or five."""
_TOURNAMENTS: dict[Scale, int] = {"smoke": 10, "small": 50, "paper": 200}
_FRESH_GAMES = 300
_CROSSOVER = 0.9
_LIMITS = Limits(max_depth=17, max_nodes=200)
OPPONENTS = ("edgar-like", "random", "random")


@dataclass(frozen=True, slots=True)
class Evolved:
    """The best individual of a run: its fitness when it was found, and on fresh games."""

    tree: Tree
    fitness: float
    """Sum of the opponent's discs over three games, the least of the run."""
    fresh: float
    """Three times the mean of the opponent's discs over fresh games."""


def evolve_type(name: str, request: Request, run: int) -> Evolved:
    """Return the best individual of one run of a type.

    As gpjpp does by default: ramped half-and-half of depth 2 to 6, roulette on 1 / (1 + fitness),
    nine in ten offspring by crossover and the others copies, no elitism. The individual plays
    White.
    """
    primitives = TYPES[name].primitives
    if primitives is None:
        raise ValueError(f"{name} cannot be run yet: it needs {TYPES[name].missing}")
    stream = _native.Stream(request.seed, "bellin", name, run)
    size = _POPULATION[request.scale]
    trees = ramped_half_and_half(PRIMITIVE_SETS[primitives], size, stream.child("trees"))
    best: tuple[float, Tree] | None = None
    for generation in range(_GENERATIONS[request.scale]):
        keys = stream.child("generation", generation)
        fitness = opponents_discs(trees, keys.child("games"), request.threads)
        place = int(fitness.argmin())
        if best is None or fitness[place] < best[0]:
            best = float(fitness[place]), trees[place]
        trees = _next(trees, fitness, keys.child("breeding"))
    assert best is not None
    fresh = opponents_discs([best[1]], stream.child("fresh"), request.threads, _FRESH_GAMES)
    return Evolved(best[1], best[0], float(fresh[0]) / _FRESH_GAMES)


def opponents_discs(
    trees: Sequence[Tree], stream: _native.Stream, threads: int, times: int = 1
) -> NDArray[np.int64]:
    """Return the opponents' discs of each tree, summed over its three games, played *times* times.

    All trees meet the same keys. Edgar's game is always the same: both players are deterministic.
    """
    opponents = [parse_player(text).native(GAME) for text in OPPONENTS]
    players = [_native.Player(GAME, "after_state", program) for program in lower(trees, GAME)]
    each = len(OPPONENTS) * times
    white = np.arange(len(trees)).repeat(each) + len(opponents)
    schedule = Schedule(
        black=np.tile(np.arange(each) % len(OPPONENTS), len(trees)).astype(np.uint32),
        white=white.astype(np.uint32),
        opening_keys=np.tile(stream.child("opening").keys(each), len(trees)),
        game_keys=np.tile(stream.child("game").keys(each), len(trees)),
        opening_plies=0,
        start=Position().row,
    )
    results = play(GAME, [*opponents, *players], schedule, threads=threads)
    sums: NDArray[np.int64] = results.black_discs.reshape(len(trees), each).sum(axis=1)
    return sums


def _next(trees: Sequence[Tree], fitness: NDArray[np.int64], stream: _native.Stream) -> list[Tree]:
    """Return the next generation."""
    shares = 1 / (1 + fitness.astype(np.float64))
    ends = np.cumsum(shares / shares.sum())

    def parent() -> Tree:
        place = int(np.searchsorted(ends, stream.random(), side="right"))
        return trees[min(place, len(trees) - 1)]

    made: list[Tree] = []
    while len(made) < len(trees):
        if stream.random() < _CROSSOVER:
            made += subtree_crossover(parent(), parent(), _LIMITS, stream)
        else:
            made.append(parent())
    return made[: len(trees)]


def fitness_ranges(request: Request) -> Result:
    """Return the experiments E1 to E5: fitness of the best individuals, then on fresh games."""
    rows: list[Row] = []
    playable = [name for name, one in TYPES.items() if one.primitives is not None]
    runs = _RUNS[request.scale]
    found: dict[str, list[Evolved]] = {}
    for name, one in TYPES.items():
        if one.primitives is None:
            reason = f"Not run: evoply does not have {one.missing} yet."
            rows.append(row(f"{name}, {one.title}", None, one.printed, reason=reason))
            continue
        found[name] = []
        for run in range(runs):
            found[name].append(evolve_type(name, request, run))
            request.progress(len(found) * runs - runs + run + 1, len(playable) * runs)
        note = "No no-op nodes, which the paper kept in the trees unused." if name == "E3" else ""
        rows.append(
            row(
                f"{name}, {one.title}",
                mean_of([each.fitness for each in found[name]]),
                one.printed,
                reason=_SELECTED + (f" {note}" if note else ""),
            )
        )
    for name in playable:
        rows.append(
            row(
                f"{name} on fresh games",
                mean_of([each.fresh for each in found[name]]),
                reason=f"The same trees, {_FRESH_GAMES} times the three games.",
            )
        )
    names = [one.name for one in rows if one.ours is not None]
    figure = intervals_figure(
        names,
        [
            Points(
                "mean of the best",
                [one.ours for one in rows if one.ours is not None],
                [one.interval for one in rows if one.ours is not None],
            )
        ],
        "opponents' discs in three games",
    )
    return Result(
        study="bellin",
        table="fitness",
        title="Fitness of the best trees, E1 to E5",
        scale=request.scale,
        seed=request.seed,
        rules="",
        unit="means over runs of the opponents' discs, summed over three games (less is better)",
        rows=tuple(rows),
        notes=(
            "The paper gives a range over its best trees; ours is the mean over runs. A fitness is "
            "the least of thousands of noisy ones, so a tree does far worse on fresh games.",
            "The opponent in place of Edgar was learned anew (edgar-like); the original is lost.",
        ),
        pictures=(Picture("Selected and fresh", figure, "", chart_height(len(names))),),
    )


_SELECTED = "The least of all evaluations of a run; sizes of population and run are unknown."


def mean_of(values: Sequence[float]) -> Figure:
    """Return the mean of independent runs with Student's 95 % interval."""
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    if len(array) < 2:
        return Figure(mean, None, len(array))
    half = float(student.ppf(0.975, len(array) - 1) * array.std(ddof=1) / np.sqrt(len(array)))
    return Figure(mean, (mean - half, mean + half), len(array))


def tournaments(request: Request) -> Result:
    """Return tournaments of the evolved trees: who is a star, and whether fitness foretold it."""
    playable = [name for name, one in TYPES.items() if one.primitives is not None]
    runs = _RUNS[request.scale]
    evolved = [
        (f"{name} {run + 1}", name, evolve_type(name, request, run))
        for name in playable
        for run in range(runs)
    ]
    players = [AfterState(evaluator=TreeEvaluator(tree=one.tree)) for _, _, one in evolved]
    result = tournament(
        players,
        names=[name for name, _, _ in evolved],
        brackets=[bracket for _, bracket, _ in evolved],
        # Fitness counts the opponents' discs: its negative is greater for a better player.
        fitness=[-one.fitness for _, _, one in evolved],
        times=_TOURNAMENTS[request.scale],
        seed=request.seed,
        threads=request.threads,
        progress=lambda done: request.progress(done, _TOURNAMENTS[request.scale]),
    )
    rows = [
        row(
            one.player,
            Figure(one.mean_rank, one.rank_interval, result.runs),
            reason=f"{one.titles} titles, {one.finals} finals, rating {one.rating:+.0f}",
        )
        for one in result.stars
    ]
    selected = result.fitness_correlation
    fresh = {name: -one.fresh for name, _, one in evolved}
    on_fresh = rank_correlation(
        [fresh[one.player] for one in result.stars], [-one.mean_rank for one in result.stars]
    )
    for title, found in (("in training", selected), ("on fresh games", on_fresh)):
        if found is not None and found.rho == found.rho:
            rows.append(
                row(
                    f"rank correlation of fitness {title} with success",
                    Figure(found.rho, found.interval, found.players),
                    Figure(0.0, None) if title == "in training" else None,
                    reason="The paper reports no general trend, taken as 0."
                    if title == "in training"
                    else "",
                )
            )
    names = [one.player for one in result.stars]
    figure = intervals_figure(
        names,
        [
            Points(
                "mean rank",
                [one.mean_rank for one in result.stars],
                [one.rank_interval for one in result.stars],
            )
        ],
        "mean rank (1 is the best)",
    )
    return Result(
        study="bellin",
        table="tournament",
        title="Tournaments of the evolved trees",
        scale=request.scale,
        seed=request.seed,
        rules="",
        unit="mean ranks over tournaments, and rank correlations",
        rows=tuple(rows),
        notes=(
            f"{len(players)} trees in {len(playable)} brackets, {result.runs} tournaments; the "
            "paper had 33 in 7. A player is out unless it wins more than 60 % of a round's games.",
            "Games begin with 8 random plies; the paper's players were deterministic, and only the "
            "draw of opponents made its tournaments differ.",
        ),
        pictures=(Picture("Mean rank", figure, "with 95 % intervals", chart_height(len(names))),),
    )


BELLIN = Study(
    name="bellin",
    title="Weights from the position in the tree, and tournaments of players",
    authors="Bellin and Gasperin",
    paper="Genetic Programming and Othello (course project, Columbia University)",
    experiments=(
        Experiment(
            "fitness",
            "Fitness of the best trees; of E1 to E5 only E1 and E3 can be run yet",
            fitness_ranges,
            {"smoke": 1, "small": 4, "paper": 29},
        ),
        Experiment(
            "tournament",
            "Tournaments of the evolved trees, and whether fitness foretells success",
            tournaments,
            {"smoke": 1, "small": 6, "paper": 33},
        ),
    ),
    contradictions=(
        "In the example of no-op nodes the bits 010010 are read as 19; they are 18.",
        "Siblings are said to differ in their weights, but both children of the root have weight "
        "1: the bits 0 and 1 are read as 0 and 1, and 0 counts as 1.",
        "One fitness is 69.20, more than the 64 discs of a board: the figures must be sums over "
        "games, not means.",
        "Seven types of individuals are said to have met, and five are described.",
        "The letters A and B are called probably unimportant, though in the natural lettering A "
        "is the corners.",
    ),
    choices=(
        "Edgar's table is lost: a table of the same shape was learned by self-play and stands in.",
        "The evolved tree plays White, one ply ahead, the first of equal moves; against Edgar once "
        "and against a random player twice.",
        "Settings are gpjpp's defaults; what the course changed is unknown.",
        "A player schedules twenty games a round, ten of each colour, and a draw is not a win.",
    ),
)
