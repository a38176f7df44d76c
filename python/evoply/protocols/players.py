"""The contract of players: a player is data, a seat sits at a board, a choice is its answer.

A player describes itself (`Player`) and gives a *seat* for a game, which chooses moves. The kernel
plays whole schedules between its own seats (`evoply.players.KernelSeat`); every other seat, such as
a bot's process, is asked move by move. Every seat answers with a `Choice`, a search of the kernel
as well as a bot that only names a move.

Reasons: docs/design/players.md.
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

CERTAIN = 1e14
"""Values of won and lost games are larger than this; those of boards and their differences are not:
the kernel keeps what leaves an evaluator within 1e12."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a seat has when it is asked for a move; None means no limit."""

    move_seconds: float | None = None
    """Seconds for this move."""
    seconds_left: float | None = None
    """Seconds for all remaining moves, this one included."""
    increment: float = 0.0
    """Seconds that each move adds to those left."""
    moves: int = 0
    """Plies that this side has played, forced passes included, those of a random opening not."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen move and what is known about it."""

    move: Any
    """One of the legal moves."""
    score: float | None = None
    """The value of the move to *color*, on the evaluator's scale, or beyond `CERTAIN` where the
    game is won or lost; None if nothing was valued."""
    color: Color | None = None
    """The side whose score it is: always the side that chooses; None without a score."""
    depth: int = 0
    """Plies looked ahead, the move included; 0 if nothing was valued."""
    nodes: int = 0
    """Positions entered and leaves valued."""
    seconds: float = 0.0
    """The time from question to answer."""
    line: tuple[Any, ...] = ()
    """The principal variation, which begins with the move; may be empty."""
    moves: tuple[tuple[Any, float], ...] = ()
    """Every legal move with its value to *color*, best first, if that was asked for and the player
    values moves."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Further facts by name, as JSON-ready data."""


def choice_of(answer: object, game: GameRecord) -> Choice:
    """Return the answer of a seat, a `Choice`, a move or its text, as a legal choice.

    Raises `IllegalMoveError` or `InvalidMoveError` for any other answer.
    """
    choice = answer if isinstance(answer, Choice) else Choice(answer)
    moves = game.position.legal_moves
    if isinstance(choice.move, str):
        return replace(choice, move=game.play(choice.move).moves[-1])
    if not isinstance(choice.move, type(moves[0])):
        raise InvalidMoveError(
            f"{repr(choice.move)[:80]} is not a move: return one of game.position.legal_moves, or "
            "its text"
        )
    if choice.move not in moves:
        game.play(choice.move)  # says why not
        raise IllegalMoveError(f"illegal move {choice.move} in {game.position.text()}")
    return choice


class Seat(ABC):
    """Sits at one board of one game and chooses moves for one side: the base of every seat."""

    about: Mapping[str, Any] = MappingProxyType({})
    """Facts that it learned about its player, such as the version of an engine, by name; results of
    matches show them."""
    is_shared: bool = False
    """Whether this one seat plays all games of a match, one after another."""

    @abstractmethod
    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return a choice among `game.position.legal_moves`; called only if there are several.

        All draws come from *stream*, whose key belongs to this game, side and ply; its `parent` is
        the key of the game. So the same game gets the same choices, whatever was asked before.
        A seat that cannot go on raises `ForfeitError` and loses this game; any other error ends
        the whole call.
        """

    def close(self) -> None:
        """Release what the seat holds, such as a process; a second call does nothing."""
        return

    def use_all_cores(self) -> None:
        """Think on all cores from now on, if it can; called when no other seat is thinking."""
        return

    def anew(self) -> Seat:
        """Return a seat of the same player with empty search tables; this seat if it has none."""
        return self

    def check(self) -> None:
        """Raise `ValueError` if the player cannot play at all; called before its first game.

        That an engine does not speak its protocol is no strength of its opponents.
        """
        return

    def get_ready(self) -> None:
        """Do slow preparations, such as starting a process, before the clocks of a game start."""
        return


class Player(Protocol):
    """A player as data: its name, the games that it plays, and its seats."""

    @property
    def label(self) -> str:
        """The name, or a description in one line."""

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again."""

    def check_fits(self, game: str, /) -> None:
        """Raise `ValueError` if the player cannot play *game*."""

    def seat(self, game: str, /) -> Seat:
        """Return a seat for *game*, which the caller closes; `ValueError` if it cannot play it."""
