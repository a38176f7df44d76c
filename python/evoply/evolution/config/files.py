"""Where configs come from: files, presets, and settings given as keywords."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.text import config_from_keys, config_from_toml
from evoply.presets import PRESETS, config_text
from evoply.wording import shorten

__all__ = ["load_config"]


def load_config(
    source: EvolutionConfig | str | os.PathLike[str],
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
    *,
    ini: Callable[..., EvolutionConfig] = config_from_toml,
) -> EvolutionConfig:
    """Return the config of a file or a preset, with changes.

    *overrides* are texts such as `population_size=500`, as `--set` takes them. *settings* are keys
    and values, in which a mapping changes the keys of a table that it names and leaves the others.

    A name that ends in `.ini` is read by *ini* (`evoply.load_config` gives the reader of gpjpp's
    parameter files); any other is TOML, or a preset where there is no file of its name.

    Raises `ConfigError` with every error and its path or line, also when the file cannot be read,
    and TypeError for what is neither a config nor a name.

    >>> load_config("quick", settings={"fitness": {"opening_plies": 2}}).opening_plies
    2
    """
    if isinstance(source, EvolutionConfig):
        return config_from_keys(source.model_dump(), overrides, settings)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"config: {shorten(repr(source))} is no config: give an EvolutionConfig, the path of"
            f" its file, or the name of a preset, such as {next(iter(PRESETS))!r}"
        )
    name = os.fspath(source)
    read = ini if name.lower().endswith(".ini") else config_from_toml
    text = config_text(name)
    return read(text, overrides, settings, name=name)
