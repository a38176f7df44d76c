"""Learners of runs: evoply's own and a user's, their configs, and how a run asks them.

A learner of evoply's own is a frozen dataclass whose fields are the arguments it takes, among them
*threads*, *progress* and *cluster*, which change no result.
"""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypedDict, TypeVar, Unpack

import tomli_w
from pydantic import TypeAdapter, ValidationError

from evoply.arena.on_cluster import check_game
from evoply.configs.config_errors import checked
from evoply.configs.keys import overridden, read_toml, without_none
from evoply.configs.own_code import OwnCode, codes_in, pinned_text, reading, text_of
from evoply.configs.own_command import is_own_command
from evoply.configs.run_config import RunConfig, written_config
from evoply.expressions.written_form import parse_json
from evoply.games import DrawRules, game_rules
from evoply.players.grammar import read_player
from evoply.protocols import Cluster, ConfigError, Learner, Progress, RunError, StorableLearner
from evoply.runs.kept_steps import dumped
from evoply.runs.presets import config_text

# A user's own learner, named by a text as all of a user's Python: `python:FILE.py:NAME`.


def loaded_learner(learner: Any) -> StorableLearner:
    """Return a learner, or the one that `OwnCode` names; a class is called without arguments.

    Raises `ValueError` if it is none.
    """
    found = learner.loaded() if isinstance(learner, OwnCode) else learner
    if isinstance(found, type):
        try:
            found = found()
        except TypeError as error:
            raise ValueError(
                f"the learner {found.__qualname__} cannot be made without arguments ({error}): "
                "give them defaults, or name a global value"
            ) from None
    return checked_learner(found)


def checked_learner(found: Any) -> StorableLearner:
    """Return *found*; `RunError` unless it is a learner whose steps can be kept."""
    if isinstance(found, StorableLearner):
        return found
    raise RunError(
        f"{found!r:.80} is not a learner whose steps can be kept: it needs first, after, "
        "is_finished, dump, load and config_type (evoply.protocols.StorableLearner)"
    )


def present(learner: StorableLearner | None, name: str) -> StorableLearner:
    """Return *learner*; `RunError` if it, called *name*, is missing."""
    if learner is None:
        raise RunError(
            f"this run needs the learner {name}, written in Python: give it, as in "
            "evoply.Run.open(PATH, learner=...)"
        )
    return learner


def learner_code(learner: Any) -> OwnCode:
    """Return what names a user's *learner*, an object, a class or a text.

    An object without a state is named by its class. Raises `ValueError` for other texts.
    """
    if isinstance(learner, str):
        return OwnCode.from_text(pinned_text(learner))
    if not isinstance(learner, type) and _has_no_state(learner):
        learner = type(learner)
    return OwnCode.from_text(text_of(learner))


def _has_no_state(learner: Any) -> bool:
    """Return whether its class, called without arguments, gives an equal learner."""
    try:
        again = type(learner)()
    except TypeError:
        return False
    state = getattr(learner, "__dict__", None)
    return bool(again == learner or (state is not None and state == again.__dict__))


def with_learner(run: Any) -> Any:
    """Return *run* with its learner, which is imported if it is the user's own.

    A run that has to be opened again for this is closed.
    """
    try:
        assert run.kind.learners.given is not None
        return run
    except RunError:
        path, learner = run.path, run.kind.own or run.kind.name
    try:
        OwnCode.from_text(learner).check()
    except ValueError as error:
        raise RunError(
            f"run {path} needs its learner, written in Python: {error}. Or go on in Python, with "
            "evoply.Run.open(PATH, learner=...)"
        ) from None
    run.close()
    return type(run).open(path, learner=learner)


Note = Callable[..., dict[str, Any] | None]
"""Returns a note of the run by its name, checked to have some keys: `Run.note`."""

_WHOLE = ("generations", "games", "termination", "")


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended."""

    ended_by: str
    """The limit that it reached: a key of its config, or `budget.games` and so on of an experiment;
    "" if only the learner, which is the user's own, knows."""
    champion: Any
    """The player, as data."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Further notes to keep, by name, as JSON."""

    @property
    def status(self) -> str:
        """Finished if all steps were made, limit if another limit came first."""
        return "finished" if self.ended_by in _WHOLE else "limit"


class PythonArguments(TypedDict, total=False):
    """A user's objects for a config of evolution, as `evolve` takes them."""

    fitness: Any
    operators: Mapping[str, Any]
    selection: Any
    survival: Any


class EndOfRun(NamedTuple):
    """What a run ends with, if that is more than its last step."""

    end: Callable[[Any, Any, Any], RunEnding]
    """Returns the ending, of the learner, the config and the last step."""
    champion: Callable[[Any, Note], Any]
    """Returns the champion of the last step and of what the ending noted, if it did."""


class RunGames(NamedTuple):
    """Facts about all games of a run."""

    draws: DrawRules | None = None
    """The rules about draws in test matches; None for the game's own."""
    are_reproducible: bool = True
    """Whether every player in them plays the same game again."""


_Step = TypeVar("_Step")


@dataclass(frozen=True)
class KeptLearner(Generic[_Step]):
    """The base of evoply's own learners; *threads* 0: the usual number."""

    threads: int = 0
    config_type: ClassVar[type[RunConfig]]
    step_type: ClassVar[Any]
    one_machine: ClassVar[str] = ""
    """Why no cluster can share a run, if none can."""
    counted: ClassVar[frozenset[str]] = frozenset({"games"})
    """The names of the `totals` of its steps."""
    takes_python: ClassVar[bool] = False
    """Whether its configs name a user's own Python, which may be given as arguments."""

    def with_parts(self, config: Any, /, **parts: Unpack[PythonArguments]) -> Any:
        """Return *config* with a user's objects named in it."""
        return config

    def is_finished(self, config: Any, step: _Step, /) -> bool:
        """Return whether the limits in *config* allow no step after *step*."""
        return bool(config.ended_by(step))

    def dump(self, step: _Step, /) -> Any:
        """Return *step* as JSON-ready data."""
        return dumped(step)

    def load(self, config: Any, data: Any, /) -> _Step:
        """Return the step that `dump` wrote as *data*; `ValueError` if it is damaged."""
        step: _Step = self.step_type.load(config, data)
        return step

    def self_contained(self, config: Any, /) -> Any:
        """Return *config* with the contents of the files that it names."""
        return config

    def written(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""
        return written_config(self.self_contained(config))

    def check(self, config: Any, /) -> None:
        """Raise ValueError unless the user's parts of the learner and of *config* fit."""

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one worker makes all of it.
        """
        if self.one_machine and not is_whole:
            raise ValueError(f"--{self.one_machine}")
        check_game(config.game)

    def games(self, config: Any, /) -> RunGames:
        """Return the facts about the games of a run of *config*."""
        return RunGames()


@dataclass(frozen=True)
class Learners:
    """How runs ask a learner: one of evoply's own, or that which *own* names; it may be missing."""

    name: str
    learner: Any
    own: str | None
    no_arguments: str
    """Why a user's Python is no argument of the learner."""
    ending: EndOfRun | None = None

    @property
    def given(self) -> Any:
        """The learner; `RunError` if it is the user's own and missing."""
        return present(self.learner, self.name)

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
    ) -> Learner:
        """Return the learner with the arguments it takes; raise `RunError` if it is missing.

        A learner of a user manages threads and progress itself.
        """
        if self.own is not None and cluster is not None:
            self.check_sendable(None)
        names = set() if self.own is not None else {each.name for each in fields(self.given)}
        if self.own is None and cluster is not None and self.given.one_machine:
            raise RunError(self.given.one_machine)
        options = {"threads": threads, "progress": progress, "cluster": cluster}
        taken = {name: value for name, value in options.items() if value and name in names}
        learner: Learner = replace(self.given, **taken) if taken else self.given
        return learner

    def with_parts(self, config: Any, /, **parts: Unpack[PythonArguments]) -> Any:
        """Return *config* with a user's objects named in it; `RunError` if it takes none."""
        given = [name for name, part in parts.items() if part]
        if not given:
            return config
        if self.own is not None or not self.given.takes_python:
            raise RunError(f"{', '.join(given)}: {self.no_arguments}")
        return self.given.with_parts(config, **parts)

    def check_sendable(self, config: Any, /, *, is_whole: bool = False) -> None:
        """Raise ValueError if workers of a cluster cannot share a run of *config*.

        If it *is_whole*, one worker makes all of it, who must find the file of a user's learner.
        """
        if self.own is None:
            self.given.check_sendable(config, is_whole=is_whole)
        elif not is_whole or OwnCode.from_text(self.own).is_argument:
            raise RunError(
                f"cluster: the learner {self.name} is not evoply's own, and workers do not have it "
                "- run it without a cluster"
            )

    def check(self, learner: Any, config: Any, /) -> None:
        """Raise ValueError unless the user's parts of *learner* fit *config*."""
        if self.own is None:
            learner.check(config)
        else:
            game_rules(config.game)

    def end(self, learner: Any, config: Any, last: Any, /) -> RunEnding:
        """Return the ending of a run whose limits allow nothing after *last*."""
        if self.ending is not None:
            return self.ending.end(learner, config, last)
        return RunEnding(config.ended_by(last) if self.own is None else "", last.champions[0])

    def champion(self, last: Any, note: Note, /) -> Any:
        """Return the champion of a run after its *last* step, as the learner knows it."""
        return last.champions[0] if self.ending is None else self.ending.champion(last, note)

    @property
    def counted(self) -> frozenset[str]:
        """The names of the costs of every step."""
        return frozenset() if self.own is not None else self.given.counted

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return the counted costs of *step*, such as games and work; *previous* may be None.

        Of a user's learner it is the statistic `games` of the step, if it has one.
        """
        if self.own is not None:
            games = step.statistics.get("games")
            return {} if games is None else {"games": games}
        before = {} if previous is None else previous.totals
        return {name: total - before.get(name, 0) for name, total in step.totals.items()}


# The configs of kinds of learners: models of evoply's own, or a user's dataclasses.

_LEARNER = "learner"


@dataclass(frozen=True)
class ModelConfigs:
    """The configs of a learner of evoply's own, whose `config_type` is their model.

    Methods are pure functions except for reading files.
    """

    learner: Any
    read: Callable[..., Any]
    """Returns the config of a preset, a file or another config, changed as `--set` does."""

    @property
    def limits(self) -> frozenset[str]:
        """The keys of a config that may change when a run goes on."""
        limits: frozenset[str] = self.learner.config_type.changeable()
        return limits

    @property
    def ends(self) -> frozenset[str]:
        """Those of them that end a run."""
        return frozenset(self.learner.config_type.ends())

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        """Return the config of a preset, a file or another config, changed as `--set` does.

        *settings* are values of keys. It has `game` and `seed`; `ConfigError` lists mistakes.
        """
        return self.read(source, overrides, settings)

    def write(self, config: Any, /) -> str:
        """Return *config* as the text that a run folder keeps."""
        return str(self.learner.written(config))

    def self_contained(self, config: Any, /) -> Any:
        """Return *config* with the contents of the files that it names."""
        return self.learner.self_contained(config)

    def fixed(self, config: RunConfig, /) -> Any:
        """Return the part of *config* that must not change when a run goes on."""
        return config.decisive()

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other limits; conflicting limits are lifted.

        `generations` are steps, the first without games.
        """
        if not limits:
            return config
        ends, model = dict(limits), type(config)
        if "generations" in ends and config.counts == "games":
            steps = ends.pop("generations")
            ends["games"] = None if steps is None else _games_of(config, last, steps)
        settings = {**config.model_dump(), **ends}
        changed = model(**settings)
        is_set = any(ends.get(name) is not None for name in config.ends())
        if not is_set or last is None or not self.learner.is_finished(changed, last):
            return changed
        # The old limits, which ended the run, would end it again.
        return model(**{**settings, **{name: None for name in config.ends() if name not in ends}})

    def endless(self, config: Any, /) -> Any:
        """Return *config* without limits, for a run with another end."""
        # A config without limits is refused because it never ends.
        update = {**dict.fromkeys(config.ends()), config.counts: config.most}
        return config.model_copy(update=update)

    def games_of_a_step(self, config: RunConfig, /) -> Mapping[str, int]:
        """Return the least games or labels of a step, or of what follows the last step.

        Each is at the first key of *config* that decides it: a server asks before it begins a run.
        """
        return config.games_of_a_step()


def _games_of(config: Any, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps of the usual length."""
    if last is None:
        return max(1, (steps - 1) * int(config.games_per_step))
    more: int = (steps - 1 - last.number) * config.games_per_step
    return max(1, int(last.games) + more)


@dataclass(frozen=True, slots=True)
class Settings:
    """The config of a run whose learner is missing."""

    game: str
    seed: int
    data: Mapping[str, Any]
    """All keys and values in config.toml."""


@dataclass(frozen=True)
class OwnConfigs:
    """The configs of a learner that a user brings; see `ModelConfigs`."""

    name: str
    text: str
    """What names the learner in a config."""
    learner: Any
    limits: ClassVar[frozenset[str]] = frozenset({"generations", "time_limit"})
    ends: ClassVar[frozenset[str]] = limits

    @property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(present(self.learner, self.name).config_type)

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        """Return the config of a file, or of another config, with changes."""
        if isinstance(source, str | os.PathLike):
            name = os.fspath(source)
            with reading(name):
                data = read_toml(config_text(name), Path(name).name)
        else:
            is_data = isinstance(source, Settings)
            data = dict(source.data) if is_data else self._adapter.dump_python(source)
        data.pop(_LEARNER, None)
        data, problems = overridden(data, overrides) if overrides else (data, [])
        if problems:
            raise ConfigError(problems)
        if self.learner is None:
            return _settings(data)
        return checked(lambda: self._adapter.validate_python({**data, **settings}), _refusal)

    def write(self, config: Any, /) -> str:
        """Return *config* as TOML; `ConfigError` if it cannot be read again."""
        if isinstance(config, Settings):
            return tomli_w.dumps({_LEARNER: self.text, **config.data})
        data = without_none(self._adapter.dump_python(config, mode="json"))
        if not isinstance(data, dict) or _LEARNER in data:
            raise ConfigError([(_LEARNER, "is a key that evoply writes: rename this field")])
        _settings(data)
        text = tomli_w.dumps({_LEARNER: self.text, **data})
        again = self._adapter.validate_python(data)
        if type(again) is type(config):
            is_kept = again == config
        else:  # its file was imported twice, by the user and by its name
            is_kept = without_none(self._adapter.dump_python(again, mode="json")) == data
        if not is_kept:
            raise ConfigError(
                [("config", f"does not come back from its data as an equal value: {config!r:.200}")]
            )
        return text

    def self_contained(self, config: Any, /) -> Any:
        """Return *config*."""
        return config

    def fixed(self, config: Any, /) -> Any:
        """Return all but the limits."""
        if isinstance(config, Settings):
            return config
        data = self._adapter.dump_python(config)
        return {key: value for key, value in data.items() if key not in self.limits}

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other *limits*."""
        if not limits:
            return config
        return self._adapter.validate_python({**self._adapter.dump_python(config), **limits})

    def endless(self, config: Any, /) -> Any:
        """Raise `RunError`: only the learner knows when a run ends."""
        raise RunError(f"a run of {self.name} ends by its own rules: set no budget")

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        """Return nothing: only the learner knows."""
        return {}


def _refusal(error: ValidationError) -> ConfigError:
    return ConfigError(
        [(".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()]
    )


def _settings(data: Mapping[str, Any]) -> Settings:
    """Return the game and seed that every config has; `ConfigError` if one is missing."""
    game, seed = data.get("game"), data.get("seed")
    if not isinstance(game, str):
        what = "is missing" if game is None else f"is no name, but a {type(game).__name__}"
        raise ConfigError([("game", f"{what}: a config of a learner names its game")])
    try:
        game_rules(game)
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigError([("seed", "is missing: a config of a learner has a whole number there")])
    return Settings(game, seed, data)


# What a run needs of its user's own programs to go on: Python, bots, engines.


def has_programs(run: Any) -> bool:
    """Return whether going on with *run* needs Python or a program of the user's own.

    Bots and engines are such programs, too.
    """
    if run.kind.own is not None:
        return True
    data = run.config.model_dump(mode="json")
    texts = tuple(_texts_in(data))
    is_program = any(map(is_own_command, texts)) or any(
        not player.is_portable for player in _players_in(texts)
    )
    return is_program or any(codes_in(data))


def resuming(run: Any) -> str:
    """Return the command that goes on with *run*, after `evoply`."""
    return f"resume {shlex.quote(run.name)}{' --code-in-runs' * has_programs(run)}"


def _players_in(texts: Iterable[str]) -> Iterator[Any]:
    """Yield the players in JSON form among *texts*: programs are kept so."""
    for text in texts:
        if text.lstrip().startswith("{"):
            with suppress(ValueError):
                yield read_player(parse_json(text))


def _texts_in(data: Any) -> Iterator[str]:
    """Yield the texts in nested *data*."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list):
        for value in data.values() if isinstance(data, Mapping) else data:
            yield from _texts_in(value)
