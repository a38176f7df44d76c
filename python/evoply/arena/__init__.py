"""Games by the thousand: schedules, matches and what their results say.

The arena knows players and games, and nothing of evolution or of files.
"""

from evoply.arena.matches import Contestant, MatchResult, match
from evoply.arena.python_games import play_python_game
from evoply.arena.schedule import Results, Schedule, play
from evoply.arena.statistics import PairStatistics, elo_difference, pair_statistics

__all__ = [
    "Contestant",
    "MatchResult",
    "PairStatistics",
    "Results",
    "Schedule",
    "elo_difference",
    "match",
    "pair_statistics",
    "play",
    "play_python_game",
]
