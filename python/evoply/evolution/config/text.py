"""Configs as TOML: reading a text, overriding single keys, writing.

Comments of a file are not kept; the run folder stores the values that were used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import tomli_w

from evoply.configs.keys import read_toml, without_none
from evoply.configs.whole import changed_config
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.play.opponents import with_players, without_file
from evoply.protocols import ConfigError

__all__ = ["config_from_keys", "config_from_toml", "config_to_toml", "self_contained"]

_NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})


def config_from_toml(
    text: str,
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = _NO_SETTINGS,
    *,
    name: str = "config",
) -> EvolutionConfig:
    """Return the config a TOML *text* describes; *name* stands for the text in errors.

    *overrides* and *settings* as in `config_from_keys`.

    >>> config_from_toml("generations = 5", ["fitness.opening_plies=4"]).fitness.opening_plies
    4
    """
    data = read_toml(text, name)
    if data.get("learner") in ("learning", "patterns"):
        raise ConfigError([("learner", f"{name} is a config of learning: `evoply learn` runs it")])
    return config_from_keys(data, overrides, settings)


def config_from_keys(
    data: dict[str, Any],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = _NO_SETTINGS,
) -> EvolutionConfig:
    """Return the config of nested keys as TOML has them, changed first by *overrides*.

    These are texts `path=value` with values written as in TOML. A value that is no TOML value is
    taken as text, so that `game=othello-6` needs no quotes; `none` removes a key; numbers in a path
    index a list. *settings* come last: a mapping changes those keys of a table that it names, where
    it does not choose another kind of table; anything else takes the place of what was there.

    Raises `ConfigError` with all that is wrong, also with paths that lead nowhere.
    """
    return changed_config(EvolutionConfig, data, overrides, settings, whole="primitives")


def config_to_toml(config: EvolutionConfig) -> str:
    """Return *config* as TOML text that reads back as an equal config."""
    data = without_none(config.model_dump(mode="python"), kept="primitives")
    if isinstance(data["primitives"], dict):
        # The JSON form may contain null, which TOML cannot write.
        data["primitives"] = json.dumps(data["primitives"], separators=(",", ":"))
    return tomli_w.dumps(data)


def self_contained(config: EvolutionConfig) -> EvolutionConfig:
    """Return *config* with players that came from files written out; the digests stay equal."""
    data = config.model_dump(mode="python")
    data["fitness"] = with_players(
        data["fitness"], lambda player: without_file(player, config.game)
    )
    initialisation = data["initialisation"]
    initialisation["seeds"] = [without_file(seed, config.game) for seed in initialisation["seeds"]]
    return EvolutionConfig(**data)
