"""A population as players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply.evolution.config_breeding import LexicaseSelection, ParetoSelection
from evoply.evolution.panel import players_of

if TYPE_CHECKING:
    from evoply.evolution.config import EvolutionConfig

__all__ = ["Entrants", "cases_of", "entrants_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Entrants:
    """A population as players; equal trees share one."""

    trees: tuple[gp.Individual, ...]
    """The different trees."""
    players: tuple[_native.Player, ...]
    """The player of each different tree."""
    programs: tuple[_native.Program, ...]
    """The program of each different tree."""
    operations: NDArray[np.int64]
    """Operations of each different tree's program."""
    who: NDArray[np.int64]
    """The place in `trees` of each individual."""

    def __len__(self) -> int:
        return len(self.who)


def entrants_of(config: EvolutionConfig, trees: Sequence[gp.Individual]) -> Entrants:
    """Return the population of *trees* as players; each different tree is lowered once."""
    places: dict[gp.Individual, int] = {}
    who = [places.setdefault(tree, len(places)) for tree in trees]
    programs = gp.lower(list(places), config.game)
    return Entrants(
        trees=tuple(places),
        players=tuple(players_of(config, programs)),
        programs=tuple(programs),
        operations=np.array([program.operations for program in programs], dtype=np.int64),
        who=np.array(who, dtype=np.int64),
    )


def cases_of(config: EvolutionConfig) -> Literal["opponents", "games", "stages"] | None:
    """Return what a case of the config's selection is, None if it selects by fitness alone."""
    match config.selection:
        case LexicaseSelection(cases=cases):
            return cases
        case ParetoSelection(objectives="opponents"):
            return "opponents"
        case _:
            return None
