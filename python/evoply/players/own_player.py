"""Players in Python, asked in this process: objects, or `python:FILE.py:NAME`.

NAME is a class without arguments that has `choose(game, stream, clock)`, an object of such a class,
or any player. As the player of evolved individuals (`player.code` in a config) it is called with
one argument instead: the player that the individual is, whose `evaluator` values boards.

It counts as reproducible only if the file says so: `reproducible = True` in the body of the class,
or of its base in the same file, or among the arguments of the call that makes the object or
decorates the function. That is read without importing the file.
"""

from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from evoply._native import Stream
from evoply.configs.own_code import CarriedCode, Code, OwnCode, is_own_code, without_places
from evoply.games import game_rules
from evoply.players.bots import parsed_python
from evoply.players.player_kind import PlayerKind, ValuingPlayer
from evoply.players.specs import AfterState, AlphaBeta
from evoply.protocols import (
    Choice,
    Clock,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Seat,
    choice_of,
)

if TYPE_CHECKING:
    from evoply.protocols import Player


# Players in Python: any object with `choose(game, stream, clock)`, asked in this process.


@dataclass(frozen=True, slots=True)
class PythonPlayer:
    """An object with `choose`, as a player; all its seats ask this one object.

    Its games are therefore played one after the other, in the caller's thread.
    """

    source: Any

    def __post_init__(self) -> None:
        _check_signature(self.source)

    @property
    def label(self) -> str:
        """The label of the object, or the name of its class."""
        return str(getattr(self.source, "label", type(self.source).__name__))

    @property
    def reproducible(self) -> bool:
        """The object's own `reproducible`, by default True."""
        return bool(getattr(self.source, "reproducible", True))

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` for an unknown game; the object is assumed to play all games."""
        game_rules(game)

    def seat(self, game: str) -> PythonSeat:
        """Return a seat that asks the object."""
        return PythonSeat(self.source, self.label)


@dataclass(frozen=True, slots=True)
class PythonSeat(Seat):
    """The seat of an object; its answer, a move, a text or a choice, is checked."""

    source: Any
    label: str
    is_shared = True

    def choose(self, game: GameRecord, stream: Stream, clock: Clock, /) -> Choice:
        """Return its choice; `IllegalMoveError` names the player if its move is illegal."""
        began = time.perf_counter()
        answer = self.source.choose(game, stream, clock)
        seconds = time.perf_counter() - began
        try:
            choice = choice_of(answer, game)
        except (IllegalMoveError, InvalidMoveError) as error:
            turn = game.position.turn
            raise IllegalMoveError(f"{self.label} as {turn}: {error}") from None
        return choice if isinstance(answer, Choice) else replace(choice, seconds=seconds)


def _check_signature(source: object) -> None:
    """Raise TypeError unless *source* has a method that takes game, stream and clock."""
    choose: Callable[..., Any] | None = getattr(source, "choose", None)
    if isinstance(source, type):
        raise TypeError(f"{source.__name__} is a class, and a player is an object: give one of it")
    if not callable(choose):
        raise TypeError(
            f"{source!r:.200} is neither a player nor a tree: it has no method "
            "choose(game, stream, clock)"
        )
    try:
        inspect.signature(choose).bind(None, None, None)
    except TypeError:
        name = type(source).__name__
        raise TypeError(
            f"{name}.choose{inspect.signature(choose)} cannot be asked: a player has choose(game, "
            "stream, clock), and game.position is the position"
        ) from None
    except ValueError:
        return  # a function in C may have no signature


class OwnPlayer(PlayerKind):
    """A user's player in a Python file, which is imported when it takes its seat.

    It runs in this process, without the limits of a bot.
    """

    is_portable: ClassVar[bool] = False

    kind: Literal["python"] = "python"
    code: Code
    """Where it is: `python:FILE.py:NAME` or `python:MODULE:NAME`."""
    repeats: bool = False
    """Whether it says that it plays the same game again."""
    individual: AfterState | AlphaBeta | None = None
    """The player that an evolved individual is, with which it is made."""

    @property
    def label(self) -> str:
        """The name, or that of the code, and of the individual if there is one."""
        made_of = "" if self.individual is None else f" of {self.individual.label}"
        return self.name or f"{OwnCode.from_text(self.code).label}{made_of}"

    @property
    def reproducible(self) -> bool:
        """Whether it says that it is."""
        return self.repeats

    @property
    def plies_ahead(self) -> int:
        """Those of the individual; 0 if it has none."""
        return 0 if self.individual is None else self.individual.plies_ahead

    def valuing(self) -> ValuingPlayer | None:
        """Return the individual, whose values explanations show."""
        return self.individual

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        return (("Python", self.code),)

    @classmethod
    def of(cls, text: str, individual: AfterState | AlphaBeta | None = None) -> Self:
        """Return the player that the user names by *text*; its file is read, and not imported."""
        code = OwnCode.from_text(text).named_by_user()
        return cls(code=str(code), repeats=says_reproducible(code), individual=individual)

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the player that `python:FILE.py:NAME` names."""
        return cls.of(text) if is_own_code(text) else None

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if there is no such game, or the individual does not fit it."""
        game_rules(game)
        if self.individual is not None:
            self.individual.check_fits(game)

    def made(self) -> Player:
        """Import the file, and return the player in it; `ValueError` if there is none."""
        found: Any = OwnCode.from_text(self.code).loaded()
        label = OwnCode.from_text(self.code).label
        try:
            if self.individual is not None:
                found = found(self.individual)
            elif isinstance(found, type):
                found = found()
            if isinstance(found, PlayerKind) or hasattr(found, "seat"):
                player: Player = found
                return player
            return PythonPlayer(found)
        except TypeError as error:
            raise ValueError(f"{label} is no player: {error}") from None

    def seat(self, game: str) -> Seat:
        """Return a seat with an object of its own."""
        self.check_fits(game)
        return self.made().seat(game)

    def self_contained(self) -> OwnPlayer:
        """Raise `ValueError`: it is Python code, and saved players must not need any."""
        raise ValueError(
            f"{self.label}: a player in Python is its file and cannot be saved - name it instead"
        )

    def anywhere(self) -> OwnPlayer:
        """Return the player, whose code has an absolute path."""
        return self

    def identity(self) -> dict[str, Any]:
        """Return its data with the checksum of its file in place of the path."""
        data: dict[str, Any] = without_places(self.model_dump(mode="json", exclude={"name"}))
        return data

    def about(self) -> dict[str, Any]:
        """Return the beginning of the file's checksum as the version."""
        return {"kind": self.kind, "version": OwnCode.from_text(self.code).checksum[:12]}


class CarriedOwnPlayer(OwnPlayer):
    """A player in Python that a run names; its file is imported only if the user names it, too."""

    code: CarriedCode


def says_reproducible(code: OwnCode) -> bool:
    """Return whether the file of *code* says that the player is reproducible; nothing is imported.

    Raises `ValueError` if the file is missing, was changed or is not Python.
    """
    path, source = code.source()
    try:
        tree = parsed_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{code.label}: {path} cannot be read as Python: {error}") from None
    if any(_says_true(made) for made in _made_by(tree, code.name)):
        return True
    classes = {part.name: part for part in tree.body if isinstance(part, ast.ClassDef)}
    values = {
        target.id: part.value.func.id
        for part in tree.body
        if isinstance(part, ast.Assign)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Name)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    names, seen = [values.get(code.name, code.name)], set[str]()
    while names:
        name = names.pop(0)
        if name not in classes or name in seen:
            continue
        seen.add(name)
        said = _said_in(classes[name])
        if said is not None:
            return said
        names += [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    return False


def _made_by(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    """Yield the calls that make what a module calls *name*: of an assignment, or decorators."""
    for part in tree.body:
        match part:
            case ast.Assign(targets=targets, value=ast.Call() as call):
                if any(isinstance(each, ast.Name) and each.id == name for each in targets):
                    yield call
            case ast.FunctionDef(name=defined, decorator_list=decorators) if defined == name:
                yield from (each for each in decorators if isinstance(each, ast.Call))


def _says_true(call: ast.Call) -> bool:
    """Return whether a call has the argument `reproducible=True`."""
    return any(
        word.arg == "reproducible"
        and isinstance(word.value, ast.Constant)
        and word.value.value is True
        for word in call.keywords
    )


def _said_in(definition: ast.ClassDef) -> bool | None:
    """Return what the body of a class sets `reproducible` to, None if it does not."""
    for part in definition.body:
        match part:
            case (
                ast.Assign(targets=[ast.Name(id="reproducible")], value=value)
                | ast.AnnAssign(target=ast.Name(id="reproducible"), value=value)
            ):
                return isinstance(value, ast.Constant) and value.value is True
    return None
