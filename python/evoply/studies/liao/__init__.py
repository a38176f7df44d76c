"""Liao, "Genetic Programming Applied to Board Game Othello": its tables and its program."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.studies.liao.legacy import LegacyReading, legacy_tree
    from evoply.studies.liao.tables import LIAO

__all__ = ["LIAO", "LegacyReading", "legacy_tree"]

give_when_used(
    __name__,
    {
        "legacy": "LegacyReading legacy_tree",
        "tables": "LIAO",
    },
)
