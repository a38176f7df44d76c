"""What an evolution run is asked to do: one frozen value, read from TOML and kept with the run.

This module knows the settings and which of them fit together. It does not know how a generation
is bred or played. Reading, overriding and writing TOML is `evoply.evolution.config_text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evoply.evolution.config_checks import config_error, problems_of
from evoply.expressions import PrimitiveSet

__all__ = [
    "EarlierGenerations",
    "EvolutionConfig",
    "Fitness",
    "GreedySelection",
    "HallOfFame",
    "Initialisation",
    "Machine",
    "Opponent",
    "PlayerSettings",
    "RouletteSelection",
    "Selection",
    "SizeLimits",
    "TournamentSelection",
    "Variation",
]


class Part(BaseModel):
    """A frozen part of a config: unknown keys, wrong types and infinities are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class Initialisation(Part):
    """How the trees of generation 0 are made; depths count levels, a single leaf has depth 1."""

    method: Literal["ramped_half_and_half", "grow", "full"] = "ramped_half_and_half"
    """How random trees are made; the ramp makes halves of both others over a range of depths."""
    min_depth: int = Field(default=2, ge=1, le=20)
    """Smallest depth limit of the ramp (ramped half-and-half only)."""
    max_depth: int = Field(default=6, ge=1, le=20)
    """Largest depth of a new tree."""

    @model_validator(mode="after")
    def _depths_in_order(self) -> Initialisation:
        if self.min_depth > self.max_depth:
            raise ValueError(f"min_depth {self.min_depth} is above max_depth {self.max_depth}")
        return self


class TournamentSelection(Part):
    """The best of `size` individuals drawn with replacement becomes a parent."""

    kind: Literal["tournament"] = "tournament"
    size: int = Field(default=7, ge=1, le=10_000)
    """Individuals in a tournament; more of them select harder."""


class RouletteSelection(Part):
    """An individual becomes a parent with a probability proportional to its fitness."""

    kind: Literal["roulette"] = "roulette"


class GreedySelection(Part):
    """Greedy over-selection (Koza): most parents come from the group of the best.

    The best individuals that together hold the share `top_share` of all fitness form the top
    group (default: 0.32 up to 1,000 individuals, then 320 by their number). A parent comes from
    it with `top_probability`, else from the rest, each time in proportion to fitness.
    """

    kind: Literal["greedy"] = "greedy"
    top_share: float | None = Field(default=None, gt=0, lt=1)
    """Share of all fitness that the top group holds."""
    top_probability: float = Field(default=0.8, ge=0, le=1)
    """Probability that a parent comes from the top group."""


Selection = Annotated[
    TournamentSelection | RouletteSelection | GreedySelection, Field(discriminator="kind")
]


class Variation(Part):
    """How often each operator makes an offspring.

    The rates are probabilities and may add up to less than one: what is left over is added to
    `reproduction` (a selected parent is copied). More than one is refused.
    """

    crossover: float = Field(default=0.8, ge=0, le=1)
    """A subtree is replaced by one of another parent."""
    subtree_mutation: float = Field(default=0.1, ge=0, le=1)
    """A subtree is replaced by a random one."""
    point_mutation: float = Field(default=0.05, ge=0, le=1)
    """A node is replaced by another of the same arity and types."""
    constant_mutation: float = Field(default=0.0, ge=0, le=1)
    """Drawn constants are changed."""
    reproduction: float = Field(default=0.0, ge=0, le=1)
    """A parent is copied."""

    @model_validator(mode="after")
    def _rates_are_shares(self) -> Variation:
        rates = {name: getattr(self, name) for name in type(self).model_fields}
        total = sum(rates.values())
        if total > 1 + 1e-9:
            terms = " + ".join(f"{name} {rate:g}" for name, rate in rates.items() if rate)
            raise ValueError(f"{terms} is {total:.6g}, more than 1")
        return self


class SizeLimits(Part):
    """What no tree of the population may exceed."""

    max_depth: int = Field(default=17, ge=1, le=100)
    """Levels of a tree, the root included."""
    max_nodes: int = Field(default=200, ge=1, le=4096)
    """Nodes of a tree."""


class PlayerSettings(Part):
    """How a tree plays: 0 or no `depth` compares the boards after each move, 1 or more searches."""

    ties: Literal["first", "last", "random"] = "first"
    """Which of equally good moves is played."""
    view: Literal["player", "turn"] = "player"
    """For whom own stands: who is choosing, or who is to move at the evaluated board."""
    depth: int = Field(default=0, ge=0, le=20)
    """Plies looked ahead by alpha-beta, the move itself included; 0 is the after-state player."""


class Opponent(Part):
    """A fixed opponent of the whole population: a player text and its opening pairs."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `greedy` or `material:depth=2`."""
    pairs: int = Field(default=5, ge=1, le=100_000)
    """Random openings a generation; each is played twice with colours swapped."""


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
    """Points (win 1, draw 1/2, loss 0) averaged over the games of a generation, in [0, 1]."""

    opponents: tuple[Opponent, ...] = Field(
        default=(Opponent(player="random", pairs=5), Opponent(player="greedy", pairs=5)),
        strict=False,
        max_length=1000,
    )
    """Fixed opponents, the same in every generation."""
    earlier_generations: EarlierGenerations = EarlierGenerations()
    opening_plies: int = Field(default=8, ge=0, le=40)
    """Uniformly random legal plies before the players choose."""
    allow_test_opponents: bool = False
    """Whether `swh`, the yardstick of the reports, may be trained against."""


class HallOfFame(Part):
    """The best individuals so far, ranked by games they were not selected on."""

    size: int = Field(default=10, ge=1, le=1000)
    """How many it holds."""
    candidates: int = Field(default=5, ge=1, le=1000)
    """How many of the generation's best are tested again on fresh games."""
    sample: int = Field(default=10, ge=1, le=10_000)
    """How many random individuals are tested with them, for the mean on fresh games."""
    pairs: int = Field(default=10, ge=1, le=100_000)
    """Fresh opening pairs against every opponent of the generation."""
    final_pairs: int = Field(default=50, ge=1, le=100_000)
    """Opening pairs against every opponent in the final test that names the champion."""


class Machine(Part):
    """How this machine is used; changes no result and is not part of a digest."""

    threads: int = Field(default=0, ge=0, le=1024)
    """Threads that play games; 0 means all cores."""


class EvolutionConfig(Part):
    """Everything that decides a run; the same config and seed give the same generations.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> EvolutionConfig(game="othello-6", seed=7, generations=10).generations
    10
    """

    game: str = "othello"
    """`othello` (8x8), `othello-4`, `othello-6` or `othello-10`."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """Where all randomness comes from."""
    population_size: int = Field(default=500, ge=2, le=1_000_000)
    """Trees in a generation."""
    generations: int | None = Field(default=None, ge=1, le=1_000_000_000)
    """Generations in all, the first included; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of evolution, read between generations only; None for no limit."""
    primitives: str | dict[str, Any] = "liao+mobility"
    """Name of a primitive set, or the set itself (a `PrimitiveSet` or its JSON form)."""
    elitism: int = Field(default=1, ge=0)
    """How many of the best are copied unchanged into the next generation."""
    initialisation: Initialisation = Initialisation()
    selection: Selection = TournamentSelection()
    variation: Variation = Variation()
    limits: SizeLimits = SizeLimits()
    player: PlayerSettings = PlayerSettings()
    fitness: Fitness = Fitness()
    hall_of_fame: HallOfFame = HallOfFame()
    machine: Machine = Machine()

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data* as a whole, so that every error is reported at once."""
            if isinstance(data.get("primitives"), PrimitiveSet):
                data["primitives"] = data["primitives"].to_dict()
            errors = problems_of(data)
            try:
                super().__init__(**data)
            except ValidationError as error:
                raise config_error(error, errors, EvolutionConfig) from None
            if errors:
                raise config_error(None, errors, EvolutionConfig)
