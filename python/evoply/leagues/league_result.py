"""`league`: `evoply league` in Python, and its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoply.files import write_atomically
from evoply.leagues.league_data import Condition, LeagueResults
from evoply.leagues.league_loop import LeagueStatus, results_of, run_league
from evoply.leagues.plan import BUDGETS, LeagueFolder, LeaguePlan, find_league, plan_of
from evoply.leagues.standings import LeagueStandings, standings_of
from evoply.runs import runs_directory
from evoply.wording import signed, span


@dataclass(frozen=True, slots=True)
class League:
    """The players of a league, their games, and who is how strong."""

    results: LeagueResults
    standings: Mapping[Condition, LeagueStandings]
    """By the condition of the games: "time", the same time a move, and "depth"."""

    @classmethod
    def of(cls, results: LeagueResults) -> League:
        """Return the league of *results*, with the standings of all that was played."""
        return cls(
            results,
            {condition: standings_of(results, condition) for condition in results.conditions},
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
        from evoply.leagues.league_page import standings_data

        return standings_data(self.results, self.standings)

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page about it, whole or not at all, and return the path; `OSError` if not."""
        from evoply.leagues.league_page import league_html

        write_atomically(Path(path), league_html(self.results, self.standings))
        return Path(path)

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

    def _repr_html_(self) -> str:
        from evoply.leagues.league_page import league_summary

        return league_summary(self.results, self.standings)


def league(
    game: str = "othello",
    *,
    methods: Sequence[str] = (),
    own: Sequence[str | os.PathLike[str]] = (),
    budget: float | str = "full",
    seeds: int = 5,
    first_seed: int = 1,
    games: int = 8,
    move_time: float = 0.01,
    depth: int = 4,
    name: str | None = None,
    workers: int = 0,
    progress: Callable[[LeagueStatus], object] | None = None,
    cluster: object = None,
) -> League:
    """Make the best player of every method afresh, let all play all, and rate them.

    Each of *seeds* players of a method may use *budget*: seconds of one core of a machine of
    reference, counted in games or work, so that it is the same everywhere; "full" is three minutes
    of two cores, "small" three seconds. *methods* are names of evoply's (empty: all of the *game*),
    *own* your own configs, presets or runs, which are made with the same budget, and texts or files
    of players, which are lines of reference. Players of the same seed play *games* games with each
    other at *move_time* seconds a move, and as many *depth* plies ahead (0: none).

    All lies in the folder *name* of the folder of runs (by default league-GAME). Ctrl-C keeps what
    is finished, and the same call goes on. Players and games at equal depth depend neither on
    *workers* nor on a *cluster*; games at a time a move depend on the machine, are kept, and are
    never played again.

    Raises `ConfigError` or `ValueError` for what does not fit, and `RunError` if the folder holds
    another league.
    """
    plan = plan_of(
        {
            "game": game,
            "methods": tuple(methods),
            "own": tuple(os.fspath(source) for source in own),
            "budget": budget_of(budget),
            "seeds": seeds,
            "first_seed": first_seed,
            "games": games,
            "move_time": move_time,
            "depth": depth,
        }
    )
    folder = LeagueFolder.create(runs_directory() / (name or usual_name(plan)), plan)
    return League.of(run_league(folder, workers=workers, progress=progress, cluster=cluster))


def load_league(source: str | os.PathLike[str]) -> League:
    """Return a league as far as it is, by its name in the folder of runs or its path.

    Raises `RunError` if there is none, or if it is damaged.
    """
    return League.of(results_of(find_league(source)))


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


def usual_name(plan: LeaguePlan) -> str:
    """Return the name of the folder of a league without a name."""
    return f"league-{plan.game}"
