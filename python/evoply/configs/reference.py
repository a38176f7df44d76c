"""What each key of a config means: its type, its range, its default, read from the models.

`evoply config` prints it and the documentation shows it as tables, so neither is written by hand.
A place in a list is written 0, whichever it is: `fitness.opponents.0.pairs`.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evoply.configs.errors import has_key, meant_instead
from evoply.configs.meanings import meaning
from evoply.configs.part import kind_of, parts_in
from evoply.wording import shorten

_NAMES: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "table",
    tuple: "list",
}
_TABLE, _TABLES = "table", "list of tables"
_LARGEST = 2**63  # above all seeds; nobody recognises it when it is written out
_LIMITS: dict[type, str] = {
    Ge: "ge",
    Gt: "gt",
    Le: "le",
    Lt: "lt",
    MinLen: "min_length",
    MaxLen: "max_length",
}
_WORDS: dict[str, Callable[[Any], str]] = {
    "between": lambda bounds: f"{bounds[0]:,} to {bounds[1]:,}",
    "seed": lambda bound: f"{bound:,} to 2^63 - 1",
    "ge": lambda bound: f"{bound:,} or more",
    "gt": lambda bound: f"above {bound:,}",
    "le": lambda bound: f"at most {bound:,}",
    "lt": lambda bound: f"below {bound:,}",
    "min_length": lambda bound: "not empty" if bound == 1 else f"at least {bound:,} long",
    "max_length": lambda bound: f"at most {bound:,} long",
}


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key of a config."""

    path: str
    """From the top, as `--set` takes it."""
    type: str
    """What its value is: a text, a whole number, a list of texts, a table, ..."""
    default: Any
    """Its value where a config says nothing, as JSON; None where there is none."""
    is_required: bool
    """Whether it must be given where its table is."""
    range: str
    """Which values of the type are allowed, "" for all."""
    meaning: str
    """What it is for, in plain words."""
    has_keys: bool = False
    """Whether its value is made of tables, whose keys have paths of their own."""
    choices: tuple[str, ...] = ()
    """The texts it may be; none: there is no such list."""
    least: float | None = None
    """Of a number; None: `range` says all there is to say."""
    most: float | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    @property
    def is_single_table(self) -> bool:
        """Whether its value is one table, whose keys have paths and defaults of their own."""
        return self.has_keys and self.type == _TABLE

    @property
    def value(self) -> str:
        """Type and range in words; where there is a choice, the choice."""
        if self.range.startswith('"'):
            return self.range
        return f"{self.type}, {self.range}" if self.range else self.type

    @property
    def default_text(self) -> str:
        """The default as a config writes it, or why there is none; "" if it is that of keys."""
        if self.is_required:
            return "must be given"
        if self.default is None:
            return "not set"
        return "" if self.is_single_table else _written(self.default)


@dataclass(frozen=True, slots=True)
class ConfigSection:
    """The keys of one table, or of one kind of it where there are several."""

    path: str
    """The path of the table, "" for the top level."""
    kind: str | None
    """The value of the table's key `kind` that these keys belong to, None where there is one."""
    meaning: str
    """What the table is for, in plain words; "" for the top level."""
    keys: tuple[ConfigKey, ...]

    @property
    def title(self) -> str:
        """The table as a config writes it, and its kind if it has several."""
        name = self.path.removesuffix(".0")
        head = f"[{name}]" if name == self.path else f"[[{name}]]"
        return head if self.kind is None else f'{head} kind = "{self.kind}"'


def config_sections(model: type[BaseModel]) -> tuple[ConfigSection, ...]:
    """Return all keys of the config *model*: the top level, then each table below its own.

    Raises `ValueError` for a key of *model* without a docstring.

    >>> from evoply.evolution import EvolutionConfig
    >>> top = config_sections(EvolutionConfig)[0]
    >>> seed = next(key for key in top.keys if key.path == "seed")
    >>> seed.type, seed.range, seed.default
    ('whole number', '0 to 2^63 - 1', 1)
    """
    return tuple(_sections(model, ""))


def matching_sections(text: str, model: type[BaseModel]) -> tuple[ConfigSection, ...]:
    """Return the keys that *text* means: a path and all below it, else a kind, else a name.

    Raises `ValueError`, with what may have been meant, if there is none.

    >>> from evoply.evolution import EvolutionConfig
    >>> found = matching_sections("co_play", EvolutionConfig)
    >>> [key.path for section in found for key in section.keys]
    ['fitness.measure.co_play']
    """
    parts = _parts(text.strip().replace("-", "_"))
    tests: tuple[Callable[[ConfigSection, ConfigKey], bool], ...] = (
        lambda _, key: _parts(key.path)[: len(parts)] == parts,
        lambda section, _: [section.kind] == parts,
        lambda _, key: [key.name] == parts,
    )
    for is_meant in tests if parts else ():
        sections = []
        for section in config_sections(model):
            keys = tuple(key for key in section.keys if is_meant(section, key))
            if keys:
                sections.append(replace(section, keys=keys))
        if sections:
            return tuple(sections)
    *parents, name = parts or [text]
    meant = meant_instead([*parents, name], model)
    if parents and has_key(".".join(parents), model):
        raise ValueError(f"{'.'.join(parents)} has no key {shorten(name)!r}{meant}")
    raise ValueError(f"{shorten(text)!r} is no key of a config{meant}")


def _parts(path: str) -> list[str]:
    """Return the keys of a path without places in lists."""
    return [part for part in path.split(".") if part and not part.isdecimal()]


def _sections(
    model: type[BaseModel], path: str, kind: str | None = None, defaults: BaseModel | None = None
) -> list[ConfigSection]:
    """Return the section of *model* at *path* and those below; *defaults* fills the table."""
    keys, below = [], []
    for name, field in model.model_fields.items():
        if name == "kind" and kind is not None:
            continue  # the section says it
        inner = f"{path}.{name}" if path else name
        usual = getattr(defaults, name) if isinstance(defaults, model) else field.default
        parts = [part for part, _ in parts_in(field.annotation)]
        keys.append(_key(model, name, inner, usual))
        if parts:
            place = f"{inner}.0" if _is_listed(field) else inner
            below += _tables(parts, place, meaning(model, name), usual)
    about = inspect.cleandoc(model.__doc__ or "") if path else ""
    return [ConfigSection(path, kind, about, tuple(keys)), *below]


def _tables(
    parts: Sequence[type[BaseModel]], path: str, about: str, usual: Any
) -> list[ConfigSection]:
    """Return the sections of a table that is one of *parts*, the key that chooses first."""
    sections = []
    kinds = [kind_of(part) for part in parts]
    if len(parts) > 1:
        chooses = ConfigKey(
            path=f"{path}.kind",
            type="text",
            default=getattr(usual, "kind", None),
            is_required=not hasattr(usual, "kind"),
            range=_choices(kinds),
            meaning="Which of the kinds this table is; the other keys depend on it.",
            choices=tuple(str(kind) for kind in kinds),
        )
        sections.append(ConfigSection(path, None, about, (chooses,)))
    for part, kind in zip(parts, kinds, strict=True):
        sections += _sections(part, path, kind if len(parts) > 1 else None, usual)
    return sections


def _key(model: type[BaseModel], name: str, path: str, usual: Any) -> ConfigKey:
    field = model.model_fields[name]
    parts = [part for part, _ in parts_in(field.annotation)]
    said = meaning(model, name)
    if not said and len(parts) == 1:
        said = inspect.cleandoc(parts[0].__doc__ or "").split("\n\n")[0]
    elif not said and parts:
        said = f"One of the kinds {_choices([kind_of(part) for part in parts])}."
    elif not said and name == "kind":
        said = "Which of the kinds this table is."
    if not said:
        raise ValueError(f"{model.__name__}.{name} has no docstring, so its meaning is missing")
    return ConfigKey(
        path=path,
        type=(_TABLES if _is_listed(field) else _TABLE) if parts else _type(field.annotation),
        default=None if field.is_required() else _plain(usual),
        is_required=field.is_required(),
        range=_range(field),
        meaning=" ".join(said.split()),
        has_keys=bool(parts),
        choices=tuple(_literals(field.annotation)),
        least=_bound(field, Ge),
        most=_bound(field, Le),
    )


def _is_listed(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is tuple


def _plain(value: Any) -> Any:
    """Return a default as JSON writes it, without keys of no value."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _type(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _type(get_args(annotation)[0])
    if origin is Literal:
        return "text"
    if origin in (Union, types.UnionType):
        kinds = [_type(one) for one in get_args(annotation) if one is not types.NoneType]
        return " or ".join(dict.fromkeys(kinds))
    if origin is tuple:
        return f"list of {_type(get_args(annotation)[0])}s"
    return _NAMES[origin or annotation]


def _range(field: FieldInfo) -> str:
    choices = _literals(field.annotation)
    limits = [_choices(choices)] if choices else []
    bounds = {name: bound for limit in field.metadata for name, bound in _bounds(limit)}
    if {"ge", "le"} <= set(bounds):
        bounds = {"between": (bounds["ge"], bounds["le"])}
    elif bounds.get("lt") == _LARGEST:
        bounds = {"seed": bounds["ge"]}
    return ", ".join([*limits, *(_WORDS[name](bound) for name, bound in bounds.items())])


def _bound(field: FieldInfo, kind: type[Ge | Le]) -> float | None:
    bounds = dict(bound for limit in field.metadata for bound in _bounds(limit))
    value: float | None = bounds.get(_LIMITS[kind])
    return value


def _bounds(limit: object) -> list[tuple[str, Any]]:
    return [
        (name, getattr(limit, name)) for kind, name in _LIMITS.items() if isinstance(limit, kind)
    ]


def _written(default: Any) -> str:
    """Return a default as TOML in one line."""
    if isinstance(default, dict):
        inner = ", ".join(f"{name} = {_written(value)}" for name, value in default.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(default, list):
        return f"[{', '.join(_written(one) for one in default)}]"
    return json.dumps(default, ensure_ascii=False)


def _literals(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for inner in get_args(annotation) for choice in _literals(inner)]


def _choices(choices: Sequence[object]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
