"""A run's folder: made whole or not at all, locked by its writer, open to requests, gone on with.

The lock is on a file of the folder and is released by the system when a process ends, so a killed
process leaves none behind; the number written in the file is only for people. A watcher
of a run never touches its loop: it leaves `request.json`, which the loop reads between steps.

Reasons: docs/design/page.md.
"""

import contextlib
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from evoply.environment import own_python
from evoply.environment.files import (
    DATABASE,
    EXPERIMENT_FILE,
    read_kept,
    read_limited,
    runs_directory,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.protocols import MALFORMED, RunError, RunNameError

CONFIG = "config.toml"
GAME = "game.json"
"""The rules of a game from data, in the folder of a run or an experiment, which needs no other."""
UNITS = "runs"
"""The folder of its runs."""
REMAINS = ".new-"
_OLD_SECONDS = 3600.0
_LOCK = "lock"
_TRIES, _TRY_SECONDS = 5, 0.02
# A folder from somebody else may have a link or a pipe in place of the file.
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

Request = Literal["pause", "resume", "stop"]
_REQUESTS: tuple[Request, ...] = ("pause", "resume", "stop")
_REQUEST = "request.json"
_LONGEST_REQUEST = 1000


if sys.platform == "win32":
    import msvcrt

    _PLACE = 1_000_000  # beyond the text, which others may then still read

    _LOOK = os.O_RDWR

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    _look_at = _take
else:
    import fcntl

    _LOOK = os.O_RDONLY  # enough to see a lock in another user's folder

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _look_at(descriptor: int) -> None:
        # Shared: two readers do not block each other, only a writer does.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


class WriterLock:
    """The right to write a run, from construction to `release`.

    Raises `RunError` naming the process if another one holds it.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / _LOCK
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _PLAIN, 0o644)
        except OSError as error:
            raise RunError(f"run {folder} cannot be written: {reason(error, path)}") from None
        if not self._try_to_take():
            owner = os.pread(self._descriptor, 40, 0) if hasattr(os, "pread") else b""
            os.close(self._descriptor)
            name = owner.decode("ascii", "replace").strip() or "unknown"
            raise RunError(
                f"run {folder} is being written by process {name}: wait until it ends, "
                "or stop it, and try again"
            ) from None
        # Only for the message above; a full disk must not prevent the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{os.getpid()}\n".encode("ascii"))

    def _try_to_take(self) -> bool:
        # Another process may hold it for an instant, to see whether a writer has it.
        for _ in range(_TRIES):
            try:
                _take(self._descriptor)
            except OSError:
                time.sleep(_TRY_SECONDS)
            else:
                return True
        return False

    def release(self) -> None:
        """Give the right back; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def is_locked(folder: Path) -> bool:
    """Return whether some process is writing the run now."""
    try:
        descriptor = os.open(folder / _LOCK, _LOOK | _PLAIN)
    except OSError:
        return False
    try:
        _look_at(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def check_is_run(folder: Path) -> None:
    """Raise `RunNameError` unless *folder* has the files of a run, `RunError` if one is unreadable.

    What the system refuses would look like a damaged config later.
    """
    for name in (CONFIG, DATABASE):
        try:
            if (folder / name).is_file():
                with (folder / name).open("rb") as file:
                    file.read(1)
                continue
            what = "has no " + name if folder.is_dir() else "does not exist"
        except OSError as error:
            raise RunError(
                f"run {folder}: {name} cannot be read: {reason(error, folder / name)}"
            ) from None
        raise RunNameError(
            f"{folder} is not a run folder: it {what} (`evoply runs` lists the runs)"
        )


def how_to_go_on(folder: Path) -> str:
    """Return the command that goes on with the run in *folder*.

    A unit of an experiment is not resumed by itself: its games that measure would be missing.
    """
    experiment = folder.parent.parent
    if folder.parent.name == UNITS and (experiment / EXPERIMENT_FILE).exists():
        return f"evoply experiment {shlex.quote(str(experiment))}"
    is_named = folder.parent.absolute() == runs_directory().absolute()
    return f"evoply resume {shlex.quote(folder.name if is_named else str(folder))}"


def stored_learner(config: dict[str, Any]) -> str:
    """Return the name of the learner that a `config.toml` is for; evolution is the default."""
    name = config.get("learner")
    return name if isinstance(name, str) else "evolution"


def status_in(folder: Path, written: str) -> str:
    """Return the status of the run in *folder*; *written* is what its process wrote last."""
    is_left = written in ("running", "paused") and not is_locked(folder)
    return "stopped" if is_left else written


def create_folder(folder: Path, fill: Callable[[Path], object]) -> None:
    """Create *folder*, which *fill* writes as a whole; raise `RunError` if that fails."""
    taken = RunNameError(
        f"{folder} exists already: give another name, or go on with `evoply resume {folder}`"
    )
    if folder.exists():
        raise taken
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_remains(folder.parent)
        new = Path(tempfile.mkdtemp(prefix=REMAINS, dir=folder.parent))
    except OSError as error:
        raise RunError(f"{folder} cannot be created: {reason(error, folder)}") from None
    try:
        new.chmod(0o755)
        lock = WriterLock(new)  # or another process might take it for remains
        try:
            fill(new)
        finally:
            lock.release()  # Windows renames no folder with an open file
        new.rename(folder)
    except (OSError, sqlite3.Error) as error:
        if folder.exists():  # another process was quicker
            raise taken from None
        raise RunError(f"{folder} cannot be created: {reason(error, new / DATABASE)}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _remove_remains(directory: Path) -> None:
    """Remove the remains of processes that were killed while they created a run."""
    for remains in directory.glob(f"{REMAINS}*"):
        with contextlib.suppress(OSError):
            is_old = time.time() - remains.stat().st_mtime > _OLD_SECONDS
            if is_old and remains.is_dir() and not remains.is_symlink() and not is_locked(remains):
                shutil.rmtree(remains)


def leave_request(folder: Path, request: Request) -> None:
    """Ask the run in *folder* to pause, resume or stop after the current step."""
    if request not in _REQUESTS:
        raise RunError(f"no request is called {request!r}: use pause, resume or stop")
    try:
        write_atomically(folder / _REQUEST, json.dumps({"format": 1, "request": request}))
    except OSError as error:
        raise RunError(
            f"run {folder} cannot be asked to {request}: {reason(error, folder / _REQUEST)}"
        ) from None


def read_request(folder: Path) -> Request | None:
    """Return the request left in *folder*; None if there is none, or it is not readable."""
    try:
        if not (folder / _REQUEST).is_file():
            return None
        content = json.loads(read_limited(folder / _REQUEST, _LONGEST_REQUEST))
    except (OSError, ValueError, RecursionError):
        return None
    request = content.get("request") if isinstance(content, dict) else None
    return next((known for known in _REQUESTS if request == known), None)


def clear_request(folder: Path) -> None:
    """Remove the request of *folder*, if there is one."""
    with contextlib.suppress(OSError):
        (folder / _REQUEST).unlink(missing_ok=True)


def game_content(config: Any) -> str | None:
    """Return the text of the file with the rules of the config's game; None if they are no data."""
    from evoply.rules.loading import carried_rules

    rules = carried_rules(getattr(config, "game", ""))
    return None if rules is None else f"{json.dumps(rules, indent=1)}\n"


def add_game_of(folder: Path) -> None:
    """Add the game of a *folder* that has one; `RunError` if its rules are damaged or others."""
    file = folder / GAME
    if not file.exists():
        return
    from evoply.rules.loading import add_carried

    try:
        add_carried(json.loads(read_kept(file)))
    except OSError as error:
        raise RunError(f"{folder} cannot be read: {reason(error, file)}") from None
    except MALFORMED as error:
        raise RunError(f"{folder}: {GAME}: {error} - put the original back") from None


# A run in a separate process, which needs no waiting.
#
# The process lives on when its starter ends, and follows the requests in the run folder.

OUTPUT = "output.txt"
"""The file of a run folder that holds the output of such a process."""


def go_on_in_process(
    folder: Path, *, tests: bool = True, generations: int | None = None
) -> subprocess.Popen[bytes]:
    """Start or resume the run in *folder*, as `evoply resume` does; return the process.

    It may have another number of *generations* than before. *tests*: whether it plays test matches
    and writes the report at the end. Raises `RunError` if no process can be started.
    """
    command = [*own_python(), "-m", "evoply", "resume", str(folder.absolute()), "--json"]
    if not tests:
        command.append("--no-tests")
    if generations is not None:
        command += ["--generations", str(generations)]
    try:
        (folder / OUTPUT).unlink(missing_ok=True)  # it may be a link, in a folder from elsewhere
        with (folder / OUTPUT).open("xb") as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # its JSON object, which the folder holds too
                stderr=output,
                # Ctrl-C in the terminal of its starter must not reach it.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
    except OSError as error:
        raise RunError(
            f"run {folder} cannot be started: {reason(error, folder / OUTPUT)}"
        ) from None
