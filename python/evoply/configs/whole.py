"""A whole config: checked as one, so that every error in it is reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import tomli_w
from pydantic import ValidationError

from evoply.configs.errors import explained
from evoply.configs.keys import overridden, with_settings, without_none
from evoply.configs.part import Part, Problem, readable
from evoply.protocols import ConfigError

__all__ = ["WholeConfig", "changed_config", "written_config"]


class WholeConfig(Part):
    """What a file or a preset says; a mistake raises `ConfigError` with every error and path."""

    judges_parts: ClassVar[bool] = False
    """Whether `problems` can be asked of a config that is partly wrong."""

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        return []

    @classmethod
    def completed(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return *data* with what follows from it."""
        return data

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data* as a whole."""
            model = type(self)
            data = model.completed(data)
            errors, right = [], self
            try:
                super().__init__(**data)
            except ValidationError as error:
                errors, right = explained(error, model), readable(model, data)
            if not errors or model.judges_parts:
                errors += right.problems()
            if errors:
                raise ConfigError(list(dict.fromkeys(errors)))


_Config = TypeVar("_Config", bound=WholeConfig)


def changed_config(
    model: type[_Config],
    data: Mapping[str, Any],
    overrides: Iterable[str],
    settings: Mapping[str, Any],
    *,
    whole: str = "",
) -> _Config:
    """Return the config of *data* with *overrides* such as `seed=2`, and keys and values.

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
