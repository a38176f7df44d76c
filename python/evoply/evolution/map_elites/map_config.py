"""The config of a run of MAP-Elites: one frozen value, read from TOML.

How individuals are made, varied, limited and judged is said by the tables of a config of
evolution, which mean the same here.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from evoply.configs.part import Part, Problem, fields_of
from evoply.evolution.config.breeding import Initialisation, SizeLimits, Variation
from evoply.evolution.config.evolution_config import (
    MOST_GENERATIONS,
    EvolutionConfig,
    HallOfFame,
    Machine,
)
from evoply.evolution.config.game_settings import Draws, PlayerSettings, Start
from evoply.evolution.config.individual import IndividualShape, OneTree
from evoply.evolution.fitness import Fitness, with_measure_in_full
from evoply.evolution.map_elites.elites import Bins, Descriptor
from evoply.expressions import PrimitiveSet
from evoply.games import game_rules
from evoply.learning.games_config import GameName, LearnerConfig, config_of
from evoply.protocols import ConfigError
from evoply.rules.game_key import RulesDigest

MAP_ELITES_LEARNER = "map-elites"
"""The value of `learner` in `config.toml`."""
MOST_CELLS = 1024
"""Cells of the largest map: all its elites play in every generation."""


class MapAxis(Part):
    """An axis of the map: what it describes, in which range, and in how many bins.

    A value outside the range counts as one of the first or of the last bin.
    """

    descriptor: Descriptor
    """`mobility`: the mean share of all legal moves that are its own where it is its turn, 0.5 for
    as many as the opponent's. `size`: nodes. `length`: mean plies of its games. `corners`: mean
    corners that it holds at the end."""
    bins: int = Field(default=10, ge=2, le=64)
    """How many cells the map has along this axis."""
    low: float | None = None
    """Where the first bin begins; None: what is usual for the descriptor."""
    high: float | None = None
    """Where the last bin ends; None: what is usual for the descriptor."""


class MapSettings(Part):
    """The map: a cell for each combination of bins, which holds the best individual found there."""

    axes: tuple[MapAxis, ...] = Field(
        default=(MapAxis(descriptor="mobility"), MapAxis(descriptor="size")),
        strict=False,
        min_length=2,
        max_length=4,
    )
    """What tells individuals apart; the first is drawn from left to right, the second upwards."""
    pairs: int = Field(default=2, ge=1, le=1000)
    """Opening pairs against each of `fitness.opponents` by which a new individual is described.
    They are the same for all individuals of a run, so that each has one place on the map."""


class MapElitesConfig(LearnerConfig):
    """Everything that decides a run of MAP-Elites; the same config and seed give the same map.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> MapElitesConfig(game="othello-6", generations=10).map.axes[0].descriptor
    'mobility'
    """

    about: ClassVar[str] = "MAP-Elites"
    most: ClassVar[int] = MOST_GENERATIONS
    other_ends: ClassVar[tuple[str, ...]] = ("games", "work_limit", "time_limit")
    learner: Literal["map-elites"] = "map-elites"
    """The key that tells this file from those of other learners."""
    game: GameName = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same steps. A
    time limit decides how many of them."""
    batch: int = Field(default=200, ge=2, le=10_000)
    """New individuals in a generation: at first random ones, then offspring of elites."""
    map: MapSettings = MapSettings()
    generations: int | None = Field(default=None, ge=1, le=MOST_GENERATIONS)
    """Generations in all, the first included; None for no limit."""
    games: int | None = Field(default=None, ge=1)
    """Games in all, read between generations only; None for no limit."""
    work_limit: int | None = Field(default=None, ge=1)
    """Work in all, as in a config of evolution, read between generations only; None for no
    limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds, read between generations only; None for no limit."""
    primitives: str = "liao+mobility"
    """Name of a primitive set, or the set itself (a `PrimitiveSet` or its JSON form)."""
    individual: IndividualShape = OneTree()
    initialisation: Initialisation = Initialisation()
    variation: Variation = Variation()
    limits: SizeLimits = SizeLimits()
    player: PlayerSettings = PlayerSettings()
    draws: Draws = Draws()
    starts: tuple[Start, ...] = Field(default=(), strict=False, max_length=10_000)
    """Positions at which games begin, in training and in tests; if empty, the start of the game. In
    Python each is a position or its text."""
    fitness: Fitness = Fitness()
    hall_of_fame: HallOfFame = HallOfFame()
    machine: Machine = Machine()

    @property
    def evolution(self) -> EvolutionConfig:
        """The config of evolution that makes, varies and judges individuals in the same way."""
        shared = EvolutionConfig.model_fields.keys() & type(self).model_fields.keys()
        values = {name: value for name, value in fields_of(self).items() if name in shared}
        fixed = {"generations": MOST_GENERATIONS, "population_size": self.batch, "elitism": 0}
        return EvolutionConfig(**{**values, **fixed})

    @property
    def axes(self) -> tuple[Bins, ...]:
        """The axes of the map with their ranges."""
        return tuple(self._bins(axis) for axis in self.map.axes)

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none."""
        return self.limit_reached(
            {
                "generations": step.number + 1,
                "games": step.games,
                "work_limit": step.work,
                "time_limit": step.total_seconds,
            }
        )

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of a generation whose map is full, and those that describe."""
        cells = math.prod(axis.bins for axis in self.map.axes)
        each = self.evolution.games_of_a_step()["fitness"] // self.batch
        described = 2 * self.map.pairs * len(self.fitness.opponents)
        return {"fitness": (self.batch + cells) * each, "map.pairs": self.batch * described}

    @model_validator(mode="before")
    @classmethod
    def _with_guides_of_its_game(cls, data: Any) -> Any:
        return with_measure_in_full(data)

    @field_validator("primitives", mode="before")
    @classmethod
    def _set_as_text(cls, primitives: Any) -> Any:
        if isinstance(primitives, PrimitiveSet):
            primitives = primitives.to_dict()
        return json.dumps(primitives) if isinstance(primitives, dict) else primitives

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        if all(getattr(self, name) is None for name in self.ends()):
            ends = "set generations, games, work_limit or time_limit"
            return [("generations", f"{ends}, or the run never ends")]
        problems: list[Problem] = []
        try:
            _ = self.evolution
        except ConfigError as error:
            problems += error.errors
        if self.variation.recombination.pairing == "population":
            path = "variation.recombination.pairing"
            problems.append((path, "elites are drawn one by one for each couple: leave it out"))
        return problems + self._problems_of_the_map()

    def _problems_of_the_map(self) -> list[Problem]:
        problems: list[Problem] = []
        known: set[str] = set()
        for number, axis in enumerate(self.map.axes):
            path = f"map.axes.{number}"
            if axis.descriptor in known:
                again = f"{axis.descriptor} is an axis already - give another one"
                problems.append((f"{path}.descriptor", again))
            known.add(axis.descriptor)
            try:
                bins = self._bins(axis)
            except ValueError as error:
                problems.append((f"{path}.low", str(error)))
                continue
            if bins.low >= bins.high:
                order = f"{bins.low:g} is not below high, {bins.high:g} - give less"
                problems.append((f"{path}.low", order))
        cells = math.prod(axis.bins for axis in self.map.axes)
        if cells > MOST_CELLS:
            fewer = f"{cells:,} cells are more than {MOST_CELLS:,} - give fewer bins or axes"
            problems.append(("map.axes", fewer))
        return problems

    def _bins(self, axis: MapAxis) -> Bins:
        low, high = self._usual_range(axis)
        return Bins(
            axis.descriptor,
            axis.bins,
            low if axis.low is None else axis.low,
            high if axis.high is None else axis.high,
        )

    def _usual_range(self, axis: MapAxis) -> tuple[float, float]:
        """Return where most individuals lie; `ValueError` if nothing is usual in this game."""
        match axis.descriptor:
            case "mobility":
                return 0.4, 0.8
            case "size":
                return 1.0, self.limits.max_nodes + 1.0
            case "corners":
                return 0.0, 4.0
            case "length":
                length = game_rules(self.game).length
                if length is not None:
                    return 0.75 * length, length + 1.0
                if axis.low is None or axis.high is None:
                    raise ValueError(
                        f"games of {self.game} have no usual length - give low and high"
                    )
                return axis.low, axis.high


def load_map_config(
    source: MapElitesConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> MapElitesConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    >>> load_map_config("map-elites", ["batch=50"]).batch
    50
    """
    return config_of(MapElitesConfig, source, overrides, settings)
