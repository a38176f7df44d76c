"""Every kind of player as one type, tagged by `kind` in files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from evoply.players.specs import AfterState, AlphaBeta, KernelPlayer, RandomPlayer
from evoply.players.staged import RandomStart, Staged

Player = Annotated[
    RandomPlayer | AfterState | AlphaBeta | Staged | RandomStart, Field(discriminator="kind")
]
PLAYER_ADAPTER: TypeAdapter[RandomPlayer | AfterState | AlphaBeta | Staged | RandomStart] = (
    TypeAdapter(Player)
)


def steady_player(player: Player) -> KernelPlayer:
    """Return *player* without random start and without overlaps, whose boards have one value each.

    It is what explanations and pictures are about.

    >>> from evoply.players.grammar import parse_player
    >>> steady_player(parse_player("( white ),50,( black ),50:overlap=20,random_plies=4")).label
    '( white ),50,( black ),50'
    """
    if isinstance(player, RandomStart):
        player = player.player
    return player.without_overlap() if isinstance(player, Staged) else player
