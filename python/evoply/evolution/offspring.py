"""An individual that has not played yet."""

from __future__ import annotations

from dataclasses import dataclass

from evoply import gp

__all__ = ["Offspring"]


@dataclass(frozen=True, slots=True)
class Offspring:
    """An individual that has not played yet, its operator, and its parents' positions."""

    tree: gp.Individual
    origin: str
    parents: tuple[int, ...] = ()
