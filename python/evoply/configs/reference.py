"""The reference of config keys, from the JSON Schema and their docstrings.

`evoply config` prints it and the documentation shows it as tables, so neither is written by hand.
Every index in a list is written 0: `fitness.opponents.0.pairs`.

Reasons: docs/design/page.md.
"""

import ast
import inspect
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, pairwise
from textwrap import dedent
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from evoply.configs.config_errors import has_key, meant_instead
from evoply.configs.keys import without_none
from evoply.protocols.sections import JsonData
from evoply.wording import shorten

# Descriptions of the keys of a config, read from the docstrings below its fields.
#
# They are read from the source when somebody asks: pydantic would read them for every model
# whenever it is imported, and only the reference and forms show them.


def meaning(model: type[BaseModel], name: str) -> str:
    """Return the description of the field *name* of *model*, "" if it has none.

    >>> from evoply.evolution import EvolutionConfig
    >>> meaning(EvolutionConfig, "population_size")
    'Trees in a generation.'
    """
    described = model.model_fields[name].description
    homes = (base for base in model.__mro__ if name in vars(base).get("__annotations__", {}))
    home = next(homes, None)
    if described is not None or home is None:
        return described or ""
    return _docstrings(home).get(name, "")


_PARSING = threading.Lock()


def _docstrings(model: type) -> Mapping[str, str]:
    """Return the texts below the fields that *model* itself has."""
    # CPython before 3.12 may fail with a SystemError where two threads parse at the same time.
    with _PARSING:
        return _parsed_docstrings(model)


@cache
def _parsed_docstrings(model: type) -> Mapping[str, str]:
    try:
        (statement,) = ast.parse(dedent(inspect.getsource(model))).body
    except OSError:  # it was made by a function, and its fields are described there
        return {}
    body = statement.body if isinstance(statement, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


# Configs as JSON Schema, from which the reference of keys and the page's form are made.

Schema = dict[str, Any]


def config_schema(model: type[BaseModel]) -> Schema:
    """Return the JSON Schema of the config *model*, in which every key says what it is for.

    Keys and tables come in the order in which the model has them.

    >>> from evoply.evolution import EvolutionConfig
    >>> config_schema(EvolutionConfig)["properties"]["elitism"]["minimum"]
    0
    """
    return model.model_json_schema(schema_generator=_WithMeanings)


class _WithMeanings(GenerateJsonSchema):
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        json_schema = super().model_schema(schema)
        for name, key in json_schema.get("properties", {}).items():
            if text := meaning(schema["cls"], name):
                key["description"] = " ".join(text.split())
        return json_schema

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value


_NAMES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table",
}
_TABLE = "table"
_LARGEST = 2**63  # above all seeds; nobody recognises it when it is written out
_WORDS: dict[str, Callable[[Any], str]] = {
    "between": lambda bounds: f"{bounds[0]:,} to {bounds[1]:,}",
    "seed": lambda bound: f"{bound:,} to 2^63 - 1",
    "minimum": lambda bound: f"{bound:,} or more",
    "exclusiveMinimum": lambda bound: f"above {bound:,}",
    "maximum": lambda bound: f"at most {bound:,}",
    "exclusiveMaximum": lambda bound: f"below {bound:,}",
    "minLength": lambda bound: "not empty" if bound == 1 else f"at least {bound:,} long",
    "maxLength": lambda bound: f"at most {bound:,} long",
}
_WORDS |= {"minItems": _WORDS["minLength"], "maxItems": _WORDS["maxLength"]}


@dataclass(frozen=True, slots=True)
class ConfigKey(JsonData):
    """One key of a config."""

    path: str
    """From the top, as `--set` takes it."""
    type: str
    """What its value is: a text, a whole number, a list of texts, a table, ..."""
    default: Any
    """Its value where a config says nothing, as JSON; None where there is none."""
    is_required: bool = field(metadata={"json": "required"})
    """Whether it must be given where its table is."""
    range: str
    """Which values of the type are allowed, "" for all."""
    meaning: str
    """What it is for, in plain words."""
    has_keys: bool = field(default=False, metadata={"json": ""})
    """Whether its value is made of tables, whose keys have paths of their own."""

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
        """The default as a config writes it, or why there is none; "" if its keys have some."""
        if self.is_required:
            return "must be given"
        if self.default is None:
            return "not set"
        return "" if self.is_single_table else _toml_text(self.default)


@dataclass(frozen=True, slots=True)
class ConfigSection:
    """The keys of one table, or of one kind of it where there are several."""

    path: str
    """The path of the table, "" for the top level."""
    kind: str | None
    """The value of the table's key `kind` that these keys belong to; None if it has one kind."""
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
    sections: list[ConfigSection] = []
    for section in _Reader(config_schema(model)).sections():
        if section not in sections:  # several kinds of a table may have the same tables
            sections.append(section)
    return tuple(sections)


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
    raise ValueError(f"{shorten(text)!r} is not a key of a config{meant}")


def _parts(path: str) -> list[str]:
    """Return the keys of a path without indices of lists."""
    return [part for part in path.split(".") if part and not part.isdecimal()]


class _Reader:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def sections(self) -> Iterator[ConfigSection]:
        """Yield the top level, then each table below its own."""
        return self._sections({**self._schema, "description": ""}, "")

    def _sections(
        self, table: Schema, path: str, kind: str | None = None, usual: Any = None
    ) -> Iterator[ConfigSection]:
        """Yield the section of *table* and those below; *usual* is what the table has by default.

        A table of a *kind* leaves out the key that says so: the section says it.
        """
        keys, below = [], []
        defaults = usual if usual and usual.get("kind") == kind else {}
        for name, schema in table["properties"].items():
            if name == "kind" and kind is not None:
                continue
            full = f"{path}.{name}" if path else name
            tables = self._tables(schema)
            text = schema.get("description") or _meaning(name, tables)
            if not text:
                raise ValueError(
                    f"{table['title']}.{name} has no docstring, so its meaning is missing"
                )
            key = ConfigKey(
                path=full,
                type=self._type(schema),
                default=without_none(defaults.get(name, schema.get("default"))),
                is_required=name in table.get("required", ()),
                range=self._range(schema),
                meaning=" ".join(text.split()),
                has_keys=bool(tables),
            )
            keys.append(key)
            inner, default = (full, key.default) if key.type == _TABLE else (f"{full}.0", None)
            if len(tables) > 1:
                below.append(self._kinds(tables, inner, schema.get("description", ""), default))
            elif tables:
                below.append(self._sections(tables[0], inner, None, default))
        yield ConfigSection(path, kind, table.get("description", ""), tuple(keys))
        yield from chain.from_iterable(below)

    def _kinds(
        self, tables: Sequence[Schema], path: str, about: str, usual: Any
    ) -> Iterator[ConfigSection]:
        """Yield the sections of one of several *tables*, first that of the key that chooses."""
        chooses = ConfigKey(
            path=f"{path}.kind",
            type="text",
            default=usual["kind"] if usual else None,
            is_required=not usual,
            range=_choices(map(_kind, tables)),
            meaning="Which of the kinds this table is; the other keys depend on it.",
        )
        yield ConfigSection(path, None, about, (chooses,))
        for table in tables:
            yield from self._sections(table, path, _kind(table), usual)

    def _values(self, field: Schema) -> list[Schema]:
        """Return the schemas of a value, without null."""
        if "$ref" in field:
            return [self._schema["$defs"][field["$ref"].rpartition("/")[2]]]
        choices = field.get("anyOf") or field.get("oneOf")
        if choices is None:
            return [] if field["type"] == "null" else [field]
        return [value for choice in choices for value in self._values(choice)]

    def _tables(self, field: Schema) -> list[Schema]:
        """Return the schemas of the tables that a value, or an item of it, may be."""
        inner = [
            table
            for value in self._values(field)
            for table in (self._values(value["items"]) if "items" in value else [value])
        ]
        return [table for table in inner if "properties" in table]

    def _type(self, field: Schema) -> str:
        names = (
            f"list of {self._type(value['items'])}s" if "items" in value else _NAMES[value["type"]]
            for value in self._values(field)
        )
        return " or ".join(dict.fromkeys(names))

    def _range(self, field: Schema) -> str:
        facts: Schema = {}
        for value in self._values(field):
            facts |= value
        choices = facts.get("enum") or ([facts["const"]] if "const" in facts else [])
        bounds = {name: facts[name] for name in _WORDS if name in facts}
        if {"minimum", "maximum"} <= set(bounds):
            bounds = {"between": (bounds["minimum"], bounds["maximum"])}
        elif bounds.get("exclusiveMaximum") == _LARGEST:
            bounds = {"seed": bounds["minimum"]}
        limits = [_choices(choices)] if choices else []
        return ", ".join([*limits, *(_WORDS[name](bound) for name, bound in bounds.items())])


def _meaning(name: str, tables: Sequence[Schema]) -> str:
    """Return the meaning of a key without a docstring, "" if it is unknown."""
    if len(tables) == 1:
        return str(tables[0].get("description", "")).split("\n\n")[0]
    if tables:
        return f"One of the kinds {_choices(map(_kind, tables))}."
    return "Which of the kinds this table is." if name == "kind" else ""


def _kind(table: Schema) -> str:
    return str(table["properties"]["kind"]["const"])


def _toml_text(default: Any) -> str:
    """Return a default as TOML in one line."""
    if isinstance(default, dict):
        inner = ", ".join(f"{name} = {_toml_text(value)}" for name, value in default.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(default, list):
        return f"[{', '.join(_toml_text(item) for item in default)}]"
    return json.dumps(default, ensure_ascii=False)


def _choices(choices: Iterable[object]) -> str:
    *others, last = (f'"{choice}"' for choice in choices)
    return f"{', '.join(others)} or {last}" if others else last
