"""Fitness: `FITNESS` is the one table of its kinds, and `contract` defines a kind.

A new kind is a class in its own file and a row of the table. `Fitness` is the part of a config
that names the opponents of a population and the kind that counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator

from evoply.configs.part import Part, Problem
from evoply.evolution.config.game_settings import USUAL, EarlierGenerations, Opponent
from evoply.evolution.fitness.contract import (
    FitnessKind,
)
from evoply.evolution.fitness.discs import DiscFitness, EpochFitness, PointFitness, StageFitness
from evoply.evolution.fitness.guides import GuideFitness
from evoply.evolution.fitness.own import (
    PythonFitness,
)
from evoply.evolution.fitness.tournament import TournamentFitness
from evoply.evolution.individuals import Case
from evoply.evolution.play.opponents import Sides, is_certain, player_texts, read_opponent

MOST_OPENING_PLIES = 40

TEST_OPPONENTS = frozenset({"swh"})
"""Players that measure a finished champion and are therefore not trained against."""

FITNESS: tuple[type[FitnessKind], ...] = (
    PointFitness,
    DiscFitness,
    EpochFitness,
    StageFitness,
    GuideFitness,
    TournamentFitness,
    PythonFitness,
)
"""Every kind that a config can name; the first is the default."""

if TYPE_CHECKING:
    Measure = FitnessKind
else:  # any of the table, told apart by `kind`
    Measure = Annotated[reduce(or_, FITNESS), Field(discriminator="kind")]


def measure_from_text(text: str, game: str = "othello") -> dict[str, Any]:
    """Return the keys of the fitness that a text such as `10ab2+20Co` means in *game*.

    Raises ValueError if the text does not mean a fitness.

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


def with_measure_in_full(data: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a config with a fitness such as `10ab2+20Co` in full: games have guides.

    >>> with_measure_in_full({"game": "othello", "fitness": "25Co"})["fitness"]["measure"]["kind"]
    'guides'
    """
    fitness = data.get("fitness")
    measure = fitness.get("measure") if isinstance(fitness, dict) else fitness
    if not isinstance(measure, str):
        return data
    others = fitness if isinstance(fitness, dict) else {}
    read: Any = measure
    with suppress(ValueError):  # what cannot be read is reported at its own path
        read = measure_from_text(measure, str(data.get("game", "othello")))
    return {**data, "fitness": {**others, "measure": read}}


class Fitness(Part):
    """The opponents of the population, its openings, and the kind of fitness.

    The opponents also measure the hall of fame and the reports: there the measure is always
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
    sides: Sides = "both"
    """Which colour individuals play: alternately both, or one only, as some papers do. With one
    colour every opening is played once, and two openings stand for a pair."""
    allow_test_opponents: bool = False
    """Whether `swh`, the yardstick of the reports, may be trained against."""
    allow_irreproducible: bool = False
    """Whether opponents may be met that do not play the same game twice, such as one limited in
    seconds. The run is marked: it cannot be repeated, and must not support a table."""
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

    def player_problems(self, game: str) -> Iterator[Problem]:
        """Yield the problems of its players in *game*."""
        if not self.opponents:
            yield "fitness.opponents", "at least one is needed: the first generation has no other"
        for path, text in player_texts(self):
            problem = self._player_problem(text, game)
            if problem is not None:
                yield f"fitness.{path}", problem

    def _player_problem(self, text: str, game: str) -> str | None:
        name = text.strip().partition(":")[0].partition("@")[0].strip()
        if name in TEST_OPPONENTS and not self.allow_test_opponents:
            return (
                f"{name} measures the finished champion; a run that trains against it says nothing "
                "(set fitness.allow_test_opponents = true to do it all the same)"
            )
        if name == "champion":
            return "a config must not depend on another run: write the champion's tree instead"
        try:
            may_differ = not is_certain(read_opponent(text, game))
        except (ValueError, OSError) as error:
            return str(error)
        if may_differ and not self.allow_irreproducible:
            return (
                "a player with a limit in time, a bot or an engine makes a run that cannot be "
                "repeated: limit the nodes instead (or set fitness.allow_irreproducible = true, "
                "and the run is marked)"
            )
        return None

    def case_problems(self, case: Case | None, table: str) -> Iterator[Problem]:
        """Yield an error if *table* looks at each *case*, which this fitness does not have."""
        measure = self.measure
        if case is None or case in measure.cases:
            return
        if not measure.cases:
            reason = "has no results against each opponent to select by"
            yield f"{table}.kind", f"fitness.measure {measure.kind} {reason}"
            return
        listed = " or ".join(f'"{case}"' for case in measure.cases)
        usual = [kind() for kind in FITNESS if kind is not PythonFitness]
        others = [kind.kind for kind in usual if case in kind.cases]
        hint = f'; "{case}" are those of {", ".join(others)}' if others else ""
        yield f"{table}.cases", f"with fitness.measure {measure.kind} a case is {listed}{hint}"
