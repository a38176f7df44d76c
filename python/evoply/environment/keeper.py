"""The keeper of a foreign process: its parent, which ends it with all that it started.

Run as a program: `keeper.py LIFELINE LIMITS COMMAND...` runs a command. Whatever the kept process
starts, and whatever that starts, becomes a child of the keeper when its own parent is gone (Linux:
`PR_SET_CHILD_SUBREAPER`), even in a session of its own. When the process ends, starts too many
others, or evoply closes the other end of the keeper's lifeline or dies, the keeper kills all of
them and ends. If anything was unusual, its last line on standard error says what.

Where the system allows it (Linux: a PID namespace), the kept processes cannot name the keeper or
any other process outside, so they cannot kill it, and all of them end with it. Elsewhere evoply
finds those of a killed keeper by the mark in their environment (`end_marked`).

It imports nothing of evoply, so it starts in a few hundredths of a second.

Reasons: docs/design/players.md.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple, NoReturn

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # Linux: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
# Linux: CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS; MS_REC and MS_PRIVATE; MS_NOSUID, NODEV, NOEXEC
_NEW_USERS, _NEW_PROCESSES, _NEW_MOUNTS = 0x1000_0000, 0x2000_0000, 0x2_0000
_ALL_PRIVATE, _HARMLESS = 0x4000 | 0x4_0000, 2 | 4 | 8
MARK = "EVOPLY_KEEPER"
"""The variable by whose value the processes of a keeper are found."""
_SIGNALLED = 128
"""As in a shell: a command that a signal ended has this exit code plus the number of the signal."""
_NOBODY = 65_534
"""The number of the user and the group nobody."""
_TICK = 0.1
"""Seconds between two counts of the processes."""
_PATIENCE = 10.0
"""Seconds after which the keeper gives up killing processes."""
_MEBIBYTE = 2**20
_SPARE_TASKS = 16
"""Tasks for each allowed process: the system counts threads, and all those of the same user."""


class KeeperLimits(NamedTuple):
    """The limits of a foreign process."""

    cpu: int
    """Seconds of processor time for each process."""
    memory: int
    """Mebibytes for each process."""
    processes: int
    """Processes at a time, the first one included."""
    helpers: int = 0
    """Processes of a sandbox, which are below the keeper too and do not count."""


def main(arguments: list[str]) -> None:
    """Run a command; *arguments* are the lifeline's descriptor, the limits as JSON, the command."""
    lifeline, limits, *command = arguments
    _keep(int(lifeline), read_limits(limits), command)


def read_limits(text: str) -> KeeperLimits:
    """Return the limits in *text*, a JSON list."""
    return KeeperLimits(*json.loads(text))


def _become(command: list[str], limits: KeeperLimits) -> None:
    confine(limits)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _say(f"{command[0]}: {error.strerror}")


def _keep(lifeline: int, limits: KeeperLimits, command: list[str]) -> NoReturn:
    """Run *command* in a child process, and kill all that it started when it ends."""
    _ask_linux(_CHILD_SUBREAPER, 1)
    keeper = os.getpid()
    # A sandbox has a namespace of its own.
    is_apart = not limits.helpers and _separate_processes()
    child = os.fork()
    if child:
        words = _watch(child, lifeline, limits._replace(helpers=limits.helpers + is_apart))
        _end(child)
        _say(words)
        os._exit(0)
    try:
        _die_with(keeper)
        os.close(lifeline)
        if is_apart:
            _be_first()
        os.setsid()
        _become(command, limits)
    finally:
        os._exit(0)


def _separate_processes() -> bool:
    """Let the next child be the first process of a namespace; return whether that is possible.

    When the first process ends, the system kills all others there, whatever they did.
    """
    if sys.platform != "linux":
        return False
    user, group = os.getuid(), os.getgid()
    try:
        unshare = ctypes.CDLL(None).unshare
        if not user:
            return not unshare(_NEW_PROCESSES)
        if unshare(_NEW_USERS | _NEW_PROCESSES):
            return False
        # The same user and group inside; else files would seem to belong to others.
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    except AttributeError:
        return False
    except OSError:
        pass  # the namespaces are there all the same
    return True


def _show_own_processes() -> None:
    """Let /proc list the processes of this namespace alone, if the system allows it.

    Else a process would not find itself there by its number, and could read the environment of
    evoply.
    """
    system = ctypes.CDLL(None)
    if system.unshare(_NEW_MOUNTS) or system.mount(b"none", b"/", None, _ALL_PRIVATE, None):
        return
    system.mount(b"proc", b"/proc", b"proc", _HARMLESS, None)


def _be_first() -> None:
    """Return in a child; wait for its end as the first process, and end in the same way."""
    _show_own_processes()
    child = os.fork()
    if not child:
        _ask_linux(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)  # as in `_watch`
    while True:
        ended, status = os.wait()
        if ended == child:
            os._exit(_SIGNALLED + os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)


def confine(limits: KeeperLimits, *, as_nobody: bool = False) -> None:
    """Set the limits of this process and of all that it starts, irrevocably.

    With *as_nobody* on Linux, root becomes the user nobody: root has no limit on processes.
    """
    user = _NOBODY if as_nobody and sys.platform == "linux" and not os.getuid() else os.getuid()
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_CPU", limits.cpu, spare=2)  # at the hard limit it is killed without a reason
    _limit("RLIMIT_DATA", limits.memory * _MEBIBYTE)
    # Only this limit counts reserved and shared memory, of which runtimes reserve a lot.
    _limit("RLIMIT_AS", 4 * limits.memory * _MEBIBYTE)
    if sys.platform == "linux":
        # This stops a fork bomb until the keeper, which counts exactly, sees it.
        _limit("RLIMIT_NPROC", _tasks_of(user) + _SPARE_TASKS * limits.processes)
    if user != os.getuid():
        keeper = os.getppid()
        # Where root cannot become nobody (some containers), the process keeps its user.
        with suppress(OSError):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        _die_with(keeper)  # the system forgets it when the user changes


def _limit(name: str, most: int, spare: int = 0) -> None:
    import resource  # missing on Windows, which only imports this module

    with suppress(OSError, ValueError, AttributeError):  # not every system has every limit
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        last = most + spare if hard == resource.RLIM_INFINITY else min(most + spare, hard)
        resource.setrlimit(kind, (min(most, last), last))


def _tasks_of(user: int) -> int:
    """Return the number of processes and threads of *user* in the whole system."""
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
    """Have this process killed when its *parent* ends; only on Linux."""
    _ask_linux(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    # 0: the parent is outside the namespace, and names itself by its own number there.
    if os.getppid() not in (parent, 0):
        os._exit(0)


def _ask_linux(option: int, value: int) -> None:
    """Set an option of this process; only on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _say(text: str) -> None:
    if text:
        with suppress(OSError):
            os.write(2, f"{text}\n".encode())


def _watch(child: int, lifeline: int, limits: KeeperLimits) -> str:
    """Wait until the child has ended or must be ended; return what was unusual, or ""."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        # evoply sees the end of the answers only if nobody else holds them open.
        os.dup2(nowhere, descriptor)
    os.set_blocking(2, False)  # writing the last line must not block
    waiting = select.poll()
    waiting.register(lifeline, select.POLLIN | select.POLLHUP)
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):  # else the next tick sees its end
            waiting.register(os.pidfd_open(child), select.POLLIN)
    is_over = False
    while not is_over:
        is_over = bool(waiting.poll(1000 * _TICK))
        end = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is not None:
            by_signal = _SIGNALLED * (end.si_code == os.CLD_EXITED)
            used_up = end.si_status == by_signal + signal.SIGXCPU
            return f"it used {limits.cpu:,} seconds of processor time" * used_up
        if _are_more_than(limits.processes + limits.helpers):
            return f"it started more than {limits.processes:,} processes"
    return ""


def _are_more_than(most: int) -> bool:
    """Return whether more than *most* living processes are below this one."""
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
        # A stopped process starts no others: all are stopped before any is killed.
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


def end_marked(value: str) -> None:
    """Kill the processes whose environment began with this *value* of `MARK`, and those below them.

    For a keeper that was killed: those that it kept may have other parents by now. A process may
    have changed its environment since, which the system does not show, but not one of its children.
    """
    mark = f"{MARK}={value}".encode()
    end = time.monotonic() + _PATIENCE
    stopped: set[int] = set()
    while time.monotonic() < end:
        marked = {process for process in _everything() if mark in _environment(process)}
        fresh = marked.union(*map(_descendants, marked)) - stopped
        if not fresh:
            break
        _signal(fresh, signal.SIGSTOP)
        stopped |= fresh
    _signal(stopped, signal.SIGKILL)


def _everything() -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*") if sys.platform == "linux" else ():
        yield int(folder.name)


def _environment(process: int) -> list[bytes]:
    try:
        return Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:  # it is gone, or somebody else's
        return []


def _signal(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _descendants(ancestor: int) -> Iterator[int]:
    """Yield the processes below *ancestor*; none if the system does not list its processes."""
    below = [ancestor]
    listed = None if Path(f"/proc/{ancestor}/task/{ancestor}/children").exists() else _families()
    while below:
        parent = below.pop()
        for child in _children(parent) if listed is None else listed.get(parent, ()):
            yield child
            below.append(child)


def _children(parent: int) -> Iterator[int]:
    try:
        tasks = os.listdir(f"/proc/{parent}/task")
    except OSError:  # it has just ended
        return
    for task in tasks:
        with suppress(OSError):
            yield from map(int, Path(f"/proc/{parent}/task/{task}/children").read_bytes().split())


def _families() -> dict[int, list[int]]:
    """Return the children of every process, for systems without /proc/PID/task/TID/children."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat") if sys.platform == "linux" else ():
        with suppress(OSError, ValueError, IndexError):
            fields = stat.read_bytes().rpartition(b")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return children


if __name__ == "__main__":
    main(sys.argv[1:])
