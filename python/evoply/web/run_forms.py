"""What can be set of a run that is begun, and the config that comes of it.

A form is made of a preset and of what `evoply.configs.reference` says of its keys, so a key that is
new in a config is in the form without anybody's doing.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel

from evoply.configs.reference import ConfigKey, ConfigSection, config_sections
from evoply.evolution.play.opponents import player_texts
from evoply.games import GAMES
from evoply.kinds import KINDS
from evoply.presets import PRESETS, preset_text
from evoply.protocols import ConfigError
from evoply.runs.finding_kinds import kind_of
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

NO_KINDS: Mapping[str, str | None] = MappingProxyType({})
_LIST = "list of "
_SIMPLE = ("whole number", "number", "text", "true or false")


@cache
def _preset_config(name: str) -> Any:
    return KINDS[PRESETS[name].learner].configs.load(name)


@cache
def _reference(preset: str) -> tuple[ConfigSection, ...]:
    return config_sections(type(_preset_config(preset)))


def presets_shown() -> PresetList:
    """Return all presets."""
    return PresetList(presets=[_preset(name) for name in PRESETS])


def _preset(name: str) -> PresetShown:
    preset = PRESETS[name]
    return PresetShown(
        name=name, title=preset.title, learner=preset.learner, game=_preset_config(name).game
    )


def form_of(
    name: str, kinds: Mapping[str, str | None] = NO_KINDS, limits: Limits | None = None
) -> FormShown:
    """Return what can be set of a run of the preset called *name*; 404 if there is none.

    *kinds* are kinds of tables in place of the preset's, by their path, as in
    `selection.kind`; None: no such table. Raises `ConfigError` if one cannot be.
    """
    _check_preset(name)
    config = _with_kinds(name, kinds)
    form = _Form(_reference(name))
    sections = [section for section in form.sections(config, "") if section.keys]
    for key in sections[0].keys:
        is_size = key.path == "population_size"
        if is_size and limits is not None and limits.population < (key.most or math.inf):
            key.most, key.range = limits.population, f"{key.least:g} to {limits.population:,}"
    return FormShown(preset=_preset(name), sections=sections, text=preset_text(name))


def _check_preset(name: str) -> None:
    if name not in PRESETS:
        raise HTTPException(
            404, f"preset: no preset is called {shorten(name)!r} - see /api/presets"
        )


class _Form:
    """What a reference says of keys, by their path, in which a place in a list is 0."""

    def __init__(self, reference: Iterable[ConfigSection]) -> None:
        self._known = defaultdict(list)
        self._tables: dict[str, ConfigSection] = {}
        self._choosers = set()
        for section in reference:
            for key in section.keys:
                self._known[key.path].append((section, key))
            self._tables[section.path] = section
            if section.kind is not None:
                self._choosers.add(f"{section.path}.kind")

    def sections(self, part: BaseModel, path: str) -> Iterator[FormSection]:
        """Yield the section of one table of a config, then those below it."""
        kind = getattr(part, "kind", None)
        keys, below, absent = self._chooser(path, kind), [], []
        meaning = ""
        for name in type(part).model_fields:
            place, value = f"{path}.{name}".lstrip("."), getattr(part, name)
            if isinstance(value, BaseModel):
                below.append((place, value))
            elif value is None and (found := self._chooser(place, None)):
                absent.append(FormSection(title=place, meaning="", keys=found))
            elif value is None and _general(place) in self._tables:
                absent.append(self._absent(place))
            elif (described := self._described(place, kind)) is not None:
                section, key = described
                meaning = section.meaning
                if key.type.startswith(_LIST):
                    keys.append(self._list_key(key, place, value))
                elif _is_simple(key, value):
                    keys.append(_form_key(key, place, value))
        is_one_of_several = f"{_general(path)}.kind" in self._choosers
        title = f"{path}: {kind}" if is_one_of_several else path
        yield FormSection(title=title, meaning=meaning, keys=keys)
        for place, one in below:
            yield from self.sections(one, place)
        yield from absent

    def _chooser(self, path: str, kind: str | None) -> list[FormKey]:
        """Return the key that chooses what the table at *path* is, if there are several kinds."""
        place = f"{_general(path)}.kind"
        if place not in self._choosers:
            return []
        return [
            _form_key(key, f"{path}.kind", kind).model_copy(update={"is_kind": True})
            for section, key in self._known[place]
            if section.kind is None
        ][:1]

    def _absent(self, place: str) -> FormSection:
        """Return the section of a table of one kind that a config has not, and may have."""
        section = self._tables[_general(place)]
        keys = []
        for one in section.keys:
            if _is_simple(one, None):
                key = _form_key(one, one.path, None)
                usual = "" if one.default is None else f"{one.default_text} if left out"
                key.range = ", ".join(filter(None, (key.range, usual)))
                keys.append(key)
        meaning = f"There only if a value is given. {section.meaning}"
        return FormSection(title=place, meaning=meaning, keys=keys)

    def _list_key(self, key: ConfigKey, place: str, rows: Sequence[Any] | None) -> FormKey:
        """Return the key of a list, whose rows are single values or tables of such."""
        first = f"{place}.0"
        shown = _form_key(key, place, None)
        if key.has_keys:
            names = [one.name for one in self._tables[_general(first)].keys]
            shown.columns = [
                _form_key(one, f"{first}.{one.name}", one.default)
                for one in self._tables[_general(first)].keys
            ]
            table = [[_cell(getattr(row, name)) for name in names] for row in rows or ()]
        else:
            column = replace(key, type=key.type.removeprefix(_LIST).removesuffix("s"), meaning="")
            shown.columns = [_form_key(replace(column, range=""), first, None)]
            table = [[row] for row in rows or ()]
        shown.rows = None if rows is None else table
        return shown

    def _described(self, place: str, kind: str | None) -> tuple[ConfigSection, ConfigKey] | None:
        """Return what the reference says of the key at *place*, in a table of this *kind*."""
        path = _general(place)
        if path in self._choosers or path == "learner":
            return None
        found = [one for one in self._known.get(path, ()) if one[0].kind in (None, kind)]
        return found[0] if found else None


def _general(path: str) -> str:
    return ".".join("0" if part.isdecimal() else part for part in path.split("."))


def _is_simple(key: ConfigKey, value: object) -> bool:
    """Return whether one field of a form can hold the value of *key*."""
    is_one = value is None or isinstance(value, bool | int | float | str)
    return is_one and any(f" or {one} or " in f" or {key.type} or " for one in _SIMPLE)


def _cell(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


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
    for path, text in _texts(asked.settings):
        try:
            check_text(text)
        except ValueError as error:
            wrong.append((path, str(error)))
    if wrong:
        raise ConfigError(wrong)
    kinds = {path: value for path, value in asked.settings.items() if path.endswith(".kind")}
    others = [
        f"{path}={_as_toml(value)}"
        for path, value in asked.settings.items()
        # No value of no table is nothing; the table would come of it.
        if not _is_chosen(asked.preset, path)
        and not (value is None and _is_absent(asked.preset, _table(path)))
    ]
    given = {_table(path) for path, value in asked.settings.items() if value is not None}
    added = [f"{path}={{}}" for path in sorted(given) if _is_absent(asked.preset, path)]
    config = _with_kinds(asked.preset, kinds, [*added, *others])
    problems = list(_beyond(config, limits))
    if problems:
        raise ConfigError(problems)
    return config


def _texts(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in *value*, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping | list):
        inner = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in inner:
            yield from _texts(one, f"{path}.{key}".lstrip("."))


def _with_kinds(preset: str, kinds: Mapping[str, object], others: Iterable[str] = ()) -> Any:
    """Return the config of *preset* with other kinds of tables, and then with *others*.

    A table of another kind has its defaults: the keys of the one before are not its own.
    """
    # On the whole config: the preset's own text may say the same in a shorter form.
    base = _preset_config(preset)
    tables = []
    for path, kind in kinds.items():
        if _is_chosen(preset, path) and kind != _kind_at(base, path):
            table = "none" if kind is None else f"{{kind = {_as_toml(kind)}}}"
            tables.append(f"{path.removesuffix('.kind')}={table}")
    return KINDS[PRESETS[preset].learner].configs.load(base, [*tables, *others])


def _is_chosen(preset: str, path: str) -> bool:
    """Return whether the value at *path* says which of several kinds a table is."""
    place = _general(path).removesuffix(".kind")
    return path.endswith(".kind") and any(
        section.path == place and section.kind is not None for section in _reference(preset)
    )


def _table(path: str) -> str:
    return path.rpartition(".")[0]


def _is_absent(preset: str, path: str) -> bool:
    """Return whether the config of *preset* has no table at *path*, which would be of one kind."""
    kinds = {section.kind for section in _reference(preset) if section.path == _general(path)}
    return bool(path) and kinds == {None} and _kind_at(_preset_config(preset), path) is None


def _kind_at(config: Any, path: str) -> object:
    """Return what stands at *path*, None if nothing does."""
    found = config
    for part in path.split("."):
        if part.isdecimal() and isinstance(found, tuple):
            found = found[int(part)] if int(part) < len(found) else None
        else:
            found = getattr(found, part, None)
    return found


def _as_toml(value: object) -> str:
    # A text is always a text: "[1]" is no list, and "none" takes nothing away.
    return "none" if value is None else _inner_toml(value)


def _inner_toml(value: object) -> str:
    if isinstance(value, list):
        # A row without a value is one that is wrong, at its place.
        return f"[{', '.join(_inner_toml('' if one is None else one) for one in value)}]"
    if isinstance(value, Mapping):
        given = (f"{key} = {_inner_toml(one)}" for key, one in value.items() if one is not None)
        return f"{{{', '.join(given)}}}"
    return json.dumps(value, ensure_ascii=False)


def _beyond(config: Any, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield where *config* asks for more than the server starts."""
    size = getattr(config, "population_size", 0)
    if size > limits.population:
        yield (
            "population_size",
            f"{size:,} - runs begun here have at most {limits.population:,} individuals, give less",
        )
    for path, games in kind_of(KINDS, config).configs.games_of_a_step(config).items():
        if games > limits.generation_games:
            fewer = "fewer or a smaller population" if size else "fewer"
            yield (
                path,
                f"{games:,} games a step - runs begun here play at most "
                f"{limits.generation_games:,}, give {fewer}",
            )
    for place, text in player_texts(config.fitness) if hasattr(config, "fitness") else ():
        try:
            read_opponent(text, config.game, limits)
        except ValueError as error:
            yield f"fitness.{place}", str(error)
