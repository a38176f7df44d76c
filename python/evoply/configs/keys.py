"""Nested keys of TOML: read from a text, and changed one by one.

The models of configs say which keys exist, and check the result.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from evoply.protocols import ConfigError

MOST_LEVELS = 100
"""Tables and lists that may stand within one another; what writes a config has its own limits."""


_TOO_DEEP = "is nested too deeply: use fewer brackets inside one another"


def read_toml(text: str, name: str) -> dict[str, Any]:
    """Return the keys of a TOML *text*; a `ConfigError` calls the text *name*."""
    try:
        # Some editors begin a file with a byte order mark, which UTF-8 does not need.
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:  # ValueError also for a number of 5,000 digits
        raise ConfigError([(name, f"is not valid TOML: {error}")]) from None


def with_settings(
    data: Mapping[str, Any], settings: Mapping[str, Any], whole: str = ""
) -> dict[str, Any]:
    """Return *data* with *settings*: a mapping changes those keys of a table that it names.

    A mapping that chooses another kind of table, or whose key is *whole*, replaces what was
    there, as every other value does.
    """
    changed = dict(data)
    for key, value in settings.items():
        before = changed.get(key)
        if key != whole and isinstance(value, Mapping) and isinstance(before, Mapping):
            is_other = value.get("kind", before.get("kind")) != before.get("kind")
            changed[key] = dict(value) if is_other else with_settings(before, value, whole)
        else:
            changed[key] = value
    return changed


def overridden(
    data: dict[str, Any], overrides: Iterable[str | tuple[str, Any]]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return a changed copy of *data*, and path and message of what could not be applied.

    An override is a text `path=value`, or a path and its value as JSON; None removes a key.
    """
    try:
        changed: dict[str, Any] = json.loads(json.dumps(data, default=str))
    except RecursionError:
        raise ConfigError(too_deep(data)) from None
    errors = []
    for override in overrides:
        if isinstance(override, tuple):
            path, value = override
        else:
            path, equals, text = override.partition("=")
            path, value = path.strip().replace("-", "_"), _value(text.strip())
            if not equals or not path:
                errors.append((override, "is not of the form path=value"))
                continue
        tried = deepcopy(changed)  # a failure half way must leave nothing behind
        try:
            _set(tried, path.split("."), value)
            changed = tried
        except (LookupError, ValueError, TypeError):
            errors.append((path, "leads to no place in the config"))
    return changed, errors


def too_deep(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return path and message of the keys of *data* with more than `MOST_LEVELS` levels."""
    return [(key, _TOO_DEEP) for key, value in data.items() if _has_more_levels(value)]


def _has_more_levels(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS):
        if not level:
            return False
        tables = [inner.values() for inner in level if isinstance(inner, Mapping)]
        lists = [inner for inner in level if isinstance(inner, list | tuple)]
        level = [inner for outer in (*tables, *lists) for inner in outer]
    return bool(level)


def _set(container: Any, keys: list[str], value: Any) -> None:
    *parents, last = keys
    for key in parents:
        place = _place(container, key)
        if isinstance(container, dict) and container.get(key) is None:
            container[key] = {}
        container = container[place]
    place = _place(container, last)
    if isinstance(container, dict) and value is None:
        container.pop(last, None)
    else:
        container[place] = value


def _place(container: Any, key: str) -> int | str:
    if not isinstance(container, dict | list):
        raise TypeError("a single value has no keys")
    return int(key) if isinstance(container, list) else key


def _value(text: str) -> Any:
    if text.lower() == "none":
        return None
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if len(read) == 1 else text


def without_none(data: Any, kept: str = "") -> Any:
    """Return nested *data* without keys whose value is None, which TOML cannot write.

    The value of the key *kept* stays as it is.
    """
    if isinstance(data, dict):
        return {
            key: value if key == kept else without_none(value, kept)
            for key, value in data.items()
            if value is not None
        }
    return [without_none(value, kept) for value in data] if isinstance(data, list | tuple) else data
