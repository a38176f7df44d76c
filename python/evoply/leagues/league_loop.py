"""A league from its plan to its results: players are made, then games are played."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from evoply.cluster import opened
from evoply.experiments import Status
from evoply.leagues.league_data import LeagueResults
from evoply.leagues.league_games import (
    play_games,
    played_pairings,
    wanted_games,
    wanted_pairings,
)
from evoply.leagues.league_players import made_players, make_players, wanted_players
from evoply.leagues.plan import LeagueFolder
from evoply.provenance import provenance


@dataclass(frozen=True, slots=True)
class LeagueStatus:
    """How far a league is."""

    stage: str
    """What is being done, in words."""
    done: int
    """Players that are made, or games that are played."""
    total: int
    share: float
    """Share of this stage that is done, what is at work counted in part."""
    seconds_left: float | None = None


def run_league(
    league: LeagueFolder,
    *,
    workers: int = 0,
    progress: Callable[[LeagueStatus], object] | None = None,
    cluster: object = None,
) -> LeagueResults:
    """Make the players and play the games of *league* that are missing; return the results.

    *workers* runs are made at a time (0: one a core), and as many games played. A *cluster* is an
    argument or a result of `evoply.cluster.connect`: it makes the players, and plays the games at
    equal depth; games at a time a move are played here. Players and games at equal depth depend on
    none of it. Ctrl-C keeps finished steps and games, and the next call goes on.
    """

    def tell_of_players(what: str, status: Status) -> None:
        if progress is not None:
            done, share = status.done, status.share
            progress(LeagueStatus(what, done, status.units, share, status.seconds_left))

    def tell_of_games(done: int, total: int) -> None:
        if progress is not None:
            progress(LeagueStatus("games", done, total, done / max(total, 1)))

    with opened(cluster) if cluster is not None else nullcontext() as others:
        make_players(league, workers=workers, progress=tell_of_players, cluster=others)
        made = made_players(league)
        tell_of_games(0, wanted_games(league))
        play_games(league, made, threads=workers, progress=tell_of_games, cluster=others)
    return results_of(league)


def results_of(league: LeagueFolder) -> LeagueResults:
    """Return the results of *league* so far."""
    plan = league.plan
    about = provenance().to_dict()
    return LeagueResults(
        name=league.path.name,
        path=league.path,
        game=plan.game,
        seeds=plan.all_seeds,
        entrants=league.entrants,
        conditions=plan.conditions,
        made=made_players(league),
        pairings=played_pairings(league),
        wanted_players=wanted_players(league),
        wanted_pairings=wanted_pairings(league),
        games_a_pair=plan.games,
        budget=f"{plan.budget:g} seconds of one core, counted",
        facts={"evoply": str(about.get("version", "")), "cores": str(os.cpu_count())},
    )
