"""GTP, the Go Text Protocol, version 2, as engines of Othello speak it: the side that asks.

A command is a line with a number; the answer is `=NUMBER text` or `?NUMBER error` and ends with an
empty line. Squares are written as here, d3 with row 1 at the top. A game begins at the usual start
and everything played since, openings included, is sent move by move; only evoply's own engines can
set up another start. Engines disagree about passes: a
forced pass is sent, and an engine that refuses it continues without it (GRhino).

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
from evoply.protocols import Choice, Clock, ForfeitError, GameRecord
from evoply.wording import shorten

GAME = "Othello"
"""The name of the game in the protocol."""
SET_POSITION = "evoply-set_position"
"""The command of evoply's own engines that begins a game at a position."""
_ANSWER = re.compile(r"([=?])(\d*)(?:\s+(.*))?", re.DOTALL)


class GtpDialogue:
    """GTP, spoken with one process."""

    def __init__(self, process: ForeignProcess, options: Sequence[tuple[str, str]]) -> None:
        self._process = process
        self._options = options
        self._number = 0
        self._has_answered = False
        self._commands: frozenset[str] = frozenset()
        self._game: GameRecord | None = None
        """The game on the engine's board."""

    def introduce(self, end: float) -> Mapping[str, str]:
        """Begin, set the options, and return what the engine calls itself."""
        questions = ("name", "version", "list_commands")
        numbers = [self._send(question) for question in questions]
        answers = [self._answer(number, end, LATE_START) for number in numbers]
        name, version, commands = (text if is_well else "" for is_well, text in answers)
        self._commands = frozenset(commands.split())
        for option in self._options:
            is_well, text = self._answer(self._send(" ".join(option)), end, LATE_START)
            if not is_well:
                raise BrokenError(f"refuses the option {' '.join(option)}: {text}")
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
        number = self._send(f"genmove {game.position.turn.value}")
        is_well, text = self._answer(number, end, late)
        if not is_well:
            raise ForfeitError(f"refuses to choose a move: {shorten(text)}")
        move = legal_move(text.strip(), game)
        self._game = game.play(move)
        return Choice(move)

    def _begin(self, game: GameRecord, end: float, late: str) -> None:
        """Set up the start of *game*."""
        commands = [f"boardsize {game.position.shape.side}", "clear_board"]
        if "set_game" in self._commands:
            commands.insert(0, f"set_game {GAME}")
        if game.start != game_rules(game.position.game).start():
            if SET_POSITION not in self._commands:
                raise ValueError(
                    "an engine that speaks GTP begins every game at the start position (random "
                    "openings are played from there): leave the position out, or use an engine "
                    "that speaks NBoard"
                )
            commands.append(f"{SET_POSITION} {game.start.text()}")
        for number, command in [(self._send(command), command) for command in commands]:
            is_well, text = self._answer(number, end, late)
            if not is_well:
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
                self._answer(self._send(f"{name} {words}"), end, late)

    def _play(self, game: GameRecord, begin: int, end: float, late: str) -> None:
        """Send the moves of *game* from index *begin* on."""
        plies = [
            (self._send(f"play {position.turn.value} {move}"), position, move)
            for position, move in list(zip(game.positions, game.moves, strict=False))[begin:]
        ]
        for number, position, move in plies:
            is_well, text = self._answer(number, end, late)
            if not is_well and not position.legal_moves.must_pass:
                raise ForfeitError(f"refuses the legal move {move}: {shorten(text)}")

    def _send(self, command: str) -> int:
        self._number += 1
        self._process.send(f"{self._number} {command}")
        return self._number

    def _answer(self, number: int, end: float, late: str) -> tuple[bool, str]:
        """Return whether the command of this *number* was understood, and the text of the answer.

        Before its first answer an engine may say what it likes.
        """
        size = 0
        while not (line := self._process.line(end, late)).strip() or (
            not self._has_answered and line[0] not in "=?"
        ):
            size += len(line) + 1
            if size > MOST_TEXT:
                raise no_answer(line)
        match = _ANSWER.fullmatch(line)
        if match is None or match[2] not in ("", str(number)):
            raise no_answer(line)
        self._has_answered = True
        lines = [match[3] or ""]
        while line := self._process.line(end, late):
            size += len(line) + 1
            if size > MOST_TEXT:
                raise no_answer(line)
            lines.append(line)
        return match[1] == "=", "\n".join(lines).strip()
