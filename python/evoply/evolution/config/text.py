"""Configs as TOML: reading a text, overriding single keys, writing.

Comments of a file are not kept; the run folder stores the values that were used.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

import tomli_w

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
    try:
        # Some editors begin a file with the mark that only other encodings need.
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:  # ValueError also for a number of 5,000 digits
        raise ConfigError([(name, f"is not valid TOML: {error}")]) from None
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
    data, problems = _overridden(data, overrides)
    try:
        config = EvolutionConfig(**_with_settings(data, settings))
    except ConfigError as error:
        raise ConfigError([*problems, *error.errors]) from None
    if problems:
        raise ConfigError(problems)
    return config


def config_to_toml(config: EvolutionConfig) -> str:
    """Return *config* as TOML text that reads back as an equal config."""
    data = _without_none(config.model_dump(mode="python"))
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


def _with_settings(data: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    changed = dict(data)
    for key, value in settings.items():
        before = changed.get(key)
        if key != "primitives" and isinstance(value, Mapping) and isinstance(before, Mapping):
            is_other = value.get("kind", before.get("kind")) != before.get("kind")
            changed[key] = dict(value) if is_other else _with_settings(before, value)
        else:
            changed[key] = value
    return changed


def _overridden(
    data: dict[str, Any], overrides: Iterable[str]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return a changed copy of *data*, and path and message of what could not be applied."""
    try:
        changed: dict[str, Any] = json.loads(json.dumps(data, default=str))
    except RecursionError:
        raise ConfigError(
            [(next(iter(data)), "is nested too deeply: use fewer brackets inside one another")]
        ) from None
    errors = []
    for override in overrides:
        path, equals, text = override.partition("=")
        path = path.strip().replace("-", "_")
        if not equals or not path:
            errors.append((override, "is not of the form path=value"))
            continue
        tried = deepcopy(changed)  # what fails half way must leave nothing behind
        try:
            _set(tried, path.split("."), text.strip())
            changed = tried
        except (LookupError, ValueError, TypeError):
            errors.append((path, "leads to no place in the config"))
    return changed, errors


def _set(container: Any, keys: list[str], text: str) -> None:
    *parents, last = keys
    for key in parents:
        container = _inside(container, key)
    if isinstance(container, list):
        container[int(last)] = _value(text)
    elif not isinstance(container, dict):
        raise TypeError("a single value has no keys")
    elif text.lower() == "none":
        container.pop(last, None)
    else:
        container[last] = _value(text)


def _inside(container: Any, key: str) -> Any:
    if isinstance(container, list):
        return container[int(key)]
    if not isinstance(container, dict):
        raise TypeError("a single value has no keys")
    return container.setdefault(key, {})


def _value(text: str) -> Any:
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if len(read) == 1 else text


def _without_none(data: Any) -> Any:
    """Return nested *data* without keys of no value, which TOML cannot write."""
    if isinstance(data, dict):
        return {
            key: value if key == "primitives" else _without_none(value)
            for key, value in data.items()
            if value is not None
        }
    return [_without_none(value) for value in data] if isinstance(data, list | tuple) else data
