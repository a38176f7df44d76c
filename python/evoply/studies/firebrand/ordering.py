"""Move orderings of alpha-beta: nodes and times of those in the paper, and of others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from threading import Event
from typing import Any

from evoply import _native
from evoply.arena import match
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.players import AlphaBeta
from evoply.protocols import Position
from evoply.reports.charts import interval_chart
from evoply.studies.firebrand.training import BOARDS, LearningCurve, settings, trained
from evoply.studies.study import Reproduction, Result, Row, series
from evoply.studies.verdicts import Figure, ratio_of, share_of_games

PLAIN = "plain"
EVALUATOR = "best board first"
TABLE = "table's best move first"
PAPERS = (EVALUATOR, TABLE)
"""The orderings in the paper, each the only change to plain alpha-beta."""
DEEPENING = "table, deepening by one ply"
SEARCHES: Mapping[str, Mapping[str, Any]] = {
    "few replies, and what cut off": {"ordering": "killer"},
    "replies and cuts, with a table": {"ordering": "killer", "table": 16},
}
"""Further options of evoply's players."""
_SHARES = (0.25, 0.5, 0.75)
"""The shares of a game after which positions are taken."""
_TIMES = 3
"""Searches of each position; the fastest counts."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of one search of a position."""

    move: int
    value: float
    nodes: int
    """Positions entered and boards valued at the horizon."""
    sorting: int
    """Boards valued only to order moves."""
    seconds: float
    """The time of the fastest of several searches."""


def ordering(request: Reproduction) -> Result:
    """Return nodes and times of orderings, as parts of those of plain alpha-beta."""
    positions, depths = _positions(request), request.sizes("depths")
    searched: dict[int, dict[str, list[Searched]]] = {depth: {} for depth in depths}
    for depth, (player, position) in request.each(product(depths, positions)):
        for name, search in _searches(player, position, depth):
            searched[depth].setdefault(name, []).append(search)
    rows: list[Row] = []
    nodes: dict[int, list[Figure]] = {}
    for depth in depths:
        plain = searched[depth].pop(PLAIN)
        nodes[depth] = [_nodes(tried, plain) for tried in searched[depth].values()]
        for name, tried in searched[depth].items():
            figures = _figures(name, tried, plain)
            rows += [
                request.row(f"depth {depth}, {name}: {what}", ours, f"{name}: {what}")
                for what, ours in figures.items()
            ]
    chart = interval_chart(
        "Nodes", [*PAPERS, DEEPENING, *SEARCHES],
        [series(f"depth {depth}", figures) for depth, figures in nodes.items()],
        "nodes, as a part of plain alpha-beta's", reference=1.0,
        note="the paper: about half with the best board first",
    )  # fmt: skip
    return request.result(rows, [chart], positions=len(positions), times=_TIMES)


def _positions(request: Reproduction) -> list[tuple[AlphaBeta, Position]]:
    """Return positions with a choice, from games of two learned players, each with its player."""
    games = request.size("training")

    def train(run: int, _: int, stop: Event) -> LearningCurve:
        changes = {"games": games, "games_per_step": games}
        return trained(settings(request, run, changes), stop)

    (first,), (second,) = request.quiet().over_seeds_at_once(range(2), 1, train).values()
    played: list[GamePlayed] = []
    match(
        first.player(2), second.player(2), game=request.game or BOARDS[0],
        games=request.size("games"), seed=request.seed, threads=request.threads,
        on_game=played.append,
    )  # fmt: skip
    player = first.player().model_copy(update={"ties": "first"})
    choices = []
    for game in played:
        seen = game.record.positions
        for share in _SHARES:
            position = seen[int(share * (len(seen) - 1))]
            if len(position.legal_moves) > 1:
                choices.append((player, position))
    return choices


def _searches(player: AlphaBeta, position: Position, depth: int) -> Iterator[tuple[str, Searched]]:
    """Yield the name and result of each search of *position*, plain alpha-beta first."""
    game = position.game
    program = player.evaluator.program(game)
    for name, order, depths in (
        (PLAIN, "none", [depth]),
        (EVALUATOR, "evaluator", [depth]),
        (TABLE, "table", [depth]),
        (DEEPENING, "table", [*range(1, depth + 1)]),
    ):
        tried = [
            _native.count_nodes(
                game_rules(game).kernel, program, position.row, depths, order=order, table=16
            )
            for _ in range(_TIMES)
        ]
        _, move, value, *_ = tried[0][-1]
        yield (
            name,
            Searched(
                move, value, sum(part[3] for part in tried[0]), sum(part[4] for part in tried[0]),
                min(sum(part[5] for part in search) for search in tried),
            ),
        )  # fmt: skip
    for name, options in SEARCHES.items():
        native = player.model_copy(update={"depth": depth, **options}).native(game)
        answers = [_native.analyse(native, *position.row, 1) for _ in range(_TIMES)]
        move, score, nodes, *_ = answers[0]
        seconds = min(answer[5] for answer in answers)
        yield name, Searched(move, 0.0 if score is None else score, nodes, 0, seconds)


def _nodes(tried: Sequence[Searched], plain: Sequence[Searched]) -> Figure:
    return ratio_of(
        [new.nodes / old.nodes for new, old in zip(tried, plain, strict=True)], counted="positions"
    )


def _figures(name: str, tried: Sequence[Searched], plain: Sequence[Searched]) -> dict[str, Figure]:
    """Return what is said of a way to search, beside the *plain* one."""
    pairs = list(zip(tried, plain, strict=True))
    same = sum((new.move, new.value) == (old.move, old.value) for new, old in pairs)
    figures = {"nodes": _nodes(tried, plain)}
    if name == EVALUATOR:
        valued = [(new.nodes + new.sorting) / old.nodes for new, old in pairs]
        figures["all boards valued"] = ratio_of(valued, counted="positions")
    figures["time"] = ratio_of(
        [new.seconds / old.seconds for new, old in pairs], counted="positions"
    )
    figures["same answer"] = share_of_games(same, len(pairs), counted="positions")
    return figures
