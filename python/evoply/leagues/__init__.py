"""The league: the best player of every method, made afresh at equal budget, all against all.

`plan` says what takes part, `league_players` makes the players, `league_games` plays the games;
`standings` and `league_page` say what came of it.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.leagues.league_data import Entrant, LeaguePairing, LeagueResults, MadePlayer
    from evoply.leagues.league_loop import LeagueStatus, results_of, run_league
    from evoply.leagues.league_result import League, league, load_league
    from evoply.leagues.plan import LeagueFolder, LeaguePlan, find_league
    from evoply.leagues.standings import LeagueStandings, standings_of

__all__ = [
    "Entrant",
    "League",
    "LeagueFolder",
    "LeaguePairing",
    "LeaguePlan",
    "LeagueResults",
    "LeagueStandings",
    "LeagueStatus",
    "MadePlayer",
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
        "league_data": "Entrant LeagueResults MadePlayer LeaguePairing",
        "league_loop": "LeagueStatus results_of run_league",
        "standings": "LeagueStandings standings_of",
    },
)
