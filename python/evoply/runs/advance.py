"""Driving a run: evolve, save, look for requests, and name the champion at the end.

`for generation in advance(run)` works for a new run and for one that was interrupted anywhere;
both give the same generations.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType

from evoply import _native
from evoply.evolution import (
    EvolutionConfig,
    Generation,
    Progress,
    evolve,
    final_test,
    individual_player,
    is_finished,
    is_good,
    self_contained,
    signature,
)
from evoply.evolution.digest import LIMITS, digest_of
from evoply.evolution.python_parts import OwnFitness, OwnOperator, PythonParts
from evoply.players import Player
from evoply.protocols import RunError
from evoply.runs.folder import find_run
from evoply.runs.request import clear_request, read_request
from evoply.runs.run import Run

__all__ = ["advance", "resolve_champion"]

_PAUSE_SECONDS = 0.2


def advance(
    run: Run,
    *,
    config: EvolutionConfig | None = None,
    threads: int = 0,
    progress: Callable[[Progress], object] | None = None,
    command: str = "",
    allow_other_version: bool = False,
    fitness: OwnFitness | None = None,
    operators: Mapping[str, OwnOperator] = MappingProxyType({}),
) -> Generator[Generation, None, None]:
    """Yield the generations of *run* that are still to come, each saved before it is yielded.

    *config* may differ from the run's in its limits and `machine` only, to go on for longer; by
    default the run's own is used. *fitness* and *operators* are those of `evolve`: the run notes
    their names and the checksums of their source, and going on asks for the same. After the last
    generation the final test names the champion.

    Raises `RunError` if another process writes the run, if the run is
    damaged, or if this evoply computes differently from the one that wrote it, unless
    *allow_other_version*, which is recorded. Ctrl-C and leaving the loop early stop the run
    with its last whole generation.
    """
    config = _settled(run, config)
    parts = PythonParts(fitness, dict(operators))
    with run.lock():
        last = run.last()
        _check_signature(run, allow_other_version)
        _check_python_parts(run, parts, allow_other_version)
        parts.check(config)
        if last is not None:
            _check_digest(run, last)
        run.record(
            "started" if last is None else "resumed",
            generation=None if last is None else last.number,
            version=_native.__version__,
            signature=signature(),
            command=command,
        )
        clear_request(run.path)
        run.set_meta(
            status="running",
            version=_native.__version__,
            signature=signature(),
            python_parts=json.dumps(parts.identities()),
        )
        status = "stopped"
        try:
            generations = evolve(
                config,
                resume_from=last,
                threads=threads,
                progress=progress,
                fitness=fitness,
                operators=operators,
            )
            for generation in generations:
                run.save(generation)
                last = generation
                yield generation
                if not is_finished(config, generation) and _is_stopped(run):
                    return
            if last is not None:
                test = final_test(config, last, threads=threads, progress=progress)
                run.save_final_test(last.number, test)
                status = _ending(config, last)
        finally:
            run.set_meta(status=status)
            run.record("ended", status=status, generation=None if last is None else last.number)


def resolve_champion(text: str) -> Player:
    """Return the champion of a run as a player; *text* is the run's name, path, or empty.

    An empty text means the newest run; a leading `champion@` is allowed. Raises `RunError`.
    """
    with find_run(text.removeprefix("champion@") or None) as run:
        return individual_player(run.config, run.champion.tree)


def _settled(run: Run, config: EvolutionConfig | None) -> EvolutionConfig:
    if config is None:
        return run.config
    config = self_contained(config)
    free = set(LIMITS)
    if config.model_dump(exclude=free) != run.config.model_dump(exclude=free):
        raise RunError(
            f"run {run.path} can only go on with its own config: "
            f"{', '.join(sorted(LIMITS))} may change, nothing else"
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


def _check_python_parts(run: Run, parts: PythonParts, allow_other_version: bool) -> None:
    if not run.meta("python_parts"):  # a new run
        return
    stored, given = run.python_parts(), parts.identities()
    for what in sorted(stored.keys() | given.keys()):
        before, now = stored.get(what), given.get(what)
        if before is None:
            raise RunError(f"run {run.path} was not evolved with the {what} of yours: leave it out")
        if now is None:
            raise RunError(
                f"run {run.path} was evolved with the {what} {before['name']}, written in "
                f"Python: give it again, as in advance(run, {_argument(what)})"
            )
        if now != before and not allow_other_version:
            raise RunError(
                f"run {run.path} was evolved with the {what} {before['name']}, and "
                f"{now['name']} is not the same code: give the same, or allow another version "
                "explicitly"
            )


def _argument(what: str) -> str:
    kind, _, name = what.partition(" ")
    return f"operators={{{name!r}: ...}}" if kind == "operator" else "fitness=..."


def _check_digest(run: Run, last: Generation) -> None:
    found = digest_of(
        run.config,
        last.number,
        last.individuals,
        last.fresh,
        last.hall_of_fame,
        last.champion,
    )
    if found != last.digest:
        raise RunError(
            f"run {run.path}: generation {last.number} does not match its digest. The folder, or "
            "a file that an opponent names, was changed: put the original back, or start a new run"
        )


def _is_stopped(run: Run) -> bool:
    """Wait while the run is asked to pause; return whether it is asked to stop."""
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


def _ending(config: EvolutionConfig, last: Generation) -> str:
    if config.generations is not None and last.number + 1 >= config.generations:
        return "finished"
    if is_good(config, last.statistics.best):
        return "finished"
    return "limit"
