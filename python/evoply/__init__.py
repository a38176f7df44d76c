"""Evolve, learn, measure and play players of board games.

`import evoply as ep` gives the names below; the packages hold the rest. Importing evoply loads
nothing heavy: the names are fetched from their packages when they are first used.

>>> import evoply as ep
>>> ep.othello.Position().play("f5").turn
<Color.WHITE: 'white'>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoply._native import Stream, __version__
    from evoply.algebra import simplify
    from evoply.arena import MatchResult, Sprt, match, round_robin, sprt_match, tournament
    from evoply.evolution import EvolutionConfig, Generation, evolve, final_test, load_config
    from evoply.expressions import PRIMITIVE_SETS, Primitive, PrimitiveSet, board, count
    from evoply.games import GAMES, othello
    from evoply.gp import Tree, parse_tree
    from evoply.players import (
        AfterState,
        AlphaBeta,
        Bot,
        Player,
        RandomPlayer,
        Staged,
        TreeEvaluator,
        analyse,
        load_player,
        parse_player,
        save_player,
        solve,
    )
    from evoply.protocols import (
        Choice,
        Clock,
        Color,
        ConfigError,
        IllegalMoveError,
        InvalidMoveError,
        Outcome,
        Seat,
    )
    from evoply.reports import explain, write_report
    from evoply.runs import Run, find_run, list_runs

_HOMES = {
    "evoply._native": ("Stream", "__version__"),
    "evoply.arena": (
        "MatchResult",
        "Sprt",
        "match",
        "round_robin",
        "sprt_match",
        "tournament",
    ),
    "evoply.evolution": (
        "EvolutionConfig",
        "Generation",
        "evolve",
        "final_test",
        "load_config",
    ),
    "evoply.expressions": ("PRIMITIVE_SETS", "Primitive", "PrimitiveSet", "board", "count"),
    "evoply.games": ("GAMES", "othello"),
    "evoply.algebra": ("simplify",),
    "evoply.gp": ("Tree", "parse_tree"),
    "evoply.players": (
        "AfterState",
        "AlphaBeta",
        "Bot",
        "Player",
        "RandomPlayer",
        "Staged",
        "TreeEvaluator",
        "analyse",
        "load_player",
        "parse_player",
        "save_player",
        "solve",
    ),
    "evoply.protocols": (
        "Choice",
        "Clock",
        "Color",
        "ConfigError",
        "IllegalMoveError",
        "InvalidMoveError",
        "Outcome",
        "Seat",
    ),
    "evoply.reports": ("explain", "write_report"),
    "evoply.runs": ("Run", "find_run", "list_runs"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "GAMES",
    "PRIMITIVE_SETS",
    "AfterState",
    "AlphaBeta",
    "Bot",
    "Choice",
    "Clock",
    "Color",
    "ConfigError",
    "EvolutionConfig",
    "Generation",
    "IllegalMoveError",
    "InvalidMoveError",
    "MatchResult",
    "Outcome",
    "Player",
    "Primitive",
    "PrimitiveSet",
    "RandomPlayer",
    "Run",
    "Seat",
    "Sprt",
    "Staged",
    "Stream",
    "Tree",
    "TreeEvaluator",
    "__version__",
    "analyse",
    "board",
    "count",
    "evolve",
    "explain",
    "final_test",
    "find_run",
    "list_runs",
    "load_config",
    "load_player",
    "match",
    "othello",
    "parse_player",
    "parse_tree",
    "round_robin",
    "save_player",
    "simplify",
    "solve",
    "sprt_match",
    "tournament",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'evoply' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
