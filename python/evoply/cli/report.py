"""`evoply report`: one HTML page about a run."""

from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output, made
from evoply.cli.saving import say_charts
from evoply.cli.shared_options import AnyRun, Charts, Json, OutputFile, prepared_folder

REPORT_FILE = "report.html"


def report(
    run: AnyRun = None,
    /,
    *,
    output: OutputFile = None,
    charts: Charts = None,
    json: Json = False,
) -> None:
    """Write one HTML page about a run, which opens offline.

    Parameters
    ----------
    output
        The file to write. Default: report.html in the run folder.
    """
    prepared_folder(charts)
    with opened_run(run) as found:
        from evoply.reports import run_charts, write_report

        path = write_report(found, output or found.path / REPORT_FILE)
        out = Output(json)
        out.say(f"Report: {path}")
        drawn = {}
        if charts is not None:
            drawn["charts"] = say_charts(out, charts, run_charts(found))
        out.result(made({"run": str(found.path), "report": str(path), **drawn}))
