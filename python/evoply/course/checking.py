"""Says check by check whether an exercise is done: the files of a student, and the verdicts.

A student's Python is run as that of a config is (`evoply.configs.own_code`): whoever asks for the
check names the folder. What goes wrong in it is a sentence with file and line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from evoply.configs.own_code import OwnCode, complaint
from evoply.course.folders import EXERCISES
from evoply.environment.files import read_toml_file
from evoply.protocols import ConfigError
from evoply.protocols.sections import JsonData

Made = TypeVar("Made")

GAME = "othello-6"
"""The board of all exercises but the bot's: small and quick."""
_MOST_ANSWERS = 100_000
"""Bytes of a file of answers."""


class NotYetError(Exception):
    """Something does not hold yet; the message says what, and what to do next."""


@dataclass(frozen=True)
class Verdict(JsonData):
    """Whether one thing holds, and else what to do."""

    check: str
    holds: bool
    to_do: str = ""


class Work:
    """The files of an exercise as a student has them, and what was made of them once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """Return what *make* returned when it was first asked for by this *key*."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def path(self, file: str) -> Path:
        """Return the path of a file that must be there."""
        path = self.folder / file
        if not path.is_file():
            raise NotYetError(
                f"There is no {file} in {self.folder}. `evoply course new FOLDER` writes it anew, "
                "into a new folder."
            )
        return path

    def python(self, file: str, name: str) -> Any:
        """Return what *file* calls *name*, which runs the file."""
        return OwnCode(str(self.path(file)), name).named_by_user().loaded()

    def function(self, file: str, name: str, arguments: int) -> Callable[..., Any]:
        """Return the same if it is a function that takes so many arguments."""
        found = self.python(file, name)
        try:
            signature(found).bind(*range(arguments))
        except (TypeError, ValueError):
            many = f"{arguments} arguments" if arguments > 1 else "one argument"
            raise NotYetError(
                f"{name} in {file} must be a function of {many}, as it was at first."
            ) from None
        called: Callable[..., Any] = found
        return called

    def answers(self, file: str) -> dict[str, Any]:
        """Return what stands in a TOML file."""
        return read_toml_file(self.path(file), _MOST_ANSWERS)

    def answer(self, file: str, key: str, what: str, true: float, within: float) -> None:
        """Raise `NotYetError` unless *key* in a file of answers is the number *true*."""
        given = self.answers(file).get(key)
        if abs(number(given, f"{key} in {file}") - true) > within:
            raise NotYetError(f"{file} says {key} = {given}. {what}")


def number(value: object, what: str) -> float:
    """Return *value*, which is called *what*, as a number."""
    try:
        if isinstance(value, bool | str) or value is None:
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise NotYetError(f"{what} is {value!r:.60}. It must be a number.") from None


def at_least(got: float, least: float, who: str, to_do: str) -> None:
    """Raise `NotYetError` unless a score is high enough."""
    if got < least:
        raise NotYetError(
            f"{who} scores {100 * got:.1f} %, and {100 * least:.0f} % is asked for. {to_do}"
        )


Check = Callable[[Work], None]
"""Raises an error whose message says what does not hold."""


@dataclass(frozen=True)
class Exercise:
    """An exercise of the course, and what must hold when it is done."""

    name: str
    checks: list[tuple[str, Check]] = field(default_factory=list)

    def check(self, check: Check) -> Check:
        """Add a check, whose docstring is the sentence that holds if it returns."""
        self.checks.append((check.__doc__ or "", check))
        return check

    def verdicts(self, folder: Path) -> Iterator[Verdict]:
        """Yield a verdict on one check after the other.

        What fails for the same reason as an earlier check waits for that one.
        """
        work, said = Work(folder), set[str]()
        for sentence, check in self.checks:
            to_do = _to_do(check, work)
            repeated = to_do and to_do in said
            yield Verdict(
                sentence, not to_do, "First mend what is said above." if repeated else to_do
            )
            said.add(to_do)


def _to_do(check: Check, work: Work) -> str:
    """Return what is wrong, in words; "" if the check holds."""
    try:
        with redirect_stdout(sys.stderr):  # what the student's file prints is no result
            check(work)
        return ""
    except ConfigError as error:
        words = "; ".join(f"{path}: {message}" for path, message in error.errors)
    except (NotYetError, ValueError) as error:
        words = complaint(error) or str(error)
    except (Exception, SystemExit) as error:
        words = complaint(error)
        if not words:
            raise
    words = re.sub(r"python:\S+: importing ", "", words)
    return words.replace(f"{work.folder.resolve()}/", "").replace(f"{work.folder}/", "")


def exercise_named(name: str) -> Exercise:
    """Return one of `EXERCISES` with its checks; only what it needs is imported."""
    home = import_module(f"evoply.course.{EXERCISES[name].kind}_exercises")
    found: Exercise = {each.name: each for each in home.EXERCISES}[name]
    return found
