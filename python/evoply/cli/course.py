"""`evoply course` and `evoply check`: the folder of a course, and whether exercises are done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.output import FailureError, Output

if TYPE_CHECKING:
    from evoply.course.checking import Verdict

_HERE = Path()


def course(
    action: Literal["new"],
    folder: Path,
    /,
    *,
    solutions: Annotated[Path | None, Parameter(show_default=False)] = None,
    json: shared_options.Json = False,
) -> None:
    """Write the folder of a course for a class: six weeks, eight exercises.

    Each exercise has a task, something to begin with, and hints. `evoply check`
    says whether it is done. README.md in the folder has the plan of the weeks.

    Parameters
    ----------
    action
        new: write a new course.
    folder
        Where; a folder that is not there yet.
    solutions
        Write the teacher's solutions into this folder, outside of the other one.
    """
    from evoply.course.folders import EXERCISES, new_course

    new_course(folder, solutions)
    output = Output(json)
    output.say(f"{folder} has {len(EXERCISES)} exercises; begin with {folder / 'README.md'}")
    if solutions is not None:
        output.say(f"{solutions} has the solutions; keep them from your students")
    kept = None if solutions is None else str(solutions)
    output.result({"folder": str(folder), "exercises": list(EXERCISES), "solutions": kept})


def check(folder: Path = _HERE, /, *, json: shared_options.Json = False) -> None:
    """Say what holds in an exercise of a course, and what to do about the rest.

    It runs the Python in the folder as you would. The exit code is 0 if all
    holds, else 1.

    Parameters
    ----------
    folder
        The folder of an exercise, or that of a course for a table of all. Default: where you are.
    """
    from evoply.course.checking import exercise_named
    from evoply.course.folders import EXERCISES, exercises_in

    found = exercises_in(folder)
    output = Output(json)
    results: list[dict[str, Any]] = []
    for name, path in found.items():
        is_alone = len(found) == 1
        if is_alone:
            output.say(f"{name}: {EXERCISES[name].title}", style="bold")
        verdicts: list[Verdict] = []
        for verdict in exercise_named(name).verdicts(path):
            verdicts.append(verdict)
            if is_alone:
                _say(output, verdict)
        if not is_alone:
            _say_row(output, name, verdicts)
        results.append({"exercise": name, "checks": [verdict.to_dict() for verdict in verdicts]})
    missing = sum(not check["holds"] for result in results for check in result["checks"])
    if missing:
        do = "check does" if missing == 1 else "checks do"
        raise FailureError(f"{missing} {do} not hold yet", {"exercises": results})
    output.say("All checks hold.")
    output.result({"exercises": results})


def _say(output: Output, verdict: Verdict) -> None:
    state = "holds  " if verdict.holds else "not yet"
    output.say(f"  {state}  {verdict.check}", style=None if verdict.holds else "yellow")
    for line in verdict.to_do.splitlines():
        output.say(f"           {line}")


def _say_row(output: Output, name: str, verdicts: Sequence[Verdict]) -> None:
    holding = sum(verdict.holds for verdict in verdicts)
    next_one = next((f"next: {verdict.check}" for verdict in verdicts if not verdict.holds), "done")
    output.say(f"{name:<14}  {holding} of {len(verdicts)}  {next_one}")
