"""What an evolution run is asked to do: one frozen value, read from TOML and kept with the run.

This module knows the settings and which of them fit together. It does not know how a generation
is bred or played. Reading, overriding and writing TOML is `evoply.evolution.config_text`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, model_validator

from evoply._native import Program
from evoply.evolution.config_breeding import (
    Afterwards,
    Covariant,
    Demes,
    GreedySelection,
    Initialisation,
    LengthPenalty,
    LexicaseSelection,
    ParetoSelection,
    Parsimony,
    Recombination,
    RouletteSelection,
    Selection,
    SizeLimits,
    SteadyState,
    Tarpeian,
    TournamentSelection,
    Variation,
)
from evoply.evolution.config_checks import config_error, problems_of
from evoply.evolution.config_draws import Draws
from evoply.evolution.config_fitness import EarlierGenerations, Fitness, Opponent
from evoply.evolution.config_individual import (
    Definitions,
    IndividualShape,
    OneTree,
    Ordered,
    Phases,
    Stages,
    TreeSum,
)
from evoply.evolution.config_part import Part
from evoply.evolution.config_starts import Start, as_start
from evoply.evolution.fitness import measure_from_text
from evoply.expressions import PrimitiveSet
from evoply.games import game_rules
from evoply.players.specs import MAX_DEPTH, MAX_NODES, MAX_WORK, dearest, nodes_for

__all__ = [
    "Afterwards",
    "Covariant",
    "Definitions",
    "Demes",
    "Draws",
    "EarlierGenerations",
    "EvolutionConfig",
    "Fitness",
    "GreedySelection",
    "HallOfFame",
    "IndividualShape",
    "Initialisation",
    "LengthPenalty",
    "LexicaseSelection",
    "Machine",
    "OneTree",
    "Opponent",
    "Ordered",
    "ParetoSelection",
    "Parsimony",
    "Phases",
    "PlayerSettings",
    "Recombination",
    "RouletteSelection",
    "Selection",
    "SizeLimits",
    "Stages",
    "Start",
    "SteadyState",
    "Tarpeian",
    "Termination",
    "TournamentSelection",
    "TreeSum",
    "Variation",
]


class PlayerSettings(Part):
    """How a tree plays: with no `depth`, `nodes` or `work` it only compares boards after a move."""

    ties: Literal["first", "last", "random"] = "first"
    """Which of equally good moves is played."""
    view: Literal["player", "turn"] = "player"
    """For whom own stands: who is choosing, or who is to move at the evaluated board."""
    depth: int = Field(default=0, ge=0, le=20)
    """Plies looked ahead by alpha-beta, the move itself included; 0 is the after-state player, or
    with `nodes` or `work` as deep as they allow."""
    nodes: int | None = Field(default=None, ge=1, le=MAX_NODES)
    """Positions that a search may look at for one move; None for no limit."""
    work: int | None = Field(default=None, ge=1, le=MAX_WORK)
    """The same in positions times operations of the individual's program: a larger tree sees fewer
    positions, so that its size costs strength."""
    ordering: Literal["none", "evaluator", "killer", "tree"] = "none"
    """Which moves a search looks at first: only speed depends on it, and no digest; with `nodes` or
    `work` how deep it looks. `tree`: as the second tree of individuals of kind `ordered` says."""

    quiescence: bool = False
    """In checkers: no board is valued in the middle of a capture; captures beyond the depth are
    looked at to their end."""

    @property
    def plies(self) -> int:
        """Plies looked ahead at most; 0 for a player that does not search."""
        return self.depth or (MAX_DEPTH if self.is_limited else 0)

    @property
    def is_limited(self) -> bool:
        """Whether something else than the depth may end a search."""
        return self.nodes is not None or self.work is not None

    def nodes_of(self, program: Program) -> int | None:
        """Return the limit in nodes of an individual with this *program*."""
        return self.nodes if self.work is None else nodes_for(self.work, dearest(program))

    @model_validator(mode="after")
    def _counts_in_one_way(self) -> PlayerSettings:
        if self.nodes is not None and self.work is not None:
            raise ValueError("nodes and work do not go together: work is a number of nodes")
        return self

    @model_validator(mode="after")
    def _options_need_a_search(self) -> PlayerSettings:
        for option, is_used in (
            ("ordering", self.ordering != "none"),
            ("quiescence", self.quiescence),
        ):
            if is_used and not self.plies:
                raise ValueError(f"{option} is for a depth of 1 and more")
        return self


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


class Termination(Part):
    """When a run is good enough to end before its limits, and how many such runs are wanted."""

    fitness: float
    """Training fitness that ends the run: better than this, which is below it for what is
    minimised (discs) and above it for everything else."""
    good_runs: int = Field(default=0, ge=0, le=1_000_000)
    """`evoply evolve` makes runs with the seeds that follow until so many ended good; 0: one run,
    however it ends."""


class Machine(Part):
    """How this machine is used; changes no result and is not part of a digest."""

    threads: int = Field(default=0, ge=0, le=1024)
    """Threads that play games; 0 means all cores."""


def _with_guides_of_its_game(data: dict[str, Any]) -> dict[str, Any]:
    """Return *data* with a fitness such as `10ab2+20Co` in full: each game has its own guide.

    What cannot be read stays as it is, so that it is reported beside all other errors.
    """
    fitness, game = data.get("fitness"), data.get("game", "othello")
    if isinstance(fitness, dict) and isinstance(fitness.get("measure"), str):
        with suppress(ValueError):
            measure = measure_from_text(fitness["measure"], str(game))
            return {**data, "fitness": {**fitness, "measure": measure}}
    return data


class EvolutionConfig(Part):
    """Everything that decides a run; the same config and seed give the same generations.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> EvolutionConfig(game="othello-6", seed=7, generations=10).generations
    10
    """

    game: str = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers` or `checkers-10`."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same run."""
    population_size: int = Field(default=500, ge=2, le=1_000_000)
    """Trees in a generation."""
    generations: int | None = Field(default=None, ge=1, le=1_000_000_000)
    """Generations in all, the first included; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of evolution, read between generations only; None for no limit."""
    work_limit: int | None = Field(default=None, ge=1)
    """Work of evolution, read between generations only; None for no limit. One unit is one ply of
    a game of an individual times one operation of its program: the same on every machine."""
    termination: Termination | None = None
    primitives: str | dict[str, Any] = "liao+mobility"
    """Name of a primitive set, or the set itself (a `PrimitiveSet` or its JSON form)."""
    individual: IndividualShape = OneTree()
    elitism: int = Field(default=1, ge=0)
    """How many of the best are copied unchanged into the next generation."""
    initialisation: Initialisation = Initialisation()
    selection: Selection = TournamentSelection()
    variation: Variation = Variation()
    parsimony: Parsimony | None = None
    limits: SizeLimits = SizeLimits()
    demes: Demes | None = None
    steady_state: SteadyState | None = None
    player: PlayerSettings = PlayerSettings()
    draws: Draws = Draws()
    starts: tuple[Start, ...] = Field(default=(), strict=False, max_length=10_000)
    """Positions at which games begin, in training and in tests; none: the start of the game. In
    Python a position or its text will do."""
    fitness: Fitness = Fitness()
    hall_of_fame: HallOfFame = HallOfFame()
    machine: Machine = Machine()

    @property
    def opening_plies(self) -> int:
        """Random plies before the players choose: as many as the config says or the game has."""
        plies = self.fitness.opening_plies
        return plies if isinstance(plies, int) else game_rules(self.game).opening_plies

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data* as a whole, so that every error is reported at once."""
            if isinstance(data.get("primitives"), PrimitiveSet):
                data["primitives"] = data["primitives"].to_dict()
            if isinstance(data.get("fitness"), str):
                data["fitness"] = {"measure": data["fitness"]}
            if isinstance(data.get("starts"), list | tuple):
                data["starts"] = tuple(map(as_start, data["starts"]))
            data = _with_guides_of_its_game(data)
            errors = problems_of(data)
            try:
                super().__init__(**data)
            except ValidationError as error:
                raise config_error(error, errors, EvolutionConfig) from None
            if errors:
                raise config_error(None, errors, EvolutionConfig)
