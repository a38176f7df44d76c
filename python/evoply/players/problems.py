"""What pydantic finds wrong with a player, in words for users."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evoply.protocols import ConfigError

_PLAYERS = ("random", "after_state", "alpha_beta", "staged", "random_start", "bot")
_EVALUATORS = ("tree", "expression")
_KINDS = frozenset({*_PLAYERS, *_EVALUATORS})


def problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return path and message of everything that pydantic found wrong."""
    found: list[tuple[str, str]] = []
    for one in error.errors(include_url=False, include_input=False):
        # Pydantic names the chosen member of a union in the path; the file does not.
        path = ".".join(str(part) for part in one["loc"] if part not in _KINDS)
        found.append((path or "player", _message(one)))
    return found


def _message(one: ErrorDetails) -> str:
    context = one.get("ctx", {})
    match one["type"]:
        case "union_tag_not_found":
            kinds = _EVALUATORS if one["loc"][-1:] == ("evaluator",) else _PLAYERS
            return f"kind is missing: it is {' or '.join(kinds)}"
        case "union_tag_invalid":
            return f"kind is {context['tag']!r} and must be one of {context['expected_tags']}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case _:
            return str(context["error"]) if "error" in context else one["msg"]


def refusal(error: ValidationError) -> ValueError:
    """Return the error to raise instead: what one field caused itself, else all with paths."""
    details = error.errors(include_url=False, include_input=False)
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and len(details[0]["loc"]) <= 1 and isinstance(cause, ValueError):
        return cause
    return ConfigError(problems(error))
