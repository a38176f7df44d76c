"""`evoply resume`: go on with a run that was stopped, or for longer with one that ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli.opened_run import opened_run
from evoply.cli.output import Output
from evoply.cli.shared_options import (
    NO_CLUSTER,
    USUAL_RUN,
    AnyRun,
    ClusterOptions,
    Json,
    RunOptions,
    SecondsOrNone,
    WholeOrNone,
    only,
)

if TYPE_CHECKING:
    from evoply.runs import Run


def resume(
    run: AnyRun = None,
    /,
    *,
    generations: WholeOrNone | None = None,
    games: WholeOrNone | None = None,
    time_limit: SecondsOrNone | None = None,
    allow_other_version: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    options: Annotated[RunOptions, only("tests", "threads", "code_in_runs")] = USUAL_RUN,
    cluster: ClusterOptions = NO_CLUSTER,
    json: Json = False,
) -> None:
    """Go on with a run, exactly as if it had never stopped.

    A run that has reached a limit goes on if you give it a larger one. If you
    give only the other limit, the one that it has reached no longer counts.
    Without a limit, a run that has ended plays the test matches that are
    missing.

    Your own Python in the run, such as a fitness, is imported from the file
    where it was, if that is unchanged and you give --code-in-runs.

    Parameters
    ----------
    generations
        How many generations in all, including those that are there; none: no limit.
    games
        How many games in all, including those played; none: no limit. Tuning counts generations.
    time_limit
        Seconds in all, including those used so far; none: no limit.
    allow_other_version
        Go on although this version of evoply computes differently from the one before; the run
        notes it.
    """
    limits = {"generations": generations, "games": games, "time_limit": time_limit}
    output = Output(json)
    opened = opened_run(run)
    from evoply.cli.run_loop import drive, for_runs
    from evoply.runs.own_learner import with_learner

    with with_learner(opened) as found:
        learner = found.kind.learners.made()
        with found.lock():  # nothing is drawn while another process has it
            given = {key: value for key, value in limits.items() if value is not None}
            if "games" in given and "games" not in found.kind.configs.limits:
                raise ValueError(
                    f"--games: runs of {found.kind.name} have no such limit - give --generations"
                )
            config = _with_limits(found, given)
            count = found.count()
            last = found.last()
            is_finished = last is not None and learner.is_finished(config, last)
            if is_finished and given and generations != count:
                raise ValueError(_nothing_to_do(found, given))
            output.say(f"Run folder: {found.path}, with {found.steps_in_words()} so far")
            if is_finished:
                counts = getattr(config, "counts", "generations")
                output.say(
                    f"It has reached its limit; --{counts} or --time-limit sets a larger one."
                )
            with for_runs(cluster, config, output, found.kind) as workers:
                result = drive(
                    found,
                    output,
                    config=config,
                    threads=options.threads,
                    with_tests=options.tests,
                    allow_other_version=allow_other_version,
                    cluster=workers,
                )
            output.result(result)


def _with_limits(run: Run, limits: dict[str, Any]) -> Any:
    """Return the run's config with other *limits*; a limit that is in their way is lifted."""
    limits = {key: None if value == "none" else value for key, value in limits.items()}
    return run.kind.configs.with_limits(run.config, limits, run.last())


def _nothing_to_do(run: Run, limits: dict[str, Any]) -> str:
    options = ", ".join(f"--{key.replace('_', '-')} {value}" for key, value in limits.items())
    seconds = sum(step.seconds for step in run.steps())
    return (
        f"{options}: {run.name} has {run.steps_in_words()} in {seconds:,.1f} s "
        "already, so there is nothing to do; give a larger limit, or none of them to play the "
        "test matches that are missing"
    )
