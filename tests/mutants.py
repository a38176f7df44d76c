"""Nested data that somebody changed: values of other types, keys too many, too few, elsewhere."""

import datetime
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import tomli_w

from evoply import Stream

Key = str | int
_DEEP = {f"deep {levels}": "[" * levels + "]" * levels for levels in (60, 400, 5000)}
"""Texts that stand for lists deeper than Python can copy or write."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 10**30, -(2**63), 2**31, 1.5, -0.0, 1e308),
    *(float("inf"), float("nan"), datetime.date(2026, 1, 1), datetime.time(1)),
    *("", "x", "none", "1", "python:x", "\x00", "\ud800", "é" * 50, "a" * 5000, "../x", "othello"),
    *([], [[]], [{}], [None], [1, 2], ["x", "x"], list(range(2000)), ["x"] * 2000),
    *({}, {"": 1}, {"kind": []}, {"kind": {}}, {"kind": "x"}, {"x": {"x": [1]}}, {"random": 1}),
    *_DEEP,
)


def mutants(data: Any, name: str, count: int, seed: int) -> Iterator[Any]:
    """Yield *count* changed copies of nested *data*, each with one change or two."""
    draws = Stream(seed, f"mutants of {name}")
    for _ in range(count):
        changed = deepcopy(data)
        for _ in range(1 + draws.below(4) // 3):
            _change(changed, draws)
        yield changed


def json_text(data: Any) -> str:
    """Return a mutant as JSON."""
    text = json.dumps(data, default=str)
    for name, deep in _DEEP.items():
        text = text.replace(f'"{name}"', deep)
    return text


def toml_text(data: Any) -> str:
    """Return a mutant as TOML, which knows neither None nor characters that are none."""
    text = tomli_w.dumps(_without_none(data))
    for name, deep in _DEEP.items():
        text = text.replace(f'"{name}"', deep)
    return text.replace("\ud800", "?")


def _change(data: Any, draws: Stream) -> None:
    places = list(_places(data))
    if not places:
        return
    # What stands near the top is as likely as the many values below.
    most = 1 + draws.below(max(map(len, places)))
    near = [place for place in places if len(place) <= most]
    *parents, key = near[draws.below(len(near))]
    parent = data
    for step in parents:
        parent = parent[step]
    changes: list[Callable[[], object]] = [
        *[lambda: parent.__setitem__(key, _odd(draws))] * 6,
        lambda: parent.__delitem__(key),
        lambda: parent.__setitem__(key, _at(data, places[draws.below(len(places))])),
        lambda: parent.__setitem__(key, [parent[key]]),
        lambda: _add(parent, key, draws),
    ]
    changes[draws.below(len(changes))]()


def _add(parent: Any, key: Key, draws: Stream) -> None:
    if isinstance(parent, dict):
        parent[("kind", "learner", f"{key}x")[draws.below(3)]] = _odd(draws)
    else:
        parent.extend(deepcopy(parent[key]) for _ in range(1 + draws.below(50)))


def _odd(draws: Stream) -> Any:
    return deepcopy(ODD[draws.below(len(ODD))])


def _at(data: Any, place: tuple[Key, ...]) -> Any:
    for step in place:
        data = data[step]
    return deepcopy(data)


def _places(data: Any, before: tuple[Key, ...] = ()) -> Iterator[tuple[Key, ...]]:
    """Yield the places of values in nested *data*, as keys and indices; of long lists some."""
    is_list = isinstance(data, list)
    items = data.items() if isinstance(data, dict) else enumerate(data[:20]) if is_list else ()
    for key, value in items:
        yield (*before, key)
        yield from _places(value, (*before, key))


def _without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _without_none(value) for key, value in data.items() if value is not None}
    if isinstance(data, list):
        return [_without_none(value) for value in data if value is not None]
    return data
