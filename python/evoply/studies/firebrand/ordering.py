"""Move orderings of alpha-beta: nodes and times of those in the paper, and of others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

from evoply import _native
from evoply.arena import match
from evoply.formats import GamePlayed
from evoply.games import game_rules
from evoply.players import AlphaBeta
from evoply.protocols import Position
from evoply.reports.charts import interval_chart
from evoply.studies.firebrand.training import (
    BOARDS,
    LearningCurve,
    Size,
    result,
    settings,
    side_by_side,
    trained,
)
from evoply.studies.study import Request, Result, Row, row, series
from evoply.studies.verdicts import Claim, Figure, ratio_of, share_of_games

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
_ELSEWHERE = "another program on another machine"
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


def ordering(request: Request, size: Size) -> Result:
    """Return nodes and times of orderings, as parts of those of plain alpha-beta."""
    positions = _positions(request, size)
    depths = size.ordering_depths
    steps = len(depths) * len(positions)
    rows: list[Row] = []
    nodes: dict[int, list[Figure]] = {}
    for number, depth in enumerate(depths):
        searched: dict[str, list[Searched]] = {}
        for index, (player, position) in enumerate(positions):
            for name, search in _searches(player, position, depth):
                searched.setdefault(name, []).append(search)
            request.progress(number * len(positions) + index + 1, steps)
        depth_rows = _ordering_rows(depth, searched)
        rows += [entry for _, entry in depth_rows]
        nodes[depth] = [figure for figure, _ in depth_rows if figure is not None]
    names = [*PAPERS, DEEPENING, *SEARCHES]
    chart = interval_chart(
        "Nodes", names,
        [series(f"depth {depth}", figures) for depth, figures in nodes.items()],
        "nodes, as a part of plain alpha-beta's", reference=1.0,
        note="the paper: about half with the best board first",
    )  # fmt: skip
    return result(
        request, "ordering", "Which moves are looked at first", rows, [chart],
        notes=(
            f"{len(positions)} positions of games that learned players played; geometric means "
            "over them. Nodes are positions entered and boards valued at the horizon; with the "
            "best board first, boards are also valued to order moves, which has a row of its own.",
            "A way that deepens counts all its depths; what evoply's players do besides deepens "
            "by two plies, and counts the boards that it valued to order the first moves.",
            f"Times are the least of {_TIMES} searches, and differ from machine to machine; "
            "all else does not.",
        ),
        unit="parts of plain alpha-beta's",
    )  # fmt: skip


def _positions(request: Request, size: Size) -> list[tuple[AlphaBeta, Position]]:
    """Return positions with a choice, from games of two learned players, each with its player."""
    games = size.ordering_training

    def job(run: int, stop: Event) -> LearningCurve:
        return trained(settings(request, run, games=games, games_per_step=games), stop)

    quiet = Request(scale=request.scale, threads=request.threads)
    first, second = side_by_side(quiet, [partial(job, run) for run in range(2)])
    played: list[GamePlayed] = []
    match(
        first.player(2), second.player(2), game=request.game or BOARDS[0],
        games=size.ordering_games, seed=request.seed, threads=request.threads,
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


def _ordering_rows(
    depth: int, searched: Mapping[str, Sequence[Searched]]
) -> list[tuple[Figure | None, Row]]:
    """Return the rows of each search except the plain one; rows of nodes have a figure."""
    plain = searched[PLAIN]
    rows: list[tuple[Figure | None, Row]] = []
    for name, tried in searched.items():
        if name == PLAIN:
            continue
        pairs = list(zip(tried, plain, strict=True))
        nodes = ratio_of([new.nodes / old.nodes for new, old in pairs])
        seconds = ratio_of([new.seconds / old.seconds for new, old in pairs])
        same = sum((new.move, new.value) == (old.move, old.value) for new, old in pairs)
        fewer: Figure | Claim | None = None
        if name in PAPERS:
            fewer = Figure(0.5, None) if name == EVALUATOR else Claim("fewer: below 1", high=1.0)
        slower = Claim("slower: above 1", low=1.0) if name in PAPERS else None
        where = f"depth {depth}, {name}"
        rows.append(
            (nodes, row(f"{where}: nodes", nodes, fewer, reference=1.0, otherwise=_ELSEWHERE))
        )
        if name == EVALUATOR:
            valued = ratio_of([(new.nodes + new.sorting) / old.nodes for new, old in pairs])
            rows.append((None, row(f"{where}: all boards valued", valued)))
        rows += [
            (None, row(f"{where}: time", seconds, slower, otherwise=_ELSEWHERE)),
            (None, row(f"{where}: same answer", share_of_games(same, len(pairs)))),
        ]
    return rows
