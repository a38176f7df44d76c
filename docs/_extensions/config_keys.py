"""The keys of a config as Markdown tables, read from the models themselves."""

from __future__ import annotations

import inspect
import json
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen
from markdown import code, table
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evoply.evolution import EvolutionConfig

_NAMES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "table",
    tuple: "list of texts",
}
_SIGNS = {Ge: ("ge", "≥"), Gt: ("gt", ">"), Le: ("le", "≤"), Lt: ("lt", "<")}


def config_keys(_: str, __: list[str]) -> str:
    """Return one table for the top level and one for each part below it."""
    sections: list[str] = []
    _section(EvolutionConfig, "", sections)
    return "\n\n".join(sections)


def _section(model: type[BaseModel], path: str, sections: list[str]) -> None:
    rows, below = [], []
    for name, field in model.model_fields.items():
        inner = f"{path}.{name}" if path else name
        parts = _parts(field.annotation)
        if parts:
            below += [(part, inner) for part in parts]
            rows.append([code(name), _part_type(field, inner), _parts_default(field)])
        else:
            rows.append([code(name), _type(field), _default(field)])
        rows[-1].append(_meaning(model, name, parts))
    title = f"### `{_bracketed(model, path)}`" if path else "### Top level"
    about = "" if not path else inspect.cleandoc(model.__doc__ or "")
    sections.append(f"{title}\n\n{about}\n\n{table(['key', 'type', 'default', 'meaning'], rows)}")
    for part, inner in below:
        _section(part, inner, sections)


def _bracketed(model: type[BaseModel], path: str) -> str:
    kind = model.model_fields.get("kind")
    chosen = f' kind = "{kind.default}"' if kind is not None else ""
    return f"[{path}]{chosen}"


def _parts(annotation: Any) -> list[type[BaseModel]]:
    """Return the models inside an annotation, in order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [part for inner in get_args(annotation) for part in _parts(inner)]


def _part_type(field: FieldInfo, path: str) -> str:
    kind = "list of tables" if get_origin(field.annotation) is tuple else "table"
    return f"{kind} `[{path}]`"


def _parts_default(field: FieldInfo) -> str:
    """Return the default of a list of tables; a single table has those of its keys."""
    if not isinstance(field.default, tuple):
        return "none" if field.default is None else ""
    tables = [
        ", ".join(f"{name} = {json.dumps(value)}" for name, value in one if value is not None)
        for one in field.default
    ]
    return code(f"[{', '.join(f'{{ {one} }}' for one in tables)}]")


def _meaning(model: type[BaseModel], name: str, parts: list[type[BaseModel]]) -> str:
    """Return what a key means; a part, or what chooses one, is explained below the table."""
    described = model.model_fields[name].description
    if described or parts:
        return described or "see below"
    if name == "kind":
        return "which of the kinds this table is"
    raise ValueError(f"{model.__name__}.{name} has no docstring, so its meaning is missing")


def _type(field: FieldInfo) -> str:
    limits = [_limit(limit) for limit in field.metadata]
    return ", ".join([_annotation(field.annotation), *(text for text in limits if text)])


def _limit(limit: object) -> str:
    if isinstance(limit, MaxLen):
        return f"at most {limit.max_length:,} long"
    for kind, (name, sign) in _SIGNS.items():
        if isinstance(limit, kind):
            bound = getattr(limit, name)
            return f"{sign} 2^63" if bound == 2**63 else f"{sign} {bound:,}"
    return ""


def _annotation(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _annotation(get_args(annotation)[0])
    if origin is Literal:
        return " or ".join(code(f'"{choice}"') for choice in get_args(annotation))
    if origin in (Union, types.UnionType):
        return " or ".join(
            _annotation(one) for one in get_args(annotation) if one is not types.NoneType
        )
    return _NAMES[origin or annotation]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    if field.default is None:
        return "none"
    if isinstance(field.default, bool):
        return code(str(field.default).lower())
    if isinstance(field.default, str):
        return code(f'"{field.default}"')
    if field.default == ():
        return code("[]")
    return code(f"{field.default}")
