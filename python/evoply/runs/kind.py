"""The contract of kinds of learners: what a run needs beside the steps of a learner.

A kind has four small contracts: for reading and writing configs (`Configs`), for learning
(`Learners`), for storing steps (`Store`), and for people (`Display`). A run's folder, resuming,
the live display, the commands and reports use these and know nothing about trees or weights.
`evoply.runs.outside_kind` has the kind of any learner that a user brings.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from evoply.games import DrawRules
from evoply.protocols import Cluster, Learner, Progress, Step
from evoply.runs.columns import Columns, Row
from evoply.runs.plots import Plot
from evoply.runs.steps_store import StepsStore

Note = Callable[..., dict[str, Any] | None]
"""Returns a note of the run by its name, checked to have some keys: `Run.note`."""


_WHOLE = ("generations", "games", "termination", "")


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended."""

    ended_by: str
    """The limit that it reached: a key of its config, or `budget.games` and so on of an experiment;
    "" if only the learner, which is the user's own, knows."""
    champion: Any
    """The player, as data."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Further notes to keep, by name, as JSON."""

    @property
    def status(self) -> str:
        """Finished if all steps were made, limit if another limit came first."""
        return "finished" if self.ended_by in _WHOLE else "limit"


@dataclass(frozen=True, slots=True)
class ChampionFacts:
    """Facts about a champion beside its explanation."""

    title: str
    """Such as "19 nodes, from step 2"."""
    data: Mapping[str, Any]
    """The same facts as keys of the summary."""
    identity: Mapping[str, Any]
    """Keys that distinguish matches of this champion from those of another."""


class RunGames(NamedTuple):
    """Facts about all games of a run."""

    draws: DrawRules | None = None
    """The rules about draws in test matches; None for the game's own."""
    are_reproducible: bool = True
    """Whether every player in them plays the same game again."""


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
    """The newest points in words, for the curves that show them."""
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
    """The configs of a kind of learner; methods are pure functions except for reading files."""

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
        """Return *config* with the contents of the files that it names."""

    def fixed(self, config: Any, /) -> Any:
        """Return the part of *config* that must not change when a run goes on."""

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Step | None, /) -> Any:
        """Return *config* with other *limits*; conflicting limits are lifted."""

    def endless(self, config: Any, /) -> Any:
        """Return *config* without limits, for a run with another end."""

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        """Return the least games or labels of a step, or of what follows the last step.

        Each is at the first key of *config* that decides it: a server asks before it begins a run.
        """


class Learners(Protocol):
    """The learners that make the steps of a kind."""

    @property
    def given(self) -> Any:
        """The learner; `RunError` if it is the user's own and missing."""

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> Learner:
        """Return the learner with the arguments it takes; raise `RunError` if it is missing.

        *parts* are the user's own Python: for evolution those that `evolve` takes.
        """

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one worker makes all of it.
        """

    def check(self, learner: Any, config: Any, /) -> None:
        """Raise ValueError unless the user's parts of *learner* fit *config*."""

    def identities(self, learner: Any, /) -> dict[str, dict[str, Any]]:
        """Return names and checksums of the source of the user's own Python."""

    def end(self, learner: Any, config: Any, last: Any, /) -> RunEnding:
        """Return the ending of a run whose limits allow nothing after *last*."""

    @property
    def counted(self) -> frozenset[str]:
        """The names of the costs of every step."""

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return the counted costs of *step*, such as games and work; *previous* may be None."""


class Display(Protocol):
    """What people see of a run."""

    def columns(self, config: Any, row: Row, /, *, is_own: bool = False) -> Columns:
        """Return the columns of steps, of which *row* is one; *is_own*: with a fitness of yours."""

    def plots(self, config: Any, rows: Sequence[Row], /, *, is_own: bool = False) -> Sequence[Plot]:
        """Return the plots of *rows*, one a step; *is_own*: with a fitness of yours."""

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return the facts of *step* for a live display."""

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the current stage of step *number* in words."""

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the champion of a run as the learner knows it."""

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return the facts about `champion`."""

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        """Return tables about the last step, for the end of a run."""

    def games(self, config: Any, /) -> RunGames:
        """Return the facts about the games of a run of *config*."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of learner."""

    name: str
    """Its name in `config.toml`; of a learner that a text names, the text for people."""
    configs: Configs
    learners: Learners
    store: StepsStore
    display: Display
    own: str | None = None
    """None for evoply's learners; for a user's own the pinned text that names it
    (`evoply.own_code`), "" if none does."""
    uses: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions of its steps, by name: trees, patterns, edited, packed; and check_installed, which
    raises `RunError` if a package is missing that a run of its argument, a config, needs."""

    def made_by(self, learner: Any) -> Kind:
        """Return the kind with *learner* in place of the usual one."""
        usual: Any = self.learners
        return replace(self, learners=replace(usual, given=learner))


def check_installed(kind: Kind, config: Any) -> None:
    """Raise `RunError` if a package is missing that a run of *config* needs at any time."""
    check = kind.uses.get("check_installed")
    if check is not None:
        check(config)
