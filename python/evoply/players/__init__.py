"""Players as data, their one-line text, and saved players."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.players.analysis import analyse
    from evoply.players.bots import Bot, bot_classes
    from evoply.players.endgame import Solution, solve
    from evoply.players.engines import Engine, EngineLimits, read_engines
    from evoply.players.evaluators import ExpressionEvaluator, TreeEvaluator
    from evoply.players.grammar import PlayerTextError, parse_player, with_options
    from evoply.players.kernel_seat import KernelSeat
    from evoply.players.mcts import Mcts
    from evoply.players.named import NAMED_PLAYERS, SWH_WEIGHTS
    from evoply.players.online import Online, OnlineSeat
    from evoply.players.packed import PackedTables, read_packed
    from evoply.players.player import data_of, model_of, player_of, steady_player
    from evoply.players.player_files import (
        Origin,
        PlayerFileError,
        SavedPlayer,
        load_player,
        load_saved_player,
    )
    from evoply.players.player_kind import NOT_REPRODUCIBLE, PlayerKind, ValuingPlayer
    from evoply.players.player_saving import save_player
    from evoply.players.searcher import Searcher
    from evoply.players.seed_individuals import seed_individual
    from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer
    from evoply.players.staged import RandomStart, Staged, stage_shares
    from evoply.players.strong import Strong, strong_tables
    from evoply.protocols import Player

__all__ = [
    "NAMED_PLAYERS",
    "NOT_REPRODUCIBLE",
    "SWH_WEIGHTS",
    "AfterState",
    "AlphaBeta",
    "Bot",
    "Engine",
    "EngineLimits",
    "ExpressionEvaluator",
    "KernelSeat",
    "Mcts",
    "Online",
    "OnlineSeat",
    "Origin",
    "PackedTables",
    "Player",
    "PlayerFileError",
    "PlayerKind",
    "PlayerTextError",
    "RandomPlayer",
    "RandomStart",
    "SavedPlayer",
    "Searcher",
    "Solution",
    "Staged",
    "Strong",
    "TreeEvaluator",
    "ValuingPlayer",
    "analyse",
    "bot_classes",
    "data_of",
    "load_player",
    "load_saved_player",
    "model_of",
    "parse_player",
    "player_of",
    "read_engines",
    "read_packed",
    "save_player",
    "seed_individual",
    "solve",
    "stage_shares",
    "steady_player",
    "strong_tables",
    "with_options",
]

give_when_used(
    __name__,
    {
        "analysis": "analyse",
        "bots": "Bot bot_classes",
        "endgame": "Solution solve",
        "engines": "Engine EngineLimits read_engines",
        "evaluators": "ExpressionEvaluator TreeEvaluator",
        "player_files": "Origin PlayerFileError SavedPlayer load_player load_saved_player",
        "grammar": "PlayerTextError parse_player with_options",
        "kernel_seat": "KernelSeat",
        "player_kind": "NOT_REPRODUCIBLE PlayerKind ValuingPlayer",
        "mcts": "Mcts",
        "named": "NAMED_PLAYERS SWH_WEIGHTS",
        "online": "Online OnlineSeat",
        "packed": "PackedTables read_packed",
        "player": "data_of model_of player_of steady_player",
        "player_saving": "save_player",
        "searcher": "Searcher",
        "seed_individuals": "seed_individual",
        "specs": "AfterState AlphaBeta RandomPlayer",
        "staged": "RandomStart Staged stage_shares",
        "strong": "Strong strong_tables",
        "evoply.protocols": "Player",
    },
)
