"""Suggested commands: each must work when it is typed as it is printed."""

import os
import re
import shlex
import shutil
import sys
from contextvars import ContextVar
from pathlib import Path

from evoply.cli.commands import takes

_NAME = "evoply"
_WRITTEN = re.compile(rf"`{_NAME} ([^`]+)`")

runs_folder = ContextVar("runs_folder", default="")
"""What was given as --runs, which the next command needs as well; "" if nothing was."""


def suggested(arguments: str) -> str:
    """Return the command `evoply` with *arguments* as it can be typed in this shell.

    Where the shell would not find `evoply`, because its environment is not activated, it is the
    path of the script, relative if it lies below the current directory.
    """
    return f"{_program()} {_with_runs(arguments)}"


def with_suggested(message: str) -> str:
    """Return *message* with every command in backquotes as it can be typed in this shell.

    The layers below know nothing of shells and write `evoply ...`.
    """
    return _WRITTEN.sub(lambda found: f"`{suggested(found[1])}`", message)


def _with_runs(arguments: str) -> str:
    folder = runs_folder.get()
    verb, _, rest = arguments.partition(" ")
    if not folder or not takes(verb, "--runs") or rest == "--help":
        return arguments
    return f"{arguments} --runs {shlex.quote(folder)}"


def _program() -> str:
    if shutil.which(_NAME) is not None:
        return _NAME
    for path in (Path(sys.argv[0]), Path(sys.executable).with_name(_NAME)):
        if path.stem == _NAME and (script := shutil.which(path.absolute())) is not None:
            return _typed(Path(script))
    return f"{_typed(Path(sys.executable))} -m {_NAME}"


def _typed(path: Path) -> str:
    try:
        is_below = path.is_relative_to(here := Path.cwd())
    except FileNotFoundError:  # the working folder is gone, and nothing is below it
        is_below = False
    if is_below:
        # A name without a folder is looked for elsewhere, so the dot stays.
        path = path.relative_to(here)
        text = str(path) if len(path.parts) > 1 else os.path.join(os.curdir, path)
    else:
        text = str(path)
    return shlex.quote(text) if os.name == "posix" else text
