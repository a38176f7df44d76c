"""Where configs come from: files, presets, and settings given as keywords."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.text import config_from_keys, config_from_toml
from evoply.files import read_limited
from evoply.presets import PRESETS, preset_text
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean, shorten

__all__ = ["load_config"]

_LARGEST_FILE = 10_000_000


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

    Raises `ConfigError` with every error and its path or line, also when the file cannot be read.

    >>> load_config("quick", settings={"fitness": {"opening_plies": 2}}).opening_plies
    2
    """
    if isinstance(source, EvolutionConfig):
        return config_from_keys(source.model_dump(), overrides, settings)
    name = os.fspath(source)
    text = preset_text(name) if name in PRESETS and not os.path.isfile(name) else _text_of(name)
    read = ini if name.lower().endswith(".ini") else config_from_toml
    return read(text, overrides, settings, name=name)


def _text_of(name: str) -> str:
    try:
        return read_limited(name, _LARGEST_FILE)
    except FileNotFoundError:
        hint = did_you_mean(name, PRESETS) or "."
        known = f"there is no such file and no preset of that name{hint}"
        problem = f"cannot be read: {known} The presets are {', '.join(PRESETS)}"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ValueError as error:
        problem = str(error)
    raise ConfigError([(shorten(name), problem)])
