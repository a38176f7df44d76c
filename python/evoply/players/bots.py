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
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from evoply.files import read_limited
from evoply.games import game_rules
from evoply.own_code import check_may_run
from evoply.players.process_limits import (
    LONGEST_LIMIT,
    SHORTEST_MOVE_LIMIT,
    UNSEEN,
    Carried,
    MoveLimit,
    ProcessLimits,
    ProgramPlayer,
)
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    from evoply.players.bot_seat import BotSeat

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
        from evoply.players.bot_seat import BotSeat  # every player is read by way of this module

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
