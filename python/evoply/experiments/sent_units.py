"""Units of experiments as what a cluster works on: packed, made by a worker, checked and stored.

Processes of this machine make a run in the folder of its experiment. A worker elsewhere makes it in
a folder of its own, and returns the files.

Reasons: docs/design/cluster.md.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from evoply.arena.on_cluster import know_game, rules_to_send
from evoply.cluster.dispatch import report
from evoply.configs.own_code import permissions, with_permissions
from evoply.environment import ProcessorClock
from evoply.environment.files import DATABASE, write_atomically
from evoply.evolution.play.opponents import is_certain, read_opponent, without_file
from evoply.experiments.design import Experiment, Setup, experiment_of
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import Unit, measured, run_unit
from evoply.kinds import KINDS, Run
from evoply.protocols import (
    MALFORMED,
    Answer,
    Cluster,
    RunError,
    UnitError,
    WrongResultError,
    packed,
    unpacked,
)
from evoply.runs import Kind
from evoply.runs.folder import CONFIG, GAME, REMAINS, WriterLock, create_folder
from evoply.runs.run import stored_kind

_FILES = (CONFIG, DATABASE, GAME)
"""The files of a run folder; its lock belongs to this machine."""
_QUICKLY = 1
"""How hard they are compressed: the process that gets them has more to do than workers."""
_STORED_AT_ONCE = 4
"""Runs from workers elsewhere that are checked and stored at a time."""


def results(
    folder: ExperimentFolder, units: list[Unit], cluster: Cluster, *, is_here: bool
) -> Iterator[None]:
    """Run *units*, and yield after each; *is_here*: in their folders, by processes of this machine.

    Raises `RunError` for a unit that fails. If a worker elsewhere returns a wrong result, the runs
    that it returned before are removed.
    """
    experiment = folder.experiment
    is_timeless = all(_is_timeless(unit, experiment) for unit in units)

    given: dict[str, Sequence[int]] = {}

    def parts() -> Iterator[bytes]:
        for place, unit in enumerate(units):
            if is_here:
                yield _pack_unit(unit, experiment, folder=str(folder.path))
                continue
            units[place] = folder.with_found(unit)
            yield _pack_unit(units[place], experiment)

    try:
        same = _what_is_equal if is_timeless and not is_here else None
        answers = cluster.results(unit_part, parts(), same=same)
        yield from (
            (None for _ in answers) if is_here else _stored(answers, units, experiment, given)
        )
    except UnitError as error:
        if not is_here:
            raise
        unit = units[error.place]
        raise RunError(
            f"the run of {unit.setup.name} with seed {unit.seed} failed: {error.reason}"
        ) from None
    except WrongResultError as error:
        places = given.get(error.worker, error.places)  # some came while the wrong one was stored
        raise _without_its_runs(error, [units[index] for index in places]) from None


def _stored(
    answers: Iterator[Answer],
    units: Sequence[Unit],
    experiment: Experiment,
    given: dict[str, Sequence[int]],
) -> Iterator[None]:
    """Store the runs in *answers*, a few at a time, and yield after each.

    A disk takes longer to keep a run than this process to check it. At the end, also by an error,
    what is being stored is waited for. *given* gets the places of what each worker returned.
    """
    stored: deque[Future[None]] = deque()
    with ThreadPoolExecutor(_STORED_AT_ONCE) as threads:
        for answer in answers:
            given[answer.worker] = answer.places
            store = partial(_store, units[answer.place], experiment, answer)
            stored.append(threads.submit(copy_context().run, store))
            while len(stored) == _STORED_AT_ONCE or (stored and stored[0].done()):
                yield stored.popleft().result()
        while stored:
            yield stored.popleft().result()


def _without_its_runs(error: WrongResultError, units: list[Unit]) -> WrongResultError:
    """Return *error* after removing *units*, the runs that its worker had returned."""
    kept = [unit for unit in units if unit.path.exists()]  # the wrong one is none of them
    for unit in kept:
        _put_away(unit.path)
    if not kept:
        return error
    names = ", ".join(unit.path.name for unit in kept)
    return WrongResultError(
        f"{error}. Runs that it had returned were removed: {names}", error.worker, error.places
    )


def check_experiment_sendable(folder: ExperimentFolder) -> None:
    """Raise `ValueError` if another machine cannot run some unit of *folder*."""
    for setup in folder.setups:
        try:
            setup.kind.learners.check_sendable(setup.config, is_whole=True)
        except ValueError as error:
            raise ValueError(f"{setup.name}: {error}") from None
    game = folder.setups[0].config.game
    for opponent in folder.experiment.measure.opponents:
        if not is_certain(read_opponent(opponent, game)):
            raise ValueError(
                f"cluster: measure: {opponent} is a program on this machine and cannot be sent to "
                "others - measure by other players, or run without a cluster"
            )


def unit_part(data: bytes) -> bytes:
    """Make and measure one run: what a process of this machine or a worker elsewhere does."""
    task, _ = unpacked(data)
    with ProcessorClock() as clock, with_permissions(task["may_run"]), _unit_of(task) as made:
        unit, experiment = made
        curve = run_unit(unit, experiment, on_step=_go_on, clock=clock)
        if "folder" in task:
            return b""
        path = unit.path
        with Run.open(path) as run:
            digest = run.digests(run.count() - 1)[-1]
        files = {file: path / file for file in _FILES}
        contents = {file: path.read_bytes() for file, path in files.items() if path.is_file()}
    points = [point.to_dict() for point in curve]
    sizes = {file: len(content) for file, content in contents.items()}
    # What the states of steps leave is texts: a long run of few trees is a third as long then.
    zipped = (zlib.compress(content, _QUICKLY) for content in contents.values())
    return packed({"digest": digest, "curve": points, "files": sizes}, *zipped)


@contextmanager
def _unit_of(task: Mapping[str, Any]) -> Iterator[tuple[Unit, Experiment]]:
    """Give a unit in the folder of its experiment, or elsewhere one in a temporary folder."""
    if "folder" in task:
        folder = _folder_at(task["folder"])
        yield folder.with_found(folder.unit(task["setup"], task["seed"])), folder.experiment
        return
    know_game(task)
    with tempfile.TemporaryDirectory(prefix="evoply-") as name:
        config = Path(name) / "setup.toml"
        config.write_text(task["config"], encoding="utf-8")
        kind = stored_kind(KINDS, config)
        setup = Setup(task["setup"], kind, kind.configs.load(config))
        yield Unit(setup, task["seed"], Path(name) / "run"), experiment_of(task["experiment"])


@lru_cache(maxsize=16)
def _folder_at(path: str) -> ExperimentFolder:
    return ExperimentFolder.open(path)


def _go_on(share: float) -> None:
    if not report(share):
        raise ValueError("nobody waits for this run any more")


def _pack_unit(unit: Unit, experiment: Experiment, **where: str) -> bytes:
    """Return a unit as data: *where* says that it lies in a `folder`, or else it is whole."""
    task = {"setup": unit.setup.name, "seed": unit.seed, "may_run": permissions(), **where}
    if not where:
        game = unit.setup.config.game
        asked = experiment.model_dump(
            mode="json", exclude={"base", "configs", "setups", "vary", "measure"}, exclude_none=True
        )
        opponents = [without_file(opponent, game) for opponent in experiment.measure.opponents]
        task |= rules_to_send(game)
        task["config"] = unit.setup.kind.configs.write(unit.setup.config)
        task["experiment"] = {**asked, "measure": {"kind": "score", "opponents": opponents}}
    return packed(task)


def _what_is_equal(content: bytes) -> object:
    """Return the part of a run that is equal on every worker: all but its times."""
    answer, _ = unpacked(content)
    return answer["digest"], _without_times(answer["curve"])


def _without_times(curve: list[dict[str, Any]]) -> str:
    points = [{key: cell for key, cell in point.items() if key != "seconds"} for point in curve]
    return json.dumps(points)


def _is_timeless(unit: Unit, experiment: Experiment) -> bool:
    """Return whether the end of the run does not depend on time."""
    budget = experiment.budget
    config = unit.setup.config
    return (budget.is_set and budget.seconds is None) or getattr(config, "time_limit", None) is None


def _store(unit: Unit, experiment: Experiment, answer: Answer) -> None:
    """Put a returned run into its folder, unless it is there already."""
    try:
        header, blocks = unpacked(answer.content)
        digest, curve = str(header["digest"]), [dict(point) for point in header["curve"]]
        files = zip(header["files"].items(), blocks, strict=True)
        contents = {file: _unzipped(block, size) for (file, size), block in files}
        if not contents.keys() <= {*_FILES}:
            raise ValueError("it has files that no run has")
    except (zlib.error, *MALFORMED) as error:
        raise answer.wrong(f"a run that cannot be read ({error})") from None

    def fill(new: Path) -> None:
        for file, content in contents.items():
            write_atomically(new / file, content)
        _check(new, unit, experiment, answer, digest, curve)

    if unit.path.exists():
        with Run.open(unit.path) as run:
            if measured(run) is not None:
                return
        _put_away(unit.path)
    create_folder(unit.path, fill)


def _unzipped(block: bytes, size: int) -> bytes:
    """Return the *size* bytes in *block*; `ValueError` if it has others, without making all."""
    opened = zlib.decompressobj()
    content = opened.decompress(block, size + 1)
    if len(content) != size or not opened.eof:
        raise ValueError("a file has another size than it should")
    return content


def _check(
    path: Path,
    unit: Unit,
    experiment: Experiment,
    answer: Answer,
    digest: str,
    curve: list[dict[str, Any]],
) -> None:
    """Raise `WrongResultError` unless the run at *path* is whole, and the wanted one."""
    try:
        with Run.open(path) as run:
            run.check()
            config = unit.setup.with_seed(unit.seed, experiment.budget)
            is_asked_for = _fixed(run.kind, run.config) == _fixed(unit.setup.kind, config)
            points = measured(run) or ()
            is_whole = run.digests(run.count() - 1) == [digest] and _without_times(
                [point.to_dict() for point in points]
            ) == _without_times(curve)
    except RunError as error:
        raise answer.wrong(f"a damaged run ({error})") from None
    if not is_asked_for or not is_whole:
        raise answer.wrong(f"another run than {unit.path.name}")


def _fixed(kind: Kind, config: Any) -> Any:
    """Return what must be equal in what was asked for and what came."""
    if kind.own is not None:
        return kind.configs.write(config)
    return kind.configs.fixed(kind.configs.self_contained(config))


def _put_away(path: Path) -> None:
    lock = WriterLock(path)
    lock.release()
    away = Path(tempfile.mkdtemp(prefix=REMAINS, dir=path.parent))
    os.replace(path, away / path.name)
    shutil.rmtree(away, ignore_errors=True)
