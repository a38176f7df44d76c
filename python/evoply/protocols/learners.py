"""The contract of learners: a config becomes a first step, and every step the next one.

Runs, resuming, replay, limits, the live display, `champion@RUN` and reports know steps and nothing
of what is learned. Evolution is one learner (`evoply.evolution.Evolution`). One of your own needs
what `StorableLearner` asks for if a run folder is to keep its steps; docs/add-a-learner.md has one
in forty lines.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evoply.protocols.players import Player


class Step(Protocol):
    """One finished step of learning: an immutable value that holds all the next one needs."""

    @property
    def number(self) -> int:
        """0 is the first step."""

    @property
    def digest(self) -> str:
        """Equal exactly if what was computed is equal; never of times, paths or threads."""

    @property
    def statistics(self) -> Mapping[str, float]:
        """Named finite numbers that describe the step, the same names in every step."""

    @property
    def champions(self) -> tuple[Player, ...]:
        """The best players so far as data, best first; never empty."""

    @property
    def seconds(self) -> float:
        """What the step took."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the step in the making has come, told about ten times a second."""

    generation: int
    """The number of the step."""
    stage: str
    """What is being done, by a name of the learner's: of evolution "training", "fresh", "tuning" or
    "final"."""
    done: int
    games: int


class Learner(Protocol):
    """Makes steps from a config: pure functions of config and step, whoever asks and wherever.

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

    The config goes into TOML and comes back as *config_type*. The step comes back from what `dump`
    made of it: it must be equal, and its digest is compared with the stored one.
    """

    @property
    def config_type(self) -> type[Any]:
        """The class of configs: a frozen dataclass or a pydantic model."""

    def dump(self, step: Any, /) -> Any:
        """Return *step* as JSON-ready data: mappings, lists, texts, numbers, truths, None."""

    def load(self, config: Any, data: Any, /) -> Step:
        """Return the step that `dump` made *data* of; `ValueError` if it is none."""


def steps(learner: Learner, config: Any, resume_from: Any = None) -> Iterator[Any]:
    """Yield the steps of *config* that are still to come: all, or those after *resume_from*.

    The limits are read between steps only; a first step is always made.
    """
    step = resume_from
    while step is None or not learner.is_finished(config, step):
        step = learner.first(config) if step is None else learner.after(config, step)
        yield step
