"""What pydantic finds wrong with a player, in words for users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from evoply.protocols import ConfigError
from evoply.wording import must_be


def problems(error: ValidationError, expected: Any) -> list[tuple[str, str]]:
    """Return path and message of everything that pydantic found wrong with an *expected* type."""
    listed: list[tuple[str, str]] = []
    for one in error.errors(include_url=False, include_input=False):
        path, kinds = _place(one["loc"], expected)
        listed.append((path or "player", _message(one, kinds)))
    return listed


def refusal(error: ValidationError, expected: Any) -> ValueError:
    """Return the error to raise instead: what one field caused itself, else all with paths."""
    details = error.errors(include_url=False, include_input=False)
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and len(details[0]["loc"]) <= 1 and isinstance(cause, ValueError):
        return cause
    return ConfigError(problems(error, expected))


def _message(one: ErrorDetails, kinds: Sequence[str]) -> str:
    context = one.get("ctx", {})
    match one["type"]:
        case "union_tag_not_found":
            return f"kind is missing: it is {' or '.join(kinds)}"
        case "union_tag_invalid":
            return f"kind is {context['tag']!r} and must be one of {context['expected_tags']}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case _:
            return str(context["error"]) if "error" in context else must_be(one)


def _place(location: Sequence[int | str], expected: Any) -> tuple[str, list[str]]:
    """Return a location as the file has it, and the kinds that may stand there.

    Pydantic names the chosen member of a union in the path; the file does not.
    """
    path: list[str] = []
    models = _models(expected)
    for part in location:
        chosen = [model for model in models if _kind(model) == part]
        if len(models) > 1 and chosen:
            models = chosen
            continue
        path.append(str(part))
        if isinstance(part, str):
            fields = [model.model_fields[part] for model in models if part in model.model_fields]
            models = [model for field in fields for model in _models(field.annotation)]
    return ".".join(path), [kind for model in models if (kind := _kind(model)) is not None]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


def _kind(model: type[BaseModel]) -> str | None:
    field = model.model_fields.get("kind")
    return None if field is None else field.default
