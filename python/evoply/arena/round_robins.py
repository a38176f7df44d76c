"""Round robins: every player against every other, and the ratings that follow."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.conditions import (
    MOST_GAMES,
    Conditions,
    circumstances,
    even_games,
    field_of,
)
from evoply.arena.game_terms import PlayerTerms
from evoply.arena.kept_games import keeping
from evoply.arena.matches import RESULT, first_points, report
from evoply.arena.ratings import PairsPlayed
from evoply.arena.schedule import FinishedGames, Results, Schedule, gathered, whole_pairs
from evoply.arena.statistics import (
    Competition,
    Tally,
    TimeUsed,
    distinct_rows,
    pair_statistics,
)
from evoply.arena.stopping import Stop
from evoply.arena.throttle import Pace
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.players import NOT_REPRODUCIBLE
from evoply.protocols.sections import (
    Column,
    Intervals,
    JsonData,
    Page,
    Section,
    between,
    counted,
    share,
    value_in,
)
from evoply.wording import named_apart, short_name, signed, span

MOST_PLAYERS = 1000
_EVERYBODY = "Everybody against everybody"
_MOST_IN_GRID = 16
"""Players whose results against each other are still shown as a grid."""
_MOST_PAIRINGS = 1000
"""Pairings that a page still lists."""
_GAMES_AT_A_TIME = 1000
"""Games that wait for `on_game` with their moves."""


@dataclass(frozen=True, slots=True)
class Standing(JsonData):
    """One player's place in a round robin."""

    also: ClassVar = ("score",)
    rank: int
    player: str
    rating: float | None
    """On Elo's scale; the mean of all players is 0. None for one that has played none of its games
    or forfeited all: they say nothing of anybody's strength, and count for no rating."""
    interval: tuple[float, float] | None
    """95 % interval of the rating; None without one, or with too few distinct games. An end is
    infinite (in JSON null) if the player won, or lost, every game."""
    points: float
    games: int
    place: int = field(metadata={"json": ""})
    """Where the player stood in the list of players, from 0."""
    seconds: TimeUsed | None = field(default=None, metadata={"if_any": True})
    """The time its games took, if they had a clock."""

    @property
    def score(self) -> float:
        """Points a game in [0, 1]."""
        return self.points / self.games if self.games else 0.5


@dataclass(frozen=True, slots=True)
class Pairing(JsonData):
    """The results of the games of two players, from the point of view of the first."""

    also: ClassVar = ("score",)
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

    def turned(self) -> "Pairing":
        """Return the same from the point of view of the second."""
        interval = self.interval and (1 - self.interval[1], 1 - self.interval[0])
        return Pairing(self.second, self.first, self.losses, self.draws, self.wins, interval)


@dataclass(frozen=True, slots=True)
class RoundRobin(Competition):
    """The standings, best first, and all pairings; players are indices into *players*."""

    kind_in_json: ClassVar = {"mode": "round-robin"}
    players: tuple[str, ...]
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...] = field(metadata={"from": "named_pairings"})
    games: int
    distinct_games: int
    about: tuple[Mapping[str, Any], ...] = ()
    """For each of *players*: its name as `player`, `kind`, `version`, `forfeits` (games) and, for
    an engine, its own name (`engine`) and its `command`."""
    chosen: tuple[str, ...] = field(default=(), metadata={"json": ""})
    """Players whose results against everybody are shown, too."""

    @property
    def named_pairings(self) -> list[dict[str, Any]]:
        """The pairings as JSON-ready data with the names of players."""
        return [
            pairing.to_dict()
            | {"first": self.players[pairing.first], "second": self.players[pairing.second]}
            for pairing in self.pairings
        ]

    def results_of(self, player: str) -> list[Pairing]:
        """Return the results of *player* against all others from its view, the best of them first.

        They are none if it did not take part.
        """
        if player not in self.players:
            return []
        ranks = {row.place: row.rank for row in self.standings}
        place = self.players.index(player)
        own = [
            met if met.first == place else met.turned()
            for met in self.pairings
            if place in (met.first, met.second)
        ]
        return sorted(own, key=lambda met: ranks[met.second])

    def __str__(self) -> str:
        ranked = (
            f"{standing.rank}. {short_name(standing.player)}"
            + ("" if standing.rating is None else f" {signed(standing.rating)}")
            + (f" ({span(standing.interval, '')})" if standing.interval else "")
            for standing in self.standings
        )
        return ", ".join(ranked) + ("" if self.reproducible else NOT_REPRODUCIBLE)

    def shown(self) -> Page:
        """Return the standings, and how every two players fared, or of many the best."""
        standings = self.standings
        games = f"{self.games:,} of {self.planned:,}"
        facts = {
            "players": counted(len(standings)),
            "games": games if self.games < self.planned else counted(self.games),
            "different games": counted(self.distinct_games),
        }
        columns, rows = self.with_fates(STANDINGS, standings)
        sections = [
            Section("Standings", columns, rows, RATING_NOTE, charts=[_RATINGS]),
            self._against_each_other(),
            *map(self._against_everybody, self.chosen),
            self.forfeited(),
        ]
        title = self.title or f"Round robin: {game_rules(self.game).title}"
        return Page(title, sections, facts | self.usual_facts)

    def _against_each_other(self) -> Section:
        if len(self.standings) <= _MOST_IN_GRID:
            return self._grid(self.standings, _EVERYBODY)
        if len(self.pairings) <= _MOST_PAIRINGS:
            return self._all_pairings()
        others = (
            f" All {len(self.pairings):,} pairs of players are in the result as JSON (`--json`); "
            "`--results-of PLAYER` shows those of one player here."
        )
        return self._grid(self.standings[:_MOST_IN_GRID], "The best against each other", others)

    def _grid(self, rows: Sequence[Standing], title: str, others: str = "") -> Section:
        places = {row.place for row in rows}
        scores = {
            (met.first, met.second): 100 * met.score
            for met in self.pairings
            if met.first in places and met.second in places
        }
        scores |= {(other, player): 100 - score for (player, other), score in scores.items()}

        def against(rank: int, place: int) -> Column:
            def points(row: Standing) -> float | None:
                return scores.get((row.place, place))

            return Column("", str(rank), "{:.0f} %".format, read=points, missing="")

        columns = (
            Column("rank", "", str),
            Column("player", "", str, look="code"),
            *(against(standing.rank, standing.place) for standing in rows),
        )
        note = "Points per game of the row's player against the column's, players by rank." + others
        return Section(title, columns, rows, note, look="grid", longest=30)

    def _against_everybody(self, player: str) -> Section:
        ranks = {row.place: row.rank for row in self.standings}
        columns = (
            Column("", "rank", counted, read=lambda met: ranks[met.second]),
            Column("", "opponent", str, read=lambda met: self.players[met.second], look="code"),
            RESULT,
            Column("score", "score", share),
        )
        return Section(
            f"{short_name(player)} against everybody", columns, self.results_of(player), longest=40
        )

    def _all_pairings(self) -> Section:
        columns = (
            Column("", "player", str, read=lambda met: self.players[met.first], look="code"),
            Column("", "opponent", str, read=lambda met: self.players[met.second], look="code"),
            RESULT,
            Column("score", "score", share),
        )
        return Section(_EVERYBODY, columns, self.pairings, folded="All pairings", longest=40)


RATING_NOTE = (
    "Ratings are those under which the results were likeliest (Bradley and Terry), on Elo's scale: "
    "400 points are ten to one. A draw counts half. Intervals take the two games of an opening "
    "together, because they are not independent."
)

_RATINGS = Intervals("Ratings", "rating (Elo, mean 0)", "rating", "interval", reference=0.0)

STANDINGS = (
    Column("rank", "rank", counted),
    Column("player", "player", str, look="code"),
    Column("rating", "rating", signed, look="strong"),
    Column(
        "interval",
        "95 % interval",
        lambda ends: between(signed)(ends) if ends else "too few games",
        read=lambda row: None if value_in(row, "rating") is None else row.interval or (),
    ),
    Column(
        "score",
        "score",
        share,
        read=lambda row: value_in(row, "score") if value_in(row, "games") else None,
    ),
    Column("games", "games", counted),
)
"""The columns of standings of round robins."""


def round_robin(
    players: Sequence[object],
    *,
    games: int = 100,
    progress: Callable[[int], object] | None = None,
    on_standings: Callable[[RoundRobin], object] | None = None,
    on_game: Callable[[GamePlayed], object] | None = None,
    file: str | os.PathLike[str] | None = None,
    on_change: Callable[[str], object] | None = None,
    **terms: Unpack[PlayerTerms],
) -> RoundRobin:
    """Play *games* games between every two of *players* and rate them.

    Players and all other arguments are those of `match`; every pairing has its own openings.
    The workers of a *cluster* (`evoply.cluster.connect`) play with the same result.
    Raises ValueError for fewer than two players and as `match` does. Ctrl-C raises a
    `StoppedWithResultError` with the *result* of the pairs of games that were played by then, if
    every two players have met; every two play their first pair before any play their second.
    *on_standings* is called with such a result of the games so far every few seconds, for
    spectators; the times depend on the machine, and nothing depends on them. *on_game* is that of
    `match`. A *file* keeps every game: the same call goes on with those that are missing, and the
    result is that of a tournament that nobody stopped. `ValueError` says what is not as it was.
    With *on_change* the players may be others: only the games of those who are new or were changed
    are played, and it is called with a sentence for each.

    >>> round_robin(["greedy", "random"], games=100, seed=1).standings[0].player
    'greedy'
    """
    opponents(len(players), games)
    field = field_of(players, **terms)
    conditions = field.conditions
    names = named_apart(field.labels)
    pairings = len(names) * (len(names) - 1) // 2
    left, facts = pairings * games, {"mode": "round-robin", "games": games}
    played: list[FinishedGames] = []

    def standings() -> RoundRobin | None:
        """Return the result of the games so far; None until every two players have met."""
        in_turns = whole_pairs(played)
        if in_turns is None:
            return None
        # Back in the order of the schedule, where the games of a meeting follow one another.
        whole = gathered([FinishedGames(order[in_turns.places], in_turns.results)])
        batch, results = schedule.batch(whole.places), whole.results
        if _meetings(batch) < pairings:
            return None
        tally = Tally(names)
        tally.add(batch, results)
        return rate(
            conditions,
            tally,
            batch,
            results,
            planned=len(order),
            reproducible=field.reproducible,
            about=field.about(tally, names),
        )

    def tell() -> None:
        so_far = standings()
        if so_far is not None and on_standings is not None:
            on_standings(so_far)

    pace = Pace()
    with (
        keeping(file, field, facts, games=games, on_change=on_change) as kept,
        Stop() as stop,
        field.runner() as runner,
    ):
        schedule, order = _schedule(
            conditions, games, [*range(len(names))] if kept is None else kept.seats
        )
        in_turn = schedule.batch(order)
        sizes = runner.sizes(len(order) if on_game is None else _GAMES_AT_A_TIME)
        batches = (
            runner.batches(
                in_turn, sizes=sizes, progress=progress, record_moves=on_game is not None
            )
            if kept is None
            else _in_turns(
                kept.batches(runner, schedule, 0, order=order, sizes=sizes, progress=progress),
                order,
            )
        )
        if on_game is not None:
            batches = report(batches, field, in_turn, on_game, names)
        for batch in batches:
            played.append(batch)
            left -= len(batch)
            if left and on_standings is not None:
                pace.look(tell)
    return stop.give(standings())


def _schedule(
    conditions: Conditions, games: int, seats: Sequence[int | None]
) -> tuple[Schedule, NDArray[np.intp]]:
    """Return all games of all *seats*, and those of players who are here in the order of play.

    The games of a meeting follow one another in the schedule (`meeting_of`). In the order of play
    all meet once before any meet again.
    """
    if len(seats) > MOST_PLAYERS:
        raise ValueError(f"file: it knows {len(seats):,} players, too many: name another file")
    pairs = [(first, second) for second in range(len(seats)) for first in range(second)]
    first, second = np.array(pairs, dtype=np.intp).repeat(games // 2, axis=0).T
    meetings = np.tile(np.arange(games // 2), len(pairs))
    schedule = conditions.pairs(first, second, Stream(conditions.seed, "round robin"), meetings)
    is_here = np.array([player is not None for player in seats])
    players = np.array([player or 0 for player in seats])
    both = is_here[schedule.black] & is_here[schedule.white]
    turns = np.arange(len(schedule), dtype=np.intp).reshape(-1, games // 2, 2).swapaxes(0, 1)
    order = turns.ravel()
    return (
        schedule.with_seats(players[schedule.black], players[schedule.white]),
        order[both[order]],
    )


def _in_turns(batches: Iterator[FinishedGames], order: NDArray[np.intp]) -> Iterator[FinishedGames]:
    """Yield the same games with their turns in *order* as places."""
    by_place = np.argsort(order)
    for batch in batches:
        turns = by_place[np.searchsorted(order, batch.places, sorter=by_place)]
        yield FinishedGames(turns, batch.results)


def _meetings(schedule: Schedule) -> int:
    """Return the number of pairings with a game in *schedule*, whose games come in pairs."""
    sides = np.column_stack([schedule.black[::2], schedule.white[::2]])
    return len(np.unique(sides, axis=0))


def check_players(players: int) -> None:
    """Raise `ValueError` unless so many *players* can play a tournament."""
    if not 2 <= players <= MOST_PLAYERS:
        raise ValueError(f"players: {players} given, and a tournament has 2 to {MOST_PLAYERS:,}")


def opponents(players: int, games: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return who meets whom in each opening pair, if every two of *players* play *games* games.

    Players are indices into a list. Raises `ValueError` for numbers outside the bounds.
    """
    check_players(players)
    games = even_games(games)
    pairs = np.array(list(combinations(range(players), 2)), dtype=np.intp)
    if games * len(pairs) > MOST_GAMES:
        raise ValueError(
            f"games: {games * len(pairs):,} in all are more than {MOST_GAMES:,}: play fewer"
        )
    first, second = pairs.repeat(games // 2, axis=0).T
    return first, second


def rate(
    conditions: Conditions,
    tally: Tally,
    schedule: Schedule,
    results: Results,
    *,
    planned: int,
    reproducible: bool,
    about: tuple[Mapping[str, Any], ...] = (),
) -> RoundRobin:
    """Return the round robin of the games of *schedule*, with the players' names from *tally*.

    Every two games are an opening pair, the pairs of the same two follow one another, and all are
    counted by *tally*. A tournament that ended early has fewer games than *planned*.
    """
    names = tally.names
    first, second = schedule.black[::2].astype(np.intp), schedule.white[::2].astype(np.intp)
    return RoundRobin(
        players=tuple(names),
        standings=_standings(tally, schedule, results, tally.times(conditions.clock)),
        pairings=_pairings(first, second, results),
        games=len(results),
        distinct_games=distinct_rows(results.hashes[:, np.newaxis]),
        planned=planned,
        **circumstances(conditions, tally, reproducible=reproducible),
        about=about,
    )


def ratings_of(
    pairs: PairsPlayed, is_rated: Sequence[bool]
) -> tuple[list[float | None], list[tuple[float, float] | None]]:
    """Return the rating of each player and its interval, None for those that are not rated.

    Pairs with one of these count for nobody.
    """
    rated = np.flatnonzero(is_rated)
    among = np.isin(pairs.first, rated) & np.isin(pairs.second, rated)
    kept = PairsPlayed(
        np.searchsorted(rated, pairs.first[among]),
        np.searchsorted(rated, pairs.second[among]),
        pairs.points[among],
        pairs.hashes[among],
    )
    elo: list[float | None] = [None] * len(is_rated)
    intervals: list[tuple[float, float] | None] = [None] * len(is_rated)
    if len(rated):
        ratings = kept.ratings(len(rated))
        for place, player in enumerate(rated.tolist()):
            elo[player], intervals[player] = float(ratings.elo[place]), ratings.interval(place)
    return elo, intervals


def _standings(
    tally: Tally, schedule: Schedule, results: Results, times: Sequence[TimeUsed | None]
) -> tuple[Standing, ...]:
    names, count = tally.names, len(tally.names)
    black = results.black_points
    points = np.bincount(schedule.black, weights=black, minlength=count)
    points += np.bincount(schedule.white, weights=1 - black, minlength=count)
    games = np.bincount(schedule.black, minlength=count) + np.bincount(
        schedule.white, minlength=count
    )
    first, second = schedule.black[::2].astype(np.intp), schedule.white[::2].astype(np.intp)
    elo, intervals = ratings_of(
        PairsPlayed.of(first, second, results),
        [tally.games_of(player) < games[player] for player in range(count)],
    )
    order = sorted(
        range(count), key=lambda player: (elo[player] is None, -(elo[player] or 0.0), player)
    )
    return tuple(
        Standing(
            rank=rank,
            player=names[player],
            rating=elo[player],
            interval=intervals[player],
            points=float(points[player]),
            games=int(games[player]),
            place=player,
            seconds=times[player],
        )
        for rank, player in enumerate(order, start=1)
    )


def _pairings(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    results: Results,
) -> tuple[Pairing, ...]:
    keys, points = first * (int(second.max(initial=0)) + 1) + second, first_points(results)
    _, begins, which, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    games = which.repeat(2)
    wins, draws, losses = (
        np.bincount(games[points == worth], minlength=len(begins)).tolist()
        for worth in (1.0, 0.5, 0.0)
    )

    def interval(place: int) -> tuple[float, float] | None:
        count = int(counts[place])
        if count == 1:  # a single pair of games has none, and a large field has hardly others
            return None
        batch = slice(2 * int(begins[place]), 2 * (int(begins[place]) + count))
        return pair_statistics(points[batch], results.hashes[batch]).interval

    return tuple(
        Pairing(player, opponent, wins[place], draws[place], losses[place], interval(place))
        for place, (player, opponent) in enumerate(
            zip(first[begins].tolist(), second[begins].tolist(), strict=True)
        )
    )
