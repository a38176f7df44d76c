"""Suggested commands: each must work when it is typed as it is printed."""

import os
import shlex
import shutil
import sys
from pathlib import Path

_NAME = "evoply"


def suggested(arguments: str) -> str:
    """Return the command `evoply` with *arguments* as it can be typed in this shell.

    Where the shell would not find `evoply`, because its environment is not activated, it is the
    path of the script, relative if it lies below the current directory.
    """
    return f"{_program()} {arguments}"


def with_suggested(message: str) -> str:
    """Return *message* with every command in backquotes as it can be typed in this shell.

    The layers below know nothing of shells and write `evoply ...`.
    """
    return message.replace(f"`{_NAME} ", f"`{_program()} ")


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
