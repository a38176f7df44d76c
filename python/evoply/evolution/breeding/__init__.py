"""Breeding makes the next population: new individuals, selection, offspring."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.evolution.breeding.offspring import (
        Offspring,
        breed,
        draw_operator,
        first_population,
        offspring_of,
        selector_of,
    )

__all__ = [
    "Offspring",
    "breed",
    "draw_operator",
    "first_population",
    "offspring_of",
    "selector_of",
]

give_when_used(
    __name__,
    {
        "offspring": "Offspring breed draw_operator first_population offspring_of selector_of",
    },
)
