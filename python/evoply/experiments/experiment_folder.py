"""An experiment on disk: its settings with a checksum, and its units, run and measured.

A league's also has ready players and a file of games. Nothing else is kept: results are read from
runs and games, so an experiment resumes after any interruption, and seeds may be added later.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import tomli_w

from evoply.arena import match
from evoply.configs.keys import read_toml, without_none
from evoply.configs.own_code import carried, has_programs, is_carried
from evoply.environment import ProcessorClock
from evoply.environment.files import (
    EXPERIMENT_FILE,
    SETUPS,
    checksum,
    read_kept_text,
    write_atomically,
)
from evoply.environment.refusals import reason
from evoply.evolution.play.opponents import read_opponent
from evoply.experiments.design import (
    After,
    AllPlayAll,
    Budget,
    Experiment,
    Measure,
    Score,
    Setup,
    experiment_of,
    identity,
    load_experiment,
    measure_of,
    setups_of,
)
from evoply.experiments.variety import variety_of
from evoply.kinds import KINDS, Run
from evoply.players import PlayerKind
from evoply.players.player import LEAGUE_ADAPTER, SAVED_ADAPTER
from evoply.protocols import MALFORMED, Player, RunError, RunNameError
from evoply.protocols.sections import JsonData
from evoply.runs import advance, runs_directory
from evoply.runs.folder import GAME, add_game_of, game_content
from evoply.runs.run import stored_kind
from evoply.runs.schema import player_data
from evoply.wording import did_you_mean, shorten

# One unit of an experiment: a run of one setup and one seed, driven to its end and measured.
#
# A unit that was stopped or killed resumes where it was, and a finished one is not repeated.

MEASURED = "measured"
"""The note of a run that holds its curve and its final value."""
_PROCESSOR = "processor_seconds"
"""The note of a run that holds what making it took."""
_KEPT_EVERY = 1.0
"""Processor seconds after which that is written again: a killed process loses no more of it."""

_CURVE_SHARE = 4
_MEASURE_SEED = 2**62
"""Seed of the openings of measures: no run can have it, so no run trained on them."""


BESIDE = ("scores", "variety")  # the fields of a point that hold several numbers


@dataclass(frozen=True, slots=True)
class Point(JsonData):
    """The strength of the champion after a step."""

    step: int
    games: float
    """Games of training so far."""
    work: float
    seconds: float
    value: float
    scores: tuple[float, ...] = ()
    """The scores against each opponent of the measure, of which `value` is the mean."""
    variety: Mapping[str, float] = field(default_factory=dict)
    """The figures of all trees at the end, if the experiment measures them."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Point:
        """Return the point that `to_dict` wrote as *data*; TypeError if it has no numbers."""
        fields = {name: data[name] for name in cls.__slots__ if name not in BESIDE}
        scores, variety = tuple(data.get("scores", ())), dict(data.get("variety", {}))
        numbers = (*fields.values(), *scores, *variety.values())
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError("a point has numbers")
        return cls(**fields, scores=scores, variety=variety)


@dataclass(frozen=True, slots=True)
class Unit:
    """A setup with one seed, and the folder of its run."""

    setup: Setup
    seed: int
    path: Path


@dataclass(slots=True)
class _Costs:
    """The costs of a run so far."""

    games: float = 0.0
    work: float = 0.0
    seconds: float = 0.0
    previous: Any = None

    def add(self, run: Run, step: Any) -> None:
        taken = run.kind.learners.costs(step, self.previous)
        self.games += taken.get("games", 0.0)
        self.work += taken.get("work", 0.0)
        self.seconds += step.seconds
        self.previous = step

    def used(self, budget: Budget) -> float:
        """Return the share of *budget* that is used, 0 without a budget."""
        if not budget.is_set:
            return 0.0
        used: float = getattr(self, budget.kind) / getattr(budget, budget.kind)
        return used


def run_unit(
    unit: Unit,
    experiment: Experiment,
    *,
    threads: int = 1,
    on_step: Callable[[float], object] | None = None,
    clock: ProcessorClock | None = None,
) -> tuple[Point, ...]:
    """Bring the run of *unit* to its end, measure it, and return its curve, the end last.

    *on_step* gets the share that is done, or 0 if unknown. A *clock* that runs already has what a
    new run took before its first step. A run that is measured already is only read.
    """
    if clock is None:
        with ProcessorClock() as clock:
            return run_unit(unit, experiment, threads=threads, on_step=on_step, clock=clock)
    setup = unit.setup.ready()
    config = setup.with_seed(unit.seed, experiment.budget)
    with _open(unit.path, setup, config) as run:
        done = measured(run)
        if done is not None:
            return done
        costs = _Costs()
        champions: list[tuple[_Mark, Player]] = []
        for step in run.whole_steps():
            costs.add(run, step)
            champions.append((_mark(step, costs), step.champions[0]))
        kept = processor_seconds(run)
        # Reading what was made before is no part of making it.
        earlier = kept - clock.seconds if champions else 0.0

        def other_limit(step: Any) -> str:
            is_used = costs.used(experiment.budget) >= 1
            return f"budget.{experiment.budget.kind}" if is_used else ""

        for step in advance(run, threads=threads, other_limit=other_limit):
            costs.add(run, step)
            champions.append((_mark(step, costs), step.champions[0]))
            if earlier + clock.seconds - kept > _KEPT_EVERY:
                kept = earlier + clock.seconds
                run.set_meta(**{_PROCESSOR: f"{kept:.3f}"})
            if on_step is not None:
                on_step(min(1.0, _progress(run, step, costs, experiment.budget)))
        taken = earlier + clock.seconds
        champions[-1] = champions[-1][0], run.champion_player
        curve = tuple(_curve(champions, experiment, run.game, threads))
        if experiment.variety is not None:
            opponents, seed = experiment.measure.opponents, _MEASURE_SEED
            found = variety_of(run, experiment.variety, opponents, seed=seed, threads=threads)
            curve = (*curve[:-1], replace(curve[-1], variety=found))
        notes = {MEASURED: json.dumps([point.to_dict() for point in curve])}
        run.set_meta(**notes, **{_PROCESSOR: f"{taken:.3f}"})
        return curve


def processor_seconds(run: Run) -> float:
    """Return the processor seconds that making *run* took so far, all parts of it.

    Its measure does not count. `RunError` if that cannot be read.
    """
    try:
        seconds = float(run.meta(_PROCESSOR) or 0)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise RunError(f"run {run.path}: what it took cannot be read - make it again")
    return seconds


def measured(run: Run) -> tuple[Point, ...] | None:
    """Return the curve of a finished unit, None if it is not finished."""
    text = run.meta(MEASURED)
    if not text:
        return None
    try:
        curve = tuple(Point.of(point) for point in json.loads(text))
    except MALFORMED:
        curve = ()
    if not curve or len({len(point.scores) for point in curve}) > 1:
        raise RunError(f"run {run.path}: its measured strength cannot be read - make it again")
    return curve


_Mark = tuple[int, float, float, float]


def _mark(step: Any, costs: _Costs) -> _Mark:
    return step.number, costs.games, costs.work, costs.seconds


def _open(path: Path, setup: Setup, config: Any) -> Run:
    learner = setup.kind.own or None
    try:
        return Run.open(path, learner=learner)
    except RunNameError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Run.create(path, config, learner=learner)


def _progress(run: Run, step: Any, costs: _Costs, budget: Budget) -> float:
    if budget.is_set:
        return costs.used(budget)
    config = run.config
    for limit, done in (
        ("generations", step.number + 1),
        ("games", costs.games),
        ("time_limit", costs.seconds),
    ):
        most = getattr(config, limit, None)
        if most:
            return float(done / most)
    return 0.0


def _curve(
    champions: list[tuple[_Mark, Player]],
    experiment: Experiment,
    game: str,
    threads: int,
) -> Iterator[Point]:
    """Yield points evenly spaced over the steps, and the end on all games.

    Without opponents, as in a league, the value is 0: its own games measure the players.
    """
    last = len(champions) - 1
    places = {round(last * point / experiment.points) for point in range(experiment.points)}
    few = max(2, experiment.games // _CURVE_SHARE // 2 * 2)
    scores: dict[str, tuple[float, ...]] = {}
    for index in [*sorted(places - {last}), last]:
        (step, games, work, seconds), player = champions[index]
        count = experiment.games if index == last else few
        # Not by its label, which shortens long formulas.
        key = f"{checksum(player_data(player))} {count}"
        if key not in scores:
            scores[key] = scores_of(
                player, experiment.measure, game=game, games=count, threads=threads
            )
        of_player = scores[key]
        value = sum(of_player) / max(1, len(of_player))
        yield Point(step, games, work, seconds, value, of_player)


def scores_of(
    player: Player, measure: Measure, *, game: str, games: int, threads: int = 1
) -> tuple[float, ...]:
    """Return the score of *player* against each opponent of *measure*, in *games* games each.

    The openings are always the same, and never those of training.
    """
    return tuple(
        match(player, opponent, game=game, games=games, seed=_MEASURE_SEED, threads=threads).score
        for opponent in (read_opponent(text, game) for text in measure.opponents)
    )


_RUNS = "runs"
_PLAYER = "player-{}.json"
_LARGEST_PLAYERS = 200_000_000
"""Characters of all ready players together, at most."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The result of a unit."""

    setup: str
    seed: int
    digest: str
    """The digest of its last step."""
    curve: tuple[Point, ...]
    is_timed: bool = False
    """Whether a limit in seconds ended its run, which may be longer or shorter elsewhere."""

    @property
    def value(self) -> float:
        """The strength of the player at the end."""
        return self.curve[-1].value


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
        results = []
        for unit in self.units():
            try:
                with Run.open(unit.path) as run:
                    curve = measured(run)
                    if curve is not None:
                        digest = run.digests()[-1]
                        is_timed = run.ended_by in ("time_limit", "budget.seconds")
                        results.append(
                            UnitResult(unit.setup.name, unit.seed, digest, curve, is_timed)
                        )
            except RunNameError:
                continue
        return results


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
