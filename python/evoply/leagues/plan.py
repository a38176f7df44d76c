"""The plan of a league and its folder: what takes part, under which conditions, and where it lies.

A league is a folder: `league.json` with the plan, an experiment whose setups are the methods, and
`games.db`. Everything else is read from them, so a league goes on after any interruption.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator

from evoply.configs.config_errors import checked, explained
from evoply.configs.part import Part
from evoply.experiments.design import Experiment, Setup
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.files import (
    LEAGUE_FILE,
    read_kept,
    with_checksum,
    without_checksum,
    write_atomically,
)
from evoply.games import game_rules
from evoply.leagues.league_data import Condition, Entrant
from evoply.leagues.methods import Method, chosen_methods, own_methods, roster_of
from evoply.players import PlayerKind, data_of, parse_player
from evoply.players.player import SAVED_ADAPTER
from evoply.presets import PRESETS
from evoply.protocols import MALFORMED, ConfigError, RunError, RunNameError
from evoply.refusals import reason
from evoply.runs import resolve_champion, runs_directory
from evoply.wording import named_apart

BUDGETS: Mapping[str, float] = {"full": 360.0, "small": 6.0}
"""Seconds of one core for a method and seed: three minutes of two cores, or three seconds."""
_PLAYERS = "players"
_FOUND = "found"
_LARGEST = 200_000_000
_FEWEST = 3
"""Entrants without which there is no league."""


class LeaguePlan(Part):
    """What decides a league."""

    game: str = "othello"
    budget: float = Field(default=BUDGETS["full"], gt=0, le=1e7)
    """Seconds of one core of the machine of reference for a method and seed."""
    seeds: int = Field(default=5, ge=1, le=1000)
    """Players of each method; those of one seed meet."""
    first_seed: int = Field(default=1, ge=0, lt=2**62)
    games: int = Field(default=8, ge=2, le=10_000, multiple_of=2)
    """Games of every two players of a seed under each condition, in opening pairs."""
    move_time: float = Field(default=0.01, ge=0.001, le=60)
    """Seconds for a move; games depend on the machine."""
    depth: int = Field(default=4, ge=0, le=20)
    """Plies that all look ahead in the games of the other condition; 0: there are none."""
    methods: tuple[str, ...] = Field(default=(), strict=False)
    """Names of evoply's methods; empty: all of the game."""
    own: tuple[str, ...] = Field(default=(), strict=False)
    """Configs, presets or runs of the user's that take part, too; or players, which are lines of
    reference."""
    population_share: float = Field(default=0.5, gt=0, lt=1)
    """The share of a budget that goes into the population in which features are found."""

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, game: str) -> str:
        game_rules(game)
        return game

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def conditions(self) -> dict[Condition, str]:
        """The conditions in words."""
        conditions: dict[Condition, str] = {"time": f"{1000 * self.move_time:g} ms a move"}
        if self.depth:
            conditions["depth"] = f"{self.depth} plies"
        return conditions


@dataclass(frozen=True, slots=True)
class LeagueFolder:
    """A league on disk; make one with `create` or `open`."""

    path: Path
    plan: LeaguePlan
    entrants: tuple[Entrant, ...]
    """Methods in the order of the table, your own, then lines of reference."""
    ready_players: Mapping[str, PlayerKind]
    """Players that need not be made, by their entrant's name."""
    found: Mapping[str, Method]
    """The methods whose learners find features in a population, by name."""

    @classmethod
    def create(cls, path: str | os.PathLike[str], plan: LeaguePlan) -> Self:
        """Make the folder, or open it if it has a league of the same plan.

        Raises `ConfigError` or `ValueError` for what does not fit, `RunError` if the folder holds
        something else.
        """
        folder = Path(path)
        if (folder / LEAGUE_FILE).exists():
            other = cls.open(folder)
            if other.plan != plan:
                differs = ", ".join(
                    name
                    for name in LeaguePlan.model_fields
                    if getattr(other.plan, name) != getattr(plan, name)
                )
                raise RunError(
                    f"{folder} holds a league with other {differs}: give this one another --name, "
                    "or take the same settings to go on"
                )
            return other
        if folder.exists() and any(folder.iterdir()):
            raise RunError(f"{folder} is not a folder of a league: give another --name")
        entrants, players, setups, found = _read(plan)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{folder} cannot be written: {reason(error, folder)}") from None
        if setups:
            experiment = _experiment(plan, [setup.name for setup in setups])
            ExperimentFolder.create(folder / _PLAYERS, experiment, setups)
        content = {
            "plan": plan.model_dump(mode="json"),
            "entrants": [_entrant_data(entrant) for entrant in entrants],
            "players": {
                name: player.anywhere().model_dump(mode="json") for name, player in players.items()
            },
            "found": [*found],
        }
        # The last of the files: only this makes the folder a league.
        write_atomically(folder / LEAGUE_FILE, json.dumps(with_checksum(content), indent=1))
        return cls.open(folder)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open the folder; raise `RunError` if it is missing or damaged."""
        folder = Path(path)
        file = folder / LEAGUE_FILE
        try:
            data = without_checksum(json.loads(read_kept(file, _LARGEST)))
            plan = plan_of(data["plan"])
            # A game of which no method is listed has none that looks for features.
            methods = chosen_methods(plan.game, data["found"]) if data["found"] else ()
            return cls(
                folder,
                plan,
                tuple(Entrant(**entrant) for entrant in data["entrants"]),
                {
                    name: SAVED_ADAPTER.validate_python(player)
                    for name, player in data["players"].items()
                },
                {method.name: method for method in methods},
            )
        except FileNotFoundError:
            raise RunNameError(f"{folder} is not a folder of a league") from None
        except OSError as error:
            raise RunError(f"{folder} cannot be read: {reason(error, file)}") from None
        except MALFORMED as error:
            raise RunError(f"{folder}: its {LEAGUE_FILE} is damaged: {error}") from None

    @property
    def players(self) -> ExperimentFolder | None:
        """The experiment that makes the players of one run; None if nobody is made."""
        path = self.path / _PLAYERS
        return ExperimentFolder.open(path) if path.exists() else None

    def found_players(self, seed: int) -> Path:
        """Return the folder of the experiment with the features found in populations of *seed*."""
        return self.path / _FOUND / f"seed-{seed}"

    def experiment_for(self, names: Sequence[str], seed: int) -> Experiment:
        """Return the experiment of setups called *names* with one *seed*."""
        return _experiment(self.plan.model_copy(update={"seeds": 1, "first_seed": seed}), names)


def population_name(method: str) -> str:
    """Return the name of the setup that evolves the population for *method*."""
    return f"{method} (population)"


def plan_of(data: Mapping[str, Any]) -> LeaguePlan:
    """Return the plan of keys; `ConfigError` lists all mistakes with their paths."""
    return checked(
        lambda: LeaguePlan(**data),
        lambda error: ConfigError(list(dict.fromkeys(explained(error, LeaguePlan)))),
    )


def find_league(source: str | os.PathLike[str]) -> LeagueFolder:
    """Return the league of a name in the folder of runs, or of a path; `RunError` if none."""
    for path in (runs_directory() / source, Path(source)):
        if (path / LEAGUE_FILE).is_file():
            return LeagueFolder.open(path)
    raise RunNameError(
        f"no league is called {os.fspath(source)!r} in {runs_directory().absolute()}, and there is "
        "none at that path"
    )


def _read(
    plan: LeaguePlan,
) -> tuple[tuple[Entrant, ...], dict[str, PlayerKind], tuple[Setup, ...], dict[str, Method]]:
    """Return entrants, ready players, setups, and the methods that find features first."""
    configs = [source for source in plan.own if _is_config(source)]
    texts = [source for source in plan.own if not _is_config(source)]
    is_listed = bool(plan.methods) or not configs
    try:
        methods = chosen_methods(plan.game, plan.methods)
        references = roster_of(plan.game).references
    except ValueError:
        if is_listed:
            raise
        methods, references = (), ()
    budgets = {
        method.name: plan.budget * (1 - plan.population_share if method.population else 1)
        for method in methods
    }
    entrants = [method.entrant(budgets[method.name]) for method in methods]
    own = own_methods(configs, plan.game, plan.budget, [entrant.name for entrant in entrants])
    players = {
        method.name: parse_player(method.player, game=plan.game)
        for method in methods
        if method.player
    }
    given = {text: _given_player(text, plan.game) for text in (*references, *texts)}
    taken = [*(entrant.name for entrant in entrants), *(other.entrant.name for other in own)]
    names = named_apart([*taken, *given])[len(taken) :]
    lines = [
        Entrant(name, _as_reference(text), is_ranked=False)
        for name, text in zip(names, given, strict=True)
    ]
    players |= dict(zip(names, given.values(), strict=True))
    if len(methods) + len(own) < _FEWEST:
        raise ConfigError(
            [("methods", f"{len(methods) + len(own)} take part: a league has {_FEWEST} or more")]
        )
    found = {method.name: method for method in methods if method.population}
    setups = [*_setups(plan, methods), *(other.setup for other in own)]
    return (
        (*entrants, *(other.entrant for other in own), *lines),
        players,
        tuple(setups),
        found,
    )


def _setups(plan: LeaguePlan, methods: Sequence[Method]) -> list[Setup]:
    """Return the setups of the methods, those of populations among them."""
    setups = []
    for method in methods:
        if method.population is not None:
            share = plan.budget * plan.population_share
            name = population_name(method.name)
            setups.append(method.population.setup(name, plan.game, share))
        elif method.base:
            setups.append(method.setup(method.name, plan.game, plan.budget))
    return setups


def _experiment(plan: LeaguePlan, names: Sequence[str]) -> Experiment:
    """Return the experiment that makes players: a few games at its end stand for the measure."""
    return Experiment(
        configs=tuple(names),
        game=plan.game,
        seeds=plan.seeds,
        first_seed=plan.first_seed,
        games=2,
        points=0,
    )


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


def _as_reference(text: str) -> str:
    return f"a line of reference: {text}"


def _entrant_data(entrant: Entrant) -> dict[str, Any]:
    return {name: getattr(entrant, name) for name in Entrant.__slots__}
