"""`evoply compare`: compare many runs by a measure that none of them was trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoply.cli.long_work import ending_early, give, on_cluster
from evoply.cli.output import Output, made, say_section
from evoply.cli.progress import duration, share_bar
from evoply.cli.shared_options import (
    NO_BUDGET,
    NO_CLUSTER,
    USUAL_OPTIONS,
    BudgetOptions,
    ClusterOptions,
    CodeInRuns,
    ExperimentOptions,
    Json,
    RunGame,
    Whole,
    prepared_folder,
)
from evoply.protocols import RunError
from evoply.refusals import reason
from evoply.sections import share

if TYPE_CHECKING:
    from evoply.experiments import Comparison, Cost, ExperimentFolder, Status
    from evoply.leagues import League

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
    """Compare configs, presets or runs over many seeds.

    Every config is run once for each seed, one run on each core. The players
    are measured against opponents that none of them was trained on. Ctrl-C
    stops; the same command goes on, also with more seeds, if looks at them were planned.

    Parameters
    ----------
    configs
        Two or more presets, TOML files, or folders of runs, whose configs are taken.
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
        raise ValueError("give two or more configs, such as: evoply compare quick othello-6")
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
) -> bool:
    """Make and play all that *folder* lacks; return whether Ctrl-C stopped it.

    *costs* says in lines what it will cost on so many workers (0: one a core).
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

            run_experiment(folder, workers=workers, progress=tell, cluster=dispatcher)
    return early.is_stopped


def save_page(result: Comparison | League, path: Path, kept: str, output: Output) -> None:
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
    from evoply.experiments.experiment_page import (
        MOST_PAIRS,
        PAIRS_IN_SHORT,
        effects_of,
        pairs_of,
        values_of,
    )

    output.say()
    say_section(values_of(comparison), output)
    output.say(f"Value: {comparison.experiment.measure}, {comparison.experiment.games} games each")
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
