"""What only runs of evolution hold: the censuses of their generations and the final test."""

from __future__ import annotations

from typing import Any

from evoply.protocols import RunError
from evoply.runs.database import read_object
from evoply.runs.evolution_kind import EvolutionKind, final_test_note
from evoply.runs.evolution_store import DETAILS
from evoply.runs.run import Run

__all__ = ["censuses", "check_evolved", "stored_final_test"]


def check_evolved(run: Run) -> None:
    """Raise `RunError` unless *run* is one of evolution."""
    if not isinstance(run.kind, EvolutionKind):
        raise RunError(
            f"run {run.path} was made by the learner {run.kind.name}, not by evolution: "
            "use `evoply runs` or `evoply report`, which show any run"
        )


def censuses(run: Run) -> list[dict[str, Any]]:
    """Return the census of every generation in order; {} for those of older versions."""
    check_evolved(run)
    contents = run.reading(
        lambda database: {
            number: read_object(text, ("census",))["census"]
            for rows in database.read(DETAILS).values()
            for number, text in rows
        }
    )
    return [contents.get(number, {}) for number in range(run.count())]


def stored_final_test(run: Run) -> dict[str, Any] | None:
    """Return the final test (generation, champion, games, ranking), or None before it."""
    check_evolved(run)
    return final_test_note(run.note)
