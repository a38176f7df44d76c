"""Small configs for tests of run folders, and folders that somebody changed."""

import sqlite3
from pathlib import Path
from typing import Any

from evoply import Run
from evoply.evolution import EarlierGenerations, EvolutionConfig, Fitness, HallOfFame, Opponent
from evoply.files import checksum
from evoply.runs.schema import GROUPS


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


def change(folder: Path, *statements: str) -> None:
    """Change the database of a run as any program could."""
    connection = sqlite3.connect(folder / "run.db")
    for statement in statements:
        assert connection.execute(statement).rowcount != 0
    connection.commit()
    connection.close()


def falsify(folder: Path, *statements: str) -> None:
    """Change the database of a run, and its checksums so that they do not tell."""
    with Run.open(folder) as run:
        groups = (*GROUPS, *run.kind.store.groups)
    change(folder, *statements)
    connection = sqlite3.connect(folder / "run.db")
    for group in groups:
        read: dict[int, list[tuple[object, ...]]] = {}
        for row in connection.execute(group.select, (-(2**63), 2**63 - 1)):
            read.setdefault(row[0], []).append(row)
        for number, rows in read.items():
            connection.execute(
                "UPDATE checksums SET sha256 = ? WHERE name = ? AND number = ?",
                (checksum([group.name, number, rows]), group.name, number),
            )
    connection.commit()
    connection.close()
