"""The common base of kinds of evoply's own learners whose steps are `KeptStep`s.

A kind has a name, loads its configs, shows its steps, and knows whether the workers of a cluster
can share a run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from evoply.arena.on_cluster import check_game
from evoply.learning.games_config import config_of
from evoply.protocols import Cluster, Progress, RunError
from evoply.runs.kind import Display, Kind, RunEnding
from evoply.runs.model_kind import ModelConfigs
from evoply.runs.plain_display import PlainDisplay
from evoply.runs.steps_store import StepsStore


def learned_kind(
    name: str,
    learner: Any,
    display: Display,
    *,
    one_machine: str = "",
    uses: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Kind:
    """Return the kind of *learner*; *one_machine* is the reason if no cluster can share a run."""
    return Kind(
        name,
        _Configs(learner),
        _Learners(learner, one_machine),
        StepsStore(name, learner),
        display,
        uses=uses,
    )


class GamesDisplay(PlainDisplay):
    """The display of a run that learns game after game."""

    def seconds_left(self, config: Any, step: Any) -> float | None:
        """Return the seconds for the rest of the games at the pace so far; None if unknown."""
        if config.games is None or not step.games or not step.total_seconds:
            return None
        left: float = (config.games - step.games) * step.total_seconds / step.games
        return left


class _Configs(ModelConfigs):
    """See `evoply.runs.kind.Configs`."""

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        return config_of(self.learner.config_type, source, overrides, settings)


@dataclass(frozen=True)
class _Learners:
    """See `evoply.runs.kind.Learners`."""

    given: Any
    one_machine: str
    counted: ClassVar[frozenset[str]] = frozenset({"games"})

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> Any:
        """Return a learner for *threads*, and for a *cluster* if it takes one."""
        if any(parts.values()):
            given = ", ".join(name for name, part in parts.items() if part)
            raise RunError(f"{given}: only evolution takes these, not learning - leave them out")
        if cluster is not None and self.one_machine:
            raise RunError(self.one_machine)
        return self.given.on(threads, cluster)

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        if self.one_machine and not is_whole:
            raise ValueError(f"--{self.one_machine}")
        check_game(config.game)

    def check(self, learner: Any, config: Any, /) -> None:
        """Accept any learner, which has no parts of the user."""

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        return {}

    def end(self, learner: Any, config: Any, last: Any, /) -> RunEnding:
        return RunEnding(config.ended_by(last), last.champions[0])

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        return {"games": _played(step) - (0 if previous is None else _played(previous))}


def _played(step: Any) -> float:
    """Return the games so far, those that gave labels among them."""
    games: float = step.statistics["games"] + step.statistics.get("labelled_games", 0)
    return games
