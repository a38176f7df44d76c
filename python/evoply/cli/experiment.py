"""`evoply experiment`: keys of a config varied over many seeds, as a file says."""

from evoply.cli.compare import run_all
from evoply.cli.output import Output
from evoply.cli.shared_options import (
    NO_CLUSTER,
    USUAL_OPTIONS,
    ClusterOptions,
    CodeInRuns,
    ExperimentOptions,
    Json,
    RunGame,
    Whole,
)


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
