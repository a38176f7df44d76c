"""The contract of learners: a config becomes a first step, and every step the next one.

Runs, resuming, replay, limits, the live display, `champion@RUN` and reports know steps and nothing
of what is learned. Evolution is one learner (`evoply.evolution.Evolution`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

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
        """Named numbers that describe the step."""

    @property
    def champions(self) -> tuple[Player, ...]:
        """The best players so far as data, best first; never empty."""

    @property
    def seconds(self) -> float:
        """What the step took."""


class Learner(Protocol):
    """Makes steps from a config: pure functions of config and step, whoever asks and wherever."""

    def first(self, config: Any, /) -> Step:
        """Return step 0 of *config*."""

    def after(self, config: Any, step: Any, /) -> Step:
        """Return the step after *step* in a run of *config*."""
