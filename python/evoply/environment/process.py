"""A foreign process from evoply's side: lines to it and from it by deadlines, and its end.

A process is hostile until proven otherwise: it may hang, die, write without end, leave children
behind or not read its input. None of that blocks the caller, and nothing of it is left behind.
"""

import json
import math
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType

from evoply.environment import keeper
from evoply.environment.keeper import KeeperLimits
from evoply.environment.sandbox import BUBBLEWRAP, HELPERS, Surroundings, own_environment, sandboxed
from evoply.wording import shorten

LONGEST_LINE = 1_000_000
USUAL = Surroundings()
_LONGEST_REASON = 400
_LAST_WORDS = 0.2
"""Seconds to wait for the last output of a process that has closed a stream."""
_KEEPER_LIMIT = 60.0
_HANDED_ON = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")
"""The variables that a process gets; the last one, where programs do not start without it."""
_MOST_ERRORS = 4000
"""How many of the last bytes on standard error are remembered."""


@dataclass
class BrokenError(Exception):
    """A process has failed and cannot be used further."""

    reason: str
    by_time: bool = False
    """Whether it did not answer in time."""
    has_died: bool = False
    """Whether the process has died, so that a new one may work."""

    def __str__(self) -> str:
        return one_line(self.reason)


def one_line(reason: object) -> str:
    """Return the text of a process as one short line that is safe to print on a terminal."""
    line = " ".join(str(reason).split())
    return shorten("".join(c if c.isprintable() else "?" for c in line), _LONGEST_REASON)


class ForeignProcess:
    """A process below its keeper, and the lines that go to it and come from it.

    It runs *command*, and gets no files but its three streams, and no environment but PATH, HOME,
    LANG, LD_LIBRARY_PATH, those that *surroundings* names, and *environment*. With
    *becomes_nobody* the command can give up being root in a sandbox, too, which lets it read
    *readable*. One thread at a time may ask; another one may call `end`, which ends the question.
    `ValueError` if the surroundings require a sandbox and there is none.
    """

    def __init__(
        self,
        command: Sequence[str],
        limits: KeeperLimits,
        *,
        surroundings: Surroundings = USUAL,
        environment: Mapping[str, str] = MappingProxyType({}),
        readable: Sequence[str] = (),
        becomes_nobody: bool = False,
    ) -> None:
        if not hasattr(os, "fork"):
            raise OSError("bots and engines need a system with fork, such as Linux or macOS")
        names = (*_HANDED_ON, *surroundings.variables)
        handed_on = {name: os.environ.get(name) for name in names}
        self.sandbox = BUBBLEWRAP if surroundings.has_sandbox() else None
        """The sandbox that it runs in; None without one."""
        if self.sandbox:
            environment = {**environment, **own_environment()}
            readable = (*surroundings.readable, *readable)
            command = sandboxed(command, readable, becomes_nobody=becomes_nobody)
            limits = limits._replace(helpers=HELPERS)
        self._mark = secrets.token_hex(16)
        lifeline, other_end = os.pipe()
        self._lifeline = os.fdopen(other_end, "wb", buffering=0)
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", keeper.__file__),
                    *(str(lifeline), json.dumps(limits), *command),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(lifeline,),
                start_new_session=True,
                bufsize=0,
                env={
                    **{name: value for name, value in handed_on.items() if value is not None},
                    **environment,
                    keeper.MARK: self._mark,
                },
            )
        except BaseException:
            self._lifeline.close()
            raise
        finally:
            os.close(lifeline)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._input, self._output, self._errors = (stream.fileno() for stream in streams if stream)
        for descriptor in (self._input, self._output, self._errors):
            os.set_blocking(descriptor, False)
        self.began = time.monotonic()
        self._pending = b""
        self._is_last = False
        """Whether standard input ends when what is queued was written."""
        self._lines = deque[bytes]()
        self._rest = b""
        self._complaints = b""
        self._is_drained = False
        """Whether standard error has ended."""
        self._is_open = True
        self._in_use = Lock()
        """Held while the pipes are read and written."""

    def send(self, line: str, *, is_last: bool = False) -> None:
        """Queue *line*, to be written while the next line is awaited at the latest.

        After the *is_last* one the process finds the end of its input.
        """
        self._pending += f"{line}\n".encode()
        self._is_last = is_last

    def line(self, end: float, late: str) -> str:
        """Return the next line, without its end, by the time *end* of `time.monotonic`.

        Raises `BrokenError`, with *late* as its reason if no line comes in time.
        """
        with self._in_use:
            while not self._lines:
                if len(self._rest) > LONGEST_LINE:
                    raise BrokenError("wrote something else than its answer: a line without an end")
                self._move(end, late)
            return self._lines.popleft().decode(errors="replace").rstrip("\r")

    def finish(self, line: str, seconds: float) -> None:
        """Send a last *line*, and give the process *seconds* to end by itself.

        Do nothing while another thread is asking: then `end` follows at once.
        """
        if not self._in_use.acquire(blocking=False):
            return
        try:
            self.send(line)
            end = time.monotonic() + seconds
            with suppress(BrokenError):
                while True:
                    self._move(end, "")
        finally:
            self._in_use.release()

    def _move(self, end: float, late: str) -> None:
        """Write what is queued and read what has come, or wait for either."""
        if not self._is_open:
            raise BrokenError("was sent away")
        waiting = select.poll()
        waiting.register(self._output, select.POLLIN | select.POLLHUP)
        if not self._is_drained:
            waiting.register(self._errors, select.POLLIN | select.POLLHUP)
        if self._pending:
            waiting.register(self._input, select.POLLOUT)
        left = end - time.monotonic()
        ready = waiting.poll(math.ceil(1000 * left)) if left > 0 else []
        if not ready:
            raise BrokenError(late, by_time=True)
        for descriptor, _ in ready:
            if descriptor == self._errors:
                self._drain()
            elif descriptor == self._input:
                self._write()
            else:
                self._read()

    def _write(self) -> None:
        try:
            self._pending = self._pending[os.write(self._input, self._pending) :]
            if self._is_last and not self._pending and self._process.stdin is not None:
                self._process.stdin.close()
        except BlockingIOError:
            pass
        except OSError:
            # The process is probably dead: then its output ends as well.
            self._pending = b""
            end = time.monotonic() + _LAST_WORDS
            while (left := end - time.monotonic()) > 0 and _can_be_read(self._output, left):
                self._read()
            raise BrokenError("does not read its standard input any more", has_died=True) from None

    def _read(self) -> None:
        try:
            text = os.read(self._output, 65_536)
        except BlockingIOError:
            return
        except OSError:
            text = b""
        if not text and self._is_last and self._rest:  # the last line of all needs no end
            text = b"\n"
        if not text:
            raise BrokenError(f"its process died{self._last_words()}", has_died=True)
        *lines, self._rest = (self._rest + text).split(b"\n")
        self._lines.extend(lines)

    def _drain(self) -> None:
        try:
            text = os.read(self._errors, 65_536)
        except BlockingIOError:
            return
        except OSError:
            text = b""
        self._is_drained = not text
        self._complaints = (self._complaints + text)[-_MOST_ERRORS:]

    def _last_words(self) -> str:
        """Return the last line on standard error as the end of a sentence, or ""."""
        end = time.monotonic() + _LAST_WORDS
        while (
            not self._is_drained
            and (left := end - time.monotonic()) > 0
            and _can_be_read(self._errors, left)
        ):
            self._drain()
        lines = self._complaints.decode(errors="replace").strip().splitlines()
        return f": {lines[-1].strip()}" if lines else ""

    def end(self) -> None:
        """Have the keeper kill everything, and wait for that; a second call does nothing."""
        self._lifeline.close()
        try:
            self._process.wait(timeout=_KEEPER_LIMIT)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.returncode:  # it ends with 0 when nobody kills it
            keeper.end_marked(self._mark)
        # A thread that is still asking sees the end of the answers first.
        with self._in_use:
            self._is_open = False
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                if stream is not None:
                    stream.close()


def _can_be_read(descriptor: int, seconds: float) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(waiting.poll(math.ceil(1000 * seconds)))
