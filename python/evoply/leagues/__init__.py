"""The league: the best player of every method, made afresh at equal budget, all against all.

A league is an experiment whose measure is that all play all (`evoply.experiments`). `methods` makes
its setups, `standings` and `league_page` say what came of it.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.leagues.league_data import LeagueResults, MadePlayer, results_of
    from evoply.leagues.league_result import League, league, league_folder, load_league
    from evoply.leagues.standings import LeagueStandings, standings_of

__all__ = [
    "League",
    "LeagueResults",
    "LeagueStandings",
    "MadePlayer",
    "league",
    "league_folder",
    "load_league",
    "results_of",
    "standings_of",
]

give_when_used(
    __name__,
    {
        "league_result": "League league league_folder load_league",
        "league_data": "LeagueResults MadePlayer results_of",
        "standings": "LeagueStandings standings_of",
    },
)
