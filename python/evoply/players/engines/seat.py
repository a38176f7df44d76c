"""The seat of an engine: its process, its deadlines, and its failures.

An engine that does not get as far as its first move, as `check` finds out, does not play at all. A
process that dies later is restarted once in a game and sent the game's moves; the second time the
game is lost. Any other failure loses the game at once; later games are still played.
"""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from evoply._native import Stream
from evoply.players.engines.dialogue import Dialogue
from evoply.players.engines.gtp import GtpDialogue
from evoply.players.engines.nboard import NBoardDialogue
from evoply.players.process_limits import MoveLimit
from evoply.processes import BrokenError, ForeignProcess, KeeperLimits, Surroundings, one_line
from evoply.protocols import Choice, Clock, ForfeitError, GameRecord, Seat
from evoply.wording import shorten

_FAREWELL = 0.2
"""Seconds that an engine has to end by itself."""

DIALOGUES: Mapping[str, Callable[[ForeignProcess, Sequence[tuple[str, str]]], Dialogue]] = (
    MappingProxyType({"gtp": GtpDialogue, "nboard": NBoardDialogue})
)
"""The protocols by name."""


class EngineSeat(Seat):
    """The seat of an engine; its process starts with the first question.

    Any thread may ask, one question at a time; another thread may call `close`, which ends the
    question.
    """

    def __init__(
        self,
        protocol: str,
        command: Sequence[str],
        options: Sequence[tuple[str, str]],
        *,
        game: str,
        limits: KeeperLimits,
        surroundings: Surroundings,
        start_limit: float,
        move_limit: MoveLimit,
    ) -> None:
        self._protocol = protocol
        self._command = command
        self._options = options
        self._game = game
        self._limits = limits
        self._surroundings = surroundings
        self._start_limit = start_limit
        self._move_limit = move_limit
        self._process: ForeignProcess | None = None
        self._dialogue: Dialogue | None = None
        self._is_closed = False
        self._game_key: int | None = None
        self._has_died = False
        """Whether a process has died in the game with that key."""

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the choice of the engine; `ForfeitError` says why it loses the game."""
        began = time.monotonic()
        key = stream.key if stream.parent is None else stream.parent
        if key != self._game_key:
            self._game_key, self._has_died = key, False
            self._spare_processor_time()
        limit = self._move_limit.patience(clock)
        starting = 0.0
        while True:
            before_start = time.monotonic()
            try:
                dialogue = self._running_dialogue()
                if clock.seconds_left is None:  # else it counts: the clock of the game is running
                    starting += time.monotonic() - before_start
                end = began + starting + limit
                choice = dialogue.choose(game, clock, end, f"no move within {limit:g} seconds")
                return replace(choice, seconds=time.monotonic() - began)
            except BrokenError as error:
                self._end()
                if self._is_closed:
                    raise ForfeitError("was sent away") from None
                if self._has_died or not error.has_died:
                    again = ", for the second time in this game" * error.has_died
                    raise ForfeitError(f"{error}{again}", by_time=error.by_time) from None
                self._has_died = True

    def check(self) -> None:
        """Raise `ValueError` unless the process starts, speaks its protocol and knows the game."""
        try:
            self.get_ready()
        except ForfeitError as error:
            raise ValueError(
                f"the engine {shorten(shlex.join(self._command), 200)} cannot play: {error} - try "
                f"its command by hand, and see whether it speaks {self._protocol} and plays "
                f"{self._game}, or give it more time with limits.start"
            ) from None

    def get_ready(self) -> None:
        """Start the process, if there is none or it is too old for another game."""
        self._spare_processor_time()
        try:
            self._running_dialogue()
        except BrokenError as error:
            self._end()
            raise ForfeitError(str(error), by_time=error.by_time) from None

    def close(self) -> None:
        """End the process and all that it has started."""
        self._is_closed = True
        self._send_away()

    def _running_dialogue(self) -> Dialogue:
        if self._is_closed:
            raise ForfeitError("was sent away")
        if self._dialogue is None:
            self._process = ForeignProcess(
                self._command, self._limits, surroundings=self._surroundings
            )
            if self._is_closed:
                raise BrokenError("was sent away")
            dialogue = DIALOGUES[self._protocol](self._process, self._options)
            introduction = dialogue.introduce(self._game, time.monotonic() + self._start_limit)
            self.about = {
                "engine": one_line(introduction["name"]) or None,
                "version": one_line(introduction["version"]) or None,
                "sandbox": self._process.sandbox,
            }
            self._dialogue = dialogue
        return self._dialogue

    def _spare_processor_time(self) -> None:
        """End a process that might use up its processor time in the middle of a game."""
        if self._process and time.monotonic() - self._process.began > self._limits.cpu / 2:
            self._send_away()

    def _send_away(self) -> None:
        if self._process is not None and self._dialogue is not None:
            self._process.finish("quit", _FAREWELL)
        self._end()

    def _end(self) -> None:
        process, self._process, self._dialogue = self._process, None, None
        if process is not None:
            process.end()
