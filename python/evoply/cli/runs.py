"""`evoply runs`, `report`, `presets`, `config`: what runs there are, what a config may say."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.output import Output, made, say_listing
from evoply.cli.player_texts import opened_run
from evoply.cli.saving import say_charts
from evoply.cli.shared_options import AnyRun, Charts, Json, OutputFile, prepared_folder
from evoply.cli.shell_hints import suggested
from evoply.protocols.sections import Column, counted, share
from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.configs.reference import ConfigKey, ConfigSection
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
        Show every run, or every generation of a long run, not the last ones only.
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
        _show_list(output, show_all=all_)
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


def _show_list(output: Output, *, show_all: bool) -> None:
    from evoply.environment.files import runs_directory
    from evoply.runs import list_runs

    summaries = list_runs()
    columns = (
        Column("name", "run", str),
        Column("game", "game", str),
        Column("status", "status", str, read=_status),
        Column("created", "created", str, read=lambda run: run.created[:16].replace("T", " ")),
        Column("generations", "steps", counted),
        Column("best_fresh", "best on fresh games", share, look="strong"),
    )
    readable = [run for run in summaries if run.error is None]
    shown = readable if show_all else readable[-_MOST_LINES:]
    if len(shown) < len(readable):
        output.say(f"the newest {len(shown)} of {len(readable):,} runs (--all shows all):")
    if summaries:
        output.table(columns, shown)
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
    from evoply.wording import status_in_words

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
    output.table(run.columns(shown), shown)
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


# `evoply report`: one HTML page about a run.

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


# `evoply presets`: the ready-made configs.


def presets(name: str | None = None, /, *, json: Json = False) -> None:
    """List the ready-made configs, or print one with its comments.

    Parameters
    ----------
    name
        The config to print. Default: list them all.
    """
    from evoply.runs.presets import PRESETS, preset_text

    output = Output(json)
    if name is not None:
        text = preset_text(name)
        if not json:
            sys.stdout.write(text)
        output.result({"name": name, "title": PRESETS[name].title, "toml": text})
        return
    from evoply.protocols.sections import cells_of

    rows = [(entry.command, preset, entry.title) for preset, entry in PRESETS.items()]
    output.table(cells_of("command", "preset", "what it is"), rows)
    show, evolve, learn = (suggested(f"{what} NAME") for what in ("presets", "evolve", "learn"))
    output.say(f"`{show}` prints one; `{evolve}` or `{learn}` runs it.")
    output.result(
        {
            "presets": [
                {"name": preset, "title": entry.title, "command": entry.command}
                for preset, entry in PRESETS.items()
            ]
        }
    )


# `evoply config`: every key of a config, with its meaning, type, range and default.

_INDENT = "    "


def config(
    key: str | None = None,
    /,
    *,
    list_: Annotated[bool, Parameter(name="--list", negative="", show_default=False)] = False,
    learner: Literal["evolution", "islands", "learning", "patterns", "tuples"] = "evolution",
    json: Json = False,
) -> None:
    """Say what can be written in a config: every key, what it is for, and its default.

    Parameters
    ----------
    key
        Show this key and all below it, such as selection; or every key of this name, such as
        size. Default: the keys of the top level.
    list_
        Show the keys of all tables.
    learner
        Which configs: evolution or islands for those of `evoply evolve`; learning, patterns
        or tuples for those of `evoply learn`.
    """
    from evoply.configs.reference import config_sections, matching_sections
    from evoply.kinds import KINDS

    output = Output(json)
    model = KINDS[learner].learners.given.config_type
    sections = config_sections(model) if key is None else matching_sections(key, model)
    is_overview = key is None and not list_
    if is_overview:
        sections = sections[:1]
    for section in sections:
        _show(output, section)
    if is_overview:
        option = "" if learner == "evolution" else f" --learner {learner}"
        of_table, of_all = suggested(f"config KEY{option}"), suggested(f"config --list{option}")
        output.say()
        output.say(f"`{of_table}` shows the keys of a table; `{of_all}` shows all of them.")
    keys = [
        {"path": key.path, "kind": section.kind, **key.to_dict()}
        for section in sections
        for key in section.keys
    ]
    output.result({"keys": keys})


def _show(output: Output, section: ConfigSection) -> None:
    if section.path:
        output.say()
        output.say(section.title, style="bold")
        for paragraph in section.meaning.split("\n\n") if section.meaning else ():
            output.say(_wrap(output, paragraph, indent=""))
    for key in section.keys:
        output.say(_headline(key))
        output.say(_wrap(output, key.meaning, indent=_INDENT))


def _wrap(output: Output, text: str, *, indent: str) -> str:
    return fill(
        " ".join(text.split()),
        width=output.people.width,
        initial_indent=indent,
        subsequent_indent=indent,
    )


def _headline(key: ConfigKey) -> str:
    """Return a key with its default as a config writes it, and what else it may be."""
    if key.is_required or key.default is None:
        return f"{key.path}  # {key.value}; {key.default_text}"
    if key.is_single_table:
        return f"{key.path}  # {key.value}"
    return f"{key.path} = {key.default_text}  # {key.value}"
