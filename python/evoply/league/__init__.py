"""The league: the best player of every method, made afresh at equal budget, all against all.

`plan` says what takes part, `making` makes the players, `playing` plays the games; `standings` and
`league_page` say what came of it.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.league.league_result import League, league, load_league
    from evoply.league.plan import LeagueFolder, LeaguePlan, find_league
    from evoply.league.results import Entrant, LeagueResults, MadePlayer, Pairing
    from evoply.league.running import LeagueStatus, results_of, run_league
    from evoply.league.standings import LeagueStandings, standings_of

__all__ = [
    "Entrant",
    "League",
    "LeagueFolder",
    "LeaguePlan",
    "LeagueResults",
    "LeagueStandings",
    "LeagueStatus",
    "MadePlayer",
    "Pairing",
    "find_league",
    "league",
    "load_league",
    "results_of",
    "run_league",
    "standings_of",
]

give_when_used(
    __name__,
    {
        "league_result": "League league load_league",
        "plan": "LeagueFolder LeaguePlan find_league",
        "results": "Entrant LeagueResults MadePlayer Pairing",
        "running": "LeagueStatus results_of run_league",
        "standings": "LeagueStandings standings_of",
    },
)
