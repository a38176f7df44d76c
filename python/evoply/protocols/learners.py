"""The contract of learners: a learner makes a first step from a config, and each next step.

Runs, resuming, replay, limits, the live display, `champion@RUN` and reports know steps, and not
what is learned. Evolution is one learner (`evoply.evolution.Evolution`). Your own learner has the
methods of `StorableLearner` if a run folder is to keep its steps; docs/add-a-learner.md has one in
forty lines.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evoply.protocols.players import Player


class Step(Protocol):
    """One finished step of learning: an immutable value that holds all the next one needs."""

    @property
    def number(self) -> int:
        """The number of the step, from 0."""

    @property
    def digest(self) -> str:
        """Equal for two steps exactly if they computed the same; not of times, paths or threads."""

    @property
    def statistics(self) -> Mapping[str, float]:
        """Named finite numbers that describe the step, the same names in every step."""

    @property
    def champions(self) -> tuple[Player, ...]:
        """The best players so far as data, best first; never empty."""

    @property
    def seconds(self) -> float:
        """The seconds that the step took."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the current step has come, reported about ten times a second."""

    generation: int
    """The number of the step."""
    stage: str
    """The learner's name for what is being done; evolution's are "training", "fresh", "tuning" and
    "final"."""
    done: int
    games: int


class Learner(Protocol):
    """Makes steps from a config by pure functions of config and step.

    A config is a value with at least `game` (a name of `evoply.games.GAMES`) and `seed`.
    """

    def first(self, config: Any, /) -> Step:
        """Return step 0 of *config*."""

    def after(self, config: Any, step: Any, /) -> Step:
        """Return the step after *step* in a run of *config*."""

    def is_finished(self, config: Any, step: Any, /) -> bool:
        """Return whether the limits in *config* allow no step after *step*."""


@runtime_checkable
class StorableLearner(Learner, Protocol):
    """A learner whose configs and steps a run folder can keep without knowing what they are.

    The config is stored as TOML and read as *config_type*. A step is stored as `dump` returns it;
    the step that `load` returns must be equal, and its digest is compared with the stored digest.
    """

    @property
    def config_type(self) -> type[Any]:
        """The class of configs: a frozen dataclass or a pydantic model."""

    def dump(self, step: Any, /) -> Any:
        """Return *step* as JSON-ready data: mappings, lists, texts, numbers, truths, None."""

    def load(self, config: Any, data: Any, /) -> Step:
        """Return the step whose `dump` is *data*; `ValueError` if *data* is not a step."""


class StoppedWithinStepError(KeyboardInterrupt):
    """Ctrl-C in the middle of a step, of which a part can be kept: the *step* that ends there.

    For learners whose result does not depend on where steps end.
    """

    def __init__(self, step: Any) -> None:
        super().__init__()
        self.step = step


def steps(learner: Learner, config: Any, resume_from: Any = None) -> Iterator[Any]:
    """Yield the steps of *config* that remain: all, or those after *resume_from*.

    Limits are checked only between steps, so there is always a first step. After Ctrl-C the part of
    a step that a learner can keep comes last, and then the interrupt.
    """
    step = resume_from
    while step is None or not learner.is_finished(config, step):
        try:
            step = learner.first(config) if step is None else learner.after(config, step)
        except StoppedWithinStepError as stopped:
            yield stopped.step
            raise
        yield step
