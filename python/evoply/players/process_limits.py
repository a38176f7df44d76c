"""What bots and engines share as data: the limits of the process, and its time for a move."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field

from evoply.configs.own_code import name_program
from evoply.environment import SandboxMode
from evoply.games import game_rules
from evoply.players.evaluators import Model
from evoply.players.player_kind import PlayerKind
from evoply.protocols import Clock

if TYPE_CHECKING:
    from evoply.environment import KeeperLimits, Surroundings

SHORTEST_MOVE_LIMIT, LONGEST_LIMIT = 0.01, 86_400.0
"""Seconds."""
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
UNSEEN = frozenset({"sandbox", "environment", "readable"})
"""The limits that say nothing about who plays."""


class ProcessLimits(Model):
    """Limits that are set in the process before its own code runs.

    *cpu*: seconds of processor time of each process; a new game gets a new process before half of
    them may be used. *memory*: mebibytes of each process. *processes*: how many there may be at a
    time, the first one included.

    *sandbox*: `auto` is bubblewrap where it is there and allowed, `required` refuses to play
    without it. *environment*: names of variables that the process gets besides PATH, HOME, LANG and
    LD_LIBRARY_PATH. *readable*: folders and files that it may read in the sandbox besides its own
    folder and those of the system.
    """

    cpu: int = Field(default=3600, ge=1, le=10**7, strict=True)
    memory: int = Field(default=4096, ge=16, le=10**7, strict=True)
    processes: int = Field(default=64, ge=1, le=10_000, strict=True)

    sandbox: SandboxMode = "auto"
    environment: tuple[VariableName, ...] = Field(default=(), strict=False, max_length=100)
    readable: tuple[str, ...] = Field(default=(), strict=False, max_length=100)

    def surroundings(self) -> Surroundings:
        """Return what the process finds around it; `ValueError` if a required sandbox is missing.

        It is looked at here, so that nothing is played without it.
        """
        from evoply.environment import Surroundings  # of use only where there is a process

        found = Surroundings(self.sandbox, self.environment, self.readable)
        found.has_sandbox()
        return found

    def for_keeper(self) -> KeeperLimits:
        """Return the limits for the keeper of the process."""
        from evoply.environment import KeeperLimits  # of use only where there is a process

        return KeeperLimits(self.cpu, self.memory, self.processes)


@dataclass(frozen=True, slots=True)
class MoveLimit:
    """Seconds for a move: the default applies without a clock, a given number always."""

    seconds: float
    is_given: bool

    def under(self, clock: Clock) -> float | None:
        """Return the seconds for this move alone; None if only the clock of the game limits it."""
        has_clock = clock.seconds_left is not None and not self.is_given
        own = None if has_clock else self.seconds
        return min((time for time in (own, clock.move_seconds) if time is not None), default=None)

    def patience(self, clock: Clock) -> float:
        """Return the seconds to wait for the move."""
        limits = (self.under(clock), clock.seconds_left)
        return min(limit for limit in limits if limit is not None)


class ProgramPlayer(PlayerKind):
    """The base of players that are programs: a subclass has a field `limits` of the process."""

    is_portable: ClassVar[bool] = False
    is_believed: ClassVar[bool] = False
    what: ClassVar[str]
    """What it is, for the message that says why it cannot be saved."""

    if TYPE_CHECKING:
        limits: ProcessLimits

    def model_post_init(self, context: Any, /) -> None:
        """Note that the user names the program."""
        name_program(self._program)

    @property
    def _program(self) -> str:
        # With what confines it: who names a program does not name it without its sandbox.
        return json.dumps([*self._named, self.limits.model_dump(include=set(UNSEEN))])

    @property
    def _named(self) -> list[Any]:
        raise NotImplementedError  # what a user names of it, with absolute paths

    def with_move_limit(self, seconds: float) -> Self:
        """Return the player with *seconds* for each move; `ValueError` if they are no limit."""
        try:
            return self._limited(seconds)
        except ValueError:
            raise ValueError(
                f"{seconds:g} is not a number of seconds from {SHORTEST_MOVE_LIMIT:g} to "
                f"{LONGEST_LIMIT:g}"
            ) from None

    def _limited(self, seconds: float) -> Self:
        raise NotImplementedError

    def with_sandbox(self, mode: SandboxMode) -> Self:
        """Return the player with this sandbox; `ValueError` if it is required and missing."""
        limits = self.limits.model_copy(update={"sandbox": mode})
        limits.surroundings()
        return type(self)(**{**self.model_dump(exclude_unset=True), "limits": limits})

    def self_contained(self) -> Self:
        """Raise `ValueError`: saved players play anywhere and must not need a program."""
        raise ValueError(f"{self.label}: {self.what} and cannot be saved as a player")


class Carried:
    """Makes of a kind the one that a run or a league names: it starts only if the user names it."""

    def model_post_init(self, context: Any, /) -> None:
        """Note nothing: no user named it."""

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` for an unknown game; the program is looked for when it starts."""
        game_rules(game)
