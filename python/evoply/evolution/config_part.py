"""What all parts of a config share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Part", "Problem", "fields_of", "part_of"]

Problem = tuple[str, str]
"""Where something is wrong in a config, as a path such as `fitness.sides`, and what."""


def part_of(config: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the part at *key* of a config as it was written, as a mapping; empty if it is none."""
    part = config.get(key, {})
    if isinstance(part, BaseModel):
        return fields_of(part)
    return part if isinstance(part, Mapping) else {}


def fields_of(part: BaseModel) -> dict[str, Any]:
    """Return the values of the fields of *part* by name, as they are."""
    return {name: getattr(part, name) for name in type(part).model_fields}


class Part(BaseModel):
    """A frozen part of a config: unknown keys, wrong types and infinities are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )
