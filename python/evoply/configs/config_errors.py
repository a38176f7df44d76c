"""Errors that pydantic finds in a config, in words for users, with suggestions for unknown keys.

Paths are the keys of the file; every index in a list is written "0" where keys are compared. This
module reads models and knows none by name.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, create_model

from evoply.configs.part import Problem, kind_of, parts_in
from evoply.wording import did_you_mean, must_be

_MOST_OFFERED = 3
_MOST_EXPLAINED = 50
"""The most errors that get a suggestion; finding one takes a while."""

Path = tuple[str, ...]
_Checked = TypeVar("_Checked")


def checked(
    read: Callable[[], _Checked], refusal: Callable[[ValidationError], ValueError]
) -> _Checked:
    """Return what *read* returns; if pydantic refuses it, raise what *refusal* makes of its error.

    The raised error may be one that pydantic's holds.
    """
    try:
        return read()
    except ValidationError as error:
        refused = refusal(error)
    # Raised within `except`, it would hold pydantic's error as its context. That one takes no part
    # in garbage collection: where it also holds the raised one, neither would ever be freed.
    try:
        raise refused
    finally:
        del refused  # or its traceback would hold it until the next collection


def explained(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Return path and message of everything that pydantic found wrong with a *model*."""
    items = error.errors(include_url=False)
    return [
        *(problem for item in items[:_MOST_EXPLAINED] for problem in _problems(item, model)),
        *(_briefly(item) for item in items[_MOST_EXPLAINED:]),
    ]


def _briefly(item: Mapping[str, Any]) -> Problem:
    path = ".".join(str(part) for part in item["loc"])
    return path, must_be(item)


def _problems(item: Mapping[str, Any], model: type[BaseModel]) -> Iterator[Problem]:
    """Yield what is wrong; of a table with a mistyped name also what is wrong in it."""
    yield _readable(item, model)
    written = item.get("input")
    if item["type"] != "extra_forbidden" or not isinstance(written, dict | list):
        return
    path, _ = place_of(item["loc"], [model])
    *above, name = path
    for part in place_of(item["loc"][:-1], [model])[1] if above else [model]:
        near = get_close_matches(name[:100], part.model_fields, n=1)
        if near:
            field = part.model_fields[near[0]]
            known: dict[str, Any] = {near[0]: (field.annotation, field)}
            meant = create_model("Meant", **known)
            try:
                meant.model_validate({near[0]: written})
            except ValidationError as error:
                for place, message in explained(error, meant):
                    yield ".".join([*path, *place.split(".")[1:]]), message
            return


def _readable(item: Mapping[str, Any], model: type[BaseModel]) -> Problem:
    tagged = item["loc"]
    location, models = place_of(tagged, [model])
    path, value = ".".join(location), item.get("input")
    match item["type"]:
        case "extra_forbidden":
            if len(location) < len(tagged) and has_key(path, model):
                # The tag stands before the key, which is the last.
                return path, f"is not a key of kind = {tagged[-2]!r}"
            return path, f"unknown key{meant_instead(location, model)}"
        case "union_tag_invalid" | "union_tag_not_found":
            kinds = [str(kind_of(part)) for part in models]
            listed = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
            if item["type"] == "union_tag_not_found":
                return f"{path}.kind", f"is missing: it must be {listed}"
            tag = str(item["ctx"]["tag"])
            return f"{path}.kind", f"must be {listed}, not {tag!r}{did_you_mean(tag, kinds)}"
    message = must_be(item)
    is_short = len(repr(value)) <= 60 and not isinstance(value, dict | list | BaseModel)
    if not is_short or (item["type"] == "value_error" and not message.startswith("must")):
        return path, message
    choices = re.findall(r"'(.*?)'", message) if item["type"] == "literal_error" else []
    hint = did_you_mean(value, choices) if choices and isinstance(value, str) else ""
    return path, f"{message}, not {value!r}{hint}"


def meant_instead(path: Sequence[str], model: type[BaseModel]) -> str:
    """Return "; did you mean ...?" for the unknown key at the end of *path*, "" for none.

    A key of this name elsewhere comes first, then a near name in this table, then a near name
    elsewhere. A key elsewhere is offered with its full path.
    """
    *parents, name = ("0" if part.isdecimal() else part for part in path)
    before = tuple(parents)
    known = list(dict.fromkeys(_paths(model)))
    same = [candidate for candidate in known if candidate[-1] == name]
    if same:
        return _offer(same)
    here = did_you_mean(name, [candidate[-1] for candidate in known if candidate[:-1] == before])
    if here:
        return here
    near = get_close_matches(name[:100], {candidate[-1] for candidate in known}, n=1)
    return _offer([candidate for candidate in known if candidate[-1] in near])


def has_key(path: str, model: type[BaseModel]) -> bool:
    """Return whether some config has a key at *path*, such as "selection.size"."""
    return tuple(path.split(".")) in _paths(model)


def place_of(
    location: Sequence[int | str], models: Sequence[type[BaseModel]]
) -> tuple[list[str], list[type[BaseModel]]]:
    """Return the keys that lead to an error in one of *models*, and the models that fit there.

    Pydantic's location also has the kind of each part that it chose, which is not a key.
    """
    path: list[str] = []
    inner = list(models)
    for key in map(str, location):
        chosen = [part for part in inner if kind_of(part) == key]
        if len(inner) > 1 and chosen:
            inner = chosen
            continue
        path.append(key)
        if not key.isdecimal():
            fields = [part.model_fields[key] for part in inner if key in part.model_fields]
            inner = [part for field in fields for part, _ in parts_in(field.annotation)]
    return path, inner


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
        for part, is_listed in parts_in(field.annotation):
            yield from _paths(part, (*before, name, "0") if is_listed else (*before, name))
