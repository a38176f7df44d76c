"""The conditions of games as they are given, said once for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.games.position import DrawRules
    from evoply.protocols import Cluster, Player, Position, Row, TimeControl
else:  # the command line reads the types of fields, and its help needs none of these
    Cluster = DrawRules = Player = Position = Row = TimeControl = Any

MOST_THREADS = 1024
MOST_OPENINGS = 100_000
"""Of a list of openings."""

Line = tuple["Row", tuple[int, ...]]
"""Where a game began, as the kernel writes it (`Position.row`), and the codes of its moves."""
OpeningOrder = Literal["drawn", "in-order"]


@dataclass(frozen=True, slots=True)
class OpeningList:
    """Positions at which games begin, such as `evoply.read_openings` returns them."""

    game: str
    rows: tuple[Row, ...] = field(repr=False)
    """The positions, as the kernel writes them."""
    lines: tuple[Line, ...] = field(repr=False)
    """How each came about; without moves where only the position is known."""
    order: OpeningOrder
    sha256: str
    """The checksum of the file that they were read from."""

    @property
    def facts(self) -> dict[str, Any]:
        """What results say of it, as JSON-ready data."""
        return {"positions": len(self.rows), "order": self.order, "sha256": self.sha256}


Openings = int | Literal["usual", "none"] | OpeningList | None
"""Random plies before the players begin: a number, the usual one of the game, or none; or a list of
positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The conditions of games; `conditions_of` checks them.

    Each may be a text, as on the command line; in Python also a value, and None stands for none.
    Only a file of openings is read before, by `evoply.read_openings`: conditions name no files.
    """

    game: str | None = None
    """The name of the game, or a file of its rules; by default othello."""
    seed: int = 1
    """A whole number that decides everything random: the same seed gives the same result."""
    openings: Openings = "usual"
    """Random legal plies before the players begin, by default 8 in Othello and 4 in checkers;
    none plays from the start. Or a file of positions, transcripts or games, drawn by the seed, or
    with :in-order behind its name in their order."""
    start: Position | str | None = None
    """Where to begin: a board such as '---- -OX- -XO- ---- X', in checkers a FEN such as
    W:W18,K24:B1,12, or moves: f5d6c3, '1. F5 d6 2. C3', '11-15 23-19', a GGF or PDN game."""
    draws: DrawRules | str | None = None
    """In checkers: when a game is drawn, such as repetitions=never,quiet_plies=40.
    Usually quiet_plies=80,repetitions=3,max_plies=300."""
    clock: TimeControl | str | None = None
    """Seconds that each side has for all its moves of a game, and seconds that each move adds:
    150 or 60+1. Who takes longer loses the game. Results are then not reproducible."""
    threads: int = 0
    """How many threads; the result does not depend on it. 0, the default: all cores."""
    cluster: Cluster | None = None
    """The cluster whose workers play, with the same result (`evoply.cluster.connect`); None: this
    process plays."""

    @property
    def keywords(self) -> dict[str, Any]:
        """All terms by name, as `evoply.match` takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def control(self) -> TimeControl | None:
        """The clock, read; `ValueError` or TypeError if it is none."""
        from evoply.protocols import TimeControl

        if isinstance(self.clock, str):
            return TimeControl.from_text(self.clock)
        if not isinstance(self.clock, TimeControl | None):
            raise TypeError(
                f"clock: {shorten(repr(self.clock))} is not a time - give a TimeControl, or a text "
                "such as 150 or 150+2"
            )
        return self.clock


class GameTerms(TypedDict, total=False):
    """`Terms` as keywords."""

    game: str | None
    seed: int
    openings: Openings
    start: Position | str | None
    draws: DrawRules | str | None
    clock: TimeControl | str | None
    threads: int
    cluster: Cluster | None


class PlayerTerms(GameTerms, total=False):
    """`Terms` as keywords, and how texts that name players are read."""

    runs: Callable[[str], Player] | None
    """Returns the champion for the text `champion@RUN`. `evoply.match` looks it up among your runs;
    pass `evoply.runs.resolve_champion` to `evoply.arena.match`."""
