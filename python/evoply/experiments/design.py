"""The design of an experiment: setups, each a config of any learner, times seeds, and a measure.

A measure is what is done with the finished players: each meets opponents that nobody trained on
(`Score`), or those of a seed meet each other (`AllPlayAll`).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, Field, PlainSerializer, model_validator

from evoply.arena.game_terms import MOST_OPENINGS, OpeningList, OpeningOrder
from evoply.configs.config_errors import checked, explained
from evoply.configs.keys import read_toml
from evoply.configs.own_code import is_own_code, reading
from evoply.configs.part import Part, Problem
from evoply.configs.run_config import RunConfig
from evoply.environment.files import checksum
from evoply.evolution.play.opponents import player_texts, resolved
from evoply.experiments.own_parts import NO_PARTS, GivenParts, check_named, setup_of_run
from evoply.experiments.variety import Variety, variety_problems
from evoply.kinds import KINDS
from evoply.players import parse_player
from evoply.protocols import ConfigError, RunError
from evoply.rules.loading import with_game_of_file
from evoply.runs import Kind
from evoply.runs.kept_learners import Settings
from evoply.runs.presets import config_text
from evoply.runs.run import named_kind
from evoply.wording import named_apart, shorten

_USUAL_OPPONENTS = ("swh", "material:depth=3", "mobility")
_MOST_SETUPS = 1000
LONGEST_NAME = 60
_LONGEST_VALUE = 20


class Budget(Part):
    """The budget of each run, equal for all setups; the step that passes it is the last one."""

    games: int | None = Field(default=None, ge=1)
    """Games of training."""
    work: int | None = Field(default=None, ge=1)
    """Work of evolution: plies of individuals times operations of their programs."""
    seconds: float | None = Field(default=None, gt=0)
    """Seconds of learning; results then differ from time to time."""

    @property
    def is_set(self) -> bool:
        """Whether there is a budget; else each config's own limits count."""
        return not self.games is self.work is self.seconds is None

    @property
    def kind(self) -> str:
        """The counted unit: games, work or seconds; "" without a budget."""
        return next((name for name in ("games", "work", "seconds") if getattr(self, name)), "")


class Score(Part):
    """How strong a player is against opponents that it was not trained on."""

    noun: ClassVar = "an experiment"
    kind: Literal["score"] = "score"
    opponents: tuple[str, ...] = Field(default=(), strict=False)
    """Texts of players; empty: those of swh, material:depth=3 and mobility that fit."""

    @classmethod
    def from_text(cls, text: str) -> Score:
        """Return the measure of a text such as "score:swh,material:depth=3"; `ValueError` else."""
        kind, colon, rest = text.strip().partition(":")
        if kind != "score" or not colon or not rest.strip():
            raise ValueError(
                f"{shorten(text)!r} - write score: and opponents with commas between, such as "
                "score:swh,material:depth=3"
            )
        opponents: list[str] = []
        for part in rest.split(","):
            # An option behind a comma belongs to the player before it.
            if opponents and re.match(r"^\s*[a-z_]+\s*=", part):
                opponents[-1] += f",{part}"
            else:
                opponents.append(part)
        names = tuple(opponent.strip() for opponent in opponents)
        if not all(names):
            raise ValueError(f"{shorten(text)!r} - an opponent between commas is missing")
        return cls(opponents=names)

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if an opponent cannot be read or does not play *game*."""
        for opponent in self.opponents:
            player = parse_player(opponent, game=game)
            player.check_fits(game)
            if not player.reproducible:
                raise ValueError(
                    f"measure: {opponent} may play otherwise next time: measure by players that "
                    "are reproducible"
                )

    def __str__(self) -> str:
        return f"score:{','.join(self.opponents)}"


Condition = Literal["time", "depth"]
"""Under which games all play all: the same time a move, or the same depth."""


class Entrant(Part):
    """Who plays in a league: a method, or a line of reference."""

    name: str
    """That of a setup or of a ready player, such as "liao"; unique in the league."""
    title: str
    """Such as "staged trees"."""
    source: str = ""
    """The paper and its section, or a page of the documentation."""
    is_ranked: bool = True
    """False for a line of reference, which was made with another budget."""
    counted: str = ""
    """The unit of its budget: "games", "work", or "" if nothing is made."""
    budget: float = 0.0
    """How many of them each player may use."""


class ListedOpenings(Part):
    """Openings from a file, kept themselves; without any, games begin with random plies."""

    lines: tuple[Annotated[str, Field(min_length=1, max_length=4_000)], ...] = Field(
        default=(), max_length=MOST_OPENINGS, strict=False
    )
    """Moves or a board for each."""
    order: OpeningOrder = "drawn"
    """Whether the seed draws them, or games have them in their order."""
    sha256: str = Field(default="", pattern="^([0-9a-f]{64})?$")
    """The checksum of the file."""

    def of(self, game: str) -> OpeningList | None:
        """Return them as openings of *game*; None if there are none. Errors as a `ValueError`."""
        if not self.lines:
            return None
        from evoply.arena.openings import openings_from_text

        return openings_from_text(game, self.lines, self.order, self.sha256)


class AllPlayAll(Part):
    """The measure of a league: players of a seed meet each other and the lines of reference."""

    noun: ClassVar = "a league"
    opponents: ClassVar[tuple[str, ...]] = ()
    kind: Literal["all-play-all"] = "all-play-all"
    budget: float = Field(default=360.0, gt=0, le=1e7)
    """Seconds of one core for a method and seed, counted by `paces`."""
    paces: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(default={})
    """What one core does in a second of the counted limit of each setup, by the setup's name."""
    paces_from: str = ""
    """Where the paces come from: "measured", "reference", or the name of another league."""
    games: int = Field(default=8, ge=2, le=10_000, multiple_of=2)
    """Games of every two players of a seed under each condition, in opening pairs."""
    move_time: float = Field(default=0.01, ge=0.001, le=60)
    """Seconds for a move; games depend on the machine."""
    depth: int = Field(default=4, ge=0, le=20)
    """Plies that all look ahead in the games of the other condition; 0: there are none."""
    openings: ListedOpenings = ListedOpenings()
    """Where games begin: openings from a file."""
    methods: tuple[str, ...] = Field(default=(), strict=False)
    """Names of evoply's methods; empty: all of the game."""
    own: tuple[str, ...] = Field(default=(), strict=False)
    """Configs, presets or runs of the user's that take part, too; or players, which are lines of
    reference."""
    population_share: float = Field(default=0.5, gt=0, lt=1)
    """The share of a budget that goes into the population in which features are found."""
    entrants: tuple[Entrant, ...] = Field(default=(), strict=False)
    """Methods in the order of the table, your own, then lines of reference."""

    @property
    def conditions(self) -> dict[Condition, str]:
        """The conditions in words."""
        conditions: dict[Condition, str] = {"time": f"{1000 * self.move_time:g} ms a move"}
        if self.depth:
            conditions["depth"] = "1 ply" if self.depth == 1 else f"{self.depth} plies"
        return conditions

    def check_fits(self, game: str) -> None:
        """Do nothing: ready players are in the folder, and were checked when it was made."""


Measure = Score | AllPlayAll


def _read_measure(given: Any) -> Any:
    return (Score.from_text(given) if given else Score()) if isinstance(given, str) else given


def _written_measure(measure: Measure) -> Any:
    text = str(measure) if measure.opponents else ""
    is_text = isinstance(measure, Score) and _read_measure(text) == measure
    return text if is_text else measure.model_dump(mode="json")


class Experiment(Part):
    """Setups made by varying keys of a config, or listed, times seeds."""

    base: str = ""
    """A preset, or the path of a config, whose keys are varied."""
    configs: tuple[str, ...] = Field(default=(), max_length=_MOST_SETUPS, strict=False)
    """Presets, paths of configs or runs that are compared as they are, instead of a base."""
    setups: dict[str, dict[str, Any]] = Field(default={}, max_length=_MOST_SETUPS)
    """Setups by name that are compared instead: each a table with its `base`, a preset or a path,
    and the keys of it that are other. A table with a `kind` replaces the one that was there."""
    game: str = ""
    """The game of all setups, instead of those in their configs; in a file also a JSON file of
    rules."""
    seeds: int = Field(default=10, ge=1, le=10_000)
    """Runs of each setup, with this many seeds from `first_seed` on."""
    first_seed: int = Field(default=1, ge=0, lt=2**62)
    """The first of the seeds; the same for all setups."""
    looks: tuple[Annotated[int, Field(ge=1, le=10_000)], ...] = Field(
        default=(), max_length=20, strict=False
    )
    """Numbers of seeds at which you will look at the results, in growing order; empty: at `seeds`
    alone. Without `seeds` the first of them are run."""
    same_within: float | None = Field(default=None, gt=0, lt=1)
    """Points per game by which two setups may differ and still count as the same: this is then
    tested, too."""
    measure: Annotated[
        Annotated[Measure, Field(discriminator="kind")],
        BeforeValidator(_read_measure),
        PlainSerializer(_written_measure),
    ] = Score()
    """The measure of a finished player: `score:` and opponents that no setup trains on, with commas
    between; empty: those of swh, material:depth=3 and mobility that fit."""
    games: int = Field(default=400, ge=2, le=1_000_000, multiple_of=2)
    """Games against each of these opponents, at the end of a run."""
    points: int = Field(default=8, ge=0, le=1000)
    """Points of the learning curve at which the champion so far is measured too, on a quarter of
    the games; 0: only the end."""
    variety: Variety | None = None
    """The variety of the trees with which each run ends, on one map for all; None: not measured."""
    budget: Budget = Budget()
    order: Literal["grid", "list"] = "grid"
    """`grid`: all combinations of the values; `list`: the first values of all keys, then the
    second ones, and so on."""
    vary: dict[str, Annotated[list[Any], Field(min_length=1, max_length=_MOST_SETUPS)]] = Field(
        default={}
    )
    """Keys of the config as `--set` takes them, each with its values."""

    @model_validator(mode="before")
    @classmethod
    def _with_the_seeds_of_the_first_look(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and data.get("looks") and "seeds" not in data:
            return {**data, "seeds": data["looks"][0]}
        return data

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def planned_looks(self) -> tuple[int, ...]:
        """The looks of the plan: at `seeds` alone if none are named."""
        return self.looks or (self.seeds,)

    @property
    def chosen(self) -> list[tuple[Any, ...]]:
        """The values of the varied keys in each setup, in order; one empty choice without any."""
        values = self.vary.values()
        return [
            *(zip(*values, strict=True) if values and self.order == "list" else product(*values))
        ]


class After(Part):
    """What a setup learns with: features that the population of another one has found."""

    setup: str
    """The name of the other setup; its run of the same seed comes first."""
    terms: int = Field(default=25, ge=1, le=100)
    """How many features."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One way to learn: a config without its seed."""

    name: str
    kind: Kind
    """The kind of learner; your own may be missing (see `ready`)."""
    config: Any
    after: After | None = None
    """What must be made before; None: nothing."""

    def ready(self) -> Setup:
        """Return the setup with its learner, whose file is imported if it is the user's own."""
        if self.kind.own is None or not isinstance(self.config, Settings):
            return self
        kind = named_kind(KINDS, self.kind.own)
        return replace(self, kind=kind, config=kind.configs.load(self.config))

    def check(self) -> None:
        """Raise `ValueError` unless its Python can be imported, and fits."""
        setup = self.ready()
        try:
            learner = setup.kind.learners.made(threads=1)
            setup.kind.learners.check(learner, setup.config)
        except ValueError as error:
            raise RunError(f"{self.name}: {error}") from None

    def with_seed(self, seed: int, budget: Budget) -> Any:
        """Return the config for a run with *seed*; a budget replaces its limits."""
        if isinstance(self.config, RunConfig):
            config: Any = self.config.in_experiment(seed)
        elif isinstance(self.config, BaseModel):
            config = self.config.model_copy(update={"seed": seed})
        else:
            config = replace(self.config, seed=seed)
        return self.kind.configs.endless(config) if budget.is_set else config


def load_experiment(path: str | os.PathLike[str]) -> Experiment:
    """Return the experiment of a TOML file; `ConfigError` lists all mistakes with their paths."""
    name = os.fspath(path)
    with reading(name):
        data = read_toml(config_text(name), name)
        return experiment_of(with_game_of_file(data, Path(name).parent))


def experiment_of(data: Mapping[str, Any]) -> Experiment:
    """Return the experiment of nested keys; `ConfigError` lists all mistakes with their paths."""
    return checked(
        lambda: Experiment(**data),
        lambda error: ConfigError(list(dict.fromkeys(explained(error, Experiment)))),
    )


def setups_of(
    experiment: Experiment,
    configs: Mapping[str, Any] | None = None,
    parts: GivenParts = NO_PARTS,
) -> list[Setup]:
    """Return the setups of *experiment*; `ConfigError` lists all errors in them.

    *configs* are those that the experiment names: configs in memory, or texts as in
    `Experiment.configs`. *parts* are the user's own Python objects for them.
    """
    problems = _problems(experiment)
    if problems:
        raise ConfigError(problems)
    setups: list[Setup] = []
    for name, source, overrides in _variants(experiment, configs):
        try:
            kind, config = parts.named_in(name, *config_of_source(name, source, overrides, parts))
            check_named(kind, config)
        except ConfigError as error:
            problems += [(f"{name}: {path}", message) for path, message in error.errors]
        else:
            setups.append(Setup(name, kind, config))
    if not problems:
        parts.check_used({setup.name: setup.config for setup in setups})
    problems += _joint_problems(experiment, setups, is_measured=not problems)
    if problems:
        raise ConfigError(list(dict.fromkeys(problems)))
    return setups


def _problems(experiment: Experiment) -> list[Problem]:
    """Return the problems of an experiment's parts, without its configs."""
    problems: list[Problem] = []
    if isinstance(experiment.measure, AllPlayAll):
        problems.append(
            (
                "measure",
                "all-play-all is that of a league: make one with `evoply league`, or measure by "
                "opponents, as in score:swh,mobility",
            )
        )
    named = [experiment.base, experiment.configs, experiment.setups]
    if sum(map(bool, named)) != 1:
        problems.append(("base", "give a base whose keys are varied, or configs to compare"))
    for name, keys in experiment.setups.items():
        if not isinstance(keys.get("base"), str):
            problems.append((f"setups.{name}.base", "must be a preset or the path of a config"))
    if experiment.vary and not experiment.base:
        problems.append(("vary", "is for a base: leave it out, or give a base instead of configs"))
    if list(experiment.looks) != sorted({*experiment.looks}):
        problems.append(("looks", "must grow from each to the next, as in looks = [10, 20, 40]"))
    if sum(value is not None for value in experiment.budget.model_dump().values()) > 1:
        problems.append(("budget", "give one of games, work and seconds"))
    return problems


def _joint_problems(
    experiment: Experiment, setups: Sequence[Setup], *, is_measured: bool
) -> list[Problem]:
    """Return the problems between setups, and those of the measure if *is_measured*."""
    problems: list[Problem] = []
    games = dict.fromkeys(setup.config.game for setup in setups)
    if len(games) > 1:
        problems.append(("configs", f"play {', '.join(games)}: only one game can be compared"))
    elif is_measured:
        try:
            measure = measure_of(experiment, setups)
            measure.check_fits(next(iter(games)))
        except ValueError as error:
            problems.append(("measure", str(error).removeprefix("measure: ")))
        else:
            problems += _trained_on(measure.opponents, setups)
            kinds = {setup.name: setup.kind.name for setup in setups}
            problems += variety_problems(experiment.variety, next(iter(games)), kinds)
    counted = experiment.budget.kind
    if counted in ("games", "work"):
        problems += [
            (f"budget.{counted}", f"is not counted by {setup.kind.name}: take another budget")
            for setup in setups
            if counted not in setup.kind.learners.counted
        ]
    return problems


def measure_of(experiment: Experiment, setups: Sequence[Setup]) -> Measure:
    """Return the measure of *experiment*, the usual one if it has none; or raise `ValueError`."""
    if experiment.measure != Score():
        return experiment.measure
    usual = []
    for opponent in _USUAL_OPPONENTS:
        with suppress(ValueError):
            Score(opponents=(opponent,)).check_fits(setups[0].config.game)
            if not _trained_on((opponent,), setups):
                usual.append(opponent)
    if not usual:
        raise ValueError("measure: the usual opponents are trained on or do not fit: name others")
    return Score(opponents=tuple(usual))


def _trained_on(opponents: Sequence[str], setups: Sequence[Setup]) -> list[Problem]:
    """Return which of *opponents* some setup trains on, in whatever words.

    `greedy:ties=first` and `greedy` are one player.
    """
    problems: list[Problem] = []
    for setup in setups:
        trains = hasattr(setup.config, "fitness")
        texts = [text for _, text in player_texts(setup.config)] if trains else []
        trained = {_identity(text, setup.config.game): text for text in reversed(texts)}
        for opponent in opponents:
            text = trained.get(_identity(opponent, setup.config.game))
            if text is not None:
                same = "" if text == opponent else f", which is {opponent}"
                message = f"trains on {text}{same}: measure by opponents nobody trains on"
                problems.append(("measure", f"{setup.name} {message}"))
    return problems


def _identity(text: str, game: str) -> str:
    """Return what tells the player of a text from others, the text itself if it is none."""
    try:
        return json.dumps(resolved(text, game), sort_keys=True)
    except (ValueError, OSError):
        return text


def named_configs(configs: Iterable[Any]) -> dict[str, Any]:
    """Return *configs* by their own names, or by their numbers if they have none.

    >>> list(named_configs(["quick", "mine/quick.toml"]))
    ['quick', 'quick (2)']
    """
    listed = [
        os.fspath(config) if isinstance(config, os.PathLike) else config for config in configs
    ]
    names = [
        (Path(config).stem or config) if isinstance(config, str) else f"setup {number}"
        for number, config in enumerate(listed, 1)
    ]
    return dict(zip(named_apart(names), listed, strict=True))


def _variants(
    experiment: Experiment, configs: Mapping[str, Any] | None
) -> list[tuple[str, Any, list[str]]]:
    """Return for each setup its name, its config or source, and the changes to it."""
    game = [f"game={json.dumps(experiment.game)}"] if experiment.game else []
    if experiment.setups:
        names = named_apart([shorten(name, LONGEST_NAME) for name in experiment.setups])
        tables = zip(names, experiment.setups.values(), strict=True)
        return [(name, keys["base"], [*game, *_changes(keys)]) for name, keys in tables]
    if experiment.configs:
        named = named_configs(experiment.configs) if configs is None else configs
        return [(name, config, game) for name, config in named.items()]
    lengths = [len(values) for values in experiment.vary.values()]
    if experiment.order == "list" and len({*lengths}) > 1:
        raise ConfigError([("vary", "with order list all keys have as many values")])
    if experiment.order == "grid" and math.prod(lengths) > _MOST_SETUPS:
        raise ConfigError(
            [("vary", f"makes {math.prod(lengths):,} setups: {_MOST_SETUPS} at most")]
        )
    keys, combinations = list(experiment.vary), experiment.chosen
    names = named_apart(
        [_name(experiment.vary, combination) or "base" for combination in combinations]
    )
    changes = [
        [*game, *(f"{key}={_toml(value)}" for key, value in zip(keys, chosen, strict=True))]
        for chosen in combinations
    ]
    return [(n, experiment.base, change) for n, change in zip(names, changes, strict=True)]


def _name(vary: Mapping[str, Sequence[Any]], chosen: Sequence[Any]) -> str:
    """Return "size=2 primitives=liao"; Python is its name, another long value its number, as "#2".

    >>> _name({"fitness.measure": ["discs", "python:a.py:concise"]}, ["python:a.py:concise"])
    'measure=concise'
    """
    short = [key.rpartition(".")[2] for key in vary]
    labels = short if len(set(short)) == len(short) else list(vary)
    parts = []
    for key, values, value in zip(labels, vary.values(), chosen, strict=True):
        text = value if isinstance(value, str) else json.dumps(value)
        if is_own_code(text):
            text = text.rpartition("#")[0].rpartition(":")[2] or text.rpartition(":")[2]
        is_long = len(text) > _LONGEST_VALUE
        parts.append(f"{key}={f'#{values.index(value) + 1}' if is_long else text}")
    return shorten(" ".join(parts), LONGEST_NAME)


def _changes(keys: Mapping[str, Any], path: str = "") -> list[str]:
    """Return the *keys* of a setup but its base as `--set` takes them.

    A table that says its `kind` takes the place of the one that was there.
    """
    changes: list[str] = []
    for key, value in keys.items():
        full = f"{path}{key}"
        if isinstance(value, Mapping) and "kind" not in value:
            changes += _changes(value, f"{full}.")
        elif full != "base":
            changes.append(f"{full}={_toml(value)}")
    return changes


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(cell)}' for key, cell in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(cell) for cell in value)}]"
    return json.dumps(value)


def config_of_source(
    name: str, source: Any, overrides: Sequence[str] = (), parts: GivenParts = NO_PARTS
) -> tuple[Kind, Any]:
    """Return the kind of learner and the config of a preset, a file or a run, with changes."""
    if not isinstance(source, str):
        kind = parts.kind(name, source)
        return kind, kind.configs.load(source, overrides) if overrides else source
    if Path(source).is_dir():
        kind, config = setup_of_run(source)
        return kind, kind.configs.load(config, overrides) if overrides else config
    with reading(source):
        kind = named_kind(KINDS, read_toml(config_text(source), source).get("learner", "evolution"))
        return kind, kind.configs.load(source, overrides)


def identity(experiment: Experiment, setups: Sequence[Setup]) -> str:
    """Return a checksum of all that decides the results, not of names or the machine."""
    decisive = {
        "experiment": experiment.model_dump(
            mode="json",
            exclude={"seeds", "looks", "same_within", "base", "configs", "setups", "game"},
        ),
        "setups": [setup.kind.configs.write(setup.config) for setup in setups],
    }
    return checksum(json.dumps(decisive, sort_keys=True))
