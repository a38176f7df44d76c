"""What pydantic finds wrong with a player, in words for users."""

from __future__ import annotations

from pydantic import ValidationError

from evoply.protocols import ConfigError

_KINDS = frozenset({"random", "after_state", "alpha_beta", "tree", "expression"})


def problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return path and message of everything that pydantic found wrong."""
    found: list[tuple[str, str]] = []
    for one in error.errors(include_url=False, include_input=False):
        # Pydantic names the chosen member of a union in the path; the file does not.
        path = ".".join(str(part) for part in one["loc"] if part not in _KINDS)
        cause = one.get("ctx", {}).get("error")
        found.append((path or "player", str(cause) if cause is not None else one["msg"]))
    return found


def refusal(error: ValidationError) -> ValueError:
    """Return the error to raise instead: what one field caused itself, else all with paths."""
    details = error.errors(include_url=False, include_input=False)
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and len(details[0]["loc"]) <= 1 and isinstance(cause, ValueError):
        return cause
    return ConfigError(problems(error))
