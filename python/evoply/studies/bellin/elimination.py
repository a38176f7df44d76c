"""Tournaments of evolved trees in seven brackets: stars, and whether fitness predicts them."""

from collections.abc import Mapping, Sequence
from math import isnan

from evoply.arena import Correlation, Star, Tournament, rank_correlation, tournament
from evoply.players import AfterState, TreeEvaluator
from evoply.reports.charts import interval_chart
from evoply.studies.bellin.types import RUNS, TYPES, Evolved, evolve_type
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure
from evoply.wording import signed

_TIMES: dict[Scale, int] = {"smoke": 10, "small": 50, "paper": 200}
_MODES = ("all", "same", "other")
_TITLES = {
    "all": "against all",
    "same": "within the own bracket",
    "other": "against other brackets",
}


def tournaments(request: Request) -> Result:
    """Return tournaments of the evolved trees in all three modes."""
    evolved = _evolve_players(request)
    results = {mode: _play(evolved, mode, request, index) for index, mode in enumerate(_MODES)}
    rows = [_star_row(star, results) for star in results["all"].stars]
    rows += _correlation_rows(evolved, results["all"])
    rows.append(_champions_row(results))
    names = [star.player for star in results["all"].stars]
    by_mode = {mode: {star.player: star for star in results[mode].stars} for mode in _MODES}
    chart = interval_chart(
        "Mean rank",
        names,
        [
            series(
                _TITLES[mode],
                [
                    Figure(star.mean_rank, star.rank_interval)
                    for star in map(by_mode[mode].__getitem__, names)
                ],
                symbol=symbol,
            )
            for mode, symbol in (("all", "circle"), ("other", "square"))
        ],
        "mean rank (1 is the best)",
        note="with 95 % intervals",
    )
    return request.result(
        "bellin",
        "tournament",
        "Tournaments of the evolved trees",
        rows,
        unit="mean ranks over tournaments against all, and rank correlations",
        notes=(
            f"{len(evolved)} trees in {len(TYPES)} brackets, {results['all'].runs} tournaments of "
            "each mode; the paper had 33 in 7. A player is out unless it wins more than 60 % of a "
            "round's games.",
            "The paper describes five of its seven types. The brackets V1 "
            f"({TYPES['V1'].title}) and V2 ({TYPES['V2'].title}) are ours, in place of its "
            "“variations of the weighting model”.",
            "Games begin with 8 random plies; the paper's players were deterministic, and only the "
            "draw of opponents made its tournaments differ.",
        ),
        charts=(chart,),
    )


def _evolve_players(request: Request) -> dict[str, Evolved]:
    """Return the players by name, "E1 1" the first of bracket E1."""
    wanted = {name: min(kind.players, RUNS[request.scale]) for name, kind in TYPES.items()}
    total = sum(wanted.values()) + len(_MODES)
    trees: dict[str, Evolved] = {}
    for name, count in wanted.items():
        for run in range(count):
            trees[f"{name} {run + 1}"] = evolve_type(name, request, run)
            request.progress(len(trees), total)
    return trees


def _play(evolved: Mapping[str, Evolved], mode: str, request: Request, index: int) -> Tournament:
    result = tournament(
        [AfterState(evaluator=TreeEvaluator(tree=player.tree)) for player in evolved.values()],
        names=list(evolved),
        brackets=[_bracket(name) for name in evolved],
        # Fitness counts the opponents' discs: its negative is greater for a better player.
        fitness=[-player.fitness for player in evolved.values()],
        mode=mode,  # type: ignore[arg-type]  # one of the three
        times=_TIMES[request.scale],
        seed=request.seed,
        threads=request.threads,
    )
    request.progress(len(evolved) + index + 1, len(evolved) + len(_MODES))
    return result


def _bracket(player: str) -> str:
    return player.partition(" ")[0]


def _star_row(star: Star, results: Mapping[str, Tournament]) -> Row:
    others = {
        mode: next(o for o in r.stars if o.player == star.player) for mode, r in results.items()
    }
    return row(
        star.player,
        Figure(star.mean_rank, star.rank_interval, results["all"].runs),
        reason=f"{star.titles} titles, {star.finals} finals, rating {signed(star.rating)}; "
        f"{others['same'].titles} titles in its bracket; mean rank {others['other'].mean_rank:.3g} "
        "against other brackets.",
    )


def _correlation_rows(evolved: Mapping[str, Evolved], result: Tournament) -> list[Row]:
    strengths = [-star.mean_rank for star in result.stars]
    players = [star.player for star in result.stars]
    fresh = rank_correlation([-evolved[name].fresh for name in players], strengths)
    printed = "The paper reports no general trend, taken as 0."
    rows = []
    for title, correlation, reason in (
        ("in training", result.fitness_correlation, printed),
        ("on fresh games", fresh, ""),
    ):
        if correlation is not None and not isnan(correlation.rho):
            rows.append(_correlation_row(title, correlation, reason))
    return rows


def _correlation_row(title: str, correlation: Correlation, reason: str) -> Row:
    return row(
        f"rank correlation of fitness {title} with success",
        Figure(correlation.rho, correlation.interval, correlation.players, (-1.0, 1.0)),
        Figure(0.0, None) if reason else None,
        reason=reason,
    )


def _champions_row(results: Mapping[str, Tournament]) -> Row:
    """Return the row with the number of bracket champions that are among the best of all."""
    champions = _champions(results["same"].stars)
    best = {star.player for star in results["all"].stars[: len(champions)]}
    return row(
        "share of brackets whose best player is a star against all",
        Figure(len(best & champions) / len(champions), None, len(champions)),
        reason="The paper: champions of brackets are often not the stars. Best: most titles in its "
        f"bracket; stars: the best {len(champions)} against all.",
    )


def _champions(stars: Sequence[Star]) -> set[str]:
    by_bracket: dict[str, Star] = {}
    for star in stars:
        known = by_bracket.get(star.bracket)
        if known is None or (star.titles, -star.mean_rank) > (known.titles, -known.mean_rank):
            by_bracket[star.bracket] = star
    return {star.player for star in by_bracket.values()}
