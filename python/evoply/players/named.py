"""The table of named players: the board expression of each and how it is used.

Reasons: docs/design/runs.md.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evoply.expressions import Number, board, count, divide, features, number, weighted_sum
from evoply.players.evaluators import ExpressionEvaluator
from evoply.players.player_kind import View
from evoply.players.search_options import Noise
from evoply.when_used import MadeWhenUsed

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

_OWN_MEN, _THEIR_MEN = count(board.own_men), count(board.opponent_men)
_OWN_WITH_KINGS = _OWN_MEN + 1.5 * count(board.own_kings)
_THEIRS_WITH_KINGS = _THEIR_MEN + 1.5 * count(board.opponent_kings)
_WITH_KINGS = _OWN_WITH_KINGS - _THEIRS_WITH_KINGS


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A named player: an expression, searched *depth* plies deep (0: after-state).

    *second* is an evaluator that alternates with it, *noise* the draw for each leaf.
    *counts_kings*: option `king` says how many men a king is worth. *games* are those that it
    plays, all of them if it names none.
    """

    title: str
    expression: Number | None
    depth: int = 0
    view: View = "player"
    second: Number | None = None
    noise: Noise | None = None
    counts_kings: bool = False
    games: tuple[str, ...] = ()
    by_game: Mapping[str, Number] = field(default_factory=dict)
    """Expressions of its own for games, by the kernel's names."""
    text: str = ""
    """The text of the player that it is, instead of an expression."""

    @property
    def leaves(self) -> dict[str, Any]:
        """Return the fields of `AlphaBeta` that say what else a leaf is worth."""
        if self.second is not None:
            return {"second": ExpressionEvaluator(expression=self.second.to_dict())}
        return {} if self.noise is None else {"noise": self.noise}


def weights_by_ply(tables: Sequence[Sequence[float]]) -> Number:
    """Return the weights of own discs minus those of the opponent's, by the ply of the choice.

    Each table has a weight for every square, from a1. Passes can make games longer than there are
    tables; then the last one is used.
    """
    own = weighted_sum(board.own, tables, board.root_ply)
    return own - weighted_sum(board.opponent, tables, board.root_ply)


def _learned(name: str) -> Any:
    """Return what a player learned; its file says how."""
    text = Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


@cache
def _firebrand_values() -> Mapping[str, Number]:
    """Return the values that FIREBRAND learned, by game."""
    from evoply.expressions.linear import LinearModel, known_features  # nobody else needs arrays

    values: dict[str, Number] = {}
    for game, learned in _learned("firebrand")["players"].items():
        features = known_features(game, [name for name, *_ in learned["weights"]])
        rows = [row for _, *row in learned["weights"]]
        weights, times = tuple(row[0] for row in rows), tuple((row[1],) for row in rows)
        values[game] = LinearModel(game, features, weights, times).expression
    return MappingProxyType(values)


KINGS = count(board.own_kings) - count(board.opponent_kings)
"""Added, times a king's worth beyond a man, if kings count more."""


def _searching(title: str, expression: Number, **more: Any) -> NamedPlayer:
    """Return a player that searches, by default one ply deep, for whoever is to move."""
    return NamedPlayer(title, expression, **{"depth": 1, "view": "turn", **more})


def _material(title: str, **more: Any) -> NamedPlayer:
    return _searching(
        f"alpha-beta{title}", features.discs("own") - features.discs("opponent"), **more
    )


@cache
def _written() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("readable.toml").read_text(encoding="utf-8"))


def _readable(name: str) -> NamedPlayer:
    """Return a player of `readable.toml`, whose formula people read."""
    said = _written()[name]
    return NamedPlayer(said["title"], None, text=said["text"], games=tuple(said["games"]))


_READABLE = ("by-hand", "demo-1", "demo-2", "readable-5", "readable-12", "readable-40")

NAMED_PLAYERS: Mapping[str, NamedPlayer] = MadeWhenUsed(
    {
        "random": lambda: NamedPlayer("any legal move, all equally likely", None),
        "greedy": lambda: NamedPlayer(
            "the move after which it leads by most pieces; option king",
            features.discs("own") - features.discs("opponent"),
            counts_kings=True,
        ),
        "swh": lambda: NamedPlayer(
            "standard weighted piece counter (8x8), one ply",
            weighted_sum(board.own, [SWH_WEIGHTS]) - weighted_sum(board.opponent, [SWH_WEIGHTS]),
            games=("othello",),
        ),
        "material": lambda: _material(
            " on the difference in pieces; options depth and, in checkers, king",
            counts_kings=True,
        ),
        "material-alternating": lambda: _material(
            "; a coin for each move: the difference in discs, or in corners",
            second=features.corners("own") - features.corners("opponent"),
        ),
        "material-share": lambda: _material(
            "; a coin for each move: the difference in discs, or the own share",
            second=divide(
                features.discs("own"),
                features.discs("own") + features.discs("opponent"),
                when_zero="zero",
            ),
        ),
        "material-kings": lambda: _material(
            "; a coin for each move: a king is worth one man, or one and a half",
            second=_WITH_KINGS,
        ),
        "material-own": lambda: _material(
            "; a coin for each move: the difference in pieces, or the own pieces",
            second=features.discs("own"),
        ),
        "material-lean": lambda: _searching(
            "alpha-beta; a coin for each move: the difference in men, or own men counted thrice",
            _OWN_MEN - _THEIR_MEN,
            second=3.0 * _OWN_MEN - _THEIR_MEN,
        ),
        "material-lean-kings": lambda: _searching(
            "the same, with kings, which are worth one man and a half",
            _WITH_KINGS,
            second=3.0 * _OWN_WITH_KINGS - _THEIRS_WITH_KINGS,
        ),
        "few-pieces": lambda: _searching(
            "alpha-beta for lose checkers: few own pieces, and more moves than the other side",
            features.discs("opponent")
            - features.discs("own")
            + 0.5 * (features.mobility("own") - features.mobility("opponent")),
            games=("lose-checkers",),
        ),
        "random-leaf": lambda: _searching(
            "alpha-beta with a random value from [0, 1) for every leaf; option noise",
            number(0.0),
            noise="uniform",
        ),
        "mobility": lambda: NamedPlayer(
            "the move after which it leads by most legal moves",
            features.mobility("own") - features.mobility("opponent"),
        ),
        "edgar-like": lambda: NamedPlayer(
            "a weight for every square and ply (8x8), learned by self-play; not the lost original",
            weights_by_ply(_learned("edgar")["tables"]),
            games=("othello",),
        ),
        "firebrand": lambda: _searching(
            "alpha-beta on features whose weights were learned by play (8x8, 10x10), 4 plies",
            _firebrand_values()["othello-10"],
            depth=4,
            games=tuple(_firebrand_values()),
            by_game=_firebrand_values(),
        ),
        **{name: partial(_readable, name) for name in _READABLE},
    }
)
