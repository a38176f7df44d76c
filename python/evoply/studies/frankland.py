"""Frankland and Pillay's study: Table I, times, the weights by phase of the game, other settings.

Source: Frankland & Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015).
"""

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
from evoply.studies.study import BoardPicture, Reproduction, Result, Row, paper, row, study_of
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


def played(
    player: Online, opponent: Player, request: Reproduction, openings: int | None = 8
) -> OnlineMatch:
    """Play games on the 8x8 board, each random opening of so many plies with both colours."""
    games = request.games or request.size("games")
    watched = Watched(player)
    result = match(
        watched,
        opponent,
        game=GAME,
        games=games,
        openings=openings,
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


def times(request: Reproduction) -> Result:
    """Return the seconds of a move in every phase, beside what the paper says of Figure 6."""
    said = played(PAPER, ladder_player(1), request).said
    by_phase = {"all phases": said} | {phase: of for phase, of, _ in _phases(said, request)}
    rows = []
    for phase, moves in by_phase.items():
        seconds = [move.choice.seconds for move in moves]
        if seconds:
            key = "seconds of a move, mean"
            rows.append(request.row(f"{phase}: {key}", mean_of(seconds, counted="moves"), key))
            rows += [
                row(f"{phase}: {name}", Figure(float(value), None, len(seconds), counted="moves"))
                for name, value in (
                    ("95 of 100 moves within", np.quantile(seconds, 0.95)),
                    ("the longest", max(seconds)),
                )
            ]
    return request.result(rows)


def _phases(
    said: Sequence[Said], request: Reproduction, later: int = 0
) -> Iterator[tuple[str, list[Said], Mapping[str, Any]]]:
    """Yield every phase, its moves, and what is printed of it; *later* moves its ends by discs."""
    for phase, printed in paper("frankland")["phases"].items():
        begin, end = (disc + later if 4 < disc < 64 else disc for disc in printed["discs"])
        yield phase, [move for move in said if begin <= move.discs < end], printed


def _weights_of(moves: Sequence[Said], area: str) -> list[float]:
    return [float(move.choice.notes["areas"][area]) for move in moves]


def weights(request: Reproduction) -> Result:
    """Return the mean weight of every area in every phase, over all moves of some games.

    The paper shows the weights of one game and says which areas are high or low. Those that differ
    most from the printed ones come first.
    """
    said = played(PAPER, ladder_player(1), request).said
    printed_rows: list[Row] = []
    claims: list[Row] = []
    others: list[Row] = []
    boards: list[BoardPicture] = []
    for phase, moves, printed in _phases(said, request):
        if moves:
            boards.append(_board(phase, moves, printed["weights"]))
        for area, title in request.table.told["areas"].items():
            name, found = f"{phase}: {area}, {title}", _weights_of(moves, area)
            ours = mean_of(found, within=(0, 32), counted="moves") if found else None
            if (weight := printed["weights"].get(area)) is None:
                others.append(row(name, ours))
            else:
                why = _how_far(found, weight) if found else ""
                printed_rows.append(row(name, ours, Figure(weight, None), otherwise=why))
        claims.append(
            request.row(f"{phase}: {_OUTER}", _outer(moves), f"{_OUTER}, {printed['outer']}")
        )
        claims += request.rows({"all three flags set": _flag_share(moves)}, f"{phase}: ")
    printed_rows.sort(key=lambda found: -abs((found.ours or 0.0) - float(found.paper or 0)))
    return request.result([*printed_rows, *claims, *others], boards)


_OUTER = "corner and inner edge less the inner board"


def _outer(moves: Sequence[Said]) -> Figure | None:
    """Return how much higher the weights of corners and inner edges are than those inside."""
    found = [
        fmean(areas[area] for area in "AC") - fmean(areas[area] for area in "FGHI")
        for areas in (move.choice.notes["areas"] for move in moves)
    ]
    return mean_of(found, within=(-32, 32), counted="moves") if found else None


def _how_far(found: Sequence[float], printed: float) -> str:
    """Return how many of our single moves are as far from our mean as the printed one."""
    mean = fmean(found)
    far = sum(weight <= printed if printed < mean else weight >= printed for weight in found)
    return f"one position; {100 * far / len(found):.0f} % of our moves go so far"


def readings(request: Reproduction) -> Result:
    """Return the weights that differ most under other readings of alpha, phases and games."""
    told = request.table.told
    printed_weights = [
        w for phase in paper("frankland")["phases"].values() for w in phase["weights"].values()
    ]
    middle = fmean(abs(16.5 - weight) for weight in printed_weights)
    rows: list[Row] = []
    known: dict[str, tuple[Said, ...]] = {}
    for number, (name, changes) in enumerate(told["readings"].items()):
        part = request.part(number, len(told["readings"]))
        later, games = changes.get("later", 0), {**changes, "later": 0}
        if repr(games) not in known:
            settings = {key: value for key, value in games.items() if key in Online.model_fields}
            text = games.get("opponent", "")
            opponent = parse_player(text, game=GAME) if text else ladder_player(1)
            known[repr(games)] = played(
                PAPER.with_options(settings), opponent, part, games.get("openings", 8) or None
            ).said
        found = list(_phases(known[repr(games)], request, later))
        distances = [
            abs(fmean(_weights_of(moves, area)) - weight)
            for _, moves, printed in found
            for area, weight in printed["weights"].items()
            if moves
        ]
        early = [move for _, moves, said in found if said["outer"] == "low" for move in moves]
        rows.append(row(f"{name}: distance", mean_of(distances, counted="weights")))
        rows.append(request.row(f"{name}: {_OUTER}", _outer(early), _OUTER))
        for phase, moves, printed in found:
            for area in told["asked"].get(phase, ()) if moves else ():
                ours = mean_of(_weights_of(moves, area), within=(0, 32), counted="moves")
                printed_weight = Figure(printed["weights"][area], None)
                rows.append(row(f"{name}: {phase}, {area}", ours, printed_weight))
        request.shown(request.result(rows, middle=middle))
    return request.result(rows, middle=middle)


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
    return mean_of([float(all(values)) for values in flags], within=(0, 1), counted="moves")


FRANKLAND = study_of(
    "frankland",
    {
        "1": table_1,
        "6": times,
        "weights": weights,
        "readings": readings,
        "sensitivity": sensitivity,
        "ablation": ablation,
        "strong": strong,
    },
)
