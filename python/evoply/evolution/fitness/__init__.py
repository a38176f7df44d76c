"""Kinds of fitness: `FITNESS` is the one table of them, and `contract` says what a kind is.

A new kind is a class in a file of its own and a place in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from evoply.evolution.fitness.contract import (
    Batch,
    Case,
    FitnessKind,
    Measured,
    Play,
    Training,
)
from evoply.evolution.fitness.discs import DiscFitness, EpochFitness, StageFitness
from evoply.evolution.fitness.guides import Guide, GuideFitness
from evoply.evolution.fitness.own import BatchFitness, OwnFitness, TreeFitness
from evoply.evolution.fitness.points import PointFitness
from evoply.evolution.fitness.tournament import TournamentFitness

__all__ = [
    "FITNESS",
    "Batch",
    "BatchFitness",
    "Case",
    "DiscFitness",
    "EpochFitness",
    "FitnessKind",
    "Guide",
    "GuideFitness",
    "Measure",
    "Measured",
    "OwnFitness",
    "Play",
    "PointFitness",
    "StageFitness",
    "TournamentFitness",
    "Training",
    "TreeFitness",
    "measure_from_text",
]

FITNESS: tuple[type[FitnessKind], ...] = (
    PointFitness,
    DiscFitness,
    EpochFitness,
    StageFitness,
    GuideFitness,
    TournamentFitness,
)
"""Every kind that a config can name; the first is the default."""

if TYPE_CHECKING:
    Measure = FitnessKind
else:  # any of the table, told apart by `kind`
    Measure = Annotated[reduce(or_, FITNESS), Field(discriminator="kind")]


def measure_from_text(text: str, game: str = "othello") -> dict[str, Any]:
    """Return the keys of the fitness that a text such as `10ab2+20Co` means in *game*.

    Raises ValueError if it means none.

    >>> measure_from_text("25Co")
    {'kind': 'guides', 'guides': (), 'co_play': 25}
    """
    reason = f"cannot read {text[:60]!r} as a fitness"
    for kind in FITNESS:
        try:
            keys: Mapping[str, Any] | None = kind.from_text(text, game)
        except ValueError as error:
            reason = str(error)
        else:
            if keys is not None:
                return dict(keys)
    raise ValueError(reason)
