"""Frankland and Pillay's study: Table I, the weights by phase of the game, other settings.

Source: Frankland & Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from evoply._native import Stream
from evoply.arena import match
from evoply.expressions import Number, board, count, features, squares
from evoply.players import AlphaBeta, ExpressionEvaluator, Online, parse_player
from evoply.protocols import Choice, Clock, GameRecord, Player, Seat
from evoply.studies.study import BoardPicture, Reproduction, Result, Row, row, study_of
from evoply.studies.verdicts import Figure, difference, mean_of, share_of_games

GAME = "othello"
LEVELS = (1, 3, 5, 7)
"""The depths of the ladder, which are those of the paper's WZebra."""
PAPER = Online(carry="run")
"""The settings of the paper, as `frankland2015`."""
_CORNER, _BESIDE, _DIAGONAL = 12.0, 2.0, 4.0
"""The worth of a corner in legal moves, and the cost of a disc beside an empty corner."""
_QUARTERS = (("a1", ("b1", "a2"), "b2"), ("h1", ("g1", "h2"), "g2"), ("a8", ("b8", "a7"), "b7"),
             ("h8", ("g8", "h7"), "g7"))  # fmt: skip


def ladder_player(depth: int) -> AlphaBeta:
    """Return a player *depth* plies deep with the basic advice of books on Othello.

    It counts legal moves, corners, and discs beside corners that are still empty, with untuned
    weights set by hand.
    """
    return AlphaBeta(
        evaluator=ExpressionEvaluator(expression=(_side("own") - _side("opponent")).to_dict()),
        depth=depth,
        view="turn",
        ordering="killer",
        ties="random",
        name=f"ladder {depth}",
    )


def _side(side: str) -> Number:
    """Return the value of the features of *side*, in legal moves."""
    value = features.mobility(side) + _CORNER * features.corners(side)
    for corner, beside, diagonal in _QUARTERS:
        is_free = count(board.empty & squares([corner]))
        own = features.pieces_of(side)
        value = value - is_free * (
            _BESIDE * count(own & squares(beside)) + _DIAGONAL * count(own & squares([diagonal]))
        )
    return value


def opponents_of(text: str) -> Iterator[tuple[str, Player]]:
    """Yield a name and a player for each level that *text* means.

    "ladder" or "" is the ladder; any other player is one level, or one at each of `LEVELS` where
    its text has {level}, as in `engine:gtp:gtp-rhino -m {level}`.
    """
    if text in ("", "ladder"):
        for depth in LEVELS:
            yield f"ladder, {depth} {'ply' if depth == 1 else 'plies'}", ladder_player(depth)
    elif "{level}" in text:
        for level in LEVELS:
            name = text.replace("{level}", str(level))
            yield name, parse_player(name, game=GAME)
    else:
        yield text, parse_player(text, game=GAME)


@dataclass(frozen=True, slots=True)
class Said:
    """The notes of an online player on one move."""

    discs: int
    """The discs on the board before the move."""
    choice: Choice


@dataclass
class _WatchedSeat(Seat):
    seat: Seat
    said: list[Said]

    def __post_init__(self) -> None:
        self.is_shared = self.seat.is_shared

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        choice = self.seat.choose(game, stream, clock)
        self.said.append(Said(_discs(game), choice))
        return choice

    def close(self) -> None:
        self.seat.close()


@dataclass(frozen=True)
class Watched:
    """A player that records its choices, in any order."""

    player: Online
    said: list[Said] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The label of the player."""
        return self.player.label

    @property
    def reproducible(self) -> bool:
        """Whether the player is reproducible."""
        return self.player.reproducible

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the player does not play *game*."""
        self.player.check_fits(game)

    def seat(self, game: str) -> _WatchedSeat:
        """Return a seat of the player that records its choices."""
        return _WatchedSeat(self.player.seat(game), self.said)


def _discs(game: GameRecord) -> int:
    position = game.position
    return sum(int(position.pieces(color)) for color in (position.turn, position.turn.opposite))


@dataclass(frozen=True, slots=True)
class OnlineMatch:
    """A match of the online player."""

    wins: int
    draws: int
    games: int
    distinct: int
    said: tuple[Said, ...]

    @property
    def win_share(self) -> Figure:
        """Games won, in percent."""
        return share_of_games(self.wins, self.games, of=100, distinct=self.distinct)

    @property
    def tie_share(self) -> Figure:
        """Games tied, in percent."""
        return share_of_games(self.draws, self.games, of=100, distinct=self.distinct)

    @property
    def score(self) -> Figure:
        """Points in percent, a tie counting half."""
        points = self.wins + self.draws / 2
        return share_of_games(points, self.games, of=100, distinct=self.distinct)

    @property
    def seconds(self) -> tuple[float, float]:
        """The mean time of a move, and the time that 95 of 100 moves stay below."""
        times = [move.choice.seconds for move in self.said] or [0.0]
        return float(np.mean(times)), float(np.quantile(times, 0.95))


def _order(move: Said) -> tuple[int, ...]:
    areas = move.choice.notes.get("areas", {})  # missing if the end of the game was solved
    return move.discs, *areas.values()


def played(player: Online, opponent: Player, request: Reproduction) -> OnlineMatch:
    """Play random openings, each twice with colours swapped, on the 8x8 board."""
    games = request.games or request.size("games")
    watched = Watched(player)
    result = match(
        watched,
        opponent,
        game=GAME,
        games=games,
        seed=request.seed,
        threads=request.threads,
        progress=lambda done: request.progress(done, games),
    )
    # Threads record choices in any order.
    moves = sorted(watched.said, key=_order)
    return OnlineMatch(result.wins, result.draws, result.games, result.distinct_games, tuple(moves))


_ELSEWHERE = "the opponent is not the paper's WZebra"
_MISSING = "this opponent of the paper cannot be had"


def table_1(request: Reproduction) -> Result:
    """Return wins and ties of the online player, beside all rows of the paper's table.

    The ladder stands in WZebra's place, or an engine that is given with {level} in its text.
    """
    levels = list(opponents_of(request.opponent))
    stands_in = request.opponent in ("", "ladder") or "{level}" in request.opponent
    return _against(request, PAPER, levels, LEVELS if stands_in else ())


def strong(request: Reproduction) -> Result:
    """Return wins and ties of the strongest form against opponents of growing depth.

    At the largest scale it plays 200,000 games for a move at the start, else as many as the paper.
    """
    games = request.size("evolution_games")
    player = parse_player(f"online-strong:games={games}")
    assert isinstance(player, Online)
    levels = list(opponents_of(request.opponent))
    return _against(request, player, levels, (), move_games=100 * 21 * games)


def _against(
    request: Reproduction,
    player: Online,
    levels: Sequence[tuple[str, Player]],
    plies: Sequence[int],
    **told: object,
) -> Result:
    """Return the wins and ties of *player* against each of *levels*, and its time.

    Where they look WZebra's numbers of *plies* ahead, all rows of the paper's table are there.
    """
    rows: list[Row] = []
    notes: list[str] = []
    missing = [
        row(f"{name}: {what}", None, Figure(printed[what], None), reason=_MISSING)
        for name, printed in request.table.told.get("not_to_be_had", {}).items()
        for what in ("wins", "ties")
        if plies
    ]
    for step, (name, opponent) in enumerate(levels):
        online = played(player, opponent, request.part(step, len(levels)))
        before, printed = name, {}
        for rung, figures in request.table.told["wzebra"].items() if plies else ():
            if plies[step] in figures["depths"]:
                before, printed = f"WZebra, {rung}: here {name}", figures
        wins, ties = (Figure(printed[what], None) if printed else None for what in ("wins", "ties"))
        rows += [
            row(f"{before}: wins", online.win_share, wins, reference=50.0, otherwise=_ELSEWHERE),
            row(f"{before}: ties", online.tie_share, ties, otherwise=_ELSEWHERE),
        ]
        mean, slow = online.seconds
        notes.append(
            f"{name}: {mean:.3f} s per move on average, 95 % of the moves within {slow:.3f} s."
        )
        result = request.result([*rows, *missing], (), notes, **told)
        request.shown(result)
    return result


def sensitivity(request: Reproduction) -> Result:
    """Return the gain in points of each changed setting over the paper's settings."""
    told = request.table.told
    changes = {**told["not_better"], **told["left_open"]}
    return _compare(request, PAPER, changes, [ladder_player(1)], told["not_better"])


def ablation(request: Reproduction) -> Result:
    """Return the gain of each idea beyond the paper, and of all together.

    Alpha is kept for one game, so that games go on all cores at once.
    """
    named = dict(opponents_of(request.opponent)) if request.opponent else {}
    opponents = [*named.values()] or [ladder_player(3)]
    return _compare(request, Online(), request.table.told["ideas"], opponents, ())


def _compare(
    request: Reproduction,
    usual: Online,
    changes: Mapping[str, Mapping[str, Any]],
    opponents: Sequence[Player],
    no_better: Mapping[str, Any] | tuple[()],
) -> Result:
    """Return the score of each change of the *usual* player, and its gain over that."""
    rows: list[Row] = []
    steps = [
        (opponent, name, change)
        for opponent in opponents
        for name, change in {"as in the paper": {}, **changes}.items()
    ]
    for number, (opponent, name, change) in enumerate(steps):
        online = played(usual.with_options(change), opponent, request.part(number, len(steps)))
        before = f"{opponent.label}: " if len(opponents) > 1 else ""
        rows.append(row(f"{before}{name}: score", online.score))
        if name not in changes:
            base = online.score
        else:
            claim = Figure(0.0, None) if name in no_better else None
            rows.append(row(f"{before}{name}: gain", difference(online.score, base), claim))
        result = request.result(rows)
        request.shown(result)
    return result


def weights(request: Reproduction) -> Result:
    """Return the mean weight of every area in every phase, over all moves of some games.

    The paper shows the weights of one game and says which areas are high or low.
    """
    online = played(PAPER, ladder_player(1), request)
    told = request.table.told
    rows: list[Row] = []
    boards: list[BoardPicture] = []
    for phase, printed in told["phases"].items():
        begin, end = printed["discs"]
        moves = [move for move in online.said if begin <= move.discs < end]
        if moves:
            boards.append(_board(phase, moves, printed["weights"]))
        by_area: defaultdict[str, list[float]] = defaultdict(list)
        for move in moves:
            for area, weight in move.choice.notes["areas"].items():
                by_area[area].append(float(weight))
        for area, title in told["areas"].items():
            ours = mean_of(by_area[area], within=(0, 32)) if by_area[area] else None
            weight = printed["weights"].get(area)
            rows.append(
                row(
                    f"{phase}: {area}, {title}",
                    ours,
                    None if weight is None else Figure(weight, None),
                    otherwise="the paper shows one position of one game",
                )
            )
        rows += request.rows({"all three flags set": _flag_share(moves)}, f"{phase}: ")
    return request.result(rows, boards)


def _board(phase: str, moves: Sequence[Said], printed: Mapping[str, float]) -> BoardPicture:
    """Return the mean worth of a move to each square, the flags' doubling included."""
    example = ", ".join(f"{area} {weight:g}" for area, weight in printed.items())
    squares = zip(*(move.choice.notes["weights"] for move in moves), strict=False)
    return BoardPicture(
        f"Weights, {phase}",
        GAME,
        tuple(map(fmean, squares)),
        note=f"mean of {len(moves):,} moves" + (example and f"; the paper's example: {example}"),
    )


def _flag_share(moves: Sequence[Said]) -> Figure | None:
    if not moves:
        return None
    flags = [move.choice.notes["flags"].values() for move in moves]
    return mean_of([float(all(values)) for values in flags], within=(0, 1))


FRANKLAND = study_of(
    "frankland",
    {
        "1": table_1,
        "weights": weights,
        "sensitivity": sensitivity,
        "ablation": ablation,
        "strong": strong,
    },
)
