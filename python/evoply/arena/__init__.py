"""Games by the thousand: schedules, matches, tournaments and what their results say.

The arena knows players and games, and nothing of evolution or of files.
"""

from evoply.arena.elimination import Elimination, Mode, Round, eliminate
from evoply.arena.matches import Contestant, MatchResult, match
from evoply.arena.python_games import play_python_game
from evoply.arena.ratings import Ratings, bradley_terry
from evoply.arena.round_robins import Pairing, RoundRobin, Standing, round_robin
from evoply.arena.schedule import Results, Schedule, play
from evoply.arena.seats import play_seats, seat_of
from evoply.arena.sprt import Sprt, SprtResult, log_likelihood_ratio, sprt_match
from evoply.arena.statistics import PairStatistics, elo_difference, pair_statistics, wilson
from evoply.arena.tournaments import Correlation, Star, Tournament, rank_correlation, tournament

__all__ = [
    "Contestant",
    "Correlation",
    "Elimination",
    "MatchResult",
    "Mode",
    "PairStatistics",
    "Pairing",
    "Ratings",
    "Results",
    "Round",
    "RoundRobin",
    "Schedule",
    "Sprt",
    "SprtResult",
    "Standing",
    "Star",
    "Tournament",
    "bradley_terry",
    "eliminate",
    "elo_difference",
    "log_likelihood_ratio",
    "match",
    "pair_statistics",
    "play",
    "play_python_game",
    "play_seats",
    "rank_correlation",
    "round_robin",
    "seat_of",
    "sprt_match",
    "tournament",
    "wilson",
]
