"""Frankland & Pillay, "Evolving Game Playing Strategies for Othello": its games and weights."""

from evoply.studies.frankland.tables import FRANKLAND

__all__ = ["FRANKLAND"]
