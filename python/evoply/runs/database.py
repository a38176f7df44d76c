"""The tables of `run.db` that every run has: facts about it, its steps, matches and events.

A learner's kind may have tables of its own beside them (`evoply.runs.kinds`). Every change is one
transaction: what was interrupted is not there. This module knows no folder, no lock, no status
and nothing of what a step is about.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.players.files import read_player
from evoply.protocols import Player, Step

__all__ = [
    "MATCH",
    "UNREADABLE",
    "StepRow",
    "check_steps",
    "connect",
    "create_tables",
    "identity",
    "player_data",
    "read_champions",
    "read_object",
    "read_state",
    "read_steps",
    "transaction",
    "write_step",
]

MATCH = ("first", "second", "wins", "draws", "losses", "score", "games", "distinct_games", "seed")
"""The keys without which a note of a match is damaged."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises on a damaged file; the second where even its message is damaged."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE steps (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL, statistics TEXT NOT NULL,
    champions TEXT NOT NULL, seconds REAL NOT NULL, state TEXT
);
CREATE TABLE matches (id INTEGER PRIMARY KEY, time TEXT NOT NULL, result TEXT NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class StepRow:
    """What is known of a stored step without its learner."""

    number: int
    digest: str
    statistics: Mapping[str, float]
    seconds: float


def connect(path: Path) -> sqlite3.Connection:
    """Open the database at *path*, which must exist; statements outside `transaction` commit."""
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?mode=rw", uri=True, isolation_level=None, timeout=30
    )
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells one file from another of the same name; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def create_tables(path: Path, meta: Mapping[str, str], own_tables: str = "") -> None:
    """Create a database at *path* that holds nothing but *meta*.

    *own_tables* is the SQL of the tables of a kind of learner.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN;{_TABLES}{own_tables}COMMIT;")
        with transaction(connection):
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
    finally:
        connection.close()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what happens inside, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_object(text: str, keys: Iterable[str] = ()) -> dict[str, Any]:
    """Return the JSON object in a cell; `ValueError` if it is none or one of *keys* is missing."""
    value = _json(text)
    if not isinstance(value, dict) or not set(keys) <= set(value):
        raise ValueError("a note in it cannot be read")
    return value


def player_data(player: Player) -> Any:
    """Return a player as JSON-ready data; `ValueError` if it is no model of `evoply.players`."""
    if not hasattr(player, "model_dump"):
        raise ValueError(f"{player!r:.80} is no player as data: use a model of evoply.players")
    return player.model_dump(mode="json")


def write_step(connection: sqlite3.Connection, step: Step, state: str | None) -> None:
    """Write the facts of *step* inside a transaction; *state* is all of it as JSON, if needed."""
    champions = [_player_number(connection, player) for player in step.champions]
    connection.execute(
        "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?)",
        (
            step.number,
            step.digest,
            json.dumps(dict(step.statistics), separators=(",", ":")),
            json.dumps(champions, separators=(",", ":")),
            float(step.seconds),
            state,
        ),
    )


def check_steps(connection: sqlite3.Connection) -> None:
    """Raise `ValueError` if a step has a cell of the wrong type: SQLite takes any."""
    wrong = (
        "typeof(digest) != 'text' OR typeof(statistics) != 'text' OR typeof(seconds) != 'real'"
        " OR typeof(champions) != 'text' OR typeof(state) NOT IN ('text', 'null')"
    )
    query = f"SELECT number FROM steps WHERE {wrong} ORDER BY number LIMIT 1"
    row = connection.execute(query).fetchone()
    if row is not None:
        raise ValueError(f"generation {row[0]} has a cell of the wrong type")


def read_steps(connection: sqlite3.Connection) -> list[StepRow]:
    """Return what every step says, in order; `ValueError` if a cell cannot be read."""
    query = "SELECT number, digest, statistics, seconds FROM steps ORDER BY number"
    return [
        StepRow(number, _text(digest), _statistics(statistics), float(seconds))
        for number, digest, statistics, seconds in connection.execute(query)
    ]


def read_champions(connection: sqlite3.Connection, number: int) -> tuple[Any, ...]:
    """Return the champions of a step as players; `ValueError` if they cannot be read."""
    row = connection.execute("SELECT champions FROM steps WHERE number = ?", (number,)).fetchone()
    numbers = None if row is None else _json(row[0])
    if not isinstance(numbers, list) or not numbers:
        raise ValueError(f"generation {number} has no champions")
    texts = [
        connection.execute("SELECT text FROM players WHERE id = ?", (one,)).fetchone()
        for one in numbers
    ]
    if None in texts:
        raise ValueError(f"a champion of generation {number} is missing")
    return tuple(read_player(_json(text)) for (text,) in texts)


def read_state(connection: sqlite3.Connection, number: int) -> Any:
    """Return the data that is all of a step; `ValueError` if it cannot be read."""
    row = connection.execute("SELECT state FROM steps WHERE number = ?", (number,)).fetchone()
    if row is None or row[0] is None:
        raise ValueError(f"generation {number} is not whole")
    try:
        return json.loads(row[0])
    except (ValueError, RecursionError):
        raise ValueError(f"generation {number} cannot be read") from None


def _player_number(connection: sqlite3.Connection, player: Player) -> int:
    text = json.dumps(player_data(player), separators=(",", ":"), sort_keys=True)
    connection.execute("INSERT OR IGNORE INTO players (text) VALUES (?)", (text,))
    row = connection.execute("SELECT id FROM players WHERE text = ?", (text,)).fetchone()
    if row is None:  # the index knows a player that the table has lost
        raise sqlite3.DatabaseError("a player is missing")
    return int(row[0])


def _statistics(text: str) -> dict[str, float]:
    statistics = read_object(text)
    for name, value in statistics.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"the statistic {name} is no number")
        if not math.isfinite(value):
            raise ValueError(f"the statistic {name} is not finite")
    return statistics


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a digest is no text")
    return value


def _json(text: object) -> Any:
    try:
        return json.loads(text)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return None


def _quoted(path: Path) -> str:
    # In a SQLite URI these have a meaning of their own.
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
