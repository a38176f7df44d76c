"""JSON-ready data of results, derived from their fields."""

import math
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, ClassVar


class JsonData:
    """A frozen dataclass whose JSON data has its fields by name, and some of its properties.

    The metadata `json` of a field is another name in JSON, or "" for a field that is left out;
    `if_any` leaves it out where it is None. Keyword-only fields, which results share, come last.
    """

    __slots__ = ()
    also: ClassVar[tuple[str, ...]] = ()
    """The properties that the data includes too."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; a number that is not finite is None."""
        own: dict[str, Any] = {}
        shared: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value, key = getattr(self, field.name), field.metadata.get("json", field.name)
            if key and not (value is None and "if_any" in field.metadata):
                (shared if field.kw_only else own)[key] = json_ready(value)
        return own | {name: json_ready(getattr(self, name)) for name in self.also} | shared


def json_ready(value: Any) -> Any:
    """Return *value*, the value of a field of `JsonData`, as JSON-ready data."""
    match value:
        case JsonData():
            return value.to_dict()
        case Enum():
            return value.value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {key: json_ready(item) for key, item in value.items()}
        case tuple() | list():
            return [json_ready(item) for item in value]
        case _:
            return value
