"""The contract of clusters: bytes in, bytes out, by a function that every machine has.

A unit of work is a function of a module of evoply's, which every worker imports by its name, and
the bytes that it is given; a pure function of these. So it may be done anywhere, in any order,
twice or again after its worker died, and comes to the same. Who plays, learns or runs experiments
knows this page only; `evoply.cluster` is what stands behind it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evoply.protocols.errors import RunError

UnitFunction = Callable[[bytes], bytes]
"""A function at the top of a module of evoply's; a `ValueError` of it is a message for the user."""
Same = Callable[[bytes], object]
"""What of a result is equal whoever computes it, where that is not all of it, as times are not."""


class ClusterError(RunError):
    """A cluster that is not there, cannot be used, or has failed; says what to do about it."""


class UnitError(ClusterError):
    """A unit cannot be done: *place* is which of the parts it is, *reason* what its worker says."""

    def __init__(self, message: str, place: int, reason: str) -> None:
        super().__init__(message)
        self.place = place
        self.reason = reason


class WrongResultError(ClusterError):
    """A worker's result was wrong, so nothing that it returned can be believed.

    *places* are those of all units in this call that it did and whose results were given out.
    """

    def __init__(self, message: str, worker: str = "", places: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.worker = worker
        self.places = tuple(places)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one unit."""

    place: int
    """Which of the parts it is, from 0."""
    content: bytes
    seconds: float
    """What it took the worker."""
    worker: str
    """Who did it: an address."""


class Cluster(Protocol):
    """Workers on this machine or on others."""

    @property
    def slots(self) -> int:
        """How many units are worked on at a time, now; at least 1."""

    def results(
        self, function: UnitFunction, parts: Iterable[bytes], *, same: Same | None = bytes
    ) -> Iterator[Answer]:
        """Yield *function* of every part, each part once, as they are done, in any order.

        *parts* is asked for the next one when there is room for it. What is lost with a worker is
        done again. Some units are computed twice, by different workers, and compared by *same*;
        with None they are not, because results differ each time.

        Raises `UnitError` for what cannot be done, `WrongResultError` naming the worker if two
        do not agree. Leaving the loop gives up what is still to come.
        """


def packed(header: Mapping[str, Any], *blocks: bytes) -> bytes:
    """Return JSON-ready data and blocks of bytes as one: a line of JSON, and the blocks behind it.

    >>> unpacked(packed({"game": "othello"}, b"one", b"two"))
    ({'game': 'othello'}, [b'one', b'two'])
    """
    line = json.dumps({"header": header, "lengths": [len(block) for block in blocks]})
    return b"".join((line.encode("ascii"), b"\n", *blocks))


def unpacked(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return what `packed` was given; `ValueError` for anything else."""
    line, newline, rest = data.partition(b"\n")
    try:
        told = json.loads(line)
        header, lengths = told["header"], told["lengths"]
        if not isinstance(header, dict) or not newline or sum(lengths) != len(rest):
            raise ValueError("its parts are missing")
        if any(length < 0 for length in lengths):
            raise ValueError("a part has a negative length")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"this is no packed data: {error}") from None
    blocks, at = [], 0
    for length in lengths:
        blocks.append(rest[at : at + length])
        at += length
    return header, blocks
