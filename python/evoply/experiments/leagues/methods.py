"""The methods of a league: presets with counted limits, ready players, and your own.

All become setups and players of an experiment; a method that learns features found in a population
has two setups, the second of which comes after the first.

`methods.toml` has those that come with evoply. A limit there is what one core of a machine of
reference does in a second, and a league multiplies it by its budget. So a budget is counted, like
that of an experiment, and equal on every machine.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import Field

from evoply.configs.config_errors import checked, explained
from evoply.configs.keys import read_toml
from evoply.configs.part import Part
from evoply.environment.files import read_limited
from evoply.experiments.design import (
    LONGEST_NAME,
    After,
    AllPlayAll,
    Entrant,
    Setup,
    config_of_source,
)
from evoply.experiments.experiment_folder import steps_in_memory
from evoply.kinds import KINDS
from evoply.players import PlayerKind, data_of, parse_player
from evoply.protocols import ConfigError
from evoply.runs import resolve_champion
from evoply.runs.presets import PRESETS, config_text, preset_file
from evoply.runs.run import named_kind
from evoply.wording import did_you_mean, named_apart, shorten

_FILE = Path(__file__).with_name("methods.toml")
_LARGEST = 1_000_000
_PROBE_SECONDS = 2.0
_FEWEST = 3
"""Methods without which there is no league."""
_NO_ENDS = frozenset({"machine", "pruning"})
"""Keys that may change while a run goes on, and end none."""
_COUNTED = {"work_limit": "work", "games": "games"}
"""The keys that end a run by a counted limit, and their units, the finer one first."""


class Making(Part):
    """How a player is made: a preset or config, changes to its keys, and what a second is worth."""

    base: str = ""
    """A preset, or the path of a config."""
    changes: dict[str, Any] = Field(default={})
    """Keys of the config with other values; a table changes only the keys that it names."""
    limits: dict[str, float] = Field(default={})
    """Paths of keys that end the run, each with what one core does in a second."""

    def setup(self, name: str, game: str, budget: float) -> Setup:
        """Return the setup of a run that is worth *budget* seconds of one core.

        Raises `ConfigError` for what does not fit.
        """
        base = preset_file(self.base) if self.base in PRESETS else self.base
        data = read_toml(config_text(base), self.base)
        kind = named_kind(KINDS, data.get("learner", "evolution"))
        amounts = self.amounts(budget)
        overrides = [f"game={json.dumps(game)}"]
        overrides += [f"{path}={amount}" for path, amount in amounts.items()]
        ends = dict.fromkeys(kind.configs.limits - _NO_ENDS - amounts.keys())
        changes = {**ends, **self.changes}
        return Setup(name, kind, kind.configs.load(base, overrides, **changes))

    def amounts(self, budget: float) -> dict[str, int]:
        """Return the limits of a run that is worth *budget* seconds of one core, at least 1."""
        return {path: max(1, math.ceil(each * budget)) for path, each in self.limits.items()}


class Method(Making):
    """A method that comes with evoply, as `methods.toml` has it."""

    name: str
    title: str
    source: str = ""
    """The paper, or a page of the documentation."""
    player: str = ""
    """The text of a player that is made of nothing, instead of a base."""
    population: Making | None = None
    """An evolution before it, in whose last population the learner finds its features."""
    terms: int = Field(default=25, ge=1, le=100)
    """How many of them."""

    def entrant(self, budget: float) -> Entrant:
        """Return the method as an entrant whose players are worth *budget* seconds of one core."""
        if self.player:
            return _entrant(self.name, self.title, self.source)
        counted, most = _counted(self.amounts(budget))
        return _entrant(self.name, self.title, self.source, counted, most)

    def setups(self, game: str, budget: float, population_share: float) -> list[Setup]:
        """Return the setups that make its players, that of a population before its own."""
        if self.population is None:
            return [self.setup(self.name, game, budget)] if self.base else []
        before = f"{self.name} (population)"
        own = self.setup(self.name, game, budget * (1 - population_share))
        return [
            self.population.setup(before, game, budget * population_share),
            replace(own, after=After(setup=before, terms=self.terms)),
        ]


class Roster(Part):
    """The methods of a game, and the lines of reference that they meet."""

    references: tuple[str, ...] = Field(default=(), strict=False)
    """Texts of players, made with other budgets, whom no method trains on."""
    methods: tuple[Method, ...] = Field(default=(), strict=False)


@lru_cache(maxsize=1)
def _rosters() -> Mapping[str, Roster]:
    data = read_toml(read_limited(_FILE, _LARGEST), str(_FILE))
    return {
        game: checked(
            partial(Roster, **keys),
            lambda error: ConfigError(explained(error, Roster)),
        )
        for game, keys in data.items()
    }


def roster_of(game: str) -> Roster:
    """Return the methods of *game*; `ValueError` if there are none."""
    rosters = _rosters()
    if game not in rosters:
        raise ValueError(
            f"game: no methods are listed for {shorten(game)}: take one of {', '.join(rosters)}, "
            "or give three methods of your own"
        )
    return rosters[game]


def chosen_methods(game: str, names: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods of *game* called *names*, in the roster's order; all if none is given.

    Raises `ValueError` for an unknown name.
    """
    methods = roster_of(game).methods
    known = {method.name: method for method in methods}
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f": {game} has {', '.join(known)}"
            raise ValueError(f"methods: there is no method {shorten(name)!r}{hint}")
    return tuple(method for method in methods if not names or method.name in names)


def own_methods(
    sources: Sequence[str], game: str, budget: float, taken: Sequence[str]
) -> list[tuple[Entrant, Setup]]:
    """Return entrants and setups of configs, presets or runs, worth *budget* seconds of one core.

    What a second is worth is measured here, once, on a few steps of one core; a config whose
    learner counts neither work nor games keeps its own limits. Names that are *taken* get a number.
    Raises `ConfigError` for mistakes in a config.
    """
    stems = [Path(source).stem or source for source in sources]
    names = named_apart([*taken, *(shorten(stem, LONGEST_NAME) for stem in stems)])[len(taken) :]
    return [
        _own_method(name, source, game, budget) for name, source in zip(names, sources, strict=True)
    ]


def _own_method(name: str, source: str, game: str, budget: float) -> tuple[Entrant, Setup]:
    kind, config = config_of_source(name, source, [f"game={json.dumps(game)}"])
    setup = Setup(name, kind, config)
    setup.check()
    key, pace = _pace_of(setup)
    if not key:
        return _entrant(name, f"your own: {source}", "with its own limits"), setup
    amount = max(1, math.ceil(pace * budget))
    ends = dict.fromkeys(kind.configs.limits - _NO_ENDS)
    limited = kind.configs.load(config, (), **{**ends, key: amount})
    entrant = _entrant(name, f"your own: {source}", "", _COUNTED[key], float(amount))
    return entrant, Setup(name, kind, limited)


def _pace_of(setup: Setup) -> tuple[str, float]:
    """Return the key of the counted limit that the learner has, and its amount in a second."""
    ready = setup.ready()
    learners, config = ready.kind.learners, ready.config
    counted = [
        key
        for key, unit in _COUNTED.items()
        if key in ready.kind.configs.limits and unit in learners.counted
    ]
    if not counted:
        return "", 0.0
    done, began = 0.0, perf_counter()
    for _, taken, _ in steps_in_memory(ready, config):
        done += taken.get(_COUNTED[counted[0]], 0.0)
        if perf_counter() - began >= _PROBE_SECONDS:
            break
    return counted[0], max(done, 1.0) / max(perf_counter() - began, 1e-3)


def _counted(amounts: Mapping[str, int]) -> tuple[str, float]:
    """Return the unit of a budget and its amount: work, or else games with those of labels."""
    if "work_limit" in amounts:
        return "work", float(amounts["work_limit"])
    return "games", float(amounts.get("games", 0) + amounts.get("labels.games", 0))


def _entrant(
    name: str, title: str, source: str = "", counted: str = "", budget: float = 0.0
) -> Entrant:
    return Entrant(name=name, title=title, source=source, counted=counted, budget=budget)


def taking_part(
    game: str, measure: AllPlayAll
) -> tuple[tuple[Entrant, ...], list[Setup], dict[str, PlayerKind]]:
    """Return who takes part in a league, the setups that make its players, and the ready ones.

    Raises `ConfigError` or `ValueError` for what does not fit.
    """
    configs = [source for source in measure.own if _is_config(source)]
    texts = [source for source in measure.own if not _is_config(source)]
    try:
        methods = chosen_methods(game, measure.methods)
        references = roster_of(game).references
    except ValueError:
        if measure.methods or not configs:
            raise
        methods, references = (), ()
    shares = [1 - measure.population_share if method.population else 1.0 for method in methods]
    entrants = [
        method.entrant(measure.budget * share)
        for method, share in zip(methods, shares, strict=True)
    ]
    own = own_methods(configs, game, measure.budget, [entrant.name for entrant in entrants])
    entrants += [entrant for entrant, _ in own]
    given = {text: _given_player(text, game) for text in (*references, *texts)}
    taken = [entrant.name for entrant in entrants]
    names = named_apart([*taken, *given])[len(taken) :]
    if len(entrants) < _FEWEST:
        raise ConfigError(
            [("methods", f"{len(entrants)} take part: a league has {_FEWEST} or more")]
        )
    lines = [
        Entrant(name=name, title=f"a line of reference: {text}", is_ranked=False)
        for name, text in zip(names, given, strict=True)
    ]
    players = {
        method.name: parse_player(method.player, game=game) for method in methods if method.player
    }
    players |= dict(zip(names, given.values(), strict=True))
    setups = [
        setup
        for method in methods
        for setup in method.setups(game, measure.budget, measure.population_share)
    ]
    return (*entrants, *lines), [*setups, *(setup for _, setup in own)], players


def _is_config(source: str) -> bool:
    """Whether *source* is a config, a preset or a run, rather than a player."""
    return source.endswith(".toml") or source in PRESETS or Path(source).is_dir()


def _given_player(text: str, game: str) -> PlayerKind:
    player = parse_player(text, game=game, runs=resolve_champion)
    player.check_fits(game)
    model = data_of(player)
    if model is None or not model.is_portable:
        raise ValueError(
            f"{text}: a league keeps its players as data, and this is a program - give a config, a "
            "run, or a saved player"
        )
    return model
