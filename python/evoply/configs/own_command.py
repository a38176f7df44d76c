"""A user's own program, named by a text: `command:PROGRAM ARGUMENTS`, split like a shell's line.

No shell runs it. What is kept is the list of its words as JSON, `command:["/home/me/propose"]`,
with the absolute path of the program. Like pinned Python that names nothing by itself: such a
program runs where the user wrote the line, or allowed what runs name (`evoply.configs.own_code`).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from dataclasses import dataclass

from evoply.configs.own_code import check_may_run, has_programs, is_carried, name_program
from evoply.wording import shorten

PREFIX = "command:"
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A program on this machine, and its arguments."""

    words: tuple[str, ...]
    is_kept: bool = False
    """Whether the text was the kept one, which no user wrote."""

    @classmethod
    def from_text(cls, text: str) -> OwnCommand:
        """Return what *text* names; `ValueError` unless it is a program with arguments."""
        command = text.strip().removeprefix(PREFIX).strip()
        if len(text) > _LONGEST or not command.isprintable():
            raise ValueError(f"{shorten(text)!r} is no command: write one line, {PREFIX}PROGRAM")
        is_kept = command.startswith("[")
        try:
            words = json.loads(command) if is_kept else shlex.split(command)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the command {shorten(command)!r}: {error}") from None
        if not words or not all(isinstance(word, str) for word in words) or not words[0]:
            raise ValueError(f"the program is missing: write {PREFIX}PROGRAM ARGUMENTS")
        return cls(tuple(words), is_kept)

    def __str__(self) -> str:
        return f"{PREFIX}{json.dumps(self.words)}"

    @property
    def label(self) -> str:
        """The command for people: without the folder of its program."""
        return f"{PREFIX}{shlex.join((os.path.basename(self.words[0]), *self.words[1:]))}"

    def pinned(self) -> OwnCommand:
        """Return it with the absolute path of its program, if that is named by a path.

        What a user wrote may run from now on; a text that is carried must be the kept one.
        """
        if self.is_kept:
            return self
        if is_carried():
            raise ValueError(f"{self.label}: is not written here as evoply keeps it - put it back")
        program, *arguments = self.words
        if "/" in program:
            program = os.path.abspath(program)  # a link may be the name that it looks at
        command = OwnCommand((program, *arguments), is_kept=True)
        name_program(command._place)
        return command

    def check(self) -> None:
        """Raise `ValueError` unless the program is there and may run."""
        check_may_run(self._place, f"{self.label} ({self.words[0]})")
        if shutil.which(self.words[0]) is None:
            program = shorten(self.words[0], 400)
            raise ValueError(
                f"{self.label}: there is no program {program!r} that may be run - install it, "
                "make it executable, or write its whole path"
            )

    @property
    def _place(self) -> str:
        return json.dumps(["command", *self.words])


def is_own_command(text: object) -> bool:
    """Return whether *text* says that it names a program."""
    return isinstance(text, str) and text.lstrip().startswith(PREFIX)


def pinned_command(text: str) -> str:
    """Return *text* with the absolute path of its program; `ValueError` where none may be named."""
    command = OwnCommand.from_text(text)
    if not has_programs():
        raise ValueError(f"{command.label}: a program cannot be named here - use `evoply evolve`")
    return str(command.pinned())
