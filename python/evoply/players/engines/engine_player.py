"""Engines: players that are separate programs and speak GTP or the NBoard protocol."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import Field, field_validator

from evoply.configs.config_errors import checked
from evoply.configs.own_code import check_may_run
from evoply.environment.files import read_toml_file
from evoply.games import game_rules
from evoply.players.evaluators import problems, refusal
from evoply.players.process_limits import (
    LONGEST_LIMIT,
    SHORTEST_MOVE_LIMIT,
    Carried,
    MoveLimit,
    ProcessLimits,
    ProgramPlayer,
)
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    from evoply.players.engines.dialogue import EngineSeat

Protocol = Literal["gtp", "nboard"]
PROTOCOLS: tuple[str, ...] = get_args(Protocol)
"""The protocols of `evoply.players.engines.dialogue.DIALOGUES`."""

_LARGEST_FILE = 1_000_000
_HEAD = "engine:"
_LINE = r"^[^\x00-\x1f\x7f]*$"

Word = Annotated[str, Field(min_length=1, max_length=4000, pattern=_LINE)]
_OPTION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,60}")
OptionValue = bool | int | float | str
_LONGEST_VALUE = 1000


class EngineLimits(ProcessLimits):
    """Limits of an engine's process, and the seconds it has to start and for each move."""

    start: float = Field(default=10.0, ge=0.01, le=LONGEST_LIMIT)
    move: float = Field(default=10.0, ge=SHORTEST_MOVE_LIMIT, le=LONGEST_LIMIT)


class Engine(ProgramPlayer):
    """A program that plays Othello over GTP or the NBoard protocol, in a process of its own.

    *command* is the program and its arguments, as a list or as a line that is split like one of a
    shell; no shell runs it. *options* are sent when it has started: each as the command `NAME
    VALUE` over GTP, as `set NAME VALUE` over NBoard. An engine that is not ready within
    `limits.start` seconds does not play; one that takes longer than `limits.move` for a move loses
    the game. In games with a clock the default limit of a move does not apply. An engine is not
    `reproducible` unless *deterministic* says that it always plays the same in the same position.
    """

    what: ClassVar[str] = "an engine is a program on this machine"

    kind: Literal["engine"] = "engine"
    protocol: Protocol
    command: tuple[Word, ...] = Field(min_length=1, max_length=1000)
    options: dict[str, OptionValue] = Field(default_factory=dict, max_length=100)
    limits: EngineLimits = EngineLimits()
    deterministic: bool = Field(default=False, strict=True)

    @property
    def _named(self) -> list[Any]:
        data = self.anywhere().identity()
        return [data["kind"], data["protocol"], data["command"], data["options"]]

    @field_validator("command", mode="before")
    @classmethod
    def _split(cls, command: Any) -> Any:
        return shlex.split(command) if isinstance(command, str) else command

    @field_validator("options", mode="before")
    @classmethod
    def _check_options(cls, options: Any) -> Any:
        for name, value in options.items() if isinstance(options, dict) else ():
            if not isinstance(name, str) or _OPTION_NAME.fullmatch(name) is None:
                raise ValueError(
                    f"{shorten(str(name))!r} is not an option's name: write letters, digits, _ . -"
                )
            if not isinstance(value, bool | int | float | str):
                raise ValueError(f"{name} must be a text, a number, true or false")
            if len(str(value)) > _LONGEST_VALUE or re.fullmatch(_LINE, str(value)) is None:
                raise ValueError(
                    f"{name} must be one line of at most {_LONGEST_VALUE} characters, "
                    "without control characters"
                )
        return options

    @property
    def own_text(self) -> str:
        return f"{_HEAD}{self.protocol}:{shlex.join(self.command)}"

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again, according to its description."""
        return self.deterministic

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        yield "protocol", self.protocol
        yield "command", shlex.join(self.command)
        yield from self.options.items()
        yield "seconds a move", self.limits.move

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` unless the program is there and its protocol knows *game*."""
        if self.protocol not in game_rules(game).engines:
            raise ValueError(f"no engine that speaks {self.protocol} plays {game}")
        program = self.command[0]
        if shutil.which(program) is None:
            raise ValueError(
                f"there is no program {shorten(program)!r}: install it, or write its whole path"
            )

    def seat(self, game: str) -> EngineSeat:
        """Return a seat, whose process starts with the first question."""
        from evoply.players.engines.dialogue import (
            EngineSeat,  # every player is read by way of here
        )

        check_may_run(self._program, self.own_text)
        Engine.check_fits(self, game)
        return EngineSeat(
            self.protocol,
            self.command,
            [(name, _value_text(value)) for name, value in self.options.items()],
            game=game,
            limits=self.limits.for_keeper(),
            surroundings=self.limits.surroundings(),
            start_limit=self.limits.start,
            move_limit=MoveLimit(self.limits.move, is_given="move" in self.limits.model_fields_set),
        )

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the engine that `engine:PROTOCOL:COMMAND` names."""
        if not text.startswith(_HEAD):
            return None
        protocol, colon, command = text.removeprefix(_HEAD).partition(":")
        if protocol not in PROTOCOLS:
            if colon:
                hint = did_you_mean(protocol, PROTOCOLS) or f": it is {' or '.join(PROTOCOLS)}"
                raise ValueError(f"no protocol {shorten(protocol)!r}{hint}")
            raise ValueError(
                f"no engine {shorten(protocol)!r} is known here: name the file that describes it "
                "with --engines, or write engine:gtp:COMMAND or engine:nboard:COMMAND"
            )
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"the command {shorten(command)!r}: {error}") from None
        if not words:
            raise ValueError(f"the command is missing: write {_HEAD}{protocol}:COMMAND")
        return checked(
            lambda: cls.model_validate({"protocol": protocol, "command": words}),
            lambda error: refusal(error, cls),
        )

    def about(self) -> dict[str, Any]:
        """Return the command too; the seat learns name and version from the engine."""
        command = shlex.join(self.command)
        return {"kind": self.kind, "engine": None, "version": None, "command": command}

    def _limited(self, seconds: float) -> Self:
        limits = EngineLimits(**{**self.limits.model_dump(), "move": seconds})
        return self.model_copy(update={"limits": limits})

    def anywhere(self) -> Engine:
        """Return the engine with the absolute path of its program, if the command has a path."""
        program, *arguments = self.command
        if "/" in program:
            program = os.path.abspath(program)  # a link may be the name that it looks at
        return self.model_copy(update={"command": (program, *arguments)})

    def identity(self) -> dict[str, Any]:
        """Return the data of the engine with its command and options, without its limits."""
        return self.model_dump(mode="json", exclude={"name", "limits"})


class CarriedEngine(Carried, Engine):
    """An engine that a run or a league names: it starts only if the user names it, too."""


def _value_text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def engine_name(text: str) -> str | None:
    """Return NAME of `engine:NAME`, None for any other text.

    >>> engine_name("engine:rhino"), engine_name("engine:gtp:gtp-rhino")
    ('rhino', None)
    """
    name = text.strip().removeprefix(_HEAD)
    return name if name != text.strip() and ":" not in name else None


def read_engines(path: str | Path) -> dict[str, Engine]:
    """Return the engines that a TOML file describes, by name: tables `[[engine]]`.

    Each has `name`, `protocol` and `command`, and perhaps `options`, `limits` and `deterministic`.
    Raises `ConfigError` or ValueError.
    """
    data = read_toml_file(path, _LARGEST_FILE)
    tables = data.get("engine")
    if set(data) != {"engine"} or not isinstance(tables, list):
        raise ConfigError([(str(path), "holds tables [[engine]] and nothing else: write one")])
    engines: dict[str, Engine] = {}
    for number, table in enumerate(tables):
        where = f"{path}: engine.{number}"
        engine = _described(table, where)
        name = engine.name or ""
        if not re.fullmatch(r"[^:,\s][^:,]{0,60}", name) or name in PROTOCOLS or name in engines:
            raise ConfigError(
                [(f"{where}.name", f"{name!r} is missing, taken or a protocol: write another one")]
            )
        engines[name] = engine
    return engines


def _described(table: object, where: str) -> Engine:
    return checked(
        lambda: Engine.model_validate(table),
        lambda error: ConfigError(
            [(f"{where}.{key}", what) for key, what in problems(error, Engine)]
        ),
    )
