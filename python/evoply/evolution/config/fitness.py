"""The parts of a config that say what fitness is: whom a population meets and what counts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from evoply.configs.part import Part
from evoply.evolution.config.games import USUAL
from evoply.evolution.fitness import FITNESS, Measure, measure_from_text

__all__ = ["EarlierGenerations", "Fitness", "Opponent"]

MOST_OPENING_PLIES = 40


class Opponent(Part):
    """A fixed opponent of the whole population: a player text and how much it is met."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `greedy` or `material:depth=2`."""
    pairs: int = Field(default=5, ge=1, le=100_000)
    """Random openings a generation; each is played twice with colours swapped."""
    games: int | None = Field(default=None, ge=1, le=200_000)
    """Games of training instead of `pairs`, also an odd number of them, as papers play."""


class EarlierGenerations(Part):
    """Champions of earlier generations as opponents, drawn anew each generation."""

    champions: int = Field(default=0, ge=0, le=1000)
    """How many are drawn (fewer while there are fewer)."""
    recent: int = Field(default=0, ge=0, le=1000)
    """How many of them are the newest; the others are drawn uniformly from all the rest."""
    pairs: int = Field(default=4, ge=1, le=100_000)
    """Opening pairs against each."""

    @model_validator(mode="after")
    def _recent_are_champions(self) -> EarlierGenerations:
        if self.recent > self.champions:
            raise ValueError(f"recent {self.recent} is above champions {self.champions}")
        return self


class Fitness(Part):
    """Whom the population meets, on which openings, and what counts.

    The opponents are also the yardstick of the hall of fame and of the reports, which is always
    points per game on fresh openings, whatever `measure` says.
    """

    opponents: tuple[Opponent, ...] = Field(
        default=(Opponent(player="random", pairs=5), Opponent(player="greedy", pairs=5)),
        strict=False,
        max_length=1000,
    )
    """Fixed opponents, the same in every generation."""
    earlier_generations: EarlierGenerations = EarlierGenerations()
    opening_plies: int | str = USUAL
    """Uniformly random legal plies before the players choose; `usual`: 8 in Othello, 4 in checkers,
    as in matches."""
    sides: Literal["both", "black", "white"] = "both"
    """Which colour individuals play: alternately both, or one only, as some papers do. One only
    plays every opening once, and two openings stand for a pair."""
    allow_test_opponents: bool = False
    """Whether `swh`, the yardstick of the reports, may be trained against."""
    allow_irreproducible: bool = False
    """Whether opponents may be met that do not play the same game twice, such as one limited in
    seconds. The run is marked: it cannot be repeated, and is no ground for a table."""
    measure: Measure = FITNESS[0]()

    @field_validator("opening_plies", mode="before")
    @classmethod
    def _plies_are_few_or_usual(cls, plies: Any) -> Any:
        if plies != USUAL and (type(plies) is not int or not 0 <= plies <= MOST_OPENING_PLIES):
            raise ValueError(f"must be a whole number from 0 to {MOST_OPENING_PLIES}, or '{USUAL}'")
        return plies

    @field_validator("measure", mode="before")
    @classmethod
    def _measure_as_text(cls, measure: Any) -> Any:
        return measure_from_text(measure) if isinstance(measure, str) else measure
