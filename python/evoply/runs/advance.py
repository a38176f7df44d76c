"""The loop of a run: make a step, save it, read requests, and name the champion at the end.

`for step in advance(run)` works for a new run and for one that was interrupted anywhere; both give
the same steps.
"""

import json
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from evoply import _native
from evoply.arena.behaviour import signature
from evoply.protocols import Cluster, Progress, RunError, steps
from evoply.runs.folder import clear_request, read_request
from evoply.runs.kind import check_installed
from evoply.runs.run import Run
from evoply.runs.user_sources import is_same_source

_PAUSE_SECONDS = 0.2


def advance(
    run: Run,
    *,
    config: Any = None,
    threads: int = 0,
    progress: Callable[[Progress], object] | None = None,
    command: str = "",
    allow_other_version: bool = False,
    fitness: Any = None,
    operators: Mapping[str, Any] = MappingProxyType({}),
    selection: Any = None,
    survival: Any = None,
    other_limit: Callable[[Any], str] | None = None,
    cluster: Cluster | None = None,
) -> Generator[Any, None, None]:
    """Yield the remaining steps of *run*, each saved before it is yielded.

    *config* may differ from the run's in its limits and `machine` only, to go on for longer; by
    default the run's own is used. *threads*, *progress*, *fitness*, *operators*, *selection* and
    *survival* are those of `evolve`, for runs of evolution; the learner of any other run is given
    to `Run.create` and `Run.open`. The run notes the names of the user's own Python parts and the
    checksums of their source, and resuming needs the same. *other_limit* returns after each step
    the name of a limit that the run has reached and its config does not know, or "". After the last
    generation of evolution the final test names the champion. A *cluster*
    (`evoply.cluster.connect`) plays the games of evolution, or makes the steps of learning; the run
    folder and its lock stay here.

    Raises `RunError` if another process writes the run, if the run is
    damaged, or if this evoply computes differently from the one that wrote it, unless
    *allow_other_version*, which is recorded. Ctrl-C and leaving the loop early stop the run
    with its last whole step.
    """
    learners = run.kind.learners
    learner = learners.made(
        threads=threads,
        progress=progress,
        cluster=cluster,
        fitness=fitness,
        operators=operators,
        selection=selection,
        survival=survival,
    )
    config = _resolve_config(run, config)
    if cluster is not None:
        learners.check_sendable(config)
    check_installed(run.kind, config)
    with run.lock():
        last = run.last()
        _check_signature(run, allow_other_version)
        identities = learners.identities(learner)
        _check_python_parts(run, identities, allow_other_version)
        learners.check(learner, config)
        if last is not None:
            _check_digest(run, last)
        clear_request(run.path)
        run.set_meta(
            status="running",
            ended_by="",
            version=_native.__version__,
            signature=signature(),
            python_parts=json.dumps(identities),
        )
        # After the status: a reader of this event finds a run that goes on, or has ended again.
        run.record(
            "started" if last is None else "resumed",
            generation=None if last is None else last.number,
            version=_native.__version__,
            signature=signature(),
            command=command,
        )
        status, reached = "stopped", other_limit or _none
        try:
            other = "" if last is None else reached(last)
            for step in () if other else steps(learner, config, last):
                run.save(step)
                last = step
                yield step
                other = reached(step)
                if other:
                    break
                if not learner.is_finished(config, step) and _is_stopped(run):
                    return
            if last is not None:
                ending = learners.end(learner, config, last)
                ending = replace(ending, ended_by=other or ending.ended_by)
                run.end(last.number, ending)
                status = ending.status
        finally:
            run.set_meta(status=status)
            run.record("ended", status=status, generation=None if last is None else last.number)


def _none(_: Any) -> str:
    """Return that no other limit is reached."""
    return ""


def _resolve_config(run: Run, config: Any) -> Any:
    if config is None:
        return run.config
    config = run.kind.configs.settled(config)
    if run.kind.configs.fixed(config) != run.kind.configs.fixed(run.config):
        raise RunError(
            f"run {run.path} can only go on with its own config: "
            f"{', '.join(sorted(run.kind.configs.limits))} may change, nothing else"
        )
    return config


def _check_signature(run: Run, allow_other_version: bool) -> None:
    if run.signature == signature() or allow_other_version:
        return
    raise RunError(
        f"run {run.path} was written by evoply {run.version} (signature {run.signature}); this is "
        f"{_native.__version__} (signature {signature()}), which computes differently. Use that "
        "version, or allow another one explicitly: the run then notes the change"
    )


def _check_python_parts(
    run: Run, parts: dict[str, dict[str, Any]], allow_other_version: bool
) -> None:
    if not run.meta("python_parts"):  # a new run
        return
    stored = run.python_parts()
    for what in sorted(stored.keys() | parts.keys()):
        before, now = stored.get(what), parts.get(what)
        if before is None:
            raise RunError(f"run {run.path} was not evolved with your {what}: leave it out")
        if now is None:
            raise RunError(
                f"run {run.path} was evolved with the {what} {before['name']}, written in "
                f"Python: give it again, as in advance(run, {_argument(what)})"
            )
        if not is_same_source(now, before) and not allow_other_version:
            raise RunError(
                f"run {run.path} was evolved with the {what} {before['name']}, and "
                f"{now['name']} is not the same code: give the same, or allow another version "
                "explicitly"
            )


def _argument(what: str) -> str:
    kind, _, name = what.partition(" ")
    return f"operators={{{name!r}: ...}}" if kind == "operator" else f"{kind}=..."


def _check_digest(run: Run, last: Any) -> None:
    if last.digest != run.steps(last.number)[0].digest:
        raise RunError(
            f"run {run.path}: step {last.number} does not match its digest. The folder, or "
            "a file that an opponent names, was changed: put the original back, or start a new run"
        )


def _is_stopped(run: Run) -> bool:
    """Wait while a request pauses the run; return whether a request stops it."""
    request = read_request(run.path)
    if request == "pause":
        run.set_meta(status="paused")
        while request == "pause":
            time.sleep(_PAUSE_SECONDS)
            request = read_request(run.path)
        run.set_meta(status="running")
    if request is not None:
        clear_request(run.path)
    return request == "stop"
