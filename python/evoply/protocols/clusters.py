"""The contract of clusters: every machine has the same functions from bytes to bytes.

A unit of work is a function in one of evoply's modules, which every worker imports by its name, and
the bytes to apply it to. The function is pure, so a unit gives the same result anywhere, in any
order, twice, or again after its worker died. Code that plays, learns or runs experiments knows only
this module; `evoply.cluster` implements it.

Reasons: docs/design/cluster.md.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evoply.protocols.errors import MALFORMED, RunError

UnitFunction = Callable[[bytes], bytes]
"""A function at the top level of one of evoply's modules; its `ValueError` tells the user why."""
CHECK_SHARE = 0.01
"""The share of the units that a second worker computes too, unless another one is given."""
Same = Callable[[bytes], object]
"""Returns the part of a result that every worker must compute alike, so without times."""


class ClusterError(RunError):
    """A cluster is missing, cannot be used, or has failed; the message says what to do about it."""


class UnitError(ClusterError):
    """A unit cannot be done: *place* is the index of its part, *reason* what its worker says."""

    def __init__(self, message: str, place: int, reason: str) -> None:
        super().__init__(message)
        self.place = place
        self.reason = reason


class WrongResultError(ClusterError):
    """A worker's result was wrong, so nothing that it returned can be believed.

    *places* are the indices of all parts of this call whose results from this worker were yielded.
    """

    def __init__(self, message: str, worker: str = "", places: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.worker = worker
        self.places = tuple(places)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one unit."""

    place: int
    """The index of the part, from 0."""
    content: bytes
    seconds: float
    """The time that the worker took."""
    worker: str
    """The address of the worker."""
    places: Sequence[int] = ()
    """The places of all results of this worker so far in this call."""

    def wrong(self, what: str) -> WrongResultError:
        """Return the error for an answer that cannot be that of its unit; *what* says what it is.

        >>> str(Answer(0, b"", 0.1, "tcp://host:1").wrong("nothing"))[:49]
        'cluster: worker tcp://host:1 returned nothing. Ta'
        """
        return WrongResultError(
            f"cluster: worker {self.worker} returned {what}. Take it out of the cluster, and look "
            "at its memory and its installation; what it did in this call is not kept",
            self.worker,
            self.places,
        )


class Cluster(Protocol):
    """Workers on this machine or on others."""

    @property
    def slots(self) -> int:
        """The number of units that the cluster works on at a time, now; at least 1."""

    def results(
        self, function: UnitFunction, parts: Iterable[bytes], *, same: Same | None = bytes
    ) -> Iterator[Answer]:
        """Yield *function* of every part, each part once, as they are done, in any order.

        The next part is taken from *parts* when there is room for it. A unit whose worker is lost
        is done again. Some units are computed twice, by different workers, and compared by *same*;
        None means that results differ each time, so none are compared.

        Raises `UnitError` for a unit that cannot be done, and `WrongResultError` with the worker's
        name if two workers disagree or one returns what cannot be read. Who reads an answer raises
        its `wrong` if it cannot be that of the unit. Leaving the loop cancels the units that
        remain.
        """


def packed(header: Mapping[str, Any], *blocks: bytes) -> bytes:
    """Return JSON-ready data and blocks of bytes as one block: a line of JSON, then the blocks.

    >>> unpacked(packed({"game": "othello"}, b"one", b"two"))
    ({'game': 'othello'}, [b'one', b'two'])
    """
    line = json.dumps({"header": header, "lengths": [len(block) for block in blocks]})
    return b"".join((line.encode("ascii"), b"\n", *blocks))


def unpacked(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the arguments of `packed` from its result; `ValueError` for other bytes."""
    line, newline, rest = data.partition(b"\n")
    try:
        content = json.loads(line)
        header, lengths = content["header"], content["lengths"]
        if not isinstance(header, dict) or not newline or sum(lengths) != len(rest):
            raise ValueError("its parts are missing")
        if any(length < 0 for length in lengths):
            raise ValueError("a part has a negative length")
    except MALFORMED as error:
        raise ValueError(f"these bytes are not packed data: {error}") from None
    blocks, at = [], 0
    for length in lengths:
        blocks.append(rest[at : at + length])
        at += length
    return header, blocks
