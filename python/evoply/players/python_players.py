"""Players in Python: any object with `choose(game, stream, clock)`, asked in this process."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from evoply._native import Stream
from evoply.games import game_rules
from evoply.protocols import (
    Choice,
    Clock,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Seat,
    choice_of,
)


@dataclass(frozen=True, slots=True)
class PythonPlayer:
    """An object with `choose`, as a player; all its seats ask this one object.

    So its games are played one after the other, in the thread of the caller.
    """

    source: Any

    def __post_init__(self) -> None:
        _check_signature(self.source)

    @property
    def label(self) -> str:
        """What the object calls itself, or the name of its class."""
        return str(getattr(self.source, "label", type(self.source).__name__))

    @property
    def reproducible(self) -> bool:
        """What the object says of itself, by default that it is."""
        return bool(getattr(self.source, "reproducible", True))

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if there is no such game: an object says nothing of games."""
        game_rules(game)

    def seat(self, game: str) -> PythonSeat:
        """Return a seat that asks the object."""
        return PythonSeat(self.source, self.label)


@dataclass(frozen=True, slots=True)
class PythonSeat(Seat):
    """An object at a board; what it answers is checked, and may be a move, a text or a choice."""

    source: Any
    label: str
    is_shared = True

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return its choice; `IllegalMoveError` names the player whose move is none."""
        began = time.perf_counter()
        answer = self.source.choose(game, stream, clock)
        seconds = time.perf_counter() - began
        try:
            choice = choice_of(answer, game)
        except (IllegalMoveError, InvalidMoveError) as error:
            turn = game.position.turn
            raise IllegalMoveError(f"{self.label} as {turn}: {error}") from None
        return choice if isinstance(answer, Choice) else replace(choice, seconds=seconds)


def _check_signature(source: object) -> None:
    """Raise TypeError unless *source* has a method that takes game, stream and clock."""
    choose: Callable[..., Any] | None = getattr(source, "choose", None)
    if isinstance(source, type):
        raise TypeError(f"{source.__name__} is a class, and a player is an object: give one of it")
    if not callable(choose):
        raise TypeError(
            f"{source!r:.200} is neither a player nor a tree: it has no method "
            "choose(game, stream, clock)"
        )
    try:
        inspect.signature(choose).bind(None, None, None)
    except TypeError:
        name = type(source).__name__
        raise TypeError(
            f"{name}.choose{inspect.signature(choose)} cannot be asked: a player has choose(game, "
            "stream, clock), and game.position is the position"
        ) from None
    except ValueError:
        return  # what is written in C may say nothing of its arguments
