"""Matches of the online player, with its notes on each of its moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evoply._native import Stream
from evoply.arena import match
from evoply.expressions import Number, board, count, features, squares
from evoply.players import AlphaBeta, ExpressionEvaluator, Online, parse_player
from evoply.protocols import Choice, Clock, GameRecord, Player, Seat
from evoply.studies.study import Reproduction
from evoply.studies.verdicts import Figure, share_of_games

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


def opponents_of(text: str, levels: Sequence[int] = LEVELS) -> Iterator[tuple[str, Player]]:
    """Yield a name and a player for each level that *text* means.

    "ladder" or "" is the ladder; any other player is one level, or one at each of *levels* where
    its text has {level}, as in `engine:gtp:gtp-rhino -m {level}`.
    """
    if text in ("", "ladder"):
        for depth in levels:
            yield f"ladder, {depth} {'ply' if depth == 1 else 'plies'}", ladder_player(depth)
    elif "{level}" in text:
        for level in levels:
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
