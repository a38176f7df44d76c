"""Almgren, Berglund & Milstein, "The Othello Champion FIREBRAND": weights that games teach."""

from evoply.studies.firebrand.tables import FIREBRAND

__all__ = ["FIREBRAND"]
