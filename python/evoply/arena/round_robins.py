"""Round robins: everybody against everybody, and the ratings that follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.field import MOST_GAMES, Forfeits, LostGames, Openings, even_games, field_of
from evoply.arena.matches import first_points
from evoply.arena.ratings import Ratings, bradley_terry
from evoply.arena.schedule import Results, Schedule
from evoply.arena.statistics import pair_statistics
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.notebook import table_html
from evoply.players import NOT_REPRODUCIBLE
from evoply.protocols import Player, Position
from evoply.wording import short_name, signed, span

MOST_PLAYERS = 1000


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place in a round robin."""

    rank: int
    player: str
    rating: float
    """On Elo's scale; the mean of all players is 0."""
    interval: tuple[float, float] | None
    """95 % interval of the rating; None with too few distinct games."""
    points: float
    games: int
    place: int
    """Where the player stood in the list of players, from 0."""

    @property
    def score(self) -> float:
        """Points a game in [0, 1]."""
        return self.points / self.games if self.games else 0.5


@dataclass(frozen=True, slots=True)
class Pairing:
    """What came of the games of two players, from the point of view of the first."""

    first: int
    second: int
    wins: int
    draws: int
    losses: int
    interval: tuple[float, float] | None

    @property
    def score(self) -> float:
        """Points a game of the first player."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """The standings, best first, and every pairing, players as places in the list of players."""

    game: str
    players: tuple[str, ...]
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]
    games: int
    distinct_games: int
    opening_plies: int
    seed: int
    reproducible: bool = True
    forfeits: tuple[LostGames, ...] = ()
    """Games that were forfeited: by whom, against whom and why."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; pairings name players."""
        return {
            "mode": "round-robin",
            "game": self.game,
            "players": list(self.players),
            "standings": [
                {
                    "rank": one.rank,
                    "player": one.player,
                    "rating": one.rating,
                    "interval": None if one.interval is None else list(one.interval),
                    "points": one.points,
                    "games": one.games,
                    "score": one.score,
                }
                for one in self.standings
            ],
            "pairings": [
                {
                    "first": self.players[one.first],
                    "second": self.players[one.second],
                    "wins": one.wins,
                    "draws": one.draws,
                    "losses": one.losses,
                    "score": one.score,
                    "interval": None if one.interval is None else list(one.interval),
                }
                for one in self.pairings
            ],
            "games": self.games,
            "distinct_games": self.distinct_games,
            "openings": self.opening_plies,
            "seed": self.seed,
            "reproducible": self.reproducible,
            "forfeits": [one.to_dict() for one in self.forfeits],
        }

    def __str__(self) -> str:
        places = (
            f"{one.rank}. {short_name(one.player)} {signed(one.rating)}"
            + (f" ({span(one.interval, '')})" if one.interval else "")
            for one in self.standings
        )
        return ", ".join(places) + ("" if self.reproducible else NOT_REPRODUCIBLE)

    def _repr_html_(self) -> str:
        rows = [
            (
                one.rank,
                short_name(one.player),
                signed(one.rating),
                span(one.interval, "none"),
                f"{one.score:.1%}",
                one.games,
            )
            for one in self.standings
        ]
        head = ("rank", "player", "rating", "95 % interval", "score", "games")
        return table_html(f"Round robin of {game_rules(self.game).title}", rows, head)


def round_robin(
    players: Sequence[object],
    *,
    game: str = "othello",
    games: int = 100,
    seed: int = 1,
    openings: Openings = "usual",
    start: Position | None = None,
    draws: DrawRules | None = None,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> RoundRobin:
    """Play *games* games between every two of *players* and rate them.

    Players and all other arguments are those of `match`; every pairing has openings of its own.
    Raises ValueError for fewer than two players and as `match` does.

    >>> round_robin(["greedy", "random"], games=100, seed=1).standings[0].player
    'greedy'
    """
    count = len(players)
    if not 2 <= count <= MOST_PLAYERS:
        raise ValueError(f"players: {count} given, and a tournament has 2 to {MOST_PLAYERS:,}")
    games = even_games(games)
    pairs = list(combinations(range(count), 2))
    if games * len(pairs) > MOST_GAMES:
        raise ValueError(
            f"games: {games * len(pairs):,} in all are more than {MOST_GAMES:,}: play fewer"
        )
    field = field_of(
        players,
        game=game,
        seed=seed,
        openings=openings,
        start=start,
        draws=draws,
        runs=runs,
        threads=threads,
    )
    names = named_apart(field.labels)
    first = np.repeat([one for one, _ in pairs], games // 2)
    second = np.repeat([other for _, other in pairs], games // 2)
    schedule = field.pairs(first, second, Stream(field.seed, "round robin"))
    forfeits = Forfeits(names)
    results = forfeits.add(schedule, field.play(schedule, progress))
    points = first_points(results)
    new = new_pairs(first, second, results)
    ratings = bradley_terry(first[new], second[new], pair_sums(points)[new], count)
    return RoundRobin(
        game=game,
        players=names,
        standings=_standings(names, ratings, schedule, results),
        pairings=_pairings(pairs, points, results, games),
        games=len(results),
        distinct_games=len(np.unique(results.hashes)),
        opening_plies=field.opening_plies,
        seed=field.seed,
        reproducible=field.reproducible and forfeits.are_reproducible,
        forfeits=forfeits.lost,
    )


def pair_sums(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of pairs, 0 to 2, from those of games."""
    sums: NDArray[np.float64] = points.reshape(-1, 2).sum(axis=1)
    return sums


def new_pairs(
    first: NDArray[np.intp], second: NDArray[np.intp], results: Results
) -> NDArray[np.bool_]:
    """Return for each pair whether the same players have not played the same two games before."""
    hashes = results.hashes.reshape(-1, 2)
    keys = np.column_stack([first.astype(np.uint64), second.astype(np.uint64), hashes])
    _, places = np.unique(keys, axis=0, return_index=True)
    is_new = np.zeros(len(first), dtype=bool)
    is_new[places] = True
    return is_new


def named_apart(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels, with numbers after those that several players share.

    >>> named_apart(["a", "b", "a"])
    ('a', 'b', 'a (2)')
    """
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(names)


def _standings(
    names: Sequence[str], ratings: Ratings, schedule: Schedule, results: Results
) -> tuple[Standing, ...]:
    count = len(names)
    black = results.black_points
    points = np.bincount(schedule.black, weights=black, minlength=count)
    points += np.bincount(schedule.white, weights=1 - black, minlength=count)
    games = np.bincount(schedule.black, minlength=count) + np.bincount(
        schedule.white, minlength=count
    )
    order = sorted(range(count), key=lambda place: (-ratings.elo[place], place))
    return tuple(
        Standing(
            rank=rank,
            player=names[place],
            rating=float(ratings.elo[place]),
            interval=ratings.interval(place),
            points=float(points[place]),
            games=int(games[place]),
            place=place,
        )
        for rank, place in enumerate(order, start=1)
    )


def _pairings(
    pairs: Sequence[tuple[int, int]], points: NDArray[np.float64], results: Results, games: int
) -> tuple[Pairing, ...]:
    pairings = []
    for number, (one, other) in enumerate(pairs):
        part = slice(number * games, (number + 1) * games)
        scored = points[part]
        pairings.append(
            Pairing(
                first=one,
                second=other,
                wins=int((scored == 1).sum()),
                draws=int((scored == 0.5).sum()),
                losses=int((scored == 0).sum()),
                interval=pair_statistics(scored, results.hashes[part]).interval,
            )
        )
    return tuple(pairings)
