"""What a league is made of: entrants, the players that were made, and their games, as data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evoply.arena.ratings import PairsPlayed
from evoply.arena.statistics import mean_interval, pair_statistics
from evoply.experiments.design import Condition, Entrant
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.leagues.machine import looks_of, marks_of
from evoply.experiments.running import LeaguePairing, measure_of_league, pairings_of, rounds_of
from evoply.experiments.units import Unit, measured, processor_seconds
from evoply.kinds import Run
from evoply.protocols import Player, RunNameError
from evoply.protocols.provenance import provenance
from evoply.protocols.sections import JsonData

_EQUAL = 1.15
"""Costs count as equal if the largest is at most so many times the smallest."""
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
    """Seconds of training on one core, by the clock on the wall."""
    processor_seconds: float = 0.0
    """Seconds of processor time that making it took."""
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
    paces_from: str = "measured"
    """Where the paces come from that count the budget: see `AllPlayAll`."""
    openings: Mapping[str, object] = field(default_factory=dict)
    """Of openings from a list, as `Circumstances.opening_list` has them; empty: random plies."""
    busy: tuple[str, ...] = ()
    """What speaks against the machine on which it was played, in sentences."""

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

    @property
    def cost_ratio(self) -> float | None:
        """The largest cost of a player over the smallest, in processor seconds; None without."""
        costs = [made.processor_seconds for made in self.made if made.processor_seconds]
        return max(costs) / min(costs) if len(costs) > 1 else None

    @property
    def cost_in_words(self) -> str:
        """How equal costs are, as a sentence; "" if nothing was made."""
        if self.cost_ratio is None:
            return ""
        unequal = f": more than {_EQUAL:g}, so the methods did not cost the same"
        return (
            f"The dearest player took {self.cost_ratio:.2f} times as long as the cheapest"
            f"{unequal if self.cost_ratio > _EQUAL else ''}."
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """What speaks against these results, in sentences: costs, and a busy machine."""
        is_unequal = self.cost_ratio is not None and self.cost_ratio > _EQUAL
        return (*self.busy, *([self.cost_in_words] if is_unequal else []))


def results_of(folder: ExperimentFolder) -> LeagueResults:
    """Return the results of a league so far."""
    experiment, measure = folder.experiment, measure_of_league(folder)
    about, openings = provenance().to_dict(), measure.openings.of(experiment.game)
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
        paces_from=measure.paces_from or "reference",
        busy=tuple(marks_of(looks_of(folder.path))),
        openings=openings.facts if openings is not None else {},
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
            player, digest = run.champion_player, run.digests(run.count() - 1)[-1]
            taken = processor_seconds(run)
    except RunNameError:
        return
    ends = [end]
    if unit.setup.after is not None:
        with Run.open(folder.unit(unit.setup.after.setup, unit.seed).path) as run:
            ends.extend((measured(run) or ())[-1:])
            taken += processor_seconds(run)
    yield MadePlayer(
        entrant=unit.setup.name,
        seed=unit.seed,
        player=player,
        run=str(unit.path),
        step=end.step,
        games=sum(each.games for each in ends),
        work=sum(each.work for each in ends),
        seconds=sum(each.seconds for each in ends),
        processor_seconds=taken,
        measure=next((row[key] for key in _MEASURES if key in row), None),
        digest=digest,
    )


# The games of a league under one condition: who met whom, with what score.
#
# Reading them here makes their order, and who stands first, change nothing that comes of them.

Interval = tuple[float, float]

FEWEST_SEEDS = 3
"""The number of seeds below which nothing is said about others: Student's interval of two values is
six times as wide as they are apart to either side, and hides everything. One seed alone has the
interval of its games."""


@dataclass(frozen=True, slots=True)
class Encounter(JsonData):
    """All games of two entrants, of all seeds, from the point of view of the first."""

    first: str
    second: str
    score: float
    """Points a game in [0, 1]."""
    interval: Interval | None
    """95 % interval of the score: the wider of that over seeds and that over opening pairs; None
    where too little was played, and of two seeds."""
    points: float
    games: int

    def turned(self) -> Encounter:
        """Return the same from the point of view of the second."""
        interval = self.interval and (1 - self.interval[1], 1 - self.interval[0])
        return replace(
            self,
            first=self.second,
            second=self.first,
            score=1 - self.score,
            interval=interval,
            points=self.games - self.points,
        )


def pairings_in_order(results: LeagueResults, condition: Condition) -> list[LeaguePairing]:
    """Return the pairings under *condition* so that their order and sides change nothing."""
    names = {entrant.name for entrant in results.entrants}
    found = []
    for pairing in results.pairings:
        if pairing.condition != condition:
            continue
        sides = f"pairing of {pairing.first} and {pairing.second}, seed {pairing.seed}"
        if not {pairing.first, pairing.second} <= names or pairing.first == pairing.second:
            raise ValueError(f"{sides}: these are not two entrants of the league")
        if len(pairing.points) % 2 or len(pairing.points) != len(pairing.hashes):
            raise ValueError(f"{sides}: needs whole pairs of games, and a hash for each game")
        if pairing.points:
            found.append(pairing if pairing.first < pairing.second else _turned(pairing))
    return sorted(found, key=lambda pairing: (pairing.seed, pairing.first, pairing.second))


def _turned(pairing: LeaguePairing) -> LeaguePairing:
    """Return the same games from the point of view of the second, who was Black in every other."""
    order = [game ^ 1 for game in range(len(pairing.points))]
    return replace(
        pairing,
        first=pairing.second,
        second=pairing.first,
        points=tuple(1 - pairing.points[game] for game in order),
        hashes=tuple(pairing.hashes[game] for game in order),
    )


def encounters_of(pairings: Iterable[LeaguePairing]) -> dict[tuple[str, str], Encounter]:
    """Return the games of each two entrants, in both directions."""
    by_sides: dict[tuple[str, str], list[LeaguePairing]] = {}
    for pairing in pairings:
        by_sides.setdefault((pairing.first, pairing.second), []).append(pairing)
    found: dict[tuple[str, str], Encounter] = {}
    for (first, second), games in by_sides.items():
        points = np.concatenate([np.array(pairing.points) for pairing in games])
        of_pairs = pair_statistics(points, np.concatenate([_hashes(pairing) for pairing in games]))
        of_seeds = mean_interval([fmean(pairing.points) for pairing in games])
        interval = of_pairs.interval if len(games) == 1 or len(games) >= FEWEST_SEEDS else None
        if interval is not None and of_seeds is not None:
            # Seeds that happen to agree prove nothing beyond their games.
            low, high = min(interval[0], of_seeds[0]), max(interval[1], of_seeds[1])
            interval = max(low, 0.0), min(high, 1.0)
        met = Encounter(
            first, second, of_pairs.score, interval, float(points.sum()), int(points.size)
        )
        found[first, second], found[second, first] = met, met.turned()
    return found


def opening_pairs(pairing: LeaguePairing, first: int, second: int) -> PairsPlayed:
    """Return the opening pairs of *pairing*, whose sides are the players *first* and *second*."""
    points = np.array(pairing.points, dtype=np.float64).reshape(-1, 2).sum(axis=1)
    sides = np.full(len(points), first), np.full(len(points), second)
    return PairsPlayed(*sides, points, _hashes(pairing).reshape(-1, 2))


def _hashes(pairing: LeaguePairing) -> NDArray[np.uint64]:
    return np.array(pairing.hashes, dtype=np.uint64)
