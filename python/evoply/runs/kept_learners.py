"""Learners of runs: the base of evoply's own, and how a run asks its learner.

A learner of evoply's own is a frozen dataclass whose fields are the arguments it takes, among them
*threads*, *progress* and *cluster*, which change no result.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, TypedDict, TypeVar, Unpack

from evoply.arena.on_cluster import check_game
from evoply.configs.run_config import RunConfig, written_config
from evoply.games import DrawRules, game_rules
from evoply.own_code import OwnCode
from evoply.protocols import Cluster, Learner, Progress, RunError
from evoply.runs.kept_steps import dumped
from evoply.runs.own_learner import present

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


class PythonArguments(TypedDict, total=False):
    """A user's objects for a config of evolution, as `evolve` takes them."""

    fitness: Any
    operators: Mapping[str, Any]
    selection: Any
    survival: Any


class EndOfRun(NamedTuple):
    """What a run ends with, if that is more than its last step."""

    end: Callable[[Any, Any, Any], RunEnding]
    """Returns the ending, of the learner, the config and the last step."""
    champion: Callable[[Any, Note], Any]
    """Returns the champion of the last step and of what the ending noted, if it did."""


class RunGames(NamedTuple):
    """Facts about all games of a run."""

    draws: DrawRules | None = None
    """The rules about draws in test matches; None for the game's own."""
    are_reproducible: bool = True
    """Whether every player in them plays the same game again."""


_Step = TypeVar("_Step")


@dataclass(frozen=True)
class KeptLearner(Generic[_Step]):
    """The base of evoply's own learners; *threads* 0: the usual number."""

    threads: int = 0
    config_type: ClassVar[type[RunConfig]]
    step_type: ClassVar[Any]
    one_machine: ClassVar[str] = ""
    """Why no cluster can share a run, if none can."""
    counted: ClassVar[frozenset[str]] = frozenset({"games"})
    """The names of the `totals` of its steps."""
    takes_python: ClassVar[bool] = False
    """Whether its configs name a user's own Python, which may be given as arguments."""

    def with_parts(self, config: Any, /, **parts: Unpack[PythonArguments]) -> Any:
        """Return *config* with a user's objects named in it."""
        return config

    def is_finished(self, config: Any, step: _Step, /) -> bool:
        """Return whether the limits in *config* allow no step after *step*."""
        return bool(config.ended_by(step))

    def dump(self, step: _Step, /) -> Any:
        """Return *step* as JSON-ready data."""
        return dumped(step)

    def load(self, config: Any, data: Any, /) -> _Step:
        """Return the step that `dump` wrote as *data*; `ValueError` if it is damaged."""
        step: _Step = self.step_type.load(config, data)
        return step

    def settled(self, config: Any, /) -> Any:
        """Return *config* with the contents of the files that it names."""
        return config

    def written(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""
        return written_config(self.settled(config))

    def check(self, config: Any, /) -> None:
        """Raise ValueError unless the user's parts of the learner and of *config* fit."""

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one worker makes all of it.
        """
        if self.one_machine and not is_whole:
            raise ValueError(f"--{self.one_machine}")
        check_game(config.game)

    def games(self, config: Any, /) -> RunGames:
        """Return the facts about the games of a run of *config*."""
        return RunGames()


@dataclass(frozen=True)
class Learners:
    """How runs ask a learner: one of evoply's own, or that which *own* names; it may be missing."""

    name: str
    learner: Any
    own: str | None
    no_arguments: str
    """Why a user's Python is no argument of the learner."""
    ending: EndOfRun | None = None

    @property
    def given(self) -> Any:
        """The learner; `RunError` if it is the user's own and missing."""
        return present(self.learner, self.name)

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
    ) -> Learner:
        """Return the learner with the arguments it takes; raise `RunError` if it is missing.

        A learner of a user manages threads and progress itself.
        """
        if self.own is not None and cluster is not None:
            self.check_sendable(None)
        names = set() if self.own is not None else {each.name for each in fields(self.given)}
        if self.own is None and cluster is not None and self.given.one_machine:
            raise RunError(self.given.one_machine)
        options = {"threads": threads, "progress": progress, "cluster": cluster}
        taken = {name: value for name, value in options.items() if value and name in names}
        learner: Learner = replace(self.given, **taken) if taken else self.given
        return learner

    def with_parts(self, config: Any, /, **parts: Unpack[PythonArguments]) -> Any:
        """Return *config* with a user's objects named in it; `RunError` if it takes none."""
        given = [name for name, part in parts.items() if part]
        if not given:
            return config
        if self.own is not None or not self.given.takes_python:
            raise RunError(f"{', '.join(given)}: {self.no_arguments}")
        return self.given.with_parts(config, **parts)

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one worker makes all of it, who must find the file of a user's learner.
        """
        if self.own is None:
            self.given.check_sendable(config, is_whole=is_whole)
        elif not is_whole or OwnCode.from_text(self.own).is_argument:
            raise RunError(
                f"cluster: the learner {self.name} is not evoply's own, and workers do not have it "
                "- run it without a cluster"
            )

    def check(self, learner: Any, config: Any, /) -> None:
        """Raise ValueError unless the user's parts of *learner* fit *config*."""
        if self.own is None:
            learner.check(config)
        else:
            game_rules(config.game)

    def end(self, learner: Any, config: Any, last: Any, /) -> RunEnding:
        """Return the ending of a run whose limits allow nothing after *last*."""
        if self.ending is not None:
            return self.ending.end(learner, config, last)
        return RunEnding(config.ended_by(last) if self.own is None else "", last.champions[0])

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the champion of a run after its *last* step, as the learner knows it."""
        return last.champions[0] if self.ending is None else self.ending.champion(last, note)

    @property
    def counted(self) -> frozenset[str]:
        """The names of the costs of every step."""
        return frozenset() if self.own is not None else self.given.counted

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return the counted costs of *step*, such as games and work; *previous* may be None.

        Of a user's learner it is the statistic `games` of the step, if it has one.
        """
        if self.own is not None:
            games = step.statistics.get("games")
            return {} if games is None else {"games": games}
        before = {} if previous is None else previous.totals
        return {name: total - before.get(name, 0) for name, total in step.totals.items()}
