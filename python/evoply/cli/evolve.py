"""`evoply evolve`: evolve a player by a config file or a preset, into a new run folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from evoply.cli import shared_options
from evoply.cli.output import Output

if TYPE_CHECKING:
    from evoply.evolution import EvolutionConfig


def evolve(
    config: str,
    /,
    *,
    seed: shared_options.Whole | None = None,
    population_size: shared_options.Whole | None = None,
    generations: shared_options.WholeOrNone | None = None,
    time_limit: shared_options.SecondsOrNone | None = None,
    game: shared_options.RunGame = None,
    options: shared_options.RunOptions = shared_options.USUAL_RUN,
    cluster: shared_options.ClusterOptions = shared_options.NO_CLUSTER,
    json: shared_options.Json = False,
) -> None:
    """Evolve a player.

    Every generation is kept in a run folder, so nothing is lost when you
    stop with Ctrl-C: `evoply resume` goes on. At the end the champion is
    shown, plays test matches, and a report is written.

    A config that says learner = "islands" evolves several populations side by
    side, which exchange their best; one that says survival.kind = "map" fills
    a map with the best players of every kind.

    Parameters
    ----------
    config
        A TOML file, a parameter file of gpjpp (.ini), or the name of a preset
        (see `evoply presets`).
    seed
        A whole number: the same config and seed give the same run. A time limit may end it after
        more or fewer generations. Default: that of the config.
    population_size
        Trees in a generation; of islands, on each; of a map, new ones.
    generations
        How many generations, the random first one included; none: no limit.
    time_limit
        Seconds, looked at between generations; none: no limit.
    """
    learner = _learner_of(config)  # a mistyped name is refused before the rest is imported
    from evoply.cli.run_loop import for_runs, with_overrides

    limits = {"generations": generations, "time_limit": time_limit}
    sizes = {"population_size": population_size}
    overrides = with_overrides(options.overrides, seed=seed, **limits, game=game, **sizes)
    output = Output(json)
    driven: dict[str, Any] = {"threads": options.threads, "with_tests": options.tests}
    settings = _settings(learner, config, overrides)
    with for_runs(cluster, settings, output) as driven["cluster"]:
        wanted = 0 if settings.termination is None else settings.termination.good_runs
        if not wanted:
            result, _ = _one_run(options.name, settings, output, driven)
            output.result(result)
            return
        results: list[dict[str, Any]] = []
        good = 0
        while good < wanted:
            number = len(results)
            seeded = settings.model_copy(update={"seed": settings.seed + number})
            named = options.name
            if named is not None and number:
                named = f"{named}-{number + 1}"
            result, is_good = _one_run(named, seeded, output, driven)
            results.append(result)
            good += is_good
            output.say(f"Good runs: {good} of {wanted} wanted, after {number + 1:,} runs")
        output.result({"runs": results, "good_runs": good})


def _learner_of(config: str) -> str:
    """Return what a config says that its learner is; "" if it says nothing."""
    from evoply.configs.keys import read_toml
    from evoply.presets import config_text

    is_pipe = os.path.exists(config) and not os.path.isfile(config)
    # What comes through a pipe is there only once, for whoever makes the run.
    if is_pipe or config.lower().endswith(".ini"):
        return ""
    return str(read_toml(config_text(config), config).get("learner", ""))


def _settings(learner: str, config: str, overrides: list[str]) -> EvolutionConfig:
    """Return the config of evolution or of islands; others import nothing of what one needs."""
    if learner == "islands":
        from evoply.islands import load_islands_config

        return load_islands_config(config, overrides)
    from evoply.evolution import load_config

    if not config.lower().endswith(".ini"):
        return load_config(config, overrides)
    from evoply.studies.bellin import config_from_ini

    return load_config(config, overrides, ini=config_from_ini)


def _one_run(
    name: str | None,
    settings: EvolutionConfig,
    output: Output,
    driven: dict[str, Any],
) -> tuple[dict[str, Any], bool]:
    """Make one run; return its summary as data, and whether it ended by being good enough."""
    from evoply.cli.run_loop import drive, new_run

    with new_run(name, settings, output) as run:
        result = drive(run, output, **driven)
        last = run.last()
        return result, last is not None and settings.is_good(last.statistics["best"])
