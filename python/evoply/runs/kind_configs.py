"""The configs of kinds of learners: models of evoply's own, or a user's dataclasses."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import tomli_w
from pydantic import TypeAdapter, ValidationError

from evoply.configs.config_errors import checked
from evoply.configs.keys import overridden, read_toml, without_none
from evoply.configs.run_config import RunConfig
from evoply.games import game_rules
from evoply.own_code import reading
from evoply.presets import config_text
from evoply.protocols import ConfigError, RunError
from evoply.runs.own_learner import present

_LEARNER = "learner"


@dataclass(frozen=True)
class ModelConfigs:
    """The configs of a learner of evoply's own, whose `config_type` is their model.

    Methods are pure functions except for reading files.
    """

    learner: Any
    read: Callable[..., Any]
    """Returns the config of a preset, a file or another config, changed as `--set` does."""

    @property
    def limits(self) -> frozenset[str]:
        """The keys of a config that may change when a run goes on."""
        limits: frozenset[str] = self.learner.config_type.changeable()
        return limits

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        """Return the config of a preset, a file or another config, changed as `--set` does.

        *settings* are values of keys. It has `game` and `seed`; `ConfigError` lists mistakes.
        """
        return self.read(source, overrides, settings)

    def write(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""
        return str(self.learner.written(config))

    def settled(self, config: Any, /) -> Any:
        """Return *config* with the contents of the files that it names."""
        return self.learner.settled(config)

    def fixed(self, config: RunConfig, /) -> Any:
        """Return the part of *config* that must not change when a run goes on."""
        return config.decisive()

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other limits; conflicting limits are lifted.

        `generations` are steps, the first without games.
        """
        if not limits:
            return config
        ends, model = dict(limits), type(config)
        if "generations" in ends and config.counts == "games":
            steps = ends.pop("generations")
            ends["games"] = None if steps is None else _games_of(config, last, steps)
        settings = {**config.model_dump(), **ends}
        changed = model(**settings)
        is_set = any(ends.get(name) is not None for name in config.ends())
        if not is_set or last is None or not self.learner.is_finished(changed, last):
            return changed
        # The old limits, which ended the run, would end it again.
        return model(**{**settings, **{name: None for name in config.ends() if name not in ends}})

    def endless(self, config: Any, /) -> Any:
        """Return *config* without limits, for a run with another end."""
        # A config without limits is refused because it never ends.
        update = {**dict.fromkeys(config.ends()), config.counts: config.most}
        return config.model_copy(update=update)

    def games_of_a_step(self, config: RunConfig, /) -> Mapping[str, int]:
        """Return the least games or labels of a step, or of what follows the last step.

        Each is at the first key of *config* that decides it: a server asks before it begins a run.
        """
        return config.games_of_a_step()


def _games_of(config: Any, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps of the usual length."""
    if last is None:
        return max(1, (steps - 1) * int(config.games_per_step))
    more: int = (steps - 1 - last.number) * config.games_per_step
    return max(1, int(last.games) + more)


@dataclass(frozen=True, slots=True)
class Settings:
    """The config of a run whose learner is missing."""

    game: str
    seed: int
    data: Mapping[str, Any]
    """All keys and values in config.toml."""


@dataclass(frozen=True)
class OwnConfigs:
    """The configs of a learner that a user brings; see `ModelConfigs`."""

    name: str
    text: str
    """What names the learner in a config."""
    learner: Any
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
        """Return *config* as TOML; `ConfigError` if it cannot be read again."""
        if isinstance(config, Settings):
            return tomli_w.dumps({_LEARNER: self.text, **config.data})
        data = without_none(self._adapter.dump_python(config, mode="json"))
        if not isinstance(data, dict) or _LEARNER in data:
            raise ConfigError([(_LEARNER, "is a key that evoply writes: rename this field")])
        _settings(data)
        text = tomli_w.dumps({_LEARNER: self.text, **data})
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
        """Return *config*."""
        return config

    def fixed(self, config: Any, /) -> Any:
        """Return all but the limits."""
        if isinstance(config, Settings):
            return config
        data = self._adapter.dump_python(config)
        return {key: value for key, value in data.items() if key not in self.limits}

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other *limits*."""
        if not limits:
            return config
        return self._adapter.validate_python({**self._adapter.dump_python(config), **limits})

    def endless(self, config: Any, /) -> Any:
        """Raise `RunError`: only the learner knows when a run ends."""
        raise RunError(f"a run of {self.name} ends by its own rules: set no budget")

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        """Return nothing: only the learner knows."""
        return {}


def _refusal(error: ValidationError) -> ConfigError:
    return ConfigError(
        [(".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()]
    )


def _settings(data: Mapping[str, Any]) -> Settings:
    """Return the game and seed that every config has; `ConfigError` if one is missing."""
    game, seed = data.get("game"), data.get("seed")
    if not isinstance(game, str):
        what = "is missing" if game is None else f"is no name, but a {type(game).__name__}"
        raise ConfigError([("game", f"{what}: a config of a learner names its game")])
    try:
        game_rules(game)
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigError([("seed", "is missing: a config of a learner has a whole number there")])
    return Settings(game, seed, data)
