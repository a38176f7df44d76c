"""`evoply reproduce`: a paper's tables again, beside its own figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from evoply.cli.output import Output, made, rows_table, say_section
from evoply.cli.progress import progress_and_page
from evoply.cli.saving import say_charts, say_report
from evoply.cli.shared_options import (
    USUAL_TERMS,
    Charts,
    Json,
    OutputFile,
    Quiet,
    Whole,
    WrittenTerms,
    only,
    prepared_folder,
)
from evoply.sections import Column, item_of

if TYPE_CHECKING:
    from evoply.studies import PaperExperiment, Result, Study


def reproduce(
    study: str | None = None,
    /,
    *,
    table: Annotated[str | None, Parameter(name=("--table", "--experiment", "--figure"))] = None,
    scale: Literal["smoke", "small", "paper"] = "smoke",
    rules: str = "",
    opponent: str = "",
    games: Whole = 0,
    game: str = "",
    keep: str = "",
    conditions: Annotated[WrittenTerms, only("seed", "threads")] = USUAL_TERMS,
    html: OutputFile = None,
    charts: Charts = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a paper's table again and print it beside the paper's figures.

    Without STUDY it lists the studies, their tables, and how long each takes.
    A rule decides from intervals whether a figure matches the paper's.

    Parameters
    ----------
    study
        A study, such as liao. Default: list them all.
    table
        A table, figure or experiment of the study. Default: the main one, or list them.
    scale
        How much is played: smoke takes seconds, paper as much as the paper or more.
    rules
        Which reading of the paper, where it has several; the list shows them.
    opponent
        Whom to play where a table leaves that open (frankland): ladder, or any player, such as an
        engine; {level} in its text stands for 1, 3, 5 and 7.
    games
        Games against each opponent there. Default: as many as the scale has.
    game
        The board, where a study has several: firebrand is played on othello-10, and with
        othello on 8x8.
    keep
        Keep the evolutions of a long table as runs; their names begin with this text. The same
        command goes on where it was interrupted, and `evoply web` shows them.
    html
        Write a page about the result, which opens offline, into this file.
    """
    from evoply.reports import result_html
    from evoply.studies import STUDIES, Request, find_study, page_of_study
    from evoply.studies import reproduce as run_study
    from evoply.studies.study import no_result

    output = Output(json)
    prepared_folder(charts)
    if study is not None and table is None:
        table = find_study(study).usual or None
    if study is None or table is None:
        chosen = list(STUDIES.values()) if study is None else [find_study(study)]
        _say_studies(output, chosen)
        output.result({"studies": [entry.to_dict() for entry in chosen]})
        return
    found = find_study(study)
    parts = found.parts(table)  # an error comes before any bar is shown
    with progress_and_page(
        f"{study} {table}",
        100,
        html,
        f"{found.authors}: {' and '.join(part.title for part in parts)}",
        lambda result, **state: result_html(page_of_study(result, found), **state),
        lambda percent: _how_far([part.name for part in parts], percent),
        is_shown=not quiet,
    ) as (move_bar, show):
        request = Request(
            scale=scale,
            seed=conditions.seed,
            rules=rules,
            opponent=opponent,
            games=games,
            game=game,
            threads=conditions.threads,
            progress=lambda done, total: move_bar(round(100 * done / total)),
            shown=show or no_result,
            keep=keep,
        )
        result = run_study(study, table, request)
    _say_result(output, result)
    say_report(output, html, page_of_study(result, found))
    say_charts(output, charts, result.charts)
    output.result(made(result.to_dict()))


def _how_far(names: Sequence[str], percent: float) -> str:
    part = min(int(percent * len(names) / 100), len(names) - 1)
    which = f"table {names[part]}" + (f", {part + 1} of {len(names)}" if len(names) > 1 else "")
    return f"{which}, {percent:g} % of the steps are done"


def _say_studies(output: Output, studies: Sequence[Study]) -> None:
    for study in studies:
        output.say(f"{study.name}: {study.title}", style="bold")
        output.say(f"{study.authors}, {study.paper}")
        output.people.print(rows_table(_TABLES, study.experiments))
        if study.groups:
            output.say(_groups(study))
        output.say()
    output.say(
        "Times were measured on two cores of a server and differ elsewhere; smoke, small and "
        "paper are scales."
    )


def _groups(study: Study) -> str:
    groups = [f"{name} is {' and '.join(parts)}" for name, parts in study.groups.items()]
    return f"As the paper counts its experiments: {', '.join(groups)}."


def _what(experiment: PaperExperiment) -> str:
    if len(experiment.rules) < 2:
        return experiment.title
    return f"{experiment.title}; rules {' or '.join(experiment.rules)}"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "< 1 s"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


_TABLES = (
    Column("name", "table", str),
    Column("title", "what", str, read=_what),
    *(
        Column("seconds", scale, _time, read=item_of("seconds", scale))
        for scale in ("smoke", "small", "paper")
    ),
)


def _say_result(output: Output, result: Result) -> None:
    from evoply.studies.study_page import table_of

    output.say(f"{result.title}: {result.unit}", style="bold")
    say_section(table_of(result), output)
    for note in result.notes:
        output.say(note)
    output.say(f"Again: {result.command}")
