"""The games of a league: seed by seed all play all, under each condition, and every game is kept.

Games at a time a move depend on the machine: they are played once and never again. Those at a depth
are the same whenever and wherever they are played.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.conditions import Field, field_of
from evoply.arena.schedule import FinishedGames, Schedule
from evoply.checksums import Database, Group
from evoply.leagues.league_data import Condition, Entrant, LeaguePairing, MadePlayer
from evoply.leagues.plan import LeagueFolder
from evoply.ledger import Ledger
from evoply.players import PlayerKind, model_of
from evoply.protocols import Cluster, Player, RunError

_GAMES = Group(
    "games",
    "game {}",
    "SELECT number, points, hash FROM games WHERE number BETWEEN ? AND ? ORDER BY number",
    "INSERT INTO games VALUES (?, ?, ?)",
)
_LEDGER = Ledger(
    mark=b"EVLG",
    format=1,
    tables="CREATE TABLE games (number INTEGER PRIMARY KEY, points REAL NOT NULL, hash TEXT);",
    error=RunError,
    in_use="another process plays this league - wait until it has ended",
    foreign="is not the file of a league's games - give another --name",
    unreadable="give the league another --name",
    damaged="put a copy back, or remove it: all games are then played again",
    afterwards="give the same command again",
)
_CONDITIONS: tuple[Condition, ...] = ("time", "depth")
_MOST_SEEDS = 1 << 16
_MOST_GAMES = 1 << 24
"""The number of a game is made of its condition, seed and place, so that each has room."""
_AT_A_TIME = 48
"""Games at a time a move that begin together: about ten seconds on two cores."""


class Pair(NamedTuple):
    """Two entrants who meet."""

    first: int
    """Its place in the list of entrants."""
    second: int


@dataclass(frozen=True, slots=True)
class LeagueRound:
    """All games of the players of one seed under one condition."""

    condition: Condition
    seed: int
    index: int
    """The number of the seed, from 0."""

    @property
    def first_number(self) -> int:
        """The number of its first game in the file."""
        part = _CONDITIONS.index(self.condition) * _MOST_SEEDS + self.index
        return part * _MOST_GAMES


def rounds_of(league: LeagueFolder) -> list[LeagueRound]:
    """Return the rounds of *league*: those at equal depth, which take less, come first."""
    conditions = sorted(league.plan.conditions, key=_CONDITIONS.index, reverse=True)
    return [
        LeagueRound(condition, seed, index)
        for condition in conditions
        for index, seed in enumerate(league.plan.all_seeds)
    ]


def pairs_of(league: LeagueFolder, condition: Condition) -> list[Pair]:
    """Return who meets whom: every two methods, and every method the lines of reference."""
    places = [
        place
        for place, entrant in enumerate(league.entrants)
        if _takes_part(league, entrant, condition)
    ]
    return [
        Pair(first, second)
        for first, second in combinations(places, 2)
        if league.entrants[first].is_ranked or league.entrants[second].is_ranked
    ]


def _takes_part(league: LeagueFolder, entrant: Entrant, condition: Condition) -> bool:
    """Whether *entrant* plays under *condition*; a method without values of boards has no depth."""
    ready = league.ready_players.get(entrant.name)
    has_depth = ready is None or not entrant.is_ranked or ready.valuing() is not None
    return condition == "time" or has_depth


def player_under(
    league: LeagueFolder, entrant: Entrant, made: MadePlayer, condition: Condition
) -> PlayerKind:
    """Return a player as it plays under *condition*: lines of reference keep their own form."""
    model = model_of(made.player)
    if not entrant.is_ranked:
        return model
    plan = league.plan
    if condition == "time":
        valuing = model.valuing()
        return (valuing or model).with_options({"time": plan.move_time})
    valuing = model.valuing()
    return model if valuing is None else valuing.with_options({"depth": plan.depth})


@contextmanager
def games_file(league: LeagueFolder) -> Iterator[Database]:
    """Open the file of the games that were played, made if it is not there."""
    path = league.path / "games.db"
    if not path.exists():
        _LEDGER.create(path)
    database = _LEDGER.open(path)
    try:
        with _LEDGER.explaining(path):
            yield database
    finally:
        database.connection.close()


def play_games(
    league: LeagueFolder,
    made: Sequence[MadePlayer],
    *,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
    cluster: Cluster | None = None,
) -> None:
    """Play all games of *league* that are missing, between the players *made*.

    Each is kept as soon as it is finished. *progress* gets the games that are played and those of
    the whole league. A *cluster* plays those at equal depth.
    """
    total = wanted_games(league)
    with games_file(league) as database:
        done = database.count(_GAMES)
        for round_ in rounds_of(league):
            players = {player.entrant: player for player in made if player.seed == round_.seed}
            for part in _missing(league, round_, players, database, threads, cluster):
                with database.transaction():
                    for row in part:
                        database.write(_GAMES, row[0], [row])
                done += len(part)
                if progress is not None:
                    progress(done, total)


def wanted_games(league: LeagueFolder) -> int:
    """Return the games of the whole league."""
    return wanted_pairings(league) * league.plan.games


Row = tuple[int, float, str]


def _missing(
    league: LeagueFolder,
    round_: LeagueRound,
    made: dict[str, MadePlayer],
    database: Database,
    threads: int,
    cluster: Cluster | None,
) -> Iterator[list[Row]]:
    """Yield the rows of the games of *round_* that *database* lacks, as they are finished."""
    pairs = pairs_of(league, round_.condition)
    first = round_.first_number
    known = set(database.read(_GAMES, first, first + _MOST_GAMES - 1))
    order = [place for place in _order(len(pairs), league.plan.games) if first + place not in known]
    if not order:
        return
    field, schedule = schedule_of(league, round_, made, threads, cluster)
    places = np.array(order, dtype=np.intp)
    part = schedule.part(places)
    with field.tables() as tables:
        # A call of the kernel is all or nothing: without parts Ctrl-C would lose every game of it.
        sizes = tables.sizes(len(part)) if round_.condition == "depth" else repeat(_AT_A_TIME)
        for finished in tables.parts(part, sizes=sizes):
            yield _rows(finished, places, first)


def schedule_of(
    league: LeagueFolder,
    round_: LeagueRound,
    made: dict[str, MadePlayer],
    threads: int = 0,
    cluster: Cluster | None = None,
) -> tuple[Field, Schedule]:
    """Return the players of *round_* with its conditions, and all its games, pair by pair."""
    pairs = pairs_of(league, round_.condition)
    taking = sorted({place for pair in pairs for place in pair})
    numbers = {place: number for number, place in enumerate(taking)}
    players: list[Player] = []
    for place in taking:
        entrant = league.entrants[place]
        players.append(player_under(league, entrant, made[entrant.name], round_.condition))
    is_sent = all(player.reproducible for player in players)
    field = field_of(
        players,
        game=league.plan.game,
        seed=round_.seed,
        threads=threads,
        cluster=cluster if is_sent else None,
    )
    each = league.plan.games // 2
    sides = np.array([[numbers[place] for place in pair] for pair in pairs], dtype=np.uint32)
    first, second = sides.repeat(each, axis=0).T
    stream = Stream(round_.seed, "league", round_.condition)
    return field, field.conditions.pairs(first, second, stream)


def _order(pairs: int, games: int) -> list[int]:
    """Return the places of all games so that all pairs meet once before any meet again."""
    places: NDArray[np.intp] = np.arange(pairs * games, dtype=np.intp).reshape(pairs, -1, 2)
    order: list[int] = places.swapaxes(0, 1).ravel().tolist()
    return order


def _rows(finished: FinishedGames, places: NDArray[np.intp], first: int) -> list[Row]:
    """Return the rows of finished games: Black's points in the even ones are the first player's."""
    black = finished.results.black_points.tolist()
    hashes = finished.results.hashes.tolist()
    rows = []
    for place, points, value in zip(places[finished.places].tolist(), black, hashes, strict=True):
        rows.append((first + place, points if place % 2 == 0 else 1 - points, f"{value:016x}"))
    return rows


def played_pairings(league: LeagueFolder) -> tuple[LeaguePairing, ...]:
    """Return the whole opening pairs that were played, pairing by pairing."""
    if not (league.path / "games.db").exists():
        return ()
    pairings = []
    with games_file(league) as database:
        for round_ in rounds_of(league):
            first = round_.first_number
            rows = database.read(_GAMES, first, first + _MOST_GAMES - 1)
            games = {number - first: row for number, ((_, *row),) in rows.items()}
            for index, pair in enumerate(pairs_of(league, round_.condition)):
                begin = index * league.plan.games
                places = [
                    place + side
                    for place in range(begin, begin + league.plan.games, 2)
                    if place in games and place + 1 in games
                    for side in (0, 1)
                ]
                if places:
                    pairings.append(
                        LeaguePairing(
                            condition=round_.condition,
                            seed=round_.seed,
                            first=league.entrants[pair.first].name,
                            second=league.entrants[pair.second].name,
                            points=tuple(games[place][0] for place in places),
                            hashes=tuple(int(games[place][1], 16) for place in places),
                        )
                    )
    return tuple(pairings)


def wanted_pairings(league: LeagueFolder) -> int:
    """Return how many pairings the whole league has: pairs of players under a condition."""
    conditions = league.plan.conditions
    return sum(len(pairs_of(league, condition)) for condition in conditions) * league.plan.seeds
