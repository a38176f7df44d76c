"""What a run has to know of a kind of learner, beside the steps that every learner makes.

A kind is four small contracts: how its configs are read and written (`Configs`), what learns
(`Learners`), how steps are stored (`Store`), and what people see (`Display`). A run's folder,
resuming, the live display, the commands and reports ask here and know nothing of trees or weights.
`evoply.runs.outside_kind` has the kind of any learner that a user brings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from evoply.games import DrawRules
from evoply.protocols import Cluster, Learner, Progress, Step
from evoply.runs.columns import Columns, Row
from evoply.runs.database import Database, Group
from evoply.runs.plots import Plot

Note = Callable[..., dict[str, Any] | None]
"""Returns a note of the run by its name, checked to have some keys: `Run.note`."""


@dataclass(frozen=True, slots=True)
class RunEnding:
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
    """Such as "19 nodes, from step 2"."""
    data: Mapping[str, Any]
    """The same as keys of the summary."""
    identity: Mapping[str, Any]
    """What tells matches of this champion from those of another."""


class RunGames(NamedTuple):
    """What holds of all games of a run."""

    draws: DrawRules | None = None
    """The rules about draws in test matches; None for the game's own."""
    are_reproducible: bool = True
    """Whether nobody in them plays otherwise in the same game."""


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


class Configs(Protocol):
    """The configs of a kind of learner; each method is a pure function but for reading files."""

    @property
    def limits(self) -> frozenset[str]:
        """The keys of a config that may change when a run goes on."""

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        """Return the config of a preset, a file or another config, changed as `--set` does.

        *settings* are values of keys.

        It has `game` and `seed`; `ConfigError` lists mistakes.
        """

    def write(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""

    def settled(self, config: Any, /) -> Any:
        """Return *config* with everything in it that was in files."""

    def fixed(self, config: Any, /) -> Any:
        """Return the part of *config* that must not change when a run goes on."""

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Step | None, /) -> Any:
        """Return *config* with other *limits*; a limit that is in their way is lifted."""

    def endless(self, config: Any, /) -> Any:
        """Return *config* without limits, for a run that something else ends."""

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        """Return what one step, or what comes after the last, plays or labels at least.

        By the key of *config* that says so first: a server asks before it begins a run.
        """


class Learners(Protocol):
    """What makes the steps of a kind."""

    @property
    def given(self) -> Any:
        """The learner; `RunError` if it is one of the user's own and not here."""

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> Learner:
        """Return the learner, with these where it takes them; raise `RunError` if it is missing.

        *parts* are the user's own Python, of evolution a fitness and operators.
        """

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one of them is to make all of it.
        """

    def check(self, learner: Any, config: Any, /) -> None:
        """Raise ValueError unless what the user gave to *learner* fits *config*."""

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        """Return name and checksum of the source of what is the user's own Python."""

    def end(self, learner: Any, config: Any, last: Any, /) -> RunEnding:
        """Return the ending of a run whose limits allow nothing after *last*."""

    @property
    def counted(self) -> frozenset[str]:
        """The names of what `costs` counts in every step."""

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return what *step* took, as far as it is counted: games, work; *previous* may be None."""


class Store(Protocol):
    """How steps are kept in `run.db`."""

    @property
    def tables(self) -> str:
        """The SQL that creates its own tables."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """What is in its own tables; every step has one of each."""

    @property
    def exports(self) -> Mapping[str, Callable[[Database], list[dict[str, Any]]]]:
        """What is exported: functions that read rows, by the names of tables.

        `generations` has a row for each step, with at least number and digest; ValueError if it is
        damaged.
        """

    def check_step(self, config: Any, step: Any, /) -> None:
        """Raise ValueError unless *step* can be stored."""

    def write(self, database: Database, step: Any, /) -> str | None:
        """Write *step* into the own tables, or return all of it as JSON; inside a transaction."""

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        """Return a stored step; errors of sqlite3, LookupError or ValueError if it is damaged."""

    def is_unchanged(self, config: Any, step: Any, digest: str, /) -> bool:
        """Return whether a *step* that was read is what *digest* was computed of."""

    def step_data(self, row: Row, /) -> dict[str, Any]:
        """Return the JSON-ready data of a step's *row*."""


class Display(Protocol):
    """What people see of a run."""

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of steps, of which *row* is one; *is_own*: with a fitness of yours."""

    def plots(self, config: Any, rows: Sequence[Row], /, *, is_own: bool = False) -> Sequence[Plot]:
        """Return what charts show of *rows*, one a step; *is_own*: with a fitness of yours."""

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return what a live display shows of *step*."""

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return what is being done for step *number*."""

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the champion of a run as the learner knows it."""

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return what to say of `champion`."""

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        """Return tables about the last step, for the end of a run."""

    def games(self, config: Any, /) -> RunGames:
        """Return what holds of the games of a run of *config*."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of learner."""

    name: str
    """What `config.toml` calls it."""
    configs: Configs
    learners: Learners
    store: Store
    display: Display
    is_built_in: bool = True
    """Whether evoply itself has the learner, so that commands can go on with a run."""
    uses: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """What else can be made of its steps, by name: trees, patterns, edited, packed."""

    def made_by(self, learner: Any) -> Kind:
        """Return the kind with *learner* in place of the usual one."""
        usual: Any = self.learners
        return replace(self, learners=replace(usual, given=learner))
