"""Config files: TOML, or the parameter files of gpjpp, told apart by their names."""

from __future__ import annotations

import os
from collections.abc import Iterable

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.text import config_from_toml
from evoply.evolution.gpjpp_ini import config_from_ini
from evoply.files import read_limited
from evoply.protocols import ConfigError

__all__ = ["load_config"]

_LARGEST_FILE = 10_000_000


def load_config(path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> EvolutionConfig:
    """Read a config file and return its config with *overrides* such as `population_size=500`.

    A name that ends in `.ini` is a parameter file of gpjpp, any other TOML. Raises `ConfigError`
    with every error and its path or line, also when the file cannot be read.
    """
    name = os.fspath(path)
    try:
        text = read_limited(name, _LARGEST_FILE)
    except OSError as error:
        raise ConfigError([(name, f"cannot be read: {error.strerror}")]) from None
    except ValueError as error:
        raise ConfigError([(name, str(error))]) from None
    read = config_from_ini if name.lower().endswith(".ini") else config_from_toml
    return read(text, overrides, name=name)
