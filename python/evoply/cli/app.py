"""The command line as a whole: how every error and signal becomes one message and one exit code."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from types import FrameType
from typing import Any

from evoply.cli.output import EndedError, stderr, version_text, write_json

STOPPED = 130
"""The exit code after Ctrl-C: 128 and the number of its signal, as of any other."""
_NAMES = ("SIGTERM", "SIGHUP")  # Windows has not all of them


class EndingSignals:
    """What came."""

    number = signal.SIGINT.value

    @property
    def exit_code(self) -> int:
        """The exit code of a command that was stopped, as of one that the signal had killed."""
        return 128 + self.number

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does; a second signal does not disturb what keeps the result."""
        if self.number != signal.SIGINT:
            return
        self.number = number
        # Loops of asyncio have their own; a command in the background of a script ignores Ctrl-C.
        of_ctrl_c = signal.getsignal(signal.SIGINT)
        (of_ctrl_c if callable(of_ctrl_c) else signal.default_int_handler)(signal.SIGINT, frame)


@contextmanager
def ending_signals() -> Iterator[EndingSignals]:
    """Let signals that would kill this process stop the work inside as Ctrl-C does.

    Those that somebody handles or ignores, as `nohup` does, stay as they are.
    """
    came = EndingSignals()
    found = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()  # others may not change them
    taken = [number for number in found if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, came.stop)
    try:
        yield came
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


FAILED, WRONG_USE = 1, 2
CLOSED_PIPE = 141
"""The exit code that a shell reports for a program that wrote into a closed pipe."""
_MOST_LINES = 1000

Details = dict[str, Any]


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code and write what went wrong to standard error.

    With `--json` the error is also the one JSON object: "error", "exit_code", "errors" of a config
    with their paths, and the part of the result that exists.
    """
    _open_streams()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    with ending_signals() as signals:
        return _ended(arguments, signals)


def _ended(arguments: list[str], signals: EndingSignals) -> int:
    try:
        code, message, details = _run(arguments)
        is_stop = code == STOPPED
        code = signals.exit_code if is_stop else code
        if code:
            shown = details if "--json" in arguments else None
            _complain(message, code, shown, is_stop=is_stop)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads on (`| head`). Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except OSError as error:
        # What standard output still holds could not be written either.
        code, reason = _os_error_exit(error, arguments)
        with suppress(OSError):
            _complain(reason, code, None)
    # A terminal that was closed takes no sentence any more.
    return signals.exit_code if signals.exit_code != STOPPED else code


def _open_streams() -> None:
    """Make the standard streams usable: all exist, and none fails on a character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by the caller (`<&-`). This takes the free number, so no file of ours does.
            handle = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What a terminal cannot show becomes a question mark, never an error.
            stream.reconfigure(errors="replace")


def _run(arguments: list[str]) -> tuple[int, str, Details]:
    """Run one command; return exit code, message and details of what went wrong."""
    try:
        _do(arguments)
        return 0, "", {}
    except KeyboardInterrupt:
        return STOPPED, "stopped", {}
    except EndedError as end:
        return end.code, str(end), end.result
    except ValueError as error:
        return _code(error), _words(error), _config_errors(error)
    except RecursionError:
        return (
            WRONG_USE,
            "the input is nested too deeply: use fewer brackets inside one another",
            {},
        )
    except MemoryError:
        return FAILED, "there is not enough memory for this", {}
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return *_os_error_exit(error, arguments), {}
    except Exception as error:
        if _is_interrupted(error):
            return STOPPED, "stopped", {}
        return *_of_others(error), {}


def _is_interrupted(error: Exception) -> bool:
    """Return whether Python says that a module in C was interrupted by Ctrl-C.

    Only that error: another one after Ctrl-C, such as of a database that keeps what was played,
    is told as what it is.
    """
    return isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt)


def _do(arguments: list[str]) -> None:
    if arguments == ["--version"]:  # needs no parser, which would take most of its time
        print(version_text())
        return
    from evoply.cli.parsing import run_command
    from evoply.protocols.provenance import running

    with running(arguments):
        run_command(arguments)


def _of_others(error: Exception) -> tuple[int, str]:
    """Return exit code and words of an error in the user's own Python or of a database.

    Any other is a mistake of evoply's, and raised again.
    """
    # Only a command that imported these can have such errors.
    own_code, sqlite3 = sys.modules.get("evoply.configs.own_code"), sys.modules.get("sqlite3")
    own = "" if own_code is None else str(own_code.complaint(error))
    if own:
        return WRONG_USE, own
    if sqlite3 is not None and isinstance(error, sqlite3.Error):
        return FAILED, f"the run's database: {error}"
    raise error


def _words(error: ValueError) -> str:
    """Return what is wrong; a file's name that is not UTF-8 shows first where a text is written."""
    from evoply.wording import not_utf8

    name = not_utf8(error.object) if isinstance(error, UnicodeEncodeError) else ""
    return name or str(error)


def _code(error: ValueError) -> int:
    """Return the exit code: a run folder can fail, every other such error is wrong use."""
    from evoply.protocols import RunError, RunNameError

    is_failure = isinstance(error, RunError) and not isinstance(error, RunNameError)
    return FAILED if is_failure else WRONG_USE


def _os_error_exit(error: OSError, arguments: Sequence[str]) -> tuple[int, str]:
    """Return the exit code and the sentence for what the system refused."""
    from pathlib import Path

    if error.errno == errno.ENOENT and not _has_working_folder():
        return WRONG_USE, "the working folder - is gone - go to another one (cd), and try again"
    path = None if error.filename is None else os.fsdecode(error.filename)
    what, to_do = _REFUSED.get(error.errno or 0, (error.strerror or str(error), ""))
    code = WRONG_USE if error.errno in _REFUSED else FAILED
    if path is None:
        why = f"standard output cannot be written: {what}: send it somewhere else"
        return code, why
    if error.errno == errno.ENOENT and not (folder := Path(path).absolute().parent).is_dir():
        what, to_do = f"there is no folder {folder}", "make it, or name another path"
    return code, f"{_option_of(path, arguments)}{path}: {what}{': ' * bool(to_do)}{to_do}"


def _has_working_folder() -> bool:
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


_REFUSED = {
    errno.ENOENT: ("there is no such file or folder", "name one that is there"),
    errno.EACCES: ("this is not allowed", "name another path, or change who may use it"),
    errno.EPERM: ("this is not allowed", "name another path, or change who may use it"),
    errno.EROFS: ("nothing can be written there", "name another path"),
    errno.EISDIR: ("is a folder", "name a file"),
    errno.EEXIST: ("is a file", "name a folder"),
    errno.ENOTDIR: ("a part of the path is not a folder", "name another path"),
    errno.ENAMETOOLONG: ("the name is too long", "name another path"),
    errno.ENOSPC: ("no space is left there", "make room, or name another path"),
}
"""Errors of the system that come from the path that was asked for, and what to do about them."""


def _option_of(path: str, arguments: Sequence[str]) -> str:
    """Return the option that *path* was given to, with a blank after it; "" for none."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if argument == path and before.startswith("--"):
            return f"{before} "
        if argument.startswith("--") and argument.endswith(f"={path}"):
            return f"{argument.partition('=')[0]} "
    return ""


def _config_errors(error: ValueError) -> Details:
    from evoply.protocols import ConfigError

    if not isinstance(error, ConfigError):
        return {}
    return {"errors": [{"path": path, "message": message} for path, message in error.errors]}


def _complain(message: str, code: int, details: Details | None, *, is_stop: bool = False) -> None:
    """Say *message*; *details* are those of the JSON object, None without `--json`."""
    if details is not None:
        write_json({**details, "error": message, "exit_code": code})
    sys.stdout.flush()
    lines = message.splitlines()
    if len(lines) > _MOST_LINES:
        message = "\n".join([*lines[:_MOST_LINES], f"and {len(lines) - _MOST_LINES:,} more lines"])
    from evoply.cli.shell_hints import with_suggested

    stderr().print(
        f"{'' if is_stop else 'evoply: '}{with_suggested(message)}",
        style=None if is_stop else "red",
        soft_wrap=True,
    )
