"""What an operator may ask for: its parents with their fitness, and values of nodes on boards.

An operator asks by a keyword-only parameter `parents`: `(tree, limits, stream, *, parents)`.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply._native import Stream
from evoply.evolution.individuals import Individual
from evoply.games import game_rules

SAMPLE_BOARDS = 64
"""Boards on which operators may ask for values."""


@dataclass(frozen=True, slots=True, eq=False)
class SampleBoards:
    """Random boards of the game, the same for all offspring of a generation, and known values.

    The first question values all nodes of *population*, and each new tree is valued once; so the
    kernel is called for batches, whatever operators ask for.
    """

    game: str
    stream: Stream
    population: tuple[gp.Genotype, ...] = ()
    _known: dict[gp.Genotype, NDArray[np.float64]] = field(default_factory=dict)

    def values(self, trees: Sequence[gp.Genotype]) -> list[NDArray[np.float64]]:
        """Return the values of the nodes of *trees*: see `Parents.values`."""
        if any(tree not in self._known for tree in trees):
            wanted = list(dict.fromkeys([*trees, *(() if self._known else self._plain())]))
            rules = game_rules(self.game)
            positions = _native.Positions.random(
                rules.kernel, SAMPLE_BOARDS, self.stream.key, 0, rules.late_ply
            )
            new = [tree for tree in wanted if tree not in self._known]
            for tree, values in zip(new, gp.node_values(new, self.game, positions), strict=True):
                values.setflags(write=False)
                self._known[tree] = values
        return [self._known[tree] for tree in trees]

    def _plain(self) -> Iterable[gp.Genotype]:
        return (tree for tree in self.population if isinstance(tree, gp.Tree))


@dataclass(frozen=True, slots=True, eq=False)
class Parents:
    """The parents of an offspring: one of a mutation, two of a recombination."""

    individuals: tuple[Individual, ...]
    """With fitness, cases and the whole individual, of which an operator may get one tree."""
    boards: SampleBoards

    @property
    def fitness(self) -> tuple[float, ...]:
        """Return the fitness of each, maximised."""
        return tuple(individual.fitness for individual in self.individuals)

    def values(self, *trees: gp.Genotype) -> list[NDArray[np.float64]]:
        """Return the value of every node of each tree on 64 boards, shape (nodes, boards).

        The boards are random positions of the game as the side to move sees them, the same for all
        offspring of a generation. NaN marks sets of squares and nodes that are never computed; a
        truth is 0 or 1. Ask for several trees at once: the kernel values them in one call.
        """
        return self.boards.values(trees)


@cache
def _asks(function: Callable[..., Any]) -> bool:
    parameter = inspect.signature(function).parameters.get("parents")
    return parameter is not None and parameter.kind is parameter.KEYWORD_ONLY


def answered(function: Callable[..., Any], parents: Parents) -> Callable[..., Any]:
    """Return *function* with its *parents* if it asks for them."""
    return partial(function, parents=parents) if _asks(function) else function
