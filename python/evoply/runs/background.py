"""A run in a separate process, which needs no waiting.

The process lives on when its starter ends, and follows the requests in the run folder.

Reasons: docs/design/page.md.
"""

import subprocess
from pathlib import Path

from evoply.processes import own_python
from evoply.protocols import RunError
from evoply.refusals import reason

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
