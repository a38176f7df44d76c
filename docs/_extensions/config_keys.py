"""The keys of a config as Markdown tables, read from the models themselves."""

from __future__ import annotations

import inspect
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from evoply.evolution import EvolutionConfig
from markdown import code, table
from pydantic import BaseModel
from pydantic.fields import FieldInfo

_NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", dict: "table"}
_SIGNS = {Ge: ("ge", ">="), Gt: ("gt", ">"), Le: ("le", "<="), Lt: ("lt", "<")}


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
            rows.append([code(name), _part_type(field, inner), "", field.description or ""])
        else:
            rows.append([code(name), _type(field), _default(field), field.description or ""])
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


def _type(field: FieldInfo) -> str:
    limits = []
    for limit in field.metadata:
        for kind, (name, sign) in _SIGNS.items():
            if isinstance(limit, kind):
                limits.append(f"{sign} {getattr(limit, name):,}")
        if isinstance(limit, MaxLen):
            limits.append(f"at most {limit.max_length:,} long")
        if isinstance(limit, MinLen):
            limits.append(f"at least {limit.min_length:,} long")
    return ", ".join([_annotation(field.annotation), *limits])


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
    return code(f"{field.default}")
