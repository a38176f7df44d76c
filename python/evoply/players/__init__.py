"""Players as data, their one-line text, and saved players."""

from evoply.players.contestants import HasTree, player_of
from evoply.players.endgame import Solution, solve
from evoply.players.evaluators import ExpressionEvaluator, TreeEvaluator
from evoply.players.files import (
    Origin,
    PlayerFileError,
    SavedPlayer,
    load_player,
    load_saved_player,
    save_player,
)
from evoply.players.grammar import PlayerTextError, parse_player, with_options
from evoply.players.named import NAMED_PLAYERS, SWH_WEIGHTS
from evoply.players.player import Player, steady_player
from evoply.players.seeding import seed_individual
from evoply.players.specs import NOT_REPRODUCIBLE, AfterState, AlphaBeta, KernelPlayer, RandomPlayer
from evoply.players.staged import RandomStart, Stage, Staged, stage_shares

__all__ = [
    "NAMED_PLAYERS",
    "NOT_REPRODUCIBLE",
    "SWH_WEIGHTS",
    "AfterState",
    "AlphaBeta",
    "ExpressionEvaluator",
    "HasTree",
    "KernelPlayer",
    "Origin",
    "Player",
    "PlayerFileError",
    "PlayerTextError",
    "RandomPlayer",
    "RandomStart",
    "SavedPlayer",
    "Solution",
    "Stage",
    "Staged",
    "TreeEvaluator",
    "load_player",
    "load_saved_player",
    "parse_player",
    "player_of",
    "save_player",
    "seed_individual",
    "solve",
    "stage_shares",
    "steady_player",
    "with_options",
]
