"""Pydantic's errors about players, worded for users."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evoply.configs.config_errors import place_of
from evoply.configs.part import kind_of, parts_in
from evoply.protocols import ConfigError
from evoply.wording import must_be


def problems(error: ValidationError, expected: Any) -> list[tuple[str, str]]:
    """Return path and message of everything that pydantic found wrong with an *expected* type."""
    models = [model for model, _ in parts_in(expected)]
    listed: list[tuple[str, str]] = []
    for detail in error.errors(include_url=False, include_input=False):
        path, inner = place_of(detail["loc"], models)
        kinds = [kind for model in inner if (kind := kind_of(model)) is not None]
        listed.append((".".join(path) or "player", _message(detail, kinds)))
    return listed


def refusal(error: ValidationError, expected: Any) -> ValueError:
    """Return the error to raise: that of the field itself if it is the only one, else all."""
    details = error.errors(include_url=False, include_input=False)
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and len(details[0]["loc"]) <= 1 and isinstance(cause, ValueError):
        return cause
    return ConfigError(problems(error, expected))


def _message(detail: ErrorDetails, kinds: Sequence[str]) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "union_tag_not_found":
            return f"kind is missing: it is {' or '.join(kinds)}"
        case "union_tag_invalid":
            return f"kind is {context['tag']!r} and must be one of {context['expected_tags']}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case _:
            return str(context["error"]) if "error" in context else must_be(detail)
