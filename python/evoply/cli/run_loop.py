"""Begins a run and takes it to its end, for people who watch: evolve, learn and resume."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from evoply.cli.live import view_on
from evoply.cli.long_work import on_cluster
from evoply.cli.output import Output, StoppedError
from evoply.cli.run_summary import close_run
from evoply.cli.shared_options import ClusterOptions
from evoply.cli.shell_hints import suggested
from evoply.kinds import KINDS, Run
from evoply.protocols import CHECK_SHARE, Cluster, RunNameError
from evoply.provenance import command_of
from evoply.runs import Kind, advance, checked_name, new_run_path, runs_directory
from evoply.runs.finding_kinds import kind_of
from evoply.runs.user_sources import resuming


def drive(
    run: Run,
    output: Output,
    *,
    config: Any = None,
    threads: int,
    with_tests: bool,
    command: str | None = None,
    allow_other_version: bool = False,
    cluster: Cluster | None = None,
) -> dict[str, Any]:
    """Make the generations that are still to come and the summary; return the latter as data.

    Raises `StoppedError` with what is safe and how to go on when the user presses Ctrl-C.
    """
    try:
        earlier = run.rows()
        settings = config or run.config
        with view_on(output.people, run.kind, settings, run.name, earlier) as view:
            generations = advance(
                run,
                config=config,
                threads=threads,
                progress=view.progress,
                command=typed_command() if command is None else command,
                allow_other_version=allow_other_version,
                cluster=cluster,
            )
            with closing(generations):
                for generation in generations:
                    view.show(generation)
        if run.status == "stopped":  # by a request left in the folder
            raise KeyboardInterrupt
        result = close_run(run, output, threads=threads, with_tests=with_tests)
    except KeyboardInterrupt:
        raise StoppedError(_how_to_go_on(run), _status_data(run)) from None
    return result


@contextmanager
def for_runs(
    chosen: ClusterOptions, config: Any, output: Output, kind: Kind | None = None
) -> Iterator[Cluster | None]:
    """Yield the cluster of --cluster; before it is opened, refuse a config that cannot be sent.

    *kind* is that of the config, by default one of evoply's own.
    """
    share = CHECK_SHARE
    if chosen.cluster is not None:
        (kind or kind_of(KINDS, config)).learners.check_sendable(config)
        share = config.machine.check_share
    with on_cluster(chosen, output, share) as dispatcher:
        yield dispatcher


def _status_data(run: Run) -> dict[str, Any]:
    digests = run.digests()
    return {
        "run": str(run.path),
        "status": "stopped",
        "generations": len(digests),
        "digest": digests[-1] if digests else None,
    }


def _how_to_go_on(run: Run) -> str:
    count = run.count()
    kept = f"Stopped; the run has {run.steps_in_words()}, all in {run.path}."
    if not count:
        kept = f"Stopped before the first {run.step_word} was whole; {run.path} holds the config."
    return f"{kept}\nGo on with: {suggested(resuming(run))}"


def typed_command() -> str:
    """Return the command as it was typed."""
    return command_of(sys.argv[1:])


def with_overrides(set_: Iterable[str] | None, **chosen: object) -> list[str]:
    """Return the overrides of a config: those of --set, then the values of *chosen* but None."""
    return [*(set_ or ()), *(f"{key}={to}" for key, to in chosen.items() if to is not None)]


def new_run(name: str | None, config: Any, output: Output, kind: Kind | None = None) -> Run:
    """Return a new run of *config*, called *name* or after its game, and say where it is.

    *kind* is that of the config, by default one of evoply's own. Raises ValueError before anything
    is made if the user's Python that the config names cannot be imported, or does not fit.
    """
    kind = kind or kind_of(KINDS, config)
    kind.learners.check(kind.learners.made(), config)
    if name is not None:
        run = _created(runs_directory() / checked_name(name), config, kind)
    else:
        run = _run_after_its_game(config, kind)
    again = suggested(resuming(run))
    output.say(f"Run folder: {run.path}  (Ctrl-C stops; {again} goes on)")
    return run


def _created(path: Path, config: Any, kind: Kind) -> Run:
    return Run.create(path, config, learner=kind.own or None, command=typed_command())


def _run_after_its_game(config: Any, kind: Kind) -> Run:
    while True:
        path = new_run_path(config.game)
        try:
            return _created(path, config, kind)
        except RunNameError:  # another process took the name meanwhile: look for the next
            continue
