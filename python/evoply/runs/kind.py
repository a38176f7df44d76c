"""What a run has to know of a kind of learner, beside the steps that every learner makes.

One class says all of it: `EvolutionKind` for evolution, `OutsideKind` for a learner that a user
brings. `evoply.runs.kinds` has the table. A run's folder, resuming, the live display, the commands
and reports ask here and know nothing of trees or weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.protocols import Cluster, Learner, Player, Step
from evoply.runs.database import Database, Group

__all__ = ["ChampionFacts", "Ending", "Kind", "Listing", "LiveFacts", "Note"]

Row = Mapping[str, Any]
Note = Callable[..., dict[str, Any] | None]
"""Returns a note of the run by its name, checked to have some keys: `Run.note`."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended."""

    status: str
    """"finished" or "limit"."""
    champion: Any
    """The player, as data."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What else is kept of it, by name, as JSON."""


@dataclass(frozen=True, slots=True)
class ChampionFacts:
    """What is said of a champion beside its explanation."""

    title: str
    """Such as "19 nodes, from generation 2"."""
    data: Mapping[str, Any]
    """The same as keys of the summary."""
    identity: Mapping[str, Any]
    """What tells matches of this champion from those of another."""


@dataclass(frozen=True, slots=True)
class LiveFacts:
    """What a live display shows of one finished step."""

    line: str
    """The step in one line of a log."""
    facts: tuple[tuple[str, str], ...]
    """Labels and values, the most important first."""
    points: Mapping[str, float]
    """The newest point of each curve, by the curve's label."""
    champion: str
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest points in words, of curves that are to have them."""
    last_number: int | None = None
    """The last step the limits allow, if they count steps."""
    seconds_left: float | None = None
    note: str = ""
    """A sentence about the curves."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A table at the end of a run, for people and as data."""

    name: str
    """Its key in the summary."""
    title: str
    head: tuple[str, ...]
    left: tuple[str, ...]
    """Columns that hold text."""
    rows: Sequence[tuple[str, ...]]
    data: Sequence[Mapping[str, Any]]


class Kind(Protocol):
    """One kind of learner; each method is a pure function but for `write`."""

    @property
    def name(self) -> str:
        """What `config.toml` calls it."""

    @property
    def is_built_in(self) -> bool:
        """Whether evoply itself has the learner, so that commands can go on with a run."""

    # The config.

    def read_config(self, path: Path, /) -> Any:
        """Return the config in a file, with `game` and `seed`; `ConfigError` lists mistakes."""

    def load_config(self, source: Any, overrides: Sequence[str], /) -> Any:
        """Return the config of a preset, a file or another config, changed as `--set` does."""

    def write_config(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""

    def settled(self, config: Any, /) -> Any:
        """Return *config* with everything in it that was in files."""

    def fixed(self, config: Any, /) -> Any:
        """Return the part of *config* that must not change when a run goes on."""

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Step | None, /) -> Any:
        """Return *config* with other *limits*; a limit that is in their way is lifted."""

    def endless(self, config: Any, /) -> Any:
        """Return *config* without limits, for a run that something else ends."""

    @property
    def limits(self) -> frozenset[str]:
        """The keys of a config that may change when a run goes on."""

    # The learner.

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Learner:
        """Return the learner, with these where it takes them; raise `RunError` if it is missing."""

    def check_sendable(self, config: Any, /) -> None:
        """Raise ValueError if a run of *config* needs what other machines do not have."""

    def check(self, learner: Any, config: Any, /) -> None:
        """Raise ValueError unless what the user gave to *learner* fits *config*."""

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        """Return name and checksum of the source of what is the user's own Python."""

    def end(self, learner: Any, config: Any, last: Any, /) -> Ending:
        """Return the ending of a run whose limits allow nothing after *last*."""

    # The store.

    @property
    def tables(self) -> str:
        """The SQL that creates its own tables."""

    def check_step(self, config: Any, step: Any, /) -> None:
        """Raise ValueError unless *step* can be stored."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """What is in its own tables; every step has one of each."""

    def write(self, database: Database, step: Any, /) -> str | None:
        """Write *step* into the own tables, or return all of it as JSON; inside a transaction."""

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        """Return a stored step; errors of sqlite3, LookupError or ValueError if it is damaged."""

    def is_unchanged(self, config: Any, step: Any, digest: str, /) -> bool:
        """Return whether a *step* that was read is what *digest* was computed of."""

    def rows(self, database: Database, /) -> list[dict[str, Any]]:
        """Return a row for each step, with at least number and digest; ValueError if damaged."""

    @property
    def counted(self) -> frozenset[str]:
        """The names of what `costs` counts in every step."""

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        """Return what one step, or what comes after the last, plays or labels at least.

        By the key of *config* that says so first: a server asks before it begins a run.
        """

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return what *step* took, as far as it is counted: games, work; *previous* may be None."""

    @property
    def exports(self) -> Mapping[str, Callable[[Database], list[dict[str, Any]]]]:
        """What is exported: functions that read rows, by the names of tables."""

    # What people see.

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the champion of a run as the learner knows it."""

    def player_of(self, config: Any, champion: Any, /) -> Player:
        """Return what `champion` gave as a player."""

    def champion_text(self, player: Any, /) -> str:
        """Return the champion, read as a *player*, as the tables of runs show it."""

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return what to say of `champion`."""

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return what a live display shows of *step*."""

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        """Return the points of a stored step's *row*, as in `LiveFacts.points`."""

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return what is being done for step *number*."""

    def step_table(
        self, config: Any, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return head and rows of the table of steps; *is_own*: with a fitness of the user."""

    def step_data(self, row: Row, /) -> dict[str, Any]:
        """Return the JSON-ready data of a step's *row*."""

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        """Return tables about the last step, for the end of a run."""

    def is_reproducible(self, config: Any, /) -> bool:
        """Return whether a run of *config* can be repeated."""

    def draws(self, config: Any, /) -> Any:
        """Return the rules about draws in test matches; None for the game's own."""
