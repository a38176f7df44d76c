"""The strength of learned players: orders of training, rules of learning, and one long match."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from threading import Event

from evoply.arena import MatchResult, match
from evoply.learning import load_learning_config
from evoply.reports.charts import interval_chart
from evoply.studies.firebrand.training import (
    BOARDS,
    PRESETS,
    LearningCurve,
    Size,
    result,
    runs_of,
    settings,
    side_by_side,
    trained,
)
from evoply.studies.study import Request, Result, Row, row, series
from evoply.studies.verdicts import Claim, Figure, mean_of

ORDERS: Mapping[str, str] = {
    "end-first": "end first",
    "begin-first": "begin first",
    "mixed": "begin, middle, end in turns",
    "random": "any of them",
    "none": "whole games only",
}
"""Orders of training; begin-first, mixed and random are the rows of the paper's Table 1."""
RULES: Mapping[str, Mapping[str, object]] = {
    "td, normalised": {"rule": "td"},
    "td, raw": {"rule": "td", "scaling": "raw"},
    "td-lambda, normalised": {"rule": "td-lambda"},
    "td-lambda, raw": {"rule": "td-lambda", "scaling": "raw"},
    "td-leaf, normalised": {"rule": "td-leaf", "depth": 2},
    "td-leaf, raw": {"rule": "td-leaf", "depth": 2, "scaling": "raw"},
}
"""The first is the paper's, whose scaling is not known."""
_RAW_RATE = 1e-5
"""Raw features are about 30 times as large, and a step goes with their square."""
_DEPTH = 2
_OTHER = "material:depth=3"
_OPPONENT = "material:depth=6,ordering=killer"


def orders(request: Request, size: Size) -> Result:
    """Return the strength of players that learned from positions in different orders."""
    stage = size.stage
    variants: dict[str, dict[str, object]] = {
        name: {
            "curriculum.order": name, "curriculum.games": stage, "games": 5 * stage,
            "games_per_step": stage, "time_weights.degree": 0,
        }
        for name in ORDERS
    }  # fmt: skip
    claims = {"end-first": Claim("reaches more: above 50", low=50.0)}
    return _compared(
        request, size, "orders", "Orders of training", variants,
        list(ORDERS.values()), claims,
        (
            f"Every player was trained for {5 * stage:,} games without time weights; whole games "
            "take longer and have more moves to learn from.",
            "The claim is the text's, which chose this order to converge sooner; Table 1 has no "
            "figures, and not this order.",
        ),
    )  # fmt: skip


def rules(request: Request, size: Size) -> Result:
    """Return the strength of players that learned by other rules or from other features."""
    stage = size.stage
    variants: dict[str, dict[str, object]] = {
        name: {
            "curriculum.games": stage, "games": 10 * stage, "games_per_step": 5 * stage,
            "time_weights.degree": 0,
            "rates.weights": _RAW_RATE if "scaling" in changes else 0.01, **changes,
        }
        for name, changes in RULES.items()
    }  # fmt: skip
    return _compared(
        request, size, "rules", "Rules of learning", variants, list(variants), {},
        (
            f"Every player was trained for {10 * stage:,} games without time weights, all stages "
            f"and then whole games; the rate is 0.01, with raw features {_RAW_RATE:g}. td-leaf "
            "looks two plies ahead while it learns.",
        ),
    )  # fmt: skip


def _compared(
    request: Request,
    size: Size,
    table: str,
    title: str,
    variants: Mapping[str, Mapping[str, object]],
    names: Sequence[str],
    claims: Mapping[str, Claim],
    notes: tuple[str, ...],
) -> Result:
    """Return the scores of differently trained players against each other and material."""

    def job(name: str, run: int, stop: Event) -> LearningCurve:
        return trained(settings(request, run, **variants[name]), stop)

    curves = runs_of(request.part(0, 2), size, variants, job)
    points: dict[str, list[float]] = {name: [] for name in variants}
    beside: dict[str, list[float]] = {name: [] for name in variants}
    second = request.part(1, 2)
    for run in range(size.runs):
        scores = _round_robin(request, size, {name: curves[name][run] for name in variants}, run)
        for name in variants:
            points[name].append(scores[name])
            beside[name].append(100 * _play(request, size, curves[name][run], _OTHER, run).score)
        second.progress(run + 1, size.runs)
    figures = {name: mean_of(points[name], within=(0, 100)) for name in variants}
    rows: list[Row] = [
        row(f"{label}: against the others", figures[name], claims.get(name))
        for name, label in zip(variants, names, strict=True)
    ]
    rows += [
        row(f"{label}: against {_OTHER}", mean_of(beside[name], within=(0, 100)))
        for name, label in zip(variants, names, strict=True)
    ]
    chart = interval_chart(
        title, list(variants),
        [series("against the others", figures.values())],
        "points, in percent", reference=50.0,
    )  # fmt: skip
    return result(
        request, table, title, rows, [chart],
        notes=(
            f"Points over {size.runs} runs with seeds of their own, {size.match_games} games in "
            f"each match, {_DEPTH} plies ahead.",
            *notes,
        ),
        unit="points, in percent",
    )  # fmt: skip


def _round_robin(
    request: Request, size: Size, curves: Mapping[str, LearningCurve], run: int
) -> dict[str, float]:
    """Return the points of each player against all others, in percent."""
    scores: dict[str, list[float]] = {name: [] for name in curves}
    for first, second in combinations(curves, 2):
        score = _play(request, size, curves[first], curves[second].player(_DEPTH), run).score
        scores[first].append(100 * score)
        scores[second].append(100 * (1 - score))
    return {name: sum(all_of) / len(all_of) for name, all_of in scores.items()}


def _play(
    request: Request, size: Size, curve: LearningCurve, other: object, run: int
) -> MatchResult:
    return match(
        curve.player(_DEPTH), other, game=request.game or BOARDS[0], games=size.match_games,
        seed=request.seed + run, threads=request.threads,
    )  # fmt: skip


def strength(request: Request, size: Size) -> Result:
    """Return the score of the learned player four plies deep against material six plies deep."""
    games = request.games or size.long_games
    opponent = request.opponent or _OPPONENT
    others = size.others
    few = max(2, games // 20 // 2 * 2)
    preset = PRESETS[request.game or BOARDS[0]]

    def job(seed: int, stop: Event) -> LearningCurve:
        changes = {"seed": seed, "games": size.long_training}
        return trained(load_learning_config(preset, (), changes), stop)

    seeds = [request.seed + number for number in range(others + 1)]
    quiet = Request(threads=request.threads)
    curves = side_by_side(quiet, [partial(job, seed) for seed in seeds])
    steps, played = games + others * few, []
    for number, curve in enumerate(curves):
        done = 0 if number == 0 else games + (number - 1) * few

        def moved(count: int, done: int = done) -> None:
            request.progress(done + count, steps)

        played.append(
            match(
                curve.player(size.strong_depth), opponent, game=request.game or BOARDS[0],
                games=few if number else games, seed=request.seed, threads=request.threads,
                progress=moved,
            )
        )  # fmt: skip
    request.progress(steps, steps)
    first = played[0]
    interval = None if first.interval is None else _percent(first.interval)
    name = first.second
    rows = [
        row(f"against {name}", Figure(100 * first.score, interval, first.games, (0.0, 100.0))),
        row(
            f"{others} players of other seeds, {few} games each",
            mean_of([100 * result.score for result in played[1:]], within=(0, 100)),
        ),
    ]
    return result(
        request, "strength", f"The learned player, {size.strong_depth} plies deep", rows, [],
        notes=(
            f"The player is that of `evoply learn {preset} --seed {request.seed}`, after "
            f"{size.long_training:,} games of its own; random openings, each with both "
            "colours.",
        ),
        unit="points, in percent",
    )  # fmt: skip


def _percent(interval: tuple[float, float]) -> tuple[float, float]:
    return 100 * interval[0], 100 * interval[1]
