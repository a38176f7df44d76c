"""What a row of a comparison of kernels is, and the lines in which a side is asked for one.

**The protocol.** A side of `against.py` is a program. Each line of its standard input is the name
of a row; for each it prints one line, a JSON object: `amount` and `seconds` of the work, `answer`,
a whole number that is the same for every kernel that did the same, and `ratio`, a number or null.
Where the row is not there or cannot be done, the object has only `error`, a sentence. The program
ends with its input. Names of rows, their work and these lines stay as they are, so that any commit
can be compared with any later one.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """What was done once: *amount* in *seconds*.

    *answer* is the same for every kernel that did the same. *ratio* compares with another way of
    this kernel, in a row that says something by itself.
    """

    amount: float
    seconds: float
    answer: int
    ratio: float | None = None


@dataclass(frozen=True)
class Row:
    """One line of a comparison: the unit of its amount per second, and what its ratio means."""

    unit: str
    work: Callable[[], Work]
    beside: str = ""


def answer_of(parts: Iterable[Any]) -> int:
    """Return one number for what was found: the same for the same bits, in 48 bits.

    Arrays count with their bytes, everything else with its text, which gives every bit of a float.
    """
    summed = hashlib.sha256()
    for part in parts:
        if hasattr(part, "tobytes"):
            summed.update(part.tobytes())
        elif isinstance(part, list | tuple) and any(hasattr(one, "tobytes") for one in part):
            summed.update(b"%d" % answer_of(part))  # an array's own text leaves out much of it
        else:
            summed.update(repr(part).encode())
        summed.update(b"\n")
    return int.from_bytes(summed.digest()[:6])


def serve(rows: Mapping[str, Row]) -> None:
    """Do the rows that standard input asks for, once for each line."""
    for line in sys.stdin:
        print(json.dumps(_done(rows, line.strip())), flush=True)


def _done(rows: Mapping[str, Row], name: str) -> dict[str, Any]:
    if name not in rows:
        return {"error": f"no row is called {name}"}
    try:
        return asdict(rows[name].work())
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        return {"error": f"{error}"}
