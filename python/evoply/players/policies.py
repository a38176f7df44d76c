"""Policies of other libraries as players: functions of what an agent observes.

In a file, `@policy` before a function makes it a player by name, `python:FILE.py:NAME`. It counts
as reproducible only if the file says so: `@policy(reproducible=True)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

from evoply._native import Stream
from evoply.games.observations import DecisionPoint
from evoply.protocols import Choice, Clock, GameRecord, IllegalMoveError

Chooses = Callable[[Any, Any], Any]
"""From an observation, an array of planes, rows and columns, and a mask of the legal actions, 1 for
each, to the number of a legal action; see `evoply.games.observations`."""


@dataclass(frozen=True)
class Policy:
    """A function of observation and mask that plays by the actions it returns."""

    function: Chooses
    label: str
    reproducible: bool = False
    """Whether it always returns the same for the same arrays."""

    def __call__(self, observation: Any, mask: Any) -> Any:
        """Return what the function returns."""
        return self.function(observation, mask)

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the move that its actions are: one for each jump of a capture.

        `IllegalMoveError` names the policy if an action is not legal.
        """
        point = DecisionPoint.of(game)
        while len(point.record) == len(game):
            try:
                point = point.after(self.function(point.planes(), point.mask()))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{self.label}: {error}") from None
        return Choice(point.record.moves[-1])


@overload
def policy(function: Chooses, /, *, label: str = "", reproducible: bool = False) -> Policy: ...
@overload
def policy(
    function: None = None, /, *, label: str = "", reproducible: bool = False
) -> Callable[[Chooses], Policy]: ...
def policy(
    function: Chooses | None = None, /, *, label: str = "", reproducible: bool = False
) -> Policy | Callable[[Chooses], Policy]:
    """Return a player that plays the actions which *function* returns.

    *function* takes an observation and a mask, as the environments of `evoply.field` give them to
    the side to move, and returns the number of a legal action. Say *reproducible* if it draws
    nothing. Without *function* it is a decorator.

    >>> import evoply as ep
    >>> @policy(reproducible=True)
    ... def last_square(observation, mask):
    ...     return mask.nonzero()[0].max()
    >>> ep.match(last_square, "random", games=20, seed=1).games
    20
    """
    if function is None:
        return lambda given: policy(given, label=label, reproducible=reproducible)
    if not callable(function):
        raise TypeError(f"{function!r:.40} is no policy: give a function of observation and mask")
    return Policy(function, label or getattr(function, "__name__", "policy"), reproducible)
