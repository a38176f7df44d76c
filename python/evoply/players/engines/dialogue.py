"""Engines as players: the contract of protocols, GTP and NBoard, and the seat that asks.

A dialogue trusts nothing: evoply's rules check every answer, and every answer has a deadline, which
is a time of `time.monotonic`.

Reasons: docs/design/players.md.
"""

import math
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

from evoply._native import Stream
from evoply.environment import BrokenError, ForeignProcess, KeeperLimits, Surroundings, one_line
from evoply.games import game_rules
from evoply.games.formats import GamePlayed, ggf
from evoply.players.process_limits import MoveLimit
from evoply.protocols import (
    Choice,
    Clock,
    ForfeitError,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Position,
    Seat,
    choice_of,
)
from evoply.wording import shorten

MOST_TEXT = 1_000_000
"""The most characters of an answer, including meaningless lines."""
LATE_START = "was not ready in time"


class Dialogue(Protocol):
    """A protocol, spoken with one process."""

    def introduce(self, game: str, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself: `name`, `version`.

        *game* is the name of the game that it is to play. Raises `BrokenError`, also if the engine
        says that it cannot play it.
        """

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice at the end of *game*, where its clock shows *clock*.

        *late* is the reason if none comes by *end*. Raises `BrokenError` if the process cannot be
        used further, and `ForfeitError` if only this game is lost.
        """


def legal_move(text: str, game: GameRecord) -> Any:
    """Return the move *text*; `ForfeitError` if it is illegal here, `BrokenError` for nonsense."""
    if text.lower() == "resign":
        raise ForfeitError("resigned")
    try:
        return choice_of(text, game).move
    except IllegalMoveError:
        raise ForfeitError(f"played the illegal move {shorten(text)!r}") from None
    except InvalidMoveError:
        raise no_answer(text) from None


def no_answer(line: str) -> BrokenError:
    """Return the error for a *line* that the protocol does not allow there."""
    return BrokenError(f"wrote something else than its answer: {shorten(line.strip())!r}")


def goes_on(before: GameRecord | None, game: GameRecord) -> bool:
    """Return whether *game* is *before*, perhaps with more moves, by the same rules."""
    return (
        before is not None
        and game.moves[: len(before)] == before.moves
        and game.start.row == before.start.row
        and getattr(game, "draws", None) == getattr(before, "draws", None)
    )


# GTP, the Go Text Protocol, version 2, as engines of Othello speak it: the side that asks.
#
# A command is a line without a number, since some engines know no numbers; the answer is `= text`
# or `? error` and ends with an empty line, or at once with engines that never write one. Lines
# before an answer that begin otherwise are ignored. Squares are written as here, d3 with row 1 at
# the top. A game begins at the usual start and everything played since, openings included, is sent
# move by move; only evoply's own engines can set up another start. Engines disagree about passes: a
# forced pass is sent, and an engine that refuses it continues without it (GRhino).

GAME = "Othello"
"""The name of the game in the protocol."""
SET_POSITION = "evoply-set_position"
"""The command of evoply's own engines that begins a game at a position."""
_ANSWER = re.compile(r"([=?])(?:\d+(?=\s|$))?\s*(.*)")
_USUAL_SIZE = 8


class GtpDialogue:
    """GTP, spoken with one process."""

    def __init__(self, process: ForeignProcess, options: Sequence[tuple[str, str]]) -> None:
        self._process = process
        self._options = options
        self._ahead: list[str] = []
        """A line that was read and belongs to the next answer."""
        self._has_empty_lines = True
        """Whether the engine ends its answers with an empty line."""
        self._commands: frozenset[str] = frozenset()
        self._game: GameRecord | None = None
        """The game on the engine's board."""

    def introduce(self, game: str, end: float) -> Mapping[str, str]:
        """Begin, set the options and a board of *game*, and return what the engine calls itself."""
        questions = ("name", "version", "list_commands", "protocol_version")
        for question in questions:
            self._process.send(question)
        answers = [
            self._answer(end, LATE_START, is_followed=question != questions[-1])
            for question in questions
        ]
        if not any(is_well for is_well, _ in answers):
            raise BrokenError(f"does not speak GTP: it refuses {questions[0]}: {answers[0][1]}")
        name, version, commands = (text if is_well else "" for is_well, text in answers[:3])
        self._commands = frozenset(commands.split())
        for option in self._options:
            is_well, text = self._asked(" ".join(option), end, LATE_START)
            if not is_well:
                raise BrokenError(f"refuses the option {' '.join(option)}: {text}")
        try:
            self._set_up(game_rules(game).start(), end, LATE_START)
        except ForfeitError as error:
            raise BrokenError(str(error)) from None
        return {"name": name, "version": version}

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice, made on its own board."""
        before = self._game
        self._game = None  # until all answers have come
        if before is None or not goes_on(before, game):
            self._begin(game, end, late)
            before = None
        self._play(game, 0 if before is None else len(before), end, late)
        if clock.seconds_left is not None:
            self._tell_time(game, clock.seconds_left, before is None, end, late)
        is_well, text = self._asked(f"genmove {game.position.turn.value}", end, late)
        if not is_well:
            raise ForfeitError(f"refuses to choose a move: {shorten(text)}")
        # Some engines write more behind the move, such as its value.
        move = legal_move([*text.split(), ""][0], game)
        self._game = game.play(move)
        return Choice(move)

    def _begin(self, game: GameRecord, end: float, late: str) -> None:
        self._set_up(game.start, end, late)
        if game.start != game_rules(game.position.game).start():
            if SET_POSITION not in self._commands:
                raise ValueError(
                    "an engine that speaks GTP begins every game at the start position (random "
                    "openings are played from there): leave the position out, or use an engine "
                    "that speaks NBoard"
                )
            command = f"{SET_POSITION} {game.start.text()}"
            is_well, text = self._asked(command, end, late)
            if not is_well:
                raise ForfeitError(f"refuses {command}: {shorten(text)}")

    def _set_up(self, start: Position, end: float, late: str) -> None:
        """Set up the board of *start*; an engine for one size need not know its command."""
        size = start.shape.side
        is_listed = "boardsize" in self._commands
        needed = {
            f"set_game {GAME}": "set_game" in self._commands,
            f"boardsize {size}": is_listed or size != _USUAL_SIZE,
            "clear_board": True,
        }
        for command, is_needed in needed.items():
            if is_needed or (not self._commands and command.startswith("boardsize")):
                is_well, text = self._asked(command, end, late)
                if is_needed and not is_well:
                    raise ForfeitError(f"refuses {command}: {shorten(text)}")

    def _tell_time(
        self, game: GameRecord, left: float, is_new: bool, end: float, late: str
    ) -> None:
        """Send the time left of the side to move, in the commands that the engine knows.

        The protocol has whole seconds and no increments. Errors of these commands are ignored.
        """
        seconds = math.floor(left)
        commands = {
            "time_settings": f"{max(seconds, 1)} 0 0" if is_new else "",
            "time_left": f"{game.position.turn.value} {seconds} 0",
        }
        for name, words in commands.items():
            if words and name in self._commands:
                self._asked(f"{name} {words}", end, late)

    def _play(self, game: GameRecord, begin: int, end: float, late: str) -> None:
        plies = list(zip(game.positions, game.moves, strict=False))[begin:]
        for position, move in plies:
            self._process.send(f"play {position.turn.value} {move}")
        for position, move in plies:
            is_well, text = self._answer(end, late)
            if not is_well and not position.legal_moves.must_pass:
                raise ForfeitError(f"refuses the legal move {move}: {shorten(text)}")

    def _asked(self, command: str, end: float, late: str) -> tuple[bool, str]:
        self._process.send(command)
        return self._answer(end, late)

    def _answer(self, end: float, late: str, *, is_followed: bool = False) -> tuple[bool, str]:
        """Return whether the next command was understood, and the text of the answer.

        *is_followed* says that the engine already has another command, so that another answer
        follows: it shows whether empty lines end them.
        """
        size = 0
        lines: list[str] = []
        is_well = False
        while not lines or is_followed or self._has_empty_lines:
            line = self._ahead.pop() if self._ahead else self._process.line(end, late)
            size += len(line) + 1
            if size > MOST_TEXT:
                raise no_answer(line)
            match = _ANSWER.fullmatch(line.strip())
            if not lines:
                if match is not None:
                    is_well = match[1] == "="
                    lines.append(match[2])
                continue
            if not line.strip():
                break
            if is_followed and match is not None:
                self._ahead.append(line)
                self._has_empty_lines = False
                break
            lines.append(line.strip())
        return is_well, "\n".join(lines).strip()


# The NBoard protocol, version 2: the side that asks.
#
# Lines have no answers, except `ping N`, answered by `pong N` when the engine is idle, and `go`,
# answered by `=== MOVE/EVALUATION/SECONDS` (Edax writes blanks for the slashes, and small letters).
# All other lines of an engine may be ignored.

USUAL_DEPTH = "6"
"""The default depth in plies that is sent to an engine."""
_NAME = "set myname "


class NBoardDialogue:
    """The NBoard protocol, spoken with one process."""

    def __init__(self, process: ForeignProcess, options: Sequence[tuple[str, str]]) -> None:
        self._process = process
        self._options = {"depth": USUAL_DEPTH, **dict(options)}
        self._pings = 0

    def introduce(self, game: str, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself."""
        self._process.send("nboard 2")
        for option in self._options.items():
            self._process.send(f"set {' '.join(option)}")
        news = self._at_rest(end, LATE_START)
        names = [line.removeprefix(_NAME).strip() for line in news if line.startswith(_NAME)]
        name = names[-1] if names else ""
        version = re.search(r"\b\d+(?:\.\d+)+\b", name)  # the protocol has no field for it
        return {"name": name, "version": version[0] if version else ""}

    def choose(self, game: GameRecord, clock: Clock, end: float, late: str) -> Choice:
        """Return the engine's choice; each time, send it the whole game and the time left.

        The moves are sent without times, so the time of the game is that left for this move and
        later ones.
        """
        left = clock.seconds_left
        time = "0" if left is None else ggf.write_time(left, clock.increment)
        named = GamePlayed.of(
            game, black="Black", white="White", tags={"Site": "evoply", "TI": time}
        )
        self._process.send(f"set game {''.join(ggf.write([named])).strip()}")
        self._at_rest(end, late)
        self._process.send("go")
        *news, answer = self._until("===", end, late)
        answer = answer.strip()
        words = [
            word.strip()
            for word in re.split(r"[/\s]", answer.removeprefix("===").strip(), maxsplit=2)
        ]
        if not words[0]:
            raise no_answer(answer)
        move = legal_move(words[0], game)
        score = _number(words[1]) if len(words) > 1 else None
        return Choice(
            move,
            score=score,
            color=None if score is None else game.position.turn,
            depth=int(_last(r"search \S+ \S+ \S+ (\d{1,3})", news, "0")),
            nodes=int(_last(r"nodestats (\d{1,15})", news, "0")),
        )

    def _at_rest(self, end: float, late: str) -> list[str]:
        """Return the lines until the engine has done all commands."""
        self._pings += 1
        self._process.send(f"ping {self._pings}")
        return self._until(rf"pong\s*{self._pings}\b|pong$", end, late)

    def _until(self, sign: str, end: float, late: str) -> list[str]:
        """Return the next lines up to the one that begins with the pattern *sign*."""
        lines: list[str] = []
        size = 0
        pattern = re.compile(sign, re.IGNORECASE)
        while not lines or not pattern.match(lines[-1].strip()):
            lines.append(self._process.line(end, late))
            size += len(lines[-1]) + 1
            if size > MOST_TEXT:
                raise no_answer(lines[-1])
        return lines


def _number(text: str) -> float | None:
    """Return an evaluation, the first of two, which value a draw for either side."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    mean = sum(numbers) / len(numbers)
    return mean if math.isfinite(mean) else None


def _last(pattern: str, news: Sequence[str], otherwise: str) -> str:
    matches = filter(None, (re.match(pattern, line) for line in news))
    return [otherwise, *(match[1] for match in matches)][-1]


# The seat of an engine: its process, its deadlines, and its failures.
#
# An engine that does not get as far as its first move, as `check` finds out, does not play at all.
# A process that dies later is restarted once in a game and sent the game's moves; the second time
# the game is lost. Any other failure loses the game at once; later games are still played.

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
