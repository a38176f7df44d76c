"""Islands in `run.db`: a step is kept as its data, but each champion of an archive only once.

An archive has a champion of every generation so far. If each step held all of it, a long run would
hold little else.
"""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from evoply.checksums import Database, Group
from evoply.islands.islands import IslandsStep
from evoply.runs.schema import read_state
from evoply.runs.steps_store import StepsStore

TABLES = """
CREATE TABLE island_archives (
    step INTEGER NOT NULL, island INTEGER NOT NULL, generation INTEGER NOT NULL,
    tree TEXT NOT NULL, PRIMARY KEY (step, island, generation)
) WITHOUT ROWID;
"""
_ARCHIVES = Group(
    "island_archives",
    "what step {} added to the archives of its islands",
    "SELECT step, island, generation, tree FROM island_archives WHERE step BETWEEN ? AND ?"
    " ORDER BY step, island, generation",
    "INSERT INTO island_archives VALUES (?, ?, ?, ?)",
    ("step", "island", "generation", "tree"),
)
_KEY = "archive"


@dataclass(frozen=True, slots=True)
class IslandsStore(StepsStore):
    """See `evoply.runs.kind.Store`."""

    tables: ClassVar[str] = TABLES
    groups: ClassVar[tuple[Group, ...]] = (_ARCHIVES,)

    def write(self, database: Database, step: IslandsStep, /) -> str:
        """Write what the step added to archives; return all else as JSON."""
        every = (step.generations[0].number + 1) // (step.number + 1)
        rows = [
            (step.number, island, entry.generation, str(entry.tree))
            for island, generation in enumerate(step.generations)
            for entry in generation.archive
            if entry.generation >= step.number * every
        ]
        database.write(_ARCHIVES, step.number, rows)
        data = self._learner.dump(step)
        for generation in data["generations"]:
            del generation[_KEY]
        return json.dumps(data, allow_nan=False, separators=(",", ":"))

    def read(self, database: Database, config: Any, number: int, /) -> IslandsStep:
        """Return the stored step, whose archives are what all steps so far added."""
        with database.snapshot():
            data = read_state(database, number)
            added = database.read(_ARCHIVES, 0, number)
        for island, generation in enumerate(data["generations"]):
            generation[_KEY] = [
                {"tree": tree, "generation": entered}
                for rows in added.values()
                for _, place, entered, tree in rows
                if place == island
            ]
        step: Any = self._learner.load(config, data)
        loaded: IslandsStep = step
        return loaded
