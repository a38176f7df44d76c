"""`evoply report`: one HTML page about a run."""

from evoply.cli.output import Output
from evoply.cli.shared_options import AnyRun, Json, OutputFile

REPORT_FILE = "report.html"


def report(
    run: AnyRun = None,
    /,
    *,
    output: OutputFile = None,
    json: Json = False,
) -> None:
    """Write one HTML page about a run, which opens offline.

    Parameters
    ----------
    output
        The file to write. Default: report.html in the run folder.
    """
    from evoply.kinds import find_run
    from evoply.reports import write_report

    with find_run(run) as found:
        path = write_report(found, output or found.path / REPORT_FILE)
        out = Output(json)
        out.say(f"Report: {path}")
        out.result({"run": str(found.path), "report": str(path)})
