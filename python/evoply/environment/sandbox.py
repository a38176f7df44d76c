"""The sandbox of foreign processes: bubblewrap, where it is there and allowed.

Inside there is no network and no other process. The folders of the system, of Python and evoply,
and those of the files in the command can be read; nothing can be written but a folder for temporary
files, which is empty at first, in memory, and gone with the process.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

SandboxMode = Literal["auto", "off", "required"]


BUBBLEWRAP = "bubblewrap"
"""What results call the sandbox."""


HELPERS = 2
"""The processes of bubblewrap itself."""


_PROGRAM = "bwrap"


_TRIAL_LIMIT = 20.0


_TEMPORARY = "/tmp"


_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"),
    *("/etc/fonts", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"),
    "/sys/devices/system",  # where programs count cores
)


_USUAL = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"),
    *("--perms", "1777", "--tmpfs", _TEMPORARY),
)


_ROOT = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_DAC_READ_SEARCH")
"""What a bot of root needs until it has become the user nobody."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a foreign process finds around it."""

    sandbox: SandboxMode = "auto"
    """`auto`: a sandbox if there is one; `required`: nothing runs without one."""
    variables: tuple[str, ...] = ()
    """Names of variables of the environment that it gets too."""
    readable: tuple[str, ...] = ()
    """Folders and files that it may read in the sandbox too."""

    def has_sandbox(self) -> bool:
        """Return whether the process runs in one; `ValueError` if it must and cannot."""
        if self.sandbox == "off":
            return False
        missing = sandbox_problem()
        if missing and self.sandbox == "required":
            raise ValueError(
                f"sandbox: it is required, and {missing} - install bubblewrap (apt-get install "
                "bubblewrap) on a Linux that allows it, or choose auto or off"
            )
        return not missing


def sandbox_problem() -> str:
    """Return why bubblewrap cannot be used here; "" if it can."""
    program = shutil.which(_PROGRAM)
    if sys.platform != "linux" or program is None:
        return "there is no bubblewrap (bwrap) on this machine"
    return _trial(program)


@cache
def _trial(program: str) -> str:
    command = sandboxed([shutil.which("true") or "true"], becomes_nobody=True)
    try:
        tried = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start here ({error})"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return f"bubblewrap is not allowed here ({said[-1] if said else 'it says nothing'})" * bool(
        tried.returncode
    )


def sandboxed(
    command: Sequence[str], readable: Sequence[str] = (), *, becomes_nobody: bool = False
) -> list[str]:
    """Return the command that runs *command* in the sandbox, where *readable* can be read too.

    With *becomes_nobody* a process of root can give up being root.
    """
    is_root = not os.getuid()
    words = [_PROGRAM, *(() if is_root else ("--unshare-user",)), *_USUAL]
    words += _ROOT if is_root and becomes_nobody else ()
    seen: list[Path] = []
    for place in (*_SYSTEM, *_python(), *_places_of(command), *readable):
        path = Path(place).expanduser().absolute()
        if not any(known in (path, *path.parents) for known in seen):
            seen.append(path)
            words += ["--ro-bind-try", str(path), str(path)]
    folder = os.getcwd()
    return [*words, "--dir", folder, "--remount-ro", "/", "--chdir", folder, "--", *command]


def own_environment() -> Mapping[str, str]:
    """Return the variables that name the folder for temporary files in the sandbox."""
    return {"HOME": _TEMPORARY, "TMPDIR": _TEMPORARY}


def _python() -> Iterator[str]:
    """Yield the folders of the interpreter and of its modules, but not that of a script."""
    yield from {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    yield str(Path(__file__).parents[2])
    home, script = Path.home(), getattr(sys.modules["__main__"], "__file__", None) or "."
    unseen = {Path(), Path.cwd(), Path(script).absolute().parent, home, *home.parents}
    yield from (folder for folder in sys.path if Path(folder) not in unseen)


def _places_of(command: Sequence[str]) -> Iterator[str]:
    """Yield the folders of the program and of all files that the command names.

    Of a file in the home folder, or in one above it, only the file itself.
    """
    home = Path.home()
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        named = Path(word).absolute()
        if not named.exists():
            continue
        for path in (named, named.resolve()):
            place = path if path.is_dir() else path.parent
            if place not in (home, *home.parents):
                yield str(place)
            elif not path.is_dir():
                yield str(path)
