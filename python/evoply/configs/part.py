"""The base of all parts of a config: a part checks its own fields and says what kind it is."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, model_validator

Problem = tuple[str, str]
"""The path of a mistake in a config, such as `fitness.sides`, and what is wrong there."""


class Part(BaseModel):
    """A frozen part of a config: unknown keys, wrong types and infinities are refused.

    A table without `kind` is of the usual kind, as every key that is left out has its default.
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
    return {name: part.__dict__[name] for name in type(part).model_fields}
