"""Evolution's own tables of `run.db`: how a generation becomes rows and rows a generation.

Floating-point numbers are stored as they are (8 bytes), trees as text, each text once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, fields
from typing import Any

from evoply import gp
from evoply.evolution import (
    ArchiveEntry,
    Census,
    EvolutionConfig,
    FreshResult,
    Generation,
    HallOfFameEntry,
    Individual,
    Seconds,
    Statistics,
    primitive_set_of,
)
from evoply.runs.database import read_object

__all__ = [
    "FORMAT_1_STEPS",
    "GENERATIONS",
    "QUERIES",
    "TABLES",
    "check_cells",
    "check_rows",
    "read_generation",
    "write_generation",
]

_STATISTICS = tuple(field.name for field in fields(Statistics))
_WHOLE = ("best_size", "best_depth", "distinct_trees", "games")
_SECONDS = tuple(f"seconds_{field.name}" for field in fields(Seconds))

TABLES = f"""
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
CREATE TABLE details (generation INTEGER PRIMARY KEY, content TEXT NOT NULL);
"""

# SQLite itself would write 15 digits, which do not read back exactly.
_AS_JSON = ", ".join(f"'{name}', json(printf('%!.17g', {name}))" for name in _STATISTICS)
FORMAT_1_STEPS = f"""
CREATE TEMP VIEW steps AS SELECT
    number, digest, json_object({_AS_JSON}) AS statistics,
    '[]' AS champions, seconds_total AS seconds, NULL AS state
FROM generations
"""
"""Shows the generations of a run of format 1 as the steps that every later run has."""

GENERATIONS = """
SELECT g.*, t.text AS champion_tree FROM generations g JOIN trees t ON t.id = g.champion
ORDER BY number
"""
QUERIES = {
    "individuals.csv": (
        "SELECT generation, position, fitness, origin, parents, t.text AS tree FROM individuals i"
        " JOIN trees t ON t.id = i.tree ORDER BY generation, position"
    ),
    "hall_of_fame.csv": (
        "SELECT generation, rank, entered, points, games, points / games AS fitness,"
        " t.text AS tree FROM hall_of_fame h JOIN trees t ON t.id = h.tree"
        " ORDER BY generation, rank"
    ),
}
"""What is exported beside the generations, by name of the file."""

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


def write_generation(connection: sqlite3.Connection, generation: Generation) -> None:
    """Write one generation inside a transaction."""
    number = generation.number
    trees = _tree_numbers(connection, generation)
    marks = ", ".join("?" * (5 + len(_STATISTICS) + len(_SECONDS)))
    connection.execute(
        f"INSERT INTO generations VALUES ({marks})",
        (
            number,
            generation.digest,
            generation.config.seed,
            trees[generation.champion],
            json.dumps([asdict(result) for result in generation.fresh]),
            *astuple(generation.statistics),
            *astuple(generation.timing),
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
    connection: sqlite3.Connection, config: EvolutionConfig, number: int
) -> Generation:
    """Return a stored generation, equal to the one that was written; LookupError if none is."""
    primitives = primitive_set_of(config)
    row = connection.execute(
        "SELECT g.*, t.text FROM generations g JOIN trees t ON t.id = g.champion WHERE number = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise LookupError(f"generation {number} is not stored")
    tree = _remembering(lambda text: gp.parse_individual(text, primitives))
    details = _read_details(connection, number)
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
        timing=Seconds(*row[first_seconds:-1]),
        digest=row[1],
        config=config,
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


def _read_details(connection: sqlite3.Connection, number: int) -> dict[str, Any]:
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
