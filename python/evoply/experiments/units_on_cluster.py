"""Units of an experiment on a cluster: workers get a config and return a run folder.

A worker makes the run in its own temporary folder. This process checks the returned run, which
appears in the experiment's folder whole or not at all; so nothing is lost or doubled if a process
dies. A run that began on this machine is made again from its first step: files are never sent.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evoply.arena.on_cluster import know_game, rules_to_send
from evoply.cluster.worker import report
from evoply.evolution.play.opponents import is_certain, read_opponent, without_file
from evoply.experiments.design import Experiment, Measure, Setup, experiment_of
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import Unit, measured, run_unit
from evoply.files import DATABASE, write_atomically
from evoply.kinds import KINDS, Run
from evoply.own_code import permissions, with_permissions
from evoply.protocols import (
    MALFORMED,
    Answer,
    Cluster,
    RunError,
    WrongResultError,
    packed,
    unpacked,
)
from evoply.runs import Kind
from evoply.runs.finding_kinds import stored_kind
from evoply.runs.folder import CONFIG, REMAINS, WriterLock, create_folder
from evoply.runs.game_file import GAME

_FILES = (CONFIG, DATABASE, GAME)
"""The files of a run folder; its lock belongs to this machine."""


def check_experiment_sendable(folder: ExperimentFolder) -> None:
    """Raise `ValueError` if another machine cannot run some unit of *folder*."""
    for setup in folder.setups:
        try:
            setup.kind.learners.check_sendable(setup.config, is_whole=True)
        except ValueError as error:
            raise ValueError(f"{setup.name}: {error}") from None
    game = folder.setups[0].config.game
    for opponent in Measure.from_text(folder.experiment.measure).opponents:
        if not is_certain(read_opponent(opponent, game)):
            raise ValueError(
                f"cluster: measure: {opponent} is a program on this machine and cannot be sent to "
                "others - measure by other players, or run without a cluster"
            )


def run_on_cluster(
    folder: ExperimentFolder, cluster: Cluster, on_done: Callable[[], object]
) -> None:
    """Run all unfinished units of *folder* on *cluster*; call *on_done* after each.

    Raises `ClusterError` for a unit that fails. If a worker returns a wrong result, the runs that
    it returned before are removed.
    """
    units = folder.waiting()
    parts = (_pack_unit(unit, folder.experiment) for unit in units)
    same = _what_is_equal if all(_is_timeless(unit, folder.experiment) for unit in units) else None
    try:
        for answer in cluster.results(unit_part, parts, same=same):
            _store(units[answer.place], folder.experiment, answer)
            on_done()
    except WrongResultError as error:
        taken_back = [units[index] for index in error.places]
        for unit in taken_back:
            _put_away(unit.path)
        names = ", ".join(unit.path.name for unit in taken_back)
        if names:
            raise WrongResultError(
                f"{error}. Runs that it had returned were removed: {names}",
                error.worker,
                error.places,
            ) from None
        raise


def unit_part(data: bytes) -> bytes:
    """Make and measure one run: the unit of work of a cluster."""
    task, _ = unpacked(data)
    know_game(task)
    with (
        with_permissions(task["may_run"]),
        tempfile.TemporaryDirectory(prefix="evoply-") as name,
    ):
        config = Path(name) / "setup.toml"
        config.write_text(task["config"], encoding="utf-8")
        kind = stored_kind(KINDS, config)
        setup = Setup(task["setup"], kind, kind.configs.load(config))
        unit = Unit(setup, task["seed"], Path(name) / "run")
        experiment = experiment_of(task["experiment"])
        measure = Measure(tuple(task["opponents"]))
        curve = run_unit(unit, experiment, on_step=_go_on, measure=measure)
        with Run.open(unit.path) as run:
            digest = run.digests()[-1]
        files = {file: unit.path / file for file in _FILES}
        contents = {file: path.read_bytes() for file, path in files.items() if path.is_file()}
    points = [point.to_dict() for point in curve]
    header = {"digest": digest, "curve": points, "files": [*contents]}
    return packed(header, *contents.values())


def _go_on(share: float) -> None:
    if not report(share):
        raise ValueError("nobody waits for this run any more")


def _pack_unit(unit: Unit, experiment: Experiment) -> bytes:
    game = unit.setup.config.game
    opponents = Measure.from_text(experiment.measure).opponents
    return packed(
        {
            "setup": unit.setup.name,
            "seed": unit.seed,
            "may_run": permissions(),
            **rules_to_send(game),
            "config": unit.setup.kind.configs.write(unit.setup.config),
            "experiment": experiment.model_dump(
                mode="json", exclude={"base", "configs", "vary"}, exclude_none=True
            ),
            "opponents": [without_file(opponent, game) for opponent in opponents],
        }
    )


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
        contents = dict(zip(header["files"], blocks, strict=True))
        if not contents.keys() <= {*_FILES}:
            raise ValueError("it has files that no run has")
    except MALFORMED as error:
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
            is_whole = run.digests()[-1:] == [digest] and _without_times(
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
    return kind.configs.fixed(kind.configs.settled(config))


def _put_away(path: Path) -> None:
    """Remove a run without a writer: first from its folder at once, then from the disk."""
    lock = WriterLock(path)
    lock.release()
    away = Path(tempfile.mkdtemp(prefix=REMAINS, dir=path.parent))
    os.replace(path, away / path.name)
    shutil.rmtree(away, ignore_errors=True)
