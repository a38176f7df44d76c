"""The config of an evolution run: one frozen value, read from TOML and kept with the run.

This module knows the settings; `checks` knows which of them fit together. It does not know how a
generation is bred or played.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from evoply.configs.keys import read_toml
from evoply.configs.own_code import is_own_code, reading, without_places
from evoply.configs.own_command import PREFIX as COMMAND
from evoply.configs.part import Part, Problem
from evoply.configs.run_config import RunConfig, changed_config, written_config
from evoply.evolution.breeding.first_generation import is_tree_text, named_set
from evoply.evolution.config import checks
from evoply.evolution.config.breeding import (
    Demes,
    IndividualShape,
    Initialisation,
    OneTree,
    Parsimony,
    Proposals,
    Refit,
    SizeLimits,
    SteadyState,
    Termination,
    Variation,
    shape_of,
)
from evoply.evolution.config.game_settings import Draws, PlayerSettings, Start, start_row
from evoply.evolution.fitness import Case, Fitness, Task, with_measure_in_full
from evoply.evolution.map_elites.axes import space_of
from evoply.evolution.map_elites.space import Space
from evoply.evolution.play.opponents import (
    Games,
    resolved,
    with_players,
)
from evoply.evolution.selections import (
    SELECTIONS,
    SURVIVALS,
    DescribedSurvival,
    MapSurvival,
    Selection,
    Survival,
)
from evoply.expressions import FACTS, PrimitiveSet, find_primitive_set
from evoply.games import game_rules
from evoply.gp import Limits
from evoply.protocols import CHECK_SHARE, ConfigError
from evoply.rules.loading import RulesDigest, with_game_of_file
from evoply.runs.presets import PRESETS, config_text
from evoply.wording import shorten

MOST_GENERATIONS = 1_000_000_000
"""The largest number of generations of a run."""


class HallOfFame(Part):
    """The best individuals so far, ranked by games they were not selected on."""

    size: int = Field(default=10, ge=1, le=1000)
    """How many it holds."""
    candidates: int = Field(default=5, ge=1, le=1000)
    """How many of the generation's best are tested again on fresh games."""
    sample: int = Field(default=10, ge=1, le=10_000)
    """How many random individuals are tested with them, for the mean on fresh games."""
    pairs: int = Field(default=10, ge=1, le=100_000)
    """Fresh opening pairs against each opponent of the generation."""
    final_pairs: int = Field(default=50, ge=1, le=100_000)
    """Opening pairs against every opponent in the final test that names the champion."""


class ConstantTuning(Part):
    """After the last generation: numbers in the first tree of the hall of fame, tuned by CMA-ES.

    The tuned tree takes part in the final test, and is the champion if it wins it. Needs the
    package `cmaes`, which `evoply[tune]` brings; `evoply tune` does more.
    """

    generations: int = Field(default=30, ge=1, le=2000)
    """Generations of CMA-ES."""
    population_size: int | None = Field(default=None, ge=4, le=1000)
    """Vectors in a generation; None: twice 4 + 3 log(numbers), because games are noisy."""
    pairs: int = Field(default=10, ge=1, le=100_000)
    """Openings that each vector plays against every opponent of the final test, both ways."""
    spread: float = Field(default=0.3, gt=0, le=10)
    """How far the first vectors lie from the current numbers, as a share of what numbers weigh: of
    the difference that one usually makes between the boards of a choice."""


class Pruning(Part):
    """At the end: the champion without what it can do without, which the run keeps beside it.

    It decides no generation. `evoply prune` does the same with any player.
    """

    when: Literal["one_ply", "always", "never"] = "one_ply"
    """`one_ply`: only where players look one ply ahead, because games of others take longer, and
    not in the runs of experiments and leagues."""
    within: float = Field(default=0.01, gt=0, le=0.5)
    """Points a game that all of it may cost."""
    games: int | None = Field(default=None, ge=0)
    """Games at most; None: an eighth of those of the run, and at most 100,000. With few games
    nothing can be shown to be of no use, and nothing is left out."""


class Machine(Part):
    """How this machine is used; changes no result and is not part of a digest."""

    threads: int = Field(default=0, ge=0, le=1024)
    """Threads that play games; 0 means all cores."""
    check_share: float = Field(default=CHECK_SHARE, ge=0, le=1)
    """With `--cluster`: the share of the units of work that a second worker computes too."""


class EvolutionConfig(RunConfig):
    """Everything that decides a run; the same config and seed give the same generations.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> EvolutionConfig(game="othello-6", seed=7, generations=10).generations
    10
    """

    most: ClassVar[int] = MOST_GENERATIONS
    other_ends: ClassVar[tuple[str, ...]] = ("games", "work_limit", "termination", "time_limit")
    whole: ClassVar[str] = "primitives"
    game: str = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same steps. A
    time limit decides how many of them."""
    population_size: int = Field(default=500, ge=2, le=1_000_000)
    """Trees in a generation."""
    generations: int | None = Field(default=None, ge=1, le=MOST_GENERATIONS)
    """Generations in all, the first included; None for no limit."""
    games: int | None = Field(default=None, ge=1)
    """Games in all, fresh ones included, read between generations only; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of evolution, read between generations only; None for no limit."""
    work_limit: int | None = Field(default=None, ge=1)
    """Work of evolution, read between generations only; None for no limit. One unit is one ply of
    a game of an individual times one operation of its program: the same on every machine."""
    termination: Termination | None = None
    primitives: str | dict[str, Any] = "liao+mobility"
    """Name of a primitive set, or the set itself (a `PrimitiveSet` or its JSON form). `facts` is
    the set that is made from the rules of the game, if they are data."""
    individual: IndividualShape = OneTree()
    elitism: int = Field(default=1, ge=0)
    """How many of the best stay unchanged in the next generation, whatever the survival."""
    initialisation: Initialisation = Initialisation()
    selection: Selection = SELECTIONS[0].keys()
    survival: Survival = SURVIVALS[0].keys()
    variation: Variation = Variation()
    parsimony: Parsimony | None = None
    limits: SizeLimits = SizeLimits()
    demes: Demes | None = None
    steady_state: SteadyState | None = None
    refit: Refit | None = None
    proposals: Proposals = Proposals()
    player: PlayerSettings = PlayerSettings()
    draws: Draws = Draws()
    starts: tuple[Start, ...] = Field(default=(), strict=False, max_length=10_000)
    """Positions at which games begin, in training and in tests; if empty, the start of the game. In
    Python each is a position or its text."""
    fitness: Fitness = Fitness()
    hall_of_fame: HallOfFame = HallOfFame()
    tuning: ConstantTuning | None = None
    pruning: Pruning = Pruning()
    machine: Machine = Machine()

    @property
    def primitive_set(self) -> PrimitiveSet:
        """The primitive set itself, the same object for equal settings."""
        return named_set(self.primitives)

    @property
    def room(self) -> Limits:
        """What no individual may exceed."""
        shape = shape_of(self.individual, self.primitive_set)
        return self.limits.of_trees if shape is None else shape.within(self.limits.of_trees)

    @property
    def opening_plies(self) -> int:
        """Random plies before the players choose: as many as the config says or the game has."""
        plies = self.fitness.opening_plies
        return plies if isinstance(plies, int) else game_rules(self.game).opening_plies

    @property
    def cases(self) -> Case | None:
        """The cases that selection or survival looks at; None if fitness alone decides."""
        return self.selection.looks_at or self.survival.looks_at

    @property
    def map(self) -> MapSurvival | None:
        """The map, if survival is one."""
        return self.survival if isinstance(self.survival, MapSurvival) else None

    @property
    def described(self) -> DescribedSurvival | None:
        """The survival, if it goes by what individuals are like."""
        return self.survival if isinstance(self.survival, DescribedSurvival) else None

    @property
    def space(self) -> Space | None:
        """Where individuals are described; None if survival describes nobody."""
        keys, most = self.described, self.limits.max_nodes
        return None if keys is None else space_of(keys.axes, keys.voronoi_cells, self.game, most)

    @property
    def game_settings(self) -> Games:
        """How all games of the run are played."""
        return Games(
            game=self.game,
            primitives=self.primitives,
            player_kind=self.player.kind,
            player_options=self.player.options,
            tree_search=self.player.tree_search,
            player_code=self.player.code,
            player_repeats=not self.fitness.allow_irreproducible,
            opening_plies=self.opening_plies,
            starts=tuple(start_row(self.game, start.position) for start in self.starts)
            or (game_rules(self.game).start().row,),
            weights=tuple(start.weight for start in self.starts),
            draws=self.draws.rules(self.game),
        )

    @property
    def task(self) -> Task:
        """What its kind of fitness knows about the run."""
        return Task(
            game=self.game,
            population_size=self.population_size,
            elitism=self.elitism,
            individual=self.individual,
            opponents=self.fitness.opponents,
            earlier_generations=self.fitness.earlier_generations,
            sides=self.fitness.sides,
            cases=self.cases,
        )

    @classmethod
    def changeable(cls) -> frozenset[str]:
        """Return the keys that may change when a run goes on.

        Pruning decides no generation; what programs propose is kept in the generations.
        """
        return super().changeable() | {"pruning", "proposals"}

    def in_experiment(self, seed: int) -> Self:
        """Return the config with *seed*, and pruned only if it says `always`: few look at it."""
        config, pruning = super().in_experiment(seed), self.pruning
        when = "always" if pruning.when == "always" else "never"
        return config.model_copy(update={"pruning": pruning.model_copy(update={"when": when})})

    def resolved_settings(self) -> dict[str, Any]:
        """Return the settings that decide results, players resolved, as JSON values."""
        settings = self.decisive()
        if not self.player.is_limited:
            del settings["player"]["ordering"]  # changes no move
        elif self.player.ordering == "usual":
            settings["player"]["ordering"] = "none"  # the usual one where nodes are counted
        if not self.player.guard:
            del settings["player"]["guard"]  # as before there was one
        if self.player.playouts is None:
            for key in ("playouts", "playout", "playout_epsilon"):
                del settings["player"][key]  # as before there were any
        if self.fitness.earlier_generations.archive == "hall_of_fame":
            for key in ("archive", "size", "layers"):
                del settings["fitness"]["earlier_generations"][key]  # as before there were others
        if self.refit is None:
            del settings["refit"]
        else:
            settings["refit"]["teacher"] = resolved(self.refit.teacher, self.game)
            settings["refit"]["players"] = [
                resolved(text, self.game) for text in self.refit.players
            ]
        # What a program proposed counts, not which program it was.
        settings["variation"]["operators"].update(dict.fromkeys(self.variation.commands, COMMAND))
        settings["fitness"]["opening_plies"] = self.opening_plies
        # A text may name a file: its content counts, not its path.
        settings["fitness"]["opponents"] = [
            {"player": resolved(opponent.player, self.game), "pairs": opponent.pairs}
            | ({} if opponent.games is None else {"games": opponent.games})
            for opponent in self.fitness.opponents
        ]
        settings["fitness"]["measure"] = with_players(
            settings["fitness"]["measure"], lambda player: resolved(player, self.game)
        )
        settings["initialisation"]["seeds"] = [
            seed if is_tree_text(seed) else resolved(seed, self.game)
            for seed in self.initialisation.seeds
        ]
        settings["survival"].pop("qd_score_offset", None)  # a figure that decides nothing
        without_code: dict[str, Any] = without_places(settings)
        return without_code

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of training, those that describe, and those of tuning at the end.

        If survival is a map, its cells are all filled.
        """
        fitness, earlier = self.fitness, self.fitness.earlier_generations
        each = sum(opponent.games or 2 * opponent.pairs for opponent in fitness.opponents)
        each += fitness.measure.games_of_each(self.task)
        each += 2 * earlier.champions * earlier.pairs
        games = {"fitness": self.population_size * each}
        if self.map is not None and self.space is not None:
            games["fitness"] += len(self.space) * each
        if self.described is not None:
            described = 2 * self.described.pairs * len(fitness.opponents)
            games["survival.pairs"] = self.population_size * described
        if self.tuning is not None:  # a generation of CMA-ES has four vectors at least
            size = self.tuning.population_size or 4
            games["tuning.pairs"] = size * 2 * self.tuning.pairs * len(fitness.opponents)
        return games

    def is_good(self, best: float) -> bool:
        """Return whether *best*, a training fitness, is good enough for the run to end."""
        if self.termination is None:
            return False
        wanted = self.termination.fitness
        return -best < wanted if self.fitness.measure.resolved().minimised else best > wanted

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step*, a generation, has reached; "" if none."""
        # What the seed decides comes first: the clock then only came to the same end.
        if self.is_good(step.statistics["best"]):
            return "termination"
        return self.limit_reached(
            {
                "generations": step.number + 1,
                "games": step.census.total_games,
                "work_limit": step.census.total_work,
                "time_limit": step.timing.elapsed,
            }
        )

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, game: str) -> str:
        game_rules(game)
        return game

    @field_validator("primitives", mode="before")
    @classmethod
    def _are_a_set(cls, primitives: Any) -> Any:
        if isinstance(primitives, PrimitiveSet):
            return primitives.to_dict()
        if isinstance(primitives, str) and primitives.lstrip().startswith("{"):
            try:
                primitives = json.loads(primitives)
            except (ValueError, RecursionError):
                raise ValueError("is not valid JSON") from None
        if isinstance(primitives, str):
            find_primitive_set(primitives)
        elif isinstance(primitives, dict):
            try:
                PrimitiveSet.from_dict(primitives)
            except (TypeError, KeyError) as error:
                raise ValueError(str(error)) from None
        else:
            raise ValueError("must be the name of a primitive set, or a set in its JSON form")
        return primitives

    @model_validator(mode="before")
    @classmethod
    def _with_what_its_game_says(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("primitives") == FACTS:
            game = data.get("game", cls.model_fields["game"].default)
            data = {**data, "primitives": f"{FACTS}-{game}"}
        return with_measure_in_full(data)

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        game, individual, measure = self.game, self.individual, self.fitness.measure
        demes, steady_state = self.demes, self.steady_state
        primitives, population = self.primitive_set, self.population_size
        return [
            *checks.draws(game, self.draws),
            *checks.starts(game, self.starts),
            *checks.trees(game, primitives, individual, self.initialisation, self.limits),
            *checks.length(*(getattr(self, name) for name in self.ends() if name != "termination")),
            *checks.sizes(population, self.elitism, demes),
            *self.fitness.player_problems(game),
            *checks.seeds(
                game, primitives, individual, self.initialisation.seeds, self.limits, population
            ),
            *checks.selection(self.selection, self.parsimony, measure),
            *self.fitness.case_problems(
                self.cases, "selection" if self.selection.looks_at else "survival"
            ),
            *checks.groups(demes, steady_state, self.selection, measure),
            *checks.survival(self.survival, self.selection, self.parsimony, demes, steady_state),
            *checks.places(self.survival, self.elitism, game, self.limits, population),
            *checks.pairing(self.variation, demes, steady_state),
            *checks.commands(self.variation, steady_state),
            *checks.refit(
                self.refit,
                game,
                individual,
                population,
                self.elitism,
                steady_state,
                self.player.view,
            ),
            *measure.problems(self.task),
            *checks.archive(self.fitness.earlier_generations, self.fitness.sides),
            *checks.termination(self.termination, measure),
            *checks.player(game, individual, self.player),
        ]


# Configs as TOML: reading a file, a preset or a text, changing single keys, writing.
#
# Comments of a file are lost; the run folder stores the values that were used.

_NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


def config_from_toml(
    text: str,
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = _NO_SETTINGS,
    *,
    name: str = "config",
    folder: Path | None = None,
) -> EvolutionConfig:
    """Return the config a TOML *text* describes; *name* stands for the text in errors.

    *overrides* and *settings* as in `config_from_keys`. In *folder* lies the file of rules that its
    key `game` may name; None: it may not.

    >>> config_from_toml("generations = 5", ["fitness.opening_plies=4"]).fitness.opening_plies
    4
    """
    data = read_toml(text, name)
    if folder is not None:
        data = with_game_of_file(data, folder)
    return config_from_keys(data, overrides, settings, name=name)


def config_from_keys(
    data: dict[str, Any],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = _NO_SETTINGS,
    *,
    name: str = "config",
) -> EvolutionConfig:
    """Return the config of nested keys as TOML has them, changed first by *overrides*.

    These are texts `path=value` with values written as in TOML. A value that is not valid TOML is
    taken as text, so that `game=othello-6` needs no quotes; `none` removes a key; numbers in a path
    index a list. *settings* come last: a mapping changes those keys of a table that it names, where
    it does not choose another kind of table; anything else takes the place of what was there.

    Raises `ConfigError` with every error, paths that lead nowhere included.
    """
    overrides = tuple(overrides)
    _refuse_other_learners(data, name)
    if any(text.partition("=")[0].strip() == "learner" for text in overrides):
        message = "is for the file of a config, which says what kind it is - write it there"
        raise ConfigError([("learner", message)])
    return changed_config(EvolutionConfig, data, overrides, settings)


def _refuse_other_learners(data: Mapping[str, Any], name: str) -> None:
    """Refuse a config that names a learner, and say what to do with it; evolution names none."""
    if "learner" not in data:
        return
    learner = data["learner"]
    commands = [preset.command for preset in PRESETS.values() if preset.learner == learner]
    if isinstance(learner, str) and is_own_code(learner):
        commands = ["learn"]
    if commands and learner != "evolution":
        command = f"`evoply {commands[0]}` runs it"
        raise ConfigError([("learner", f"{name} is a config of {learner}: {command}")])
    if learner == "evolution":
        message = "evolution needs no such line - leave it out"
    else:
        message = f"{shorten(repr(learner))} is no learner - leave it out to evolve"
    if learner == "map-elites":
        message += ', and say `survival.kind = "map"` for a map'
    raise ConfigError([("learner", message)])


def config_to_toml(config: EvolutionConfig) -> str:
    """Return *config* as TOML text that reads back as an equal config."""
    return written_config(config)


def load_config(
    source: EvolutionConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = _NO_SETTINGS,
    *,
    ini: Callable[..., EvolutionConfig] = config_from_toml,
) -> EvolutionConfig:
    """Return the config of a file or a preset, with changes.

    *overrides* are texts such as `population_size=500`, as `--set` takes them. *settings* are keys
    and values, in which a mapping changes the keys of a table that it names and leaves the others.

    A name that ends in `.ini` is read by *ini* (`evoply.load_config` gives the reader of gpjpp's
    parameter files); any other is TOML, or a preset if no file has this name.

    Raises `ConfigError` with every error and its path or line, also when the file cannot be read,
    and TypeError for a *source* that is neither a config nor a name.

    >>> load_config("quick", settings={"fitness": {"opening_plies": 2}}).opening_plies
    2
    """
    if isinstance(source, EvolutionConfig):
        return config_from_keys(source.model_dump(), overrides, settings)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"config: {shorten(repr(source))} is not a config: give an EvolutionConfig, the path of"
            f" its file, or the name of a preset, such as {next(iter(PRESETS))!r}"
        )
    name = os.fspath(source)
    with reading(name):
        text = config_text(name)
        if name.lower().endswith(".ini"):
            return ini(text, overrides, settings, name=name)
        return config_from_toml(text, overrides, settings, name=name, folder=Path(name).parent)
