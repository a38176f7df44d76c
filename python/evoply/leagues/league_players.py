"""The making of a league's players: experiments whose setups are its methods.

A method that looks for features in a population first is made in two experiments: the population
is a setup of the first, and each seed has a second one with the features that it found.

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evoply.experiments import Status, run_experiment
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.units import Unit, measured
from evoply.files import EXPERIMENT_FILE
from evoply.kinds import Run
from evoply.leagues.league_data import MadePlayer
from evoply.leagues.plan import LeagueFolder, population_name
from evoply.learning import features_of_population
from evoply.protocols import RunNameError

Told = Callable[[str, Status], object]
"""Hears what is being done, and how far it is."""


def make_players(
    league: LeagueFolder,
    *,
    workers: int = 0,
    progress: Told | None = None,
    cluster: object = None,
) -> None:
    """Make all players of *league* that are missing, *workers* runs at a time (0: one a core).

    They depend neither on *workers* nor on a *cluster*, nor on where this was interrupted. Raises
    what `run_experiment` does.
    """

    def tell(what: str) -> Callable[[Status], object] | None:
        return None if progress is None else lambda status: progress(what, status)

    first = league.players
    if first is None:
        return
    run_experiment(first, workers=workers, progress=tell("players"), cluster=cluster)
    if league.found:
        second = [_second(league, first, seed) for seed in league.plan.all_seeds]
        run_experiment(
            second, workers=workers, progress=tell("players with found features"), cluster=cluster
        )


def _second(league: LeagueFolder, first: ExperimentFolder, seed: int) -> ExperimentFolder:
    """Return the experiment of the learners of *seed* whose features its populations found."""
    path = league.found_players(seed)
    if (path / EXPERIMENT_FILE).exists():
        return ExperimentFolder.open(path)
    setups = []
    budget = league.plan.budget * (1 - league.plan.population_share)
    for name, method in league.found.items():
        with Run.open(first.unit(population_name(name), seed).path) as run:
            features = features_of_population(
                run.kind.uses["trees"](run.champion, run.last()),
                run.champion_player,
                game=run.game,
                terms=method.terms,
                seed=seed,
            )
        setups.append(method.setup(name, league.plan.game, budget, features=features))
    experiment = league.experiment_for([setup.name for setup in setups], seed)
    return ExperimentFolder.create(path, experiment, setups)


def made_players(league: LeagueFolder) -> tuple[MadePlayer, ...]:
    """Return the players that are made so far, entrant by entrant; those of ready ones as well."""
    units = {(unit.setup.name, unit.seed): unit for unit in _units(league)}
    made = []
    for entrant in league.entrants:
        ready = league.ready_players.get(entrant.name)
        for seed in league.plan.all_seeds:
            unit = units.get((entrant.name, seed))
            if ready is not None:
                made.append(MadePlayer(entrant.name, seed, ready))
            elif unit is not None:
                made.extend(_made(unit, [units.get((population_name(entrant.name), seed))]))
    return tuple(made)


def wanted_players(league: LeagueFolder) -> int:
    """Return how many players the whole league has, lines of reference among them."""
    return len(league.entrants) * league.plan.seeds


def _units(league: LeagueFolder) -> Iterator[Unit]:
    first = league.players
    folders = [] if first is None else [first]
    for seed in league.plan.all_seeds:
        path: Path = league.found_players(seed)
        if (path / EXPERIMENT_FILE).exists():
            folders.append(ExperimentFolder.open(path))
    for folder in folders:
        yield from folder.units()


def _made(unit: Unit, earlier: Sequence[Unit | None]) -> Iterator[MadePlayer]:
    """Yield the player of *unit* if it is finished; what was made for it before counts, too."""
    try:
        with Run.open(unit.path) as run:
            curve = measured(run)
            if curve is None:
                return
            costs, rows = curve[-1], run.rows()
            player, digest = run.champion_player, run.digests()[-1]
    except RunNameError:
        return
    before = [_costs(other) for other in earlier if other is not None]
    yield MadePlayer(
        entrant=unit.setup.name,
        seed=unit.seed,
        player=player,
        run=str(unit.path),
        step=costs.step,
        games=costs.games + sum(games for games, _, _ in before),
        work=costs.work + sum(work for _, work, _ in before),
        seconds=costs.seconds + sum(seconds for _, _, seconds in before),
        measure=next((rows[-1][key] for key in _MEASURES if key in rows[-1]), None),
        digest=digest,
    )


_MEASURES = ("best_fresh", "against_champion", "best")
"""Columns of a run's last step that say how good its champion is by training alone."""


def _costs(unit: Unit) -> tuple[float, float, float]:
    with Run.open(unit.path) as run:
        (*_, end) = measured(run) or ()
    return end.games, end.work, end.seconds
