"""Learned tables as files: rounded, with the numbers for selective search and their origin.

One JSON file. Entries are whole multiples of 1/1000 in 16 bits. First come the low bytes of all
entries, then the high bytes; zlib makes them small, since most tables are full of zeros and small
numbers; the result stands in the file as base64. The digest of tables is that of the entries
themselves, so it does not depend on the library that compressed them; the checksum of the file is
that of its text. Files of the first format, whose entries are not compressed, can still be read.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from evoply import _native
from evoply.configs.config_errors import checked
from evoply.environment.files import checksum, with_checksum, without_checksum
from evoply.expressions import Number, program_with_parameters, sum_of_patterns, with_parameters
from evoply.expressions.written_form import parse_json
from evoply.games import game_rules
from evoply.players.evaluators import Model, problems
from evoply.protocols import ConfigError
from evoply.when_used import module_when_used

# When a shallow search may stand for a deep one, as data (Multi-ProbCut).
#
# Source: Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
# Othello" (1997). `evoply.learning.labels` fits the numbers, `crates/core/src/search/selective.rs`
# uses them.

Foretelling = tuple[
    Annotated[float, Field(gt=0)], float, Annotated[float, Field(ge=0)]
]  # fmt: skip
"""Slope, offset and sigma: deep = slope x shallow + offset, with an error of sigma."""


class Cut(Model):
    """How the values of a depth follow from those of a shallow one."""

    depth: int = Field(ge=2, le=60)
    shallow: int = Field(ge=1, le=59)
    """Plies that the shallow search looks ahead: fewer than *depth*."""
    lines: Annotated[tuple[Foretelling, ...], Field(min_length=1, max_length=64, strict=False)]
    """Slope, offset and sigma for each stage."""

    @model_validator(mode="after")
    def _is_shallower(self) -> Cut:
        if self.shallow >= self.depth:
            raise ValueError(f"{self.shallow} plies foretell no search of {self.depth}")
        return self

    @property
    def label(self) -> str:
        """Both depths, as text."""
        return f"{self.depth} by {self.shallow}"


class Selectivity(Model):
    """The searches to leave out: those whose value is foretold to be *sigmas* outside the window.

    >>> usual = Selectivity(
    ...     sigmas=1.5, cuts=(Cut(depth=4, shallow=2, lines=((1.0, 0.0, 0.25),)),)
    ... )
    >>> usual.native
    (1.5, [], [(4, 2, [[1.0, 0.0, 0.25]])])
    """

    sigmas: float = Field(gt=0, le=100)
    """How many standard deviations outside; larger numbers leave out less and err less often."""
    stages: Annotated[
        tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(max_length=63, strict=False)
    ] = ()
    """Numbers of pieces on the board; from each on, the next line of each cut holds."""
    cuts: Annotated[tuple[Cut, ...], Field(max_length=60, strict=False)]

    @model_validator(mode="after")
    def _fits_together(self) -> Selectivity:
        if any(pieces >= following for pieces, following in pairwise(self.stages)):
            raise ValueError("stages: the numbers of pieces must rise")
        for cut in self.cuts:
            if len(cut.lines) != len(self.stages) + 1:
                raise ValueError(
                    f"cuts: depth {cut.depth} has {len(cut.lines)} lines for "
                    f"{len(self.stages) + 1} stages"
                )
        return self

    @property
    def label(self) -> str:
        """The number of sigmas, in words."""
        return f"{self.sigmas:g} sigmas"

    @property
    def native(self) -> tuple[float, list[int], list[tuple[int, int, list[list[float]]]]]:
        """The form that the kernel takes."""
        cuts = [(cut.depth, cut.shallow, [list(line) for line in cut.lines]) for cut in self.cuts]
        return self.sigmas, list(self.stages), cuts

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if no board of *game* has as many pieces as a stage."""
        most = game_rules(game).shape.squares
        if any(pieces > most for pieces in self.stages):
            raise ValueError(f"selective: no board of {game} has more than {most} pieces")


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = module_when_used("numpy")

UNITS = 1000
"""Entries are multiples of one divided by this."""
_MOST = 32_767
_COMPRESSED = 2
LARGEST_PACKED = 12_000_000
"""Bytes of the largest file."""


class PackedPattern(Model):
    """The squares of a pattern, and the symmetries under which it shares a table."""

    squares: str = Field(max_length=200)
    symmetries: tuple[int, ...] = Field(max_length=8, strict=False)


class PackedTables(Model):
    """Tables of patterns of a game; men and kings are different contents."""

    format: Literal[1, 2] = 2
    """1: 16 bits an entry, lowest byte first; 2: compressed, low bytes before high ones."""
    kind: Literal["evoply tables"] = "evoply tables"
    game: str = "othello"
    made: dict[str, Any]
    """The origin: version and command that made them, config and seed, games, digest."""
    patterns: Annotated[tuple[PackedPattern, ...], Field(min_length=1, max_length=100)]
    stages: Annotated[tuple[int, ...], Field(max_length=63)]
    """The numbers of pieces from which the next table of each pattern holds."""
    mixed: bool = False
    """Whether tables hold in the middle of their stages, and are mixed between."""
    cuts: Annotated[tuple[Cut, ...], Field(max_length=60)]
    """The predictions of shallow searches, by the same stages."""
    entries: str = Field(max_length=LARGEST_PACKED)
    unit: Literal["wins", "discs"] = "wins"
    """What a value means: an expected result of tanh(value), or a final difference in discs."""

    @model_validator(mode="after")
    def _holds_what_the_patterns_need(self) -> PackedTables:
        needed = len(self._empty.parameters)
        if len(self.values) != needed:
            raise ValueError(f"entries: {len(self.values):,}, and the patterns have {needed:,}")
        if self.cuts:
            Selectivity(sigmas=1, stages=self.stages, cuts=self.cuts).check_fits(self.game)
        return self

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """All entries, in the order of `parameters_of`; `ValueError` if they are damaged."""
        return self._whole.astype(np.float64) / UNITS

    @cached_property
    def _whole(self) -> NDArray[np.int16]:
        """All entries as multiples of one divided by `UNITS`."""
        try:
            raw = base64.b64decode(self.entries, validate=True)
        except binascii.Error:
            raise ValueError("entries: not base64") from None
        if self.format == _COMPRESSED:
            raw = _unpacked(raw, 2 * len(self._empty.parameters))
        if len(raw) % 2:
            raise ValueError("entries: an entry has two bytes, and there is an odd one")
        if self.format == _COMPRESSED:
            planes = np.frombuffer(raw, dtype=np.uint8).reshape(2, -1)
            return np.ascontiguousarray(planes.T).view("<i2")[:, 0]
        return np.frombuffer(raw, dtype="<i2")

    @cached_property
    def program(self) -> _native.Program:
        """The sum of the patterns in the kernel's form, as the side to move sees a board."""
        return self._empty.with_parameters(self.values)

    @cached_property
    def digest(self) -> str:
        """The first 16 digits of the checksum of what the file says, which identify these tables.

        It takes the entries themselves: a library may compress them to other bytes.
        """
        content = self._content()
        if self.format == _COMPRESSED:
            entries = self._whole.astype("<i2").tobytes()
            content["entries"] = base64.b64encode(entries).decode()
        return checksum(content)[:16]

    @property
    def label(self) -> str:
        """The number of entries."""
        return f"{len(self.values):,} entries"

    def expression(self) -> Number:
        """Return the sum of the patterns as an expression."""
        value: Number = with_parameters(self.without_entries, self.values)  # type: ignore[assignment]
        return value

    def selectivity(self, sigmas: float) -> Selectivity:
        """Return the selective search that cuts positions *sigmas* outside the window."""
        return Selectivity(sigmas=sigmas, stages=self.stages, cuts=self.cuts)

    def to_data(self) -> dict[str, Any]:
        """Return the content of a file: all fields and their checksum."""
        return with_checksum(self._content())

    def _content(self) -> dict[str, Any]:
        """Return all fields; files without a unit are older than units."""
        older = {"unit"} if self.unit == "wins" else set()
        return self.model_dump(mode="json", exclude=older | (set() if self.mixed else {"mixed"}))

    @cached_property
    def _empty(self) -> _native.Program:
        return program_with_parameters(self.without_entries, self.game)

    @cached_property
    def without_entries(self) -> Number:
        """The sum of the patterns with every entry 0."""
        rules = game_rules(self.game)
        return sum_of_patterns(
            [(pattern.squares, pattern.symmetries) for pattern in self.patterns],
            rules.shape,
            moves_pieces=rules.moves_pieces,
            stages=self.stages,
            mixed=self.mixed,
        )


def _unpacked(raw: bytes, most: int) -> bytes:
    """Return the bytes that were compressed to *raw*, which are at most so many."""
    engine = zlib.decompressobj()
    try:
        found = engine.decompress(raw, most + 1)
    except zlib.error:
        raise ValueError("entries: not compressed, or damaged") from None
    if len(found) > most or not engine.eof or engine.unused_data:
        raise ValueError("entries: more or fewer than the patterns have, or cut off")
    return found


def rounded(values: Sequence[float] | NDArray[np.float64]) -> str:
    """Return entries as text for a file; `ValueError` if an entry is too large.

    >>> values = rounded([0.0, 0.0014, -1.0])
    >>> zlib.decompress(base64.b64decode(values)).hex(" ")
    '00 01 18 00 00 fc'
    """
    whole = np.rint(np.asarray(values, dtype=np.float64) * UNITS)
    if not np.isfinite(whole).all() or np.abs(whole).max(initial=0) > _MOST:
        raise ValueError(f"entries: one is larger than {_MOST / UNITS}: learn with smaller rates")
    planes = whole.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def read_packed(text: str) -> PackedTables:
    """Return the tables of a file's *text*; `ValueError` says what is wrong with it."""
    data = parse_json(text)
    if not isinstance(data, Mapping) or data.get("kind") != "evoply tables":
        raise ValueError("this is not a file of packed tables")
    content = without_checksum(data)
    return checked(
        # JSON has lists where the model has tuples.
        lambda: PackedTables.model_validate(content, strict=False),
        lambda error: ConfigError(problems(error, PackedTables)),
    )
