"""The command line: `evoply COMMAND ...`; `commands` says which module has which.

It reads arguments, shows what the layers below do, and computes nothing itself. Importing it is
quick: everything heavy is imported by the command that needs it, when it runs.
"""

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["main"]

_STARTED = 200_000
"""Objects that no command has when it begins its work; `evoply report` has 130,000."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line *arguments* (default: those of the process); return the exit code.

    0: done, 1: failed, 2: wrong use, 130: stopped by Ctrl-C, 128 and the number of another signal:
    stopped by that.
    """
    # Pydantic would look for plugins among all that is installed, which takes longer than a match.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if arguments is None:  # not a call within another program
        _collect_late()
    try:
        from evoply.cli.app import run

        return run(arguments)
    except ImportError as error:
        words = sys.argv[1:] if arguments is None else arguments
        if words[:1] == ["doctor"]:
            return _examine(is_json="--json" in words)
        why = _missing(error)
        if not why:
            raise
        from evoply.wording import json_line, printable

        if "--json" in words:
            print(json_line({"error": why, "exit_code": 2}))
        print(printable(f"evoply: {why}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # while importing; `run` handles it from then on
        return 130


def _collect_late() -> None:
    """Let the first collection wait for many objects; those after it come as they always do.

    Nearly all that importing makes lives as long as the process. Python would look through it again
    and again, and twice more at the end: a quarter of what a short command costs. What is left at
    the end is given back with the process, so nobody looks through it.
    """
    usual = gc.get_threshold()

    def collected(phase: str, _: dict[str, Any]) -> None:
        if phase == "stop":
            gc.callbacks.remove(collected)
            gc.set_threshold(*usual)

    gc.callbacks.append(collected)
    gc.set_threshold(_STARTED, *usual[1:])
    atexit.register(gc.freeze)


def _missing(error: ImportError) -> str:
    """Return the sentence for what cannot be imported; "" if it should be there."""
    if error.name is None:  # a kernel, but none for this machine or the path that EVOPLY_CPU names
        return str(error)
    from evoply.environment.prerequisites import missing_kernel, missing_package

    if error.name == "evoply._native":
        return f"the kernel - is not built here - {missing_kernel()}"
    is_ours = error.name.partition(".")[0] == "evoply"
    is_missing = isinstance(error, ModuleNotFoundError) and not is_ours
    return missing_package(error.name) if is_missing else ""


def _examine(*, is_json: bool) -> int:
    """Do what `evoply doctor` does with the standard library alone; return the exit code.

    What the command line is made of may be what is missing.
    """
    from evoply.environment.prerequisites import Examination
    from evoply.wording import json_line, printable

    found = Examination.of_this_machine()
    code = int(bool(found.failure))
    for part in found.parts:
        print(printable(part.line), file=sys.stderr if is_json else sys.stdout)
    if is_json:
        error = {"error": found.failure, "exit_code": code} if code else {}
        print(json_line(found.to_dict() | error))
    elif code:
        print(printable(f"evoply: {found.failure}"), file=sys.stderr)
    return code
