"""Evolution's own tables of `run.db`: writing a generation as rows, and reading it back.

Floating-point numbers are stored as they are (8 bytes), trees as text, each text once. Checksums
cover the texts, wherever they are stored.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, astuple, fields
from functools import lru_cache
from typing import Any

from evoply import gp
from evoply.checksums import Database, Group
from evoply.evolution.config.evolution_config import EvolutionConfig, primitive_set_of
from evoply.evolution.generation import Generation
from evoply.evolution.generation_statistics import Census, FreshResult, Seconds, Statistics
from evoply.evolution.individuals import ArchiveEntry, HallOfFameEntry, Individual
from evoply.expressions import PrimitiveSet
from evoply.runs.schema import read_object

_STATISTICS = tuple(field.name for field in fields(Statistics) if field.default is MISSING)
_WHOLE = ("best_size", "best_depth", "distinct_trees", "games")
_ADDED = ("dead_introns", "live_introns", "median_fresh")
"""The numbers of its census that a row of a generation has."""
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


def _with_tree(name: str, label: str, columns: tuple[str, ...], tree: str = "tree") -> Group:
    """Return a group of rows of *columns*, the number first and the text of the column *tree* last.

    Rows are in the order of the first two columns.
    """
    markers = ", ".join(f"?{index + 1}" for index in range(len(columns)))
    return Group(
        name,
        label,
        f"SELECT {', '.join(columns)}, t.text FROM {name} n CROSS JOIN trees t ON t.id = n.{tree}"
        f" WHERE {columns[0]} BETWEEN ? AND ? ORDER BY {', '.join(columns[:2])}",
        f"INSERT INTO {name} ({', '.join(columns)}, {tree}) VALUES"
        f" ({markers}, (SELECT id FROM trees WHERE text = ?{len(columns) + 1}))",
        (*columns, "champion_tree" if tree == "champion" else tree),
    )


_GENERATIONS = _with_tree(
    "generations",
    "the row of generation {}",
    ("number", "digest", "seed", "fresh", *_STATISTICS, *_SECONDS),
    tree="champion",
)
_INDIVIDUALS = _with_tree(
    "individuals",
    "the individuals of generation {}",
    ("generation", "position", "fitness", "origin", "parents"),
)
_HALL_OF_FAME = _with_tree(
    "hall_of_fame",
    "the hall of fame of generation {}",
    ("generation", "rank", "entered", "points", "games"),
)
# What a generation added: its champion, or nothing.
_ARCHIVE = _with_tree("archive", "what generation {} added to the archive", ("generation",))
_DETAILS = Group(
    "details",
    "the details of generation {}",
    "SELECT generation, content FROM details WHERE generation BETWEEN ? AND ? ORDER BY generation",
    "INSERT INTO details VALUES (?, ?)",
)
GROUPS = (_GENERATIONS, _INDIVIDUALS, _HALL_OF_FAME, _ARCHIVE, _DETAILS)


def generation_rows(database: Database) -> list[dict[str, Any]]:
    """Return a row for each generation, with all its numbers by name; ValueError if damaged.

    The shares of introns and the median on fresh games come from the census.
    """
    rows = database.records(_GENERATIONS)
    check_rows(rows)
    censuses = read_censuses(database)
    return [{**row, **{key: censuses[row["number"]][key] for key in _ADDED}} for row in rows]


def read_censuses(database: Database) -> dict[int, dict[str, Any]]:
    """Return the census of each generation by its number."""
    return {
        number: read_object(text, ("census",))["census"]
        for rows in database.read(_DETAILS).values()
        for number, text in rows
    }


def _hall_of_fame_rows(database: Database) -> list[dict[str, Any]]:
    rows = database.records(_HALL_OF_FAME)
    for row in rows:
        tree = row.pop("tree")
        row |= {"fitness": row["points"] / row["games"], "tree": tree}
    return rows


EXPORTS: Mapping[str, Callable[[Database], list[dict[str, Any]]]] = {
    "generations": generation_rows,
    "individuals": lambda database: database.records(_INDIVIDUALS),
    "hall_of_fame": _hall_of_fame_rows,
}
"""The tables that can be exported, by name."""


def check_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise `ValueError` unless *rows* of the table of generations have the right types."""
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


def write_generation(database: Database, generation: Generation) -> None:
    """Write one generation inside a transaction."""
    number = generation.number
    individuals = [
        (
            number,
            position,
            individual.fitness,
            individual.origin,
            _numbers(individual.parents),
            str(individual.tree),
        )
        for position, individual in enumerate(generation.individuals)
    ]
    hall = [
        (number, rank, entry.generation, entry.points, entry.games, str(entry.tree))
        for rank, entry in enumerate(generation.hall_of_fame)
    ]
    champion = str(generation.champion)
    added = [(number, str(new.tree)) for new in generation.archive if new.generation == number]
    texts: set[str] = {champion, *(str(row[-1]) for row in (*individuals, *hall, *added))}
    database.connection.executemany(
        "INSERT OR IGNORE INTO trees (text) VALUES (?)", [(text,) for text in sorted(texts)]
    )
    # All numbers are REAL in the table, and come back as such.
    numbers = (*astuple(generation.statistics)[: len(_STATISTICS)], *astuple(generation.timing))
    reals = (None if value is None else float(value) for value in numbers)
    fresh = json.dumps([asdict(result) for result in generation.fresh])
    row = (number, generation.digest, generation.config.seed, fresh, *reals, champion)
    database.write(_GENERATIONS, number, [row])
    database.write(_INDIVIDUALS, number, individuals)
    database.write(_HALL_OF_FAME, number, hall)
    database.write(_ARCHIVE, number, added)
    database.write(_DETAILS, number, [(number, _details(generation))])


def read_generation(database: Database, config: EvolutionConfig, number: int) -> Generation:
    """Return a stored generation, equal to the written one; LookupError if it is missing."""
    primitives = primitive_set_of(config)
    with database.snapshot():
        ((_, digest, _, fresh, *numbers, champion),) = database.one(_GENERATIONS, number)
        individuals = database.one(_INDIVIDUALS, number)
        hall = database.one(_HALL_OF_FAME, number)
        archive = database.read(_ARCHIVE, 0, number)
        details = _read_details(database, number)

    def tree(text: str) -> gp.Genotype:
        return _tree(text, primitives)

    cases = [tuple(map(float, row)) for row in details.get("cases", ())]
    return Generation(
        number=number,
        individuals=tuple(
            Individual(
                tree(text),
                _real(fitness),
                origin,
                tuple(json.loads(parents)),
                cases[position] if cases else (),
            )
            for position, (_, _, fitness, origin, parents, text) in enumerate(individuals)
        ),
        hall_of_fame=tuple(
            HallOfFameEntry(tree(text), entered, _real(points), _real(games))
            for _, _, entered, points, games, text in hall
        ),
        archive=tuple(
            ArchiveEntry(tree(text), entered) for rows in archive.values() for entered, text in rows
        ),
        champion=tree(champion),
        fresh=_fresh(fresh),
        statistics=_statistics(tuple(numbers[: len(_STATISTICS)])),
        timing=Seconds(*numbers[len(_STATISTICS) :]),
        digest=digest,
        config=config,
        census=_census(details),
        state=details.get("state"),
    )


def _details(generation: Generation) -> str:
    content: dict[str, Any] = {"census": asdict(generation.census)}
    if any(individual.cases for individual in generation.individuals):
        content["cases"] = [list(individual.cases) for individual in generation.individuals]
    if generation.state is not None:
        content["state"] = generation.state
    return json.dumps(content, separators=(",", ":"))


def _read_details(database: Database, number: int) -> dict[str, Any]:
    """Return the stored details of a generation beside its numbers."""
    ((_, content),) = database.one(_DETAILS, number)
    return read_object(content, ("census",))


def _census(details: Mapping[str, Any]) -> Census:
    lists = {name: tuple(details["census"][name]) for name in ("sizes", "no_op_chains")}
    return Census(**{**details["census"], **lists})


def _real(value: object) -> float:
    if not isinstance(value, float):
        raise ValueError(f"{value!r} is not a number")
    return value


# Texts repeat: elites, members of the hall of fame, and all of the archive from generation to
# generation, which a display of a run reads again and again.
@lru_cache(maxsize=4096)
def _tree(text: str, primitives: PrimitiveSet) -> gp.Genotype:
    return gp.parse_individual(text, primitives)


def _statistics(row: tuple[float, ...]) -> Statistics:
    values: dict[str, Any] = dict(zip(_STATISTICS, row, strict=True))
    # All columns are REAL.
    whole = {name: int(values[name]) for name in _WHOLE}
    return Statistics(**{**values, **whole})


def _numbers(parents: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, parents))}]"  # JSON
