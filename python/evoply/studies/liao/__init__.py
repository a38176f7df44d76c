"""Liao, "Genetic Programming Applied to Board Game Othello": its tables and its program."""

from evoply.studies.liao.legacy import LegacyReading, legacy_tree
from evoply.studies.liao.tables import LIAO

__all__ = ["LIAO", "LegacyReading", "legacy_tree"]
