"""The contract of players: a player is data, a seat sits at a board, a choice is its answer.

A player says what it is (`Player`). For one game it gives a *seat*, which chooses moves. The kernel
plays whole schedules between its own seats (`evoply.players.KernelSeat`); every other seat, such as
a bot's process, is asked move by move. What a seat answers is a `Choice`, the same for a search of
the kernel and for a bot that only names a move.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

from evoply._native import Stream
from evoply.protocols.errors import IllegalMoveError, InvalidMoveError
from evoply.protocols.games import Color, GameRecord


@dataclass(frozen=True, slots=True)
class Clock:
    """What a seat may know of time when it is asked for a move; None is no limit."""

    move_seconds: float | None = None
    """Seconds for this move."""
    seconds_left: float | None = None
    """Seconds for all moves that are left, this one included."""
    increment: float = 0.0
    """Seconds that each move adds to those that are left."""
    moves: int = 0
    """Plies of its own that this side has played, forced passes included; those of a random
    opening are nobody's own."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move and what is known about it."""

    move: Any
    """One of the legal moves."""
    score: float | None = None
    """What the move is worth to *color*, on the evaluator's scale; None if nothing was valued."""
    color: Color | None = None
    """For whom the score speaks: always the side that chooses; None without a score."""
    depth: int = 0
    """Plies looked ahead, the move included; 0 if nothing was valued."""
    nodes: int = 0
    """Positions entered and leaves valued."""
    seconds: float = 0.0
    """From question to answer."""
    line: tuple[Any, ...] = ()
    """The principal variation, which begins with the move; empty if there is none."""
    moves: tuple[tuple[Any, float], ...] = ()
    """Every legal move with its value to *color*, best first, where that was asked for and the
    player values moves."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What else there is to say, by name, as JSON-ready data."""


def choice_of(answer: object, game: GameRecord) -> Choice:
    """Return what a seat answered, a `Choice`, a move or its text, as a choice that is legal.

    Raises `IllegalMoveError` or `InvalidMoveError` for any other answer.
    """
    choice = answer if isinstance(answer, Choice) else Choice(answer)
    moves = game.position.legal_moves
    if isinstance(choice.move, str):
        return replace(choice, move=game.play(choice.move).moves[-1])
    if not isinstance(choice.move, type(moves[0])):
        raise InvalidMoveError(
            f"{repr(choice.move)[:80]} is no move: return one of game.position.legal_moves, or its "
            "text"
        )
    if choice.move not in moves:
        game.play(choice.move)  # says why not
        raise IllegalMoveError(f"illegal move {choice.move} in {game.position.text()}")
    return choice


class Seat(ABC):
    """Sits at one board of one game and chooses moves for one side: the base of every seat."""

    about: Mapping[str, Any] = MappingProxyType({})
    """What it learned of who plays, such as the version of an engine, as data by name: results of
    matches show it."""
    is_shared: bool = False
    """Whether it has all games of a match, one after another."""

    @abstractmethod
    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return a choice among `game.position.legal_moves`; asked only where there are several.

        All draws come from *stream*, whose key is that of this game, side and ply; its `parent` is
        the key of the game. So the same game gets the same choices, whatever was asked before.
        A seat that cannot go on raises `ForfeitError` and loses this game; any other error ends
        everything.
        """

    def close(self) -> None:
        """Give back what the seat holds, such as a process; a second call does nothing."""
        return

    def use_all_cores(self) -> None:
        """Think on all cores from now on, if it can: it is the only one that thinks."""
        return

    def anew(self) -> Seat:
        """Return a seat of the same player without what a search keeps; who keeps none is it."""
        return self

    def get_ready(self) -> None:
        """Do what takes time and is no thinking, before the clocks of a game start."""
        return


class Player(Protocol):
    """A player as data: what it is called, what it plays, and who sits at the board for it."""

    @property
    def label(self) -> str:
        """The name, or what the player is made of, in one line."""

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again."""

    def check_fits(self, game: str, /) -> None:
        """Raise `ValueError` if the player cannot play *game*."""

    def seat(self, game: str, /) -> Seat:
        """Return a seat for *game*, to be closed by whoever asked; `ValueError` if unfit."""
