"""Runs programs, several at once, shows how far they are, and ends all of them when one fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from setting_up.wrong import FailedError, StoppedError

__all__ = ["Log", "Programs", "Progress", "at_once", "spoken"]

_PATIENCE = 3.0
"""Seconds that a program has to end by itself before it is killed."""
_NOW_AND_THEN = 15.0
"""Seconds between two lines about a part where there is no terminal."""
_STILL = 60.0
"""Seconds until the same line comes again, so that nobody believes it has stopped."""


def spoken(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Log:
    """A file that gets every line of the programs of one part; begun anew each time."""

    def __init__(self, path: Path, about: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        path.write_text("", encoding="utf-8")
        self.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {about}\n")

    def write(self, line: str) -> None:
        """Keep a line, at once: whoever looks while the program runs sees it."""
        # A full disk must not hide what filled it.
        with suppress(OSError), self.path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line)


class Programs:
    """The programs that run now.

    Each has a process group of its own, so that Ctrl-C reaches us alone and we end it with all that
    it started.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._is_stopped = False

    def run(
        self,
        command: Sequence[str | Path],
        log: Log,
        *,
        environment: Mapping[str, str | None] | None = None,
        folder: Path | None = None,
        on_line: Callable[[str], None] = lambda line: None,
        on_end: Callable[[float], None] = lambda seconds: None,
    ) -> str:
        """Return what a program writes; raise `FailedError` where its exit code is not 0.

        *on_end* gets the processor seconds of it and of all programs that it waited for.
        """
        log.write(f"$ {' '.join(map(str, command))}\n")
        process = self._begin(command, environment, folder or self._folder)
        text: list[str] = []
        try:
            assert process.stdout is not None
            with process.stdout as lines:
                for line in lines:
                    text.append(line)
                    log.write(line)
                    on_line(line.rstrip())
            code, seconds = _end_of(process)
        finally:
            with self._lock:
                self._running.discard(process)
        log.write(f"{seconds:.1f} s of processor time\n")
        self.go_on()
        if code:
            log.write(f"exit code {code}\n")
            raise FailedError(Path(command[0]).name, code, "".join(text))
        on_end(seconds)
        return "".join(text)

    def _begin(
        self,
        command: Sequence[str | Path],
        environment: Mapping[str, str | None] | None,
        folder: Path,
    ) -> subprocess.Popen[str]:
        with self._lock:
            self._check()
            process = subprocess.Popen(
                [str(word) for word in command],
                cwd=folder,
                env=_changed(environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
            self._running.add(process)
        return process

    def go_on(self) -> None:
        """Return if nobody has stopped the setup."""
        with self._lock:
            self._check()

    def _check(self) -> None:
        if self._is_stopped:
            raise StoppedError

    def wait(self, event: threading.Event) -> None:
        """Wait until another part sets *event*, or the setup is stopped."""
        while not event.wait(0.1):
            self.go_on()

    def stop(self) -> None:
        """End all programs and whatever they started; no other one begins."""
        with self._lock:
            self._is_stopped = True
            running = list(self._running)
        for process in running:
            _signal(process, signal.SIGTERM)
        until = time.monotonic() + _PATIENCE
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))
            _signal(process, signal.SIGKILL)  # also whom it left behind


def _changed(environment: Mapping[str, str | None]) -> dict[str, str]:
    """Return our environment with other values; None takes a name away."""
    changed: dict[str, str | None] = {**os.environ, **environment}
    return {name: value for name, value in changed.items() if value is not None}


def _end_of(process: subprocess.Popen[str]) -> tuple[int, float]:
    """Wait for a process; return its exit code and the processor seconds of it and its children."""
    try:
        _, status, used = os.wait4(process.pid, 0)
    except ChildProcessError:  # `stop` was faster
        return process.wait(), 0.0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class Progress:
    """One line that is written anew on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._lock = threading.Lock()
        self._now: dict[str, tuple[str, float]] = {}
        self._said: dict[str, tuple[str, float]] = {}

    def say(self, part: str, text: str) -> None:
        """Say what a part does now."""
        with self._lock:
            began = self._now[part][1] if part in self._now else time.monotonic()
            self._now[part] = (text, began)

    def end(self, part: str, text: str = "") -> None:
        """Say how a part ended, in a line that stays."""
        with self._lock:
            self._now.pop(part, None)
        if text:
            self.tell(f"{part}: {text}")

    def tell(self, line: str) -> None:
        """Write a line that stays."""
        with self._lock:
            self._wipe()
            self._write(f"{line}\n")

    def draw(self) -> None:
        """Show how far all parts are."""
        now = time.monotonic()
        with self._lock:
            texts = {
                part: f"{part}: {text}, {spoken(int(now - began))}"
                for part, (text, began) in self._now.items()
            }
            if self._is_terminal and texts:
                width = shutil.get_terminal_size().columns
                self._wipe()
                self._write(" | ".join(texts.values())[: width - 1])
            elif not self._is_terminal:
                for part, line in texts.items():
                    text, at = self._said.get(part, ("", 0.0))
                    is_new = self._now[part][0] != text
                    if now - at >= (_NOW_AND_THEN if is_new else _STILL):
                        self._said[part] = (self._now[part][0], now)
                        self._write(f"{line}\n")

    def wipe(self) -> None:
        """Leave the line to whoever writes next."""
        with self._lock:
            self._now.clear()
            self._wipe()

    def _wipe(self) -> None:
        if self._is_terminal:
            self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # nobody reads on (`| head`): the work goes on
            self._stream.write(text)
            self._stream.flush()


def at_once(
    parts: Mapping[str, Callable[[], None]], programs: Programs, progress: Progress
) -> None:
    """Do all parts side by side; where one fails, or somebody presses Ctrl-C, end the others."""
    errors: list[BaseException] = []

    def do(part: Callable[[], None]) -> None:
        try:
            part()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=do, args=(part,)) for part in parts.values()]
    try:
        for thread in threads:
            thread.start()
        while (alive := [one for one in threads if one.is_alive()]) and not errors:
            progress.draw()
            alive[0].join(0.2)
    finally:
        # After an error, or Ctrl-C, nothing runs on behind the message; another Ctrl-C waits.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        if errors or sys.exc_info()[1] is not None:
            programs.stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        progress.wipe()
        signal.signal(signal.SIGINT, before)
    for error in errors:
        if not isinstance(error, StoppedError):
            raise error
