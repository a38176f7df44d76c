"""The config of islands: how many there are, what evolves on each, and who migrates when.

An island is evolution by an `EvolutionConfig`: the base, changed by the island's own table.

Reasons: docs/design/evolution.md.
"""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from evoply._native import Stream
from evoply.configs.keys import read_toml, with_settings
from evoply.configs.part import Problem
from evoply.configs.run_config import RunConfig, changed_config
from evoply.evolution.config.config_text import config_to_toml
from evoply.evolution.config.evolution_config import MOST_GENERATIONS, EvolutionConfig, Machine
from evoply.evolution.config.player_settings import self_contained
from evoply.evolution.fitness import Fitness
from evoply.learning.games_config import MOST_GAMES, GameName
from evoply.own_code import is_carried, reading
from evoply.presets import PRESETS, config_text, preset_text
from evoply.protocols import ConfigError
from evoply.rules.game_key import RulesDigest, with_game_of_file
from evoply.wording import did_you_mean, shorten

ISLANDS_LEARNER = "islands"
"""The value of `learner` in `config.toml`."""
Topology = Literal["ring", "all", "random"]
"""From which islands migrants come."""

_OF_ALL = (
    "game",
    "rules_digest",
    "seed",
    "generations",
    "time_limit",
    "work_limit",
    "termination",
    "machine",
)
"""Keys of evolution that all islands have from the top of the config."""
_SAME = ("primitives", "individual")
"""Keys in which islands cannot differ, or migrants would not be individuals there."""


class IslandsConfig(RunConfig):
    """Everything that decides a run of islands; the same config and seed give the same steps.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.

    >>> config = IslandsConfig(base="quick", islands=2, generations=20)
    >>> config.game, [island.population_size for island in config.of_islands]
    ('othello-6', [100, 100])
    """

    most: ClassVar[int] = MOST_GENERATIONS
    other_ends: ClassVar[tuple[str, ...]] = ("games", "work_limit", "time_limit")
    learner: Literal["islands"] = "islands"
    """The key that tells this file from those of other learners."""
    game: GameName = "othello"
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules. Default: that of `base`."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows. It is the seed of the first
    island; the others have seeds that follow from it."""
    generations: int | None = Field(default=None, ge=1, le=MOST_GENERATIONS)
    """Generations of each island in all, the first included, read between steps only; None for no
    limit."""
    games: int | None = Field(default=None, ge=1, le=MOST_GAMES)
    """Games of all islands in all, read between steps only; None for no limit."""
    work_limit: int | None = Field(default=None, ge=1)
    """Work of all islands, as evolution counts it, read between steps only; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds, read between steps only; None for no limit."""
    islands: int = Field(default=4, ge=1, le=100)
    """How many islands there are."""
    every: int = Field(default=10, ge=1, le=100_000)
    """Generations of an island between migrations: a step of the run."""
    migrants: int = Field(default=5, ge=0, le=100_000)
    """How many of the best different trees of an island are copied to each island that it sends
    to, in place of the worst there; 0: nobody migrates."""
    topology: Topology = "ring"
    """`ring`: each island sends to the next; `all`: each to all others; `random`: a ring in a new
    random order each time."""
    test_pairs: int = Field(default=100, ge=1, le=100_000)
    """Openings on which the best of every two islands meet, twice with colours swapped, to name the
    champion of all; nobody trains on them."""
    base: dict[str, Any]
    """The config of evolution on every island: its keys, the name of a preset, or in a file the
    path of a config. Its game, seed and limits do not count: those of this config do."""
    island: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    """Changes of the base for the first island, the second, and so on: a table has the keys that
    differ there."""
    machine: Machine = Machine()

    @property
    def of_islands(self) -> tuple[EvolutionConfig, ...]:
        """The config of evolution on each island; `ConfigError` if one is none."""
        return _of_islands(json.dumps(self.decisive(), sort_keys=True))

    @property
    def population_size(self) -> int:
        """The individuals of a generation on all islands."""
        return sum(config.population_size for config in self.of_islands)

    @property
    def fitness(self) -> tuple[Fitness, ...]:
        """The opponents of all islands, which no measure should use."""
        return tuple(config.fitness for config in self.of_islands)

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of training on all islands, and those that name the champion."""
        games = [sum(island.games_of_a_step().values()) for island in self.of_islands]
        pairings = self.islands * (self.islands - 1) // 2
        return {"every": self.every * sum(games), "test_pairs": 2 * self.test_pairs * pairings}

    @model_validator(mode="before")
    @classmethod
    def _with_the_keys_of_its_base(cls, data: Any) -> Any:
        """Return *data* with the base as keys, and its game if *data* has none."""
        if not isinstance(data, Mapping):
            return data
        base = data.get("base")
        with suppress(ValueError):  # what cannot be read is reported at its own path
            base = _keys_of_base(base)
        if not isinstance(base, Mapping) or "game" not in base:
            return {**data, "base": base}
        others = {key: value for key, value in base.items() if key != "game"}
        return {"game": base["game"], **data, "base": others}

    @field_validator("base", mode="before")
    @classmethod
    def _has_keys(cls, base: Any) -> Any:
        return _keys_of_base(base)

    @field_validator("base", "island")
    @classmethod
    def _can_be_written(cls, keys: Any) -> Any:
        try:
            kept = json.loads(json.dumps(keys, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            raise ValueError("must have values as TOML has them: texts, numbers, lists") from None
        return tuple(kept) if isinstance(keys, tuple) else kept

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none."""
        return self.limit_reached(
            {
                "generations": (step.number + 1) * self.every,
                "games": step.games,
                "work_limit": step.work,
                "time_limit": step.total_seconds,
            }
        )

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        problems: list[Problem] = []
        if all(getattr(self, name) is None for name in self.ends()):
            problems.append(("generations", "set generations or another limit, or it never ends"))
        if len(self.island) > self.islands:
            more = f"{len(self.island)} tables are for {self.islands} islands - leave some out"
            problems.append(("island", more))
        for path, keys in self._tables():
            problems += [
                (f"{path}.{key}", "is one for all islands: give it at the top, or leave it out")
                for key in _OF_ALL
                if key in keys
            ]
            if keys.get("tuning") is not None:
                message = "is for the final test of evolution, which islands lack - leave it out"
                problems.append((f"{path}.tuning", message))
        if problems:
            return problems
        try:
            islands = self.of_islands
        except ConfigError as error:
            return list(error.errors)
        return list(self._misfits(islands))

    def _tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield "base", self.base
        yield from ((f"island.{index}", keys) for index, keys in enumerate(self.island))

    def _misfits(self, islands: tuple[EvolutionConfig, ...]) -> Iterator[Problem]:
        """Yield what keeps migrants of one island from living on another."""
        senders = self.islands - 1 if self.topology == "all" else min(1, self.islands - 1)
        for index, config in enumerate(islands):
            if self.migrants * senders >= config.population_size:
                yield (
                    "migrants",
                    f"{self.migrants * senders} come to an island of {config.population_size} - "
                    "give less than its population",
                )
            path = f"island.{index}"
            for key in _SAME:
                if getattr(config, key) != getattr(islands[0], key):
                    yield f"{path}.{key}", "must be alike on all islands - change it in base"
            if config.fitness.measure != islands[0].fitness.measure:
                message = "must be alike on all islands, or fitness means another thing there"
                yield f"{path}.fitness.measure", f"{message} - change it in base"
            looks_at_cases = config.cases or islands[0].cases
            if looks_at_cases and _cases_of(config) != _cases_of(islands[0]):
                message = "must be alike on all islands where single cases count"
                yield f"{path}.fitness", f"{message} - change it in base"


def _cases_of(config: EvolutionConfig) -> tuple[object, Fitness]:
    return config.cases, config.fitness


def _keys_of_base(base: Any) -> Any:
    """Return the keys of a config of evolution or a preset; anything else as it is.

    Raises `ValueError` for a text that is no preset, or a preset of another learner.
    """
    if isinstance(base, EvolutionConfig):
        return _without_ends(toml_keys(base))
    if not isinstance(base, str):
        return base
    if base not in PRESETS:
        hint = did_you_mean(base, PRESETS) or " - `evoply presets` lists them"
        raise ValueError(f"there is no preset {shorten(repr(base))}{hint}")
    keys = read_toml(preset_text(base), base)
    _check_is_evolution(keys, base)
    return _without_ends(keys)


def _check_is_evolution(keys: Mapping[str, Any], name: str) -> None:
    if keys.get("learner", "evolution") != "evolution":
        raise ValueError(f"{shorten(name)} is not a config of evolution - name one that is")


@lru_cache(maxsize=32)
def _of_islands(decisive: str) -> tuple[EvolutionConfig, ...]:
    """Return the configs of islands from the JSON text of what decides a run."""
    data = json.loads(decisive)
    _evolution(data, {}, 0, "base")
    changes = [*data["island"], *({} for _ in range(data["islands"] - len(data["island"])))]
    configs: list[EvolutionConfig] = []
    problems: list[Problem] = []
    for place, change in enumerate(changes):
        try:
            configs.append(_evolution(data, change, place, f"island.{place}"))
        except ConfigError as error:
            problems += error.errors
    if problems:
        raise ConfigError(problems)
    return tuple(configs)


def _evolution(
    data: Mapping[str, Any], change: Mapping[str, Any], place: int, path: str
) -> EvolutionConfig:
    """Return the base with a *change*; `ConfigError` with the paths of errors below *path*."""
    try:
        return EvolutionConfig(
            **with_settings(data["base"], change, whole="primitives"),
            game=data["game"],
            rules_digest=data.get("rules_digest"),
            seed=island_seed(data["seed"], place),
            generations=MOST_GENERATIONS,
        )
    except ConfigError as error:
        problems = [(f"{path}.{key}", message) for key, message in error.errors]
    raise ConfigError(problems)


def island_seed(seed: int, place: int) -> int:
    """Return the seed of evolution on the island at *place*; the first has that of the run."""
    return seed if place == 0 else int(Stream(seed, "island", place).key % 2**63)


def toml_keys(config: EvolutionConfig) -> dict[str, Any]:
    """Return *config* as keys that TOML can have."""
    return tomllib.loads(config_to_toml(config))


def _without_ends(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return *keys* of evolution without those that all islands have from elsewhere."""
    left_out = {*_OF_ALL, "learner"} - {"game"}
    return {key: value for key, value in keys.items() if key not in left_out}


def settled(config: IslandsConfig) -> IslandsConfig:
    """Return *config* with players and Python that files hold written out, or with their checksums.

    What it computes is the same.
    """
    (plain,) = config.model_copy(update={"islands": 1, "island": ()}).of_islands
    changed = zip(config.of_islands, config.island, strict=False)
    return config.model_copy(
        update={
            "base": _picked(_written(plain), config.base),
            "island": tuple(_picked(_written(island), change) for island, change in changed),
        }
    )


def _written(config: EvolutionConfig) -> dict[str, Any]:
    return toml_keys(self_contained(config))


def _picked(whole: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of *whole* at the keys that *keys* has, at any depth."""
    return {
        key: _picked(whole[key], value)
        if isinstance(value, Mapping) and isinstance(whole[key], Mapping)
        else whole[key]
        for key, value in keys.items()
        if key in whole
    }


def load_islands_config(
    source: IslandsConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> IslandsConfig:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`.

    A `base` that is a text is a preset, or a path from the folder of the file.

    >>> load_islands_config("islands", ["base.population_size=50"]).base["population_size"]
    50
    """
    if isinstance(source, IslandsConfig):
        return changed_config(IslandsConfig, source.model_dump(), overrides, settings)
    name = os.fspath(source)
    with reading(name):
        data = with_game_of_file(read_toml(config_text(name), name), Path(name).parent)
        if data.get("learner") != ISLANDS_LEARNER:
            wrong = f'{shorten(name)} is not a config of islands, which has learner = "islands"'
            raise ConfigError([("learner", wrong)])
        base = data.get("base")
        if not isinstance(base, str) or is_carried():
            return changed_config(IslandsConfig, data, overrides, settings)
        beside = Path(name).parent / base
        text = str(beside) if os.path.isfile(beside) else base  # a name may be too long
        with reading(text):
            data["base"] = _keys_of_file(text, base)
            return changed_config(IslandsConfig, data, overrides, settings)


def _keys_of_file(path: str, base: str) -> dict[str, Any]:
    """Return the keys of evolution that the file at *path* has, or a preset, which is *base*."""
    keys = with_game_of_file(read_toml(config_text(path), base), Path(path).parent)
    try:
        _check_is_evolution(keys, base)
    except ValueError as error:
        raise ConfigError([("base", str(error))]) from None
    return _without_ends(keys)
