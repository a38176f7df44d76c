"""`league`: `evoply league` in Python, and its result.

A league is an experiment whose measure is that all play all: its setups are the methods.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from evoply.arena import conditions_of
from evoply.arena.game_terms import OpeningList
from evoply.arena.openings import openings_as_text
from evoply.environment.files import EXPERIMENT_FILE
from evoply.experiments.design import AllPlayAll, Condition, Experiment, experiment_of
from evoply.experiments.experiment_folder import ExperimentFolder, find_experiment
from evoply.experiments.leagues.encounters import LeagueResults, MadePlayer, results_of
from evoply.experiments.leagues.machine import play_league
from evoply.experiments.leagues.methods import Tell, reference_paces, taking_part
from evoply.experiments.leagues.paces import paces_as_made
from evoply.experiments.leagues.standings import LeagueStandings, standings_of
from evoply.experiments.running import Status, measure_of_league
from evoply.games import game_rules
from evoply.protocols import ConfigError, RunError
from evoply.protocols.sections import Page, Shown
from evoply.runs import runs_directory
from evoply.wording import signed, span

BUDGETS: Mapping[str, float] = {"full": 360.0, "small": 6.0}
"""Seconds of one core for a method and seed: three minutes of two cores, or three seconds."""


@dataclass(frozen=True, slots=True)
class League(Shown):
    """The players of a league, their games, and who is how strong."""

    results: LeagueResults
    standings: Mapping[Condition, LeagueStandings]
    """By the condition of the games: "time", the same time a move, and "depth"."""

    @classmethod
    def of(cls, results: LeagueResults) -> League:
        """Return the league of *results*, with the standings of all that was played."""
        from evoply.experiments.leagues.portraits import terms_of_methods

        terms = terms_of_methods(results)
        return cls(
            results,
            {each: standings_of(results, each, terms) for each in results.conditions},
        )

    @property
    def is_whole(self) -> bool:
        """Whether all players are made and all games are played."""
        results = self.results
        games = sum(len(pairing.points) for pairing in results.pairings)
        return (
            len(results.made) == results.wanted_players
            and games == results.wanted_pairings * results.games_a_pair
        )

    @property
    def reproducible(self) -> bool:
        """Whether the same plan gives the same games again: never those at a time a move."""
        return all(condition == "depth" for condition in self.results.conditions)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        from evoply.experiments.leagues.portraits import player_text

        results = self.results
        standings = {condition: found.to_dict() for condition, found in self.standings.items()}
        return {
            "name": results.name,
            "game": results.game,
            "budget": results.budget,
            "seeds": [*results.seeds],
            "games_a_pair": results.games_a_pair,
            "conditions": dict(results.conditions),
            **({"opening_list": dict(results.openings)} if results.openings else {}),
            "finished": not results.missing,
            "entrants": [entrant.model_dump() for entrant in results.entrants],
            "players": [
                {
                    name: player_text(made, results.game)
                    if name == "player"
                    else getattr(made, name)
                    for name in MadePlayer.__slots__
                }
                for made in results.made
            ],
            "standings": standings,
            "paces_from": results.paces_from,
            "cost_ratio": results.cost_ratio,
            "marks": [*results.marks],
            "facts": dict(results.facts),
        }

    def shown(self) -> Page:
        """Return what is shown of it."""
        from evoply.experiments.leagues.league_page import page_of

        return page_of(self.results, self.standings)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page about it, whole or not at all, and return the path; `OSError` if not."""
        from evoply.reports import write_result

        return write_result(self, path, state=self.results.missing)

    def __str__(self) -> str:
        lines = []
        for condition, standings in self.standings.items():
            rows = [
                f"{row.rank}. {row.entrant}"
                + ("" if row.rating is None else f" {signed(row.rating)}")
                + (f" ({span(row.interval, '')})" if row.interval else "")
                for row in standings.methods
            ]
            lines.append(
                f"{self.results.conditions[condition]}: {', '.join(rows) or 'no games yet'}"
            )
        return "\n".join(lines)


class LeagueTerms(TypedDict, total=False):
    """The games of a league; see `league`."""

    games: int
    move_time: float
    depth: int
    openings: OpeningList | None


def league(
    game: str = "othello",
    *,
    methods: Sequence[str] = (),
    own: Sequence[str | os.PathLike[str]] = (),
    budget: float | str = "full",
    seeds: int = 5,
    first_seed: int = 1,
    paces: str | os.PathLike[str] = "",
    name: str | None = None,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
    **terms: Unpack[LeagueTerms],
) -> League:
    """Make the best player of every method afresh, let all play all, and rate them.

    Each of *seeds* players of a method may use *budget*: seconds of one core, counted in games or
    work; "full" is three minutes of two cores, "small" three seconds. What a method does in a
    second is measured here before a league begins, and kept. *paces* may be "measured" for that,
    "reference" for those of a machine of reference, or another league, whose paces are taken: the
    same paces and seeds give the same players everywhere. *methods* are names of evoply's (empty:
    all of the *game*), *own* your own configs, presets or runs, which are made with the same
    budget, and texts or files of players, which are lines of reference. Players of the same seed
    play *games* games with each other (8) at *move_time* seconds a move (0.01), and as many *depth*
    plies ahead (4; 0: none). Games begin with random plies, or with *openings*
    (`evoply.read_openings`).

    All lies in the folder *name* of the folder of runs (by default league-GAME). Ctrl-C keeps what
    is finished, and the same call goes on. Players and games at equal depth depend neither on
    *workers* nor on a *cluster*; games at a time a move depend on the machine, are kept, and are
    never played again.

    Raises `ConfigError` or `ValueError` for what does not fit, and `RunError` if the folder holds
    another league.
    """
    folder = league_folder(
        name,
        game=game,
        seeds=seeds,
        first_seed=first_seed,
        budget=budget_of(budget),
        methods=tuple(methods),
        own=tuple(os.fspath(source) for source in own),
        paces=paces,
        **terms,
    )
    play_league(folder, workers=workers, progress=progress, cluster=cluster)
    return League.of(results_of(folder))


def load_league(source: str | os.PathLike[str]) -> League:
    """Return a league as far as it is, by its name in the folder of runs or its path.

    Raises `RunError` if there is none, or if it is damaged.
    """
    return League.of(results_of(find_experiment(source, AllPlayAll)))


def budget_of(budget: float | str) -> float:
    """Return a budget in seconds of one core; `ValueError` for a text that names none.

    >>> budget_of("small"), budget_of("2.5")
    (6.0, 2.5)
    """
    if isinstance(budget, str):
        if budget in BUDGETS:
            return BUDGETS[budget]
        try:
            return float(budget)
        except ValueError:
            raise ValueError(
                f"budget: {budget!r} is not a budget: give {', '.join(BUDGETS)}, or seconds of one "
                "core"
            ) from None
    return float(budget)


def league_folder(
    name: str | None,
    *,
    game: str,
    seeds: int = 5,
    first_seed: int = 1,
    paces: str | os.PathLike[str] = "",
    tell: Tell = lambda what, share: None,
    openings: OpeningList | None = None,
    **measure: Any,
) -> ExperimentFolder:
    """Return the folder of the league called *name* (None: league-GAME), made if it is not there.

    *measure* has fields of `AllPlayAll`. A new league measures paces, unless *paces* says where
    else they come from, and one that was begun keeps its own; *tell* gets what is measured. Raises
    `ConfigError` or `ValueError` for what does not fit, and `RunError` if the folder holds
    something else.
    """
    if openings is not None:
        conditions_of(game=game, openings=openings)
        lines = openings_as_text(openings)
        kept = {"lines": lines, "order": openings.order, "sha256": openings.sha256}
        measure["openings"] = kept
    name = name or f"league-{game}"
    path = runs_directory() / name
    experiment = _experiment(
        {"game": game, "seeds": seeds, "first_seed": first_seed, "points": 0}, measure
    )
    assert isinstance(experiment.measure, AllPlayAll)
    if (path / EXPERIMENT_FILE).exists():
        folder = find_experiment(name, AllPlayAll)
        before, now = _plan(folder.experiment), _plan(experiment)
        before["paces"] = measure_of_league(folder).paces_from
        now["paces"] = _paces(paces, game)[0] if paces else before["paces"]
        differs = ", ".join(key for key in now if before[key] != now[key])
        if differs:
            raise RunError(
                f"{path} holds a league with other {differs}: give this one another --name, or "
                "take the same settings to go on"
            )
        return folder
    source, known = _paces(paces, game)
    measure_of_all = experiment.measure.model_copy(update={"paces_from": source})
    measured, setups, players = taking_part(game, measure_of_all, known, tell)
    whole = experiment.model_copy(
        update={"configs": tuple(setup.name for setup in setups), "measure": measured}
    )
    return ExperimentFolder.create(path, whole, setups, players)


_AS_MADE = ":made"


def _paces(source: str | os.PathLike[str], game: str) -> tuple[str, Callable[[str], float | None]]:
    """Return where paces come from, and that of a setup by its name; None: it is measured.

    Those of a league are the ones that it began with; with `:made` behind its name what its runs
    did in a second, from their beginning to their end. Raises `RunError` if *source* is no league,
    and `ValueError` if it is one of another game.
    """
    if source in ("", "measured"):
        return "measured", lambda name: None
    if source == "reference":
        return "reference", reference_paces(game).get
    league = os.fspath(source).removesuffix(_AS_MADE)
    folder = find_experiment(league, AllPlayAll)
    if folder.experiment.game != game:
        raise ValueError(
            f"paces: {folder.name} is a league of {folder.experiment.game}, not of {game} - leave "
            "--paces out, so that they are measured"
        )
    paces, name_of_source = measure_of_league(folder).paces, folder.name
    if league != os.fspath(source):
        paces, name_of_source = paces_as_made(folder), folder.name + _AS_MADE

    def pace(name: str) -> float:
        if name not in paces:
            raise ValueError(
                f"paces: {folder.name} has none of {name} - leave --paces out, so that they are "
                f"measured, or take the methods that it has: {', '.join(paces)}"
            )
        return paces[name]

    return name_of_source, pace


def _experiment(keys: Mapping[str, Any], measure: Mapping[str, Any]) -> Experiment:
    """Return a league as an experiment; `ConfigError` lists all mistakes with the league's keys."""
    try:
        game_rules(keys["game"])
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    try:
        return experiment_of({**keys, "measure": {"kind": "all-play-all", **measure}})
    except ConfigError as error:
        raise ConfigError(
            [(path.removeprefix("measure."), why) for path, why in error.errors]
        ) from None


def _plan(experiment: Experiment) -> dict[str, Any]:
    plan = experiment.model_dump(include={"game", "seeds", "first_seed"})
    made = {"kind", "entrants", "paces", "paces_from"}
    return {**plan, **experiment.measure.model_dump(exclude=made)}
