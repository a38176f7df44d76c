"""The seat of a bot: the questions to its process, checks of its answers, and its end.

Answers of a process are checked like all other input from outside.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evoply._native import Stream
from evoply.games import game_rules
from evoply.players import bot_process
from evoply.players.engines.dialogue import goes_on
from evoply.players.process_limits import MoveLimit
from evoply.processes import BrokenError, ForeignProcess, KeeperLimits, Surroundings, one_line
from evoply.protocols import Choice, Clock, Color, ForfeitError, GameRecord, Seat

_START_LIMIT = 60.0
"""Seconds for Python itself to start, which do not count for the bot."""
_NO_ANSWER = "wrote something else than its answer"
_MOST_LINE_MOVES = 1000


class BotSeat(Seat):
    """The seat of a bot; its process starts with the first question, and again after a failure.

    Every game has its own object, so that no game depends on earlier games. Any thread may ask, one
    question at a time; another thread may call `close`, which ends the question.
    """

    def __init__(
        self,
        path: str,
        class_name: str,
        move_limit: MoveLimit,
        limits: KeeperLimits,
        surroundings: Surroundings,
    ) -> None:
        self.path = path
        self.class_name = class_name
        self.move_limit = move_limit
        self.limits = limits
        self.surroundings = surroundings
        self._process: _BotProcess | None = None
        self._is_closed = False
        self._asked: tuple[int, GameRecord] | None = None
        """The game that the process knows: the key of the game, and the record so far."""

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return the choice of the bot; `ForfeitError` says why it loses the game."""
        began = time.monotonic()
        if self._process is not None and self._asked is not None:
            key = stream.key if stream.parent is None else stream.parent
            if key != self._asked[0] and began - self._process.began > self.limits.cpu / 2:
                self._end()  # it might use up its processor time in the middle of a game
        process = self._running_process()
        limit = self.move_limit.patience(clock)
        try:
            answer = process.ask(self._message(game, stream, clock), limit)
            if "error" in answer:
                # The process works; only this game is lost.
                self._asked = None
                raise ForfeitError(one_line(answer["error"]))
            return _choice(answer, game, time.monotonic() - began)
        except BrokenError as error:
            self._end()
            raise ForfeitError(str(error), by_time=error.by_time) from None

    def get_ready(self) -> None:
        """Start the process, if there is none or it is too old for another game."""
        if self._process and time.monotonic() - self._process.began > self.limits.cpu / 2:
            self._end()
        self._running_process()

    def close(self) -> None:
        """End the process and all that it has started."""
        self._is_closed = True
        self._end()

    def _running_process(self) -> _BotProcess:
        if self._is_closed:
            raise ForfeitError("was sent away")
        if self._process is None:
            try:
                self._process = _BotProcess(
                    self.path, self.class_name, self.limits, self.surroundings
                )
                self.about = {"sandbox": self._process.sandbox}
                if self._is_closed:
                    raise BrokenError("was sent away")
                self._process.wait_until_loaded(self.move_limit.seconds)
            except BrokenError as error:
                self._end()
                raise ForfeitError(str(error), by_time=error.by_time) from None
        return self._process

    def _end(self) -> None:
        process, self._process, self._asked = self._process, None, None
        if process is not None:
            process.end()

    def _message(self, game: GameRecord, stream: Stream, clock: Clock) -> dict[str, Any]:
        """Return the question as data: the whole game once, then the moves since."""
        shape = game.position.shape
        key = stream.key if stream.parent is None else stream.parent
        message: dict[str, Any] = {}
        before = 0
        if self._asked is not None and self._asked[0] == key and goes_on(self._asked[1], game):
            before = len(self._asked[1])
        else:
            draws = getattr(game, "draws", None)
            message["game"] = {
                # The kernel's name: the process does not know games that Python code has added.
                "name": game_rules(game.position.game).kernel,
                "start": game.start.row,
                "draws": None if draws is None else draws.limits,
            }
        self._asked = key, game
        position = game.position
        return {
            **message,
            "moves": [move.code(shape) for move in game.moves[before:]],
            "stream": {
                "key": stream.key,
                "parent": stream.parent,
                "path": [int(position.turn is Color.WHITE), position.ply],
            },
            "clock": {
                "move_seconds": self.move_limit.under(clock),
                "seconds_left": clock.seconds_left,
                "increment": clock.increment,
                "moves": clock.moves,
            },
        }


def _choice(answer: Mapping[str, Any], game: GameRecord, seconds: float) -> Choice:
    """Return the answer of a process, which may be anything, as a legal choice."""
    position = game.position
    by_code = {move.code(position.shape): move for move in position.legal_moves}
    code, score = answer.get("move"), answer.get("score")
    if type(code) is not int or code not in by_code:
        raise BrokenError(_NO_ANSWER)
    is_scored = type(score) is float and math.isfinite(score)
    depth, nodes, notes = (answer.get(name) for name in ("depth", "nodes", "notes"))
    return Choice(
        move=by_code[code],
        score=score if is_scored else None,
        color=position.turn if is_scored else None,
        depth=depth if type(depth) is int else 0,
        nodes=nodes if type(nodes) is int else 0,
        seconds=seconds,
        line=_line(answer.get("line"), game),
        notes=notes if isinstance(notes, dict) else {},
    )


def _line(codes: object, game: GameRecord) -> tuple[Any, ...]:
    """Return the moves of a line as far as they can be played."""
    line: list[Any] = []
    position = game.position
    for code in codes[:_MOST_LINE_MOVES] if isinstance(codes, list) else ():
        by_code = {move.code(position.shape): move for move in position.legal_moves}
        if type(code) is not int or code not in by_code:
            break
        line.append(by_code[code])
        position = position.play(by_code[code])
    return tuple(line)


class _BotProcess(ForeignProcess):
    """The process of a bot: questions and answers are JSON, a line each."""

    def __init__(
        self, path: str, class_name: str, limits: KeeperLimits, surroundings: Surroundings
    ) -> None:
        home = str(Path(bot_process.__file__).parents[2])
        paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
        # -P: nothing is imported from the folder of the program itself.
        program = (sys.executable, "-P", bot_process.__file__)
        super().__init__(
            [*program, json.dumps(limits), path, class_name],
            limits,
            surroundings=replace(surroundings, variables=(*surroundings.variables, "EVOPLY_CPU")),
            environment={"PYTHONPATH": os.pathsep.join(paths)},
            readable=os.pathsep.join(paths).split(os.pathsep),
            becomes_nobody=True,
        )
        self._number = 0

    def wait_until_loaded(self, limit: float) -> None:
        """Wait for Python to start, and then for the bot's file, which has *limit* seconds."""
        self._receive("started", _START_LIMIT, "did not start")
        answer = self._receive("loaded", limit, "importing its file took more than {} seconds")
        if "error" in answer:
            raise BrokenError(str(answer["error"]))

    def ask(self, message: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """Return the answer to *message*, which must come within *limit* seconds."""
        self._number += 1
        self.send(json.dumps({**message, "number": self._number}))
        answer = self._receive("number", limit, "no move within {} seconds")
        if answer["number"] != self._number:
            raise BrokenError(_NO_ANSWER)
        return answer

    def _receive(self, key: str, limit: float, late: str) -> dict[str, Any]:
        """Return the next message, which has *key*; *late* is the reason if none comes in time."""
        line = self.line(time.monotonic() + limit, late.format(f"{limit:g}"))
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not {key, "error"} & message.keys():
            raise BrokenError(_NO_ANSWER)
        return {"number": self._number, **message} if "error" in message else message
