"""Small configs for tests of run folders, and folders that somebody changed."""

import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

from evoply.environment import checksum_of
from evoply.evolution import EarlierGenerations, EvolutionConfig, Fitness, HallOfFame, Opponent
from evoply.runs.schema import GROUPS
from evoply.runs.states import unzipped, zipped


def small_config(**changes: Any) -> EvolutionConfig:
    """Return a config whose generations take a few hundredths of a second."""
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 5,
        "population_size": 20,
        "generations": 4,
        "fitness": Fitness(
            opponents=(Opponent(player="random", pairs=2), Opponent(player="greedy", pairs=1)),
            earlier_generations=EarlierGenerations(champions=2, pairs=1),
        ),
        "hall_of_fame": HallOfFame(size=3, candidates=2, sample=3, pairs=2, final_pairs=3),
    }
    return EvolutionConfig(**{**settings, **changes})


def edited(state: bytes, path: str, value: object) -> bytes:
    """Return *state* with another value at a JSON path."""
    with sqlite3.connect(":memory:") as memory:
        query = "SELECT json_set(?, ?, ?)"
        (text,) = memory.execute(query, (unzipped(state), path, value)).fetchone()
    return zipped(json.loads(text))


def change(folder: Path, *statements: str) -> None:
    """Change the database of a run as any program could; `edited` changes a state."""
    connection = sqlite3.connect(folder / "run.db")
    connection.create_function("edited", 3, edited)
    connection.create_function("bomb", 0, lambda: zlib.compress(bytes(2**26)))
    connection.create_function("nested", 0, lambda: zlib.compress(b"[" * 100_000))
    for statement in statements:
        assert connection.execute(statement).rowcount != 0
    connection.commit()
    connection.close()


def falsify(folder: Path, *statements: str) -> None:
    """Change the database of a run, and its checksums so that they do not tell."""
    change(folder, *statements)
    connection = sqlite3.connect(folder / "run.db")
    for group in GROUPS:
        read: dict[int, list[tuple[object, ...]]] = {}
        for row in connection.execute(group.select, (-(2**63), 2**63 - 1)):
            read.setdefault(row[0], []).append(row)
        for number, rows in read.items():
            connection.execute(
                "UPDATE checksums SET sha256 = ? WHERE name = ? AND number = ?",
                (checksum_of(group, number, rows), group.name, number),
            )
    connection.commit()
    connection.close()
