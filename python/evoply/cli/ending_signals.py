"""Signals that end a command as Ctrl-C does, with its sentence: batch systems send them."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

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
