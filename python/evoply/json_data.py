"""JSON-ready data of results, derived from their fields."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, ClassVar


class JsonData:
    """A dataclass whose JSON data has its fields by name, and some of its properties.

    The metadata `json` of a field is another name in JSON, "" for a field that is left out, or "*"
    for one whose own fields stand in its place. `if_any` leaves a field out where it is None,
    `as_text` writes its text, and `from` names a property that is written instead. Keyword-only
    fields, which results share, come last.

    >>> from dataclasses import dataclass, field
    >>> @dataclass
    ... class Score(JsonData):
    ...     also = ("share as percent",)
    ...     points: float = field(metadata={"json": "score"})
    ...     share = property(lambda self: 100 * self.points)
    >>> Score(0.5).to_dict()
    {'score': 0.5, 'percent': 50.0}
    """

    __slots__ = ()
    kind_in_json: ClassVar[Mapping[str, str]] = {}
    """What says in the data what it is, such as {"mode": "elimination"}; it comes first."""
    also: ClassVar[tuple[str, ...]] = ()
    """The properties that the data includes too; "share as accuracy" gives one another name."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; a number that is not finite is None."""
        own: dict[str, Any] = {**self.kind_in_json}
        shared: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.metadata.get("from", field.name))
            key = field.metadata.get("json", field.name)
            if not key or (value is None and "if_any" in field.metadata):
                continue
            if "as_text" in field.metadata:
                value = None if value is None else str(value)
            data = {key: json_ready(value)} if key != "*" else json_ready(value)
            (shared if field.kw_only else own).update(data)
        for entry in self.also:
            name, _, key = entry.partition(" as ")
            own[key or name] = json_ready(getattr(self, name))
        return own | shared


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
        case _ if is_dataclass(value):
            return {field.name: json_ready(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value
