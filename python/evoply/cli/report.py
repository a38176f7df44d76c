"""`evoply report`: one HTML page about a run."""

from __future__ import annotations

from pathlib import Path

from evoply.cli.options import Json
from evoply.cli.output import Output

REPORT_FILE = "report.html"


def report(
    run: str | None = None,
    /,
    *,
    output: Path | None = None,
    json: Json = False,
) -> None:
    """Write one HTML page about a run, which opens offline.

    Parameters
    ----------
    run
        Name or path of the run. Default: the newest.
    output
        The file to write. Default: report.html in the run folder.
    """
    from evoply.files import check_writable
    from evoply.kinds import find_run
    from evoply.reports import write_report

    if output is not None:
        check_writable(output)
    with find_run(run) as found:
        path = write_report(found, output or found.path / REPORT_FILE)
        shown = Output(json)
        shown.say(f"Report: {path}")
        shown.result({"run": str(found.path), "report": str(path)})
