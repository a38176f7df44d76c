"""Evolve, learn, measure and play players of board games.

`import evoply as ep` gives the names below; the packages hold the rest. Importing evoply loads
nothing heavy: the names are fetched from their packages when they are first used.

>>> import evoply as ep
>>> ep.othello.Position().play("f5").turn
<Color.WHITE: 'white'>
"""

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoply._native import Stream, __version__
    from evoply.algebra import simplify
    from evoply.arena import (
        MatchResult,
        RoundRobin,
        Sprt,
        SprtResult,
        Tournament,
        match,
        round_robin,
        sprt_match,
        tournament,
    )
    from evoply.evolution import (
        EvolutionConfig,
        Generation,
        evolve,
        final_test,
        load_config,
        replay,
    )
    from evoply.experiments import Comparison, compare, compare_experiment, load_comparison
    from evoply.expressions import (
        PRIMITIVE_SETS,
        ExpressionError,
        Primitive,
        PrimitiveSet,
        board,
        count,
        features,
        number,
        select,
        squares,
    )
    from evoply.games import GAMES, DrawRules, add_game, checkers, othello
    from evoply.gp import Forest, Tree, TreeSyntaxError, parse_individual, parse_tree
    from evoply.kinds import Run, find_run
    from evoply.leagues import League, league, load_league
    from evoply.learning import (
        Distilled,
        LearningConfig,
        LearningStep,
        TuningConfig,
        TuningStep,
        distil,
        learn,
        load_learning_config,
        tune,
    )
    from evoply.players import (
        AfterState,
        AlphaBeta,
        Bot,
        Engine,
        ExpressionEvaluator,
        Mcts,
        Online,
        Player,
        PlayerFileError,
        PlayerTextError,
        RandomPlayer,
        RandomStart,
        Searcher,
        Solution,
        Staged,
        TreeEvaluator,
        analyse,
        load_player,
        parse_player,
        read_engines,
        save_player,
        solve,
        with_options,
    )
    from evoply.protocols import (
        Choice,
        Clock,
        Color,
        ConfigError,
        ForfeitError,
        IllegalMoveError,
        InvalidMoveError,
        Outcome,
        RunError,
        Seat,
    )
    from evoply.reports import (
        Advice,
        Adviser,
        Explanation,
        Puzzle,
        Why,
        XRay,
        explain,
        puzzles,
        why,
        write_report,
        xray,
    )
    from evoply.runs import list_runs
    from evoply.runs.advance import advance
    from evoply.studies import reproduce

_HOMES = {
    "evoply.arena": (
        "MatchResult RoundRobin Sprt SprtResult Tournament match round_robin sprt_match tournament"
    ),
    "evoply.evolution": "EvolutionConfig Generation evolve final_test load_config replay",
    "evoply.experiments": "Comparison compare compare_experiment load_comparison",
    "evoply.expressions": (
        "PRIMITIVE_SETS ExpressionError Primitive PrimitiveSet board count number select squares"
    ),
    "evoply.games": "GAMES DrawRules add_game",
    "evoply.algebra": "simplify",
    "evoply.gp": "Forest Tree TreeSyntaxError parse_individual parse_tree",
    "evoply.kinds": "Run find_run",
    "evoply.leagues": "League league load_league",
    "evoply.learning": (
        "Distilled LearningConfig LearningStep TuningConfig TuningStep distil learn "
        "load_learning_config tune"
    ),
    "evoply.players": (
        "AfterState AlphaBeta Bot Engine ExpressionEvaluator Mcts Online Player PlayerFileError "
        "PlayerTextError RandomPlayer RandomStart Searcher Solution Staged TreeEvaluator analyse "
        "load_player parse_player read_engines save_player solve with_options"
    ),
    "evoply.protocols": (
        "Choice Clock Color ConfigError ForfeitError IllegalMoveError InvalidMoveError Outcome "
        "RunError Seat"
    ),
    "evoply.reports": (
        "Advice Adviser Explanation Puzzle Why XRay explain puzzles why write_report xray"
    ),
    "evoply.runs": "advance list_runs",
    "evoply.studies": "reproduce",
    "evoply._native": "Stream __version__",
}
"""The public names, by the package that each is fetched from when it is first used."""
_READ_PLAYERS = (
    "analyse", "distil", "explain", "match", "parse_player", "round_robin", "save_player",
    "sprt_match",
    "tournament", "tune", "why", "with_options", "xray",
)  # fmt: skip
_GIVEN = {
    **dict.fromkeys(_READ_PLAYERS, ("runs", "evoply.runs", "resolve_champion")),
    "load_config": ("ini", "evoply.studies.bellin", "config_from_ini"),
}
"""Default arguments of functions in lower packages: they find `champion@RUN` and read `.ini`."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_MODULES = {
    home.rpartition(".")[2]: home
    for home in ("evoply.expressions.features", "evoply.games.checkers", "evoply.games.othello")
}
"""Public names that are modules; each is imported when it is first used."""

__all__ = [
    "GAMES", "PRIMITIVE_SETS", "Advice", "Adviser", "AfterState", "AlphaBeta", "Bot", "Choice",
    "Clock", "Color",
    "Comparison", "ConfigError", "Distilled", "DrawRules", "Engine", "EvolutionConfig",
    "Explanation", "ExpressionError", "ExpressionEvaluator", "Forest", "ForfeitError", "Generation",
    "IllegalMoveError", "InvalidMoveError", "League", "LearningConfig", "LearningStep",
    "MatchResult", "Mcts", "Online", "Outcome", "Player", "PlayerFileError", "PlayerTextError",
    "Primitive",
    "PrimitiveSet", "Puzzle", "RandomPlayer", "RandomStart", "RoundRobin", "Run", "RunError",
    "Searcher", "Seat", "Solution", "Sprt", "SprtResult", "Staged", "Stream", "Tournament", "Tree",
    "TreeEvaluator", "TreeSyntaxError", "TuningConfig", "TuningStep", "Why", "XRay", "__version__",
    "add_game", "advance", "analyse", "board", "checkers", "compare", "compare_experiment", "count",
    "distil", "evolve", "explain", "features", "final_test", "find_run", "league", "learn",
    "list_runs", "load_comparison", "load_config", "load_league", "load_learning_config",
    "load_player", "match", "number",
    "othello", "parse_individual", "parse_player", "parse_tree", "puzzles", "read_engines",
    "replay", "reproduce", "round_robin", "save_player", "select", "simplify", "solve",
    "sprt_match", "squares", "tournament", "tune", "why", "with_options", "write_report", "xray",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME_OF:
        from evoply.wording import unknown_attribute

        raise unknown_attribute("evoply", name, __all__)
    value = getattr(import_module(_HOME_OF[name]), name)
    return _with_default(value, *_GIVEN[name]) if name in _GIVEN else value


@cache
def _with_default(
    function: Callable[..., Any], argument: str, module: str, name: str
) -> Callable[..., Any]:
    """Return *function* with *name* of *module* as its *argument* by default.

    The packages that read players and configs lie below those that know runs and papers.
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if options.get(argument) is None:
            options[argument] = lambda *a, **o: getattr(import_module(module), name)(*a, **o)
        return function(*arguments, **options)

    return call


def __dir__() -> list[str]:
    return __all__
