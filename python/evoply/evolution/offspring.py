"""A tree that has not played yet."""

from __future__ import annotations

from dataclasses import dataclass

from evoply.gp import Tree

__all__ = ["Offspring"]


@dataclass(frozen=True, slots=True)
class Offspring:
    """A tree that has not played yet, its operator, and its parents' positions."""

    tree: Tree
    origin: str
    parents: tuple[int, ...] = ()
