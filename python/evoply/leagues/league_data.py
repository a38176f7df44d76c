"""What a league is made of: entrants, the players that were made, and their games, as data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evoply.experiments.all_play_all import LeaguePairing, measure_of_league, pairings_of, rounds_of
from evoply.experiments.design import Condition, Entrant
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import Unit, measured
from evoply.kinds import Run
from evoply.protocols import Player, RunNameError
from evoply.provenance import provenance

_MEASURES = ("best_fresh", "against_champion", "best")
"""Columns of a run's last step that say how good its champion is by training alone."""


@dataclass(frozen=True, slots=True)
class MadePlayer:
    """The player of an entrant with one seed, and what it cost."""

    entrant: str
    seed: int
    player: Player
    """The champion as its learner names it, before it gets the search of a condition."""
    run: str = ""
    """The name that `champion@` takes; "" if it has no run."""
    step: int = 0
    """The last step of the run."""
    games: float = 0.0
    """Games of training."""
    work: float = 0.0
    seconds: float = 0.0
    """Seconds of training on one core."""
    measure: float | None = None
    """The last training measure, on the learner's own scale."""
    digest: str = ""
    """The digest of the run's last step."""


@dataclass(frozen=True, slots=True)
class LeagueResults:
    """All that a league has so far."""

    name: str
    path: Path
    game: str
    seeds: tuple[int, ...]
    entrants: tuple[Entrant, ...]
    conditions: Mapping[Condition, str]
    """The conditions in words, such as "10 ms a move" and "4 plies"."""
    made: tuple[MadePlayer, ...]
    """Also the lines of reference, once for every seed."""
    pairings: tuple[LeaguePairing, ...]
    wanted_players: int
    wanted_pairings: int
    games_a_pair: int
    budget: str
    """The budget of a method and seed in words."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Further facts for the page: command, machine, version."""

    @property
    def missing(self) -> str:
        """What an unfinished league lacks, as a sentence without its full stop; "" if whole."""
        made, played = len(self.made), len(self.pairings)
        if made >= self.wanted_players and played >= self.wanted_pairings:
            return ""
        return (
            f"Unfinished: {made:,} of {self.wanted_players:,} players are made, and "
            f"{played:,} of {self.wanted_pairings:,} pairings of them are played"
        )


def results_of(folder: ExperimentFolder) -> LeagueResults:
    """Return the results of a league so far."""
    experiment, measure = folder.experiment, measure_of_league(folder)
    about = provenance().to_dict()
    return LeagueResults(
        name=folder.name,
        path=folder.path,
        game=experiment.game,
        seeds=experiment.all_seeds,
        entrants=measure.entrants,
        conditions=measure.conditions,
        made=made_players(folder),
        pairings=pairings_of(folder),
        wanted_players=len(measure.entrants) * experiment.seeds,
        wanted_pairings=sum(len(round_.pairs) for round_ in rounds_of(folder)),
        games_a_pair=measure.games,
        budget=f"{measure.budget:g} seconds of one core, counted",
        facts={"evoply": str(about.get("version", "")), "cores": str(os.cpu_count())},
    )


def made_players(folder: ExperimentFolder) -> tuple[MadePlayer, ...]:
    """Return the players that are made so far, entrant by entrant; those of ready ones as well."""
    made: list[MadePlayer] = []
    for entrant in measure_of_league(folder).entrants:
        ready = folder.players.get(entrant.name)
        for seed in folder.experiment.all_seeds:
            if ready is not None:
                made.append(MadePlayer(entrant.name, seed, ready))
            else:
                made.extend(_made(folder, folder.unit(entrant.name, seed)))
    return tuple(made)


def _made(folder: ExperimentFolder, unit: Unit) -> Iterator[MadePlayer]:
    """Yield the player of *unit* if it is finished; what was made for it before counts, too."""
    try:
        with Run.open(unit.path) as run:
            curve = measured(run)
            if curve is None:
                return
            end, row = curve[-1], run.rows()[-1]
            player, digest = run.champion_player, run.digests()[-1]
    except RunNameError:
        return
    ends = [end]
    if unit.setup.after is not None:
        with Run.open(folder.unit(unit.setup.after.setup, unit.seed).path) as run:
            ends.extend((measured(run) or ())[-1:])
    yield MadePlayer(
        entrant=unit.setup.name,
        seed=unit.seed,
        player=player,
        run=str(unit.path),
        step=end.step,
        games=sum(each.games for each in ends),
        work=sum(each.work for each in ends),
        seconds=sum(each.seconds for each in ends),
        measure=next((row[key] for key in _MEASURES if key in row), None),
        digest=digest,
    )
