"""Small configs for tests of run folders, and folders that somebody changed."""

import sqlite3
from pathlib import Path
from typing import Any

from evoply.evolution import EarlierGenerations, EvolutionConfig, Fitness, HallOfFame, Opponent
from evoply.files import checksum
from evoply.runs import Run
from evoply.runs.database import Database
from evoply.runs.tables import GROUPS


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
        groups = (*GROUPS, *run.kind.groups)
    change(folder, *statements)
    connection = sqlite3.connect(folder / "run.db")
    opened = Database(connection, is_checked=False)
    for group in groups:
        for number, rows in opened.read(group).items():
            connection.execute(
                "UPDATE checksums SET sha256 = ? WHERE name = ? AND number = ?",
                (checksum([group.name, number, rows]), group.name, number),
            )
    connection.commit()
    connection.close()


def make_older(folder: Path, version: int) -> None:
    """Turn a run into one of format 2, without checksums, or 1, without steps."""
    change(
        folder, "DROP TABLE checksums", f"UPDATE meta SET value = '{version}' WHERE key = 'format'"
    )
    if version == 1:
        change(folder, "DROP TABLE steps", "DROP TABLE players")
