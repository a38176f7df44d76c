"""The games of evolution: individuals as players, their opponents, and their schedules."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.evolution.play.opponents import read_opponent
    from evoply.evolution.play.panel import (
        NOBODY,
        Batch,
        Games,
        Panel,
        Trial,
        schedule_of,
        trial,
    )
    from evoply.evolution.play.population import panel_of, population_of, seats_of

__all__ = [
    "NOBODY",
    "Batch",
    "Games",
    "Panel",
    "Trial",
    "panel_of",
    "population_of",
    "read_opponent",
    "schedule_of",
    "seats_of",
    "trial",
]

give_when_used(
    __name__,
    {
        "opponents": "read_opponent",
        "panel": "NOBODY Batch Games Panel Trial schedule_of trial",
        "population": "panel_of population_of seats_of",
    },
)
