"""Maps in `run.db`: a step is kept as its data, but each champion of earlier maps only once.

Every step needs all champions so far. If each held them, a long run would hold little else.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from evoply.checksums import Database, Group
from evoply.evolution.map_elites.elites import cell_text
from evoply.runs.schema import count_steps, read_state
from evoply.runs.steps_store import StepsStore

_ARCHIVE = Group(
    "map_archive",
    "what step {} added to the earlier champions of its map",
    "SELECT step, tree FROM map_archive WHERE step BETWEEN ? AND ? ORDER BY step",
    "INSERT INTO map_archive VALUES (?, ?)",
    ("step", "tree"),
)
_KEY = "past"


def _elites(database: Database) -> list[dict[str, Any]]:
    """Return a row for each elite after each generation; axes are numbered from 1."""
    return [
        {
            "generation": number,
            "cell": cell_text(elite["cell"]),
            "tree": elite["tree"],
            "nodes": elite["nodes"],
            "fitness": elite["fitness"],
            "origin": elite["origin"],
            "born": elite["born"],
            **{f"axis_{axis}": value for axis, value in enumerate(elite["description"], start=1)},
        }
        for number in range(count_steps(database))
        for elite in read_state(database, number)["elites"]
    ]


@dataclass(frozen=True, slots=True)
class MapStore(StepsStore):
    """See `evoply.runs.kind.Store`."""

    tables: ClassVar[str] = (
        "CREATE TABLE map_archive (step INTEGER PRIMARY KEY, tree TEXT NOT NULL);"
    )
    groups: ClassVar[tuple[Group, ...]] = (_ARCHIVE,)
    exports: ClassVar[Mapping[str, Callable[[Database], list[dict[str, Any]]]]] = {
        **StepsStore.exports,
        "elites": _elites,
    }

    def write(self, database: Database, step: Any, /) -> str:
        """Write the champion that the step added to earlier ones; return all else as JSON."""
        data = self._learner.dump(step)
        past = data.pop(_KEY)
        added = [(step.number, one["tree"]) for one in past if one["generation"] == step.number]
        database.write(_ARCHIVE, step.number, added)
        return json.dumps(data, allow_nan=False, separators=(",", ":"))

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        """Return the stored step with the champions that all steps so far added."""
        with database.snapshot():
            data = read_state(database, number)
            added = database.read(_ARCHIVE, 0, number)
        data[_KEY] = [
            {"tree": tree, "generation": entered}
            for rows in added.values()
            for entered, tree in rows
        ]
        return self._learner.load(config, data)
