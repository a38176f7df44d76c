"""The file of a tournament: every accepted move is on disk before it is announced.

It has no tokens and no passwords, only the SHA-256 of each token.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evoply.arena import Forfeit
from evoply.arena.games_played import PlayedGame
from evoply.games import game_rules
from evoply.ledger import Execute, Ledger, transaction
from evoply.protocols import Color, GameInProgress, GameRecord, RunError
from evoply.server.tournament_conditions import ServedTournament, TournamentConditions

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token_sha256 TEXT NOT NULL,
    games INTEGER NOT NULL
);
CREATE TABLE moves (
    game INTEGER NOT NULL, ply INTEGER NOT NULL, move TEXT NOT NULL,
    black_left REAL NOT NULL, white_left REAL NOT NULL, PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE TABLE ends (
    game INTEGER PRIMARY KEY, loser TEXT, reason TEXT, by_time INTEGER NOT NULL
);
"""


class JournalError(RunError):
    """A tournament's file that is missing, damaged, too new or in use; says what to do about it."""


_FILES = Ledger(
    mark=b"EVOT",
    format=1,
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

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.conditions: TournamentConditions
        self.address: tuple[str, int] | None = None
        """Where the last server listened; None if there was none."""
        self._connection = connection
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
        text = json.dumps(conditions.to_dict())
        _FILES.create(
            path, lambda execute: execute("INSERT INTO meta VALUES ('conditions', ?)", (text,))
        )
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Return the file at *path* to go on with; `JournalError` if that cannot be done."""
        if not path.is_file():
            raise JournalError(f"{path}: there is no such file - name the file of a tournament")
        journal = cls(path, _FILES.open(path))
        try:
            with _FILES.reading(path):
                meta = dict(journal._connection.execute("SELECT name, value FROM meta"))
                journal.conditions = TournamentConditions.from_dict(json.loads(meta["conditions"]))
                if "address" in meta:
                    host, port = json.loads(meta["address"])
                    journal.address = str(host), int(port)
        except BaseException:
            journal.close()
            raise
        return journal

    def close(self) -> None:
        """Close the file, after all that is still to be written; a second call does nothing."""
        self.in_background.shutdown()
        self._connection.close()

    def discard(self) -> None:
        """Close the file and delete it: nobody has ever listened."""
        self.close()
        self.path.unlink(missing_ok=True)

    def listens(self, host: str, port: int) -> None:
        """Write the address of the server, for the next one."""
        self.address = host, port
        with self._transaction() as execute:
            execute("REPLACE INTO meta VALUES ('address', ?)", (json.dumps([host, port]),))

    def seat(self, players: Sequence[Seated]) -> None:
        """Write the players, with whom the tournament begins."""
        with self._transaction() as execute:
            for number, player in enumerate(players):
                row = number, player.name, player.token, player.games
                execute("INSERT INTO players VALUES (?, ?, ?, ?)", row)

    def add(self, game: int, record: GameRecord, since: int, left: Mapping[Color, float]) -> None:
        """Write the moves of a game from ply number *since* on, and what both clocks show."""
        with self._transaction() as execute:
            _add(execute, game, record, since, left)

    def end(self, game: int, forfeit: Forfeit | None) -> None:
        """Write that a game is over, and its forfeit, if there is one."""
        with self._transaction() as execute:
            _end(execute, game, forfeit)

    def add_unplayed(self, games: Mapping[int, PlayedGame]) -> None:
        """Write games that were forfeited after their openings."""
        left = dict.fromkeys(Color, self.conditions.control.seconds)
        with self._transaction() as execute:
            for game, played in games.items():
                _add(execute, game, played.record, 0, left)
                _end(execute, game, played.forfeit)

    def players(self) -> tuple[Seated, ...]:
        """Return who plays; nobody if the tournament has not begun."""
        with _FILES.reading(self.path):
            rows = self._connection.execute(
                "SELECT name, token_sha256, games FROM players ORDER BY place"
            )
            return tuple(Seated(*row) for row in rows)

    def begun(self, tournament: ServedTournament) -> dict[int, Begun]:
        """Return the games that are not over by number, and put the others into *tournament*.

        Raises `JournalError` for moves that the rules forbid: then the file was changed.
        """
        game = self.conditions.game
        texts: dict[int, list[str]] = {}
        left: dict[int, dict[Color, float]] = {}
        with _FILES.reading(self.path):
            for row in self._connection.execute("SELECT * FROM moves ORDER BY game, ply"):
                number, _, move, black, white = row
                texts.setdefault(number, []).append(move)
                left[number] = {Color.BLACK: black, Color.WHITE: white}
            known = {number: record_of(game, moves) for number, moves in texts.items()}
            for number, loser, reason, by_time in self._connection.execute("SELECT * FROM ends"):
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
    def _transaction(self) -> Iterator[Execute]:
        """Give what runs a statement; afterwards all of it is on disk, or nothing."""
        with _FILES.explaining(self.path), transaction(self._connection) as execute:
            yield execute


def _add(
    execute: Execute, game: int, record: GameRecord, since: int, left: Mapping[Color, float]
) -> None:
    texts = record.move_texts()
    clocks = left[Color.BLACK], left[Color.WHITE]
    for ply in range(since, len(record)):
        execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", (game, ply, texts[ply], *clocks))


def _end(execute: Execute, game: int, forfeit: Forfeit | None) -> None:
    row = (
        (game, None, None, 0)
        if forfeit is None
        else (game, forfeit.color.value, forfeit.reason, int(forfeit.by_time))
    )
    execute("INSERT INTO ends VALUES (?, ?, ?, ?)", row)


def record_of(game: str, moves: Sequence[str]) -> GameRecord:
    """Return the game of these moves from its start; `ValueError` for one that is illegal."""
    record = game_rules(game).record()
    for move in moves:
        record = record.play(move)
    return record
