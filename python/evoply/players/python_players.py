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

    Its games are therefore played one after the other, in the caller's thread.
    """

    source: Any

    def __post_init__(self) -> None:
        _check_signature(self.source)

    @property
    def label(self) -> str:
        """The label of the object, or the name of its class."""
        return str(getattr(self.source, "label", type(self.source).__name__))

    @property
    def reproducible(self) -> bool:
        """The object's own `reproducible`, by default True."""
        return bool(getattr(self.source, "reproducible", True))

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` for an unknown game; the object is assumed to play all games."""
        game_rules(game)

    def seat(self, game: str) -> PythonSeat:
        """Return a seat that asks the object."""
        return PythonSeat(self.source, self.label)


@dataclass(frozen=True, slots=True)
class PythonSeat(Seat):
    """The seat of an object; its answer, a move, a text or a choice, is checked."""

    source: Any
    label: str
    is_shared = True

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return its choice; `IllegalMoveError` names the player if its move is illegal."""
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
        return  # a function in C may have no signature
