"""Kinds of competition in a population, compared by outside opponents at an equal budget of games.

No paper has this experiment. Every kind of fitness breeds alike, from the same first populations,
until its run has played its games; the champion's score against players that no run has met counts.
"""

from collections.abc import Sequence

from evoply import _native
from evoply.arena import match
from evoply.evolution import (
    EvolutionConfig,
    config_from_toml,
    evolve,
    final_test,
    individual_player,
)
from evoply.reports.charts import interval_chart
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure, mean_of

GAME = "othello-6"
YARDSTICK = "material-alternating:depth=1,ties=random"
OUTSIDE = ("material-alternating:depth=3,ties=random", "mobility:ties=random")
"""Opponents of the outside measure; no run meets them."""

KINDS = {
    "fixed opponents": 'fitness.measure.kind="points"',
    "co-play": 'fitness.measure="20Co"',
    "co-play, champions as guides": (
        'fitness.measure="10Co" fitness.earlier_generations.champions=5'
    ),
    "earlier champions": "fitness.earlier_generations.champions=8",
    "earlier champions, shared": (
        'fitness.earlier_generations.champions=8 fitness.measure={kind="points",sharing=true}'
    ),
    "round robin": 'fitness.measure={kind="tournament"}',
    "round robin, shared": 'fitness.measure={kind="tournament",sharing=true}',
    "round robin, Pareto": (
        'fitness.measure={kind="tournament"} selection={kind="pareto",objectives="opponents"}'
    ),
    "knock-out": 'fitness.measure={kind="tournament",format="elimination",pairs=5}',
}
"""Changes of the common settings, by the name of the kind."""

_BASE = f"""
game = "{GAME}"
population_size = 40
work_limit = 1_000_000_000_000
primitives = "benbassat-6"
elitism = 1
selection = {{ kind = "tournament", size = 3 }}

[variation]
crossover = 0.8
subtree_mutation = 0.1
point_mutation = 0.0
local_mutation = 0.1

[limits]
max_nodes = 60

[player]
depth = 1
view = "turn"
ties = "random"

[fitness]
opening_plies = 4
opponents = [{{ player = "{YARDSTICK}", pairs = 10 }}]

[fitness.earlier_generations]
recent = 2
pairs = 2

[hall_of_fame]
size = 5
candidates = 3
sample = 2
pairs = 5
"""

_BUDGET: dict[Scale, int] = {"smoke": 1_000, "small": 60_000, "paper": 500_000}
"""Games of a run, those of its hall of fame included."""
_RUNS: dict[Scale, int] = {"smoke": 2, "small": 5, "paper": 20}
_FINAL_PAIRS: dict[Scale, int] = {"smoke": 5, "small": 100, "paper": 200}
_GAMES: dict[Scale, int] = {"smoke": 20, "small": 400, "paper": 1000}
"""Games of a champion against each opponent of the outside measure."""


def kind_config(kind: str, seed: int, scale: Scale = "smoke") -> EvolutionConfig:
    """Return the config of a run of a kind."""
    settings = [f"seed={seed}", *KINDS[kind].split()]
    settings.append(f"hall_of_fame.final_pairs={_FINAL_PAIRS[scale]}")
    if "champions=" not in KINDS[kind]:
        settings.append("fitness.earlier_generations.recent=0")
    return config_from_toml(_BASE, settings)


def evolved_score(kind: str, seed: int, request: Request) -> tuple[float, int, int]:
    """Return the score in [0, 1] of a run's champion, the games and the generations of the run.

    The run ends with the generation that reaches the budget.
    """
    config = kind_config(kind, seed, request.scale)
    games = 0
    for generation in evolve(config, threads=request.threads):
        games += generation.statistics.games
        if games >= _BUDGET[request.scale]:
            break
    champion = final_test(config, generation, threads=request.threads).champion.tree
    scores = [
        match(
            individual_player(config, champion),
            opponent,
            game=GAME,
            games=_GAMES[request.scale],
            openings=4,
            seed=_native.Stream(seed, "outside").below(2**32),
            threads=request.threads,
        ).score
        for opponent in OUTSIDE
    ]
    return sum(scores) / len(scores), games, generation.number + 1


def coevolution(request: Request) -> Result:
    """Return the scores of all kinds, the same seeds for each."""
    runs = _RUNS[request.scale]
    rows: list[Row] = []
    figures: list[Figure] = []
    for index, kind in enumerate(KINDS):
        scores, games, generations = [], 0, 0
        for run in range(runs):
            seed = _native.Stream(request.seed, "coevolution", run).below(2**32)
            score, played, bred = evolved_score(kind, seed, request)
            request.progress(index * runs + run + 1, len(KINDS) * runs)
            scores.append(score)
            games, generations = games + played, generations + bred
        figures.append(mean_of(scores, within=(0.0, 1.0)))
        rows.append(
            row(
                kind,
                figures[-1],
                reason=f"{games / runs:,.0f} games and {generations / runs:.0f} generations a run, "
                f"best run {max(scores):.3f}",
            )
        )
        request.shown(_result(request, rows, figures))
    return _result(request, rows, figures)


def _result(request: Request, rows: Sequence[Row], figures: Sequence[Figure]) -> Result:
    """Return the scores of the finished kinds."""
    runs, budget = _RUNS[request.scale], _BUDGET[request.scale]
    names = list(KINDS)[: len(figures)]
    chart = interval_chart(
        "Outside measure",
        names,
        [series("here", figures)],
        "points per game",
        note="with 95 % intervals",
    )
    return request.result(
        "benbassat",
        "coevolution",
        "Ways to compete, at an equal budget of games",
        rows,
        unit=f"points per game of the champion against {' and '.join(OUTSIDE)}, means over runs",
        notes=(
            f"Othello 6x6, 40 individuals one ply ahead, {runs} runs of about {budget:,} games for "
            "each kind, from the same first populations. All kinds have the same hall of fame, "
            f"ranked against {YARDSTICK}.",
            "A budget counts games, not time: a kind that plays more games a generation breeds "
            "fewer generations.",
        ),
        charts=(chart,),
    )
