"""Everything that can be a player: all models as one type, trees, and objects in Python.

Models are tagged by `kind` in files. A tree knows its primitives, but no run:
`evoply.evolution.individual_player` makes the player that a tree is in a run whose config has other
settings of `player`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import ConfigDict, Field, TypeAdapter

from evoply.expressions import Expression
from evoply.gp.tree import Forest, Tree
from evoply.players.bots import Bot, CarriedBot
from evoply.players.engines import Engine
from evoply.players.engines.engine_player import CarriedEngine
from evoply.players.evaluators import ExpressionEvaluator, TreeEvaluator
from evoply.players.mcts import Mcts
from evoply.players.online import Online
from evoply.players.own_player import CarriedOwnPlayer, OwnPlayer, PythonPlayer
from evoply.players.player_kind import PlayerKind, ValuingPlayer
from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer
from evoply.players.staged import RandomStart, Staged
from evoply.players.strong import Strong
from evoply.protocols import Player

KINDS: tuple[type[PlayerKind], ...] = (
    RandomPlayer,
    AfterState,
    AlphaBeta,
    Staged,
    RandomStart,
    Online,
    Strong,
    Mcts,
    Engine,
    OwnPlayer,
    Bot,
)
"""Every kind of player that a text or a file of the user's may describe; an earlier one reads a
text first."""
DATA_KINDS = tuple(kind for kind in KINDS if kind.is_portable)
"""Those that are data, and run nothing else."""

if TYPE_CHECKING:
    PlayerModel = PlayerKind
    SavedModel = PlayerKind
    CarriedModel = PlayerKind
    LeagueModel = PlayerKind
else:  # any of the table, told apart by `kind`
    PlayerModel = Annotated[reduce(or_, KINDS), Field(discriminator="kind")]
    SavedModel = Annotated[reduce(or_, DATA_KINDS), Field(discriminator="kind")]
    CarriedModel = Annotated[
        reduce(or_, (*DATA_KINDS, CarriedEngine, CarriedOwnPlayer, CarriedBot)),
        Field(discriminator="kind"),
    ]
    LeagueModel = Annotated[
        reduce(or_, (*DATA_KINDS, CarriedOwnPlayer)), Field(discriminator="kind")
    ]

_LATE = ConfigDict(defer_build=True)
PLAYER_ADAPTER: TypeAdapter[PlayerKind] = TypeAdapter(PlayerModel, config=_LATE)
"""Reads what the user describes."""
SAVED_ADAPTER: TypeAdapter[PlayerKind] = TypeAdapter(SavedModel, config=_LATE)
"""Reads players that are data and nothing else: of saved files and other machines."""
LEAGUE_ADAPTER: TypeAdapter[PlayerKind] = TypeAdapter(LeagueModel, config=_LATE)
"""Reads players of leagues: data, and Python with its checksum, which the user must name, too."""
CARRIED_ADAPTER: TypeAdapter[PlayerKind] = TypeAdapter(CarriedModel, config=_LATE)
"""Reads players of runs: a program among them is shown, and starts only if the user names it."""

_CONTRACT = ("label", "reproducible", "check_fits", "seat")


def player_of(source: object) -> Player:
    """Return a tree, an object that holds one, an expression or an object with `choose` as player.

    A player is returned as it is. A tree, such as that of an individual of a generation, and an
    expression compare the boards after each of their moves: one ply, own is the side that chooses,
    the first of equally good moves; `with_options` gives them another depth, ties or view. Raises
    TypeError for anything else.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> player_of(parse_tree("( + white 10 )", PRIMITIVE_SETS["liao"])).label
    '( + white 10 ):primitives=liao'
    """
    if isinstance(source, PlayerKind):
        return source
    if not isinstance(source, type) and all(hasattr(source, name) for name in _CONTRACT):
        return cast(Player, source)
    tree = source if isinstance(source, Tree | Forest) else getattr(source, "tree", None)
    if isinstance(tree, Tree | Forest) and not hasattr(source, "choose"):
        return AfterState(evaluator=TreeEvaluator.of_own(tree))
    if isinstance(source, Expression):
        return AfterState(evaluator=ExpressionEvaluator(expression=source.to_dict()))
    return PythonPlayer(source)


def data_of(source: object) -> PlayerKind | None:
    """Return the player as data of `player_of`; None for an object in Python, or a seat."""
    return source if isinstance(source, PlayerKind) else None


def model_of(source: object) -> PlayerKind:
    """Return the player as data of `player_of`; TypeError for an object in Python."""
    player = data_of(player_of(source))
    if player is None:
        raise TypeError(
            f"{source!r:.200} is a Python object: only players as data can be saved, changed or "
            "explained"
        )
    return player


def steady_player(player: Player) -> ValuingPlayer:
    """Return *player* without random start and without overlaps, whose boards have one value each.

    Explanations and pictures use it. Raises ValueError for players whose boards have no values,
    such as bots, and TypeError for players in Python.

    >>> from evoply.players.grammar import parse_player
    >>> steady_player(parse_player("( white ),50,( black ),50:overlap=20,random_plies=4")).label
    '( white ),50,( black ),50'
    """
    model = model_of(player)
    steady = model.valuing()
    if steady is not None:
        return steady
    if not model.is_portable:
        article = "an" if model.kind[0] in "aeiou" else "a"
        raise ValueError(
            f"{model.label} is {article} {model.kind}: only its own code knows what it wants"
        )
    raise ValueError(
        f"{model.label}: this player gives boards no values, so there is nothing to explain"
    )
