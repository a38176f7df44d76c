"""What can be set of a run that is begun, and the config that comes of it.

A form is made of a preset and of what `evoply.configs.reference` says of its keys, so a key that is
new in a config is in the form without anybody's doing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel

from evoply.configs.reference import ConfigKey, ConfigSection, config_sections
from evoply.evolution.play.opponents import player_texts
from evoply.games import GAMES
from evoply.presets import PRESETS, preset_text
from evoply.protocols import ConfigError
from evoply.runs import KINDS
from evoply.web.limits import Limits
from evoply.web.opponents import check_text, read_opponent
from evoply.web.run_messages import (
    FormKey,
    FormSection,
    FormShown,
    PresetList,
    PresetShown,
    StartRun,
)
from evoply.wording import shorten

__all__ = ["config_asked", "form_of", "presets_shown"]

_SIMPLE = ("whole number", "number", "text", "true or false")


@cache
def _preset_config(name: str) -> Any:
    return KINDS[PRESETS[name].learner]().load_config(name, ())


def presets_shown() -> PresetList:
    """Return all presets."""
    return PresetList(presets=[_preset(name) for name in PRESETS])


def _preset(name: str) -> PresetShown:
    preset = PRESETS[name]
    return PresetShown(
        name=name, title=preset.title, learner=preset.learner, game=_preset_config(name).game
    )


def form_of(name: str) -> FormShown:
    """Return what can be set of a run of the preset called *name*; 404 if there is none."""
    _check_preset(name)
    config = _preset_config(name)
    known = defaultdict(list)
    for section in config_sections(type(config)):
        for key in section.keys:
            known[key.path].append((section, key))
    sections = [section for section in _sections(config, "", known) if section.keys]
    return FormShown(preset=_preset(name), sections=sections, text=preset_text(name))


def _check_preset(name: str) -> None:
    if name not in PRESETS:
        raise HTTPException(
            404, f"preset: no preset is called {shorten(name)!r} - see /api/presets"
        )


def _sections(
    part: BaseModel, path: str, known: Mapping[str, list[tuple[ConfigSection, ConfigKey]]]
) -> Iterator[FormSection]:
    """Yield the section of one table of a config, then those below it."""
    keys, below = [], []
    kind = getattr(part, "kind", None)
    section = None
    for name in type(part).model_fields:
        place, value = f"{path}.{name}".lstrip("."), getattr(part, name)
        if isinstance(value, BaseModel):
            below.append((place, value))
        elif isinstance(value, tuple) and any(isinstance(one, BaseModel) for one in value):
            below += [(f"{place}.{index}", one) for index, one in enumerate(value)]
        elif (found := _described(known, place, kind)) is not None:
            section, key = found
            if _is_simple(key, value):
                keys.append(_form_key(key, place, value))
    title = path if section is None or section.kind is None else f"{path}: {section.kind}"
    yield FormSection(title=title, meaning="" if section is None else section.meaning, keys=keys)
    for place, one in below:
        yield from _sections(one, place, known)


def _is_simple(key: ConfigKey, value: object) -> bool:
    """Return whether one field of a form can hold the value of *key*."""
    is_one = value is None or isinstance(value, bool | int | float | str)
    return is_one and any(f" or {one} or " in f" or {key.type} or " for one in _SIMPLE)


def _described(
    known: Mapping[str, list[tuple[ConfigSection, ConfigKey]]], place: str, kind: str | None
) -> tuple[ConfigSection, ConfigKey] | None:
    """Return what the reference says of the key at *place*, in a table of this *kind*."""
    path = ".".join("0" if part.isdecimal() else part for part in place.split("."))
    found = [one for one in known.get(path, ()) if one[0].kind in (None, kind)]
    # What chooses between kinds is no value: the other keys depend on it.
    return found[0] if found and not path.endswith(".kind") and path != "learner" else None


def _form_key(key: ConfigKey, place: str, value: Any) -> FormKey:
    choices = GAMES if place == "game" else key.choices
    return FormKey(
        path=place,
        type=key.type,
        meaning=key.meaning,
        range="" if choices else key.range,
        value=value if isinstance(value, bool | int | float | str) else None,
        is_required=key.is_required,
        choices=list(choices),
        least=key.least,
        most=key.most,
    )


def config_asked(asked: StartRun, limits: Limits) -> Any:
    """Return the config that a request asks for.

    Raises `ConfigError` with everything that is wrong and where, also what is beyond *limits*. No
    text of a request may name a file or a program.
    """
    _check_preset(asked.preset)
    wrong = []
    for path, value in asked.settings.items():
        try:
            check_text(str(value))
        except ValueError as error:
            wrong.append((path, str(error)))
    if wrong:
        raise ConfigError(wrong)
    overrides = [f"{path}={_as_toml(value)}" for path, value in asked.settings.items()]
    # On the whole config: the preset's own text may say the same in a shorter form.
    kind = KINDS[PRESETS[asked.preset].learner]()
    config = kind.load_config(_preset_config(asked.preset), overrides)
    problems = list(_beyond(config, limits))
    if problems:
        raise ConfigError(problems)
    return config


def _as_toml(value: object) -> str:
    # A text is always a text: "[1]" is no list, and "none" takes nothing away.
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def _beyond(config: Any, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield where *config* asks for more than the server starts."""
    size = getattr(config, "population_size", None)
    if size is None:
        if config.games_per_step > limits.generation_games:
            yield (
                "games_per_step",
                f"{config.games_per_step:,} - runs begun here play at most "
                f"{limits.generation_games:,} games a step, give less",
            )
        return
    if size > limits.population:
        yield (
            "population_size",
            f"{size:,} - runs begun here have at most {limits.population:,} individuals, give less",
        )
    fitness, earlier = config.fitness, config.fitness.earlier_generations
    each = sum(one.games or 2 * one.pairs for one in fitness.opponents)
    games = size * (each + 2 * earlier.champions * earlier.pairs)
    if games > limits.generation_games:
        yield (
            "fitness",
            f"{games:,} games of training in a generation - runs begun here play at most "
            f"{limits.generation_games:,}, give fewer pairs or a smaller population",
        )
    for path, text in player_texts(fitness):
        try:
            read_opponent(text, config.game, limits)
        except ValueError as error:
            yield f"fitness.{path}", str(error)
