"""GTP, the Go Text Protocol, version 2, as engines of Othello speak it: the side that asks.

A command is a line without a number, since some engines know no numbers; the answer is `= text` or
`? error` and ends with an empty line, or at once with engines that never write one. Lines before an
answer that begin otherwise are ignored. Squares are written as here, d3 with row 1 at the top. A
game begins at the usual start and everything played since, openings included, is sent move by
move; only evoply's own engines can set up another start. Engines disagree about passes: a forced
pass is sent, and an engine that refuses it continues without it (GRhino).

Reasons: docs/design/players.md.
"""

import math
import re
from collections.abc import Mapping, Sequence

from evoply.games import game_rules
from evoply.players.engines.dialogue import (
    LATE_START,
    MOST_TEXT,
    goes_on,
    legal_move,
    no_answer,
)
from evoply.processes import BrokenError, ForeignProcess
from evoply.protocols import Choice, Clock, ForfeitError, GameRecord, Position
from evoply.wording import shorten

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
