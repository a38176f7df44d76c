"""The players that have a name: a literal table, each a board expression and how it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evoply.expressions import Number, board, features, weighted_sum
from evoply.players.edgar import edgar_expression, edgar_table
from evoply.players.specs import View

_SWH_QUARTER = (
    (1.0, -0.25, 0.1, 0.05),
    (-0.25, -0.25, 0.01, 0.01),
    (0.1, 0.01, 0.05, 0.02),
    (0.05, 0.01, 0.02, 0.01),
)
SWH_WEIGHTS: tuple[float, ...] = tuple(
    weight for row in (*_SWH_QUARTER, *reversed(_SWH_QUARTER)) for weight in (*row, *reversed(row))
)
"""The standard weights heuristic of Othello 8x8, one weight per square, row by row from a1."""


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """What a name stands for: an expression, searched *depth* plies deep (0: after-state)."""

    title: str
    expression: Number | None
    depth: int = 0
    view: View = "player"


NAMED_PLAYERS: Mapping[str, NamedPlayer] = MappingProxyType(
    {
        "random": NamedPlayer("uniformly random legal moves", None),
        "greedy": NamedPlayer(
            "most discs more than the opponent after its move",
            features.discs("own") - features.discs("opponent"),
        ),
        "swh": NamedPlayer(
            "standard weighted piece counter (8x8), one ply",
            weighted_sum(board.own, [SWH_WEIGHTS]) - weighted_sum(board.opponent, [SWH_WEIGHTS]),
        ),
        "material": NamedPlayer(
            "alpha-beta on the difference in discs; option depth",
            features.discs("own") - features.discs("opponent"),
            depth=1,
            view="turn",
        ),
        "mobility": NamedPlayer(
            "most legal moves more than the opponent after its move",
            features.mobility("own") - features.mobility("opponent"),
        ),
        "edgar-like": NamedPlayer(
            "a weight for every square and ply (8x8), learned by self-play; not the lost original",
            edgar_expression(edgar_table()),
        ),
    }
)
