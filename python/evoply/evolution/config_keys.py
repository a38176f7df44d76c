"""The keys of a config by their paths, and which of them somebody may have meant.

A path is a tuple of keys from the top; a place in a list is written "0", whichever it is. This
module reads models and knows none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel

from evoply.wording import did_you_mean

__all__ = ["has_key", "kinds_at", "meant_instead", "without_tags"]

_MOST_OFFERED = 3

Path = tuple[str, ...]


def meant_instead(path: Sequence[str], model: type[BaseModel]) -> str:
    """Return "; did you mean ...?" for the unknown key at the end of *path*, "" for no idea.

    A key that stands elsewhere by this name comes first, then a near name at this place, then a
    near name elsewhere. A key elsewhere is offered with its full path.
    """
    *parents, name = ("0" if part.isdecimal() else part for part in path)
    place = tuple(parents)
    known = list(dict.fromkeys(_paths(model)))
    same = [one for one in known if one[-1] == name]
    if same:
        return _offer(same)
    here = did_you_mean(name, [one[-1] for one in known if one[:-1] == place])
    if here:
        return here
    near = get_close_matches(name[:100], {one[-1] for one in known}, n=1)
    return _offer([one for one in known if one[-1] in near])


def has_key(path: str, model: type[BaseModel]) -> bool:
    """Return whether some config has a key at *path*, such as "selection.size"."""
    return tuple(path.split(".")) in _paths(model)


def kinds_at(path: Sequence[str], model: type[BaseModel]) -> list[str]:
    """Return the values of `kind` that choose between the parts allowed at *path*."""
    kinds = [part.model_fields.get("kind") for part in _models_at(path, model)]
    return [kind.default for kind in kinds if kind is not None]


def without_tags(location: Sequence[str], model: type[BaseModel]) -> list[str]:
    """Return where an error is as the keys of the file.

    What chooses between parts is written by the checker of models as a key, and is none.
    """
    path: list[str] = []
    models: list[type[BaseModel]] = [model]
    for key in location:
        chosen = [one for one in models if "kind" in one.model_fields and _kind_of(one) == key]
        if len(models) > 1 and chosen:
            models = chosen
            continue
        path.append(key)
        if not key.isdecimal():
            models = _models_at(path, model)
    return path


def _kind_of(model: type[BaseModel]) -> Any:
    return model.model_fields["kind"].default


def _models_at(path: Sequence[str], model: type[BaseModel]) -> list[type[BaseModel]]:
    models = [model]
    for key in path:
        if key.isdecimal():
            continue
        fields = [one.model_fields[key] for one in models if key in one.model_fields]
        models = [part for field in fields for part, _ in _parts(field.annotation)]
    return models


def _offer(paths: Sequence[Path]) -> str:
    if not paths:
        return ""
    texts = [
        repr(".".join(path)) + (" at the top, before all tables" if len(path) == 1 else "")
        for path in paths[:_MOST_OFFERED]
    ]
    return f"; did you mean {' or '.join(texts)}?"


def _paths(model: type[BaseModel], before: Path = ()) -> Iterator[Path]:
    for name, field in model.model_fields.items():
        yield (*before, name)
        for part, is_listed in _parts(field.annotation):
            yield from _paths(part, (*before, name, "0") if is_listed else (*before, name))


def _parts(annotation: Any, *, is_listed: bool = False) -> Iterator[tuple[type[BaseModel], bool]]:
    """Yield the models within a type, and whether they are items of a tuple there."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_listed
        return
    arguments = get_args(annotation)
    for argument in arguments:
        yield from _parts(argument, is_listed=is_listed or arguments[-1:] == (...,))
