"""A whole config: checked as one, so that every error in it is reported at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import tomli_w
from pydantic import ValidationError

from evoply.configs.config_errors import explained
from evoply.configs.keys import overridden, too_deep, with_settings, without_none
from evoply.configs.part import Part, Problem
from evoply.protocols import ConfigError


class WholeConfig(Part):
    """What a file or a preset says; a mistake raises `ConfigError` with every error and path.

    First each field is checked by itself; if all are right, whether they fit together.
    """

    whole: ClassVar[str] = ""
    """The key whose table is one value: settings replace it as a whole."""

    def problems(self) -> list[Problem]:
        """Return the fields that do not fit together, and why."""
        return []

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data* as a whole."""
            deep = too_deep(data)
            if deep:
                raise ConfigError(deep)
            try:
                super().__init__(**data)
            except ValidationError as error:
                errors = explained(error, type(self))
            else:
                errors = self.problems()
            if errors:
                raise ConfigError(list(dict.fromkeys(errors)))


class RunConfig(WholeConfig):
    """The config of a run: some of its keys say when it ends, the others what its steps are."""

    about: ClassVar[str] = "learning"
    """The name of its runs in messages."""
    counts: ClassVar[str] = "generations"
    """The key that says how long a run is."""
    most: ClassVar[int]
    """Its largest value."""
    other_ends: ClassVar[tuple[str, ...]] = ("time_limit",)
    """What else ends a run."""

    @classmethod
    def ends(cls) -> tuple[str, ...]:
        """Return the keys that end a run, each if it is not None; at least one is set."""
        return cls.counts, *cls.other_ends

    def limit_reached(self, done: Mapping[str, float]) -> str:
        """Return the first of the keys that `ends` names whose value is reached; "" if none is.

        *done* has what is done so far by the names of these keys.
        """
        limits = ((name, getattr(self, name)) for name in self.ends() if name in done)
        return next((name for name, most in limits if most is not None and done[name] >= most), "")

    @classmethod
    def changeable(cls) -> frozenset[str]:
        """Return the keys that may change when a run goes on: they decide no step."""
        return frozenset({*cls.ends(), "machine"} & set(cls.model_fields))

    def decisive(self) -> dict[str, Any]:
        """Return what decides the steps, as JSON-ready data."""
        data = self.model_dump(mode="json", exclude=set(self.changeable()))
        if data.get(_RULES, "") is None:  # of a game whose rules are compiled
            del data[_RULES]
        return data

    def in_experiment(self, seed: int) -> Self:
        """Return the config with *seed*, for one of the many runs of an experiment."""
        return self.model_copy(update={"seed": seed})

    @property
    def individuals(self) -> int:
        """The individuals of a generation, 0 where there are none."""
        size: int | None = getattr(self, "population_size", None)
        return size or 0

    def games_of_a_step(self) -> dict[str, int]:
        """Return the least numbers of games that a step, or the end of a run, plays or labels.

        The keys of the mapping are the keys of the config that decide these numbers.
        """
        return {}


_Config = TypeVar("_Config", bound=WholeConfig)
_RULES = "rules_digest"


def changed_config(
    model: type[_Config],
    data: Mapping[str, Any],
    overrides: Iterable[str | tuple[str, Any]],
    settings: Mapping[str, Any],
) -> _Config:
    """Return the config of *data* with *overrides*, and with *settings* by key.

    An override is a text such as `seed=2`, or a path and its value.

    A mapping among *settings* changes the keys of a table that it names.
    Raises `ConfigError` with all that is wrong, also with paths that lead nowhere.
    """
    keys, problems = overridden(dict(data), overrides)
    keys = with_settings(keys, settings, whole=model.whole)
    if keys.get("game") != data.get("game") and keys.get(_RULES) == data.get(_RULES):
        keys.pop(_RULES, None)  # of the game that was there
    try:
        config = model(**keys)
    except ConfigError as error:
        raise ConfigError([*problems, *error.errors]) from None
    if problems:
        raise ConfigError(problems)
    return config


def written_config(config: WholeConfig) -> str:
    """Return *config* as TOML text that reads back as an equal config."""
    data = without_none(config.model_dump(mode="json"), kept=config.whole)
    if isinstance(data.get(config.whole), dict):  # it may contain null, which TOML cannot write
        data[config.whole] = json.dumps(data[config.whole], separators=(",", ":"))
    return tomli_w.dumps(data)
