"""Bots: players in Python files, each of which runs in its own process.

A bot is a class without arguments that has `choose(game, stream, clock)`, which returns a move, its
text or a `Choice`. Its file is never imported here: the process (`bot_process`) does that. A bot
that raises, hangs, dies, answers nonsense or plays an illegal move forfeits its game, and every
process that it started ends with it.

Reasons: docs/design/players.md.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from evoply._native import Stream
from evoply.configs.own_code import check_may_run
from evoply.environment import (
    BrokenError,
    ForeignProcess,
    KeeperLimits,
    Surroundings,
    core_count,
    one_line,
)
from evoply.environment.files import read_limited
from evoply.games import game_rules
from evoply.players import bot_process
from evoply.players.engines.dialogue import goes_on
from evoply.players.process_limits import (
    LONGEST_LIMIT,
    SHORTEST_MOVE_LIMIT,
    UNSEEN,
    Carried,
    MoveLimit,
    ProcessLimits,
    ProgramPlayer,
)
from evoply.protocols import Choice, Clock, Color, ForfeitError, GameRecord, Seat
from evoply.wording import did_you_mean, shorten

MOVE_LIMIT = 10.0
"""The default seconds of a bot for a move."""
_LARGEST_FILE = 4_000_000
_TEXT = re.compile(r"(?P<path>.+?\.py)(?::(?P<class_name>.*))?", re.DOTALL)


class Bot(ProgramPlayer):
    """A class in a Python file, which runs in its own process.

    *class_name* may be missing if the file has only one class with a method `choose`. *move_limit*
    is the number of seconds for each move, for importing the file and for making the object; a bot
    that takes longer loses the game. In games with a clock the default limit of a move does not
    apply. *limits* are those of its process. A bot's own `reproducible` is believed: a bot that
    draws only from its stream repeats its games.
    """

    what: ClassVar[str] = "a bot is its Python file"

    kind: Literal["bot"] = "bot"
    path: Annotated[str, Field(min_length=1, max_length=4000)]
    class_name: Annotated[str, Field(max_length=200)] | None = None
    move_limit: float = Field(default=MOVE_LIMIT, ge=SHORTEST_MOVE_LIMIT, le=LONGEST_LIMIT)
    limits: ProcessLimits = ProcessLimits()

    @property
    def _named(self) -> list[Any]:
        return [self.kind, str(Path(self.path).resolve())]

    @property
    def own_text(self) -> str:
        return Path(self.path).name + (f":{self.class_name}" if self.class_name else "")

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        yield "file", self.path
        yield "class", self.class_name
        yield "seconds a move", self.move_limit

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` unless the file exists and has the class of the bot."""
        game_rules(game)
        self.chosen_class()

    def chosen_class(self) -> str:
        """Return the name of the class that plays; `ValueError` if it is missing or ambiguous."""
        classes = bot_classes(self.path)
        if self.class_name is not None:
            known = _classes(self.path)
            if self.class_name not in known:
                hint = did_you_mean(self.class_name, known) or f": it has {_list(known)}"
                raise ValueError(f"{self.path}: no class {shorten(self.class_name)!r}{hint}")
            return self.class_name
        if len(classes) == 1:
            return classes[0]
        if not classes:
            raise ValueError(
                f"{self.path}: no class with a method choose(game, stream, clock): a bot is one"
            )
        raise ValueError(
            f"{self.path}: several classes have a method choose, {_list(classes)}: say which, as "
            f"in {self.path}:{classes[0]}"
        )

    def seat(self, game: str) -> BotSeat:
        """Return a seat, whose process starts with the first question."""
        check_may_run(self._program, self.path)
        self.check_fits(game)
        limit = MoveLimit(self.move_limit, is_given="move_limit" in self.model_fields_set)
        return BotSeat(
            self.path,
            self.chosen_class(),
            limit,
            self.limits.for_keeper(),
            self.limits.surroundings(),
        )

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the bot that `FILE.py` or `FILE.py:CLASS` names."""
        written = _TEXT.fullmatch(text)
        if written is None:
            return None
        class_name = written["class_name"]
        if class_name is not None and not class_name.isidentifier():
            raise ValueError(
                f"{shorten(class_name)!r} names no class: a bot is FILE.py or FILE.py:CLASS, "
                "without options"
            )
        bot = cls(path=written["path"], class_name=class_name)
        bot.chosen_class()
        return bot

    def _limited(self, seconds: float) -> Self:
        return type(self)(**{**self.model_dump(), "move_limit": seconds})

    def anywhere(self) -> Bot:
        """Return the bot with the absolute path of its file."""
        return self.model_copy(update={"path": str(Path(self.path).resolve())})

    def identity(self) -> dict[str, Any]:
        """Return the bot with the checksum of its file in place of the path."""
        source = hashlib.sha256(Path(self.path).read_bytes()).hexdigest()
        data = self.model_dump(
            mode="json", exclude={"name": True, "path": True, "limits": set(UNSEEN)}
        )
        return data | {"source": source}

    def about(self) -> dict[str, Any]:
        """Return the beginning of the file's checksum as the version."""
        return {"kind": self.kind, "version": self.identity()["source"][:12]}


class CarriedBot(Carried, Bot):
    """A bot that a run or a league names: it starts only if the user names its file, too."""


def _list(names: Collection[str]) -> str:
    return ", ".join(list(names)[:10]) or "none"


def bot_classes(path: str | Path) -> list[str]:
    """Return the classes of a Python file that may be bots, without running any of it.

    They define a method `choose` or inherit it from a class of the same file, and are not the base
    of another such class; names that begin with an underscore are left out. Raises `ValueError`,
    which names the file, if it cannot be read as Python.
    """
    classes = _classes(path)

    def chooses(name: str, deep: int = 0) -> bool:
        if name not in classes or deep > len(classes):
            return False
        own = {part.name for part in classes[name].body if isinstance(part, _METHODS)}
        return "choose" in own or any(chooses(base, deep + 1) for base in _bases(classes[name]))

    bots = [name for name in classes if not name.startswith("_") and chooses(name)]
    based_on = {base for name in bots for base in _bases(classes[name])}
    return [name for name in bots if name not in based_on]


_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PARSING = Lock()
"""Python 3.11 counts the depth of a tree for all threads together, and fails if two build one
(github.com/python/cpython/issues/106905)."""


def parsed_python(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a file; errors as those of `ast.parse`."""
    with _PARSING:
        return ast.parse(source)


def _classes(path: str | Path) -> dict[str, ast.ClassDef]:
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError("this is no plain file")  # a pipe would be waited for
        tree = parsed_python(read_limited(path, _LARGEST_FILE))
    except FileNotFoundError:
        raise ValueError(
            f"{path}: there is no such file - a bot is FILE.py or FILE.py:CLASS"
        ) from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except SyntaxError as error:
        raise ValueError(f"{path}: line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{path}: cannot be read as Python: {error}") from None
    return {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}


def _bases(definition: ast.ClassDef) -> list[str]:
    return [base.id for base in definition.bases if isinstance(base, ast.Name)]


# The seat of a bot: the questions to its process, checks of its answers, and its end.
#
# Answers of a process are checked like all other input from outside.

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
                self._process.wait_until_confined()
                if self._process.is_nobody:
                    self.about |= {"user": "nobody"}
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
        self.is_nobody = False
        """Whether it was started by root, and has become the user nobody."""

    def wait_until_confined(self) -> None:
        """Wait for Python to start and to set its limits."""
        self._receive("started", _START_LIMIT, "did not start")
        answer = self._receive("is_nobody", _START_LIMIT, "did not start")
        if "error" in answer:
            raise BrokenError(str(answer["error"]))
        self.is_nobody = answer["is_nobody"] is True

    def wait_until_loaded(self, limit: float) -> None:
        """Wait for the bot's file, which has *limit* seconds."""
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


# A trial of bots before they play for anything: each is asked for two moves of one game.

_QUICK = 1.0
"""Seconds; a bot that took longer for its first move is not asked for a second one."""
_REMEDIES = (
    ("no move within", "make it quicker, or give more time with --move-limit"),
    ("importing its file took", "make that quicker, or give more time with --move-limit"),
    ("played the illegal move", "return one of game.position.legal_moves"),
    ("its process", "look for what ends Python in it, and for the memory that it uses"),
    ("raised", "mend that, and look whether it plays: evoply match {} random --games 2"),
    ("its file could not be read", "mend that; only evoply and its own folder can be imported"),
)
"""What to do about a reason, by how it begins."""


def trial(
    bots: Mapping[str, Bot],
    game: str,
    *,
    start: Any = None,
    has_clock: bool = False,
    threads: int = 0,
) -> dict[str, str]:
    """Return which of *bots* cannot play *game*, and why, in a sentence that says what to do.

    Each is started once and asked for a move at *start* (by default where the game begins), and if
    that is quick for its next one. A bot that only is slow fails where no clock of the game
    (*has_clock*) limits it. The names in *bots* are those in the answer. Ctrl-C ends all of it.
    """
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    seats = {name: bot.seat(game) for name, bot in bots.items()}
    record = game_rules(game).record() if start is None else game_rules(game).game(start)

    def tried(name: str) -> str:
        return _problem(seats[name], record, has_clock=has_clock)

    with ThreadPoolExecutor(threads or core_count()) as pool:
        try:
            found = dict(zip(seats, pool.map(tried, seats), strict=True))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            for seat in seats.values():
                seat.close()
    return {name: _with_remedy(reason, name) for name, reason in found.items() if reason}


def _problem(seat: BotSeat, record: GameRecord, *, has_clock: bool) -> str:
    """Return why a bot cannot play on after *record*; "" if it can."""
    stream = Stream(0, "trial")
    try:
        for _ in range(2):
            while len(moves := record.position.legal_moves) == 1:
                record = record.play(moves[0])
            if record.outcome() is not None:
                break
            choice = seat.choose(record, stream.child(record.position.ply), Clock())
            record = record.play(choice.move)
            if choice.seconds > _QUICK or record.outcome() is not None:
                break
            record = record.play(record.position.legal_moves[0])
    except ForfeitError as error:
        return "" if error.by_time and has_clock else str(error)
    finally:
        seat.close()
    return ""


def _with_remedy(reason: str, name: str) -> str:
    remedy = next((remedy for begin, remedy in _REMEDIES if reason.startswith(begin)), "")
    return f"{reason} - {remedy.format(name)}" if remedy and " - " not in reason else reason
