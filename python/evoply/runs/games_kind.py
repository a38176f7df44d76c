"""Learners of evoply's own that learn by play, as kinds of learners: what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from evoply.arena.elsewhere import check_game
from evoply.configs.whole import written_config
from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.learning import MOST_GAMES
from evoply.protocols import Cluster, RunError
from evoply.runs.outside_kind import OutsideKind

__all__ = ["GamesKind", "without_reached_limit"]


class GamesKind(OutsideKind):
    """See `evoply.runs.kind.Kind`: runs that end after games or seconds.

    A subclass says how its configs are read and what its steps show; they are kept as its data.
    """

    is_built_in = True
    limits = frozenset({"games", "time_limit"})
    counted = frozenset({"games"})
    load: ClassVar[Callable[..., Any]]
    """Reads a config from a file or a preset, with overrides."""
    learner_type: ClassVar[type[Any]]
    takes_threads: ClassVar[bool] = False
    """Whether its learner is made for a number of threads."""
    one_machine: ClassVar[str] = ""
    """Why the workers of a cluster cannot share a run; empty if they can."""

    def __init__(self, learner: Any, name: str) -> None:
        super().__init__(learner)
        self.name = name

    def read_config(self, path: Path, /) -> Any:
        return type(self).load(path)

    def load_config(self, source: Any, overrides: Sequence[str], /) -> Any:
        return type(self).load(source, overrides)

    def write_config(self, config: Any, /) -> str:
        return written_config(config)

    def fixed(self, config: Any, /) -> Any:
        return config.model_dump(exclude=set(self.limits))

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other limits; `generations` are steps, the first without games."""
        if not limits:
            return config
        given, model = dict(limits), type(config)
        if "generations" in given and "generations" not in self.limits:
            steps = given.pop("generations")
            given["games"] = None if steps is None else _games_of(config, last, steps)
        return without_reached_limit(
            self._given,
            model(**{**config.model_dump(), **given}),
            sorted(self.limits - {"machine"}),
            given,
            last,
        )

    def endless(self, config: Any, /) -> Any:
        # A config without any limit is refused as one that never ends.
        return config.model_copy(update={"games": MOST_GAMES, "time_limit": None})

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Any:
        """Return a learner for *threads* if it takes them, else the learner itself."""
        if parts is not None and (parts.fitness is not None or parts.operators):
            raise RunError("fitness and operators are for evolution: learning takes none")
        if cluster is not None and self.one_machine:
            raise RunError(self.one_machine)
        return self.learner_type(threads) if self.takes_threads else self._given

    def check_sendable(self, config: Any, /) -> None:
        check_game(config.game)

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        return {}

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        return {"games_per_step": config.games_per_step}

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        return {"games": step.games - (0 if previous is None else previous.games)}

    def seconds_left(self, config: Any, step: Any) -> float | None:
        """Return how long the rest of the games takes at the pace so far; None if nobody knows."""
        if config.games is None or not step.games or not step.total_seconds:
            return None
        left: float = (config.games - step.games) * step.total_seconds / step.games
        return left


def without_reached_limit(
    learner: Any, config: Any, names: Iterable[str], given: Mapping[str, Any], last: Any
) -> Any:
    """Return *config* without the limit that ended the run, where another one was *given* anew.

    *names* are the two limits; with neither given, or both, they stay.
    """
    if last is None or not learner.is_finished(config, last):
        return config
    others = {name: None for name in names if name not in given}
    return type(config)(**{**config.model_dump(), **others}) if len(others) == 1 else config


def _games_of(config: Any, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps, if no step is shorter than usual."""
    if last is None:
        return max(1, (steps - 1) * int(config.games_per_step))
    more: int = (steps - 1 - last.number) * config.games_per_step
    return max(1, int(last.games) + more)
