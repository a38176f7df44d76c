"""A whole config: checked as one, so that every error in it is reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import tomli_w
from pydantic import ValidationError

from evoply.configs.errors import explained
from evoply.configs.keys import overridden, with_settings, without_none
from evoply.configs.part import Part, Problem
from evoply.protocols import ConfigError


class WholeConfig(Part):
    """What a file or a preset says; a mistake raises `ConfigError` with every error and path.

    First each field is checked by itself; if all are right, then what goes together.
    """

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        return []

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data* as a whole."""
            try:
                super().__init__(**data)
            except ValidationError as error:
                errors = explained(error, type(self))
            else:
                errors = self.problems()
            if errors:
                raise ConfigError(list(dict.fromkeys(errors)))


_Config = TypeVar("_Config", bound=WholeConfig)


def changed_config(
    model: type[_Config],
    data: Mapping[str, Any],
    overrides: Iterable[str | tuple[str, Any]],
    settings: Mapping[str, Any],
    *,
    whole: str = "",
) -> _Config:
    """Return the config of *data* with *overrides*, and with *settings* by key.

    An override is a text such as `seed=2`, or a path and its value.

    A mapping among *settings* changes the keys of a table that it names, but for the key *whole*.
    Raises `ConfigError` with all that is wrong, also with paths that lead nowhere.
    """
    keys, problems = overridden(dict(data), overrides)
    try:
        config = model(**with_settings(keys, settings, whole=whole))
    except ConfigError as error:
        raise ConfigError([*problems, *error.errors]) from None
    if problems:
        raise ConfigError(problems)
    return config


def written_config(config: WholeConfig) -> str:
    """Return *config* as TOML text that reads back as an equal config."""
    return tomli_w.dumps(without_none(config.model_dump(mode="json")))
