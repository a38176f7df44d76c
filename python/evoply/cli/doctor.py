"""`evoply doctor`: what is installed, built and missing, with what to do."""

from __future__ import annotations

from evoply.cli.output import FailureError, Output
from evoply.cli.shared_options import Json


def doctor(
    *,
    json: Json = False,
) -> None:
    """Say what is installed, built and missing, and what to do.

    A line each for evoply, Python, packages, the kernel, the extras of the package,
    a browser, bubblewrap, the folder of runs, disk, memory and cores; in a clone
    also for Rust, which compiles the kernel. It begins with

      ok        it is there
      missing   it is needed: the line says what to do
      absent    it is not there; evoply does without it
      unknown   it cannot be looked at

    The exit code is 0 if all that is needed is there, else 1.

    In JSON: ok, and parts: name, state, found, remedy and is_required of each.
    """
    from evoply.environment.prerequisites import Examination

    output = Output(json)
    examination = Examination.of_this_machine()
    for part in examination.parts:
        output.say(part.line, style="red" if part.is_failure else None)
    if examination.failure:
        raise FailureError(examination.failure, examination.to_dict())
    output.result(examination.to_dict())
