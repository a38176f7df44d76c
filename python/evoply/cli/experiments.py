"""Questions asked of many runs: `evoply compare`, `experiment` and `reproduce`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.long_work import (
    duration,
    ending_early,
    give,
    give_played,
    on_cluster,
    progress_and_page,
    share_bar,
)
from evoply.cli.output import Output, made, say_listing, say_section
from evoply.cli.saving import say_charts, say_report
from evoply.cli.shared_options import (
    NO_BUDGET,
    NO_CLUSTER,
    USUAL_OPTIONS,
    USUAL_TERMS,
    BudgetOptions,
    Charts,
    ClusterOptions,
    CodeInRuns,
    ExperimentOptions,
    Json,
    OutputFile,
    RunGame,
    Whole,
    WrittenTerms,
    only,
    prepared_folder,
)
from evoply.cli.shell_hints import suggested
from evoply.environment.refusals import reason
from evoply.protocols import RunError, RunNameError
from evoply.protocols.sections import Column, item_of, share

if TYPE_CHECKING:
    from evoply.experiments import Comparison, Cost, ExperimentFolder, Readability, Status
    from evoply.experiments.leagues import League
    from evoply.studies import PaperExperiment, Result, Study


_PAGE = "comparison.html"


def compare(
    *configs: str,
    game: RunGame = None,
    seeds: Whole | None = None,
    measure: str | None = None,
    games: Whole | None = None,
    budget: BudgetOptions = NO_BUDGET,
    looks: str = "",
    same_within: float | None = None,
    name: str | None = None,
    options: ExperimentOptions = USUAL_OPTIONS,
    cluster: ClusterOptions = NO_CLUSTER,
    code_in_runs: CodeInRuns = False,
    json: Json = False,
) -> None:
    """Compare two runs as they are, or configs over many seeds.

    The names of two runs alone show what both have: test results and their
    difference, size, time, and the keys that differ. Nothing is played.

    Otherwise, and with --seeds also for runs, every config is run once for each
    seed, one run on each core. The players are measured against opponents that
    none of them was trained on. Ctrl-C stops; the same command goes on, also
    with more seeds, if looks at them were planned.

    Parameters
    ----------
    configs
        Names of two runs; or two or more presets, TOML files, or runs, whose configs are taken.
    game
        The game of all runs, instead of those in the configs: a name or a file of rules.
    seeds
        Runs of each config. Default: 10, or the first look.
    measure
        score: and opponents with commas between, such as score:swh,material:depth=3.
    games
        Games against each opponent at the end of a run.
    looks
        Numbers of seeds at which you will look, such as 10,20,40; with any others nothing is
        certain. Default: once, at the end.
    same_within
        Points per game, such as 0.02: also test which setups are the same within them.
    name
        Folder for the runs within runs/ (or $EVOPLY_RUNS). Default: made of the configs.
    """
    from evoply.experiments import ExperimentFolder, experiment_of, usual_name
    from evoply.runs import checked_name, runs_directory

    if len(configs) < 2:
        raise ValueError(
            "give two runs, or two or more configs, such as: evoply compare first second, or: "
            "evoply compare quick othello-6"
        )
    paths = [_run_called(text) for text in configs]
    given = (game, seeds, measure, games, looks, same_within, name)
    is_as_they_are = budget == NO_BUDGET and options == USUAL_OPTIONS and not any(given)
    if is_as_they_are and len(configs) == 2 and all(paths):
        _compare_runs(configs, Output(json))
        return
    configs = tuple(str(path or text) for path, text in zip(paths, configs, strict=True))
    chosen = {
        "game": game,
        "seeds": seeds,
        "measure": measure,
        "games": games,
        "same_within": same_within,
    }
    experiment = experiment_of(
        {
            "configs": configs,
            "looks": _looks(looks),
            **{key: value for key, value in chosen.items() if value is not None},
            "budget": {key: value for key, value in asdict(budget).items() if value is not None},
        }
    )
    usual = usual_name(Path(config).stem for config in configs)
    path = runs_directory() / (usual if name is None else checked_name(name))
    run_all(ExperimentFolder.create(path, experiment), Output(json), options, cluster)


def _run_called(text: str) -> Path | None:
    """Return the folder of the run called *text*; None for a config, a path or a preset."""
    from evoply.runs import named_run
    from evoply.runs.presets import PRESETS

    if text in PRESETS or Path(text).exists():
        return None
    try:
        return named_run(text)
    except RunNameError:
        return None


def _compare_runs(names: Sequence[str], output: Output) -> None:
    """Say how two runs are, as they are."""
    from evoply.cli.player_texts import opened_run
    from evoply.reports.two_runs import ONE_SEED_EACH, sections_of

    with opened_run(names[0]) as first, opened_run(names[1]) as second:
        sections = [*sections_of(first, second)]
    for section in sections:
        say_listing(section, output)
    again = suggested(f"compare {shlex.join(names)} --seeds 10")
    output.say()
    output.say(f"{ONE_SEED_EACH} Their configs over ten seeds: {again}")
    data = {section.name: section.data() for section in sections}
    output.result(made({"runs": [*names], **data, "note": ONE_SEED_EACH, "again": again}))


def _looks(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"--looks {text}: write numbers of seeds with commas, as in 10,20,40")
    return tuple(map(int, parts))


def run_all(
    folder: ExperimentFolder, output: Output, options: ExperimentOptions, cluster: ClusterOptions
) -> None:
    """Make all runs of *folder* that are missing, and say how they compare."""
    from evoply.experiments import check_experiment_sendable, comparison_charts, comparison_of
    from evoply.reports import save_charts

    prepared_folder(options.csv)
    prepared_folder(options.charts)
    if cluster.cluster is not None:
        check_experiment_sendable(folder)
    is_stopped = make_all(folder, output, options.workers, cluster, _costs)
    comparison = comparison_of(folder)
    if comparison.spreads:
        _say(comparison, output)
        save_page(comparison, folder.path / _PAGE, "all runs so far are kept", output)
        if options.csv is not None:
            output.labelled("CSV", str(comparison.save_csv(options.csv)))
        if options.charts is not None:
            files = save_charts(comparison_charts(comparison), options.charts)
            output.labelled("Charts", f"{len(files)} files in {options.charts}")
    others = (
        "the others keep what they have"
        if cluster.cluster is None
        else "those that workers were at begin anew"
    )
    give_so_far(
        output,
        comparison.to_dict(),
        f"{comparison.runs:,} of {len(folder.units()):,} runs are done, {others}" * is_stopped,
    )


def make_all(
    folder: ExperimentFolder,
    output: Output,
    workers: int,
    cluster: ClusterOptions,
    costs: Callable[[ExperimentFolder, int], Iterable[str]],
    run: Callable[..., None] | None = None,
) -> bool:
    """Make and play all that *folder* lacks; return whether Ctrl-C stopped it.

    *costs* says in lines what it will cost on so many workers (0: one a core). *run* does it:
    `run_experiment`, if it is None.
    """
    from evoply.experiments import run_experiment

    output.say(f"Folder: {folder.path}  (Ctrl-C stops; the same command goes on)")
    with ending_early() as early, on_cluster(cluster, output) as dispatcher:
        for line in costs(folder, workers if dispatcher is None else dispatcher.slots):
            output.say(line)
        with share_bar(folder.name) as move:

            def tell(status: Status) -> None:
                count = f"{status.done:,} of {status.units:,} {status.stage}"
                move(status.share, count, status.seconds_left)

            (run or run_experiment)(folder, workers=workers, progress=tell, cluster=dispatcher)
    return early.is_stopped


def save_page(
    result: Comparison | League | Readability, path: Path, kept: str, output: Output
) -> None:
    """Write the page about *result*, and say where; *kept* says what is not lost if it fails."""
    try:
        output.labelled("Page", str(result.save_html(path)))
    except OSError as error:
        raise RunError(
            f"{path} cannot be written: {reason(error, path)}, then give the same command again; "
            f"{kept}"
        ) from None


def give_so_far(output: Output, data: Mapping[str, Any], stopped: str) -> None:
    """Give the result of an experiment; *stopped* says what is kept after Ctrl-C, "" without."""
    status = "stopped" if stopped else "finished"
    message = f"Stopped; {stopped}. The same command goes on." if stopped else ""
    give(output, made({**data, "status": status}), message)


def _costs(folder: ExperimentFolder, slots: int) -> Iterator[str]:
    from evoply.experiments import estimated_cost
    from evoply.experiments.findings import hopeless

    yield _cost_text(estimated_cost(folder, workers=slots))
    yield from filter(None, [hopeless(folder.experiment.planned_looks, len(folder.setups))])


def _cost_text(cost: Cost) -> str:
    if not cost.runs:
        return "All runs are done already."
    runs = f"{cost.runs:,} run{'s' * (cost.runs != 1)}, {cost.workers} at a time"
    if cost.seconds is None:
        return f"{runs}; how long they take is not known"
    return f"{runs}: about {duration(cost.seconds)}, and the games that measure the players"


def _say(comparison: Comparison, output: Output) -> None:
    from evoply.experiments.comparison import (
        MOST_PAIRS,
        PAIRS_IN_SHORT,
        effects_of,
        pairs_of,
        values_of,
        variety_section,
    )

    output.say()
    say_section(values_of(comparison), output)
    output.say(f"Value: {comparison.experiment.measure}, {comparison.experiment.games} games each")
    if comparison.variety:
        say_section(variety_section(comparison), output)
    for far in comparison.overshoots:
        output.say(
            f"Beyond the budget: {far.setup} by {share(far.mean)}, {share(far.most)} at most"
        )
    for section in (replace(pairs_of(comparison), columns=PAIRS_IN_SHORT), effects_of(comparison)):
        if section.rows:
            output.say()
            say_section(section, output)
        if section.parts:
            output.say(
                f"{MOST_PAIRS} of {len(comparison.differences):,} pairs, those of the least p; the "
                "page and --csv have all."
            )
    output.say(f"Look: {comparison.look}")
    for warning in comparison.warnings:
        output.say(warning, style="bold")
    output.say(comparison.verdict)


# `evoply experiment`: keys of a config varied over many seeds, as a file says.


def experiment(
    file: str,
    /,
    *,
    game: RunGame = None,
    seeds: Whole | None = None,
    name: str | None = None,
    options: ExperimentOptions = USUAL_OPTIONS,
    cluster: ClusterOptions = NO_CLUSTER,
    code_in_runs: CodeInRuns = False,
    json: Json = False,
) -> None:
    """Vary keys of a config over many seeds, as a file of a few lines says.

    The file says base = "demo" and seeds = 10, and has a table [vary] with
    keys of the config and lists of values. All combinations are run. Ctrl-C
    stops; the same command goes on.

    Parameters
    ----------
    file
        A TOML file (`docs/experiments.md` has one and all its keys), or the folder of an
        experiment that was begun, to go on with it.
    game
        The game of all runs, instead of what the file says: a name or a file of rules.
    seeds
        Runs of each combination, instead of what the file says.
    name
        Folder for the runs within runs/ (or $EVOPLY_RUNS). Default: the file's name, or
        that folder.
    """
    from evoply.experiments import folder_for
    from evoply.runs import checked_name

    name = None if name is None else checked_name(name)
    folder = folder_for(file, name=name, game=game, seeds=seeds)
    run_all(folder, Output(json), options, cluster)


# `evoply reproduce`: a paper's tables again, beside its own figures.


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
    latest: Result | None = None
    with (
        ending_early() as early,
        progress_and_page(
            f"{study} {table}",
            100,
            html,
            f"{found.authors}: {' and '.join(part.title for part in parts)}",
            lambda result, **state: result_html(page_of_study(result, found), **state),
            lambda percent: _how_far([part.name for part in parts], percent),
        ) as (move_bar, show),
    ):

        def keep_latest(result: Result) -> None:
            nonlocal latest
            latest = result
            if show is not None:
                show(result)

        request = Request(
            scale=scale,
            seed=conditions.seed,
            rules=rules,
            opponent=opponent,
            games=games,
            game=game,
            threads=conditions.threads,
            progress=lambda done, total: move_bar(round(100 * done / total)),
            shown=keep_latest,
            keep=keep,
        )
        latest = run_study(study, table, request)
    if latest is None:  # Ctrl-C came before the first rows
        raise KeyboardInterrupt
    _say_result(output, latest)
    if early.is_stopped:  # the page says so already
        on = "; the same command goes on" if keep else ""
        give_played(output, latest.to_dict(), f"stopped: these rows are whole{on}")
    say_report(output, html, page_of_study(latest, found))
    say_charts(output, charts, latest.charts)
    output.result(made(latest.to_dict()))


def _how_far(names: Sequence[str], percent: float) -> str:
    part = min(int(percent * len(names) / 100), len(names) - 1)
    which = f"table {names[part]}" + (f", {part + 1} of {len(names)}" if len(names) > 1 else "")
    return f"{which}, {percent:g} % of the steps are done"


def _say_studies(output: Output, studies: Sequence[Study]) -> None:
    for study in studies:
        output.say(f"{study.name}: {study.title}", style="bold")
        output.say(f"{study.authors}, {study.paper}")
        output.table(_TABLES, study.experiments)
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
    from evoply.studies.catalogue import table_of

    output.say(f"{result.title}: {result.unit}", style="bold")
    say_section(table_of(result), output)
    for note in result.notes:
        output.say(note)
    output.say(f"Again: {result.command}")
