"""Schedules of thousands of games, matches, tournaments, and the statistics of their results.

The arena knows players and games, but not evolution or files.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.arena.batches import GamesAgainst, PreparedPlayer, play_against, prepared
    from evoply.arena.conditions import Conditions, conditions_of
    from evoply.arena.elimination import Elimination, Meetings, Round, eliminate
    from evoply.arena.game_terms import GameTerms, PlayerTerms, Terms
    from evoply.arena.matches import MatchResult, match
    from evoply.arena.one_game import play_game
    from evoply.arena.playing import Tables, play
    from evoply.arena.ratings import Ratings, bradley_terry
    from evoply.arena.round_robins import Pairing, RoundRobin, Standing, round_robin
    from evoply.arena.schedule import (
        FinishedGames,
        Forfeit,
        Results,
        Schedule,
        gathered,
        in_order,
        whole_pairs,
    )
    from evoply.arena.sprt import Sprt, SprtResult, log_likelihood_ratio, sprt_match
    from evoply.arena.statistics import (
        PairStatistics,
        elo_difference,
        mean_interval,
        pair_statistics,
        wilson,
    )
    from evoply.arena.stopping import StoppedWithResultError
    from evoply.arena.tally import LostGames
    from evoply.arena.tournaments import Correlation, Star, Tournament, rank_correlation, tournament

__all__ = [
    "Conditions",
    "Correlation",
    "Elimination",
    "FinishedGames",
    "Forfeit",
    "GameTerms",
    "GamesAgainst",
    "LostGames",
    "MatchResult",
    "Meetings",
    "PairStatistics",
    "Pairing",
    "PlayerTerms",
    "PreparedPlayer",
    "Ratings",
    "Results",
    "Round",
    "RoundRobin",
    "Schedule",
    "Sprt",
    "SprtResult",
    "Standing",
    "Star",
    "StoppedWithResultError",
    "Tables",
    "Terms",
    "Tournament",
    "bradley_terry",
    "conditions_of",
    "eliminate",
    "elo_difference",
    "gathered",
    "in_order",
    "log_likelihood_ratio",
    "match",
    "mean_interval",
    "pair_statistics",
    "play",
    "play_against",
    "play_game",
    "prepared",
    "rank_correlation",
    "round_robin",
    "sprt_match",
    "tournament",
    "whole_pairs",
    "wilson",
]

give_when_used(
    __name__,
    {
        "batches": "GamesAgainst PreparedPlayer play_against prepared",
        "conditions": "Conditions conditions_of",
        "elimination": "Elimination Meetings Round eliminate",
        "matches": "MatchResult match",
        "one_game": "play_game",
        "ratings": "Ratings bradley_terry",
        "round_robins": "Pairing RoundRobin Standing round_robin",
        "schedule": "Forfeit FinishedGames Results Schedule gathered in_order whole_pairs",
        "sprt": "Sprt SprtResult log_likelihood_ratio sprt_match",
        "statistics": "PairStatistics elo_difference mean_interval pair_statistics wilson",
        "stopping": "StoppedWithResultError",
        "playing": "Tables play",
        "tally": "LostGames",
        "game_terms": "GameTerms PlayerTerms Terms",
        "tournaments": "Correlation Star Tournament rank_correlation tournament",
    },
)
