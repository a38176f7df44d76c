"""`evoply evolve`: evolve a player by a config file or a preset, into a new run folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from evoply.cli import shared_options
from evoply.cli.output import Output

if TYPE_CHECKING:
    from evoply.evolution import EvolutionConfig

_SIZES = {"islands": "base.population_size", "map-elites": "batch"}
"""The key for --population-size in configs of learners that evolve trees, too."""


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
    json: shared_options.Json = False,
) -> None:
    """Evolve a player.

    Every generation is kept in a run folder, so nothing is lost when you
    stop with Ctrl-C: `evoply resume` goes on. At the end the champion is
    shown, plays test matches, and a report is written.

    A config that says learner = "islands" evolves several populations side by
    side, which exchange their best; one that says learner = "map-elites" fills
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
    from evoply.evolution import load_config

    limits = {"generations": generations, "time_limit": time_limit}
    overrides = with_overrides(options.overrides, seed=seed, **limits, game=game)
    output = Output(json)
    driven: dict[str, Any] = {"threads": options.threads, "with_tests": options.tests}
    if learner in _SIZES:
        each = with_overrides(overrides, **{_SIZES[learner]: population_size})
        _other_run(learner, config, each, options, output, driven)
        return
    overrides = with_overrides(overrides, population_size=population_size)
    settings = load_config(config, overrides, **_readers(config))
    with for_runs(options, settings, output) as driven["cluster"]:
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


def _other_run(
    learner: str,
    config: str,
    overrides: list[str],
    options: shared_options.RunOptions,
    output: Output,
    driven: dict[str, Any],
) -> None:
    """Make a run of another *learner* that evolves trees."""
    from evoply.cli.run_loop import drive, for_runs, new_run
    from evoply.kinds import KINDS

    kind = KINDS[learner]
    settings = kind.configs.load(config, overrides)
    with (
        for_runs(options, settings, output, kind) as workers,
        new_run(options.name, settings, output, kind) as run,
    ):
        output.result(drive(run, output, cluster=workers, **driven))


def _readers(config: str) -> dict[str, Any]:
    """Return the reader of parameter files of gpjpp; other configs import nothing."""
    if not config.lower().endswith(".ini"):
        return {}
    from evoply.studies.bellin import config_from_ini

    return {"ini": config_from_ini}


def _one_run(
    name: str | None,
    settings: EvolutionConfig,
    output: Output,
    driven: dict[str, Any],
) -> tuple[dict[str, Any], bool]:
    """Make one run; return its summary as data, and whether it ended by being good enough."""
    from evoply.cli.run_loop import drive, new_run
    from evoply.evolution import is_good

    with new_run(name, settings, output) as run:
        result = drive(run, output, **driven)
        last = run.last()
        return result, last is not None and is_good(settings, last.statistics.best)
