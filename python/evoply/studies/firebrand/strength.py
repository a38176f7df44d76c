"""The strength of learned players: orders of training, rules of learning, and one long match."""

from collections.abc import Mapping
from itertools import combinations
from threading import Event

from evoply.arena import MatchResult, match
from evoply.learning import load_learning_config
from evoply.reports.charts import interval_chart
from evoply.studies.firebrand.training import (
    BOARDS,
    DEPTH,
    OTHER,
    PRESETS,
    LearningCurve,
    learned,
    score,
    trained,
)
from evoply.studies.study import Reproduction, Result, series
from evoply.studies.verdicts import Figure, mean_of

_OPPONENT = "material:depth=6,ordering=killer"


def orders(request: Reproduction) -> Result:
    """Return the strength of players that learned from positions in different orders."""
    stage = request.size("stage")
    usual: dict[str, object] = {"games": 5 * stage, "games_per_step": stage}
    names: Mapping[str, str] = request.table.told["orders"]
    setups = {order: usual | {"curriculum.order": order} for order in names}
    return _compared(request, setups, names)


def rules(request: Reproduction) -> Result:
    """Return the strength of players that learned by other rules or from other features."""
    stage = request.size("stage")
    usual: dict[str, object] = {"games": 10 * stage, "games_per_step": 5 * stage}
    setups = {name: usual | changes for name, changes in request.table.told["setups"].items()}
    return _compared(request, setups, {name: name for name in setups})


def _compared(
    request: Reproduction, setups: Mapping[str, dict[str, object]], names: Mapping[str, str]
) -> Result:
    """Return the scores of differently trained players against each other and material."""
    usual = {"curriculum.games": request.size("stage"), "time_weights.degree": 0}
    curves = learned(
        request.part(0, 2), {name: usual | changes for name, changes in setups.items()}
    )
    games, runs = request.size("match_games"), request.size("runs")
    points: dict[str, list[float]] = {name: [] for name in setups}
    beside: dict[str, list[float]] = {name: [] for name in setups}
    for run in request.part(1, 2).each(range(runs)):
        scores: dict[str, list[float]] = {name: [] for name in setups}
        for first, second in combinations(setups, 2):
            share = score(request, curves[first][run], curves[second][run], games, run)
            scores[first].append(100 * share)
            scores[second].append(100 * (1 - share))
        for name in setups:
            points[name].append(sum(scores[name]) / len(scores[name]))
            beside[name].append(100 * score(request, curves[name][run], OTHER, games, run))
    against = {name: mean_of(points[name], within=(0, 100)) for name in setups}
    rows = request.rows(
        {
            **{f"{names[name]}: against the others": against[name] for name in setups},
            **{
                f"{names[name]}: against {OTHER}": mean_of(beside[name], within=(0, 100))
                for name in setups
            },
        }
    )
    chart = interval_chart(
        request.table.told["heading"], list(setups),
        [series("against the others", against.values())],
        "points, in percent", reference=50.0,
    )  # fmt: skip
    return request.result(rows, [chart], games=next(iter(setups.values()))["games"], depth=DEPTH)


def strength(request: Reproduction) -> Result:
    """Return the score of the learned player four plies deep against material six plies deep."""
    games = request.games or request.size("games")
    others, few = request.size("others"), max(2, games // 20 // 2 * 2)
    game = request.game or BOARDS[0]

    def train(number: int, _: int, stop: Event) -> LearningCurve:
        changes = {"seed": request.seed + number, "games": request.size("training")}
        return trained(load_learning_config(PRESETS[game], (), changes), stop)

    players = request.quiet().over_seeds_at_once(range(others + 1), 1, train)
    steps = games + others * few
    played: list[MatchResult] = []
    for number, (curve,) in players.items():
        done = 0 if number == 0 else games + (number - 1) * few

        def moved(count: int, done: int = done) -> None:
            request.progress(done + count, steps)

        played.append(
            match(
                curve.player(request.size("depth")), request.opponent or _OPPONENT, game=game,
                games=few if number else games, seed=request.seed, threads=request.threads,
                progress=moved,
            )
        )  # fmt: skip
    request.progress(steps, steps)
    first, *rest = played
    interval = first.interval and (100 * first.interval[0], 100 * first.interval[1])
    rows = request.rows(
        {
            f"against {first.second}": Figure(
                100 * first.score, interval, first.games, (0.0, 100.0), "games"
            ),
            f"{others} players of other seeds, {few} games each": mean_of(
                [100 * result.score for result in rest], within=(0, 100), counted="players"
            ),
        }
    )
    return request.result(rows, preset=PRESETS[game], seed=request.seed)
