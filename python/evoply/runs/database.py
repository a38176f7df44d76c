"""The tables of `run.db`: how a generation becomes rows and rows become a generation.

Floating-point numbers are stored as they are (8 bytes), trees as text, each text once. Every
change is one transaction: what was interrupted is not there. This module knows no folder, no
lock and no status.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Any

from evoply import gp
from evoply.evolution import (
    ArchiveEntry,
    Census,
    FreshResult,
    Generation,
    HallOfFameEntry,
    Individual,
    Seconds,
    Statistics,
)

__all__ = [
    "FINAL_TEST",
    "GENERATIONS",
    "MATCH",
    "UNREADABLE",
    "check_cells",
    "check_rows",
    "connect",
    "create_tables",
    "identity",
    "read_details",
    "read_generation",
    "read_object",
    "transaction",
    "write_generation",
]

FINAL_TEST = ("generation", "champion", "games", "ranking")
MATCH = ("first", "second", "wins", "draws", "losses", "score", "games", "distinct_games", "seed")
"""The keys without which a note of this kind is damaged."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises on a damaged file; the second where even its message is damaged."""

_STATISTICS = tuple(field.name for field in fields(Statistics))
_WHOLE = ("best_size", "best_depth", "distinct_trees", "games")
_SECONDS = tuple(f"seconds_{field.name}" for field in fields(Seconds))

_DETAILS = (
    "CREATE TABLE IF NOT EXISTS details (generation INTEGER PRIMARY KEY, content TEXT NOT NULL)"
)
_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE trees (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE generations (
    number INTEGER PRIMARY KEY, digest TEXT NOT NULL, seed INTEGER NOT NULL,
    champion INTEGER NOT NULL REFERENCES trees(id), fresh TEXT NOT NULL,
    {", ".join(f"{name} REAL" for name in (*_STATISTICS, *_SECONDS))}
);
CREATE TABLE individuals (
    generation INTEGER NOT NULL, position INTEGER NOT NULL,
    tree INTEGER NOT NULL REFERENCES trees(id), fitness REAL NOT NULL, origin TEXT NOT NULL,
    parents TEXT NOT NULL, PRIMARY KEY (generation, position)
) WITHOUT ROWID;
CREATE TABLE hall_of_fame (
    generation INTEGER NOT NULL, rank INTEGER NOT NULL,
    tree INTEGER NOT NULL REFERENCES trees(id), entered INTEGER NOT NULL,
    points REAL NOT NULL, games REAL NOT NULL, PRIMARY KEY (generation, rank)
) WITHOUT ROWID;
CREATE TABLE archive (generation INTEGER PRIMARY KEY, tree INTEGER NOT NULL REFERENCES trees(id));
{_DETAILS};
CREATE TABLE matches (id INTEGER PRIMARY KEY, time TEXT NOT NULL, result TEXT NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, details TEXT NOT NULL
);
"""

GENERATIONS = """
SELECT g.*, t.text AS champion_tree FROM generations g JOIN trees t ON t.id = g.champion
ORDER BY number
"""
_INDIVIDUALS = """
SELECT t.text, fitness, origin, parents FROM individuals i JOIN trees t ON t.id = i.tree
WHERE generation = ? ORDER BY position
"""
_HALL_OF_FAME = """
SELECT t.text, entered, points, games FROM hall_of_fame h JOIN trees t ON t.id = h.tree
WHERE generation = ? ORDER BY rank
"""
_ARCHIVE = """
SELECT t.text, generation FROM archive a JOIN trees t ON t.id = a.tree
WHERE generation <= ? ORDER BY generation
"""


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


def create_tables(path: Path, meta: Mapping[str, str]) -> None:
    """Create a database at *path* that holds nothing but *meta*."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN;{_TABLES}COMMIT;")
        with transaction(connection):
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
    finally:
        connection.close()


def check_cells(connection: sqlite3.Connection) -> None:
    """Raise `ValueError` if a generation has text where numbers belong, or the other way round.

    SQLite itself takes any type in any column, and a damaged file may hold any.
    """
    numbers = (*_STATISTICS, *_SECONDS[:-1])
    wrong = [f"typeof({name}) != 'real'" for name in numbers]
    wrong += [f"typeof({_SECONDS[-1]}) NOT IN ('real', 'null')", "typeof(digest) != 'text'"]
    query = f"SELECT number FROM generations WHERE {' OR '.join(wrong)} ORDER BY number LIMIT 1"
    row = connection.execute(query).fetchone()
    if row is not None:
        raise ValueError(f"generation {row[0]} has a cell of the wrong type")


def check_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise `ValueError` unless *rows* of the table of generations hold what belongs there.

    What comes out is looked at again: in a damaged file SQL may see something else.
    """
    kinds = {"number": int, "digest": str, "champion_tree": str}
    kinds |= dict.fromkeys((*_STATISTICS, *_SECONDS[:-1]), float)
    for row in rows:
        if not all(isinstance(row[name], kind) for name, kind in kinds.items()):
            raise ValueError(f"generation {row['number']} has a cell of the wrong type")
        try:
            _fresh(row["fresh"])
        except (ValueError, TypeError, RecursionError):
            raise ValueError(f"generation {row['number']} has unreadable results") from None


def _fresh(text: str) -> tuple[FreshResult, ...]:
    return tuple(FreshResult(**result) for result in json.loads(text))


def read_object(text: str, keys: Iterable[str] = ()) -> dict[str, Any]:
    """Return the JSON object in a cell; `ValueError` if it is none or one of *keys* is missing."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not isinstance(value, dict) or not set(keys) <= set(value):
        raise ValueError("a note in it cannot be read")
    return value


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


def write_generation(connection: sqlite3.Connection, generation: Generation, seed: int) -> None:
    """Write one generation as one transaction."""
    number = generation.number
    with transaction(connection):
        trees = _tree_numbers(connection, generation)
        marks = ", ".join("?" * (5 + len(_STATISTICS) + len(_SECONDS)))
        connection.execute(
            f"INSERT INTO generations VALUES ({marks})",
            (
                number,
                generation.digest,
                seed,
                trees[generation.champion],
                json.dumps([asdict(result) for result in generation.fresh]),
                *astuple(generation.statistics),
                *astuple(generation.seconds),
            ),
        )
        connection.executemany(
            "INSERT INTO individuals VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, position, trees[one.tree], one.fitness, one.origin, _numbers(one.parents))
                for position, one in enumerate(generation.individuals)
            ],
        )
        connection.executemany(
            "INSERT INTO hall_of_fame VALUES (?, ?, ?, ?, ?, ?)",
            [
                (number, rank, trees[entry.tree], entry.generation, entry.points, entry.games)
                for rank, entry in enumerate(generation.hall_of_fame)
            ],
        )
        connection.execute(_DETAILS)  # runs of older versions have no such table
        connection.execute("INSERT INTO details VALUES (?, ?)", (number, _details(generation)))
        connection.executemany(
            "INSERT INTO archive VALUES (?, ?)",
            [
                (entry.generation, trees[entry.tree])
                for entry in generation.archive
                if entry.generation == number
            ],
        )


def read_generation(
    connection: sqlite3.Connection, number: int, parse: Callable[[str], gp.Individual]
) -> Generation:
    """Return a stored generation, equal to the one that was written; LookupError if none is."""
    row = connection.execute(
        "SELECT g.*, t.text FROM generations g JOIN trees t ON t.id = g.champion WHERE number = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise LookupError(f"generation {number} is not stored")
    tree = _remembering(parse)
    details = read_details(connection, number)
    cases = [tuple(map(float, row)) for row in details.get("cases", ())]
    first_seconds = 5 + len(_STATISTICS)
    generation = Generation(
        number=number,
        individuals=tuple(
            Individual(
                tree(text),
                _real(fitness),
                origin,
                tuple(json.loads(parents)),
                cases[place] if cases else (),
            )
            for place, (text, fitness, origin, parents) in enumerate(
                connection.execute(_INDIVIDUALS, (number,))
            )
        ),
        hall_of_fame=tuple(
            HallOfFameEntry(tree(text), entered, _real(points), _real(games))
            for text, entered, points, games in connection.execute(_HALL_OF_FAME, (number,))
        ),
        archive=tuple(
            ArchiveEntry(tree(text), generation)
            for text, generation in connection.execute(_ARCHIVE, (number,))
        ),
        champion=tree(row[-1]),
        fresh=_fresh(row[4]),
        statistics=_statistics(row[5:first_seconds]),
        seconds=Seconds(*row[first_seconds:-1]),
        digest=row[1],
        census=_census(details),
    )
    if not generation.individuals or not generation.hall_of_fame:
        raise ValueError(f"generation {number} is not whole")
    return generation


def _details(generation: Generation) -> str:
    content: dict[str, Any] = {"census": asdict(generation.census)}
    if any(one.cases for one in generation.individuals):
        content["cases"] = [list(one.cases) for one in generation.individuals]
    return json.dumps(content, separators=(",", ":"))


def read_details(connection: sqlite3.Connection, number: int) -> dict[str, Any]:
    """Return what is stored of a generation beside its numbers; {} for runs of older versions."""
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'details'"
    if not connection.execute(query).fetchone()[0]:
        return {}
    row = connection.execute(
        "SELECT content FROM details WHERE generation = ?", (number,)
    ).fetchone()
    return {} if row is None else read_object(row[0], ("census",))


def _census(details: Mapping[str, Any]) -> Census:
    content = dict(details.get("census", {}))
    for name in ("sizes", "no_op_chains"):
        if name in content:
            content[name] = tuple(content[name])
    return Census(**content)


def _real(value: object) -> float:
    if not isinstance(value, float):
        raise ValueError(f"{value!r} is not a number")
    return value


def _remembering(parse: Callable[[str], gp.Individual]) -> Callable[[str], gp.Individual]:
    """Return *parse* for texts that repeat: elites, members of the hall of fame."""
    known: dict[str, gp.Individual] = {}

    def tree(text: str) -> gp.Individual:
        if text not in known:
            known[text] = parse(text)
        return known[text]

    return tree


def _statistics(row: tuple[float, ...]) -> Statistics:
    values: dict[str, Any] = dict(zip(_STATISTICS, row, strict=True))
    # All columns are REAL.
    whole = {name: int(values[name]) for name in _WHOLE}
    return Statistics(**{**values, **whole})


def _tree_numbers(
    connection: sqlite3.Connection, generation: Generation
) -> dict[gp.Individual, int]:
    trees = dict.fromkeys(
        [
            *(one.tree for one in generation.individuals),
            *(entry.tree for entry in generation.hall_of_fame),
            generation.champion,
        ]
    )
    texts = {tree: str(tree) for tree in trees}
    connection.executemany(
        "INSERT OR IGNORE INTO trees (text) VALUES (?)", [(text,) for text in texts.values()]
    )
    return {tree: _tree_number(connection, text) for tree, text in texts.items()}


def _tree_number(connection: sqlite3.Connection, text: str) -> int:
    row = connection.execute("SELECT id FROM trees WHERE text = ?", (text,)).fetchone()
    if row is None:  # the index knows a tree that the table has lost
        raise sqlite3.DatabaseError("a tree is missing")
    return int(row[0])


def _numbers(parents: tuple[int, ...]) -> str:
    return json.dumps(list(parents), separators=(",", ":"))


def _quoted(path: Path) -> str:
    # In a SQLite URI these have a meaning of their own.
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
