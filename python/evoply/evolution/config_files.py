"""Config files: TOML, or the parameter files of gpjpp, told apart by their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from evoply.evolution.config import EvolutionConfig
from evoply.evolution.config_text import config_from_toml
from evoply.files import read_limited
from evoply.protocols import ConfigError

__all__ = ["load_config"]

_LARGEST_FILE = 10_000_000


def load_config(
    path: str | os.PathLike[str],
    overrides: Iterable[str] = (),
    *,
    ini: Callable[..., EvolutionConfig] = config_from_toml,
) -> EvolutionConfig:
    """Read a config file and return its config with *overrides* such as `population_size=500`.

    *ini* reads a file whose name ends in `.ini`, as `evoply.studies.bellin.config_from_ini` reads
    parameter files of gpjpp, the default of `evoply.load_config`; any other is TOML. Raises
    `ConfigError` with every error and its path or line, also when the file cannot be read.
    """
    name = os.fspath(path)
    try:
        text = read_limited(name, _LARGEST_FILE)
    except OSError as error:
        raise ConfigError([(name, f"cannot be read: {error.strerror}")]) from None
    except ValueError as error:
        raise ConfigError([(name, str(error))]) from None
    read = ini if name.lower().endswith(".ini") else config_from_toml
    return read(text, overrides, name=name)
