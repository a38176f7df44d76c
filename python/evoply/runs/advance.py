"""The loop of a run: make a step, save it, read requests, and name the champion at the end.

`for step in advance(run)` works for a new run and for one that was interrupted anywhere; both give
the same steps.
"""

import time
import tomllib
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any, Unpack

from evoply import _native
from evoply.arena.behaviour import signature
from evoply.configs.own_code import OwnCode, codes_in, other_codes, put_in_place
from evoply.environment.files import read_kept_text
from evoply.protocols import Cluster, Progress, RunError, steps
from evoply.runs.folder import CONFIG, clear_request, read_request, stored_learner
from evoply.runs.kept_learners import PythonArguments
from evoply.runs.kind import check_installed
from evoply.runs.run import Run

_PAUSE_SECONDS = 0.2


def advance(
    run: Run,
    *,
    config: Any = None,
    threads: int = 0,
    progress: Callable[[Progress], object] | None = None,
    command: str = "",
    allow_other_version: bool = False,
    other_limit: Callable[[Any], str] | None = None,
    cluster: Cluster | None = None,
    **parts: Unpack[PythonArguments],
) -> Generator[Any, None, None]:
    """Yield the remaining steps of *run*, each saved before it is yielded.

    *config* may differ from the run's in its limits and `machine` only, to go on for longer; by
    default the run's own is used. *threads* and *progress* are those of `evolve`; the learner of a
    run that is not evoply's is given to `Run.create` and `Run.open`. *parts* are the user's own
    fitness, operators, selection and survival of a run of evolution: they are given again where no
    file has them, and must be the same. *other_limit* returns after each step the name of a limit
    that the run has reached and its config does not know, or "". After the last generation of
    evolution the final test names the champion. A *cluster* (`evoply.cluster.connect`) plays the
    games of evolution, or makes the steps of learning; the run folder and its lock stay here.

    Raises `RunError` if another process writes the run, if the run is
    damaged, or if this evoply computes differently from the one that wrote it, unless
    *allow_other_version*, which is recorded. Ctrl-C and leaving the loop early stop the run
    with its last whole step.
    """
    learners = run.kind.learners
    learner = learners.made(threads=threads, progress=progress, cluster=cluster)
    config = _resolve_config(run, config)
    _check_learner(run, allow_other_version)
    config = _with_given(run, config, parts, allow_other_version)
    if cluster is not None:
        learners.check_sendable(config)
    check_installed(run.kind, config)
    with run.lock():
        last = run.last()
        _check_signature(run, allow_other_version)
        learners.check(learner, config)
        if last is not None:
            _check_digest(run, last)
        clear_request(run.path)
        run.set_meta(
            status="running",
            ended_by="",
            version=_native.__version__,
            signature=signature(),
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
    config = run.kind.configs.self_contained(config)
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


def _with_given(run: Run, config: Any, given: PythonArguments, allow_other_version: bool) -> Any:
    """Return *config* with what is *given* again; `RunError` for other code, or if some is missing.

    What a file has need not be given.
    """
    named = run.kind.learners.with_parts(config, **given)
    if run.kind.own is not None:
        return named
    data = named.model_dump(mode="json")
    for before, now in other_codes(config.model_dump(mode="json"), data):
        if before is None:
            raise RunError(f"run {run.path} was not evolved with your {now.path}: leave it out")
        if not allow_other_version or before.settings != now.settings:
            raise _other_code(run, now.path, before.code, now.code)
        # Digests cover the name of what began: the run keeps it, and goes on with the other code.
        put_in_place(before.code, now.code)
        named = config
    for path, code, _ in codes_in(named.model_dump(mode="json")):
        try:
            if code.is_argument:
                code.check()
        except ValueError as error:
            raise RunError(
                f"run {run.path} cannot go on here: its {path} {error}, or give it again, as in "
                f"advance(run, {_argument(path)})"
            ) from None
    return named


def _check_learner(run: Run, allow_other_version: bool) -> None:
    """Raise `RunError` if the learner that was given has other code than the one that began."""
    if run.kind.own is None or allow_other_version:
        return
    stored = OwnCode.from_text(stored_learner(tomllib.loads(read_kept_text(run.path / CONFIG))))
    now = OwnCode.from_text(run.kind.own)
    if now.identity != stored.identity:
        raise _other_code(run, "learner", stored, now)


def _other_code(run: Run, what: str, before: OwnCode, now: OwnCode) -> RunError:
    return RunError(
        f"run {run.path} was evolved with the {what} {before.label}, and {now.label} is not the "
        "same code: give the same, or allow another version explicitly"
    )


def _argument(path: str) -> str:
    first, _, rest = path.partition(".")
    name = rest.removeprefix("operators.")
    return f"operators={{{name!r}: ...}}" if first == "variation" else f"{first}=..."


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
