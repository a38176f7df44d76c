"""The effect of other settings of the online player, and of ideas beyond the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evoply.players import Online
from evoply.protocols import Player
from evoply.studies.frankland.online_matches import PAPER, ladder_player, opponents_of, played
from evoply.studies.study import Request, Result, Row, Scale, row
from evoply.studies.verdicts import Figure, difference

_GAMES: dict[Scale, int] = {"smoke": 4, "small": 50, "paper": 200}
_UNIT = "points, in percent"

CLAIMS: Mapping[str, Mapping[str, Any]] = {
    "population 400": {"population": 400},
    "generations 60": {"generations": 60},
    "tournament of 2": {"tournament": 2},
    "tournament of 10": {"tournament": 10},
    "30 games each": {"games": 30},
    "weights from 1 to 8": {"highest": 8},
    "weights from 1 to 128": {"highest": 128},
}
"""Settings that do not play better than the paper's, as it says."""

QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    "corners and edges of the board": {"scope": "board"},
    "the eight edge squares two from a corner": {"scope": "edge8"},
    "alpha kept for one move": {"carry": "none"},
    "alpha kept for one game": {"carry": "game"},
    "alpha a parent in crossover alone": {"preserve_alpha": "crossover"},
    "alpha a parent in mutation alone": {"preserve_alpha": "mutation"},
    "alpha no parent": {"preserve_alpha": "no"},
    "the best of the last generation chooses": {"choose": "best"},
    "games of evolution from the start": {"start": "initial"},
    "values drawn anew for each game": {"redraw": "each_use"},
}
"""Readings that the paper leaves open; no figure is printed."""


IDEAS: Mapping[str, Mapping[str, Any]] = {
    "the last 12 squares exact": {"endgame": 12},
    "the first move by its score": {"choose": "scores"},
    "the same, first moves in turns": {"choose": "scores", "roots": "turns"},
    "the same, ever fewer first moves": {"choose": "scores", "roots": "halving"},
    "these and the last squares": {"choose": "scores", "roots": "halving", "endgame": 12},
    "mobility and frontier in strategies": {"mobility": True},
    "the opponent's best reply counts": {"replies": True},
    "a tree of positions": {"choose": "visits", "roots": "tree"},
    "a tree and the best reply": {"choose": "visits", "roots": "tree", "replies": True},
    "all of it and the last 16 squares": {
        "choose": "visits", "roots": "tree", "mobility": True, "replies": True, "endgame": 16,
    },
}  # fmt: skip
"""Ideas beyond the paper for using more of an evolution, single and combined. All have as many
games as the paper's settings: 21,000 for a move at the start."""


def sensitivity(request: Request) -> Result:
    """Return the gain in points of each changed setting over the paper's settings."""
    return _compare(
        request,
        PAPER,
        {**CLAIMS, **QUESTIONS},
        [ladder_player(1)],
        "sensitivity",
        "Other settings",
        "Games against the ladder one ply deep, the same openings for all.",
    )


def ablation(request: Request) -> Result:
    """Return the gain of each idea beyond the paper, and of all together.

    Alpha is kept for one game, so that games go on all cores at once.
    """
    named = dict(opponents_of(request.opponent)) if request.opponent else {}
    return _compare(
        request,
        Online(),
        IDEAS,
        [*named.values()] or [ladder_player(3)],
        "ablation",
        "Beyond the paper",
        "The same openings for all; alpha is kept for one game.",
    )


def _compare(
    request: Request,
    usual: Online,
    changes: Mapping[str, Mapping[str, Any]],
    opponents: Sequence[Player],
    table: str,
    title: str,
    note: str,
) -> Result:
    """Return the score of each change of the *usual* player, and its gain over that."""
    games = request.games or _GAMES[request.scale]
    rows: list[Row] = []
    steps = len(opponents) * (len(changes) + 1)
    result = request.result("frankland", table, title, rows, unit=_UNIT, notes=(note,))
    for number, opponent in enumerate(opponents):
        base: Figure | None = None
        before = f"{opponent.label}: " if len(opponents) > 1 else ""
        for index, (name, change) in enumerate({"as in the paper": {}, **changes}.items()):
            step = request.part(number * (len(changes) + 1) + index, steps)
            online = played(usual.with_options(change), opponent, games, step)
            rows.append(row(f"{before}{name}: score", online.score))
            if base is None:
                base = online.score
            else:
                claim = Figure(0.0, None) if name in CLAIMS else None
                rows.append(row(f"{before}{name}: gain", difference(online.score, base), claim))
            result = replace(result, rows=tuple(rows))
            request.shown(result)
    return result
