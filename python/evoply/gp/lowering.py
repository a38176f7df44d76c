"""From trees to native programs, a population at a time.

The kernel inlines primitives, shares common subexpressions and checks sizes; this module only
hands over codes and constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from evoply import _native
from evoply.gp.tree import Tree


def lower(trees: Sequence[Tree], game: str) -> list[_native.Program]:
    """Return one program a tree for *game*, in order; trees may be over different sets.

    Raises ValueError if the lowered size of a tree is over the limit of 4,096 operations.
    """
    programs: list[_native.Program | None] = [None] * len(trees)
    by_set: dict[int, list[int]] = {}
    for index, tree in enumerate(trees):
        by_set.setdefault(id(tree.primitive_set), []).append(index)
    for indices in by_set.values():
        native = trees[indices[0]].primitive_set.native(game)
        lowered = native.lower(
            [trees[index].codes() for index in indices],
            [trees[index].constants() for index in indices],
        )
        for index, program in zip(indices, lowered, strict=True):
            programs[index] = program
    return [program for program in programs if program is not None]
