"""`evoply runs`: the list of runs, or the generations of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output, rows_table, say_listing
from evoply.cli.shared_options import Json
from evoply.cli.shell_hints import suggested
from evoply.sections import Column, counted, share
from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.runs import Run, RunSummary

_MOST_LINES = 40


def runs(
    run: str | None = None,
    /,
    *,
    csv: Path | None = None,
    parquet: Path | None = None,
    all_: bool = False,
    check: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Json = False,
) -> None:
    """List the runs, or show the generations of one.

    Parameters
    ----------
    run
        Name or path of the run to show. Default: list all runs.
    csv
        Write generations, individuals, hall of fame and matches of the run as CSV files into this
        folder.
    parquet
        The same as Parquet files; needs evoply[parquet]; see docs/installation.md.
    all_
        Show every generation of a long run, not the last ones only.
    check
        Only check whether the run is damaged: compare everything stored with its checksums.
    """
    output = Output(json)
    if run is None:
        for name, folder in (("csv", csv), ("parquet", parquet)):
            if folder is not None:
                raise ValueError(f"--{name}: say which run: `evoply runs RUN --{name} FOLDER`")
        if check:
            raise ValueError("--check: say which run: `evoply runs RUN --check`")
        _show_list(output)
        return
    with opened_run(run) as found:
        from evoply.runs import export_csv, export_parquet

        if check:
            _check(output, found)
            return
        files = [] if csv is None else export_csv(found, csv)
        files += [] if parquet is None else export_parquet(found, parquet)
        _show_run(output, found, show_all=all_)
        for path in files:
            output.say(f"Written: {path}")


def _check(output: Output, run: Run) -> None:
    """Say that *run* is whole; `RunError` names what is damaged."""
    count = run.check()
    output.say(f"{run.path} is whole: {count:,} checksums were compared")
    output.result({"run": str(run.path), "name": run.name, "check": "ok", "checksums": count})


def _show_list(output: Output) -> None:
    from evoply.files import runs_directory
    from evoply.runs import list_runs

    summaries = list_runs()
    columns = (
        Column("name", "run", str),
        Column("game", "game", str),
        Column("status", "status", str, read=_status),
        Column("created", "created", str, read=lambda run: run.created[:16].replace("T", " ")),
        Column("generations", "steps", counted),
        Column("best_fresh", "best on fresh games", share),
    )
    if summaries:
        output.people.print(rows_table(columns, [run for run in summaries if run.error is None]))
    else:
        folder = runs_directory().absolute()
        output.say(f"There is no run in {folder} yet: `{suggested('evolve demo')}` makes one.")
    for summary in summaries:
        if summary.error is not None:
            output.say(f"{summary.name} cannot be read: {summary.error}")
    output.result(
        {"folder": str(runs_directory()), "runs": [_summary(summary) for summary in summaries]}
    )


def _status(run: Run | RunSummary) -> str:
    from evoply.reports import status_in_words

    return status_in_words(run.status, run.ended_by)


def _summary(summary: RunSummary) -> dict[str, Any]:
    if summary.error is not None:
        return {"name": summary.name, "path": str(summary.path), "error": summary.error}
    return {
        "name": summary.name,
        "path": str(summary.path),
        "game": summary.game,
        "status": summary.status,
        "ended_by": summary.ended_by or None,
        "created": summary.created,
        "generations": summary.generations,
        "best_fresh": summary.best_fresh,
    }


def _show_run(output: Output, run: Run, *, show_all: bool) -> None:
    generations = run.rows()
    status = _status(run)
    output.say(f"{run.path}: {run.config.game}, seed {run.config.seed}, {status}", style="bold")
    if run.command:
        output.say(f"made by: {run.command}")
    if not run.games.are_reproducible:
        output.say("not reproducible: an opponent may play otherwise in the same game")
    shown = generations if show_all else generations[-_MOST_LINES:]
    if len(shown) < len(generations):
        output.say(f"the last {len(shown)} of {run.steps_in_words()} (--all shows all):")
    output.people.print(rows_table(run.columns(shown), shown))
    if generations:
        if "edited" in run.kind.uses:  # its weights are few, and the table has room for some
            for listing in run.kind.display.listings(run.config, run.last()):
                say_listing(listing, output)
            output.say()
        output.say(f"champion: {shorten(_champion_text(run), 300)}")
    output.result(_data(run, generations))


def _data(run: Run, generations: list[dict[str, Any]]) -> dict[str, Any]:
    from evoply.runs import played_matches

    matches = played_matches(run)
    return {
        "run": str(run.path),
        "name": run.name,
        "game": run.config.game,
        "seed": run.config.seed,
        "status": run.status,
        "ended_by": run.ended_by or None,
        "created": run.created,
        "version": run.version,
        "signature": run.signature,
        "command": run.command,
        "learner": run.kind.name,
        "reproducible": run.games.are_reproducible,
        "champion": f"champion@{run.name}" if generations else None,
        "generations": [run.kind.tables.data(row) for row in generations],
        "matches": list(matches.champion),
        "earlier_champions": list(matches.earlier),
        "other_matches": list(matches.others),
        "events": run.events(),
    }


def _champion_text(run: Run) -> str:
    from evoply.reports.open_evaluator import tree_of

    player = run.champion_player
    tree = tree_of(player)
    return str(player.label if tree is None else tree)
