"""Matches: two players, every opening twice with colours swapped, and an honest result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena.schedule import MOST_THREADS, Results, Schedule, checked_whole
from evoply.arena.seats import Contestant, is_timed, play_seats, read_contestant, seat_of
from evoply.arena.statistics import elo_difference, pair_statistics
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.notebook import table_html
from evoply.players import NOT_REPRODUCIBLE, Player
from evoply.protocols import Position
from evoply.wording import shorten

__all__ = ["Contestant", "MatchResult", "Openings", "match", "opening_plies"]

MOST_GAMES = 10_000_000
MOST_OPENING_PLIES = 1000

Openings = int | Literal["usual"] | None
"""Random plies before the players begin: so many, what is usual in the game, or none."""


def opening_plies(game: str, openings: Openings) -> int:
    """Return the random plies that *openings* asks for; `ValueError` names it if it is wrong."""
    if openings == "usual":
        return game_rules(game).opening_plies
    return checked_whole("openings", openings or 0, MOST_OPENING_PLIES)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What came of a match, from the point of view of the first player."""

    first: str
    second: str
    game: str
    wins: int
    draws: int
    losses: int
    interval: tuple[float, float] | None
    """95 % interval of the score, from opening pairs; None with too few distinct games."""
    distinct_games: int
    opening_plies: int
    seed: int
    endings: Mapping[str, int] = field(default_factory=dict)
    """How many games ended in each way that occurred, by the value of `evoply.protocols.Ending`."""
    reproducible: bool = True
    """False if a player is limited in time: the same match may end differently next time."""

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game in [0, 1]: a win counts 1, a draw 0.5."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def elo(self) -> float:
        """Rating difference that explains the score; infinite if one side won every game."""
        return elo_difference(self.score)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "first": self.first,
            "second": self.second,
            "game": self.game,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "interval": None if self.interval is None else list(self.interval),
            "elo": self.elo if math.isfinite(self.elo) else None,
            "games": self.games,
            "distinct_games": self.distinct_games,
            "endings": dict(self.endings),
            "openings": self.opening_plies,
            "seed": self.seed,
            "reproducible": self.reproducible,
        }

    def __str__(self) -> str:
        certainty = (
            f"only {self.distinct_games} distinct games: no interval"
            if self.interval is None
            else f"95 %: {self.interval[0]:.1%} to {self.interval[1]:.1%}"
        )
        return (
            f"{self.first} against {self.second}: +{self.wins} ={self.draws} -{self.losses}, "
            f"score {self.score:.1%} ({certainty}){'' if self.reproducible else NOT_REPRODUCIBLE}"
        )

    def _repr_html_(self) -> str:
        interval = (
            f"none ({self.distinct_games} distinct games)"
            if self.interval is None
            else f"{self.interval[0]:.1%} to {self.interval[1]:.1%}"
        )
        cells = {
            "player": self.first,
            "opponent": self.second,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": f"{self.score:.1%}",
            "95 % interval": interval,
            "games": self.games,
            "seed": self.seed if self.reproducible else f"{self.seed}{NOT_REPRODUCIBLE}",
        }
        return table_html(f"Match of {game_rules(self.game).title}", [[*cells.values()]], [*cells])


def match(
    first: Contestant,
    second: Contestant,
    *,
    game: str = "othello",
    games: int = 1000,
    seed: int = 0,
    openings: Openings = "usual",
    start: Position | None = None,
    draws: DrawRules | None = None,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> MatchResult:
    """Play *games* games between two players and return the result for the first.

    Every opening of *openings* uniformly random legal plies ("usual": what is usual in the game;
    None or 0: no opening, as papers play) is played twice with colours swapped, so *games* must
    be even. *draws* are the rules about draws, by default those of the game. A tree, or an
    individual of a generation, plays as `evoply.players.player_of` says: one ply ahead. For the
    text `champion@RUN` give `runs=evoply.runs.resolve_champion`. *progress* is told the number of
    finished games now and then. Raises ValueError for players that cannot be read or do not play
    this game.

    >>> match("greedy", "random", games=100, seed=1).games
    100
    """
    games = checked_whole("games", games, MOST_GAMES)
    seed = checked_whole("seed", seed, 2**64 - 1)
    plies = opening_plies(game, openings)
    threads = checked_whole("threads", threads, MOST_THREADS)
    if not games or games % 2:
        raise ValueError(
            f"games: {games} is not an even number from 2 to {MOST_GAMES}: "
            "every opening is played twice, with colours swapped"
        )
    rules = game_rules(game)
    start = start or rules.start()
    if not hasattr(start, "row"):
        raise TypeError(f"start: {shorten(repr(start))} is not a position")
    if start.game != game:
        raise ValueError(f"start: a position of {start.game} in a match of {game}")
    read = [read_contestant(player, game, runs) for player in (first, second)]
    (one, one_seat), (other, other_seat) = (seat_of(player, game) for player in read)
    schedule = Schedule.pairs(
        np.zeros(games // 2, dtype=np.uint32),
        np.ones(games // 2, dtype=np.uint32),
        stream=_native.Stream(seed, "match"),
        opening_plies=plies,
        start=start.row,
        draws=draws,
    )
    seats = (one_seat, other_seat)
    results = play_seats(game, seats, schedule, threads=threads, progress=progress)
    points = results.black_points
    points[1::2] = 1 - points[1::2]
    result = _result(one, other, game, points, results, plies, seed)
    return replace(result, reproducible=False) if any(map(is_timed, read)) else result


def _result(
    first: str,
    second: str,
    game: str,
    points: NDArray[np.float64],
    results: Results,
    openings: int,
    seed: int,
) -> MatchResult:
    statistics = pair_statistics(points, results.hashes)
    return MatchResult(
        first=first,
        second=second,
        game=game,
        wins=int((points == 1).sum()),
        draws=int((points == 0.5).sum()),
        losses=int((points == 0).sum()),
        interval=statistics.interval,
        distinct_games=len(np.unique(results.hashes)),
        opening_plies=openings,
        seed=seed,
        endings=results.ending_counts,
    )
