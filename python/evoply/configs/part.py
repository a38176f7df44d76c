"""What all parts of a config share, and what of a config that is partly wrong can still be read.

A part checks its own fields. What depends on several parts is checked afterwards, on values that
are right: `readable` gives what is right of a config, and a check that asks it for anything else
ends (`WrongPartError`), because that was reported already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

__all__ = [
    "Part",
    "Problem",
    "WrongPartError",
    "fields_of",
    "kind_of",
    "parts_in",
    "readable",
]

Problem = tuple[str, str]
"""Where something is wrong in a config, as a path such as `fitness.sides`, and what."""


class WrongPartError(Exception):
    """A check asked for a key that is wrong itself: there is nothing to be said about it."""


class Part(BaseModel):
    """A frozen part of a config: unknown keys, wrong types and infinities are refused.

    A table that does not say its `kind` is of the usual one, as every key that is left out has its
    default.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _of_the_usual_kind(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        tables = {
            name: {"kind": usual, **data[name]}
            for name, field in cls.model_fields.items()
            if isinstance(data.get(name), Mapping)
            and "kind" not in data[name]
            and isinstance(field.default, BaseModel)
            and (usual := kind_of(type(field.default))) is not None
        }
        return {**data, **tables}

    if not TYPE_CHECKING:  # every field is there but in what `readable` gives

        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields:
                raise WrongPartError(name)
            return super().__getattr__(name)


_Part = TypeVar("_Part", bound=Part)


def readable(model: type[_Part], data: Any) -> _Part:
    """Return what is right of *data* as a *model*; it lacks the keys that are wrong.

    It lacks all of them where the keys are right and do not go together.
    """
    if not isinstance(data, Mapping):
        with suppress(ValidationError):
            return model.model_validate(data)
        data = {}
    part = model.model_construct()
    right = {key: value for key, value in data.items() if key in model.model_fields}
    try:
        BaseModel.__init__(part, **right)  # not the model's own, which may check more
        return part
    except ValidationError as error:
        wrong = {str(item["loc"][0]) for item in error.errors() if item["loc"]}
    try:
        BaseModel.__init__(part, **{key: right[key] for key in right if key not in wrong})
    except ValidationError:
        wrong = set(model.model_fields)
    for key in wrong & set(model.model_fields):
        part.__dict__.pop(key, None)
        inner = _inside(model.model_fields[key].annotation, right.get(key))
        if inner is not None:
            part.__dict__[key] = inner
    return part


def _inside(annotation: Any, value: Any) -> Any:
    """Return what is right of a *value* that should be a part, or a list of parts, else None."""
    parts = list(parts_in(annotation))
    if parts and parts[0][1] and isinstance(value, list | tuple):
        return tuple(_one_of([part for part, _ in parts], one) for one in value)
    return _one_of([part for part, _ in parts], value) if isinstance(value, Mapping) else None


def _one_of(models: list[type[Part]], value: Any) -> Part | None:
    kind = value.get("kind") if isinstance(value, Mapping) else None
    meant = [one for one in models if len(models) == 1 or kind_of(one) == kind]
    return readable(meant[0], value) if meant else None


def parts_in(annotation: Any, *, is_listed: bool = False) -> Iterator[tuple[type[Any], bool]]:
    """Yield the parts within a type, in order, and whether they are items of a tuple there."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_listed
        return
    arguments = get_args(annotation)
    for argument in arguments:
        yield from parts_in(argument, is_listed=is_listed or arguments[-1:] == (...,))


def kind_of(model: type[BaseModel]) -> str | None:
    """Return the value of `kind` that chooses *model* among several parts; None if none does."""
    field = model.model_fields.get("kind")
    return None if field is None else str(field.default)


def fields_of(part: BaseModel) -> dict[str, Any]:
    """Return the values of the fields of *part* by name, as they are."""
    return {name: part.__dict__[name] for name in type(part).model_fields if name in part.__dict__}
