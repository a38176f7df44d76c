"""The tables of `run.db` that every run has: facts about it, its steps, matches and events.

Every change is one transaction: an interrupted one leaves no trace. Everything is read and written
in groups with checksums. This module knows neither locks nor status. The signature and players are
imported by the functions that need them: a list of runs needs neither.

Reasons: docs/design/runs.md.
"""

import hashlib
import json
import math
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from evoply import _native
from evoply.environment.checksums import (
    CHECKSUMS,
    MOST,
    UNREADABLE,
    BoundedConnection,
    Database,
    Group,
    check_beside,
    check_plain,
    damage_of,
)
from evoply.environment.files import DATABASE, read_kept
from evoply.environment.refusals import reason, refusal_of
from evoply.protocols import MALFORMED, Player, RunError, Step
from evoply.runs.folder import CONFIG, GAME
from evoply.runs.states import read_json, unzipped

# The file `run.db`: opened for writing, or for reading where nothing can be written.

_UNCHANGING = "mode=ro&immutable=1"
"""SQLite's mode for media that do not change: no lock, no file beside the database."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the database at *path*, which must exist; statements outside transactions commit.

    On a full disk it is read without memory shared with other processes, which would need room
    there; others wait meanwhile. If nothing can be written, as on read-only media, it is opened for
    reading only. Raises `OSError` if it cannot be read, `RunError` if a part of it lies in a file
    beside it that SQLite cannot read there, and errors of sqlite3 if it is damaged or in use.
    """
    try:
        return _open(path, "mode=rw")
    except sqlite3.OperationalError as error:
        refusal = refusal_of(error, path)
        if refusal is None or refusal.is_busy:
            raise
    if refusal.is_full:
        with suppress(sqlite3.OperationalError):
            return _open(path, "mode=rw", locking="EXCLUSIVE")
    with path.open("rb"):
        pass
    beside = path.with_name(f"{path.name}-wal")
    if beside.is_file() and beside.stat().st_size:
        raise RunError(
            f"run {path.parent} cannot be read where nothing can be written ({refusal.what}): "
            f"{beside.name} holds its newest part; copy the folder to a place that can be written, "
            f"or {refusal.to_do}"
        )
    return _open(path, _UNCHANGING)


def connect_at_rest(path: Path) -> sqlite3.Connection:
    """Open the database at *path* for a short look while nobody writes it.

    It takes no lock and makes no file beside the database, which is most of what opening costs.
    What is read counts only if `state_at_rest` is the same before and after, and not None.
    """
    return _connection(path, _UNCHANGING)


def state_at_rest(path: Path) -> tuple[int, ...] | None:
    """Return numbers that a writer changes; None while a part lies in a file beside *path*."""
    # The file beside a link lies elsewhere.
    state = state_of(path)
    return None if state is None or os.path.exists(f"{path}-wal") else state


def state_of(path: Path) -> tuple[int, ...] | None:
    """Return numbers that whoever changes the file at *path* changes; None for a link or a pipe.

    The last two are the times of its last change, in nanoseconds.
    """
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


def _open(path: Path, mode: str, *, locking: str = "NORMAL") -> sqlite3.Connection:
    connection = _connection(path, mode)
    try:
        connection.execute(f"PRAGMA locking_mode = {locking}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    check_beside(path)
    connection = sqlite3.connect(
        f"file:{_quote(path)}?{mode}",
        uri=True,
        isolation_level=None,
        timeout=30,
        factory=BoundedConnection,
    )
    connection.bound(path)
    connection.create_function("unzipped", 1, unzipped, deterministic=True)
    return connection


def identity(path: Path) -> tuple[int, int] | None:
    """Return the numbers that distinguish files of the same name; None without a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _quote(path: Path) -> str:
    # These characters have a special meaning in a SQLite URI.
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


_TEXT, _WHOLE, _NUMBER = (str,), (int,), (int, float)
MATCH: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("first", "second"), _TEXT),
    **dict.fromkeys(("wins", "draws", "losses", "games", "distinct_games", "seed"), _WHOLE),
    "score": _NUMBER,
}
"""The keys without which a note of a match is damaged, and the types of their values."""
_EVENTS_SHOWN: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "edited": {
        "generation": _WHOLE, "feature": _TEXT, "weight": _NUMBER, "time_weight": _NUMBER,
    },
}  # fmt: skip
"""The same of the kinds of events whose details are shown."""

_TABLES = f"""
{CHECKSUMS}
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE players (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE steps (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL, statistics TEXT NOT NULL,
    champions TEXT NOT NULL, seconds REAL NOT NULL, fields TEXT NOT NULL, state BLOB NOT NULL
);
CREATE TABLE matches (id INTEGER PRIMARY KEY, time TEXT NOT NULL, result TEXT NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL
);
"""

# One group for all facts, so that a missing one is damage too.
_META = Group(
    "meta",
    "the facts about the run",
    "SELECT 0, key, value FROM meta WHERE 0 BETWEEN ? AND ? ORDER BY key",
    "INSERT OR REPLACE INTO meta VALUES (?2, ?3)",
)
_PLAYERS = Group(
    "players",
    "player {}",
    "SELECT id, text FROM players WHERE id BETWEEN ? AND ? ORDER BY id",
    "INSERT INTO players VALUES (?, ?)",
)
_STEPS = Group(
    "steps",
    "step {}",
    "SELECT number, digest, statistics, champions, seconds, fields FROM steps"
    " WHERE number BETWEEN ? AND ? ORDER BY number",
    "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, '')",
)
# Apart from the steps, because it may be large and lists of steps do not need it.
_STATES = Group(
    "states",
    "the state of step {}",
    "SELECT number, state FROM steps WHERE number BETWEEN ? AND ? ORDER BY number",
    "UPDATE steps SET state = ?2 WHERE number = ?1",
)
_MATCHES = Group(
    "matches",
    "match {}",
    "SELECT id, time, result FROM matches WHERE id BETWEEN ? AND ? ORDER BY id",
    "INSERT INTO matches VALUES (?, ?, ?)",
)
_EVENTS = Group(
    "events",
    "event {}",
    "SELECT id, time, kind, details FROM events WHERE id BETWEEN ? AND ? ORDER BY id",
    "INSERT INTO events VALUES (?, ?, ?, ?)",
)
GROUPS = (_META, _PLAYERS, _STEPS, _STATES, _MATCHES, _EVENTS)
"""All groups that every run has."""

FORMAT = 9
"""Version of the folder's form and of digests. Before the first release no other is read."""

_FILES = "files"
"""The fact that has the checksums of the files beside the database, by name."""
_DAMAGE = (sqlite3.Error, *MALFORMED)
"""Errors of reading a damaged file."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class StepRow:
    """The facts about a stored step that need no learner."""

    number: int
    digest: str
    statistics: Mapping[str, float]
    seconds: float
    fields: Mapping[str, Any] = field(repr=False)
    """The fields of the step that stand beside its state: see `evoply.runs.kept_steps`."""


def first_meta(command: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the facts about a new run that the command line *command* creates.

    *files* are the contents of the files beside the database, by name.
    """
    from evoply.arena.behaviour import signature

    return {
        _FILES: json.dumps({name: _sha(content) for name, content in files.items()}),
        "format": str(FORMAT),
        "version": _native.__version__,
        "signature": signature(),
        "command": command,
        "created": now(),
        "status": "new",
    }


def check_files(database: Database, folder: Path) -> int:
    """Compare the files beside the database with those of the run's beginning; return how many.

    Raises `RunError` that names a file that was changed, removed or added.
    """
    files = read_object(read_meta(database).get(_FILES, ""))
    here = [name for name in (CONFIG, GAME) if name in files or (folder / name).exists()]
    for name in here:
        try:
            is_same = _sha(read_kept(folder / name)) == files.get(name)
        except OSError as error:
            raise RunError(
                f"run {folder}: {name} cannot be read: {reason(error, folder / name)}"
            ) from None
        if not is_same:
            raise RunError(
                f"run {folder}: {name} was changed after the run began: put the original back, or "
                "begin a new run with other settings"
            )
    return len(here)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def open_database(path: Path) -> Database:
    """Return the open database at *path*; raise `RunError` if it cannot be read."""
    folder = path.parent
    try:
        connection = connect(path)
    except OSError as error:
        raise RunError(f"run {folder} cannot be read: {reason(error, path)}") from None
    except UNREADABLE as error:
        unreadable(folder, error)
    try:
        return reading(folder, lambda: _check_format(folder, connection))
    except BaseException:
        connection.close()
        raise


def look(path: Path, read: Callable[[Database], _T]) -> _T:
    """Return what *read* returns of the database at *path*, which is open only meanwhile.

    Raises `RunError` if it cannot be read.
    """
    result = _look_at_rest(path, read)
    if result is not None:
        return result[0]
    opened = open_database(path)
    try:
        with opened.snapshot():
            return reading(path.parent, lambda: read(opened))
    finally:
        opened.connection.close()


def _look_at_rest(path: Path, read: Callable[[Database], _T]) -> tuple[_T] | None:
    """Return the result of *read* on a database that nobody writes; None if that fails."""
    try:
        before = state_at_rest(path)
        if before is None:
            return None
        with closing(connect_at_rest(path)) as connection:
            opened = _check_format(path.parent, connection)
            with opened.snapshot():
                result = (read(opened),)
        return result if state_at_rest(path) == before else None
    except (RunError, OSError, *_DAMAGE):
        return None  # it may have been written meanwhile; if not, opening it says what is wrong


def _check_format(folder: Path, connection: sqlite3.Connection) -> Database:
    check_plain(connection)
    row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    text = str(row[0]) if row else ""
    if not text.isdecimal() or len(text) > 9:
        raise ValueError("its format is missing")
    if int(text) != FORMAT:
        todo = (
            "install a newer evoply"
            if int(text) > FORMAT
            else f"start a new run with its config, as in `evoply evolve {folder / CONFIG}`, "
            "or read it with the evoply that wrote it"
        )
        raise RunError(
            f"run {folder} has format {text}, and this evoply ({_native.__version__}) reads "
            f"format {FORMAT}: {todo}"
        )
    return Database(connection)


def reading(folder: Path, read: Callable[[], _T]) -> _T:
    """Return what *read* returns; errors of disks and of damaged files become a `RunError`."""
    try:
        return read()
    except RunError:
        raise
    except _DAMAGE as error:
        unreadable(folder, error)


def unreadable(folder: Path, error: Exception) -> NoReturn:
    """Raise the `RunError` for a run in *folder* that its disk refuses, or that is damaged."""
    refusal = refusal_of(error, folder / DATABASE)
    if refusal is not None:
        raise RunError(f"run {folder} cannot be read: {refusal}") from None
    raise RunError(
        f"run {folder}: run.db is damaged or not a run ({damage_of(error)}); "
        "put a copy back, or start a new run"
    ) from None


def create_tables(path: Path, meta: Mapping[str, str]) -> None:
    """Create a database at *path* that holds only *meta*."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN;{_TABLES}COMMIT;")
        database = Database(connection)
        with database.transaction():
            database.write(_META, 0, _meta_rows(meta))
    finally:
        connection.close()


def read_object(text: str, keys: Iterable[str] = ()) -> dict[str, Any]:
    """Return the JSON object in a cell; `ValueError` if it is not one or lacks one of *keys*.

    If *keys* are a mapping, it has the types of their values.
    """
    value = _json(text)
    types = keys if isinstance(keys, Mapping) else {}
    is_whole = isinstance(value, dict) and set(keys) <= set(value)
    if not is_whole or any(type(value[key]) not in known for key, known in types.items()):
        raise ValueError("a note in it cannot be read")
    found: dict[str, Any] = value
    return found


def player_data(player: Player) -> Any:
    """Return a player as JSON-ready data; `ValueError` if it is not a model of `evoply.players`."""
    if not hasattr(player, "model_dump"):
        raise ValueError(f"{player!r:.80} is not a player as data: use a model of evoply.players")
    return player.model_dump(mode="json")


def read_meta(database: Database) -> dict[str, str]:
    """Return the facts about the run."""
    return {key: value for rows in database.read(_META).values() for _, key, value in rows}


def write_meta(database: Database, values: Mapping[str, str]) -> None:
    """Write some of the facts about the run, inside a transaction."""
    database.write(_META, 0, _meta_rows({**read_meta(database), **values}))


def _meta_rows(meta: Mapping[str, str]) -> list[tuple[int, str, str]]:
    return [(0, key, meta[key]) for key in sorted(meta)]


def add_match(database: Database, result: Mapping[str, Any]) -> None:
    """Write the result of a match, inside a transaction."""
    database.append(_MATCHES, now(), json.dumps(result))


def read_matches(database: Database) -> list[dict[str, Any]]:
    """Return the results of matches, oldest first."""
    groups = database.read(_MATCHES).values()
    matches = [read_object(text, MATCH) for rows in groups for _, _, text in rows]
    if not all(_is_interval(match.get("interval")) for match in matches):
        raise ValueError("the interval of a match is none")
    return matches


def _is_interval(value: Any) -> bool:
    """Return whether *value* is an interval as matches have it; None is one of too few games."""
    is_pair = isinstance(value, list) and len(value) == 2
    return value is None or (is_pair and all(type(end) in _NUMBER for end in value))


def match_rows(database: Database) -> list[dict[str, Any]]:
    """Return the matches as rows of plain cells; the interval is two of them.

    Other nested values are left out.
    """
    rows: list[dict[str, Any]] = []
    for match in read_matches(database):
        low, high = match.pop("interval", None) or (None, None)
        plain = {key: value for key, value in match.items() if not isinstance(value, dict | list)}
        rows.append({**plain, "interval_low": low, "interval_high": high})
    return rows


def add_event(database: Database, kind: str, details: Mapping[str, Any]) -> None:
    """Write an event, inside a transaction."""
    database.append(_EVENTS, now(), kind, json.dumps(details))


def read_events(database: Database) -> list[dict[str, Any]]:
    """Return the events, oldest first."""
    return [
        {"time": time, "kind": kind, **read_object(text, _EVENTS_SHOWN.get(kind, ()))}
        for rows in database.read(_EVENTS).values()
        for _, time, kind, text in rows
    ]


def write_step(database: Database, step: Step, fields: Mapping[str, Any], state: bytes) -> None:
    """Write *step* inside a transaction, with some *fields* beside the *state* with all others."""
    champions = [_player_number(database, player) for player in step.champions]
    row = (
        step.number,
        step.digest,
        json.dumps(dict(step.statistics), separators=(",", ":")),
        json.dumps(champions, separators=(",", ":")),
        float(step.seconds),
        json.dumps(dict(fields), allow_nan=False, separators=(",", ":")),
    )
    database.write(_STEPS, step.number, [row])
    database.write(_STATES, step.number, [(step.number, state)])


def count_steps(database: Database) -> int:
    """Return the number of steps."""
    return database.count(_STEPS)


def read_steps(database: Database, first: int = 0, last: int = MOST) -> list[StepRow]:
    """Return the facts of the steps *first* to *last*; `ValueError` if a cell cannot be read."""
    steps = [
        StepRow(number, _text(digest), _statistics(statistics), float(seconds), read_object(fields))
        for rows in database.read(_STEPS, first, last).values()
        for number, digest, statistics, _, seconds, fields in rows
    ]
    for number, step in enumerate(steps, start=max(first, 0)):
        if step.number != number:
            raise ValueError(f"step {number} is missing")
    return steps


def read_champions(database: Database, number: int) -> tuple[Any, ...]:
    """Return the champions of a step as players; `ValueError` if they cannot be read."""
    from evoply.players.grammar import read_player

    ((_, _, _, champions, *_),) = database.one(_STEPS, number)
    numbers = _json(champions)
    if not isinstance(numbers, list) or not numbers:
        raise ValueError(f"step {number} has no champions")
    players = [database.one(_PLAYERS, number) for number in numbers]
    return tuple(read_player(_json(text)) for ((_, text),) in players)


def read_state(database: Database, number: int) -> Any:
    """Return the state of a step as data; `ValueError` if it cannot be read."""
    ((_, state),) = database.one(_STATES, number)
    try:
        return read_json(unzipped(state))
    except (ValueError, RecursionError):
        raise ValueError(f"step {number} cannot be read") from None


def now() -> str:
    """Return the time as ISO 8601 text in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _player_number(database: Database, player: Player) -> int:
    text = json.dumps(player_data(player), separators=(",", ":"), sort_keys=True)
    query = "SELECT id FROM players WHERE text = ?"
    row = database.connection.execute(query, (text,)).fetchone()
    return database.append(_PLAYERS, text) if row is None else int(row[0])


def _statistics(text: str) -> dict[str, float]:
    statistics = read_object(text)
    for name, value in statistics.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"the statistic {name} is not a number")
        if not math.isfinite(value):
            raise ValueError(f"the statistic {name} is not finite")
    return statistics


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a digest is not a text")
    return value


def _json(text: object) -> Any:
    try:
        return read_json(text)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return None
