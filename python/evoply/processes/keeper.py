"""The keeper of a foreign process: its parent, which leaves nothing of it behind.

Run as a program: `keeper.py LIFELINE LIMITS COMMAND...` runs a command; `bot_process` runs a bot.
Whatever the kept process starts, and whatever that starts, becomes a child of the keeper when its
own parent is gone (Linux: `PR_SET_CHILD_SUBREAPER`), sessions of its own or not. When the process
ends, starts too many others, or the other end of the keeper's lifeline is closed because evoply
wants it or is no more, the keeper kills all of them and goes. Its last words, if there is anything
to say, are a line on standard error.

It is plain Python and starts in a few hundredths of a second: it imports nothing of evoply.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # Linux: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
_NOBODY = 65_534
"""The user and group of that name, wherever there is one."""
_TICK = 0.1
"""Seconds between two counts of the processes."""
_PATIENCE = 10.0
"""Seconds after which the keeper gives up on processes that cannot be killed."""
_MEBIBYTE = 2**20
_SPARE_TASKS = 16
"""Tasks for each process that is allowed: the system counts threads, and those of the same user."""


class KeeperLimits(NamedTuple):
    """What a foreign process may use."""

    cpu: int
    """Seconds of processor time, of each process."""
    memory: int
    """Mebibytes of each process."""
    processes: int
    """Processes at a time, the first one included."""


def main(arguments: list[str]) -> None:
    """Keep a command; *arguments*: descriptor of the lifeline, limits as JSON, command."""
    lifeline, limits, *command = arguments
    keep(int(lifeline), read_limits(limits), lambda: _become(command, read_limits(limits)))


def read_limits(text: str) -> KeeperLimits:
    """Return the limits that *text*, a JSON list, holds."""
    return KeeperLimits(*json.loads(text))


def _become(command: list[str], limits: KeeperLimits) -> None:
    confine(limits)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _say(f"{command[0]}: {error.strerror}")


def keep(lifeline: int, limits: KeeperLimits, work: Callable[[], object]) -> NoReturn:
    """Do *work* in a child of this process, and leave nothing of it behind when it ends."""
    _ask_linux(_CHILD_SUBREAPER, 1)
    keeper, child = os.getpid(), os.fork()
    if child:
        words = _watch(child, lifeline, limits)
        _end(child)
        _say(words)
        os._exit(0)
    try:
        _die_with(keeper)
        os.close(lifeline)
        os.setsid()
        work()
    finally:
        os._exit(0)


def confine(limits: KeeperLimits, *, as_nobody: bool = False) -> None:
    """Set the limits of this process and of all that it starts, for good.

    With *as_nobody* root becomes the user nobody, on Linux: no limit on processes binds root.
    """
    user = _NOBODY if as_nobody and sys.platform == "linux" and not os.getuid() else os.getuid()
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_CPU", limits.cpu, spare=2)  # at the last it is killed without a reason
    _limit("RLIMIT_DATA", limits.memory * _MEBIBYTE)
    # What is only reserved, or shared, counts here alone: runtimes reserve a lot.
    _limit("RLIMIT_AS", 4 * limits.memory * _MEBIBYTE)
    if sys.platform == "linux":
        # It stops an avalanche until the keeper, who counts exactly, has seen it.
        _limit("RLIMIT_NPROC", _tasks_of(user) + _SPARE_TASKS * limits.processes)
    if user != os.getuid():
        keeper = os.getppid()
        # Where nobody is not to be had (some containers), the process stays who it is.
        with suppress(OSError):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        _die_with(keeper)  # forgotten when a process becomes somebody else


def _limit(name: str, most: int, spare: int = 0) -> None:
    import resource  # which Windows does not have: there this module is only imported

    with suppress(OSError, ValueError, AttributeError):  # not every system has every limit
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        last = most + spare if hard == resource.RLIM_INFINITY else min(most + spare, hard)
        resource.setrlimit(kind, (min(most, last), last))


def _tasks_of(user: int) -> int:
    """Return how many processes and threads *user* has, in the whole system."""
    count = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError, ValueError, KeyError, IndexError):
            lines = status.read_text(errors="replace").splitlines()
            fields = {
                name: rest.split() for name, _, rest in (line.partition(":") for line in lines)
            }
            count += int(fields["Threads"][0]) if int(fields["Uid"][0]) == user else 0
    return count


def _die_with(parent: int) -> None:
    """Have this process killed when its *parent* ends, where the system is Linux."""
    _ask_linux(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _ask_linux(option: int, value: int) -> None:
    """Set an option of this process, where the system is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _say(words: str) -> None:
    if words:
        with suppress(OSError):
            os.write(2, f"{words}\n".encode())


def _watch(child: int, lifeline: int, limits: KeeperLimits) -> str:
    """Wait until the child has ended or is to end; return in words what was unusual, or ""."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        # evoply sees the end of the answers only if nobody else holds them open.
        os.dup2(nowhere, descriptor)
    os.set_blocking(2, False)  # last words wait for nobody
    waiting = select.poll()
    waiting.register(lifeline, select.POLLIN | select.POLLHUP)
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):  # else its end is seen at the next tick
            waiting.register(os.pidfd_open(child), select.POLLIN)
    is_over = False
    while not is_over:
        is_over = bool(waiting.poll(1000 * _TICK))
        end = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is not None:
            used_up = end.si_code == os.CLD_KILLED and end.si_status == signal.SIGXCPU
            return f"it used {limits.cpu:,} seconds of processor time" * used_up
        if _are_more_than(limits.processes):
            return f"it started more than {limits.processes:,} processes"
    return ""


def _are_more_than(most: int) -> bool:
    """Return whether more than *most* processes live below this one; the dead count for nothing."""
    if len(list(islice(_descendants(os.getpid()), most + 1))) <= most:
        return False
    return sum(not _is_dead(process) for process in _descendants(os.getpid())) > most


def _is_dead(process: int) -> bool:
    try:
        # The second field is the program's name in brackets, which may hold anything.
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return True
    return fields[0] in (b"Z", b"X")


def _end(child: int) -> None:
    """Kill the child and all that it has started, and wait for their ends."""
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    with suppress(OSError):
        os.kill(child, signal.SIGKILL)
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        # Who is stopped starts nothing: only then are they killed, so that none gets away.
        stopped: set[int] = set()
        while fresh := set(_descendants(os.getpid())) - stopped:
            _signal(fresh, signal.SIGSTOP)
            stopped |= fresh
        _signal(stopped, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _signal(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _descendants(ancestor: int) -> Iterator[int]:
    """Yield the processes below *ancestor*; none where the system does not list its processes."""
    below = [ancestor]
    listed = None if Path(f"/proc/{ancestor}/task/{ancestor}/children").exists() else _families()
    while below:
        parent = below.pop()
        for child in _children(parent) if listed is None else listed.get(parent, ()):
            yield child
            below.append(child)


def _children(parent: int) -> Iterator[int]:
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, task.read_bytes().split())


def _families() -> dict[int, list[int]]:
    """Return the children of every process, for kernels that list them in no other way."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with suppress(OSError, ValueError, IndexError):
            fields = stat.read_bytes().rpartition(b")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return children


if __name__ == "__main__":
    main(sys.argv[1:])
