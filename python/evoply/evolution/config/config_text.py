"""Configs as TOML: reading a file, a preset or a text, changing single keys, writing.

Comments of a file are lost; the run folder stores the values that were used.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evoply.configs.keys import read_toml
from evoply.configs.run_config import changed_config, written_config
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.own_code import is_own_code, reading
from evoply.presets import PRESETS, config_text
from evoply.protocols import ConfigError
from evoply.rules.game_key import with_game_of_file
from evoply.wording import shorten

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
