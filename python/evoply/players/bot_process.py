"""The process of a bot, run as a program by `evoply.players.bots`: the bot, and a keeper above it.

The keeper is the bot's parent. Whatever the bot starts, and whatever that starts, becomes a child
of the keeper when its own parent is gone (Linux: `PR_SET_CHILD_SUBREAPER`), sessions of its own or
not. When the bot ends, or the other end of the keeper's lifeline is closed because evoply wants it
or is no more, the keeper kills all of them and goes.

Bot and evoply speak JSON, a line a message, over copies of the standard streams. The streams
themselves lead nowhere, so that what the bot prints is in nobody's way.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

from evoply._native import Stream
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.protocols import (
    Choice,
    Clock,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    choice_of,
)
from evoply.wording import shorten

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # Linux: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
_TICK = 0.05
_PATIENCE = 10.0
"""Seconds after which the keeper gives up on processes that cannot be killed."""
_LONGEST_REASON = 300


def main(arguments: list[str]) -> None:
    """Run the bot of a class in a file; *arguments*: file, class, descriptor of the lifeline."""
    file, class_name, lifeline = arguments
    _ask_linux(_CHILD_SUBREAPER, 1)
    bot = os.fork()
    if bot:
        _keep(bot, int(lifeline))
    _ask_linux(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    os.close(int(lifeline))
    os.setsid()
    _serve(file, class_name)
    os._exit(0)


def _ask_linux(option: int, value: int) -> None:
    """Set an option of this process, where the system is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


# The keeper


def _keep(bot: int, lifeline: int) -> NoReturn:
    """Wait until the bot has ended or is to end, and leave nothing of it behind."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        # evoply sees the end of the bot's answers only if nobody else holds them open.
        os.dup2(nowhere, descriptor)
    waiting = select.poll()
    waiting.register(lifeline, select.POLLIN | select.POLLHUP)
    ended = _end_of(bot)
    if ended is not None:
        waiting.register(ended, select.POLLIN)
    while not waiting.poll(None if ended is not None else 1000 * _TICK):
        if os.waitid(os.P_PID, bot, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
    _end(bot)
    os._exit(0)


def _end_of(process: int) -> int | None:
    """Return a descriptor that can be read when *process* has ended, None if there is none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(process)
    except OSError:
        return None


def _end(bot: int) -> None:
    """Kill the bot and all that it has started, and wait for their ends."""
    with suppress(OSError):
        os.killpg(bot, signal.SIGKILL)
    with suppress(OSError):
        os.kill(bot, signal.SIGKILL)
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        # Who is stopped starts nothing: only then are they killed, so that none gets away.
        stopped: set[int] = set()
        while fresh := set(_descendants(os.getpid())) - stopped:
            _signal(fresh, signal.SIGSTOP)
            stopped |= fresh
        _signal(stopped, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _signal(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _descendants(ancestor: int) -> Iterator[int]:
    """Yield the processes below *ancestor*; none where the system does not list its processes."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                # The second field is the program's name in brackets, which may hold anything.
                fields = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
                if fields[0] not in (b"Z", b"X"):
                    children.setdefault(int(fields[1]), []).append(int(name))
    below = [ancestor]
    while below:
        for child in children.get(below.pop(), ()):
            yield child
            below.append(child)


# The bot


def _serve(file: str, class_name: str) -> None:
    """Answer one message after the other until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _say(answers, {"started": True})
    try:
        make = _class_in(file, class_name)
    except BaseException as error:
        _say(answers, {"error": f"its file could not be read: {_reason(error, file)}"})
        return
    _say(answers, {"loaded": True})
    game: GameRecord | None = None
    player: Any = None
    for line in requests:
        message = json.loads(line)
        try:
            if "game" in message:
                game = _record(message["game"])
                player = make()
            assert game is not None  # the first message has a game
            game = _with_moves(game, message["moves"])
            answer = _answer(player, game, message)
        except BaseException as error:
            answer = {"error": f"raised {_reason(error, file)}"}
        _say(answers, {**answer, "number": message["number"]})


def _class_in(file: str, class_name: str) -> Callable[[], Any]:
    """Import *file* under a name that no other module has, and return a class of it."""
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    name = f"bot {path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = getattr(module, class_name)
    if not callable(getattr(found, "choose", None)):
        raise TypeError(f"{class_name} has no method choose(game, stream, clock)")
    make: Callable[[], Any] = found
    return make


def _record(data: Mapping[str, Any]) -> GameRecord:
    """Return the game that has just begun."""
    rules = game_rules(data["name"])
    draws = None if data["draws"] is None else DrawRules(*data["draws"])
    return rules.game(rules.position_from_row(tuple(data["start"])), (), draws)


def _with_moves(game: GameRecord, codes: list[int]) -> GameRecord:
    rules = game_rules(game.position.game)
    for code in codes:
        game = game.play(rules.move_from_code(code))
    return game


def _answer(player: Any, game: GameRecord, message: Mapping[str, Any]) -> dict[str, Any]:
    """Ask the bot and return its choice as data."""
    answered = player.choose(game, _stream(message["stream"]), Clock(**message["clock"]))
    try:
        choice = choice_of(answered, game)
    except InvalidMoveError as error:
        return {"error": str(error)}
    except IllegalMoveError:
        # Without the position, so that the same mistake in many games has one name.
        move = answered.move if isinstance(answered, Choice) else answered
        return {"error": f"played the illegal move {shorten(str(move))}"}
    size = game.position.size
    return {
        "move": choice.move.code(size),
        "score": None if choice.score is None else float(choice.score),
        "depth": choice.depth,
        "nodes": choice.nodes,
        "line": [move.code(size) for move in choice.line],
        "notes": dict(choice.notes),
    }


def _stream(data: Mapping[str, Any]) -> Stream:
    """Return the stream of a move, with its parent if it has one."""
    if data["parent"] is None:
        return Stream.from_key(data["key"])
    return Stream.from_key(data["parent"]).child(*data["path"])


def _say(answers: TextIO, message: Mapping[str, Any]) -> None:
    try:
        text = json.dumps(message, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        text = json.dumps(
            {"error": f"answered what is no JSON: {error}", "number": message["number"]}
        )
    with suppress(OSError):
        answers.write(f"{text}\n")
        answers.flush()


def _reason(error: BaseException, file: str) -> str:
    """Return an error in a line, with the place in the bot's own file where it came from."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name == Path(file).name
    ]
    where = f" (line {lines[-1]})" if lines else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' * bool(text)}{shorten(text, _LONGEST_REASON)}{where}"


if __name__ == "__main__":
    main(sys.argv[1:])
