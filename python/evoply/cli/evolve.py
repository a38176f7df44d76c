"""`evoply evolve`: evolve a player by a config file or a preset, into a new run folder."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

from evoply.cli.options import (
    Cluster,
    Json,
    Overrides,
    RunGame,
    SecondsOrNone,
    Tests,
    Threads,
    Whole,
    WholeOrNone,
)
from evoply.cli.output import Output

if TYPE_CHECKING:
    from evoply.evolution import EvolutionConfig


def evolve(
    config: str,
    /,
    *,
    name: str | None = None,
    seed: Whole | None = None,
    population_size: Whole | None = None,
    generations: WholeOrNone | None = None,
    time_limit: SecondsOrNone | None = None,
    game: RunGame = None,
    set_: Overrides = None,
    tests: Tests = True,
    threads: Threads = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Evolve a player.

    Every generation is kept in a run folder, so nothing is lost when you
    stop with Ctrl-C: `evoply resume` goes on. At the end the champion is
    shown, plays test matches, and a report is written.

    Parameters
    ----------
    config
        A TOML file, a parameter file of gpjpp (.ini), or the name of a preset
        (see `evoply presets`).
    name
        Name of the run folder within runs/ (or $EVOPLY_RUNS). Default: GAME-1, GAME-2, ...
    seed
        A whole number: the same config and seed give the same run. Default: that of the config.
    population_size
        Trees in a generation.
    generations
        How many generations, the random first one included; none: no limit.
    time_limit
        Seconds, looked at between generations; none: no limit.
    set_
        Any value of the config, as PATH=VALUE; may be given several times.
    tests
        Play test matches and write the report at the end.
    """
    from evoply.cli.run_loop import for_runs
    from evoply.evolution import load_config

    chosen = {
        "seed": seed,
        "population_size": population_size,
        "generations": generations,
        "time_limit": time_limit,
        "game": game,
    }
    overrides = [f"{key}={value}" for key, value in chosen.items() if value is not None]
    settings = load_config(config, [*(set_ or []), *overrides], **_readers(config))

    command = shlex.join(["evoply", *sys.argv[1:]])
    output = Output(json)
    driven: dict[str, Any] = {"threads": threads, "with_tests": tests, "command": command}
    with for_runs(cluster, settings, output) as driven["cluster"]:
        wanted = 0 if settings.termination is None else settings.termination.good_runs
        if not wanted:
            result, _ = _one_run(name, settings, output, driven)
            output.result(result)
            return
        results: list[dict[str, Any]] = []
        good = 0
        while good < wanted:
            number = len(results)
            one = settings.model_copy(update={"seed": settings.seed + number})
            named = name if name is None or not number else f"{name}-{number + 1}"
            result, is_good = _one_run(named, one, output, driven)
            results.append(result)
            good += is_good
            output.say(f"Good runs: {good} of {wanted} wanted, after {number + 1:,} runs")
        output.result({"runs": results, "good_runs": good})


def _readers(config: str) -> dict[str, Any]:
    """Return what reads a parameter file of gpjpp; nothing is imported for other configs."""
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

    with new_run(name, settings, output, command=driven["command"]) as run:
        result = drive(run, output, **driven)
        last = run.last()
        return result, last is not None and is_good(settings, last.statistics.best)
