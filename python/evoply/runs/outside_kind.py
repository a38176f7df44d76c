"""A learner that a user brings as a kind of learner: its steps are kept as its own data.

It is an argument, or a config names it as `learner = "python:FILE.py:NAME"`. A run can be read
without it: status, digests, statistics, champions.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import tomli_w
from pydantic import TypeAdapter, ValidationError

from evoply.configs.config_errors import checked
from evoply.configs.keys import overridden, read_toml, without_none
from evoply.games import game_rules
from evoply.own_code import OwnCode, is_own_code, qualified_name, reading
from evoply.presets import config_text
from evoply.protocols import Cluster, ConfigError, Progress, RunError, StorableLearner
from evoply.runs.kind import Kind, RunEnding
from evoply.runs.own_learner import named_learner
from evoply.runs.plain_display import PlainDisplay
from evoply.runs.steps_store import StepsStore, present
from evoply.runs.user_sources import source_identity

_LEARNER = "learner"


def outside_kind(learner: StorableLearner | None = None, name: str = "") -> Kind:
    """Return the kind of a user's *learner*, or of a missing one called *name*.

    With both, configs name the learner as *name* says, `python:FILE.py:NAME`.
    """
    name = name or qualified_name(learner)
    return Kind(
        OwnCode.from_text(name).label if is_own_code(name) else name,
        _Configs(name, learner),
        _Learners(name, learner),
        StepsStore(name, learner),
        PlainDisplay(),
        own=name if is_own_code(name) else "",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """The config of a run whose learner is missing."""

    game: str
    seed: int
    data: Mapping[str, Any]
    """All keys and values in config.toml."""


@dataclass(frozen=True)
class _Configs:
    """See `evoply.runs.kind.Configs`."""

    name: str
    learner: StorableLearner | None
    limits: ClassVar[frozenset[str]] = frozenset({"generations", "time_limit"})

    @property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(present(self.learner, self.name).config_type)

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        """Return the config of a file, or of another config, with changes."""
        if isinstance(source, str | os.PathLike):
            name = os.fspath(source)
            with reading(name):
                data = read_toml(config_text(name), Path(name).name)
        else:
            is_data = isinstance(source, Settings)
            data = dict(source.data) if is_data else self._adapter.dump_python(source)
        data.pop(_LEARNER, None)
        data, problems = overridden(data, overrides) if overrides else (data, [])
        if problems:
            raise ConfigError(problems)
        if self.learner is None:
            return _settings(data)
        return checked(lambda: self._adapter.validate_python({**data, **settings}), _refusal)

    def write(self, config: Any, /) -> str:
        if isinstance(config, Settings):
            return tomli_w.dumps({_LEARNER: self.name, **config.data})
        data = without_none(self._adapter.dump_python(config, mode="json"))
        if not isinstance(data, dict) or _LEARNER in data:
            raise ConfigError([(_LEARNER, "is a key that evoply writes: rename this field")])
        _settings(data)
        text = tomli_w.dumps({_LEARNER: self.name, **data})
        again = self._adapter.validate_python(data)
        if type(again) is type(config):
            is_kept = again == config
        else:  # its file was imported twice, by the user and by its name
            is_kept = without_none(self._adapter.dump_python(again, mode="json")) == data
        if not is_kept:
            raise ConfigError(
                [("config", f"does not come back from its data as an equal value: {config!r:.200}")]
            )
        return text

    def settled(self, config: Any, /) -> Any:
        return config

    def fixed(self, config: Any, /) -> Any:
        if isinstance(config, Settings):
            return config
        data = self._adapter.dump_python(config)
        return {key: value for key, value in data.items() if key not in self.limits}

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        if not limits:
            return config
        return self._adapter.validate_python({**self._adapter.dump_python(config), **limits})

    def endless(self, config: Any, /) -> Any:
        raise RunError(f"a run of {self.name} ends by its own rules: set no budget")

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        return {}


@dataclass(frozen=True)
class _Learners:
    """See `evoply.runs.kind.Learners`."""

    name: str
    learner: StorableLearner | None
    counted: ClassVar[frozenset[str]] = frozenset()

    @property
    def given(self) -> StorableLearner:
        return present(self.learner, self.name)

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> StorableLearner:
        """Return the learner, which manages threads and progress itself."""
        if cluster is not None:
            self.check_sendable(None)
        if any(parts.values()):
            given = ", ".join(name for name, part in parts.items() if part)
            raise RunError(f"{given}: only evolution takes these, not {self.name} - leave them out")
        return self.given

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise RunError unless a worker makes the whole run, and can find the learner's file."""
        if is_whole and is_own_code(self.name):
            return
        raise RunError(
            f"cluster: the learner {self.name} is not evoply's own, and workers do not have it - "
            "run it without a cluster"
        )

    def check(self, learner: StorableLearner, config: Any, /) -> None:
        game_rules(config.game)

    def identities(self, learner: StorableLearner, /) -> dict[str, dict[str, Any]]:
        if is_own_code(self.name):  # config.toml has its checksum
            return {}
        try:
            place = {"code": str(named_learner(learner))}
        except ValueError as error:
            place = {"nameless": str(error)}
        return {"learner": {**source_identity(learner), **place}}

    def end(self, learner: StorableLearner, config: Any, last: Any, /) -> RunEnding:
        return RunEnding("", last.champions[0])

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return the statistic `games` of the step, if it has one."""
        games = step.statistics.get("games")
        return {} if games is None else {"games": games}


def _refusal(error: ValidationError) -> ConfigError:
    return ConfigError(
        [(".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()]
    )


def _settings(data: Mapping[str, Any]) -> Settings:
    """Return the game and seed that every config has; `ConfigError` if one is missing."""
    game, seed = data.get("game"), data.get("seed")
    if not isinstance(game, str):
        raise ConfigError([("game", "is missing: a config of a learner names its game")])
    try:
        game_rules(game)
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigError([("seed", "is missing: a config of a learner has a whole number there")])
    return Settings(game, seed, data)
