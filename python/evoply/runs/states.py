"""The data of a step as `run.db` keeps it: a few fields as text, and all others compressed.

A field that grows from step to step, such as an archive, is kept as what each step added. If every
step held all of it, a long run would hold little else.
"""

import json
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_ADDED = "added"


_LEAST, _TIMES = 2**25, 100
"""What a state may take when it is unzipped: bytes, or times its length if that is more."""


_LEAST_VALUES, _VALUES = 2**19, 4
"""The same of its values, of which one may take 80 bytes of memory for two of text."""


def zipped(data: Any) -> bytes:
    """Return JSON-ready *data* compressed; `ValueError` or `TypeError` if it is not ready.

    What shrinks so much that it would look like an attack is only wrapped.
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
    state = zlib.compress(text)
    fits = len(text) <= _most(state) and _values(text) <= _most_values(state)
    return state if fits else zlib.compress(text, 0)


def unzipped(state: bytes) -> str:
    """Return the JSON text in *state*; `ValueError` if it has none, or is made to fill memory."""
    opened = zlib.decompressobj()
    try:
        text = opened.decompress(state, _most(state))
    except (zlib.error, TypeError) as error:
        raise ValueError(f"a state cannot be unzipped ({error})") from None
    if not opened.eof or _values(text) > _most_values(state):
        raise ValueError("a state is cut off, or larger than any that evoply writes")
    return text.decode()


def _most(state: bytes) -> int:
    return max(_LEAST, _TIMES * len(state))


def _values(text: bytes) -> int:
    """Return about how many values JSON has; commas in its texts count, too."""
    return sum(map(text.count, (b",", b"[", b"{")))


def _most_values(state: bytes) -> int:
    return max(_LEAST_VALUES, _VALUES * len(state))


def read_json(text: str | bytes) -> Any:
    """Return the data in *text*; `ValueError` if it is no JSON, or a number in it is not finite.

    Evoply writes no such number, and few places that show one expect it.
    """
    return json.loads(text, parse_float=_finite, parse_constant=_finite)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def parted(
    data: Any, beside: Iterable[str], grows: tuple[str, ...], before: Mapping[str, Any]
) -> tuple[dict[str, Any], Any]:
    """Return the fields of a step's *data* that stand *beside* its state, and all others.

    Of the lists at the paths in *grows* the first has what was added; *before* are these fields of
    the step before.
    """
    fields = {name: data.pop(name) for name in beside}
    added = {}
    for path, items in _growing(data, grows):
        count, last = before.get(_ADDED, {}).get(path, (0, ()))
        begin = count + len(last)
        added[path] = begin, items[begin:]
        items.clear()
    return ({**fields, _ADDED: added} if grows else fields), data


def joined(fields: list[Mapping[str, Any]], data: Any, grows: tuple[str, ...]) -> Any:
    """Return the data that `parted` was given; *fields* are those of this and all earlier steps.

    Raises errors of damaged data.
    """
    if not fields[-1]:
        return data
    for path, items in _growing(data, grows):
        for count, added in (each[_ADDED][path] for each in fields):
            if count != len(items):
                raise ValueError(f"{path} has gaps")
            items += added
    last = fields[-1]
    return {**data, **{name: value for name, value in last.items() if name != _ADDED}}


def _growing(data: Any, paths: tuple[str, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists in *data* at *paths*, in which * is every place, each with its own path."""
    for path in paths:
        first, *rest = path.split(".")
        found = [(first, data[first])]
        for name in rest:
            found = [
                (f"{where}.{key}", inner[key])
                for where, inner in found
                for key in (range(len(inner)) if name == "*" else (name,))
            ]
        yield from found
