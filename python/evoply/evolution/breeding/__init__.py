"""Breeding makes the next population: new individuals, selection, offspring."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.evolution.breeding.offspring import (
        Breeder,
        Offspring,
        breed,
        draw_operator,
        first_population,
        offspring_of,
    )

__all__ = [
    "Breeder",
    "Offspring",
    "breed",
    "draw_operator",
    "first_population",
    "offspring_of",
]

give_when_used(
    __name__,
    {
        "offspring": "Breeder Offspring breed draw_operator first_population offspring_of",
    },
)
