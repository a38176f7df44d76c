"""The file of a tournament, its conditions, and every accepted move before it is announced.

It has no tokens and no passwords, only the SHA-256 of each token. All rows have checksums.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from evoply._native import Stream
from evoply.arena import Forfeit, RoundRobin, Schedule
from evoply.arena.conditions import Conditions as GameConditions
from evoply.arena.conditions import conditions_of
from evoply.arena.conditions import opening_plies as opening_plies_of
from evoply.arena.game_terms import Openings
from evoply.arena.playing import PlayedGame, games_played, random_opening, results_of
from evoply.arena.round_robins import opponents, rate
from evoply.arena.schedule import checked_whole
from evoply.arena.statistics import Tally
from evoply.environment.checksums import Database, Group
from evoply.environment.ledger import MOVES_TABLE, Ledger, read_all_moves, write_moves
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.protocols import Color, GameInProgress, GameRecord, RunError, TimeControl
from evoply.protocols.sections import JsonData
from evoply.rules import add_carried, carried_rules

# A tournament over the network as data: conditions, players, games and scores.
#
# This module knows no connections and no running clocks.

MOST_PLAYERS = 100
"""Each has a connection."""
MOST_GAMES = 100_000
LEAST_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class TournamentConditions(JsonData):
    """The game, the number of players, and the clock."""

    game: str
    control: TimeControl = field(metadata={"json": "clock", "as_text": True})
    players: int = 2
    """How many players the server waits for."""
    games: int = 10
    """Games between every two of them; even, because every opening is played twice."""
    opening_plies: int = field(default=0, metadata={"json": "openings"})
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise `ValueError` that names the field that is wrong."""
        game_rules(self.game)
        if not (self.game.isascii() and self.game.isprintable()) or " " in self.game:
            raise ValueError(
                f"game: {self.game!r} cannot be said over the network: give it a name of letters, "
                "digits and hyphens"
            )
        if not 2 <= checked_whole("players", self.players, 10**6) <= MOST_PLAYERS:
            raise ValueError(
                f"players: {self.players:,} cannot play over the network: 2 to {MOST_PLAYERS} can"
            )
        if self.control.seconds < LEAST_SECONDS:
            raise ValueError(
                f"clock: {self.control.seconds:g} seconds are less than a move takes over the "
                f"network: give {LEAST_SECONDS:g} at least"
            )
        opening_plies_of(self.game, self.opening_plies)
        checked_whole("seed", self.seed, 2**64 - 1)
        many = 2 * len(opponents(self.players, self.games)[0])
        if many > MOST_GAMES:
            raise ValueError(
                f"games: {many:,} in all are more than {MOST_GAMES:,}, which a server plays at "
                "most: play fewer"
            )

    @classmethod
    def of(
        cls, game: str, control: TimeControl, *, openings: Openings = "usual", **others: Any
    ) -> TournamentConditions:
        """Return the conditions with openings as `evoply.match` takes them."""
        return cls(game, control, opening_plies=opening_plies_of(game, openings), **others)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TournamentConditions:
        """Return the conditions that `to_dict` wrote; KeyError, TypeError or ValueError if not."""
        return cls(
            game=data["game"],
            control=TimeControl.from_text(data["clock"]),
            players=data["players"],
            games=data["games"],
            opening_plies=data["openings"],
            seed=data["seed"],
        )


@dataclass
class ServedTournament:
    """A tournament whose players are known: all its games, and those that were played."""

    conditions: TournamentConditions
    names: tuple[str, ...]
    played: dict[int, PlayedGame] = field(default_factory=dict)
    """The games that are over, by their numbers."""
    schedule: Schedule = field(init=False)

    def __post_init__(self) -> None:
        first, second = opponents(len(self.names), self.conditions.games)
        each = self._each_game
        self.schedule = each.pairs(first, second, Stream(each.seed, "round robin"))

    @property
    def _each_game(self) -> GameConditions:
        """The conditions of every game."""
        own = self.conditions
        return conditions_of(
            game=own.game, seed=own.seed, openings=own.opening_plies, clock=own.control
        )

    @property
    def is_over(self) -> bool:
        """Whether every game is."""
        return len(self.played) == len(self.schedule)

    def players(self, game: int) -> dict[Color, int]:
        """Return the indices of the players of the game with this number."""
        return {
            Color.BLACK: int(self.schedule.black[game]),
            Color.WHITE: int(self.schedule.white[game]),
        }

    def opening(self, game: int) -> GameRecord:
        """Return the random opening of the game of this number."""
        start = game_rules(self.conditions.game).start()
        key = int(self.schedule.opening_keys[game])
        return random_opening(start, key, self.conditions.opening_plies)

    def rated(self) -> RoundRobin | None:
        """Return the result of the whole opening pairs played; None if there are none."""
        pairs = [
            game
            for game in range(0, len(self.schedule), 2)
            if game in self.played and game + 1 in self.played
        ]
        if not pairs:
            return None
        games = np.array([game for pair in pairs for game in (pair, pair + 1)], dtype=np.intp)
        part, results = (
            self.schedule.batch(games),
            results_of(self._in_order(games), has_clocks=True),
        )
        tally = Tally(self.names)
        tally.add(part, results)
        # Clocks and others' programs decide.
        planned = len(self.schedule)
        return rate(self._each_game, tally, part, results, planned=planned, reproducible=False)

    def games(self) -> Iterator[GamePlayed]:
        """Yield the games that are over, in the order of the schedule.

        They have no key: players draw for themselves.
        """
        numbers = np.array(sorted(self.played), dtype=np.intp)
        part, results = self.schedule.batch(numbers), results_of(self._in_order(numbers))
        for game in games_played(self.conditions.game, self.names, part, results):
            yield replace(game, key=0)

    def scores(self) -> list[tuple[str, float, int]]:
        """Return name, points and games of every player, best first, of all games that are over."""
        points = [0.0] * len(self.names)
        games = [0] * len(self.names)
        numbers = sorted(self.played)
        black_points = results_of(self._in_order(numbers)).black_points
        for number, share in zip(numbers, black_points.tolist(), strict=True):
            for color, player in self.players(number).items():
                games[player] += 1
                points[player] += share if color is Color.BLACK else 1 - share
        order = sorted(range(len(self.names)), key=lambda player: (-points[player], player))
        return [(self.names[player], points[player], games[player]) for player in order]

    def _in_order(self, games: Iterable[int]) -> list[PlayedGame]:
        """Return these games."""
        return [self.played[int(game)] for game in games]


_TABLES = f"""
{MOVES_TABLE}
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token_sha256 TEXT NOT NULL,
    games INTEGER NOT NULL
);
CREATE TABLE ends (
    game INTEGER PRIMARY KEY, loser TEXT, reason TEXT, by_time INTEGER NOT NULL
);
"""
_META = Group(
    "meta",
    "the conditions and the address",
    "SELECT 0, name, value FROM meta WHERE 0 BETWEEN ? AND ? ORDER BY name",
    "INSERT OR REPLACE INTO meta VALUES (?2, ?3)",
)
_PLAYERS = Group(
    "players",
    "the players",
    "SELECT 0, place, name, token_sha256, games FROM players WHERE 0 BETWEEN ? AND ?"
    " ORDER BY place",
    "INSERT INTO players VALUES (?2, ?3, ?4, ?5)",
)
_ENDS = Group(
    "ends",
    "the end of game {}",
    "SELECT game, loser, reason, by_time FROM ends WHERE game BETWEEN ? AND ? ORDER BY game",
    "INSERT INTO ends VALUES (?, ?, ?, ?)",
)


class JournalError(RunError):
    """A tournament's file that is missing, damaged, too new or in use; says what to do about it."""


_FILES = Ledger(
    mark=b"EVOT",
    format=2,
    tables=_TABLES,
    error=JournalError,
    in_use="another server is using it - end that one first",
    foreign="this is not the file of a tournament - name one of evoply serve",
    unreadable="go on with the evoply that wrote it",
    damaged="begin a new tournament",
    afterwards="go on with `evoply serve --resume {path}`: players wait for it",
)


@dataclass(frozen=True, slots=True)
class Begun:
    """A game in the file: its moves so far and what both clocks showed after the last of them."""

    record: GameRecord
    left: Mapping[Color, float]


@dataclass(frozen=True, slots=True)
class Seated:
    """A player in the file."""

    name: str
    token: str
    """The SHA-256 of its token."""
    games: int
    """How many games it plays at a time."""


def digest_of(token: str) -> str:
    """Return the SHA-256 of a token, which the file holds."""
    return hashlib.sha256(token.encode()).hexdigest()


class Journal:
    """An open file of a tournament. Writing waits for the disk: see `in_background`."""

    def __init__(self, path: Path, database: Database) -> None:
        self.path = path
        self.conditions: TournamentConditions
        self.address: tuple[str, int] | None = None
        """Where the last server listened; None if there was none."""
        self._database = database
        # One thread, so that writes reach the disk in order.
        self.in_background = ThreadPoolExecutor(1, thread_name_prefix="journal")
        """Where the server writes, so that no game waits for the disk of another."""

    @classmethod
    def create(cls, path: Path, conditions: TournamentConditions) -> Journal:
        """Return a new file at *path*; `JournalError` if there is one already."""
        if path.exists() and path.stat().st_size:  # a full disk leaves an empty one
            raise JournalError(
                f"{path}: there is such a file already - choose another name, or go on with it: "
                f"evoply serve --resume {path}"
            )
        facts = {"conditions": json.dumps(conditions.to_dict())}
        rules = carried_rules(conditions.game)
        if rules is not None:  # the file is to need no other
            facts["rules"] = json.dumps(rules)
        _FILES.create(path, lambda database: _write_facts(database, facts))
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Return the file at *path* to go on with; `JournalError` if that cannot be done."""
        if not path.is_file():
            raise JournalError(f"{path}: there is no such file - name the file of a tournament")
        journal = cls(path, _FILES.open(path))
        try:
            with _FILES.reading(path):
                facts = _facts(journal._database)
                if "rules" in facts:
                    add_carried(json.loads(facts["rules"]))
                journal.conditions = TournamentConditions.from_dict(json.loads(facts["conditions"]))
                if "address" in facts:
                    host, port = json.loads(facts["address"])
                    journal.address = str(host), int(port)
        except BaseException:
            journal.close()
            raise
        return journal

    def close(self) -> None:
        """Close the file, after all that is still to be written; a second call does nothing."""
        self.in_background.shutdown()
        self._database.connection.close()

    def discard(self) -> None:
        """Close the file and delete it: nobody has ever listened."""
        self.close()
        self.path.unlink(missing_ok=True)

    def record_address(self, host: str, port: int) -> None:
        """Write the address of the server, for the next one."""
        self.address = host, port
        with self._transaction() as database:
            facts = _facts(database)
            _write_facts(database, {**facts, "address": json.dumps([host, port])})

    def seat(self, players: Sequence[Seated]) -> None:
        """Write the players, with whom the tournament begins."""
        rows = [
            (0, place, player.name, player.token, player.games)
            for place, player in enumerate(players)
        ]
        with self._transaction() as database:
            database.write(_PLAYERS, 0, rows)

    def add(self, game: int, record: GameRecord, since: int, left: Mapping[Color, float]) -> None:
        """Write the moves of a game from ply number *since* on, and what both clocks show."""
        with self._transaction() as database:
            _add(database, game, record, since, left)

    def end(self, game: int, forfeit: Forfeit | None) -> None:
        """Write that a game is over, and its forfeit, if there is one."""
        with self._transaction() as database:
            _end(database, game, forfeit)

    def add_unplayed(self, games: Mapping[int, PlayedGame]) -> None:
        """Write games that were forfeited after their openings."""
        left = dict.fromkeys(Color, self.conditions.control.seconds)
        with self._transaction() as database:
            for game, played in games.items():
                _add(database, game, played.record, 0, left)
                _end(database, game, played.forfeit)

    def players(self) -> tuple[Seated, ...]:
        """Return who plays; nobody if the tournament has not begun."""
        with _FILES.reading(self.path):
            groups = self._database.read(_PLAYERS).values()
            return tuple(Seated(*row) for rows in groups for _, _, *row in rows)

    def begun(self, tournament: ServedTournament) -> dict[int, Begun]:
        """Return the games that are not over by number, and put the others into *tournament*.

        Raises `JournalError` for moves that the rules forbid: then the file was changed.
        """
        game = self.conditions.game
        left: dict[int, dict[Color, float]] = {}
        with _FILES.reading(self.path):
            moves = read_all_moves(self._database)
            for number, played in moves.items():
                _, black, white = played[-1]
                if black is None or white is None:
                    raise ValueError(f"game {number} has no clocks")
                left[number] = {Color.BLACK: black, Color.WHITE: white}
            known = {
                number: record_of(game, [move for move, _, _ in played])
                for number, played in moves.items()
            }
            ends = self._database.read(_ENDS).values()
            for number, loser, reason, by_time in (row for rows in ends for row in rows):
                forfeit = (
                    None if loser is None else Forfeit(number, Color(loser), reason, bool(by_time))
                )
                record = known.pop(number, None) or record_of(game, ())
                if forfeit is None and record.outcome() is None:
                    raise ValueError(f"game {number} ended before its end")
                playing = GameInProgress.begin(record, self.conditions.control)
                playing = playing.with_left(left[number]) if number in left else playing
                seconds = playing.used(min(self.conditions.opening_plies, len(record)))
                tournament.played[number] = PlayedGame(record, forfeit, seconds)
        return {number: Begun(record, left[number]) for number, record in known.items()}

    @contextmanager
    def _transaction(self) -> Iterator[Database]:
        """Give the database; afterwards all that is written to it is on disk, or nothing."""
        with _FILES.explaining(self.path), self._database.transaction():
            yield self._database


def _facts(database: Database) -> dict[str, str]:
    return {name: value for _, name, value in database.one(_META, 0)}


def _write_facts(database: Database, facts: Mapping[str, str]) -> None:
    database.write(_META, 0, [(0, name, facts[name]) for name in sorted(facts)])


def _add(
    database: Database, game: int, record: GameRecord, since: int, left: Mapping[Color, float]
) -> None:
    texts = record.move_texts()[since:]
    write_moves(
        database, game, since, ((text, left[Color.BLACK], left[Color.WHITE]) for text in texts)
    )


def _end(database: Database, game: int, forfeit: Forfeit | None) -> None:
    row = (
        (game, None, None, 0)
        if forfeit is None
        else (game, forfeit.color.value, forfeit.reason, int(forfeit.by_time))
    )
    database.write(_ENDS, game, [row])


def record_of(game: str, moves: Sequence[str]) -> GameRecord:
    """Return the game of these moves from its start; `ValueError` for one that is illegal."""
    record = game_rules(game).record()
    for move in moves:
        record = record.play(move)
    return record
