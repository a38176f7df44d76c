"""What other settings of the online player change: the paper says that they bring nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoply.players import Online
from evoply.studies.frankland.matches import ladder_player, played
from evoply.studies.study import Request, Result, Row, Scale, row
from evoply.studies.verdicts import Figure, difference

_GAMES: dict[Scale, int] = {"smoke": 10, "small": 50, "paper": 200}
_DEPTH = 1

CLAIMS: Mapping[str, Mapping[str, Any]] = {
    "population 400": {"population": 400},
    "generations 60": {"generations": 60},
    "tournament of 2": {"tournament": 2},
    "tournament of 10": {"tournament": 10},
    "30 games each": {"games": 30},
    "weights from 1 to 8": {"highest": 8},
    "weights from 1 to 128": {"highest": 128},
}
"""Settings of which the paper says that they do not play better than its own."""

QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    "corners and edges of the board": {"scope": "board"},
    "the eight edge squares two from a corner": {"scope": "edge8"},
    "alpha thrown away after each move": {"carry": "none"},
    "no alpha in crossover": {"preserve_alpha": False},
    "the best of the last generation chooses": {"choose": "best"},
    "games of evolution from the start": {"start": "initial"},
    "values drawn anew for each game": {"redraw": "each_use"},
}
"""Readings that the paper leaves open; no figure is printed."""


def sensitivity(request: Request) -> Result:
    """Return how many points each change of a setting gains over the paper's settings."""
    games = _GAMES[request.scale]
    changes: dict[str, Mapping[str, Any]] = {"as in the paper": {}, **CLAIMS, **QUESTIONS}
    rows: list[Row] = []
    base: Figure | None = None
    for step, (name, change) in enumerate(changes.items()):

        def moved(done: int, step: int = step) -> None:
            request.progress(step * games + done, len(changes) * games)

        made = played(
            Online(**change), ladder_player(_DEPTH), games=games, seed=request.seed,
            threads=request.threads, progress=moved,
        )  # fmt: skip
        rows.append(row(f"{name}: score", made.score))
        if base is None:
            base = made.score
            continue
        claim = Figure(0.0, None) if name in CLAIMS else None
        rows.append(row(f"{name}: gain", difference(made.score, base), claim))
    return Result(
        study="frankland", table="sensitivity", title="Other settings",
        scale=request.scale, seed=request.seed, rules="", unit="points, in percent",
        rows=tuple(rows),
        notes=(f"Games against the ladder {_DEPTH} ply deep, the same openings for all.",),
    )  # fmt: skip
