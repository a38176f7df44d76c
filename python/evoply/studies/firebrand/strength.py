"""What learned players are worth: orders of training, rules of learning, and one long match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from threading import Event

from evoply.arena import MatchResult, match
from evoply.learning import load_learning_config
from evoply.reports.charts import interval_chart
from evoply.reports.series import Series
from evoply.studies.firebrand.training import (
    BOARDS,
    PRESETS,
    RUNS,
    STAGE,
    Curve,
    result,
    settings,
    side_by_side,
    trained,
)
from evoply.studies.study import Request, Result, Row, Scale, row
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
_GAMES: dict[Scale, int] = {"smoke": 10, "small": 40, "paper": 100}
"""Of each match between two players that were trained alike but for one thing."""
_DEPTH = 2
_OTHER = "material:depth=3"
_TRAINING: dict[Scale, int] = {"smoke": 200, "small": 5000, "paper": 5000}
_LONG: dict[Scale, int] = {"smoke": 4, "small": 200, "paper": 2000}
"""Games of the long match; each player of another seed plays a twentieth of it."""
_OTHERS: dict[Scale, int] = {"smoke": 2, "small": 4, "paper": 5}
_OPPONENT = "material:depth=6,ordering=killer"
_STRONG = 4


def orders(request: Request) -> Result:
    """Return how strong players become that saw the same positions in other orders."""
    stage = STAGE[request.scale]
    variants: dict[str, dict[str, object]] = {
        name: {
            "curriculum.order": name, "curriculum.games": stage, "games": 5 * stage,
            "games_per_step": stage, "time_weights.degree": 0,
        }
        for name in ORDERS
    }  # fmt: skip
    claims = {"end-first": Claim("reaches more: above 50", low=50.0)}
    return _compared(
        request, "orders", "Orders of training", variants,
        list(ORDERS.values()), claims,
        (
            f"Every player was trained for {5 * stage:,} games without time weights; whole games "
            "take longer and have more moves to learn from.",
            "The claim is the text's, which chose this order to converge sooner; Table 1 has no "
            "figures, and not this order.",
        ),
    )  # fmt: skip


def rules(request: Request) -> Result:
    """Return how strong players become that learn by other rules and from other features."""
    stage = STAGE[request.scale]
    variants: dict[str, dict[str, object]] = {
        name: {
            "curriculum.games": stage, "games": 10 * stage, "games_per_step": 5 * stage,
            "time_weights.degree": 0,
            "rates.weights": _RAW_RATE if "scaling" in changes else 0.01, **changes,
        }
        for name, changes in RULES.items()
    }  # fmt: skip
    return _compared(
        request, "rules", "Rules of learning", variants, list(variants), {},
        (
            f"Every player was trained for {10 * stage:,} games without time weights, all stages "
            f"and then whole games; the rate is 0.01, with raw features {_RAW_RATE:g}. td-leaf "
            "looks two plies ahead while it learns.",
        ),
    )  # fmt: skip


def _compared(
    request: Request,
    table: str,
    title: str,
    variants: Mapping[str, Mapping[str, object]],
    names: Sequence[str],
    claims: Mapping[str, Claim],
    notes: tuple[str, ...],
) -> Result:
    """Return what differently trained players score against each other and against material."""

    def job(name: str, run: int, stop: Event) -> Curve:
        return trained(settings(request, run, **variants[name]), stop)

    count = RUNS[request.scale]
    jobs = [(name, run) for run in range(count) for name in variants]
    half = _part(request, 0)
    curves = dict(zip(jobs, side_by_side(half, [partial(job, *one) for one in jobs]), strict=True))
    points: dict[str, list[float]] = {name: [] for name in variants}
    beside: dict[str, list[float]] = {name: [] for name in variants}
    second = _part(request, 1)
    for run in range(count):
        scores = _round_robin(request, {name: curves[name, run] for name in variants}, run)
        for name in variants:
            points[name].append(scores[name])
            beside[name].append(100 * _played(request, curves[name, run], _OTHER, run).score)
        second.progress(run + 1, count)
    figures = {name: mean_of(points[name], within=(0, 100)) for name in variants}
    rows: list[Row] = [
        row(f"{said}: against the others", figures[name], claims.get(name))
        for name, said in zip(variants, names, strict=True)
    ]
    rows += [
        row(f"{said}: against {_OTHER}", mean_of(beside[name], within=(0, 100)))
        for name, said in zip(variants, names, strict=True)
    ]
    chart = interval_chart(
        title, list(variants),
        [
            Series(
                "against the others", [one.value for one in figures.values()],
                [one.interval for one in figures.values()],
            )
        ],
        "points, in percent", reference=50.0,
    )  # fmt: skip
    return result(
        request, table, title, rows, [chart],
        notes=(
            f"Points over {count} runs with seeds of their own, {_GAMES[request.scale]} games in "
            f"each match, {_DEPTH} plies ahead.",
            *notes,
        ),
        unit="points, in percent",
    )  # fmt: skip


def _part(request: Request, number: int) -> Request:
    """Return a request whose progress is one of two halves."""

    def moved(done: int, total: int) -> None:
        request.progress(round(1000 * (number + done / total)), 2000)

    return Request(
        scale=request.scale, seed=request.seed, game=request.game, threads=request.threads,
        progress=moved,
    )  # fmt: skip


def _round_robin(request: Request, curves: Mapping[str, Curve], run: int) -> dict[str, float]:
    """Return the points of each player against all others, in percent."""
    scores: dict[str, list[float]] = {name: [] for name in curves}
    for one, other in combinations(curves, 2):
        score = _played(request, curves[one], curves[other].player(_DEPTH), run).score
        scores[one].append(100 * score)
        scores[other].append(100 * (1 - score))
    return {name: sum(all_of) / len(all_of) for name, all_of in scores.items()}


def _played(request: Request, one: Curve, other: object, run: int) -> MatchResult:
    return match(
        one.player(_DEPTH), other, game=request.game or BOARDS[0], games=_GAMES[request.scale],
        seed=request.seed + run, threads=request.threads,
    )  # fmt: skip


def strength(request: Request) -> Result:
    """Return what the learned player scores four plies deep against material six plies deep."""
    games = request.games or _LONG[request.scale]
    opponent = request.opponent or _OPPONENT
    others = _OTHERS[request.scale]
    few = max(2, games // 20 // 2 * 2)
    preset = PRESETS[request.game or BOARDS[0]]

    def job(seed: int, stop: Event) -> Curve:
        changes = {"seed": seed, "games": _TRAINING[request.scale]}
        return trained(load_learning_config(preset, (), changes), stop)

    seeds = [request.seed + number for number in range(others + 1)]
    quiet = Request(threads=request.threads)
    curves = side_by_side(quiet, [partial(job, seed) for seed in seeds])
    steps, played = games + others * few, []
    for number, one in enumerate(curves):
        done = 0 if number == 0 else games + (number - 1) * few

        def moved(count: int, done: int = done) -> None:
            request.progress(done + count, steps)

        played.append(
            match(
                one.player(_STRONG), opponent, game=request.game or BOARDS[0],
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
            mean_of([100 * one.score for one in played[1:]], within=(0, 100)),
        ),
    ]
    return result(
        request, "strength", f"The learned player, {_STRONG} plies deep", rows, [],
        notes=(
            f"The player is that of `evoply learn {preset} --seed {request.seed}`, after "
            f"{_TRAINING[request.scale]:,} games of its own; random openings, each with both "
            "colours.",
        ),
        unit="points, in percent",
    )  # fmt: skip


def _percent(interval: tuple[float, float]) -> tuple[float, float]:
    return 100 * interval[0], 100 * interval[1]
