"""The process of a bot, run as a program by `evoply.players.bots` below a keeper.

Bot and evoply exchange JSON, a line a message, over copies of the standard streams. The streams
themselves lead nowhere, so that the bot's printing does no harm.

The process starts as the user who runs evoply, and opens the bot's file and the folders of modules,
which other users may not be able to read. Then the limits are set, root becomes the user nobody,
and the bot's code runs.
"""

import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.abc import SourceLoader
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from evoply._native import Stream
from evoply.environment.keeper import KeeperLimits, confine, read_limits
from evoply.games import game_rules
from evoply.games.position import DrawRules
from evoply.protocols import (
    Choice,
    Clock,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    choice_of,
)
from evoply.wording import shorten

_LONGEST_REASON = 300


def main(arguments: list[str]) -> None:
    """Run the bot; *arguments* are the limits as JSON, its file and its class."""
    limits, file, class_name = arguments
    _serve(file, class_name, read_limits(limits))


def _serve(file: str, class_name: str, limits: KeeperLimits) -> None:
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    _say(answers, {"started": True})
    try:
        make = _class_in(file, class_name, limits, answers)
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
                player = _made(make)
            assert game is not None  # the first message has a game
            game = _with_moves(game, message["moves"])
            answer = _answer(player, game, message)
        except _UnfitError as error:
            answer = {"error": str(error)}
        except BaseException as error:
            answer = {"error": f"raised {_reason(error, file)}"}
        _say(answers, {**answer, "number": message["number"]})


class _UnfitError(Exception):
    """The class of a bot, or its `choose`, wants other arguments; the message says which."""


def _made(make: Callable[[], Any]) -> Any:
    """Return a new object of the bot; `_UnfitError` if it or its `choose` wants other arguments."""
    if not _can_be_called(make):
        raise _UnfitError(
            "its class is made without arguments, and wants some - give every argument of "
            "__init__ a default"
        )
    player = make()
    if not _can_be_called(player.choose, None, None, None):
        takes = len(_parameters(player.choose)) + inspect.ismethod(player.choose)
        raise _UnfitError(
            f"choose takes {takes} argument{'s' * (takes != 1)}, and is given 4 - write `def "
            "choose(self, game, stream, clock)`, see docs/players.md#bots"
        )
    return player


def _can_be_called(function: Callable[..., Any], *arguments: object) -> bool:
    """Return whether *function* takes *arguments*; True where Python does not know."""
    try:
        inspect.signature(function).bind(*arguments)
    except ValueError:
        return True
    except TypeError:
        return False
    return True


def _parameters(function: Callable[..., Any]) -> list[str]:
    return [*inspect.signature(function).parameters]


class _Source(SourceLoader):
    """A bot's file, read before its process becomes a user who may not be able to read it."""

    def __init__(self, path: Path, folder: str) -> None:
        self._text = path.read_bytes()
        self._path = str(Path(folder, path.name))

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        return self._text


def _class_in(
    file: str, class_name: str, limits: KeeperLimits, answers: TextIO
) -> Callable[[], Any]:
    """Import *file* under a unique name, and return a class of it."""
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    if not os.getuid():
        _hold_open_what_is_imported()
    name = f"bot {path.stem}"
    spec = importlib.util.spec_from_loader(name, _Source(path, sys.path[0]))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = os.getuid()
    confine(limits, as_nobody=True)
    # Said before any of the bot's own code could say otherwise.
    _say(answers, {"is_nobody": os.getuid() != before})
    sys.modules[name] = module
    spec.loader.exec_module(module)
    chosen = getattr(module, class_name)
    if not callable(getattr(chosen, "choose", None)):
        raise TypeError(f"{class_name} has no method choose(game, stream, clock)")
    make: Callable[[], Any] = chosen
    return make


def _hold_open_what_is_imported() -> None:
    """Let modules be found through folders that are open now.

    The user nobody may not reach these folders, such as folders below root's home; open ones stay
    open (Linux: `/proc/self/fd`).
    """
    places: dict[str, str] = {}
    for folder in filter(os.path.isdir, sys.path):
        with suppress(OSError):
            opened = f"/proc/self/fd/{os.open(folder, os.O_RDONLY)}"
            if os.path.isdir(opened):
                places[folder] = opened
    sys.path[:] = [places.get(folder, folder) for folder in sys.path]
    sys.path_importer_cache.clear()
    for module in list(sys.modules.values()):
        _move(module, places)


def _move(module: ModuleType, held: Mapping[str, str]) -> None:
    """Let a package load its remaining modules from its open folder."""
    for index, folder in enumerate(getattr(module, "__path__", ())):
        for before, opened in held.items():
            if Path(before) in Path(folder).parents:
                module.__path__[index] = opened + folder.removeprefix(before)


def _record(data: Mapping[str, Any]) -> GameRecord:
    rules = game_rules(data["name"])
    draws = None if data["draws"] is None else DrawRules(*data["draws"])
    return rules.game(rules.position_from_row(tuple(data["start"])), (), draws)


def _with_moves(game: GameRecord, codes: list[int]) -> GameRecord:
    rules = game_rules(game.position.game)
    for code in codes:
        game = game.play(rules.move_from_code(code))
    return game


def _answer(player: Any, game: GameRecord, message: Mapping[str, Any]) -> dict[str, Any]:
    answered = player.choose(game, _stream(message["stream"]), Clock(**message["clock"]))
    try:
        choice = choice_of(answered, game)
    except InvalidMoveError as error:
        return {"error": str(error)}
    except IllegalMoveError:
        # Without the position, so that the same mistake in many games has the same message.
        move = answered.move if isinstance(answered, Choice) else answered
        return {"error": f"played the illegal move {shorten(str(move))}"}
    shape = game.position.shape
    return {
        "move": choice.move.code(shape),
        "score": None if choice.score is None else float(choice.score),
        "depth": choice.depth,
        "nodes": choice.nodes,
        "line": [move.code(shape) for move in choice.line],
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
    """Return an error in a line, with its location in the bot's own file."""
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
