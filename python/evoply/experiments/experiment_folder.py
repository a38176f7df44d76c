"""An experiment on disk: its settings with a checksum, and its units, run and measured.

A league's also has ready players and a file of games. Nothing else is kept: results are read from
runs and games, so an experiment resumes after any interruption, and seeds may be added later.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import tomli_w

from evoply.configs.keys import read_toml, without_none
from evoply.configs.own_code import carried, has_programs, is_carried
from evoply.environment.files import (
    DATABASE,
    EXPERIMENT_FILE,
    SETUPS,
    checksum,
    read_kept_text,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.experiments.design import (
    After,
    AllPlayAll,
    Experiment,
    Score,
    Setup,
    experiment_of,
    identity,
    load_experiment,
    measure_of,
    setups_of,
)
from evoply.experiments.units import Unit, UnitResult, measured
from evoply.kinds import KINDS, Run
from evoply.players import PlayerKind
from evoply.players.player import LEAGUE_ADAPTER, SAVED_ADAPTER
from evoply.protocols import MALFORMED, RunError, RunNameError
from evoply.runs import runs_directory
from evoply.runs.folder import GAME, add_game_of, game_content
from evoply.runs.run import stored_kind
from evoply.runs.schema import state_at_rest
from evoply.wording import did_you_mean, shorten

_RUNS = "runs"
_PLAYER = "player-{}.json"
_LARGEST_PLAYERS = 200_000_000
"""Characters of all ready players together, at most."""


@dataclass(frozen=True, slots=True)
class ExperimentFolder:
    """A folder of runs; make one with `create` or `open`."""

    path: Path
    experiment: Experiment
    setups: tuple[Setup, ...]
    is_carried: bool = False
    """Whether all this was read from the folder, and not given by the user."""
    players: Mapping[str, PlayerKind] = field(default_factory=dict)
    """Players of a league that need not be made, by their names."""
    _known: dict[Path, tuple[tuple[int, ...], UnitResult]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Results that were read, with the state of the file they are from: a command asks for them
    several times, and each takes milliseconds."""

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        experiment: Experiment,
        setups: Sequence[Setup] = (),
        players: Mapping[str, PlayerKind] | None = None,
    ) -> Self:
        """Make the folder, or open it if it has the same experiment with any number of seeds.

        The first time the looks are planned, and later ones keep to that. The setups default to
        those of the experiment; the user's Python in them is imported. Raises `ConfigError` for
        errors in the experiment, `RunError` if the folder holds another one, or if Python cannot
        be imported or does not fit.
        """
        setups = tuple(setups or setups_of(experiment))
        for setup in setups:
            setup.check()
        measure, players = measure_of(experiment, setups), players or {}
        experiment = experiment.model_copy(update={"measure": measure})
        folder = Path(path)
        if (folder / EXPERIMENT_FILE).exists():
            other = cls.open(folder)
            if identity(other.experiment, other.setups) != identity(experiment, setups):
                raise RunError(
                    f"{folder} holds another experiment: give this one another --name, or take the "
                    "same settings to go on"
                )
            planned = other.experiment.planned_looks
            if experiment.looks not in ((), planned):
                raise RunError(
                    f"looks: {folder} was begun with {list(planned)}, and looks cannot be planned "
                    "when results are known: give these, or another --name"
                )
            experiment = experiment.model_copy(update={"looks": planned})
        elif folder.exists() and any(folder.iterdir()):
            raise RunError(f"{folder} is not a folder of {measure.noun}: give another --name")
        else:
            experiment = experiment.model_copy(update={"looks": experiment.planned_looks})
        files = {f"{number}.toml": setup for number, setup in enumerate(setups, 1)}
        names = {file: setup.name for file, setup in files.items()}
        texts = {file: setup.kind.configs.write(setup.config) for file, setup in files.items()}
        rules = game_content(setups[0].config)
        if rules is not None:
            texts[GAME] = rules
        ready = {_PLAYER.format(number): name for number, name in enumerate(players, 1)}
        texts |= {file: players[name].anywhere().model_dump_json() for file, name in ready.items()}
        after = {s.name: s.after.model_dump() for s in setups if s.after is not None}
        data = without_none(
            {
                "experiment": experiment.model_dump(mode="json"),
                "setups": names,
                "after": after or None,
                "players": ready or None,
            }
        )
        data = {"checksum": checksum([data, texts]), **data}
        content = tomli_w.dumps(data).encode()  # before anything is made: a name may be no UTF-8
        is_new = not folder.exists()
        try:
            (folder / SETUPS).mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                write_atomically(folder / (file if file == GAME else f"{SETUPS}/{file}"), text)
            # The last of the files: only this makes the folder an experiment.
            write_atomically(folder / EXPERIMENT_FILE, content)
        except OSError as error:
            if is_new and not (folder / EXPERIMENT_FILE).exists():
                # Or the same name could not be given again.
                shutil.rmtree(folder, ignore_errors=True)
            why = reason(error, folder / EXPERIMENT_FILE)
            raise RunError(
                f"{folder} cannot be written: {why}, then give the same command again"
            ) from None
        return cls(folder, experiment, setups, is_carried(), players)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open the folder; raise `RunError` if it is missing or damaged."""
        folder = Path(path)
        try:
            file = folder / EXPERIMENT_FILE
            data = read_toml(read_kept_text(file), str(file))
            if any((folder / name).is_symlink() for name in (SETUPS, _RUNS)):
                raise ValueError(f"{SETUPS} or {_RUNS} in it is a link, and evoply makes none")
            texts = _checked_texts(folder, data)
            with carried():
                experiment = experiment_of(data["experiment"])
            add_game_of(folder)
            after = {name: After(**about) for name, about in data.get("after", {}).items()}
            setups = [
                _setup(folder / SETUPS / file, name, after) for file, name in data["setups"].items()
            ]
            adapter = LEAGUE_ADAPTER if has_programs() else SAVED_ADAPTER
            players = {
                str(name): adapter.validate_json(texts[file])
                for file, name in data.get("players", {}).items()
            }
        except FileNotFoundError as error:
            raise RunNameError(f"{folder} is not a folder of an experiment: {error}") from None
        except OSError as error:
            raise RunError(
                f"{folder} cannot be read: {reason(error, folder / EXPERIMENT_FILE)}"
            ) from None
        except MALFORMED as error:
            raise RunError(f"{folder}: its {EXPERIMENT_FILE} is damaged: {error}") from None
        return cls(folder, experiment, tuple(setups), is_carried=True, players=players)

    def check_measure(self) -> None:
        """Raise `ValueError` unless players and axes that measure can be had.

        Of a folder that was begun they are players that need no file: it may be somebody else's.
        """
        with carried() if self.is_carried else nullcontext():
            self.experiment.measure.check_fits(self.setups[0].config.game)
        if self.experiment.variety is not None:
            self.experiment.variety.check()

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    def units(self) -> list[Unit]:
        """Return all units: the first seed of every setup, then the second, and so on."""
        return [
            self._unit(index, seed)
            for seed in self.experiment.all_seeds
            for index in range(len(self.setups))
        ]

    def unit(self, name: str, seed: int) -> Unit:
        """Return the unit of a setup and a seed."""
        for index, setup in enumerate(self.setups):
            if setup.name == name:
                return self._unit(index, seed)
        raise RunError(f"experiment {self.path} has no setup {name!r}")

    def _unit(self, index: int, seed: int) -> Unit:
        setup = self.setups[index]
        name = f"{index + 1}-{plain_name(setup.name)}-seed-{seed}"
        return Unit(setup, seed, self.path / _RUNS / name)

    def with_found(self, unit: Unit) -> Unit:
        """Return *unit* with the features of its config, found in what it comes after."""
        setup = unit.setup
        if setup.after is None:
            return unit
        from evoply.learning import features_of_population  # few setups come after others

        with Run.open(self.unit(setup.after.setup, unit.seed).path) as run:
            features = features_of_population(
                run.kind.uses["trees"](run.champion, run.last()),
                run.champion_player,
                game=run.game,
                terms=setup.after.terms,
                seed=unit.seed,
            )
        config = setup.kind.configs.load(setup.config, features=features)
        return replace(unit, setup=replace(setup, config=config))

    def waiting(self) -> list[Unit]:
        """Return the units that are not finished."""
        done = {(result.setup, result.seed) for result in self.measured()}
        return [unit for unit in self.units() if (unit.setup.name, unit.seed) not in done]

    def measured(self) -> list[UnitResult]:
        """Return the results of the finished units."""
        results = map(self._result_of, self.units())
        return [result for result in results if result is not None]

    def _result_of(self, unit: Unit) -> UnitResult | None:
        """Return the result of *unit*, read again only if its run was changed; None without."""
        state, known = _state_of(unit), self._known.get(unit.path)
        if known is not None and known[0] == state:
            return known[1]
        try:
            with Run.open(unit.path) as run:
                curve = measured(run)
                if curve is None:
                    return None
                digest = run.digests(run.count() - 1)[-1]
                is_timed = run.ended_by in ("time_limit", "budget.seconds")
        except RunNameError:
            return None
        result = UnitResult(unit.setup.name, unit.seed, digest, curve, is_timed)
        if state is not None and _state_of(unit) == state:
            self._known[unit.path] = state, result
        return result


def _state_of(unit: Unit) -> tuple[int, ...] | None:
    """Return numbers that change with the run of *unit*; None without one, or while it goes on."""
    try:
        return state_at_rest(unit.path / DATABASE)
    except OSError:
        return None


def folder_for(
    source: Experiment | str | os.PathLike[str],
    *,
    name: str | None = None,
    game: str | None = None,
    seeds: int | None = None,
) -> ExperimentFolder:
    """Return the folder for an experiment, made if it is not there.

    *seeds* and *game* take the place of its own.

    *source* is an experiment, its file, or the folder of one, which is resumed in place; *name*
    is that of another folder in the folder of runs, by default the file's or the base's.
    """
    setups: tuple[Setup, ...] = ()
    begun: Path | None = None
    if isinstance(source, Experiment):
        experiment, path = source, runs_directory() / (name or f"vary-{Path(source.base).stem}")
    elif (begun := _folder_of(source)) is not None:
        other = _of_kind(ExperimentFolder.open(begun), Score)
        experiment, setups = other.experiment, other.setups if game is None else ()
        path = runs_directory() / name if name else begun
    else:
        experiment, path = load_experiment(source), runs_directory() / (name or Path(source).stem)
    changed = {"seeds": seeds, "game": game}
    changed = {key: value for key, value in changed.items() if value is not None}
    if changed:
        experiment = experiment_of({**experiment.model_dump(), **changed})
    if begun is not None and path != begun:
        # Elsewhere it begins anew: a plan of one look is that of its seeds.
        looks = experiment.looks if len(experiment.looks) > 1 else ()
        experiment = experiment.model_copy(update={"looks": looks})
    # What a folder carries is read as such, whoever names the folder.
    with nullcontext() if begun is None else carried():
        return ExperimentFolder.create(path, experiment, setups)


def find_experiment(
    source: str | os.PathLike[str], measure: type[Score] | type[AllPlayAll] = Score
) -> ExperimentFolder:
    """Return the experiment of a name in the folder of runs, or of a path; `RunError` if none.

    It is one with this kind of *measure*: a league is none of those that compare setups.
    """
    path = _folder_of(runs_directory() / source) or _folder_of(source)
    if path is None:
        name, folder = os.fspath(source), runs_directory()
        others = (each.parent.name for each in folder.glob(f"*/{EXPERIMENT_FILE}"))
        raise RunNameError(
            f"no {measure.noun.split()[-1]} is called {shorten(name)!r} in {folder.absolute()}, "
            f"and there is none at that path{did_you_mean(name, others)}"
        )
    return _of_kind(ExperimentFolder.open(path), measure)


def plain_name(text: str) -> str:
    """Return *text* as a name of a folder that every system allows."""
    return re.sub(r"[^A-Za-z0-9_.=+-]+", "-", text)[:60]


def _folder_of(source: str | os.PathLike[str]) -> Path | None:
    path = Path(source)
    if path.name == EXPERIMENT_FILE and (path.parent / SETUPS).is_dir():
        return path.parent
    return path if (path / EXPERIMENT_FILE).is_file() else None


def _of_kind(folder: ExperimentFolder, measure: type[Score] | type[AllPlayAll]) -> ExperimentFolder:
    """Return *folder* if it has this kind of measure; `RunError` else."""
    own = folder.experiment.measure.noun
    if not isinstance(folder.experiment.measure, measure):
        raise RunError(
            f"{folder.path} is {own}, not {measure.noun}: go on with `evoply {own.split()[-1]}`, "
            "or give another --name"
        )
    return folder


def _checked_texts(folder: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of setups, players and rules; ValueError unless all is as written."""
    content = {name: value for name, value in data.items() if name != "checksum"}
    names = {**data["setups"], **data.get("players", {})}
    if not data["setups"] or any(Path(file).name != file for file in names):
        raise ValueError(f"a setup is a file of {SETUPS}")
    texts = {file: read_kept_text(folder / SETUPS / file) for file in data["setups"]}
    left = _LARGEST_PLAYERS
    for file in data.get("players", {}):
        texts[file] = read_kept_text(folder / SETUPS / file, left)
        left -= len(texts[file])
    if (folder / GAME).exists():
        texts[GAME] = read_kept_text(folder / GAME)
    if data.get("checksum") != checksum([content, texts]):
        raise ValueError(
            f"its checksum does not match it and {SETUPS}: put a copy back, or begin another "
            "experiment with other settings"
        )
    return texts


def _setup(file: Path, name: Any, after: Mapping[str, After]) -> Setup:
    kind = stored_kind(KINDS, file)
    with carried():
        return Setup(str(name), kind, kind.configs.load(file), after.get(name))


def digest_of(results: Sequence[UnitResult]) -> str:
    """Return a checksum of the digests of all runs, in order of setups and seeds."""
    ordered = sorted((result.setup, result.seed, result.digest) for result in results)
    return checksum(json.dumps(ordered))
