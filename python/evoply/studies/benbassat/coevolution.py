"""Kinds of competition in a population, compared by outside opponents at an equal budget of games.

No paper has this experiment. Every kind of fitness breeds alike, from the same first populations,
until its run has played its games; the champion's score against players that no run has met counts.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from statistics import fmean

from evoply import _native
from evoply.arena import match
from evoply.evolution import (
    EvolutionConfig,
    config_from_keys,
    evolve,
    final_test,
    individual_player,
)
from evoply.reports.charts import interval_chart
from evoply.studies.benbassat.guide_matches import seed_of
from evoply.studies.study import Reproduction, Result, Row, paper, row, series
from evoply.studies.verdicts import Figure, mean_of

_TABLE = paper("benbassat")["tables"]["coevolution"]
OUTSIDE: Sequence[str] = _TABLE["outside"]
"""Opponents of the outside measure; no run meets them."""
KINDS: Mapping[str, Sequence[str]] = _TABLE["kinds"]
"""Changes of the common settings, by the name of the kind."""


def kind_config(kind: str, seed: int, request: Reproduction) -> EvolutionConfig:
    """Return the config of a run of a kind."""
    settings = [f"seed={seed}", *KINDS[kind]]
    settings.append(f"hall_of_fame.final_pairs={request.size('final_pairs')}")
    if not any("champions=" in setting for setting in KINDS[kind]):
        settings.append("fitness.earlier_generations.recent=0")
    return config_from_keys(deepcopy(_TABLE["config"]), settings)


def evolved_score(kind: str, seed: int, request: Reproduction) -> tuple[float, int, int]:
    """Return the score in [0, 1] of a run's champion, the games and the generations of the run.

    The run ends with the generation that reaches the budget.
    """
    config = kind_config(kind, seed, request)
    games = 0
    for generation in evolve(config, threads=request.threads):
        games += generation.statistics.games
        if games >= request.size("budget"):
            break
    champion = final_test(config, generation, threads=request.threads).champion.tree
    scores = [
        match(
            individual_player(config, champion),
            opponent,
            game=config.game,
            games=request.size("games"),
            openings=4,
            seed=_native.Stream(seed, "outside").below(2**32),
            threads=request.threads,
        ).score
        for opponent in OUTSIDE
    ]
    return sum(scores) / len(scores), games, generation.number + 1


def coevolution(request: Reproduction) -> Result:
    """Return the scores of all kinds, the same seeds for each."""
    rows: list[Row] = []
    figures: dict[str, Figure] = {}

    def measure(kind: str, run: int) -> tuple[float, int, int]:
        return evolved_score(kind, seed_of(request, "coevolution", run), request)

    def result() -> Result:
        chart = interval_chart(
            "Outside measure",
            list(figures),
            [series("here", figures.values())],
            "points per game",
            note="with 95 % intervals",
        )
        (yardstick,) = _TABLE["config"]["fitness"]["opponents"]
        told = {"outside": " and ".join(OUTSIDE), "yardstick": yardstick["player"]}
        return request.result(rows, [chart], **told)

    for kind, found in request.over_seeds(list(KINDS), request.size("runs"), measure):
        scores, games, generations = zip(*found, strict=True)
        figures[kind] = mean_of(scores, within=(0.0, 1.0))
        reason = (
            f"{fmean(games):,.0f} games and {fmean(generations):.0f} generations a run, "
            f"best run {max(scores):.3f}"
        )
        rows.append(row(kind, figures[kind], reason=reason))
        request.shown(result())
    return result()
