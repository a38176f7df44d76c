"""The methods of a league: presets with counted limits, ready players, and your own.

All become setups and players of an experiment; a method that learns features found in a population
has two setups, the second of which comes after the first.

`methods.toml` has those that come with evoply. A limit there is what one core of a machine of
reference does in a second. A league scales limits by what one core does here (`paces`), multiplies
them by its budget, and keeps both. So a budget is counted, like that of an experiment.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
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
from evoply.experiments.leagues.paces import COUNTED, counted_key, pace_of_limits, pace_of_own
from evoply.kinds import KINDS
from evoply.players import PlayerKind, data_of, parse_player
from evoply.players.own_player import OwnPlayer
from evoply.protocols import ConfigError
from evoply.runs import resolve_champion
from evoply.runs.presets import PRESETS, config_text, preset_file
from evoply.runs.run import named_kind
from evoply.wording import did_you_mean, named_apart, shorten

_FILE = Path(__file__).with_name("methods.toml")
_LARGEST = 1_000_000
_FEWEST = 3
"""Methods without which there is no league."""
_MOST_SECONDS = 4.0
"""Measuring a pace takes so long: a minute for all methods of Othello."""
_PART = 0.2
"""It takes no more than this part of a budget."""

Tell = Callable[[str, float], object]
"""Gets what is being measured, and the share of all that is measured already."""


class Making(Part):
    """How a player is made: a preset or config, changes to its keys, and what a second is worth."""

    base: str = ""
    """A preset, or the path of a config."""
    changes: dict[str, Any] = Field(default={})
    """Keys of the config with other values; a table changes only the keys that it names."""
    limits: dict[str, float] = Field(default={})
    """Paths of keys that end the run, each with what one core does in a second."""

    @property
    def pace(self) -> float:
        """What one core of the machine of reference does in a second of the first of the limits."""
        return next(iter(self.limits.values()))

    def setup(self, name: str, game: str, budget: float, pace: float | None = None) -> Setup:
        """Return the setup of a run that is worth *budget* seconds of one core.

        *pace* is what a core does in a second of the first limit; None: as on the machine of
        reference. The other limits keep their proportions to it. Raises `ConfigError` for what
        does not fit.
        """
        base = preset_file(self.base) if self.base in PRESETS else self.base
        data = read_toml(config_text(base), self.base)
        kind = named_kind(KINDS, data.get("learner", "evolution"))
        amounts = self.amounts(budget, pace)
        overrides = [f"game={json.dumps(game)}"]
        overrides += [f"{path}={amount}" for path, amount in amounts.items()]
        ends = dict.fromkeys(kind.configs.ends - amounts.keys())
        changes = {**ends, **self.changes}
        return Setup(name, kind, kind.configs.load(base, overrides, **changes))

    def amounts(self, budget: float, pace: float | None = None) -> dict[str, int]:
        """Return the limits of a run that is worth *budget* seconds of one core, at least 1."""
        scale = budget if pace is None else budget * (pace / self.pace)
        return {path: max(1, math.ceil(each * scale)) for path, each in self.limits.items()}


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

    @property
    def makings(self) -> dict[str, Making]:
        """How its players are made, by the names of setups: a population comes before its own."""
        before = {} if self.population is None else {f"{self.name} (population)": self.population}
        return {**before, self.name: self} if self.base else {}

    def entrant(self, budget: float, pace: float | None = None) -> Entrant:
        """Return the method as an entrant whose players are worth *budget* seconds of one core."""
        if self.player:
            return _entrant(self.name, self.title, self.source)
        counted, most = _counted(self.amounts(budget, pace))
        return _entrant(self.name, self.title, self.source, counted, most)

    def setups(
        self,
        game: str,
        budget: float,
        population_share: float,
        paces: Mapping[str, float] = MappingProxyType({}),
    ) -> list[Setup]:
        """Return the setups that make its players; *paces* are theirs, by name."""
        made = []
        for name, making in self.makings.items():
            is_before = making is self.population
            share = population_share if is_before else self.own_share(population_share)
            made.append(making.setup(name, game, budget * share, paces.get(name)))
        if self.population is not None:
            made[-1] = replace(made[-1], after=After(setup=made[0].name, terms=self.terms))
        return made

    def own_share(self, population_share: float) -> float:
        """Return the share of a budget that is left for its own learning."""
        return 1.0 if self.population is None else 1 - population_share


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


def reference_paces(game: str) -> dict[str, float]:
    """Return the paces of all methods of *game* on the machine of reference; none without any."""
    methods = _rosters()[game].methods if game in _rosters() else ()
    return {name: made.pace for method in methods for name, made in method.makings.items()}


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
    sources: Sequence[str],
    game: str,
    budget: float,
    taken: Sequence[str],
    pace: Callable[[Setup], float],
) -> list[tuple[Entrant, Setup]]:
    """Return entrants and setups of configs, presets or runs, worth *budget* seconds of one core.

    *pace* says what a core does in a second for a setup. A config whose learner counts neither work
    nor games keeps its own limits. Names that are *taken* get a number. Raises `ConfigError` for
    mistakes in a config.
    """
    stems = [Path(source).stem or source for source in sources]
    names = named_apart([*taken, *(shorten(stem, LONGEST_NAME) for stem in stems)])[len(taken) :]
    return [
        _own_method(name, source, game, budget, pace)
        for name, source in zip(names, sources, strict=True)
    ]


def _own_method(
    name: str, source: str, game: str, budget: float, pace: Callable[[Setup], float]
) -> tuple[Entrant, Setup]:
    kind, config = config_of_source(name, source, [f"game={json.dumps(game)}"])
    setup = Setup(name, kind, config)
    setup.check()
    key = counted_key(setup)
    if not key:
        return _entrant(name, f"your own: {source}", "with its own limits"), setup
    amount = max(1, math.ceil(pace(setup) * budget))
    ends = dict.fromkeys(kind.configs.ends)
    limited = kind.configs.load(config, (), **{**ends, key: amount})
    entrant = _entrant(name, f"your own: {source}", "", COUNTED[key], float(amount))
    return entrant, Setup(name, kind, limited)


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
    game: str, measure: AllPlayAll, known: Callable[[str], float | None], tell: Tell
) -> tuple[AllPlayAll, list[Setup], dict[str, PlayerKind]]:
    """Return *measure* with who takes part, the setups that make their players, and ready players.

    *known* has paces of setups by name; where it has none, they are measured here, and *measure*
    keeps all.
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
    if len(methods) + len(configs) < _FEWEST:
        many = len(methods) + len(configs)
        raise ConfigError([("methods", f"{many} take part: a league has {_FEWEST} or more")])
    given = {text: _given_player(text, game) for text in (*references, *texts)}
    makings = {name: making for method in methods for name, making in method.makings.items()}
    seconds, paces = min(_MOST_SECONDS, _PART * measure.budget), dict[str, float]()

    def pace(name: str, measured: Callable[[float], float]) -> float:
        found = known(name)
        if found is None:
            tell(name, len(paces) / (len(makings) + len(configs)))
            found = measured(seconds)
        paces[name] = found
        return found

    for name, making in makings.items():
        pace(name, partial(pace_of_limits, partial(making.setup, name, game), making.pace))
    entrants = [
        method.entrant(
            measure.budget * method.own_share(measure.population_share), paces.get(method.name)
        )
        for method in methods
    ]
    own = own_methods(
        configs,
        game,
        measure.budget,
        [entrant.name for entrant in entrants],
        lambda setup: pace(setup.name, partial(pace_of_own, setup)),
    )
    entrants += [entrant for entrant, _ in own]
    taken = [entrant.name for entrant in entrants]
    names = named_apart([*taken, *given])[len(taken) :]
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
        for setup in method.setups(game, measure.budget, measure.population_share, paces)
    ]
    whole = measure.model_copy(update={"entrants": (*entrants, *lines), "paces": paces})
    return whole, [*setups, *(setup for _, setup in own)], players


def _is_config(source: str) -> bool:
    """Whether *source* is a config, a preset or a run, rather than a player."""
    return source.endswith(".toml") or source in PRESETS or Path(source).is_dir()


def _given_player(text: str, game: str) -> PlayerKind:
    player = parse_player(text, game=game, runs=resolve_champion)
    player.check_fits(game)
    model = data_of(player)
    if model is None or not (model.is_portable or isinstance(model, OwnPlayer)):
        raise ValueError(
            f"{text}: a league keeps its players as data, and this is a program - give a config, a "
            "run, or a saved player"
        )
    if not model.reproducible:
        raise ValueError(
            f"{text}: may play otherwise next time, and games at equal depth are the same again - "
            "say in its file that it is reproducible, if it is"
        )
    return model
